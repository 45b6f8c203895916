# source: a learner who drops the third result
# mistake: every step starts from the first state; the new state is thrown away
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for word in target[:, :-1].unbind(1):
        l, w, _ = luong_step(word, state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
    return logits, weights, loss
