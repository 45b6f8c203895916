# source: written from the task's text, 2026-11
# mistake: only the first row of the mask is used, for all queries; right for masks (batch, 1, src_len) only
import torch
import torch.nn.functional as F
from torch import nn
from utils.masks import masked_softmax

class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        b, t, d = query.shape
        parts = zip((query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3))
        q, k, v = (F.linear(x, w, c).view(b, -1, self.heads, self.head_dim).transpose(1, 2) for x, w, c in parts)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / self.head_dim**0.5
        if mask is not None:
            mask = mask[:, :1].unsqueeze(1)
        weights = masked_softmax(scores, mask)
        out = torch.einsum("bhts,bhsd->bthd", weights, v).reshape(b, t, d)
        return self.out_proj(out), weights
