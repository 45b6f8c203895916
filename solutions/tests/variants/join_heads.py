"""Right answers, written in other ways."""

import torch


def contiguous_view(x):
    batch, heads, length, width = x.shape
    return x.transpose(1, 2).contiguous().view(batch, length, heads * width)


def end_to_end(tensor):
    return torch.cat(list(tensor.unbind(1)), dim=-1)


def word_by_word(tensor):
    return torch.stack([tensor[:, :, place].flatten(1) for place in range(tensor.shape[2])], 1)


def in_float64(tensor):
    return torch.einsum("bhlw->blhw", tensor.double()).reshape(len(tensor), tensor.shape[2], -1)
