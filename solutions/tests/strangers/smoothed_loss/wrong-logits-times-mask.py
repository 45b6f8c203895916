# source: a learner who blanks the logits at padding
# mistake: blanked logits still cost log V at each place of padding, and the mean counts the padding
def smoothed_loss(logits, labels, smoothing):
    real = (labels != 0).unsqueeze(-1)
    log_p = (logits * real).log_softmax(-1)
    right = log_p.gather(-1, labels[..., None])[..., 0]
    return (-(1 - smoothing) * right - smoothing * log_p.mean(-1)).mean()
