# source: a memory saver: x += …
# mistake: the caller's x is overwritten (and where it is a leaf that learns, this raises)
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        y = self.norms[0](x)
        x += self.attention(y, y, mask=causal_mask(x.shape[1]))[0]
        x += self.cross(self.norms[1](x), source, mask=source_mask)[0]
        x += self.feed_forward(self.norms[2](x))
        return x
