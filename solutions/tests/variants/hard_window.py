"""Right answers, written in other ways."""

import torch

from utils.masks import padding_mask, window_mask


def in_loops(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = min(t, length - 1)
            for j in range(length):
                mask[b, t, j] = abs(j - centre) <= half_width
    return mask


def from_the_course(lengths, tgt_len, src_len, half_width):
    centres = torch.minimum(torch.arange(tgt_len), (lengths[:, None] - 1).clamp(min=0))
    return window_mask(centres, src_len, half_width) & padding_mask(lengths, src_len)


def by_slices(lengths, tgt_len, src_len, half_width):
    mask = torch.full((len(lengths), tgt_len, src_len), False)
    for sentence, length in zip(mask, lengths.tolist(), strict=True):
        for t, row in enumerate(sentence):
            centre = min(t, length - 1)
            row[max(0, centre - half_width) : min(length, centre + half_width + 1)] = True
    return mask


def by_bounds(lengths, tgt_len, src_len, half_width):
    place = torch.arange(src_len).view(1, 1, -1)
    last = lengths.view(-1, 1, 1) - 1
    centre = torch.where(torch.arange(tgt_len).view(1, -1, 1) < last, 0, last)
    centre = torch.where(
        torch.arange(tgt_len).view(1, -1, 1) < last, torch.arange(tgt_len).view(1, -1, 1), centre
    )
    return (place >= centre - half_width) & (place <= centre + half_width) & (place <= last)
