# source: nn.MultiheadAttention habits: average_attn_weights=True
# mistake: the weights are averaged over the heads
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        q, k, v = (
            F.linear(x, w, b).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for x, w, b in zip(
                (query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
            )
        )
        scores = q @ k.mT / math.sqrt(self.dim // self.heads)
        weights = masked_softmax(scores, None if mask is None else mask[:, None])
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights.mean(1)
