"""Right answers, written in other ways."""

import torch


def both_lines_mended(scores):
    weights = scores.softmax(dim=1)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights


def by_the_formula(scores):
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def turned_twice(scores):
    return scores.T.softmax(0).T


def row_by_row(scores):
    return torch.stack([torch.softmax(row.double(), 0) for row in scores])
