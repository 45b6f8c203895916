# source: The Annotated Transformer's LabelSmoothing, as it stands there
# mistake: the smoothing is shared among the other words
def smoothed_loss(logits, labels, smoothing):
    vocab = logits.shape[-1]
    log_p = logits.log_softmax(-1)
    picked = log_p.gather(2, labels[..., None])[..., 0]
    others = log_p.sum(-1) - picked
    loss = -(1 - smoothing) * picked - smoothing / (vocab - 1) * others
    real = labels != 0
    return (loss * real).sum() / real.sum().clamp(min=1)
