# source: a learner who scales by the whole width
# mistake: the root of dim in place of head_dim
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.dim = heads, dim
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        w, b = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        q, k, v = (F.linear(x, w[i], b[i]).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for i, x in enumerate((query, keys, values)))
        scores = q @ k.mT / math.sqrt(self.dim)
        weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask[:, None])
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights
