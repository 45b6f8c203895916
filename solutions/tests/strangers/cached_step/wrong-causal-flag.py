# source: a practitioner who passes is_causal=True since it is causal
# mistake: is_causal aligns the mask at the upper left, so the one query sees the first key only
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k).unsqueeze(1)], dim=1)
    values = torch.cat([past_values, (x @ w_v).unsqueeze(1)], dim=1)
    query = (x @ w_q).unsqueeze(1)
    context = torch.nn.functional.scaled_dot_product_attention(query, keys, values, is_causal=True)
    return context.squeeze(1), keys, values
