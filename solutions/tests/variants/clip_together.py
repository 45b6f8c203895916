"""Right answers, written in other ways."""

import torch


def one_long_vector(of_keys, of_queries, limit):
    length = torch.cat([of_keys.flatten(), of_queries.flatten()]).norm()
    if length <= limit:
        return of_keys.clone(), of_queries.clone(), length
    return of_keys * (limit / length), of_queries * (limit / length), length


def norm_of_norms(first, second, limit):
    length = torch.stack([first.norm(), second.norm()]).norm()
    factor = limit / torch.clamp(length, min=limit)
    return [first * factor, second * factor, length]


def by_hypot(a, b, most):
    length = torch.hypot(torch.linalg.vector_norm(a), torch.linalg.vector_norm(b))
    shrink = torch.where(length > most, most / length.clamp(min=1e-12), torch.ones_like(length))
    return a * shrink, b * shrink, length


def in_float64(of_keys, of_queries, limit):
    return norm_of_norms(of_keys.double(), of_queries.double(), limit)
