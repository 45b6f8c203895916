# source: a learner who rescales the sum and forgets the context
# mistake: when a larger score turns up, only the total is scaled down, not the context gathered so far
def streaming_attention(query, keys, values, mask, block):
    m = torch.full(query.shape[:2], -1e30)
    total = torch.zeros(query.shape[:2])
    context = torch.zeros(*query.shape[:2], values.shape[-1])
    for i in range(0, keys.shape[1], block):
        k, v, a = keys[:, i : i + block], values[:, i : i + block], mask[:, :, i : i + block]
        s = torch.where(a, query @ k.mT / math.sqrt(query.shape[-1]), -1e30)
        new = torch.maximum(m, s.amax(-1))
        p = (s - new[..., None]).exp() * a
        total = total * (m - new).exp() + p.sum(-1)
        context = context + p @ v
        m = new
    return context / total.clamp(min=1e-30)[..., None], total
