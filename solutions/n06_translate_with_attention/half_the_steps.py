"""The task “Refute us: half of the steps”: right experiments, and wrong ones."""

import math
from statistics import median

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.worlds import EQUAL, NOT_ASKED, START
from utils.checks.tasks import Case
from utils.experiments.laboratory import EVERY, FAILS, HOLDS, OPEN, SEEDS, laboratory

POINTS = 12
LONGEST = EVERY * POINTS
NEVER = POINTS + 4  # a point behind the last


def _arriving(draw: Draw, *places: int) -> torch.Tensor:
    """Return curves (SEEDS, POINTS) whose first point below 1 is the given one (places from 1)."""
    places = torch.tensor(places).repeat(SEEDS // len(places))[:, None]  # (SEEDS, 1)
    before = START - (START - 1.1) * torch.arange(1, POINTS + 1) / places  # falls, and stays above
    curves = torch.where(torch.arange(1, POINTS + 1) < places, before, torch.tensor(0.6))
    return (curves.double() + draw.numbers(SEEDS, POINTS, reach=0.04)).round(decimals=3)


def cases(draw: Draw) -> list[Case]:
    def world(label, attention, none):
        table = torch.stack([_arriving(draw, *attention), _arriving(draw, *none)])
        return Case(label, {"world": table})  # (attention, SEEDS, POINTS)

    return [
        world("a third of the steps", [3, 4], [9, 11]),
        world("just half of the steps", [4], [8]),
        world("just above half of the steps", [5], [9]),
        world("just half of the steps, or more", [4, 6], [8]),
        world("two thirds of the steps", [6, 7], [9, 10]),
        world("about half, more or less by seed", [4, 6], [8, 11]),
        world("no difference", [7, 9], [8, 8]),
        world("attention is slower", [9, 10], [4, 5]),
        world("soon with attention, not yet without it", [5, 6], [NEVER]),
        world("late with attention, not yet without it", [8, 10], [NEVER]),
        world("not yet with attention", [NEVER], [7, 8]),
        world("neither has arrived", [NEVER], [NEVER]),
        world("without attention only some arrive", [4, 5], [6, NEVER]),
        world("with attention only some arrive", [3, NEVER], [11, 12]),
        world("luck of the first four seeds", [3, 3, 3, 3, 10, 10, 10, 10], [8, 9]),
        world("luck of four other seeds", [10, 3, 3, 3, 3, 10, 10, 10], [8, 9]),
        world("luck of others again", [10, 10, 3, 3, 3, 3, 10, 10], [8, 9]),
        world("and of others again", [10, 10, 10, 3, 3, 3, 3, 10], [8, 9]),
        world("bad luck of the first four seeds", [7, 7, 7, 7, 3, 3, 3, 3], [6, 8]),
    ]


def _arrival(curve, missing=math.nan):
    return next((EVERY * place for place, loss in enumerate(curve, 1) if loss < 1), missing)


def _by_bounds(factor, attention, none):
    """Decide by the earliest and the latest step at which each run can have arrived."""
    latest = [_arrival(curve, math.inf) for curve in attention]
    if factor * max(latest) <= min(_arrival(curve, LONGEST) for curve in none):
        return HOLDS
    earliest = [_arrival(curve, LONGEST) for curve in attention]
    if factor * min(earliest) > max(_arrival(curve, math.inf) for curve in none):
        return FAILS
    return OPEN


def _by_numbers(missing):
    """Return a judge that takes `missing` for the arrival of whoever has not arrived."""

    def judge(factor, attention, none):
        with_it, without = ([_arrival(c, missing) for c in arm] for arm in (attention, none))
        if factor * max(with_it) <= min(without):
            return HOLDS
        return FAILS if factor * min(with_it) > max(without) else OPEN

    return judge


def _dropped(factor, attention, none):
    with_it, without = (
        [c for c in arm if not math.isnan(_arrival(c))] for arm in (attention, none)
    )
    return _by_bounds(factor, with_it, without) if with_it and without else OPEN


def _medians(factor, attention, none):
    with_it, without = (median(_arrival(c, LONGEST) for c in arm) for arm in (attention, none))
    return HOLDS if factor * with_it <= without else FAILS


def _last_losses(factor, attention, none):
    with_it, without = ([curve[-1] for curve in arm] for arm in (attention, none))
    if max(with_it) < min(without):
        return HOLDS
    return FAILS if min(with_it) > max(without) else OPEN


def _experiment(seeds=range(5), steps=LONGEST, judge=_by_bounds, factors=(2, 1)):
    """Return an experiment of which a part is replaced."""

    def half_the_steps(world):
        run = laboratory(world, budget=3_000, longest=LONGEST, attention=(True, False))
        arms = [
            [run(attention=attention, seed=seed, steps=steps) for seed in seeds]
            for attention in (True, False)
        ]
        return [judge(factor, *arms) for factor in factors]

    return half_the_steps


def with_tensors(world):
    run = laboratory(world, 3_000, 300, attention=(True, False))
    table = torch.tensor(
        [
            [run(attention=attention, seed=seed, steps=300) for seed in range(3, 8)]
            for attention in (True, False)
        ]
    )  # (2, seeds, points)
    below = table < 1
    arrived = below.any(-1)  # (2, seeds)
    step = 25.0 * (below.float().argmax(-1) + 1)
    earliest = step.where(arrived, torch.tensor(300.0))
    latest = step.where(arrived, torch.tensor(torch.inf))
    verdicts = []
    for times in (2, 1):
        if times * latest[0].max() <= earliest[1].min():
            verdicts.append("holds")
        elif times * earliest[0].min() > latest[1].max():
            verdicts.append("does not hold")
        else:
            verdicts.append("not decided")
    return verdicts


def run_by_run(world):
    """Stop each run once it has arrived, and compare each with each."""
    run = laboratory(world, 3_000, 300, attention=(True, False))

    def bounds(attention, seed):
        for steps in range(25, 301, 25):
            if run(attention=attention, seed=seed, steps=steps)[-1] < 1:
                return steps, steps
        return 301, 10**6

    pairs = [(bounds(True, one), bounds(False, other)) for one in range(5) for other in range(5)]
    found = []
    for times in (2, 1):
        if all(times * mine[1] <= theirs[0] for mine, theirs in pairs):
            found.append(HOLDS)
        elif all(times * mine[0] > theirs[1] for mine, theirs in pairs):
            found.append(FAILS)
        else:
            found.append(OPEN)
    return found


def by_cases(world):
    run = laboratory(world, 3_000, 300, attention=(True, False))
    steps = {}
    for attention in (True, False):
        curves = [run(attention=attention, seed=seed, steps=300) for seed in range(5)]
        steps[attention] = [
            25 * min([place for place, loss in enumerate(curve) if loss < 1], default=99) + 25
            for curve in curves
        ]  # 2,500: has not arrived

    def verdict(times):
        slowest, first = max(steps[True]), min(steps[False])
        if slowest <= 300 and times * slowest <= min(first, 300):
            return HOLDS
        if max(steps[False]) <= 300 and times * min(steps[True]) > max(steps[False]):
            return FAILS
        return OPEN

    return (verdict(2), verdict(1))


exercise = Exercise(
    id="half_the_steps",
    title="Refute us: half of the steps",
    points=3,
    difficulty=2,
    minutes=15,
    section="06.12",
    outputs=["verdicts"],
    returns="texts",
    cases=cases,
    equivalents={
        "run = laboratory(world, budget=3000, longest=301, attention=(True, False))": NOT_ASKED,
        "run = laboratory(world, budget=3001, longest=300, attention=(True, False))": NOT_ASKED,
        "return [next((25 * (place + 1) for place, loss in enumerate(curve) if loss <= 1), "
        "missing) for curve in curves]": EQUAL,
        "return [next((24 * (place + 1) for place, loss in enumerate(curve) if loss < 1), "
        "missing) for curve in curves]": "ratios remain",
        **{
            line: "steps are multiples of 25"
            for line in (
                "elif times * min(arrivals(True, 299)) > max(arrivals(False, math.inf)):",
                "elif times * min(arrivals(True, 301)) > max(arrivals(False, math.inf)):",
                "if times * max(arrivals(True, math.inf)) <= min(arrivals(False, 301)):",
            )
        },
    },
    hints=[
        "At which step did each run get below 1? And what do you know of a run that did not within "
        "300 steps: its number of steps, or only a bound?",
        "A run that has not arrived would arrive at step 300 at the earliest, and at the latest "
        "never. For a claim to hold, even the slowest that attention can have been has to be soon "
        "enough for the fastest that the other can have been. For it to fail, the other way round.",
        "For each run find `earliest` and `latest`: both the step of the first point below 1, or "
        "300 and `math.inf` if there is none. With `times` 2 and then 1: `HOLDS` if times · max "
        "(latest with attention) ≤ min (earliest without it); `FAILS` if times · min (earliest "
        "with) > max (latest without); else `OPEN`. Five seeds each.",
    ],
    mistakes={
        "one seed": WrongAnswer(
            _experiment(seeds=[0]),
            "You train each model with one seed, and luck decides.",
            "What would your experiment say if it took seed 4?",
            misconception="one-run-tells",
            also={f"seed {seed}": _experiment(seeds=[seed]) for seed in range(1, 8)},
        ),
        "two to four seeds": WrongAnswer(
            _experiment(seeds=range(3)),
            "Your seeds are too few: luck would order two arms of three seeds in one experiment "
            "of 10, and of four in one of 35.",
            "C(2n, n) / 2: for which n is it above 100?",
            misconception="one-run-tells",
            also={f"{count} of them": _experiment(seeds=range(count)) for count in (2, 4)},
        ),
        "short runs": WrongAnswer(
            _experiment(steps=150),
            "Your runs are too short: most of those without attention arrive, if at all, after "
            "step 150. The budget has room for more.",
            "How many steps can each of ten runs have?",
            misconception="curve-by-its-end",
            also={f"of {steps}": _experiment(steps=steps) for steps in (100, 200, 225)},
        ),
        "the last step for an arrival": WrongAnswer(
            _experiment(judge=_by_numbers(LONGEST)),
            "Who has not arrived within 300 steps counts for you as arriving at step 300. You know "
            "no more than that it takes longer.",
            "Would your verdict be the same if that run arrived at step 2,000?",
            misconception="curve-by-its-end",
        ),
        "never for not yet": WrongAnswer(
            _experiment(judge=_by_numbers(math.inf)),
            "Who has not arrived within 300 steps counts for you as never arriving. Perhaps step "
            "325 would have been enough.",
            "Would your verdict be the same if that run arrived at step 325?",
            misconception="undecided-is-no",
        ),
        "left out": WrongAnswer(
            _experiment(judge=_dropped),
            "You leave out the runs that have not arrived. They are the slowest: without them, "
            "their arm looks faster than it is.",
            "What do you know of such a run, after all?",
            misconception="best-run-counts",
        ),
        "medians": WrongAnswer(
            _experiment(judge=_medians),
            "You compare one middle number of each arm. Two of them nearly always differ; do they "
            "differ by more than seeds do?",
            "Do all seeds say the same?",
            misconception="averages-anywhere",
        ),
        "losses for steps": WrongAnswer(
            _experiment(judge=_last_losses),
            "You compare the losses at the end. The claims speak of the steps that it takes to "
            "come below 1.",
            "At which step does each curve come below 1 for the first time?",
            misconception="another-task",
        ),
        "no slower for twice as fast": WrongAnswer(
            _experiment(factors=(1, 1)),
            "For the first claim you ask whether attention needs no more steps. It says more: at "
            "most *half* as many.",
            "100 steps and 150: does the first claim hold?",
            misconception="wider-than-shown",
        ),
        "claims swapped": WrongAnswer(
            _experiment(factors=(1, 2)),
            "You give the two verdicts in the wrong order: the first is about half of the steps.",
            "Which claim comes first?",
            misconception="opposite",
        ),
        "always undecided": WrongAnswer(
            lambda world: [OPEN, OPEN],
            "You call everything not decided. That is safe and useless: in some worlds five seeds "
            "say the same, with a wide margin.",
            "What would you have to see to be convinced?",
            misconception="undecided-is-safe",
        ),
    },
    variants=[with_tensors, run_by_run, by_cases],
)
