# source: two slips at once
# mistake: the scale of the whole width, and cells of one sentence
def compare_heads(query, keys, counts):
    dim, looked = query.shape[-1], []
    for heads in counts:
        q, k = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (query, keys))
        looked.append(attention_entropy((q @ k.mT / dim ** 0.5).softmax(-1)).exp().mean())
    heads = torch.tensor(counts)
    cells = heads * query.shape[1] * keys.shape[1]
    return dim // heads, torch.full_like(heads, 4 * (dim * dim + dim)), cells, torch.stack(looked)
