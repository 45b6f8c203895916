# source: a PyTorch tutorial reader: optimiser, clip_grad_norm_, two helper functions
def training_loop(targets, states, embedding, w_state, w_output, rate):
    """Losses, held-out losses, and the trained embedding."""
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    criterion = torch.nn.CrossEntropyLoss(ignore_index=PAD)
    losses, validation = [], []

    def run(i):
        logits = model(targets[i][:, :-1], states[i])
        return criterion(logits.reshape(-1, logits.size(-1)), targets[i][:, 1:].reshape(-1))

    for i in range(len(targets) - 1):
        model.train()
        optimizer.zero_grad(set_to_none=True)
        loss = run(i)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.inference_mode():
            validation.append(run(-1).item())
    return torch.tensor(losses), torch.tensor(validation), model.embedding.data
