# source: written from the task's text, 2026-11
# mistake: back is forth turned on its side
import torch
from utils.masks import masked_softmax

def both_ways(left, right, left_mask, right_mask):
    scores = torch.einsum("bld,brd->blr", left, right) / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, right_mask.unsqueeze(1))
    back = forth.transpose(1, 2) * left_mask.unsqueeze(1)
    left_reads = forth @ right
    right_reads = back @ left
    return left_reads, right_reads, forth, back
