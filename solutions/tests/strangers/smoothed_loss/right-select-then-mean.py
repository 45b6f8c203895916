# source: a fairseq-like practitioner: select the real rows first
def smoothed_loss(logits, labels, smoothing):
    """One number, from logits (batch, tgt_len, vocab), labels (batch, tgt_len) and ε."""
    real = labels != 0
    log_p = torch.log_softmax(logits[real], dim=-1)
    nll = -log_p[torch.arange(len(log_p)), labels[real]]
    smooth = -log_p.mean(-1)
    total = ((1 - smoothing) * nll + smoothing * smooth).sum()
    return total / max(len(log_p), 1)
