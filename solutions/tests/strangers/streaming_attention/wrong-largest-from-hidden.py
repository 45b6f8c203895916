# source: a learner who takes the maximum before the mask
# mistake: the largest score is that of all keys, hidden ones too, so the total is too small (or 0, and the context with it)
def streaming_attention(query, keys, values, mask, block):
    m = torch.full(query.shape[:2], -1e30)
    total = torch.zeros(query.shape[:2])
    context = torch.zeros(*query.shape[:2], values.shape[-1])
    for i in range(0, keys.shape[1], block):
        k, v, a = keys[:, i : i + block], values[:, i : i + block], mask[:, :, i : i + block]
        s = query @ k.mT / math.sqrt(query.shape[-1])
        new = torch.maximum(m, s.amax(-1))
        p = (s - new[..., None]).exp() * a
        alpha = (m - new).exp()
        total = total * alpha + p.sum(-1)
        context = context * alpha[..., None] + p @ v
        m = new
    return context / total.clamp(min=1e-30)[..., None], total
