# source: a functional programmer: three layers in a list, one loop
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        layers = [
            lambda y: self.attention(y, y, mask=causal_mask(y.shape[1]))[0],
            lambda y: self.cross(y, source, mask=source_mask)[0],
            self.feed_forward,
        ]
        for norm, layer in zip(self.norms, layers):
            x = x + layer(norm(x))
        return x
