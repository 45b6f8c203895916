# source: a learner who forgets to hand the state on
# mistake: each step starts from the first state
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for t in range(target.shape[1] - 1):
        l, w, _ = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    return logits, weights, F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)
