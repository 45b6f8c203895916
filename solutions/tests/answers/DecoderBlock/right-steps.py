# source: The Annotated Transformer's DecoderLayer in pre-norm (MIT)
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        tgt_mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()[None]
        y = self.norms[0](x)
        x = x + self.attention(y, y, mask=tgt_mask)[0]
        x = x + self.cross(self.norms[1](x), source, mask=source_mask)[0]
        return x + self.feed_forward(self.norms[2](x))
