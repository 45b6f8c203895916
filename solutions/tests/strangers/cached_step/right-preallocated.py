# source: an inference engineer: allocate, copy, write the last row
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    b, n, _ = past_keys.shape
    keys = past_keys.new_empty(b, n + 1, w_k.shape[1])
    values = past_values.new_empty(b, n + 1, w_v.shape[1])
    keys[:, :n], keys[:, n] = past_keys, x @ w_k
    values[:, :n], values[:, n] = past_values, x @ w_v
    scores = (keys @ (x @ w_q).unsqueeze(-1)).squeeze(-1) / w_q.shape[1] ** 0.5
    context = (scores.softmax(-1).unsqueeze(-1) * values).sum(dim=1)
    return context, keys, values
