# source: a learner who normalises everything that goes into attention
# mistake: the source is normalised a second time, with the norm of the cross-attention
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        y = self.norms[0](x)
        x = x + self.attention(y, y, mask=causal_mask(x.shape[1]))[0]
        x = x + self.cross(self.norms[1](x), self.norms[1](source), mask=source_mask)[0]
        return x + self.feed_forward(self.norms[2](x))
