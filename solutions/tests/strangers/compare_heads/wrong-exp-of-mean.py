# source: a learner who averages the entropies first
# mistake: e is raised to the mean entropy, not the mean taken of e to the entropies
def compare_heads(query, keys, counts):
    dim, heads = query.shape[-1], torch.tensor(counts)
    looked_at = []
    for h in counts:
        q = query.unflatten(-1, (h, -1)).transpose(1, 2)
        k = keys.unflatten(-1, (h, -1)).transpose(1, 2)
        w = (q @ k.mT / math.sqrt(dim / h)).softmax(-1)
        looked_at.append(attention_entropy(w).mean().exp())
    cells = heads * len(query) * query.shape[1] * keys.shape[1]
    return dim // heads, torch.full_like(heads, 4 * (dim * dim + dim)), cells, torch.stack(looked_at)
