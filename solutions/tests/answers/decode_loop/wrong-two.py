# source: two slips at once
# mistake: not shifted (the loss asks for the word that was read), and padding counts
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    return logits, weights, F.cross_entropy(logits.flatten(0, 1), target[:, :-1].flatten())
