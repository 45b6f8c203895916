# source: a language model: the fused function
import torch.nn.functional as F

def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k)[:, None]], 1)
    values = torch.cat([past_values, (x @ w_v)[:, None]], 1)
    context = F.scaled_dot_product_attention((x @ w_q)[:, None], keys, values)
    return context[:, 0], keys, values
