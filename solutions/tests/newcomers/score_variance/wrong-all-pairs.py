# source: written from the task's text, 2026-11
# mistake: every query is scored against every key, not row against row
import torch

def score_variance(queries, keys, widths):
    plain = torch.stack([(queries[:, :d] @ keys[:, :d].T).var(correction=0) for d in widths])
    scaled = plain / torch.tensor(widths)
    return plain, scaled
