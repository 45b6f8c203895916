# source: a data person: a list of rows, then a table
def compare_heads(query, keys, counts):
    b, t, dim = query.shape
    s = keys.shape[1]
    head_dims, parameters, cells, looked_at = [], [], [], []
    for h in counts:
        q, k = query.view(b, t, h, -1), keys.view(b, s, h, -1)
        weights = (torch.einsum("bthd,bshd->bhts", q, k) * (h / dim) ** 0.5).softmax(-1)
        head_dims.append(dim // h)
        parameters.append(sum(p.numel() for p in nn.MultiheadAttention(dim, h).parameters()))
        cells.append(weights.numel())
        looked_at.append(torch.special.entr(weights).sum(-1).exp().mean())
    return torch.tensor(head_dims), torch.tensor(parameters), torch.tensor(cells), torch.stack(looked_at)
