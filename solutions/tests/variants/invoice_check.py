"""Right answers, written in other ways."""

import re

import torch


def _english(word):
    return float(word.replace(",", "")) if re.fullmatch(r"[\d.,]+", word) and word != "," else None


def _french(word):
    if not word[0].isdigit():
        return None
    return float(word.replace(".", "").replace(",", "."))


def in_loops(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights, target, strict=True):
        value = _french(word)
        place = int(row.argmax())
        wrong.append(value is not None and _english(source[place]) != value)
        unsure.append(value is not None and row[place].item() < least)
    return torch.tensor(wrong), torch.tensor(unsure)


def marks_set_one_by_one(alphas, english, french, limit):
    wrong = torch.zeros(len(french), dtype=torch.bool)
    unsure = torch.zeros(len(french), dtype=torch.bool)
    for i in range(len(french)):
        if _french(french[i]) is None:
            continue
        largest, j = alphas[i].max(dim=0)
        wrong[i] = _english(english[j]) != _french(french[i])
        unsure[i] = bool(largest < limit)
    return wrong, unsure


def with_nan(weights, source, target, least):
    nan = float("nan")
    values = [_english(word) for word in source]
    values = torch.tensor([nan if v is None else v for v in values], dtype=torch.double)
    sought = [_french(word) for word in target]
    sought = torch.tensor([nan if v is None else v for v in sought], dtype=torch.double)
    figures = ~sought.isnan()
    return figures & (values[weights.argmax(1)] != sought), figures & ~(weights.max(1)[0] >= least)


def as_a_list(weights, source, target, least):
    marks = []
    for word, best, share in zip(target, weights.argmax(-1), weights.amax(-1), strict=True):
        value = _french(word)
        bad = value is not None and value != _english(source[best])
        marks.append([bad, value is not None and bool(share < least)])
    return list(torch.tensor(marks).unbind(1))
