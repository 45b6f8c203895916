# source: a learner who clips parameter by parameter
# mistake: each parameter's gradient is clipped to norm 1 by itself, not all together
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    losses, validation = [], []
    for i in range(len(targets) - 1):
        model.train()
        model.zero_grad()
        logits = model(targets[i][:, :-1], states[i])
        loss = F.cross_entropy(logits.flatten(0, 1), targets[i][:, 1:].flatten(), ignore_index=PAD)
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                torch.nn.utils.clip_grad_norm_([p], 1.0)
                p -= rate * p.grad
            model.eval()
            logits = model(targets[-1][:, :-1], states[-1])
            held = F.cross_entropy(logits.flatten(0, 1), targets[-1][:, 1:].flatten(), ignore_index=PAD)
        losses.append(loss.detach())
        validation.append(held)
    return torch.stack(losses), torch.stack(validation), model.embedding.detach()
