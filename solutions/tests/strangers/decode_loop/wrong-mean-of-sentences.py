# source: a learner who averages twice
# mistake: the loss is the mean over sentences of each sentence's mean, so words of short sentences count more
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for t in range(target.shape[1] - 1):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    labels = target[:, 1:]
    each = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none", ignore_index=PAD)
    loss = (each.sum(1) / (labels != PAD).sum(1)).mean()
    return logits, weights, loss
