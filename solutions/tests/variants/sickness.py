"""Right answers, written in other ways."""

import torch


def _one(weights, mask):
    rows = [(row, allowed) for row, allowed in zip(weights, mask, strict=True)]
    for row, allowed in rows:
        whole = 1 if allowed.any() else 0
        if (row < 0).any() or abs(float(row.sum()) - whole) > 0.01:
            return 1
    for row, allowed in rows:
        if row[~allowed].any():
            return 2
    rows = [(row, allowed) for row, allowed in rows if int(allowed.sum()) >= 2]
    if not rows:
        return 0
    for column in range(weights.shape[1]):
        if all(row[column] > 0.9 for row, _ in rows):
            return 3
    if all(row[allowed].max() - row[allowed].min() < 0.01 for row, allowed in rows):
        return 4
    return 0


def in_loops(weights, mask):
    return torch.tensor([_one(*pair) for pair in zip(weights, mask, strict=True)])


def by_where(maps, allowed):
    counting = allowed.sum(-1, keepdim=True) >= 2  # (batch, tgt_len, 1)
    smallest = torch.where(counting, maps, 1.0).amin(1)  # (batch, src_len)
    stripe = (smallest > 0.9).any(-1) & counting.flatten(1).any(-1)
    high = torch.where(allowed, maps, -9.0).amax(-1, keepdim=True)
    low = torch.where(allowed, maps, 9.0).amin(-1, keepdim=True)
    flat = torch.where(counting, high - low, 0.0).flatten(1).amax(-1) < 0.01
    flat = flat & counting.flatten(1).any(-1)
    leak = (maps * ~allowed).abs().sum((1, 2)) > 0
    whole = torch.where(allowed.any(-1), 1.0, 0.0)
    broken = ~torch.isclose(maps.sum(-1), whole.to(maps), rtol=0, atol=0.01).all(-1)
    broken = broken | (maps.amin((1, 2)) < 0)
    return torch.where(broken, 1, torch.where(leak, 2, torch.where(stripe, 3, flat * 4)))


def worst_first(weights, mask):
    codes = torch.full((len(weights),), -1)
    free = mask.sum(2) > 1
    best = weights.max(-1)
    for number in range(len(weights)):
        total = weights[number].sum(-1)
        if (weights[number] < 0).any() or (total - mask[number].any(-1).float()).abs().max() > 0.01:
            codes[number] = 1
        elif (weights[number][~mask[number]] != 0).any():
            codes[number] = 2
        elif not free[number].any():
            codes[number] = 0
        elif (
            best.values[number][free[number]].min() > 0.9
            and best.indices[number][free[number]].unique().numel() == 1
        ):
            codes[number] = 3
        else:
            share = 1 / mask[number].sum(-1).clamp(min=1)
            gap = weights[number] - share[:, None]
            gap = torch.where(mask[number] & free[number][:, None], gap, 0.0)
            codes[number] = 4 * int(gap.amax() - gap.amin() < 0.01)
    return codes.int()


def in_float64(weights, mask):
    return in_loops(weights.double(), mask)
