# source: a learner with a loop and plain numbers
def compare_heads(query, keys, counts):
    dim = query.shape[-1]
    head_dims, parameters, cells, looked_at = [], [], [], []
    for heads in counts:
        q = query.unflatten(-1, (heads, -1)).transpose(1, 2)
        k = keys.unflatten(-1, (heads, -1)).transpose(1, 2)
        w = (q @ k.mT / math.sqrt(dim // heads)).softmax(-1)
        head_dims.append(dim // heads)
        parameters.append(4 * (dim * dim + dim))
        cells.append(w.numel())
        looked_at.append(attention_entropy(w).exp().mean().item())
    return torch.tensor(head_dims), torch.tensor(parameters), torch.tensor(cells), torch.tensor(looked_at)
