"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F
from torch import nn


class _Step(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(attention_dim, query_dim) / 10)
        self.W_key = nn.Parameter(torch.randn(attention_dim, key_dim) / 10)
        self.v = nn.Parameter(torch.randn(attention_dim) / 10)


class WithLowNumber(_Step):
    def forward(self, state, keys, mask):
        hidden = torch.tanh(F.linear(state, self.W_query)[:, None] + F.linear(keys, self.W_key))
        weights = F.softmax((hidden @ self.v).masked_fill(~mask, -1e9), dim=-1) * mask
        return torch.einsum("bs,bsk->bk", weights, keys), weights


class SharedOutAgain(_Step):
    """Masked after the softmax, and shared out again: right while scores lie close together."""

    def forward(self, state, keys, mask):
        hidden = ((state @ self.W_query.T).unsqueeze(1) + keys @ self.W_key.T).tanh()
        weights = (hidden @ self.v).softmax(-1) * mask
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
        return (weights[..., None] * keys).sum(1), weights


class SentenceBySentence(_Step):
    def forward(self, state, keys, mask):
        contexts, rows = [], []
        for s, sentence, allowed in zip(state, keys, mask, strict=True):
            scores = torch.stack(
                [self.v @ (self.W_query @ s + self.W_key @ h).tanh() for h in sentence]
            )
            row = scores.masked_fill(~allowed, float("-inf")).softmax(0).nan_to_num(0.0)
            rows.append(row)
            contexts.append(row @ sentence)
        return torch.stack(contexts), torch.stack(rows)


class InFloat64(_Step):
    def forward(self, query, keys, mask):
        query, keys = query.double(), keys.double()
        W_query, W_key, v = self.W_query.double(), self.W_key.double(), self.v.double()
        scores = ((query @ W_query.T)[:, None] + keys @ W_key.T).tanh().matmul(v)
        weights = scores.where(mask, -1e30).softmax(-1).where(mask, 0)
        return [torch.bmm(weights[:, None], keys)[:, 0], weights]
