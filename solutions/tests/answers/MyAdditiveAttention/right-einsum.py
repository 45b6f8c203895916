# source: einsum, and a mask by where
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        pairs = (self.W_query(query)[:, :, None] + self.W_key(keys)[:, None]).tanh()
        scores = torch.einsum("btsa,a->bts", pairs, self.v.weight[0])
        mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
        weights = torch.where(mask, scores, -torch.inf).softmax(-1)
        weights = torch.where(mask, weights, 0.0)
        return torch.einsum("bts,bsd->btd", weights, values), weights
