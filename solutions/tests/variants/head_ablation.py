"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F


def term_by_term(contexts, w_o, b_o):
    columns = w_o.unflatten(1, (contexts.shape[1], -1))  # (dim, heads, head_dim)
    written = torch.einsum("bhtw,dhw->hbtd", contexts, columns)
    outputs = written.sum(0) + b_o - written
    return outputs, written.norm(dim=-1).flatten(1).mean(1)


def columns_cut_out(contexts, w_o, b_o):
    heads, width = contexts.shape[1], contexts.shape[3]
    joined = contexts.transpose(1, 2).flatten(2)
    outputs = []
    for head in range(heads):
        cut = w_o.clone()
        cut[:, head * width : (head + 1) * width] = 0
        outputs.append(F.linear(joined, cut, b_o))
    outputs = torch.stack(outputs)
    moved = torch.linalg.vector_norm(F.linear(joined, w_o, b_o) - outputs, dim=-1)
    return [outputs, moved.mean((1, 2))]


def all_at_once(contexts, w_o, b_o):
    others = 1 - torch.eye(contexts.shape[1]).to(contexts)  # (taken away, heads)
    cut = torch.einsum("bhtw,ah->abthw", contexts, others).flatten(3)
    difference = (contexts.transpose(1, 2).flatten(2) - cut) @ w_o.T
    return cut @ w_o.T + b_o, difference.pow(2).sum(-1).sqrt().mean(dim=(1, 2))


def in_float64(contexts, w_o, b_o):
    contexts, w_o, b_o = contexts.double(), w_o.double(), b_o.double()
    layer = torch.nn.functional.linear
    full = layer(torch.cat(contexts.unbind(1), -1), w_o, b_o)
    outputs = []
    for head in range(contexts.shape[1]):
        parts = [part * (n != head) for n, part in enumerate(contexts.unbind(1))]
        outputs.append(layer(torch.cat(parts, dim=-1), w_o, b_o))
    return torch.stack(outputs), torch.stack([(one - full).norm(dim=2).mean() for one in outputs])
