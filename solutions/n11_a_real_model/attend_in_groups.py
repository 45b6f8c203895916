"""Causal attention of grouped heads, behind a cache."""

import torch
import torch.nn.functional as F

from solutions.cases import one_silent
from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case
from utils.masks import causal_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, heads, kv_heads, new, before, width):
        every = before + new
        inputs = {
            "queries": draw.numbers(batch, heads, new, width),
            "keys": draw.numbers(batch, kv_heads, every, width),
            "values": draw.numbers(batch, kv_heads, every, width),
            "mask": causal_mask(every)[before:],
        }
        return Case(label, inputs)

    silent = case("six heads, two with keys, two texts, a key of zeros", 2, 6, 2, 3, 2, 4)
    silent.inputs["keys"] = one_silent(silent.inputs["keys"])
    return [
        case("four heads, two with keys", 1, 4, 2, 3, 0, 4),
        silent,
        case("one new token after four", 1, 4, 2, 1, 4, 6),
        case("each head its own keys", 2, 3, 3, 4, 0, 2),
        case("one head with keys for all", 1, 4, 1, 4, 1, 2),
        case("all sizes are equal", 4, 8, 4, 4, 0, 4),
    ]


def fused(queries, keys, values, mask):
    return F.scaled_dot_product_attention(queries, keys, values, mask, enable_gqa=True)


def in_groups(queries, keys, values, mask):
    grouped = queries.unflatten(1, (keys.shape[1], -1))  # (batch, kv_heads, group, new, width)
    scores = grouped @ keys.unsqueeze(2).mT / keys.shape[-1] ** 0.5
    weights = torch.where(mask, scores, -torch.inf).softmax(-1)
    return (weights @ values.unsqueeze(2)).flatten(1, 2)


def head_by_head(queries, keys, values, mask):
    group, contexts = queries.shape[1] // keys.shape[1], []
    for head in range(queries.shape[1]):
        k, v = keys[:, head // group], values[:, head // group]
        scores = torch.einsum("btd,bsd->bts", queries[:, head], k) / k.size(-1) ** 0.5
        weights = scores.masked_fill(mask.logical_not(), float("-inf")).softmax(dim=2)
        contexts.append(torch.einsum("bts,bsd->btd", weights, v))
    return torch.stack(contexts, dim=1)


def _attend(
    share=lambda kept, group: kept.repeat_interleave(group, dim=1),
    scale=lambda heads, width: width**-0.5,
    hide=lambda scores, mask: scores.masked_fill(~mask, -torch.inf),
    axis=-1,
    read=lambda keys, values: values,
    after=lambda weights, mask: weights,
):
    """Return an answer, right unless one of its steps is replaced."""

    def attend_in_groups(queries, keys, values, mask):
        heads, width = queries.shape[1], queries.shape[-1]
        group = heads // keys.shape[1]
        scores = queries @ share(keys, group).mT * scale(heads, width)
        weights = after(hide(scores, mask).softmax(axis), mask)
        return weights @ share(read(keys, values), group)

    return attend_in_groups


exercise = YourTurn(
    id="attend_in_groups",
    title="Attention of grouped heads",
    section="11.3",
    outputs=["contexts"],
    cases=cases,
    mistakes={
        "dealt out by repeat": WrongAnswer(
            _attend(share=lambda kept, group: kept.repeat(1, group, 1, 1)),
            "You deal the key heads out one after the other and then all of them again. Query "
            "heads that are neighbours share one.",
            "What is the difference between `repeat` and `repeat_interleave`?",
            misconception="parts-in-any-order",
        ),
        "the first for all": WrongAnswer(
            _attend(share=lambda kept, group: kept[:, :1]),
            "All query heads read the first KV head. Each group has its own.",
            "Which query heads share the second KV head?",
            misconception="one-for-all",
        ),
        "not scaled": WrongAnswer(
            _attend(scale=lambda heads, width: 1.0),
            "Your scores are not divided by the root of the width of a head.",
            "What makes the softmax of wide vectors too sharp?",
            misconception="no-scale",
        ),
        "scaled by the width": WrongAnswer(
            _attend(scale=lambda heads, width: 1 / width),
            "You divide the scores by the width of a head, and not by its root.",
            "Why the root?",
            misconception="scale-by-width",
        ),
        "multiplied by the root": WrongAnswer(
            _attend(scale=lambda heads, width: width**0.5),
            "You multiply the scores by the root of the width. They are divided by it.",
            "Should the scores of wide vectors become larger or smaller?",
            misconception="opposite",
        ),
        "scaled by all heads": WrongAnswer(
            _attend(scale=lambda heads, width: (heads * width) ** -0.5),
            "You divide by the root of the width of all heads together. A score adds up the "
            "products of one head.",
            "How many products are added up in one score?",
            misconception="wrong-width",
        ),
        "no mask": WrongAnswer(
            _attend(hide=lambda scores, mask: scores),
            "Your tokens look at all places, those behind them included: the mask has no effect.",
            "Which places is the first of three new tokens to see?",
            misconception="future-open",
        ),
        "masked with 0": WrongAnswer(
            _attend(hide=lambda scores, mask: scores * mask),
            "Your closed scores are 0, or almost, and a score of 0 gets its share from the "
            "softmax.",
            "What is the exponential of 0? Which score has an exponential of 0?",
            misconception="mask-as-number",
        ),
        "mask added": WrongAnswer(
            _attend(hide=lambda scores, mask: scores + mask),
            "You add the mask to the scores as a number: it puts open ones ahead of closed ones "
            "by 1, and hides nothing.",
            "What is 0.5 + True?",
            misconception="mask-as-number",
        ),
        "masked after the softmax": WrongAnswer(
            _attend(hide=lambda scores, mask: scores, after=lambda weights, mask: weights * mask),
            "You mask the weights, behind the softmax. Closed places have had their share by "
            "then, and what is left of such a row does not sum to 1.",
            "What does a row of your weights sum to?",
            misconception="mask-after-softmax",
        ),
        "across the queries": WrongAnswer(
            _attend(axis=-2, hide=lambda scores, mask: scores.masked_fill(~mask, -1e4)),
            "Your softmax runs along the queries: it makes each column sum to 1, not each row.",
            "Who shares out one whole attention, a query or a key?",
            misconception="softmax-over-queries",
        ),
        "keys summed": WrongAnswer(
            _attend(read=lambda keys, values: keys),
            "You sum up keys. What a token hands over is its value.",
            "What are keys for, and what are values for?",
            misconception="keys-handed-out",
        ),
    },
    variants=[fused, in_groups, head_by_head],
)
