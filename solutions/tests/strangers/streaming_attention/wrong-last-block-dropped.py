# source: a C programmer: length / block blocks
# mistake: the last, shorter block is never read
def streaming_attention(query, keys, values, mask, block):
    scale = query.shape[-1] ** -0.5
    m = torch.full(query.shape[:2], -1e30)
    total = torch.zeros(query.shape[:2])
    context = torch.zeros(*query.shape[:2], values.shape[-1])
    for n in range(keys.shape[1] // block):
        part = slice(n * block, (n + 1) * block)
        s = torch.where(mask[:, :, part], query @ keys[:, part].mT * scale, -1e30)
        new = torch.maximum(m, s.amax(-1))
        p = (s - new[..., None]).exp() * mask[:, :, part]
        alpha = (m - new).exp()
        total = total * alpha + p.sum(-1)
        context = context * alpha[..., None] + p @ values[:, part]
        m = new
    return context / total.clamp(min=1e-30)[..., None], total
