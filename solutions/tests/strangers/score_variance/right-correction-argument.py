# source: a PyTorch person who knows torch.var's correction
def score_variance(queries, keys, widths):
    """Variances plain (widths,) and scaled (widths,), from queries and keys (pairs, dim)."""
    plain, scaled = [], []
    for d in widths:
        scores = torch.einsum("nd,nd->n", queries[:, :d], keys[:, :d])
        plain.append(torch.var(scores, correction=0))
        scaled.append(torch.var(scores / math.sqrt(d), correction=0))
    return torch.stack(plain), torch.stack(scaled)
