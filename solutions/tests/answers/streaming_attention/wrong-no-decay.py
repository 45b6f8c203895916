# source: a learner who forgets what was summed before
# mistake: the sum and the context are not rescaled when a larger score comes
def streaming_attention(query, keys, values, mask, block):
    largest = torch.full(query.shape[:2], -1e30)
    total = torch.zeros(query.shape[:2])
    context = torch.zeros(*query.shape[:2], values.shape[-1])
    for start in range(0, keys.shape[1], block):
        k, v, m = (x[..., start : start + block, :] for x in (keys, values, mask.mT))
        scores = (query @ k.mT / query.shape[-1] ** 0.5).masked_fill(~m.mT, -torch.inf)
        largest = torch.maximum(largest, scores.amax(-1))
        e = torch.exp(scores - largest[..., None])
        total = total + e.sum(-1)
        context = context + e @ v
    return context / total.clamp(min=1e-30)[..., None], total
