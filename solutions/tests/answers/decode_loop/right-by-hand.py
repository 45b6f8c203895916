# source: a learner who gathers the log-probabilities by hand
def decode_loop(target, state, memory, embedding, w_state, w_output):
    steps = []
    for word in target.T[:-1]:
        *step, state = luong_step(word, state, memory, embedding, w_state, w_output)
        steps.append(step)
    logits, weights = (torch.stack(one, dim=1) for one in zip(*steps))
    nll = -logits.log_softmax(-1).gather(2, target[:, 1:, None]).squeeze(2)
    real = target[:, 1:] != PAD
    return logits, weights, nll[real].mean()
