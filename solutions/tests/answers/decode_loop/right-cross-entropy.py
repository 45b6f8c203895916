# source: a learner with F.cross_entropy
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    loss = F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)
    return logits, weights, loss
