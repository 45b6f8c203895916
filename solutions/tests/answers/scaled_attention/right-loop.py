# source: a learner who goes through the batch
def scaled_attention(query, keys, values, mask=None):
    contexts, tables = [], []
    for b in range(len(query)):
        scores = query[b] @ keys[b].T * query.shape[-1] ** -0.5
        if mask is None:
            keep = torch.ones_like(scores, dtype=torch.bool)
        else:
            keep = mask.expand(len(query), *scores.shape)[b]
        e = torch.exp(scores - scores.masked_fill(~keep, -1e30).max(dim=-1, keepdim=True).values.clamp(min=-1e29))
        e = torch.where(keep, e, 0.0)
        table = e / (e.sum(-1, keepdim=True) + (e.sum(-1, keepdim=True) == 0))
        tables.append(table)
        contexts.append(table @ values[b])
    return torch.stack(contexts), torch.stack(tables)
