# source: the FlashAttention paper's loop, with a finite lowest number for rows not yet opened
def streaming_attention(query, keys, values, mask, block):
    b, t, d = query.shape
    lowest = torch.finfo(query.dtype).min
    m = query.new_full((b, t, 1), lowest)
    l = query.new_zeros(b, t, 1)
    acc = query.new_zeros(b, t, values.shape[-1])
    for start in range(0, keys.shape[1], block):
        part = slice(start, start + block)
        s = (query @ keys[:, part].mT) / math.sqrt(d)
        s = s.masked_fill(~mask[:, :, part], lowest)
        new = torch.maximum(m, s.amax(-1, keepdim=True).detach())
        p = (s - new).exp() * mask[:, :, part]
        alpha = (m - new).exp()
        l = l * alpha + p.sum(-1, keepdim=True)
        acc = acc * alpha + p @ values[:, part]
        m = new
    context = acc / torch.where(l > 0, l, 1.0)
    return context, l.squeeze(-1)
