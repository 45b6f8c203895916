# source: nn.Linear as it comes
# mistake: the layers have biases
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim)
        self.W_key = nn.Linear(key_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        scores = self.v(torch.tanh(self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1))).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1).nan_to_num()
        return weights @ values, weights
