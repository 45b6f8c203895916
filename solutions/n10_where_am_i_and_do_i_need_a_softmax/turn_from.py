"""Rotary positions for a step with a cache."""

import torch

from solutions.cases import as_view, in_double
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.positions import RotaryPositions

_EVEN = "the width of a head is even, so the last entry is no first one of a pair"
_PRECISE = "angles in another precision come out alike within the tolerance"


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, heads, length, dim, start, base):
        x = draw.numbers(batch, heads, length, dim)
        return Case(label, {"x": x, "start": start, "base": base})

    view = case("a transposed view", 2, 3, 4, 4, 2, 100)
    view.inputs["x"] = as_view(view.inputs["x"])
    return [
        case("a text of four words", 2, 2, 4, 6, 0, 10_000),
        case("one new word at place 5", 2, 2, 1, 4, 5, 10_000),
        case("three words from place 9 on, another base", 1, 3, 3, 8, 9, 50),
        case("as many words as heads", 2, 3, 3, 4, 1, 20),
        case("one clock", 1, 1, 5, 2, 3, 10_000),
        view,
        in_double(case("far away, in float64", 1, 2, 2, 6, 2_000, 500)),
    ]


def _places(x, start):
    return start + torch.arange(x.shape[2], dtype=x.dtype)


def _frequencies(x, base):
    return float(base) ** (-torch.arange(0, x.shape[-1], 2, dtype=x.dtype) / x.shape[-1])


def neighbours(x):
    return x[..., 0::2], x[..., 1::2]


def _interleaved(a, b):
    return torch.stack([a, b], -1).flatten(-2)


def _turned(
    places=_places, frequencies=_frequencies, split=neighbours, join=_interleaved, times=1.0
):
    """Return an answer with one part replaced."""

    def turn_from(x, start, base):
        angles = times * places(x, start)[:, None] * frequencies(x, base)
        a, b = split(x)
        cos, sin = angles.cos(), angles.sin()
        return join(a * cos - b * sin, a * sin + b * cos)

    return turn_from


def _along_the_heads(x, start, base):
    return _turned()(x.transpose(1, 2), start, base).transpose(1, 2)


def _paired_and_not_put_back(x, start, base):
    return _turned(join=lambda a, b: torch.cat([a, b], -1))(x, start, base)


def _angles_of_halves(x, start, base):
    angles = _places(x, start)[:, None] * _frequencies(x, base)
    angles = torch.cat([angles, angles], -1)  # (len, dim)
    a, b = neighbours(x)
    return x * angles.cos() + _interleaved(-b, a) * angles.sin()


def with_complex_numbers(x, start, base):
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    angles = torch.outer(_places(x, start), _frequencies(x, base))
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2)


def word_by_word(x, start, base):
    turned = torch.zeros_like(x)
    dim = x.shape[-1]
    for word in range(x.shape[2]):
        for i in range(dim // 2):
            angle = torch.tensor((start + word) / base ** (2 * i / dim), dtype=torch.float64)
            cos, sin = angle.cos().to(x), angle.sin().to(x)
            a, b = x[:, :, word, 2 * i], x[:, :, word, 2 * i + 1]
            turned[:, :, word, 2 * i] = cos * a - sin * b
            turned[:, :, word, 2 * i + 1] = sin * a + cos * b
    return turned


def as_a_sum_of_two(x, start, base):
    """Turn as in GPT-J: every number times its cosine, and its partner times its sine."""
    angles = torch.outer(_places(x, start), _frequencies(x, base)).repeat_interleave(2, dim=-1)
    first, second = x[..., 0::2], x[..., 1::2]
    partners = torch.stack([-second, first], dim=-1).flatten(-2)
    return x * angles.cos() + partners * angles.sin()


def with_the_course(x, start, base):
    places = torch.arange(start, start + x.shape[2])
    return RotaryPositions(x.shape[-1], layout="pairs", base=base).turn(x, places)


exercise = Exercise(
    id="turn_from",
    title="Turn from anywhere",
    points=3,
    difficulty=2,
    minutes=15,
    section="10.1",
    learns=True,
    outputs=["turned"],
    cases=cases,
    tolerance=1e-4,
    shortcuts=["RotaryPositions"],
    hints=[
        "Which places do the words of `x` have? And which two entries of a vector belong together?",
        "The angles are (len, head_dim / 2): places times frequencies. `x[..., 0::2]` has the "
        "first entries of all pairs, `x[..., 1::2]` the second ones. Turn each pair, then put the "
        "entries back where they came from.",
        "With `a` and `b` the entries of the pairs: `torch.stack([a * cos - b * sin, a * sin + b * "
        "cos], dim=-1).flatten(-2)`. The frequencies are `base ** (-torch.arange(0, head_dim, 2) / "
        "head_dim)`.",
    ],
    equivalents={
        "a, b = (x[..., 0:-1:2], x[..., 1::2])": _EVEN,
        "frequencies = base ** (-torch.arange(0, head_dim - 1, 2, dtype=x.dtype) / head_dim)": (
            _EVEN
        ),
        "frequencies = base ** (-torch.arange(0, head_dim, 2) / head_dim)": _PRECISE,
        "places = torch.arange(start, start + length)": _PRECISE,
    },
    mistakes={
        "from place 0": WrongAnswer(
            _turned(places=lambda x, start: torch.arange(x.shape[2], dtype=x.dtype)),
            "Your first word always stands at place 0. In a step with a cache the new word comes "
            "alone, and it stands behind all that was written.",
            "Which input says at which place the first word of `x` stands?",
            misconception="places-begin-at-zero",
        ),
        "all at the start": WrongAnswer(
            _turned(places=lambda x, start: torch.full((x.shape[2],), float(start)).to(x)),
            "All words of your `x` are turned by the place of the first.",
            "At which place does the second word of `x` stand?",
            misconception="places-begin-at-zero",
        ),
        "from place 1": WrongAnswer(
            _turned(places=lambda x, start: _places(x, start) + 1),
            "Your words stand one place too far on: the first of them belongs at `start` itself. "
            "Scores stay as they are only among words that are shifted alike; beside rightly "
            "turned ones they change.",
            "Where does the first of the words stand?",
            misconception="off-by-one",
        ),
        "halves paired": WrongAnswer(
            _turned(
                split=lambda x: x.chunk(2, dim=-1), join=lambda a, b: torch.cat([a, b], dim=-1)
            ),
            "You pair entry i with entry i + head_dim / 2, as the notebook did. The task asks for "
            "the layout of the paper: neighbours.",
            "Which entry is the partner of entry 0 here?",
            misconception="layouts-alike",
        ),
        "not put back": WrongAnswer(
            _paired_and_not_put_back,
            "You turn neighbours together, but give the result in halves: first all the first "
            "entries of the pairs, then all the second ones.",
            "With all places at 0, what should come out?",
            misconception="layouts-alike",
        ),
        "along the heads": WrongAnswer(
            _along_the_heads,
            "Your places count the heads. They belong to the words, on axis 2.",
            "Which axis of (batch, heads, len, head_dim) has the words?",
            misconception="axes-anywhere",
        ),
        "turned backwards": WrongAnswer(
            _turned(times=-1.0),
            "You turn the other way round.",
            "Which of the two sines has the minus sign?",
            misconception="opposite",
        ),
        "turned twice": WrongAnswer(
            _turned(times=2.0),
            "Your angles are twice as large as they should be, as if the vectors had been turned "
            "a second time.",
            "By which angle does the first pair turn at place 1?",
            misconception="turned-again",
        ),
        "slower by half": WrongAnswer(
            _turned(
                frequencies=lambda x, base: (
                    float(base) ** (-torch.arange(x.shape[-1] // 2, dtype=x.dtype) / x.shape[-1])
                )
            ),
            "Your exponents are half as large as they should be, so your clocks slow down too "
            "little from pair to pair: pair i turns by base^(-2i / head_dim).",
            "By which angle does the last pair turn at place 1, if there are two pairs and the "
            "base is 10,000?",
            misconception="clocks",
        ),
        "angles of the other layout": WrongAnswer(
            _angles_of_halves,
            "You pair neighbours, and give them angles as if entry i were paired with entry "
            "i + d/2: the two entries of a pair turn by different angles. Then a score no longer "
            "depends on the distance alone.",
            "Which two columns of your cosines have to be equal?",
            misconception="layouts-alike",
        ),
    },
    variants=[with_complex_numbers, word_by_word, as_a_sum_of_two, with_the_course],
)
