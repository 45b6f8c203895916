# source: a learner who measures both losses first
# mistake: the held-out loss is taken before the step instead of after it
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)

    def loss_of(i):
        logits = model(targets[i][:, :-1], states[i])
        return F.cross_entropy(logits.flatten(0, 1), targets[i][:, 1:].flatten(), ignore_index=PAD)

    losses, validation = [], []
    for i in range(len(targets) - 1):
        model.eval()
        with torch.no_grad():
            validation.append(loss_of(-1))
        model.train()
        loss = loss_of(i)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation), model.embedding.detach()
