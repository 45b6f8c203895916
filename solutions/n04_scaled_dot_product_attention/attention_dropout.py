"""Dropout, with the dice thrown."""

import torch

from solutions.cases import as_view, one_row_shut, random_mask
from solutions.specification import NO_ORDER, Draw, Exercise, Misconception
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, weights, value_dim, p, training=True, keep=None):
        if keep is None:
            keep = random_mask(draw, *weights.shape)
        values = draw.numbers(*weights.shape[:-2], weights.shape[-1], value_dim).to(weights)
        inputs = {"weights": weights, "values": values, "keep": keep, "p": p, "training": training}
        return Case(label, inputs)

    lost = one_row_shut(random_mask(draw, 2, 3, 4))
    return [
        case("training, p = 0.2", draw.shares(2, 3, 4), 5, 0.2),
        case("training, p = 0.75", draw.shares(3, 2, 5), 4, 0.75),
        case("evaluation, p = 0.2", draw.shares(2, 3, 4), 2, 0.2, training=False),
        case("a row that loses everything, p = 0.5", draw.shares(2, 3, 4), 3, 0.5, keep=lost),
        case("one sentence, one query", draw.shares(1, 1, 6), 2, 0.1),
        case("one key only, kept", torch.ones(2, 3, 1), 4, 0.5, keep=torch.ones(2, 3, 1).bool()),
        case("float64", draw.shares(2, 4, 3).double(), 5, 0.4),
        case("weights that are a transposed view", as_view(draw.shares(2, 4, 3)), 2, 0.6),
    ]


def _dropped(
    train=lambda weights, keep, p: weights * keep / (1 - p),
    evaluate=lambda weights, keep, p: weights,
    too_early=False,
):
    """Dropout with rules of its own; the context can be made too early, before any dropping."""

    def drop(weights, values, keep, p, training):
        used = (train if training else evaluate)(weights, keep, p)
        return (weights if too_early else used) @ values, used

    return drop


# --- Right answers in other styles ----------------------------------------------------------------


def by_filling(weights, values, keep, p, training):
    if not training:
        return weights @ values, weights
    used = weights.masked_fill(~keep, 0.0).div(1 - p)
    return torch.bmm(used, values), used


def one_factor(alpha, v, keep, p, training):
    factor = torch.where(keep, 1 / (1 - p), 0.0).to(alpha) if training else torch.ones_like(alpha)
    alpha = alpha * factor
    return torch.einsum("bts,bsv->btv", alpha, v), alpha


def in_loops(weights, values, keep, p, training):
    kept = 1 - p
    rows = []
    for row, stays in zip(weights.flatten(0, 1), keep.flatten(0, 1), strict=True):
        cells = [
            weight / kept if stay or not training else 0 * weight
            for weight, stay in zip(row, stays, strict=True)
        ]
        rows.append(torch.stack(cells) if training else row)
    used = torch.stack(rows).view(weights.shape)
    return [used @ values, used]


def in_float64(weights, values, keep, p, training):
    weights, values = weights.double(), values.double()
    dropped = torch.where(keep, weights, 0) / (1 - p) if training else weights.clone()
    return dropped @ values, dropped


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="attention_dropout",
    title="Dropout, with the dice thrown",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["context", "dropped"],
    cases=cases,
    equivalents={"dropped = keep * weights / (1 - p)": NO_ORDER},
    hints=[
        "What are the four weights of a row in training, by hand, if p = ½ and the dice keep the "
        "first and the last?",
        "Three things to decide: what the dice do to a weight, what happens to the weights that "
        "are kept, and when none of it happens.",
        "In training: weights times `keep`, divided by one less `p`. Otherwise the weights as "
        "they came. The context is then made from whichever weights you have.",
    ],
    misconceptions=[
        Misconception(
            "kept weights do not grow",
            _dropped(lambda weights, keep, p: weights * keep),
            "You drop weights and leave the others as they are. So in training the context is on "
            "average smaller than in evaluation, by the share dropped.",
            "If a fifth of the weights is dropped, what do the others have to be multiplied by, "
            "so that the mean stays?",
            kind="dropout-factor",
        ),
        Misconception(
            "divided by p",
            _dropped(lambda weights, keep, p: weights * keep / p),
            "You divide the kept weights by p, the share *dropped*. To make up for the loss they "
            "are divided by the share *kept*.",
            "By what should a weight grow if only a tenth of all is dropped: tenfold, or a little?",
            kind="dropout-factor",
        ),
        Misconception(
            "shrunk for growing",
            _dropped(lambda weights, keep, p: weights * keep * (1 - p)),
            "You multiply the kept weights by 1 − p, so they shrink, and what is lost by dropping "
            "is lost twice.",
            "Should what is kept become larger or smaller?",
            kind="dropout-factor",
        ),
        Misconception(
            "rows brought to 1",
            _dropped(lambda weights, keep, p: weights * keep / (weights * keep).sum(-1, True)),
            "You divide each row by what is left of it. Dropout does not do that: its rows sum to "
            "1 only on average. And a row that loses everything becomes NaN.",
            "Should the factor depend on p, or on how the dice fell?",
            kind="divide-again",
        ),
        Misconception(
            "divided by what fell",
            _dropped(lambda weights, keep, p: weights * keep / keep.double().mean().to(weights)),
            "You divide by the share that *was* kept this time. The factor of dropout is fixed by "
            "p, whatever the dice show.",
            "Which number was settled before the dice were thrown?",
            kind="dropout-factor",
        ),
        Misconception(
            "True is dropped",
            _dropped(lambda weights, keep, p: weights * ~keep / (1 - p)),
            "You drop what should be kept: `keep` is `True` for the weights that stay.",
            "What does the name of the input say about `True`?",
            kind="mask-upside-down",
        ),
        Misconception(
            "never sleeps",
            _dropped(evaluate=lambda weights, keep, p: weights * keep / (1 - p)),
            "Your dropout never sleeps: it drops weights in evaluation too, when `training` is "
            "`False`.",
            "Which of the five inputs did you not use?",
            kind="dropout-factor",
        ),
        Misconception(
            "shrinks in evaluation",
            _dropped(evaluate=lambda weights, keep, p: weights * (1 - p)),
            "In evaluation you shrink the weights. That would make up for dropout that does not "
            "grow what it keeps; but here the kept weights grow in training already.",
            "To what should a row sum in evaluation?",
            kind="dropout-factor",
        ),
        Misconception(
            "grows in evaluation",
            _dropped(evaluate=lambda weights, keep, p: weights / (1 - p)),
            "In evaluation you drop nothing, and still make the weights grow. With nothing lost "
            "there is nothing to make up for.",
            "To what should a row sum in evaluation?",
            kind="dropout-factor",
        ),
        Misconception(
            "context of the old weights",
            _dropped(too_early=True),
            "Your context is made from the weights before dropout. So the dice have no effect on "
            "what comes out.",
            "Which of your tensors should be multiplied with the values?",
            kind="stale-value",
        ),
    ],
    variants=[by_filling, one_factor, in_loops, in_float64],
)
