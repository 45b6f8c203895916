# source: a language model: blocks joined by logsumexp
def streaming_attention(query, keys, values, mask, block):
    scores = query @ keys.mT / math.sqrt(query.shape[-1])
    largest = torch.full(scores.shape[:2], -torch.inf)
    total = torch.zeros(scores.shape[:2])
    context = torch.zeros(*scores.shape[:2], values.shape[-1])
    for start in range(0, keys.shape[1], block):
        piece = slice(start, start + block)
        part = scores[:, :, piece].masked_fill(~mask[:, :, piece], -torch.inf)
        new = torch.maximum(largest, part.amax(-1))
        safe = torch.where(new == -torch.inf, 0.0, new)
        decay = torch.exp(largest - safe)
        e = torch.exp(part - safe[..., None])
        total = total * decay + e.sum(-1)
        context = context * decay[..., None] + e @ values[:, piece]
        largest = new
    some = total > 0
    return torch.where(some[..., None], context / total.clamp(min=1e-30)[..., None], 0.0), total
