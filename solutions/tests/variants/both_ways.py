"""Right answers, written in other ways."""

import torch

from utils.attention import ScaledDotProductAttention
from utils.masks import masked_softmax


def with_the_course(left, right, left_mask, right_mask):
    attention = ScaledDotProductAttention(left.shape[-1])
    left_reads, forth = attention(left, right, mask=right_mask[:, None])
    right_reads, back = attention(right, left, mask=left_mask[:, None])
    return left_reads, right_reads, forth, back


def along_the_other_axis(a, b, a_mask, b_mask):
    e = torch.einsum("bid,bjd->bij", a, b) / a.size(2) ** 0.5
    forth = masked_softmax(e, b_mask[:, None, :], dim=2)
    back = masked_softmax(e, a_mask[:, :, None], dim=1).permute(0, 2, 1)
    return torch.bmm(forth, b), torch.bmm(back, a), forth, back


def by_exponentials(left, right, left_mask, right_mask):
    def shares(scores, mask):
        low = scores.masked_fill(~mask, -1e30)
        powers = (low - low.amax(-1, keepdim=True)).exp() * mask
        return powers / powers.sum(-1, keepdim=True).clamp(min=1e-20)

    scores = left @ right.transpose(-2, -1) * left.shape[-1] ** -0.5
    forth = shares(scores, right_mask.unsqueeze(-2))
    back = shares(scores.mT, left_mask.unsqueeze(-2))
    return [forth @ right, back @ left, forth, back]


def pair_by_pair(left, right, left_mask, right_mask):
    results = []
    for one, other, mine, yours in zip(left, right, left_mask, right_mask, strict=True):
        table = one @ other.T / one.shape[1] ** 0.5
        there = masked_softmax(table, yours.expand_as(table))
        here = masked_softmax(table.T, mine.expand_as(table.T))
        results.append((there @ other, here @ one, there, here))
    return tuple(torch.stack(parts) for parts in zip(*results, strict=True))


def in_float64(left, right, left_mask, right_mask):
    return along_the_other_axis(left.double(), right.double(), left_mask, right_mask)
