# source: a JAX person: gradients as values, clipped by the global norm, a functional update
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    parameters = list(model.parameters())

    def loss_of(target, state):
        labels = target[:, 1:]
        log_p = model(target[:, :-1], state).log_softmax(-1).gather(2, labels[..., None])[..., 0]
        real = labels != PAD
        return -log_p[real].mean()

    losses, validation = [], []
    for target, state in zip(targets[:-1], states[:-1]):
        model.train()
        loss = loss_of(target, state)
        gradients = torch.autograd.grad(loss, parameters)
        norm = torch.stack([g.pow(2).sum() for g in gradients]).sum().sqrt()
        shrink = (1 / norm).clamp(max=1.0)
        with torch.no_grad():
            for p, g in zip(parameters, gradients):
                p -= rate * shrink * g
            model.eval()
            validation.append(loss_of(targets[-1], states[-1]))
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation), model.embedding.detach()
