# source: a Python person: `values or keys`
# mistake: `values or keys` asks a tensor with many entries for its truth, which raises as soon as values are given
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = values or keys
        scores = self.v(torch.tanh(self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1)))
        scores = scores.squeeze(-1)
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
        return weights @ values, weights
