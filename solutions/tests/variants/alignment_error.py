"""Right answers, written in other ways."""

import torch


def in_sets(predicted, sure, possible):
    a, s, p = (
        {tuple(one) for one in links.nonzero().tolist()} for links in (predicted, sure, possible)
    )
    return torch.tensor(1 - (len(a & s) + len(a & (s | p))) / (len(a) + len(s)))


def as_numbers(predicted, sure, possible):
    a, s, p = (links.double() for links in (predicted, sure, possible))
    right = (a * s).sum() + (a * torch.maximum(s, p)).sum()
    return 1 - right / (a.sum() + s.sum())


def sentence_by_sentence(predicted, sure, possible):
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right += (a & s).sum() + (a & (p | s)).sum()
        total += a.sum() + s.sum()
    return 1 - right / total


def errors_counted(predicted, sure, possible):
    wrong = (predicted & ~possible & ~sure).sum() + (sure & ~predicted).sum()
    return wrong / (predicted.sum() + sure.sum())


def by_index(predicted, sure, possible):
    made = torch.logical_or(possible, sure)[predicted].sum() + sure[predicted].sum()
    return 1.0 - made / (torch.count_nonzero(predicted) + torch.count_nonzero(sure))
