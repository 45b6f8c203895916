# source: written from the task's text, 2026-11
# mistake: it is the start of the window that is clamped to the sentence, not its centre, so the last windows keep full width
import torch

def hard_window(lengths, tgt_len, src_len, half_width):
    t = torch.arange(tgt_len).view(1, -1, 1)
    j = torch.arange(src_len).view(1, 1, -1)
    n = lengths.view(-1, 1, 1)
    start = torch.minimum(t - half_width, (n - 1 - 2 * half_width).clamp(min=0))
    return (j >= start) & (j <= start + 2 * half_width) & (j < n)
