"""The task “Refute us: a second head”: right experiments, and wrong ones."""

from itertools import pairwise
from statistics import fmean

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.worlds import (
    EQUAL,
    EVEN,
    FIRST,
    FOURTH,
    LAST,
    NOT_ASKED,
    ODD,
    SECOND,
    THIRD,
    alike,
    fallen,
    falling,
    of_two_kinds,
)
from utils.checks.tasks import Case
from utils.experiments.laboratory import FAILS, HOLDS, OPEN, decide, laboratory

POINTS = 12
SMALL, MORE_HEADS, WIDER, BOTH = (1, 32), (2, 32), (1, 64), (2, 64)


def cases(draw: Draw) -> list[Case]:
    arms = {
        "lower": lambda: fallen(draw, alike(draw, 0.3), POINTS),
        "higher": lambda: fallen(draw, alike(draw, 1.2), POINTS),
        "as low": lambda: fallen(draw, of_two_kinds(draw, 0.84, 0.88, ODD), POINTS),
        "low at first": lambda: fallen(draw, of_two_kinds(draw, 0.6, 2.4, FIRST), POINTS),
        "high at first": lambda: fallen(draw, of_two_kinds(draw, 0.1, 1.1, LAST), POINTS),
        "low in the second": lambda: fallen(draw, of_two_kinds(draw, 0.6, 2.4, SECOND), POINTS),
        "low in the third": lambda: fallen(draw, of_two_kinds(draw, 0.6, 2.4, THIRD), POINTS),
        "low in the fourth": lambda: fallen(draw, of_two_kinds(draw, 0.6, 2.4, FOURTH), POINTS),
        "low or as low": lambda: fallen(draw, of_two_kinds(draw, 0.3, 0.9, EVEN), POINTS),
        "late": lambda: fallen(draw, alike(draw, 0.3), POINTS, at=7),
        "falling": lambda: falling(draw, alike(draw, 1.1), POINTS),
    }

    def world(label, heads, width, both, small=None):
        small = (
            fallen(draw, of_two_kinds(draw, 0.8, 0.92, EVEN), POINTS) if small is None else small
        )
        heads, width, both = (arms[name]() for name in (heads, width, both))
        table = torch.stack([torch.stack([small, width]), torch.stack([heads, both])])
        return Case(label, {"world": table})  # (heads, width, SEEDS, POINTS)

    return [
        world("heads help, width does nothing", "lower", "as low", "lower"),
        world("width helps, a head does nothing", "as low", "lower", "lower"),
        world("a head helps the wide model only", "as low", "higher", "lower"),
        world("luck of the first four seeds", "low at first", "high at first", "as low"),
        world("bad luck of the first four seeds", "high at first", "low at first", "as low"),
        world("luck of four other seeds", "low in the second", "low in the third", "as low"),
        world("luck of others again", "low in the fourth", "higher", "as low"),
        world("half of the seeds gain much", "low or as low", "higher", "lower"),
        world("a second head helps late", "late", "as low", "late"),
        world("width helps late", "higher", "late", "late"),
        world("two arms are still falling", "falling", "falling", "lower"),
        world(
            "the small model is still falling",
            "lower",
            "lower",
            "lower",
            small=falling(draw, alike(draw, 1.1), POINTS),
        ),
    ]


def _experiment(
    pairs=((MORE_HEADS, SMALL), (WIDER, SMALL)), seeds=range(5), steps=300, judge=decide
):
    """Return an experiment of which a part is replaced."""

    def second_head(world):
        run = laboratory(world, budget=4_500, longest=300, heads=(1, 2), width=(32, 64))

        def arm(heads, width):
            return [run(heads=heads, width=width, seed=seed, steps=steps) for seed in seeds]

        return [judge(arm(*changed), arm(*base)) for changed, base in pairs]

    return second_head


def _ends(arm):
    return [curve[-1] for curve in arm]


def _by_ranges_alone(changed, base):
    changed, base = _ends(changed), _ends(base)
    return HOLDS if max(changed) < min(base) else FAILS if min(changed) > max(base) else OPEN


def _by(measure):
    def judge(changed, base):
        verdict = decide(changed, base)
        if verdict == OPEN and _by_ranges_alone(changed, base) == OPEN:
            return HOLDS if measure(_ends(changed)) < measure(_ends(base)) else FAILS
        return verdict

    return judge


def _vote(changed, base):
    pairs = zip(_ends(changed), _ends(base), strict=True)
    return HOLDS if sum(mine < theirs for mine, theirs in pairs) >= 3 else FAILS


def _no_for_open(changed, base):
    verdict = decide(changed, base)
    return FAILS if verdict == OPEN else verdict


def _open_for_no(changed, base):
    verdict = decide(changed, base)
    return OPEN if verdict == FAILS else verdict


def _swapped(world):
    return _experiment()(world)[::-1]


def with_other_seeds(world):
    run = laboratory(world, 4_500, 300, heads=(1, 2), width=(32, 64))
    table = torch.tensor(
        [
            [run(heads=heads, width=width, seed=seed, steps=300) for seed in (3, 4, 5, 6, 7)]
            for heads, width in (SMALL, MORE_HEADS, WIDER)
        ]
    )  # (arms, seeds, points)
    before, end = table[..., -3], table[..., -1]
    moves = ((before - end) > 0.15).any(-1)
    verdicts = []
    for arm in (1, 2):
        if end[arm].max() < end[0].min() and not moves[0]:
            verdicts.append("holds")
        elif end[arm].min() > end[0].max() and not moves[arm]:
            verdicts.append("does not hold")
        else:
            verdicts.append("not decided")
    return verdicts


def all_must_rest(world):
    """Decide nothing as long as any curve of the two arms still falls; six shorter runs each."""
    run = laboratory(world, 4_500, 300, heads=(1, 2), width=(32, 64))
    arms = [
        [run(heads=heads, width=width, seed=seed, steps=250) for seed in range(6)]
        for heads, width in (SMALL, MORE_HEADS, WIDER)
    ]
    found = []
    for arm in arms[1:]:
        rests = all(abs(a - b) < 0.1 for curve in arm + arms[0] for a, b in pairwise(curve[-2:]))
        found.append(_by_ranges_alone(arm, arms[0]) if rests else OPEN)
    return found


def seed_against_seed(world):
    run = laboratory(world, 4_500, 300, heads=(1, 2), width=(32, 64))

    def curve(heads, width, seed):
        return run(heads=heads, width=width, seed=seed, steps=300)

    answers = []
    for setting in (MORE_HEADS, WIDER):
        better, worse, rests = True, True, True
        for one in range(5):
            for other in range(5):
                changed, small = curve(*setting, one), curve(*SMALL, other)
                better &= changed[-1] < small[-1]
                worse &= changed[-1] > small[-1]
                upper = max(changed, small, key=lambda c: c[-1])
                rests &= upper[-1] > 0.9 * upper[-4]
        answers.append(HOLDS if better and rests else FAILS if worse and rests else OPEN)
    return answers


exercise = Exercise(
    id="second_head",
    title="Refute us: a second head",
    points=3,
    difficulty=2,
    minutes=15,
    section="05.8",
    outputs=["verdicts"],
    returns="texts",
    cases=cases,
    shortcuts=["decide"],
    equivalents={
        **{
            line: "how far one looks back, and what counts as a fall, makes no difference here"
            for line in (
                "falls = any((curve[-1] < 0.9 * curve[-3] for curve in upper))",
                "falls = any((curve[-1] < 0.9 * curve[-5] for curve in upper))",
                "falls = any((curve[-1] < 0.9 * curve[4] for curve in upper))",
                "falls = any((curve[-2] < 0.9 * curve[-4] for curve in upper))",
                "return [curve[-2] for curve in curves]",
            )
        },
        "falls = any((curve[-1] <= 0.9 * curve[-4] for curve in upper))": EQUAL,
        "if max(ends(lower)) <= min(ends(upper)):": EQUAL,
        "for answer, lower, upper in ((FAILS, small, changed), (HOLDS, changed, small)):": (
            "only one of the two can be the case"
        ),
        **{
            f"run = laboratory(world, {limits}, heads=(1, 2), width=(32, 64))": NOT_ASKED
            for limits in ("budget=4500, longest=301", "budget=4501, longest=300")
        },
    },
    hints=[
        "Which three kinds of models do the two claims speak of? And how many seeds of each make "
        "it rarer than once in a hundred that luck alone puts one arm below the other with every "
        "seed?",
        "With five seeds each, luck does so in one of 126 experiments: C(10, 5) / 2. Three arms of "
        "five runs of 300 steps are just the budget. Then compare the largest last loss of one "
        "arm with the smallest of the other, both ways round. And look back: what were the "
        "losses of the upper arm some points before the last?",
        "For each claim: `HOLDS` if `max` of the changed arm's last points is below `min` of the "
        "small model's, `FAILS` if it is the other way round, `OPEN` if neither. It is `OPEN` as "
        "well if any curve of the arm that lies above has still fallen clearly within its last "
        "quarter, say `curve[-1] < 0.9 * curve[-4]`: it may yet come down.",
    ],
    mistakes={
        "two changes at once": WrongAnswer(
            _experiment(pairs=((BOTH, SMALL), (WIDER, SMALL))),
            "For a claim about one change, you compare a model that has two heads *and* is wider "
            "with the small one. Two things changed at once, and either may be the cause.",
            "Which arms differ from the small model in one thing, and in nothing else?",
            misconception="two-changes-one-cause",
            also={
                "for both claims": _experiment(pairs=((BOTH, SMALL), (BOTH, SMALL))),
                "for width": _experiment(pairs=((MORE_HEADS, SMALL), (BOTH, SMALL))),
            },
        ),
        "another base": WrongAnswer(
            _experiment(pairs=((BOTH, WIDER), (WIDER, SMALL))),
            "For the claim about heads, you compare two *wide* models. That is another claim: what "
            "a head does for a wide model it need not do for a small one.",
            "Of which model does the task say that one thing is changed in it?",
            misconception="wider-than-shown",
        ),
        "one seed": WrongAnswer(
            _experiment(seeds=[0]),
            "With you, one seed of each model decides, and so luck does. The same two models may "
            "come out the other way round with the next.",
            "What would your experiment say if it took another seed?",
            misconception="one-run-tells",
            also={f"seed {seed}": _experiment(seeds=[seed]) for seed in range(1, 8)},
        ),
        "two to four seeds": WrongAnswer(
            _experiment(seeds=range(3)),
            "Your seeds are too few: if nothing differed, luck would still put all of one arm "
            "below all of the other in one experiment of 3 (two seeds), 10 (three) or 35 (four).",
            "C(2n, n) / 2: for which n is it above 100?",
            misconception="one-run-tells",
            also={f"{count} of them": _experiment(seeds=range(count)) for count in (2, 4)},
        ),
        "stopped early": WrongAnswer(
            _experiment(steps=150),
            "You stop, or look, before the transition. In some worlds an arm is down only after "
            "step 200, and then it is the better one.",
            "How many steps may a run have? What does the budget allow with five seeds?",
            misconception="curve-by-its-end",
            also={f"at step {steps}": _experiment(steps=steps) for steps in (50, 100, 200)},
        ),
        "not seen through": WrongAnswer(
            _experiment(judge=_by_ranges_alone),
            "You look at the last points alone. In some worlds the arm that lies above is still "
            "falling there: with some more steps it may be the lower one.",
            "How much has each curve lost within its last quarter?",
            misconception="curve-by-its-end",
        ),
        "best seed": WrongAnswer(
            _experiment(judge=_by(min)),
            "Where ranges overlap, you let the best seed of each arm decide. The best of several "
            "draws is mostly luck, and who trains the model next will draw another.",
            "What do the other seeds of the same arm say?",
            misconception="best-run-counts",
        ),
        "mean": WrongAnswer(
            _experiment(judge=_by(fmean)),
            "Where ranges overlap, you let the means decide. Two means nearly always differ; the "
            "question is whether they differ by more than the seeds do.",
            "How far apart are two seeds of the *same* arm?",
            misconception="averages-anywhere",
        ),
        "vote": WrongAnswer(
            _experiment(judge=_vote),
            "Where ranges overlap, you let the seeds vote. Three of five is what a coin shows as "
            "well.",
            "How often does a coin fall on the same side in three or more of five throws?",
            misconception="one-run-tells",
        ),
        "undecided taken for no": WrongAnswer(
            _experiment(judge=_no_for_open),
            "Whatever is not decided, you call false. That a difference was not seen is no proof "
            "that there is none.",
            "What would more seeds, or more steps, be able to change?",
            misconception="undecided-is-no",
        ),
        "never against a claim": WrongAnswer(
            _experiment(judge=_open_for_no),
            "Your experiment can confirm a claim and never contradict it: where the changed model "
            "is worse with every seed, you call it not decided.",
            "What would you have to see to say that a claim does not hold?",
            misconception="half-is-enough",
        ),
        "always undecided": WrongAnswer(
            lambda world: [OPEN, OPEN],
            "You call everything not decided. That is safe and useless: in some worlds five seeds "
            "lie clearly apart, and nothing moves any more.",
            "What would you have to see to be convinced?",
            misconception="undecided-is-safe",
        ),
        "claims swapped": WrongAnswer(
            _swapped,
            "You give the two verdicts in the wrong order: the first is about the second head.",
            "Which claim comes first?",
            misconception="opposite",
        ),
    },
    variants=[with_other_seeds, all_must_rest, seed_against_seed],
)
