# source: written from the task's text, 2026-11
import math
import torch
from utils.masks import masked_softmax

def both_ways(left, right, left_mask, right_mask):
    scores = torch.einsum("bld,brd->blr", left, right) / math.sqrt(right.shape[-1])
    forth = masked_softmax(scores, right_mask[:, None, :], dim=2)
    back = masked_softmax(scores, left_mask[:, :, None], dim=1)
    left_reads = torch.einsum("blr,brd->bld", forth, right)
    right_reads = torch.einsum("blr,bld->brd", back, left)
    return left_reads, right_reads, forth, back.permute(0, 2, 1)
