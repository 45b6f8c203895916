# source: a learner who writes gradient descent by hand
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    losses, validation = [], []
    def measure(which):
        target = targets[which]
        log_p = model(target[:, :-1], states[which]).log_softmax(-1)
        right = target[:, 1:]
        picked = log_p.gather(-1, right.unsqueeze(-1))[..., 0]
        return -picked[right != PAD].mean()
    for step in range(len(targets) - 1):
        model.train()
        loss = measure(step)
        parameters = list(model.parameters())
        gradients = torch.autograd.grad(loss, parameters)
        norm = torch.cat([g.flatten() for g in gradients]).norm()
        factor = min(1.0, 1.0 / norm.item())
        with torch.no_grad():
            for p, g in zip(parameters, gradients):
                p -= rate * factor * g
            model.eval()
            validation.append(measure(-1))
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation), model.embedding.data
