# source: a learner who divides by all places
# mistake: padding counts in the number of words
def smoothed_loss(logits, labels, smoothing):
    log_p = logits.log_softmax(-1)
    picked = log_p.gather(2, labels[..., None])[..., 0]
    loss = -(1 - smoothing) * picked - smoothing * log_p.mean(-1)
    return (loss * (labels != 0)).mean()
