"""Right answers, written in other ways."""

import torch


def in_loops(weights, source, target):
    rows, links = [], []
    for step, word in enumerate(target[1:]):
        if word in ("<eos>", "<pad>"):
            continue
        row = [weights[step, place] for place in range(len(source)) if _is_word(source[place])]
        rows.append(torch.stack(row))
        links.append(torch.arange(len(row)) == rows[-1].argmax())
    return torch.stack(rows), torch.stack(links)


def _is_word(text):
    return text == "<unk>" or not text.startswith("<")


def with_masks(weights, source, target):
    columns = torch.tensor([_is_word(word) for word in source])
    rows = torch.tensor([_is_word(word) for word in target[1:]])
    trimmed = weights[rows][:, columns]
    links = torch.zeros_like(trimmed, dtype=torch.bool)
    links[torch.arange(len(trimmed)), trimmed.argmax(1)] = True
    return trimmed, links


def as_slices(weights, source, target):
    first = 1 if source[0] == "<sos>" else 0
    words = [word for word in source if word not in ("<sos>", "<eos>", "<pad>")]
    trimmed = weights[: target.index("<eos>") - 1, first : first + len(words)]
    return trimmed, trimmed == trimmed.max(dim=-1, keepdim=True).values


def with_one_hot(weights, source, target):
    places = [n for n in range(len(source)) if _is_word(source[n])]
    steps = [n for n in range(len(target) - 1) if _is_word(target[n + 1])]
    trimmed = weights.index_select(1, torch.tensor(places))[steps]
    return trimmed, torch.nn.functional.one_hot(trimmed.argmax(-1), len(places)).bool()
