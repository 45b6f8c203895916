# source: written from the task's text, 2026-11
# mistake: the scores come out (batch, src_len, tgt_len) and are reshaped, not transposed, to the wanted shape
import torch

def additive_scores(query, keys, W_query, W_key, v):
    q = torch.einsum("btd,ad->bta", query, W_query)
    k = torch.einsum("bsd,ad->bsa", keys, W_key)
    pairs = torch.tanh(k[:, :, None, :] + q[:, None, :, :])
    e = pairs @ v
    return e.reshape(query.shape[0], query.shape[1], keys.shape[1])
