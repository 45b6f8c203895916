# source: a learner who no longer trusts softmax and writes it out
def normalised_heatmap(scores):
    """Weights (tgt_len, src_len) from scores (tgt_len, src_len)."""
    weights = (scores - scores.amax(dim=1, keepdim=True)).exp()
    weights = weights / weights.sum(dim=-1, keepdim=True)  # so that rows sum to 1
    return weights
