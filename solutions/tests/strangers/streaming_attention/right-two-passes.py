# source: a careful learner: one pass for the largest score, another for the sums
def streaming_attention(query, keys, values, mask, block):
    pieces = list(
        zip(keys.split(block, dim=1), values.split(block, dim=1), mask.split(block, dim=2))
    )
    root = math.sqrt(query.shape[-1])

    largest = query.new_full(query.shape[:2], -math.inf)
    for k, _, a in pieces:
        s = (query @ k.mT / root).masked_fill(~a, -math.inf)
        largest = largest.maximum(s.amax(-1))
    largest = largest.masked_fill(largest == -math.inf, 0.0).detach().unsqueeze(-1)

    total = query.new_zeros(query.shape[:2])
    context = 0
    for k, v, a in pieces:
        s = (query @ k.mT / root).masked_fill(~a, -math.inf)
        e = (s - largest).exp()
        total = total + e.sum(-1)
        context = context + e @ v
    return context / total.clamp(min=1e-30).unsqueeze(-1), total
