# source: a PyTorch person: F.linear on the packed projection, and unflatten
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(3 * dim, dim)))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        w, b = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        q, k, v = (
            F.linear(x, *wb).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for x, wb in zip((query, keys, values), zip(w, b))
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        weights = masked_softmax(scores, None if mask is None else mask.unsqueeze(1))
        joined = (weights @ v).transpose(1, 2).flatten(2)
        return self.out_proj(joined), weights
