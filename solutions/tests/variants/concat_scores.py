"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F


def split_form(query, keys, W_joined, v):
    wide = query.shape[-1]
    bars, said = F.linear(query, W_joined[:, :wide]), F.linear(keys, W_joined[:, wide:])
    return (bars[:, :, None] + said[:, None]).tanh() @ v


def repeated(query, keys, W, v):
    tgt_len, src_len = query.shape[1], keys.shape[1]
    queries = query.repeat_interleave(src_len, dim=1)
    others = keys.repeat(1, tgt_len, 1)
    scores = torch.tanh(torch.cat((queries, others), -1) @ W.T) @ v
    return scores.view(-1, tgt_len, src_len)


def with_einsum(query, keys, W_joined, v):
    queries = query[:, :, None].expand(-1, -1, keys.shape[1], -1)
    pairs = torch.cat([queries, keys[:, None].expand(-1, query.shape[1], -1, -1)], -1)
    return torch.einsum("btsa,a->bts", torch.einsum("btsd,ad->btsa", pairs, W_joined).tanh(), v)


def in_loops(query, keys, W_joined, v):
    def score(s, h):
        return v @ (W_joined @ torch.cat([s, h])).tanh()

    return torch.stack(
        [
            torch.stack([torch.stack([score(s, h) for h in others]) for s in some])
            for some, others in zip(query, keys, strict=True)
        ]
    )


def in_float64(query, keys, W_joined, v):
    query, keys, W_joined, v = (one.double() for one in (query, keys, W_joined, v))
    steps = []
    for state in query.unbind(1):
        joined = torch.cat([state[:, None].expand(-1, keys.shape[1], -1), keys], dim=-1)
        steps.append(((joined @ W_joined.T).tanh() * v).sum(-1))
    return torch.stack(steps, dim=1)
