# source: a language model that overwrites the variable `keys`
# mistake: where no values are given, the context is a mixture of the projected keys
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        query, keys = self.W_query(query), self.W_key(keys)
        scores = self.v(torch.tanh(query[:, :, None] + keys[:, None])).squeeze(-1)
        values = keys if values is None else values
        if mask is None:
            mask = scores.new_ones(scores.shape, dtype=torch.bool)
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0)
        return weights @ values, weights
