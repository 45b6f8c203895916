# source: a decoder person: a step for each target word, then a stack
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        if values is None:
            values = keys
        projected = self.W_key(keys)
        columns = [
            self.v(torch.tanh(projected + self.W_query(q).unsqueeze(1))).squeeze(-1)
            for q in query.unbind(1)
        ]
        scores = torch.stack(columns, dim=1)
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        top = torch.where(mask, scores, -torch.inf).amax(-1, keepdim=True) if keys.shape[1] else 0
        safe = torch.where(mask.expand_as(scores), scores - torch.nan_to_num(torch.as_tensor(top), neginf=0.0), 0.0)
        e = safe.exp() * mask
        weights = e / e.sum(-1, keepdim=True).clamp(min=1e-30)
        return torch.einsum("bts,bsv->btv", weights, values), weights
