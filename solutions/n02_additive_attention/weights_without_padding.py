"""The task “Weights without padding”: right answers and known mistakes."""

import torch

from solutions.cases import one_silent
from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case
from utils.masks import masked_softmax, padding_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, tgt_len, src_len, lengths, change=lambda scores: scores):
        scores = change(draw.numbers(len(lengths), tgt_len, src_len))
        return Case(label, {"scores": scores, "lengths": torch.tensor(lengths)})

    def silent(scores):
        return one_silent(scores.mT).mT.contiguous()

    return [
        case("a batch of two, padded", 3, 6, [6, 3]),
        case("a batch of three, scores of 0", 2, 5, [1, 5, 4], silent),
        case("one sentence, not padded", 3, 4, [4]),
        case("one word in five places", 2, 5, [1]),
        case("one query", 1, 4, [2, 4]),
        case("as many queries as sentences", 2, 5, [3, 5]),
        case("float64", 4, 3, [2, 3], torch.Tensor.double),
    ]


def _mask(scores, lengths):
    return torch.arange(scores.shape[-1]) < lengths[:, None, None]  # (batch, 1, src_len)


def with_the_tools(scores, lengths):
    return masked_softmax(scores, padding_mask(lengths, max_len=scores.shape[-1]))


def sentence_by_sentence(scores, lengths):
    weights = torch.zeros_like(scores)
    for n, length in enumerate(lengths.tolist()):
        weights[n, :, :length] = scores[n, :, :length].softmax(-1)
    return weights


def with_powers(scores, lengths):
    powers = scores.exp() * _mask(scores, lengths)
    return powers / powers.sum(-1, keepdim=True)


def with_where(scores, lengths):
    places = torch.arange(scores.shape[-1]).expand_as(scores)
    return torch.where(places < lengths.view(-1, 1, 1), scores, -torch.inf).softmax(dim=2)


exercise = YourTurn(
    id="weights_without_padding",
    title="Weights without padding",
    section="02.6",
    outputs=["weights"],
    invariants={"weights": ["not negative", "exact zeros", "rows sum to 1"]},
    cases=cases,
    mistakes={
        "no mask": WrongAnswer(
            lambda scores, lengths: scores.softmax(-1),
            "Nothing is masked: the padding gets weight like any word.",
            "Where does your code use the lengths?",
            misconception="padding-is-harmless",
        ),
        "masked after the softmax": WrongAnswer(
            lambda scores, lengths: scores.softmax(-1) * _mask(scores, lengths),
            "You mask too late, after the softmax perhaps: the padding counts in its sum. Nobody "
            "gets its share, so padded rows sum to less than 1.",
            "What is exp(−∞), and at which moment should the mask act, so that the softmax shares "
            "out everything?",
            misconception="mask-after-softmax",
        ),
        "masked with zeros": WrongAnswer(
            lambda scores, lengths: (scores * _mask(scores, lengths)).softmax(-1),
            "You set the scores of the padding to 0, or close to it. That is a score like any "
            "other, and often not the lowest.",
            "What is exp(0)?",
            misconception="low-score-hides",
        ),
        "mask upside down": WrongAnswer(
            lambda scores, lengths: scores.masked_fill(
                _mask(scores, lengths), torch.finfo(scores.dtype).min
            ).softmax(-1),
            "Your mask is upside down: the words are closed, and the padding is open.",
            "`masked_fill` writes where its mask is True. Where is yours True?",
            misconception="mask-upside-down",
        ),
        "one word too many": WrongAnswer(
            lambda scores, lengths: masked_softmax(scores, _mask(scores, lengths + 1)),
            "A padded sentence keeps one place too many: a sentence of 3 words has them at the "
            "places 0, 1 and 2.",
            "Is place 3 a word of a sentence of 3 words?",
            misconception="off-by-one",
        ),
    },
    variants=[with_the_tools, sentence_by_sentence, with_powers, with_where],
)
