# source: written from the task's text, 2026-11
# mistake: the gain multiplies the scores; for general that is the same, for concat it is not
import torch

def compare_scores(query, keys, W, W_joined, v, gains):
    t, s = query.shape[1], keys.shape[1]
    general = query @ W @ keys.mT
    pairs = torch.cat([query[:, :, None].expand(-1, -1, s, -1), keys[:, None].expand(-1, t, -1, -1)], -1)
    concat = torch.tanh(pairs @ W_joined.T) @ v
    rows = []
    for scores in (general, concat):
        rows.append(torch.stack([(g * scores).softmax(-1).max(-1).values.mean() for g in gains]))
    return torch.stack(rows)
