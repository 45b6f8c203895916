# source: written from the task's text, 2026-11
# mistake: squeeze() without an axis also drops axes of length 1 of the batch, the target or the source
import torch
from torch import nn

class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        hidden = torch.tanh(self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1))
        scores = self.v(hidden).squeeze()
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights * mask
        return torch.matmul(weights, values), weights
