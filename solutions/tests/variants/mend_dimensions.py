"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F

from utils.attention import MultiplicativeAttention


def query_projected(query, keys, W):
    weights = torch.softmax(query @ W @ keys.transpose(1, 2), dim=-1)
    return weights @ keys, weights


def with_einsum(query, keys, W):
    weights = torch.einsum("btq,qk,bsk->bts", query, W, keys).softmax(dim=2)
    return [torch.einsum("bts,bsk->btk", weights, keys), weights]


def through_torch(query, keys, W):
    projected = F.linear(keys, W)
    context = F.scaled_dot_product_attention(query, projected, keys, scale=1.0)
    return context, torch.softmax(torch.bmm(query, projected.mT), -1)


def from_the_course(query, keys, W):
    module = MultiplicativeAttention(query.shape[-1], keys.shape[-1], method="general")
    return torch.func.functional_call(module, {"W.weight": W}, (query, keys))


def in_float64(query, keys, W):
    query, keys, W = query.double(), keys.double(), W.double()
    rows = [(query[:, t : t + 1] @ W @ keys.mT).softmax(-1) for t in range(query.shape[1])]
    weights = torch.cat(rows, dim=1)
    return weights @ keys, weights
