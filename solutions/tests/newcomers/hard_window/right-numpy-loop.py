# source: written from the task's text, 2026-11
import numpy as np
import torch

def hard_window(lengths, tgt_len, src_len, half_width):
    out = np.zeros((len(lengths), tgt_len, src_len), dtype=bool)
    for b, n in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            c = min(t, max(n - 1, 0))
            out[b, t, max(0, c - half_width):min(n, c + half_width + 1)] = True
    return torch.from_numpy(out)
