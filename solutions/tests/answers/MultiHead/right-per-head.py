# source: a learner with a loop over the heads
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim ** 0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        d, size = self.dim, self.dim // self.heads
        w, b = self.in_proj_weight, self.in_proj_bias
        q = query @ w[:d].T + b[:d]
        k = keys @ w[d : 2 * d].T + b[d : 2 * d]
        v = values @ w[2 * d :].T + b[2 * d :]
        outputs, weights = [], []
        for h in range(self.heads):
            part = slice(h * size, (h + 1) * size)
            scores = q[..., part] @ k[..., part].transpose(1, 2) / size ** 0.5
            a = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
            weights.append(a)
            outputs.append(a @ v[..., part])
        return self.out_proj(torch.cat(outputs, -1)), torch.stack(weights, 1)
