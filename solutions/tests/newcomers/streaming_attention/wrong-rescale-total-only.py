# source: written from the task's text, 2026-11
# mistake: the sum is rescaled when a larger score comes, the context gathered so far is not
import torch

def streaming_attention(query, keys, values, mask, block):
    b, t, d = query.shape
    top = query.new_full((b, t), torch.finfo(query.dtype).min)
    total = query.new_zeros(b, t)
    context = query.new_zeros(b, t, values.shape[-1])
    for i in range(0, keys.shape[1], block):
        open_ = mask[:, :, i:i + block]
        s = query @ keys[:, i:i + block].mT / d**0.5
        s = s.masked_fill(~open_, torch.finfo(s.dtype).min)
        new = torch.maximum(top, s.amax(-1))
        e = (s - new[..., None]).exp() * open_
        total = total * (top - new).exp() + e.sum(-1)
        context = context + e @ values[:, i:i + block]
        top = new
    return context / total.clamp(min=1e-30)[..., None], total
