# source: a language model: F.linear and chunk
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, query, keys, values, mask=None):
        wq, wk, wv = self.in_proj_weight.chunk(3)
        bq, bk, bv = self.in_proj_bias.chunk(3)
        q, k, v = F.linear(query, wq, bq), F.linear(keys, wk, bk), F.linear(values, wv, bv)
        q, k, v = (x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in (q, k, v))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights
