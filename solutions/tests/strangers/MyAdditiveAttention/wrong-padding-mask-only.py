# source: a learner whose masks were always (batch, src_len)
# mistake: the mask gets an axis that it has already, so (batch, tgt_len, src_len) does not fit
class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        scores = self.v(torch.tanh(self.W_query(query)[:, :, None] + self.W_key(keys)[:, None]))[..., 0]
        if mask is not None:
            mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights * mask
        return torch.bmm(weights, values), weights
