# source: Attention Is All You Need, as it stands there
# mistake: post-norm
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        x = self.norms[0](x + self.attention(x, x, mask=causal_mask(x.shape[1]))[0])
        x = self.norms[1](x + self.cross(x, source, mask=source_mask)[0])
        return self.norms[2](x + self.feed_forward(x))
