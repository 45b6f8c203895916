# source: a learner who counts words only
# mistake: <eos> is left out of the loss together with the padding
def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for word in target[:, :-1].unbind(1):
        l, w, state = luong_step(word, state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    labels = target[:, 1:]
    words = (labels != PAD) & (labels != EOS)
    loss = F.cross_entropy(logits[words], labels[words])
    return logits, weights, loss
