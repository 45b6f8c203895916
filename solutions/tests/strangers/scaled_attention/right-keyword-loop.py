# source: a C programmer: sentence by sentence
def scaled_attention(query, keys, values, mask=None):
    contexts, tables = [], []
    shape = torch.Size([query.shape[0], query.shape[1], keys.shape[1]])
    allowed = torch.ones(shape, dtype=torch.bool) if mask is None else torch.broadcast_to(mask, shape)
    for q, k, v, a in zip(query, keys, values, allowed):
        s = q @ k.T / math.sqrt(q.shape[-1])
        w = torch.softmax(s.masked_fill(~a, -3e38), -1).masked_fill(~a, 0)
        contexts.append(w @ v)
        tables.append(w)
    return torch.stack(contexts), torch.stack(tables)
