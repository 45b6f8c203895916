# source: nanoGPT: one projection of x, split in three
# mistake: keys and values are projected from the query, so cross-attention is lost
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        b, n, c = query.shape
        q, k, v = F.linear(query, self.in_proj_weight, self.in_proj_bias).split(self.dim, dim=2)
        q, k, v = (x.view(b, n, self.heads, c // self.heads).transpose(1, 2) for x in (q, k, v))
        att = q @ k.mT / math.sqrt(k.shape[-1])
        att = masked_softmax(att, None if mask is None else mask[:, None])
        y = (att @ v).transpose(1, 2).reshape(b, n, c)
        return self.out_proj(y), att
