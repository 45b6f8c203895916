# source: Dive into Deep Learning's AdditiveAttention (code: MIT-0), adapted to the names of the task
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        if values is None:
            values = keys
        queries, projected = self.W_query(query), self.W_key(keys)
        features = torch.tanh(queries.unsqueeze(2) + projected.unsqueeze(1))
        scores = self.v(features).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
        return torch.bmm(weights, values), weights
