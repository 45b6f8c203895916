# source: a learner who keeps a reference to the argument
# mistake: the embedding that was given comes back; the model trained a copy of it
def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)

    def loss_of(i):
        logits = model(targets[i][:, :-1], states[i])
        return F.cross_entropy(logits.flatten(0, 1), targets[i][:, 1:].flatten(), ignore_index=PAD)

    losses, validation = torch.zeros(len(targets) - 1), torch.zeros(len(targets) - 1)
    for i in range(len(losses)):
        model.train()
        loss = loss_of(i)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses[i] = loss.item()
        model.eval()
        validation[i] = loss_of(-1).item()
    return losses, validation, embedding
