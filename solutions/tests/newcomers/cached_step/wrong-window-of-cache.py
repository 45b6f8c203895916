# source: written from the task's text, 2026-11
# mistake: the oldest word is thrown out of the cache when it has any, so its length stays
import torch

def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    all_keys = torch.cat([past_keys, (x @ w_k)[:, None]], 1)
    all_values = torch.cat([past_values, (x @ w_v)[:, None]], 1)
    scores = (all_keys @ (x @ w_q)[:, :, None]).squeeze(2) / w_k.shape[1] ** 0.5
    context = (scores.softmax(1)[:, None] @ all_values).squeeze(1)
    written = max(past_keys.shape[1], 1)
    return context, all_keys[:, -written:], all_values[:, -written:]
