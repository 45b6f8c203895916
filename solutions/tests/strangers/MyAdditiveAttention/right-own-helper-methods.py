# source: an object-oriented learner: small methods
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)

    def scores(self, query, keys):
        q, k = self.W_query(query), self.W_key(keys)
        return self.v(torch.tanh(q[:, :, None] + k[:, None])).squeeze(-1)

    def normalise(self, scores, mask):
        if mask is None:
            return scores.softmax(-1)
        mask = torch.broadcast_to(mask, scores.shape)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        return scores.softmax(-1).masked_fill(~mask, 0)

    def forward(self, query, keys, values=None, mask=None):
        weights = self.normalise(self.scores(query, keys), mask)
        return weights.matmul(keys if values is None else values), weights
