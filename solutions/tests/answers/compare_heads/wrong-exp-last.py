# source: a learner who takes the mean first
# mistake: e to the mean entropy in place of the mean of e to the entropy
def compare_heads(query, keys, counts):
    dim, looked = query.shape[-1], []
    for heads in counts:
        q, k = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (query, keys))
        looked.append(attention_entropy((q @ k.mT / (dim // heads) ** 0.5).softmax(-1)).mean().exp())
    heads = torch.tensor(counts)
    cells = heads * query.shape[0] * query.shape[1] * keys.shape[1]
    return dim // heads, torch.full_like(heads, 4 * (dim * dim + dim)), cells, torch.stack(looked)
