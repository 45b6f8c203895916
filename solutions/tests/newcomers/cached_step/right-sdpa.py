# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    new = x.unsqueeze(1)
    keys = torch.cat((past_keys, new @ w_k), dim=1)
    values = torch.cat((past_values, new @ w_v), dim=1)
    context = F.scaled_dot_product_attention(new @ w_q, keys, values).squeeze(1)
    return context, keys, values
