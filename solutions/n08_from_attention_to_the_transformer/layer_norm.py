"""The task “Layer normalisation by hand”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view, doubled
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case

EPS = 1e-5


def cases(draw: Draw) -> list[Case]:
    def inputs(batch, length, dim, reach=3.0):
        return {
            "x": draw.numbers(batch, length, dim, reach=reach),
            "gamma": draw.numbers(dim, reach=2),
            "beta": draw.numbers(dim, reach=2),
        }

    far, tiny = doubled(inputs(2, 3, 4)), doubled(inputs(2, 3, 5))
    alike = inputs(2, 2, 3)
    view = inputs(3, 3, 3)
    apart = inputs(3, 3, 2)  # of two nearly equal numbers the deviation would be rounding
    apart["x"][..., 1] = apart["x"][..., 0] - 1 - apart["x"][..., 1].abs()
    return [
        Case("three sentences of three words, width 4", inputs(3, 3, 4)),
        Case("width 2", apart),
        Case("one word", inputs(1, 1, 6)),
        Case("numbers far from 0", far | {"x": 40 * far["x"] + 200}),
        Case("tiny numbers, where ε counts", tiny | {"x": tiny["x"] / 500}),
        Case("a word whose numbers are all the same", alike | {"x": torch.full((2, 2, 3), 1.5)}),
        Case("a transposed view", view | {"x": as_view(view["x"])}),
    ]


def _norm(
    axes=(-1,),
    centre=lambda x, mean: x - mean,
    divide=lambda variance: (variance + EPS).sqrt(),
    correction=0,
    finish=lambda z, gamma, beta: gamma * z + beta,
):
    """Return an answer with one part replaced."""

    def norm(x, gamma, beta):
        mean = x.mean(axes, keepdim=True)
        variance = x.var(axes, correction=correction, keepdim=True)
        return finish(centre(x, mean) / divide(variance), gamma, beta)

    return norm


def with_torch(x, gamma, beta):
    return F.layer_norm(x, (x.shape[-1],), gamma, beta)


def word_by_word(x, gamma, beta):
    out = torch.empty_like(x)
    for i, sentence in enumerate(x):
        for j, word in enumerate(sentence):
            centred = word - sum(word) / len(word)
            spread = (centred @ centred / len(word) + EPS) ** 0.5
            out[i, j] = centred / spread * gamma + beta
    return out


def with_rsqrt(x, gamma, beta):
    variance, mean = torch.var_mean(x, dim=2, correction=0, keepdim=True)
    return torch.addcmul(beta, x - mean, gamma * torch.rsqrt(variance + EPS))


def mean_of_squares(x, gamma, beta):
    wide = x.double()
    centred = wide - wide.sum(-1, keepdim=True) / wide.shape[-1]
    spread = torch.sqrt(centred.pow(2).mean(dim=-1) + EPS)
    return torch.einsum("bld,bl,d->bld", centred, 1 / spread, gamma.double()) + beta


exercise = Exercise(
    id="layer_norm",
    title="Layer norm by hand",
    points=2,
    difficulty=1,
    minutes=10,
    section="08.2",
    learns=True,
    outputs=["normed"],
    shortcuts=["LayerNorm", "layer_norm", "native_layer_norm"],
    cases=cases,
    equivalents={
        "variance = (mean - x).square().mean(-1, keepdim=True)": "a square has no sign",
    },
    hints=[
        "Whose mean is it? Count the numbers that go into one mean: how many are there in a "
        "tensor of (2, 3, 4)?",
        "`x.mean(-1, keepdim=True)` is one number a word, (batch, len, 1). The variance is the "
        "mean of the squared distances from it, divided by the width and not by the width less 1.",
        "`gamma * (x - mean) / (variance + 1e-5).sqrt() + beta`, with mean and variance over the "
        "last axis.",
    ],
    mistakes={
        "over the batch": WrongAnswer(
            _norm(axes=(0,)),
            "Mean and variance run over the batch. That is the way of *batch* norm: what becomes "
            "of a word then depends on the other sentences of its batch.",
            "Which axis belongs to one word alone?",
            misconception="one-for-all",
        ),
        "over the words": WrongAnswer(
            _norm(axes=(1,)),
            "Mean and variance run over the words of a sentence, feature by feature. Then each "
            "word depends on all the others, padding and future words included.",
            "In which axis do the numbers of *one* word lie?",
            misconception="averages-anywhere",
        ),
        "over the whole sentence": WrongAnswer(
            _norm(axes=(1, 2)),
            "You take one mean and one variance for a whole sentence. Every word has its own.",
            "What shape should the means have?",
            misconception="averages-anywhere",
        ),
        "divided by the width less 1": WrongAnswer(
            _norm(correction=1),
            "Your variance divides by the width less 1, as `x.var(-1)` does if it is not told "
            "otherwise. Layer norm describes the numbers of a word; it estimates nothing.",
            "By how much would width 2 change, if you divide by 1 in place of 2?",
            misconception="variance-is-spread",
        ),
        "root left out": WrongAnswer(
            _norm(divide=lambda variance: variance + EPS),
            "You divide by the variance, and not by its root. The spread then does not become 1, "
            "unless it was 1 before.",
            "What is the variance of numbers that are all twice as large?",
            misconception="variance-is-spread",
        ),
        "epsilon outside the root": WrongAnswer(
            _norm(divide=lambda variance: variance.sqrt() + EPS),
            "You add ε to the root, and not to the variance under it. For tiny numbers that is "
            "a great difference, since the root of 0.00001 is 0.003.",
            "Where in the formula does ε stand?",
            misconception="steps-in-any-order",
        ),
        "no epsilon": WrongAnswer(
            _norm(divide=lambda variance: variance.sqrt()),
            "Without ε a word whose numbers are all the same is 0 / 0, which is NaN, and tiny "
            "numbers are divided by too little.",
            "What is the variance of 1.5, 1.5, 1.5?",
            misconception="formula-is-safe",
        ),
        "mean left in": WrongAnswer(
            _norm(centre=lambda x, mean: x),
            "You divide, but you do not take the mean away.",
            "What should the mean of each word be before γ and β?",
            misconception="half-is-enough",
        ),
        "gamma and beta left out": WrongAnswer(
            _norm(finish=lambda z, gamma, beta: z),
            "Your words are normalised, and left so. The learned scale γ and shift β are missing.",
            "What do γ and β do in the formula?",
            misconception="input-unused",
        ),
        "shifted before it is scaled": WrongAnswer(
            _norm(finish=lambda z, gamma, beta: gamma * (z + beta)),
            "You add β first and scale it along with the rest. In the formula γ scales, and then "
            "β shifts.",
            "What should come out where the normalised number is 0?",
            misconception="steps-in-any-order",
        ),
    },
    variants=[with_torch, word_by_word, with_rsqrt, mean_of_squares],
)
