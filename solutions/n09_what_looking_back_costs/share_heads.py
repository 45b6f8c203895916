"""Keys for every query head."""

import torch

from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, kv_heads, length, width, heads):
        return Case(label, {"keys": draw.numbers(batch, kv_heads, length, width), "heads": heads})

    return [
        case("two KV heads for four", 2, 2, 3, 4, 4),
        case("two KV heads for six", 1, 2, 4, 3, 6),
        case("one for all", 2, 1, 3, 2, 4),
        case("each its own", 1, 3, 2, 2, 3),
        case("four for eight, of which all sizes are equal", 4, 4, 4, 4, 8),
    ]


def by_index(keys, heads):
    group = heads // keys.shape[1]
    return keys[:, torch.arange(heads) // group]


def pretended(keys, heads):
    batch, kv_heads, length, width = keys.shape
    copies = keys.unsqueeze(2).expand(-1, -1, heads // kv_heads, -1, -1)
    return copies.reshape(batch, heads, length, width)


def one_after_the_other(keys, heads):
    group, found = heads // keys.size(1), []
    for head in range(heads):
        found.append(keys[:, head // group])
    return torch.stack(found, dim=1)


def _tiled(keys, heads):
    return keys.repeat(1, heads // keys.shape[1], 1, 1)


def _along_the_words(keys, heads):
    return keys.repeat_interleave(heads // keys.shape[1], dim=2)


def _the_first_for_all(keys, heads):
    return keys[:, :1].expand(-1, heads, -1, -1)


def _mean(keys, heads):
    return keys.mean(1, keepdim=True).expand(-1, heads, -1, -1)


exercise = YourTurn(
    id="share_heads",
    title="Heads that share keys",
    section="09.3",
    outputs=["shared"],
    cases=cases,
    mistakes={
        "the whole row again": WrongAnswer(
            _tiled,
            "You write the key heads one after the other and then all of them again. With two KV "
            "heads for four, query head 1 gets the second; it should share the first with query "
            "head 0.",
            "What is the difference between `repeat` and `repeat_interleave`?",
            misconception="parts-in-any-order",
        ),
        "words repeated": WrongAnswer(
            _along_the_words,
            "You repeat words, not heads: the result has more words than came in.",
            "Which axis of (batch, kv_heads, len, width) counts the heads?",
            misconception="axes-anywhere",
        ),
        "the first for all": WrongAnswer(
            _the_first_for_all,
            "All query heads get the first KV head. The others are kept for nothing.",
            "With two KV heads and four query heads, who should use the second one?",
            misconception="one-for-all",
        ),
        "the mean of the heads": WrongAnswer(
            _mean,
            "All query heads get the mean of the key heads. Each group has a head of its own.",
            "Does anything have to be computed, or only handed to the right head?",
            misconception="averages-anywhere",
        ),
        "as many copies as query heads": WrongAnswer(
            lambda keys, heads: keys.repeat_interleave(heads, dim=1),
            "You copy each KV head once for every query head, too many once there are two KV "
            "heads. A KV head is copied only for its own group, `heads / kv_heads` times.",
            "Two KV heads, four query heads: how many query heads share one KV head?",
            misconception="sizes-always-equal",
            also={"in turn": lambda keys, heads: keys.repeat(1, heads, 1, 1)},
        ),
    },
    variants=[by_index, pretended, one_after_the_other],
)
