# source: a learner who forgets the batch, and the biases of the output
# mistake: the weights are counted for one sentence only, and the output projection without its bias
def compare_heads(query, keys, counts):
    dim, heads = query.shape[-1], torch.tensor(counts)
    looked_at = []
    for h in counts:
        q = query.unflatten(-1, (h, -1)).transpose(1, 2)
        k = keys.unflatten(-1, (h, -1)).transpose(1, 2)
        w = (q @ k.mT / math.sqrt(dim / h)).softmax(-1)
        looked_at.append(attention_entropy(w).exp().mean())
    parameters = torch.full_like(heads, 4 * dim * dim + 3 * dim)
    return dim // heads, parameters, heads * query.shape[1] * keys.shape[1], torch.stack(looked_at)
