"""Right answers, written in other ways."""

import torch


def in_loops(weights):
    best = []
    for row in weights.tolist():
        best.append(row.index(max(row)))
    return torch.tensor(best), torch.tensor([j not in best for j in range(weights.shape[1])])


def by_max(alignment):
    places = alignment.max(dim=1).indices
    return places, torch.bincount(places, minlength=alignment.shape[1]) == 0


def by_isin(weights):
    best = torch.topk(weights, 1).indices.squeeze(-1)
    return best, ~torch.isin(torch.arange(weights.size(1)), best)


def by_one_hot(weights):
    best = weights.sort(dim=-1, descending=True).indices[:, 0].int()
    picked = torch.nn.functional.one_hot(best.long(), weights.shape[-1])
    return best, picked.sum(0).eq(0)
