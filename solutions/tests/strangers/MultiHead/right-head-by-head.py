# source: the paper's formula read aloud: head by head, summed through slices of the output matrix
class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        d, width = self.dim, self.dim // self.heads
        output, tables = self.out_proj.bias, []
        for h in range(self.heads):
            mine = slice(h * width, (h + 1) * width)
            q, k, v = (
                x @ self.in_proj_weight[i * d : (i + 1) * d][mine].T
                + self.in_proj_bias[i * d : (i + 1) * d][mine]
                for i, x in enumerate((query, keys, values))
            )
            tables.append(masked_softmax(torch.bmm(q, k.mT) * width**-0.5, mask))
            output = output + torch.bmm(tables[-1], v) @ self.out_proj.weight[:, mine].T
        return output, torch.stack(tables, dim=1)
