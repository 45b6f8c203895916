# source: a learner who writes -log p himself
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights, total, count = [], [], 0.0, 0
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
        gold = target[:, t + 1]
        real = gold != PAD
        total = total - l.log_softmax(-1).gather(1, gold[:, None])[real].sum()
        count += int(real.sum())
    return torch.stack(logits, 1), torch.stack(weights, 1), total / count
