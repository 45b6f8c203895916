# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

def both_scores(query, keys, W, W_joined, v):
    B, T, dq = query.shape
    S = keys.size(1)
    general = torch.bmm(F.linear(query, W.t()), keys.transpose(1, 2))
    q = query.repeat_interleave(S, dim=1)
    k = keys.repeat(1, T, 1)
    hidden = torch.tanh(F.linear(torch.cat((q, k), dim=2), W_joined))
    concat = hidden.matmul(v).reshape(B, T, S)
    return general, concat
