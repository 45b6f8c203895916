# source: written from the task's text, 2026-11
import torch

def streaming_attention(query, keys, values, mask, block):
    batch, tgt, dim = query.shape
    m = torch.full((batch, tgt, 1), -torch.inf, dtype=query.dtype)
    l = torch.zeros(batch, tgt, 1, dtype=query.dtype)
    acc = torch.zeros(batch, tgt, values.shape[2], dtype=query.dtype)
    for k, v, open_ in zip(keys.split(block, 1), values.split(block, 1), mask.split(block, 2)):
        s = torch.bmm(query, k.transpose(1, 2)) / dim**0.5
        s = torch.where(open_, s, -torch.inf)
        m_new = torch.maximum(m, s.max(dim=2, keepdim=True).values)
        safe = torch.where(m_new == -torch.inf, 0.0, m_new)
        scale = torch.exp(m - safe)
        p = torch.exp(s - safe)
        l = l * scale + p.sum(2, keepdim=True)
        acc = acc * scale + torch.bmm(p, v)
        m = m_new
    return acc / torch.where(l > 0, l, 1.0), l.squeeze(2)
