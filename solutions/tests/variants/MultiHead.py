"""Right answers, written in other ways."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from utils.attention import MultiHeadAttention


class PyTorchsOwn(nn.MultiheadAttention):
    """The proof of parity: not a line of ours between its parameters and its output."""

    def __init__(self, dim, heads):
        super().__init__(dim, heads, batch_first=True)

    def forward(self, query, keys, values, mask=None):
        if mask is None:
            return super().forward(query, keys, values, average_attn_weights=False)
        batch, tgt_len, src_len = len(query), query.shape[1], keys.shape[1]
        hidden = (~mask).expand(batch, tgt_len, src_len)
        empty = hidden.all(-1)  # its own would be NaN
        _, weights = super().forward(
            query,
            keys,
            values,
            attn_mask=(hidden & ~empty[..., None]).repeat_interleave(self.num_heads, 0),
            average_attn_weights=False,
        )
        weights = weights.masked_fill(empty[:, None, :, None], 0.0)
        third = self.embed_dim * 2
        projected = F.linear(values, self.in_proj_weight[third:], self.in_proj_bias[third:])
        heads = projected.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        return self.out_proj((weights @ heads).transpose(1, 2).flatten(2)), weights


class OneHeadAfterTheOther(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.width = dim // heads
        self.in_proj_weight = nn.Parameter(torch.zeros(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        dim = query.shape[-1]
        output, maps = self.out_proj.bias, []
        for start in range(0, dim, self.width):
            q, k, v = (
                x @ self.in_proj_weight[part : part + self.width].T
                + self.in_proj_bias[part : part + self.width]
                for x, part in ((query, start), (keys, dim + start), (values, 2 * dim + start))
            )
            scores = q @ k.transpose(1, 2) / math.sqrt(self.width)
            if mask is not None:
                scores = scores.masked_fill(~mask, -math.inf)
            maps.append(scores.softmax(-1).nan_to_num(0.0))
            output = output + maps[-1] @ v @ self.out_proj.weight[:, start : start + self.width].T
        return output, torch.stack(maps, dim=1)


class RawMatrices(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) * 0.1)
        self.in_proj_bias = nn.Parameter(torch.randn(3 * dim) * 0.1)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        W = self.in_proj_weight.unflatten(0, (3, self.h, -1))
        b = self.in_proj_bias.unflatten(0, (3, self.h, -1))
        q = torch.einsum("btd,hwd->bhtw", query, W[0]) + b[0].unsqueeze(1)
        k = torch.einsum("bsd,hwd->bhsw", keys, W[1]) + b[1].unsqueeze(1)
        v = torch.einsum("bsd,hwd->bhsw", values, W[2]) + b[2].unsqueeze(1)
        scores = torch.einsum("bhtw,bhsw->bhts", q, k) * k.shape[-1] ** -0.5
        powers = (scores - scores.amax(-1, keepdim=True)).exp()
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None], -1e6)
            powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask[:, None]
        weights = powers / powers.sum(-1, keepdim=True).clamp(min=1e-9)
        return self.out_proj(torch.einsum("bhts,bhsw->bthw", weights, v).flatten(2)), weights


class TheCourses(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self._sizes = dim, heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * dim, dim).normal_())
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        inner = MultiHeadAttention(*self._sizes).to(query)
        names = ("W_q", "W_k", "W_v")
        parts = zip(names, self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3), strict=True)
        numbers = {"W_o.weight": self.out_proj.weight, "W_o.bias": self.out_proj.bias}
        for name, weight, bias in parts:
            numbers |= {f"{name}.weight": weight, f"{name}.bias": bias}
        more = {"values": values, "mask": mask, "return_weights": "heads"}
        return torch.func.functional_call(inner, numbers, (query, keys), more)
