# source: written from the task's text, 2026-11
# mistake: infinite scores are turned into finite ones by nan_to_num before the softmax, so empty rows come out uniform
import torch

def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    bias = torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(scores + bias).softmax(-1)
    context = torch.bmm(weights, values)
    return context, weights
