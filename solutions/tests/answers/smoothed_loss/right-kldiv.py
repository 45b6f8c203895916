# source: in the manner of The Annotated Transformer's LabelSmoothing: a smoothed target (MIT)
def smoothed_loss(logits, labels, smoothing):
    vocab = logits.shape[-1]
    log_p = logits.log_softmax(-1)
    true_dist = torch.full_like(log_p, smoothing / vocab)
    true_dist = true_dist.scatter_add(2, labels.unsqueeze(2), torch.full(labels.shape + (1,), 1 - smoothing, dtype=log_p.dtype))
    real = (labels != 0).unsqueeze(2)
    total = -(true_dist * log_p * real).sum()
    return total / real.sum().clamp(min=1)
