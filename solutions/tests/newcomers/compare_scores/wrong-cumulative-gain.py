# source: written from the task's text, 2026-11
# mistake: the query is multiplied in place of a new name, so the gains pile up from column to column
import torch

def compare_scores(query, keys, W, W_joined, v, gains):
    t, s = query.shape[1], keys.shape[1]
    table = torch.zeros(2, len(gains))
    for i, gain in enumerate(gains):
        query = query * gain
        general = query @ W @ keys.mT
        pairs = torch.cat([query[:, :, None].expand(-1, -1, s, -1), keys[:, None].expand(-1, t, -1, -1)], -1)
        concat = torch.tanh(pairs @ W_joined.T) @ v
        table[0, i] = general.softmax(-1).amax(-1).mean()
        table[1, i] = concat.softmax(-1).amax(-1).mean()
    return table
