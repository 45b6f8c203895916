# source: a Luong-tutorial person: fill with -1e9 and be done
# mistake: rows that are masked whole come out with equal shares instead of zeros
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        hidden = self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1)
        scores = self.v(hidden.tanh()).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -1e9)
        weights = torch.softmax(scores, dim=-1)
        return weights @ (keys if values is None else values), weights
