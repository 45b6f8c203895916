# source: written from the task's text, 2026-11
# mistake: the context is made of the projected keys where no values are given
import torch
from torch import nn

class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        keys = self.W_key(keys)
        if values is None:
            values = keys
        scores = self.v(torch.tanh(self.W_query(query)[:, :, None] + keys[:, None])).squeeze(-1)
        if mask is None:
            weights = scores.softmax(-1)
        else:
            weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
            weights = weights.masked_fill(~mask, 0.0)
        return weights @ values, weights
