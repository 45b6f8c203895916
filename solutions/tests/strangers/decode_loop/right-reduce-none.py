# source: a JAX person: scan-like, then a masked mean
def decode_loop(target, state, memory, embedding, w_state, w_output):
    """Logits, weights and loss; the matrices are handed on to `luong_step`."""
    read, labels = target[:, :-1], target[:, 1:]
    outputs = []
    for words in read.T:
        *output, state = luong_step(words, state, memory, embedding, w_state, w_output)
        outputs.append(output)
    logits, weights = (torch.stack(x).movedim(0, 1) for x in zip(*outputs))
    each = F.cross_entropy(logits.movedim(-1, 1), labels, reduction="none")
    real = (labels != PAD).float()
    loss = (each * real).sum() / real.sum()
    return logits, weights, loss
