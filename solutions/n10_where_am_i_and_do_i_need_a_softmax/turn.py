"""Rotary positions in a few lines."""

import torch

from solutions.cases import in_double
from solutions.specification import IN_A_MATRIX, Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, places, dim):
        return Case(label, {"x": draw.numbers(len(places), dim), "places": places})

    return [
        case("five words from place 0 on, width 4", torch.arange(5), 4),
        case("one clock: width 2", torch.arange(3), 2),
        case("words from place 7 on", torch.arange(7, 11), 6),
        case("places in any order", draw.order(20)[:4], 8),
        in_double(case("far places, in float64", torch.tensor([0, 100, 1_000]), 6)),
    ]


def halves(x):
    return x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]


def _angles(x, places):
    half = x.shape[-1] // 2
    return places[:, None] * 10_000.0 ** (-torch.arange(half, dtype=x.dtype) / half)


def _turned(angles=_angles, split=halves, join=lambda a, b: torch.cat([a, b], -1), sign=1):
    """Return an answer with one part replaced."""

    def turn(x, places):
        a, b = split(x)
        cos, sin = angles(x, places).cos(), sign * angles(x, places).sin()
        return join(a * cos - b * sin, a * sin + b * cos)

    return turn


def _reflected(x, places):
    a, b = halves(x)
    cos, sin = _angles(x, places).cos(), _angles(x, places).sin()
    return torch.cat([a * cos + b * sin, a * sin - b * cos], -1)


def _angles_of_neighbours(x, places):
    angles = _angles(x, places).repeat_interleave(2, -1)  # (len, dim)
    a, b = halves(x)
    return x * angles.cos() + torch.cat([-b, a], -1) * angles.sin()


def with_complex_numbers(x, places):
    a, b = halves(x)
    angles = _angles(x, places)
    turned = torch.complex(a, b) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([turned.real, turned.imag], -1)


def with_a_half_swapped(x, places):
    angles = torch.cat([_angles(x, places)] * 2, -1)  # (len, dim)
    a, b = x.chunk(2, -1)
    return x * angles.cos() + torch.cat([-b, a], -1) * angles.sin()


exercise = YourTurn(
    id="turn",
    title="Rotary positions",
    section="10.1",
    learns=True,
    outputs=["turned"],
    cases=cases,
    equivalents={
        "half = x.shape[1] // 2": IN_A_MATRIX,
        "return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=1)": IN_A_MATRIX,
    },
    mistakes={
        "neighbours paired": WrongAnswer(
            _turned(
                split=lambda x: (x[:, 0::2], x[:, 1::2]),
                join=lambda a, b: torch.stack([a, b], -1).flatten(1),
            ),
            "You turn neighbours together, entries 2i and 2i + 1, as the paper does. Here entry i "
            "and entry i + d/2 are a pair. Either is right by itself; a model has to keep to one.",
            "Which entry is the partner of entry 0?",
            misconception="layouts-alike",
        ),
        "turned backwards": WrongAnswer(
            _turned(sign=-1),
            "You turn the other way round. Scores would still depend on differences alone, but on "
            "those with the other sign, so they come out otherwise.",
            "Which of the two sines has the minus sign?",
            misconception="opposite",
        ),
        "a mirror": WrongAnswer(
            _reflected,
            "The second entry of each pair comes in with the wrong sign, which makes a mirror of "
            "the turn: even at place 0 your vectors are no longer what they were.",
            "What should come out at place 0, where cos is 1 and sin 0?",
            misconception="opposite",
        ),
        "the wrong frequencies": WrongAnswer(
            _turned(
                angles=lambda x, places: (
                    places[:, None]
                    * 10_000.0 ** (-torch.arange(x.shape[-1] // 2, dtype=x.dtype) / x.shape[-1])
                )
            ),
            "Your exponents are half as large as they should be, so your clocks slow down too "
            "little from pair to pair. With d/2 pairs, 2i/d is i/(d/2).",
            "By how much does the last of the clocks turn from word to word?",
            misconception="clocks",
        ),
        "one clock for all": WrongAnswer(
            _turned(angles=lambda x, places: places[:, None] * torch.ones(x.shape[-1] // 2)),
            "All pairs turn by the same angle, a radian a word. Each should have a speed of its "
            "own.",
            "Where in your lines does i occur?",
            misconception="clocks",
        ),
        "angles of the other layout": WrongAnswer(
            _angles_of_neighbours,
            "You pair entry i with entry i + d/2, and give them angles as if neighbours were "
            "pairs: the two entries of a pair turn by different angles. Then a score no longer "
            "depends on the distance alone.",
            "Which two columns of your cosines have to be equal?",
            misconception="layouts-alike",
        ),
    },
    variants=[with_complex_numbers, with_a_half_swapped],
)
