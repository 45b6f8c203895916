"""A temperature for each query."""

import math

import torch

from solutions.cases import doubled, query_keys_values
from solutions.specification import NO_ORDER, Draw, Exercise, Misconception
from utils.attention import ScaledDotProductAttention
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, inputs):
        batch, tgt_len, _ = inputs["query"].shape
        heat = (draw.whole(30, 400, batch, tgt_len) / 100).to(inputs["query"].dtype)
        return Case(label, inputs | {"temperature": heat})

    turned = query_keys_values(draw, 2, 3, 5, 4, 2)
    turned["keys"] = draw.numbers(2, 4, 5).mT  # (2, 5, 4)
    far = doubled(query_keys_values(draw, 2, 3, 4, 2, 3))
    far["query"] = far["query"].sign() * 1000
    return [
        case("two sentences of three queries", query_keys_values(draw, 2, 3, 5, 4, 6)),
        case("as many queries as keys", query_keys_values(draw, 3, 4, 4, 6, 2)),
        case("one sentence, one query", query_keys_values(draw, 1, 1, 4, 3, 2)),
        case("one key only", query_keys_values(draw, 2, 3, 1, 2, 4)),
        case("scores in the thousands", far),
        case("keys that are a transposed view", turned),
        case("float64", doubled(query_keys_values(draw, 2, 4, 3, 8, 5))),
    ]


def _tempered(scale, late=lambda weights, heat: weights):
    """Attention whose scale is made of the width and of temperatures (batch, tgt_len, 1)."""

    def attend(query, keys, values, temperature):
        heat = temperature[..., None]
        weights = late((query @ keys.mT / scale(query.shape[-1], heat)).softmax(-1), heat)
        return weights @ values, weights

    return attend


# --- Right answers in other styles ----------------------------------------------------------------


def queries_first(q, k, v, tau):
    alpha = torch.softmax((q / tau[..., None]) @ k.transpose(1, 2) / math.sqrt(q.size(2)), dim=2)
    return torch.bmm(alpha, v), alpha


def with_einsum(query, keys, values, temperature):
    scores = torch.einsum("btd,bsd,bt->bts", query, keys, 1 / temperature)
    weights = (scores / keys.shape[2] ** 0.5).softmax(-1)
    return torch.einsum("bts,bsv->btv", weights, values), weights


def query_by_query(query, keys, values, temperature):
    module = ScaledDotProductAttention(query.shape[-1])
    pairs = [
        module(query[:, t] / temperature[:, t : t + 1], keys, values) for t in range(query.shape[1])
    ]
    return tuple(torch.stack(parts, dim=1) for parts in zip(*pairs, strict=True))


def in_float64(query, keys, values, temperature):
    scores = query.double() @ keys.double().mT
    scores = scores / torch.sqrt(keys.shape[-1] * temperature.double() ** 2).unsqueeze(2)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ values.double(), weights


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="tempered_attention",
    title="A temperature for each query",
    points=2,
    difficulty=2,
    minutes=5,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
    equivalents={
        "scale = temperature.unsqueeze(-1) * math.sqrt(keys.shape[-1])": NO_ORDER,
    },
    hints=[
        "What do the two knobs do to the scores, and does it matter which of them is turned first?",
        "The scores are (batch, tgt_len, src_len), the temperatures (batch, tgt_len). Line the "
        "shapes up at the right: which axis do the temperatures lack?",
        "Give the temperatures a last axis of size 1 with `.unsqueeze`, multiply by the root of "
        "the keys' width, and divide the scores by that, before the softmax.",
    ],
    misconceptions=[
        Misconception(
            "multiplied by the temperature",
            _tempered(lambda width, heat: width**0.5 / heat),
            "Your rows get sharper where the temperature rises: the scores are multiplied by it.",
            "Hot means equal shares. What must happen to the differences between scores?",
            kind="temperature-upside-down",
        ),
        Misconception(
            "under the root",
            _tempered(lambda width, heat: (width * heat) ** 0.5),
            "The temperature slipped under the root with d, so it acts only by its own root.",
            "At d = 1, what should temperature 4 divide the scores by?",
            kind="steps-in-any-order",
        ),
        Misconception(
            "temperature for scale",
            _tempered(lambda width, heat: heat),
            "You divide by the temperature alone. It stands *beside* the scale √d, and does not "
            "replace it: at temperature 1 all should be as without one.",
            "What should your function give for temperatures of 1?",
            kind="no-scale",
        ),
        Misconception(
            "scale alone",
            _tempered(lambda width, heat: width**0.5),
            "The temperature changes nothing in your weights.",
            "Call your function with temperatures of 1 and of 100. What should differ?",
            kind="input-unused",
        ),
        Misconception(
            "added",
            _tempered(lambda width, heat: width**0.5 + heat),
            "You add the temperature to √d. Then even temperature 1 changes the weights.",
            "Two divisions one after the other: what single number do they divide by?",
            kind="steps-in-any-order",
        ),
        Misconception(
            "divided by d",
            _tempered(lambda width, heat: width * heat),
            "You divide by the temperature and by d. The scale is the *root* of d.",
            "What stands below the line in the formula?",
            kind="scale-by-width",
        ),
        Misconception(
            "after the softmax",
            _tempered(lambda width, heat: width**0.5, late=lambda weights, heat: weights / heat),
            "You divide the weights, after the softmax. So they no longer sum to 1, and their "
            "ratios stay what they were.",
            "On which side of the softmax do differences become ratios?",
            kind="steps-in-any-order",
        ),
        Misconception(
            "one for all",
            _tempered(lambda width, heat: width**0.5 * heat.mean()),
            "All your queries have the same temperature, the mean of all. Each has one of its own.",
            "What happens to one row of weights when the temperature of *another* query changes?",
            kind="one-for-all",
        ),
        Misconception(
            "that of the first sentence",
            _tempered(lambda width, heat: width**0.5 * heat[0]),
            "All your sentences use the temperatures of the first one.",
            "How many temperatures are there in a batch of two sentences with three queries each?",
            kind="one-for-all",
        ),
        Misconception(
            "on both sides",
            _tempered(lambda width, heat: width**0.5 * heat**2),
            "The temperature acts twice in your scores: they are divided by its square. Did you "
            "divide the queries and the keys, or queries and scores?",
            "By how much shrinks a product when both its factors are halved?",
            kind="steps-in-any-order",
        ),
    ],
    variants=[queries_first, with_einsum, query_by_query, in_float64],
)
