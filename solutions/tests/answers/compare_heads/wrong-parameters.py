# source: a learner who thinks that each head brings its own matrices of full width
# mistake: parameters grow with the heads
def compare_heads(query, keys, counts):
    dim, looked = query.shape[-1], []
    for heads in counts:
        q, k = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (query, keys))
        looked.append(attention_entropy((q @ k.mT / (dim // heads) ** 0.5).softmax(-1)).exp().mean())
    heads = torch.tensor(counts)
    cells = heads * query.shape[0] * query.shape[1] * keys.shape[1]
    return dim // heads, heads * 3 * (dim * dim + dim) + dim * dim + dim, cells, torch.stack(looked)
