# source: a numpy person with np.where, who makes the logarithm safe first
def entropy(weights):
    """Entropies (...) of weights (..., src_len), in nats."""
    positive = weights > 0
    safe = torch.where(positive, weights, torch.ones_like(weights))
    return torch.sum(-weights * torch.log(safe), dim=-1)
