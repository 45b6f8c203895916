# source: a learner for whom every head brings matrices of full width
# mistake: the parameters are multiplied by the number of heads
def compare_heads(query, keys, counts):
    dim, heads = query.shape[-1], torch.tensor(counts)
    looked_at = []
    for h in counts:
        q = query.unflatten(-1, (h, -1)).transpose(1, 2)
        k = keys.unflatten(-1, (h, -1)).transpose(1, 2)
        w = (q @ k.mT / math.sqrt(dim / h)).softmax(-1)
        looked_at.append(attention_entropy(w).exp().mean())
    parameters = heads * 3 * (dim * dim + dim) + dim * dim + dim
    cells = heads * len(query) * query.shape[1] * keys.shape[1]
    return dim // heads, parameters, cells, torch.stack(looked_at)
