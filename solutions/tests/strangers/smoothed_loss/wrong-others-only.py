# source: the other definition: ε shared among the other V - 1 words
# mistake: the right word gets 1 - ε and nothing of the shared ε, which is divided by V - 1
def smoothed_loss(logits, labels, smoothing):
    log_p = logits.log_softmax(-1)
    right = log_p.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    others = (log_p.sum(-1) - right) / (logits.shape[-1] - 1)
    real = labels != 0
    each = -(1 - smoothing) * right - smoothing * others
    return (each * real).sum() / real.sum().clamp(min=1)
