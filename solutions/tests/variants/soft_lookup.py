"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F


def with_einsum(q, k, v):
    alpha = torch.einsum("td,sd->ts", q, k).softmax(dim=1)
    return torch.einsum("ts,sv->tv", alpha, v), alpha


def in_loops(query, keys, values):
    contexts, rows = [], []
    for one in query:
        scores = torch.stack([(one * key).sum() for key in keys])
        alpha = scores.softmax(0)
        rows.append(alpha)
        contexts.append(sum(weight * value for weight, value in zip(alpha, values, strict=True)))
    return torch.stack(contexts), torch.stack(rows)


def as_a_list(query, keys, values):
    weights = F.softmax(F.linear(query, keys), dim=-1)
    return [torch.matmul(weights, values), weights]


def from_torch(query, keys, values):
    identity = torch.eye(len(keys), dtype=query.dtype)
    weights = F.scaled_dot_product_attention(query[None], keys[None], identity[None], scale=1.0)[0]
    return weights @ values, weights


def by_broadcasting(query, keys, values):
    scores = (query[:, None] * keys).sum(-1)
    powers = (scores - scores.amax(1, keepdim=True)).exp()
    weights = powers / powers.sum(1, keepdim=True)
    return (weights[..., None] * values).sum(1), weights


def in_float64(query, keys, values):
    weights = (query.double() @ keys.double().T).softmax(-1)
    return weights @ values.double(), weights
