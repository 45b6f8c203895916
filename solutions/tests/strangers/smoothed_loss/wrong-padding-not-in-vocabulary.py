# source: a learner who keeps padding out of everything
# mistake: the ε is shared among the words without word 0, but the formula shares it among all V
def smoothed_loss(logits, labels, smoothing):
    log_p = logits.log_softmax(-1)
    right = log_p.gather(-1, labels[..., None])[..., 0]
    real = (labels > 0).float()
    each = -(1 - smoothing) * right - smoothing * log_p[..., 1:].mean(-1)
    return (each * real).sum() / real.sum().clamp(min=1)
