# source: a learner of The Annotated Transformer: m for memory, subsequent mask by triu
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        """The states (batch, tgt_len, dim) after the block."""
        m, n = source, x.size(1)
        tgt_mask = torch.triu(torch.ones(1, n, n), diagonal=1) == 0
        y = self.norms[0](x)
        x = self.attention(y, y, y, tgt_mask)[0] + x
        x = self.cross(self.norms[1](x), m, m, source_mask)[0] + x
        return self.feed_forward(self.norms[2](x)) + x
