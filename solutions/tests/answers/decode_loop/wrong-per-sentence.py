# source: a learner who averages twice
# mistake: the mean over sentences of the mean over words
def decode_loop(target, state, memory, embedding, w_state, w_output):
    steps = []
    for word in target.T[:-1]:
        *step, state = luong_step(word, state, memory, embedding, w_state, w_output)
        steps.append(step)
    logits, weights = (torch.stack(one, dim=1) for one in zip(*steps))
    nll = F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD, reduction="none")
    real = target[:, 1:] != PAD
    return logits, weights, ((nll * real).sum(1) / real.sum(1)).mean()
