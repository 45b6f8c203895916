# source: written from the task's text, 2026-11
# mistake: a document's number is compared with >= as if the numbers grew, so that later documents read earlier ones with smaller numbers
import torch

def packed_mask(documents):
    n = documents.shape[1]
    causal = torch.tril(torch.ones(n, n, dtype=torch.bool))
    real = documents > 0
    same = documents[:, :, None] == documents[:, None, :]
    allowed = (documents[:, :, None] >= documents[:, None, :]) & real[:, :, None] & real[:, None, :]
    mask = (allowed & causal) | torch.eye(n, dtype=torch.bool)
    positions = ((same & causal).sum(-1) - 1) * real
    return mask, positions
