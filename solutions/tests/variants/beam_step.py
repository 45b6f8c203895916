"""Right answers, written in other ways."""

import torch


def in_loops(scores, log_probs, finished):
    candidates = []
    for parent in range(len(scores)):
        if finished[parent]:
            candidates.append((scores[parent], parent, 3))
        else:
            candidates += [
                (scores[parent] + one, parent, word) for word, one in enumerate(log_probs[parent])
            ]
    candidates.sort(key=lambda candidate: candidate[0].item(), reverse=True)
    best, parents, words = zip(*candidates[: len(scores)], strict=True)
    return torch.stack(best), torch.tensor(parents), torch.tensor(words)


def masked(scores, log_probs, finished):
    is_end = torch.arange(log_probs.shape[1]) == 3
    news = log_probs.masked_fill(finished[:, None], -torch.inf)
    news = news.masked_fill(finished[:, None] & is_end, 0.0)
    order = (scores[:, None] + news).reshape(-1).sort(descending=True)
    places = order.indices[: len(scores)]
    parents = torch.div(places, log_probs.shape[1], rounding_mode="floor")
    return order.values[: len(scores)], parents, places.remainder(log_probs.shape[1])


def best_of_each_first(scores, log_probs, finished):
    """No hypothesis can have more than `beam` of the best."""
    beam = len(scores)
    news = log_probs.clone()
    news[finished] = -torch.inf
    news[finished, 3] = 0.0
    totals, words = (news + scores.unsqueeze(-1)).topk(beam, dim=1)
    best, places = totals.flatten().topk(beam)
    return best, places.div(beam, rounding_mode="trunc"), words.flatten()[places]


def indices_unravelled(old, news, ended):
    news = torch.where(ended[:, None], torch.full_like(news, float("-inf")), news)
    news = news.index_put(
        (ended.nonzero()[:, 0], torch.tensor(3)), torch.zeros((), dtype=news.dtype)
    )
    totals = old[:, None] + news
    order = totals.flatten().argsort(descending=True)[: len(old)]
    parents, words = torch.unravel_index(order, totals.shape)
    return totals[parents, words], parents, words
