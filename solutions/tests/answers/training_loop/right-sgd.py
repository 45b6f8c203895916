# source: a learner with torch.optim.SGD and clip_grad_norm_
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    def loss_of(target, state):
        logits = model(target[:, :-1], state)
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
    losses, validation = [], []
    for target, state in zip(targets[:-1], states[:-1]):
        model.train()
        optimizer.zero_grad()
        loss = loss_of(target, state)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            validation.append(loss_of(targets[-1], states[-1]).item())
    return torch.tensor(losses), torch.tensor(validation), model.embedding.detach()
