"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F
from torch import nn


class _Matrix(nn.Module):
    def __init__(self, out, into):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out, into))


class RawMatrices(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = _Matrix(attention_dim, query_dim)
        self.W_key = _Matrix(attention_dim, key_dim)
        self.v = _Matrix(1, attention_dim)

    def forward(self, query, keys, values=None, mask=None):
        bars = torch.einsum("btq,aq->bta", query, self.W_query.weight)
        said = torch.einsum("bsk,ak->bsa", keys, self.W_key.weight)
        hidden = torch.tanh(bars[:, :, None, :] + said[:, None, :, :])
        scores = torch.einsum("btsa,a->bts", hidden, self.v.weight[0])
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights * mask
        return torch.bmm(weights, keys if values is None else values), weights


class StepByStep(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.v = nn.Linear(attention_dim, 1)  # its bias changes nothing
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)

    def _step(self, state, said, mask):
        scores = self.v(torch.tanh(self.W_query(state)[:, None] + said)).squeeze(-1)
        return scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        if mask is None:
            mask = torch.ones((), dtype=torch.bool)
        mask = mask.expand(len(query), query.shape[1], keys.shape[1])
        said = self.W_key(keys)
        weights = torch.stack(
            [self._step(query[:, t], said, mask[:, t]) for t in range(query.shape[1])], dim=1
        )
        return [weights.matmul(values), weights]


class JoinedInside(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, False)
        self.W_key = nn.Linear(key_dim, attention_dim, False)
        self.v = nn.Linear(attention_dim, 1, False)

    def forward(self, query, keys, values=None, mask=None):
        W = torch.cat([self.W_query.weight, self.W_key.weight], dim=1)
        states = query[:, :, None].expand(-1, -1, keys.shape[1], -1)
        pairs = torch.cat([states, keys[:, None].expand(-1, query.shape[1], -1, -1)], dim=-1)
        scores = F.linear(F.linear(pairs, W).tanh(), self.v.weight)[..., 0]
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask
        weights = powers / powers.sum(-1, keepdim=True).clamp(min=1e-9)
        return weights @ (keys if values is None else values), weights


class Float64Inside(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        self.double()
        query, keys = query.double(), keys.double()
        values = keys if values is None else values.double()
        scores = self.v((self.W_query(query)[:, :, None] + self.W_key(keys)[:, None]).tanh())
        scores = scores.squeeze(-1)
        if mask is None:
            return scores.softmax(-1) @ values, scores.softmax(-1)
        weights = torch.where(mask, scores, -1e300).softmax(-1).where(mask, 0.0)
        return weights @ values, weights
