"""Right answers, written in other ways."""

import math

import torch
import torch.nn.functional as F


def filled_twice(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~mask, lowest).softmax(-1) * mask
    return torch.bmm(weights, values), weights


def minus_infinity_added(query, keys, values, mask):
    scores = query @ keys.mT / math.sqrt(query.shape[-1])
    closed = torch.zeros(mask.shape).masked_fill(mask.logical_not(), -math.inf)
    weights = torch.nan_to_num((scores + closed).softmax(-1))
    return weights @ values, weights


def from_torch(query, keys, values, mask):
    identity = torch.eye(keys.shape[1]).to(query).expand(len(query), -1, -1)
    weights = F.scaled_dot_product_attention(query, keys, identity, attn_mask=mask)
    return torch.bmm(weights, values), weights


def by_the_formula(q, k, v, open_cells):
    scores = (q.double() @ k.double().mT / q.shape[-1] ** 0.5).where(open_cells, -1e300)
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * open_cells
    total = powers.sum(-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, 1.0)
    return weights @ v.double(), weights
