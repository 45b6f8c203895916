# source: a vectoriser: four conditions, the first true one by argmax
def sickness(weights, mask):
    """Codes (batch,), whole numbers, from weights and mask, both (batch, tgt_len, src_len)."""
    sums_off = (weights.sum(-1) - mask.any(-1).to(weights.dtype)).abs() > 0.01
    broken = sums_off.any(-1) | (weights < 0).flatten(1).any(-1)
    leaks = ((weights != 0) & ~mask).flatten(1).any(-1)
    choice = mask.sum(-1) > 1
    some = choice.any(-1)
    one = ((weights > 0.9) | ~choice.unsqueeze(-1)).all(1).any(-1) & some
    high = weights.masked_fill(~mask, -torch.inf).amax(-1)
    low = weights.masked_fill(~mask, torch.inf).amin(-1)
    flat = ((high - low < 0.01) | ~choice).all(-1) & some
    conditions = torch.stack([broken, leaks, one, flat, torch.ones_like(flat)], dim=1)
    return torch.tensor([1, 2, 3, 4, 0])[conditions.int().argmax(1)]
