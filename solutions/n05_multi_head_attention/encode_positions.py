"""The task “Positions, anywhere”: right answers and known mistakes."""

import math

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, positions, dim, base):
        return Case(label, {"positions": positions, "dim": dim, "base": base})

    return [
        case("the first five places, dim 4", torch.arange(5), 4, 10_000),
        case("places in any order, another base", draw.order(12)[:4], 6, 100),
        case("a batch of two sentences", draw.whole(0, 9, 2, 3), 8, 50),
        case("one place only", draw.whole(1, 9, 1), 6, 10_000),
        case("one clock, dim 2", draw.order(20)[:3], 2, 100),
        case("places between places", draw.whole(0, 40, 4) / 4, 4, 20),
        case("places before the beginning", torch.arange(-3, 1), 10, 30),
    ]


def _pairs(first, second):
    return torch.stack([first, second], dim=-1).flatten(-2)


def _in_turn(angles):
    """Take the sine in one column and the cosine in the next."""
    return torch.where(torch.arange(angles.shape[-1]) % 2 == 0, angles.sin(), angles.cos())


def _encoded(
    places=lambda positions: positions,
    exponents=lambda dim: torch.arange(0, dim, 2) / dim,
    slowness=lambda base, exponents: base**exponents,
    waves=lambda angles: _pairs(angles.sin(), angles.cos()),
):
    """Return the right function with some parts replaced."""
    return lambda positions, dim, base: waves(
        places(positions)[..., None] / slowness(base, exponents(dim))
    )


def number_by_number(positions, dim, base):
    codes = []
    for place in positions.flatten():
        for i in range(dim // 2):
            angle = place / base ** (2 * i / dim)
            codes += [angle.sin(), angle.cos()]
    return torch.stack(codes).view(*positions.shape, dim)


def through_logarithms(positions, dim, base):
    frequencies = torch.exp(-math.log(base) * torch.arange(dim // 2) * 2 / dim)
    angles = positions[..., None] * frequencies
    return torch.stack((torch.sin(angles), torch.cos(angles)), -1).reshape(*positions.shape, dim)


def shifted_sines(positions, dim, base):
    columns = torch.arange(dim)
    angles = positions.double()[..., None] / float(base) ** ((columns - columns % 2) / dim)
    return (angles + (columns % 2) * math.pi / 2).sin()


def filled_in(positions, dim, base):
    angles = torch.einsum(
        "...,i->...i", positions.float(), float(base) ** (-torch.arange(0, dim, 2) / dim)
    )
    codes = torch.zeros(*positions.shape, dim)
    codes[..., 0::2] = angles.sin()
    codes[..., 1::2] = angles.cos()
    return codes


exercise = Exercise(
    id="encode_positions",
    title="Positions, anywhere",
    points=3,
    difficulty=2,
    minutes=10,
    section="05.10",
    outputs=["codes"],
    cases=cases,
    tolerance=1e-4,
    equivalents={
        "exponents = torch.arange(0, dim - 1, 2) / dim": "`dim` is even: its last number is odd",
    },
    hints=[
        "How many clocks does a vector of 6 numbers hold, and which numbers belong to the second?",
        "First all angles at once: each place, on an axis of its own at the end, divided by the "
        "slowness of each clock. That is (..., dim / 2). Then sines and cosines have to alternate.",
        "The exponents 2i/dim are `torch.arange(0, dim, 2) / dim`. For the alternation: `stack` "
        "sines and cosines along a new last axis, then `flatten` the last two axes into one.",
    ],
    mistakes={
        "sines first, then cosines": WrongAnswer(
            _encoded(waves=lambda angles: torch.cat([angles.sin(), angles.cos()], dim=-1)),
            "Your numbers stand in another order: first all sines, then all cosines. In the "
            "formula they alternate: each clock has two numbers side by side.",
            "In which columns does the formula put the sine and the cosine of clock 0?",
            misconception="clocks",
        ),
        "cosine first": WrongAnswer(
            _encoded(waves=lambda angles: _pairs(angles.cos(), angles.sin())),
            "In each pair the cosine comes first. The formula puts the sine into column 2i.",
            "Which code has place 0: does it begin with 0 or with 1?",
            misconception="clocks",
        ),
        "counted from 1": WrongAnswer(
            _encoded(places=lambda positions: positions + 1),
            "Your places are all one too far: at place 0 every sine should be 0.",
            "Did you add something to the positions?",
            misconception="off-by-one",
        ),
        "a clock for every column": WrongAnswer(
            _encoded(exponents=lambda dim: torch.arange(dim) / dim, waves=_in_turn),
            "Every column has an angle of its own. Sine and cosine of a pair belong to *one* "
            "clock: only then do they point in one direction.",
            "What is the sum of the squares of the two numbers of a pair?",
            misconception="clocks",
        ),
        "half the exponent": WrongAnswer(
            _encoded(exponents=lambda dim: torch.arange(dim // 2) / dim),
            "Your clocks slow down by half as much as they should: the exponent is 2i/dim, and "
            "yours is i/dim.",
            "Which exponent has the last clock when dim is 4?",
            misconception="clocks",
        ),
        "twice the exponent": WrongAnswer(
            _encoded(exponents=lambda dim: torch.arange(0, dim, 2) / (dim // 2)),
            "Your clocks slow down twice as fast as they should: the exponent of clock i is "
            "2i/dim, and yours is 4i/dim.",
            "Which exponent has the last clock when dim is 4?",
            misconception="clocks",
        ),
        "all clocks alike": WrongAnswer(
            _encoded(exponents=lambda dim: torch.zeros(dim // 2)),
            "All your clocks run at the same speed. So after one turn, about 6.28 places, the "
            "codes begin again.",
            "What makes the second clock slower than the first?",
            misconception="clocks",
        ),
        "places counted anew": WrongAnswer(
            _encoded(
                places=lambda positions: torch.arange(positions.shape[-1]).expand_as(positions)
            ),
            "You count the places 0, 1, 2, … yourself. `positions` says which they are: perhaps "
            "7 and 2.",
            "Which input do you use for its shape only?",
            misconception="row-is-word",
        ),
        "faster and faster": WrongAnswer(
            _encoded(slowness=lambda base, exponents: base**-exponents),
            "Each of your clocks is *faster* than the one before: the angle is multiplied where "
            "it should be divided.",
            "Which clocks tell the beginning of a text from its end?",
            misconception="clocks",
        ),
        "always 10,000": WrongAnswer(
            _encoded(slowness=lambda base, exponents: 10_000**exponents),
            "Your clocks use 10,000 whatever `base` says.",
            "Which of the three inputs have you not used?",
            misconception="input-unused",
        ),
        "sines alone": WrongAnswer(
            _encoded(waves=lambda angles: _pairs(angles.sin(), angles.sin())),
            "Both numbers of each pair are sines. A sine alone takes nearly every value twice on "
            "the way round; only with the cosine does it say where the hand points.",
            "At which two hours does a clock's hand reach the same height?",
            misconception="clocks",
        ),
        "the column for the clock": WrongAnswer(
            _encoded(exponents=lambda dim: 2 * torch.arange(dim) / dim, waves=_in_turn),
            "Column j of yours has the exponent 2j/dim. In the formula, i counts *clocks*: columns "
            "2i and 2i + 1 belong to one clock, and share the exponent 2i/dim.",
            "For dim 4, i takes the values 0 and 1. Which columns belong to i = 1?",
            misconception="clocks",
        ),
    },
    variants=[number_by_number, through_logarithms, shifted_sines, filled_in],
)
