# source: a learner who scales the query and the scores
# mistake: the query is divided by the root of the width, and the scores once more
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k).unsqueeze(1)], dim=1)
    values = torch.cat([past_values, (x @ w_v).unsqueeze(1)], dim=1)
    query = (x @ w_q).unsqueeze(1) / keys.shape[-1] ** 0.5
    context = torch.nn.functional.scaled_dot_product_attention(query, keys, values)
    return context.squeeze(1), keys, values
