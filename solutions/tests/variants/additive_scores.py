"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F


def joined_form(query, keys, W_query, W_key, v):
    tgt_len, src_len = query.shape[1], keys.shape[1]
    queries = query[:, :, None].expand(-1, -1, src_len, -1)
    others = keys[:, None].expand(-1, tgt_len, -1, -1)
    pairs = torch.cat([queries, others], dim=-1)
    return torch.tanh(pairs @ torch.cat([W_query, W_key], dim=1).T) @ v


def with_einsum(q, k, W, U, v):
    bars = torch.einsum("btq,aq->bta", q, W)
    said = torch.einsum("bsk,ak->bsa", k, U)
    return torch.einsum("btsa,a->bts", (bars[:, :, None] + said[:, None]).tanh(), v)


def with_linear(query, keys, W_query, W_key, v):
    bars, said = F.linear(query, W_query), F.linear(keys, W_key)
    hidden = torch.tanh(bars.unsqueeze(-2) + said.unsqueeze(-3))
    return F.linear(hidden, v.unsqueeze(0)).squeeze(-1)


def in_loops(query, keys, W_query, W_key, v):
    sentences = []
    for some, others in zip(query, keys, strict=True):
        rows = [torch.stack([v @ (W_query @ s + W_key @ h).tanh() for h in others]) for s in some]
        sentences.append(torch.stack(rows))
    return torch.stack(sentences)


def step_by_step(query, keys, W_query, W_key, v):
    said = keys @ W_key.T
    steps = [((state @ W_query.T).unsqueeze(1) + said).tanh() @ v for state in query.unbind(1)]
    return torch.stack(steps, dim=1)


def in_float64(query, keys, W_query, W_key, v):
    bars, said = query.double() @ W_query.double().T, keys.double() @ W_key.double().T
    return ((bars.unsqueeze(2) + said.unsqueeze(1)).tanh() * v.double()).sum(-1)
