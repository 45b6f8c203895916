"""The stub “A decoder's step, small” of a notebook: right answers and known mistakes."""

import torch

from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def inputs(src_len, vocab_size, dim):
        return {
            "state": draw.numbers(dim, reach=1.5),
            "keys": draw.numbers(src_len, dim, reach=1.5),
            "words": draw.numbers(vocab_size, dim, reach=2),
        }

    return [
        Case("six keys, seven words", inputs(6, 7, 2)),
        Case("one key", inputs(1, 4, 3)),
        Case("as many keys as words", inputs(5, 5, 4)),
    ]


def _step(average=True, squash=True, mixed=None, axis=-1):
    """Return a step with some parts replaced."""

    def step(state, keys, words):
        weights = (keys @ state).softmax(-1)
        context = weights @ keys
        readout = mixed(context, state) if mixed else context + state
        readout = readout / 2 if average and not mixed else readout
        return weights, words @ (readout.tanh() if squash else readout)

    return step


def in_loops(state, keys, words):
    powers = torch.stack([(key * state).sum() for key in keys]).exp()
    weights = powers / powers.sum()
    context = sum(weight * key for weight, key in zip(weights, keys, strict=True))
    readout = torch.tanh((context + state) / 2)
    return weights, torch.stack([(word * readout).sum() for word in words])


def with_einsum(state, keys, words):
    weights = torch.softmax(torch.einsum("d,jd->j", state, keys), 0)
    both = torch.stack([torch.einsum("j,jd->d", weights, keys), state])
    return weights, torch.mv(words, both.mean(0).tanh())


exercise = YourTurn(
    id="small_step",
    title="A decoder's step, small",
    section="06.3",
    outputs=["weights", "scores"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
    equivalents={
        "weights = (keys @ state).softmax(-0)": "the scores are a vector, with one axis",
    },
    mistakes={
        "the sum for the mean": WrongAnswer(
            _step(average=False),
            "Your readout is the tanh of the sum of context and state, not of their mean.",
            "By what is the sum divided in the cell above?",
            misconception="sum-and-mean",
        ),
        "tanh left out": WrongAnswer(
            _step(squash=False),
            "Your readout did not go through tanh.",
            "Between which two numbers does every entry of a readout lie?",
            misconception="nonlinearity-left-out",
        ),
        "the context alone": WrongAnswer(
            _step(mixed=lambda context, state: context),
            "Your readout is made from the context alone: what the decoder has written so far "
            "reaches it only through the weights.",
            "Which two vectors make the readout?",
            misconception="input-unused",
        ),
        "the state alone": WrongAnswer(
            _step(mixed=lambda context, state: state),
            "Your readout is made from the state alone: what was looked up is not used.",
            "Which two vectors make the readout?",
            misconception="input-unused",
        ),
    },
    variants=[in_loops, with_einsum],
)
