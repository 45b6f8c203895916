"""Clocks for longer texts."""

import math

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.positions import rotary_frequencies


def cases(draw: Draw) -> list[Case]:
    def case(label, head_dim, base, length, factor):
        inputs = {"head_dim": head_dim, "base": base, "length": length, "factor": factor}
        return Case(label, inputs)

    return [
        case("heads of 64, 4,096 words, four times", 64, 10_000, 4_096, 4),
        case("heads of 128, eight times", 128, 10_000, 8_192, 8),
        case("another base", 64, 500_000, 8_192, 32),
        case("two clocks", 4, 100, 100, 2),
        case("every clock went round often", 16, 10, 4_096, 4),
        case("no clock ever went round", 8, 10_000, 6, 4),
        case("as long as before", 32, 10_000, 2_048, 1),
        case("a factor drawn anew", 32, 1_000, 300, int(draw.whole(2, 9))),
    ]


def _plain(head_dim, base):
    pairs = torch.arange(0, head_dim, 2, dtype=torch.float64)
    return float(base) ** (-pairs / head_dim)


def _ntk(head_dim, base, factor):
    return _plain(head_dim, base * factor ** (head_dim / (head_dim - 2)))


def _turns(frequencies, length):
    return length * frequencies / (2 * math.pi)


def _clocks(
    plain=_plain,
    linear=lambda frequencies, factor: frequencies / factor,
    ntk=_ntk,
    turns=_turns,
    kept=lambda turns: ((turns - 1) / 31).clamp(0, 1),
    mix=lambda frequencies, kept, factor: kept * frequencies + (1 - kept) * frequencies / factor,
):
    """Return an answer with one part replaced."""

    def slower_clocks(head_dim, base, length, factor):
        frequencies = plain(head_dim, base)
        share = kept(turns(frequencies, length))
        return (
            linear(frequencies, factor),
            ntk(head_dim, base, factor),
            mix(frequencies, share, factor),
        )

    return slower_clocks


def clock_by_clock(head_dim, base, length, factor):
    stretched = base * factor ** (head_dim / (head_dim - 2))
    linear, ntk, yarn = [], [], []
    for i in range(head_dim // 2):
        frequency = base ** (-2 * i / head_dim)
        turns = length * frequency / (2 * math.pi)
        kept = min(1.0, max(0.0, (turns - 1) / (32 - 1)))
        linear.append(frequency / factor)
        ntk.append(stretched ** (-2 * i / head_dim))
        yarn.append(frequency * (kept + (1 - kept) / factor))
    return torch.tensor(linear), torch.tensor(ntk), torch.tensor(yarn)


def with_the_course(head_dim, base, length, factor):
    linear, ntk = (
        rotary_frequencies(head_dim, base, factor, scaling) for scaling in ("linear", "ntk")
    )
    known = linear * factor
    share = torch.clip((length * known / torch.pi / 2 - 1) / 31, 0, 1)
    return linear, ntk, torch.lerp(linear, known, share)


def in_three_bands(head_dim, base, length, factor):
    known = _plain(head_dim, base).float()
    turns = length * known / (2 * math.pi)
    ramp = known * (turns - 1) / 31 + known / factor * (32 - turns) / 31
    yarn = torch.where(turns > 32, known, torch.where(turns < 1, known / factor, ramp))
    share = torch.arange(head_dim // 2) / (head_dim // 2 - 1)
    return known / factor, known * factor**-share, yarn


exercise = Exercise(
    id="slower_clocks",
    title="Clocks for longer texts",
    points=3,
    difficulty=2,
    minutes=15,
    section="10.2",
    outputs=["linear", "ntk", "yarn"],
    cases=cases,
    tolerance=1e-4,
    shortcuts=["rotary_frequencies"],
    hints=[
        "Which of the three change every clock by the same factor, and which ask each clock how "
        "fast it is?",
        "Begin with the frequencies of training, `base ** (-torch.arange(0, head_dim, 2) / "
        "head_dim)`. For NTK-aware take another base in the same line. For YaRN count turns: "
        "`length * frequencies / (2 * math.pi)`.",
        "YaRN: `kept = ((turns - 1) / (32 - 1)).clamp(0, 1)`, which is 1 where a clock is left "
        "alone; the frequencies are then `frequencies * (kept + (1 - kept) / factor)`. The base "
        "of NTK-aware is `base * factor ** (head_dim / (head_dim - 2))`.",
    ],
    equivalents={
        "exponents = -torch.arange(0, head_dim - 1, 2) / head_dim": (
            "the width of a head is even, so the steps of two end before its last entry"
        ),
    },
    mistakes={
        "stretched the wrong way": WrongAnswer(
            _clocks(linear=lambda frequencies, factor: frequencies * factor),
            "Your interpolated clocks run *faster*. For texts `factor` times as long, each angle "
            "is divided by the factor, so that the longest text fits into the angles of training.",
            "At the last word of the longer text, by how much should a clock have turned?",
            misconception="opposite",
        ),
        "the base times the factor": WrongAnswer(
            _clocks(ntk=lambda head_dim, base, factor: _plain(head_dim, base * factor)),
            "You multiply the base by the factor itself. Then the slowest clock is slowed down by "
            "less than the factor, and the longest texts do not quite fit.",
            "By how much is the last of your clocks slower than before?",
            misconception="clocks",
        ),
        "another power of the factor": WrongAnswer(
            _clocks(
                ntk=lambda head_dim, base, factor: _plain(
                    head_dim, base * factor ** ((head_dim - 2) / head_dim)
                )
            ),
            "The exponent of the factor stands on its head: asked is d / (d - 2), more than 1, so "
            "that the slowest clock, whose exponent is (d - 2) / d, comes out slower by the "
            "factor exactly.",
            "What is the exponent of the base in the slowest clock?",
            misconception="constant-factor",
        ),
        "the wrong clocks left alone": WrongAnswer(
            _clocks(kept=lambda turns: 1 - ((turns - 1) / 31).clamp(0, 1)),
            "You leave the slow clocks alone and slow down the fast ones. Those that went round "
            "often have shown every angle in training; the slow ones have not.",
            "Which clocks meet angles in a longer text that they never had before?",
            misconception="opposite",
        ),
        "no ramp": WrongAnswer(
            _clocks(kept=lambda turns: (turns > 1).to(turns)),
            "Your clocks are either left alone or slowed down in full. Between 1 and 32 turns lies "
            "a ramp: there a clock gets a mixture of both frequencies.",
            "What happens to a clock that made ten turns?",
            misconception="hard-choice",
            also={
                f"at {limit} turns": _clocks(
                    kept=lambda turns, limit=limit: (turns > limit).to(turns)
                )
                for limit in (16, 32)
            },
        ),
        "the ramp not ended": WrongAnswer(
            _clocks(kept=lambda turns: (turns - 1) / 31),
            "Your ramp goes on beyond its ends, below 0 and above 1.",
            "What is your share for a clock that made a thousand turns?",
            misconception="shares-need-not-sum-to-one",
        ),
        "radians for turns": WrongAnswer(
            _clocks(turns=lambda frequencies, length: length * frequencies),
            "You count radians. A turn has 2π of them.",
            "By which angle has a clock turned when it has gone round once?",
            misconception="constant-factor",
        ),
        "turns in the longer text": WrongAnswer(
            lambda head_dim, base, length, factor: _clocks()(
                head_dim, base, length * factor, factor
            ),
            "You count the turns within the *longer* text. The question is which angles a clock "
            "has shown in training.",
            "How long were the texts of training?",
            misconception="stale-value",
        ),
        "periods mixed": WrongAnswer(
            _clocks(
                mix=lambda frequencies, kept, factor: frequencies / (kept + (1 - kept) * factor)
            ),
            "Along the ramp you mix the lengths of the turns. YaRN mixes the frequencies.",
            "Halfway up the ramp, with a factor of 4: is a clock slowed down to 5/8 or to 2/5?",
            misconception="averages-anywhere",
        ),
    },
    variants=[clock_by_clock, with_the_course, in_three_bands],
)
