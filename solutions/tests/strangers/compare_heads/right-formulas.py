# source: an algebra person: formulas where there are any, the course's entropy where not
def compare_heads(query, keys, counts):
    """Four columns of a table with one row for each number of heads, (len(counts),) each."""
    dim, heads = query.shape[-1], torch.tensor(counts)

    def effective(h):
        q = torch.stack(query.chunk(h, -1), 1)
        k = torch.stack(keys.chunk(h, -1), 1)
        return attention_entropy((q @ k.mT / math.sqrt(dim // h)).softmax(-1)).exp().mean()

    head_dims = dim // heads
    parameters = torch.full_like(heads, 4 * dim * (dim + 1))
    cells = heads * query.shape[0] * query.shape[1] * keys.shape[1]
    looked_at = torch.stack([effective(h) for h in counts])
    return head_dims, parameters, cells, looked_at
