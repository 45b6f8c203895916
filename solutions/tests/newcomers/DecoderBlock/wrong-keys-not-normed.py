# source: written from the task's text, 2026-11
# mistake: in self-attention only the queries are normed, the keys are x as it comes
import torch
from torch import nn
from utils.attention import MultiHeadAttention
from utils.masks import causal_mask

class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        causal = causal_mask(x.shape[1])
        x = x + self.attention(self.norms[0](x), x, mask=causal)[0]
        x = x + self.cross(self.norms[1](x), source, mask=source_mask)[0]
        return x + self.feed_forward(self.norms[2](x))
