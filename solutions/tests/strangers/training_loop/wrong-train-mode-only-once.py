# source: a learner who calls train() before the loop
# mistake: after the first validation the model stays in evaluation mode, so from the second step on it trains without dropout
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    model.train()
    losses, validation = [], []
    for i in range(len(targets) - 1):
        model.zero_grad()
        logits = model(targets[i][:, :-1], states[i])
        loss = F.cross_entropy(logits.flatten(0, 1), targets[i][:, 1:].flatten(), ignore_index=PAD)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        model.eval()
        with torch.no_grad():
            for p in model.parameters():
                p -= rate * p.grad
            logits = model(targets[-1][:, :-1], states[-1])
            held = F.cross_entropy(logits.flatten(0, 1), targets[-1][:, 1:].flatten(), ignore_index=PAD)
        losses.append(loss.detach())
        validation.append(held)
    return torch.stack(losses), torch.stack(validation), model.embedding.detach()
