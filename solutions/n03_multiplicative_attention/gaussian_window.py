"""The task “A Gaussian in the window”: right answers and known mistakes."""

import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from solutions.cases import as_view, far_down, one_silent
from solutions.specification import A_DISTANCE, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.masks import masked_softmax, window_mask


def cases(draw: Draw) -> list[Case]:
    def centres(src_len, *shape):
        """Draw centres that are not half-way between two positions, where rounding is ambiguous.

        None is nearer to a position behind the last word than to the last word.
        """
        whole, parts = draw.whole(0, src_len - 2, *shape), draw.whole(1, 8, *shape)
        return whole + (parts + (parts > 4)) / 10

    def case(label, batch, tgt_len, src_len, half_width, given=None, change=lambda tensor: tensor):
        given = centres(src_len, batch, tgt_len) if given is None else given
        scores = one_silent(draw.numbers(batch, src_len, tgt_len)).mT.contiguous()
        inputs = {"scores": change(scores), "centres": change(given)}
        return Case(label, {**inputs, "half_width": half_width})

    half_way = centres(7, 2, 3).double()
    large = far_down(1000 * draw.order(42).reshape(2, 3, 7))
    return [
        case("one sentence of eight words, D = 2", 1, 2, 8, 2),
        case("a batch of two, D = 1", 2, 3, 9, 1),
        case("a wide window, D = 3", 2, 4, 9, 3),
        case("centres at both ends", 1, 3, 6, 2, torch.tensor([[0.1, 4.9, 5.3]])),
        case("a window wider than the sentence", 2, 3, 4, 5),
        case("one key only", 3, 2, 1, 1, draw.whole(0, 4, 3, 2) / 10),
        Case(
            "scores in the thousands, and far lower",
            {"scores": large, "centres": half_way, "half_width": 2},
        ),
        case("transposed views", 4, 3, 7, 2, None, as_view),
        case("float64", 2, 4, 8, 2, None, torch.Tensor.double),
    ]


def _offsets(scores: Tensor, centres: Tensor) -> Tensor:
    return torch.arange(scores.shape[-1]) - centres.unsqueeze(-1)


def _bell(scores, centres, half_width, sigmas=0.5, twice=2):
    deviation = sigmas * half_width
    return torch.exp(-_offsets(scores, centres).square() / (twice * deviation**2))


def _near(scores, centres, half_width):
    return _offsets(scores, centres).abs() <= half_width


def _hard_softmax(scores, centres, half_width):
    near = _near(scores, centres, half_width)
    return scores.masked_fill(~near, -1e30).softmax(-1).masked_fill(~near, 0.0)


def _local(centre=torch.round, weigh=_hard_softmax, bell=_bell, finish=None):
    """Return the right function with some parts replaced.

    Args:
        centre: of the window, from the centre of the Gaussian.
        weigh: weights from scores, centres of the windows, and the half width.
        bell: the Gaussian from scores, centres, and the half width.
        finish: weights from the product of both, and the half width.
    """

    def window(scores, centres, half_width):
        weights = weigh(scores, centre(centres), half_width) * bell(scores, centres, half_width)
        return finish(weights, half_width) if finish else weights

    return window


def _softmax_alone(scores, centres, half_width):
    return scores.softmax(-1)


def from_the_course(scores, centres, half_width):
    window = window_mask(centres.round().long(), scores.shape[-1], half_width)
    distances = torch.arange(scores.shape[-1]) - centres[..., None]
    sigma = half_width / 2
    return masked_softmax(scores, window) * torch.exp(-0.5 * (distances / sigma) ** 2)


def rounded_by_hand(scores, centres, D):
    places = torch.arange(scores.shape[-1])
    middle = (centres + 0.5).floor()[..., None]
    outside = (places < middle - D) | (places > middle + D)
    weights = scores.masked_fill(outside, float("-inf")).softmax(-1)
    return weights * torch.exp(-2 * (places - centres.unsqueeze(-1)) ** 2 / D**2)


def row_by_row(scores, centres, half_width):
    flat = []
    for row, centre in zip(scores.flatten(0, 1), centres.flatten(), strict=True):
        middle = round(centre.item())
        first, last = max(0, middle - half_width), min(len(row) - 1, middle + half_width)
        places = torch.arange(first, last + 1)
        inside = row[first : last + 1].softmax(0)
        bell = torch.exp(-((places - centre) ** 2) / (2 * (half_width / 2) ** 2))
        weights = torch.zeros(len(row), dtype=row.dtype)
        weights[first : last + 1] = inside * bell
        flat.append(weights)
    return torch.stack(flat).view(scores.shape)


def by_powers(scores, centres, half_width):
    places = torch.arange(scores.shape[-1])
    window = (places - centres.round().unsqueeze(-1)).abs() <= half_width
    best = scores.masked_fill(~window, -1e9).amax(-1, keepdim=True)
    powers = (scores - best).masked_fill(~window, -1e9).exp()
    normal = torch.distributions.Normal(0, half_width / 2)
    bell = (
        normal.log_prob(places - centres.unsqueeze(-1)) - normal.log_prob(torch.zeros(()))
    ).exp()
    return powers / powers.sum(-1, keepdim=True) * bell


def in_float64(scores, centres, half_width):
    scores, centres = scores.double(), centres.double().unsqueeze(-1)
    places = torch.arange(scores.shape[-1])
    weights = scores.where((places - centres.round()).abs() < half_width + 0.5, -1e300).softmax(-1)
    return weights * (-((places - centres).square()) * 2 / half_width**2).exp()


exercise = Exercise(
    id="gaussian_window",
    title="A Gaussian in the window",
    points=4,
    difficulty=3,
    minutes=15,
    section="03.5",
    learns=True,
    outputs=["weights"],
    invariants={"weights": ["not negative", "exact zeros"]},
    cases=cases,
    equivalents={
        "distances = centres.unsqueeze(-1) - sources": "the sign goes in the square",
        "window = (centres.round().unsqueeze(-1) - sources).abs() <= half_width": A_DISTANCE,
    },
    hints=[
        "Two things happen at two moments: one before the softmax and one after it. Which?",
        "Before: everything that is more than D away from the *rounded* centre gets minus "
        "infinity. After: each weight is multiplied by the Gaussian of its distance to the centre "
        "as it came. Nothing is normalised again.",
        "`distances = sources - centres.unsqueeze(-1)`, and the same with `centres.round()` for "
        "the window. The factor is `exp` of minus the square of the distance over 2 σ², with "
        "σ = half_width / 2.",
    ],
    mistakes={
        "Gaussian before the softmax": WrongAnswer(
            lambda scores, centres, half_width: _hard_softmax(
                scores * _bell(scores, centres, half_width), centres.round(), half_width
            ),
            "You multiply the scores by the Gaussian, before the softmax. Scores may be negative, "
            "and then a small factor makes them *better*; and the rows still sum to 1.",
            "In equation 10, what stands to the left of the Gaussian: a score or a weight?",
            misconception="steps-in-any-order",
        ),
        "no window at all": WrongAnswer(
            _softmax_alone,
            "Your weights are those of global attention. Nothing is cut off, and no Gaussian "
            "weighs them. (Used as a mask, a Gaussian masks nothing: it is nowhere 0.)",
            "Which comparison makes a mask of positions, a centre and D?",
            misconception="local-attention-roughly",
        ),
        "Gaussian without a window": WrongAnswer(
            _local(weigh=_softmax_alone),
            "You multiply by the Gaussian, and the hard window is missing. So words far away take "
            "part in the softmax, and take their share from those in the window.",
            "How many weights of a row may differ from 0, if D = 2?",
            misconception="local-attention-roughly",
        ),
        "window after the softmax": WrongAnswer(
            _local(weigh=lambda scores, *window: scores.softmax(-1) * _near(scores, *window)),
            "You cut the window out too late, after the softmax perhaps: the words outside count "
            "in its sum. What they had been given is lost then, and does not come back to those "
            "inside.",
            "Over which positions does the softmax of equation 10 run?",
            misconception="mask-after-softmax",
        ),
        "distance not squared": WrongAnswer(
            _local(
                bell=lambda scores, centres, half_width: torch.exp(
                    -2 * _offsets(scores, centres).abs() / half_width**2
                )
            ),
            "In your Gaussian the distance is not squared. That gives a tent with a sharp top, "
            "not a bell.",
            "What stands above the 2 σ² in the formula?",
            misconception="length-of-a-vector",
        ),
        "window without a Gaussian": WrongAnswer(
            _local(bell=lambda scores, centres, half_width: 1),
            "The Gaussian is missing: your weights are those of the softmax in the window. "
            "Without it no gradient reaches the centres: rounding lets none through.",
            "Which word of the window should profit from a centre at 7.4?",
            misconception="local-attention-roughly",
        ),
        "normalised again": WrongAnswer(
            _local(finish=lambda weights, half_width: F.normalize(weights, p=1, dim=-1)),
            "Your rows sum to 1 again, as if each was divided by its sum in the end. In local-p "
            "they do not: a small sum says that the fitting word stands far from the centre.",
            "What does a row look like in which the decoder pointed to the wrong place?",
            misconception="divide-again",
        ),
        "sign of the exponent": WrongAnswer(
            _local(bell=lambda *inputs: 1 / _bell(*inputs)),
            "Your Gaussian grows with the distance: as if the exponent lacked its minus. So it "
            "is largest at the edge of the window.",
            "How large is the factor at the centre, and how large two words away?",
            misconception="opposite",
        ),
        "deviation not squared": WrongAnswer(
            _local(
                bell=lambda scores, centres, half_width: torch.exp(
                    -_offsets(scores, centres).square() / half_width
                )
            ),
            "Below the square of the distance stands 2 σ, and it should be 2 σ².",
            "Double the distances and D: should the factor stay the same?",
            misconception="length-of-a-vector",
        ),
        "deviation D": WrongAnswer(
            _local(bell=partial(_bell, sigmas=1)),
            "Your Gaussian is too wide: its deviation is D, and it should be D/2, so that the "
            "window ends where the Gaussian has nearly ended.",
            "At the edge of the window, how many deviations is a position away from the centre?",
            misconception="constant-factor",
        ),
        "the 2 left out": WrongAnswer(
            _local(bell=partial(_bell, twice=1)),
            "Your Gaussian is too narrow: below the square of the distance stands σ², and it "
            "should be 2 σ².",
            "What is the factor at a distance of exactly one deviation?",
            misconception="constant-factor",
        ),
        "Gaussian of the rounded centre": WrongAnswer(
            lambda scores, centres, half_width: _local()(scores, centres.round(), half_width),
            "Your Gaussian stands around the rounded centre. The window does; the Gaussian stands "
            "around the centre as it came, which is how a gradient gets there.",
            "What is the gradient of a step function, away from the step?",
            misconception="local-attention-roughly",
        ),
        "window of the unrounded centre": WrongAnswer(
            _local(centre=torch.clone),
            "Your window stands around the centre as it came. So it can miss a position: for a "
            "centre of 7.4 and D = 2, position 5 is 2.4 away and falls out.",
            "Around which whole number does the window stand if the centre is 7.4?",
            misconception="local-attention-roughly",
        ),
        "rounded down": WrongAnswer(
            _local(centre=torch.floor),
            "Your window stands around the centre rounded down, as `.long()` and `.int()` do. It "
            "stands around the *nearest* position.",
            "Which position is nearest to 7.9?",
            misconception="local-attention-roughly",
        ),
        "as a density": WrongAnswer(
            _local(
                finish=lambda weights, half_width: weights / (math.sqrt(math.pi / 2) * half_width)
            ),
            "Your Gaussian is a probability density: it is divided by σ √(2π). Here it is a "
            "factor, and 1 at the centre.",
            "By what should the weight of a word be multiplied that stands exactly at the centre?",
            misconception="constant-factor",
        ),
    },
    variants=[from_the_course, rounded_by_hand, row_by_row, by_powers, in_float64],
)
