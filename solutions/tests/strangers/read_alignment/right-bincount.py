# source: a numpy person with np.bincount
def read_alignment(weights):
    """Best source positions (tgt_len,) and marks (src_len,), from weights (tgt_len, src_len)."""
    best = torch.max(weights, dim=1).indices
    unread = torch.bincount(best, minlength=weights.size(1)) == 0
    return best, unread
