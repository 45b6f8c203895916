# source: a learner with an early return
# mistake: for a batch without words a fresh zero comes back, which does not hang together with the logits
def smoothed_loss(logits, labels, smoothing):
    real = labels != 0
    if not real.any():
        return torch.tensor(0.0)
    log_p = logits.log_softmax(-1)[real]
    right = log_p.gather(1, labels[real][:, None])[:, 0]
    return (-(1 - smoothing) * right - smoothing * log_p.mean(-1)).mean()
