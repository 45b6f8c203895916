"""Right answers, written in other ways."""

import torch
from torch import nn

from utils.model_helpers import count_parameters


def layer_by_layer(query_dim, key_dim, attention_dim):
    def layer(into, out, bias):
        return into * out + (out if bias else 0)

    plain = sum(layer(into, attention_dim, False) for into in (query_dim, key_dim)) + attention_dim
    split = sum(layer(into, attention_dim, True) for into in (query_dim, key_dim))
    joined = layer(query_dim + key_dim, attention_dim, True)
    return plain, split + attention_dim + 1, joined + attention_dim + 1


def multiplied_out(q, k, a):
    return a * q + a * k + a, a * (q + 1) + a * (k + 1) + a + 1, a * (q + k + 1) + a + 1


def by_counting(query_dim, key_dim, attention_dim):
    rows = []
    for q, k, a in zip(*(w.tolist() for w in (query_dim, key_dim, attention_dim)), strict=True):
        judges = [
            [nn.Linear(q, a, bias=False), nn.Linear(k, a, bias=False), nn.Linear(a, 1, bias=False)],
            [nn.Linear(q, a), nn.Linear(k, a), nn.Linear(a, 1)],
            [nn.Linear(q + k, a), nn.Linear(a, 1)],
        ]
        rows.append([count_parameters(nn.ModuleList(judge))["total"] for judge in judges])
    return tuple(torch.tensor(rows).T)


def as_a_list(query_dim, key_dim, attention_dim):
    without = (query_dim + key_dim).add(1).mul(attention_dim)
    return [without, without + attention_dim.mul(2) + 1, without.add(attention_dim).add(1)]
