# source: a language model: one-hot rows by index
import torch.nn.functional as F

def four_patterns(length):
    idx = torch.arange(length)
    itself = F.one_hot(idx, length).float()
    before = F.one_hot((idx - 1).clamp(min=0), length).float()
    ends = (itself[0] + itself[-1]).expand(length, length) / 2
    so_far = itself.cumsum(0)
    so_far = so_far / so_far.sum(-1, keepdim=True)
    return itself, before, ends, so_far
