"""The task “Refute us: whatever the rate”: right experiments, and wrong ones."""

from itertools import product
from statistics import fmean

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.worlds import (
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

POINTS = 4
NORMS, RATES, WARMUPS = ("pre", "post"), (0.003, 0.04), (0, 50)


def cases(draw: Draw) -> list[Case]:
    def arm(name):
        ends = {
            "lower": lambda: alike(draw, 0.5),
            "usual": lambda: of_two_kinds(draw, 0.8, 0.92, EVEN),
            "as usual": lambda: of_two_kinds(draw, 0.84, 0.88, ODD),
            "higher": lambda: alike(draw, 1.6),
            "low at first": lambda: of_two_kinds(draw, 0.5, 2.4, FIRST),
            "low in the second": lambda: of_two_kinds(draw, 0.5, 2.4, SECOND),
            "low in the third": lambda: of_two_kinds(draw, 0.5, 2.4, THIRD),
            "low in the fourth": lambda: of_two_kinds(draw, 0.5, 2.4, FOURTH),
            "high at first": lambda: of_two_kinds(draw, 0.1, 1.3, LAST),
        }
        if name == "falling":
            return falling(draw, alike(draw, 1.1), POINTS)
        return fallen(
            draw, ends[name.removesuffix(", late")](), POINTS, 1.5 if "late" in name else 1
        )

    def world(label, low, high, warm="usual"):
        """Return a world of pre-norms at both rates; `warm` is pre-norm, low rate, warm-up."""
        pre = torch.stack([arm(low), arm(warm), arm(high), arm("lower")])
        post = torch.stack([arm("usual"), arm("lower"), arm("usual"), arm("higher")])
        table = torch.stack([pre, post]).unflatten(1, (2, 2))  # (norms, rates, warm-ups, …)
        return Case(label, {"world": table})

    return [
        world("better at both rates", "lower", "lower"),
        world("better at the high rate, as good at the low one", "as usual", "lower"),
        world("better at the low rate, as good at the high one", "lower", "as usual"),
        world("better at the high rate, worse at the low one", "higher", "lower"),
        world("better at the low rate, worse at the high one", "lower", "higher"),
        world("as good at one rate, worse at the other", "as usual", "higher"),
        world("worse at one rate, as good at the other", "higher", "as usual"),
        world("worse at both rates", "higher", "higher"),
        world("no difference", "as usual", "as usual"),
        world("a warm-up helps, a norm does not", "as usual", "as usual", warm="lower"),
        world("luck of the first four seeds", "low at first", "lower"),
        world("luck of four other seeds", "low in the third", "low in the second"),
        world("luck of others again", "low in the fourth", "lower"),
        world("bad luck of the first four seeds", "lower", "high at first"),
        world("better late", "lower, late", "lower"),
        world("late, and better at the other rate", "lower", "lower, late"),
        world("still falling", "falling", "lower"),
    ]


def _all(verdicts):
    """Return the verdict on *at either rate*: one exception is enough, and one doubt leaves it."""
    return FAILS if FAILS in verdicts else OPEN if OPEN in verdicts else HOLDS


def _experiment(
    seeds=range(5),
    steps=100,
    rates=RATES,
    warmup=(0, 0),
    judge=decide,
    either=_all,
):
    """Return an experiment of which a part is replaced; `warmup` is that of pre- and post-norm."""

    def whatever_the_rate(world):
        run = laboratory(world, 2_000, 100, norm=NORMS, rate=RATES, warmup=WARMUPS)

        def arm(norm, rate):
            warm = warmup[NORMS.index(norm)]
            return [
                run(norm=norm, rate=rate, warmup=warm, seed=seed, steps=steps) for seed in seeds
            ]

        verdicts = [judge(arm("pre", rate), arm("post", rate)) for rate in rates]
        return [*verdicts, either(verdicts)]

    return whatever_the_rate


def _pooled(world):
    run = laboratory(world, 2_000, 100, norm=NORMS, rate=RATES, warmup=WARMUPS)
    arms = [
        [
            run(norm=norm, rate=rate, warmup=0, seed=seed, steps=100)
            for rate, seed in product(RATES, range(5))
        ]
        for norm in NORMS
    ]
    each = [decide(arms[0][:5], arms[1][:5]), decide(arms[0][5:], arms[1][5:])]
    return [*each, decide(*arms)]


def _means(pre, post):
    pre, post = (fmean(curve[-1] for curve in arm) for arm in (pre, post))
    return HOLDS if pre < post else FAILS


def with_tensors(world):
    run = laboratory(world, 2_000, 100, norm=NORMS, rate=RATES, warmup=WARMUPS)
    table = torch.tensor(
        [
            [
                [
                    run(norm=norm, rate=rate, warmup=0, seed=seed, steps=100)
                    for seed in (7, 5, 3, 2, 4)
                ]
                for rate in RATES
            ]
            for norm in NORMS
        ]
    )  # (norms, rates, seeds, points)
    last, rests = table[..., -1], table[..., -2] - table[..., -1] < 0.1
    holds = (last[0].amax(-1) < last[1].amin(-1)) & rests[1].all(-1)
    fails = (last[0].amin(-1) > last[1].amax(-1)) & rests[0].all(-1)
    each = [
        "holds" if h else "does not hold" if f else "not decided"
        for h, f in zip(holds, fails, strict=True)
    ]
    if fails.any():
        return [*each, "does not hold"]
    return [*each, "holds" if holds.all() else "not decided"]


def other_seeds(world):
    """Take other seeds; the third verdict is the most doubtful or the worst of the others."""
    run = laboratory(world, 2_000, 100, norm=NORMS, rate=RATES, warmup=WARMUPS)
    verdicts = []
    for rate in (0.003, 0.04):
        arms = [
            [run(norm=norm, rate=rate, warmup=0, seed=seed, steps=100) for seed in (0, 2, 4, 6, 7)]
            for norm in NORMS
        ]
        verdicts.append(decide(*arms))
    order = [FAILS, OPEN, HOLDS]
    return (*verdicts, min(verdicts, key=order.index))


def loop(world):
    run = laboratory(world, 2_000, 100, norm=NORMS, rate=RATES, warmup=WARMUPS)
    answers = {}
    for rate in (0.04, 0.003):
        curves = {"pre": [], "post": []}
        for seed in range(3, 8):
            for norm, known in curves.items():
                known.append(run(norm=norm, rate=rate, warmup=0, seed=seed, steps=100))
        answers[rate] = decide(lower=curves["pre"], higher=curves["post"])
    found = [answers[0.003], answers[0.04]]
    if found[0] == found[1] == "holds":
        return [*found, "holds"]
    return [*found, "does not hold" if "does not hold" in found else "not decided"]


exercise = Exercise(
    id="whatever_the_rate",
    title="Refute us: whatever the rate",
    points=3,
    difficulty=2,
    minutes=15,
    section="08.6",
    outputs=["verdicts"],
    returns="texts",
    cases=cases,
    equivalents={
        f"run = laboratory(world, {arguments})": NOT_ASKED
        for arguments in (
            "budget=2000, longest=100, norm=('pre', 'post'), rate=(0.003, 0.04), warmup=(0, 49)",
            "budget=2000, longest=100, norm=('pre', 'post'), rate=(0.003, 0.04), warmup=(0, 51)",
            "budget=2000, longest=101, norm=('pre', 'post'), rate=(0.003, 0.04), warmup=(0, 50)",
            "budget=2001, longest=100, norm=('pre', 'post'), rate=(0.003, 0.04), warmup=(0, 50)",
        )
    },
    hints=[
        "How many arms are there if the two norms are compared at each rate, and nothing else "
        "differs between the two that are compared? How many seeds of each does the budget allow?",
        "Four arms of five seeds and 100 steps are just the budget. `decide` gives the first two "
        "verdicts. For the third: what does it take for *at either rate* to hold, and what is "
        "enough against it?",
        '`verdicts = [decide(arm("pre", rate), arm("post", rate)) for rate in (0.003, 0.04)]`, '
        "where `arm` trains five seeds without a warm-up. The third is `FAILS` if one of the two "
        "is `FAILS`; else `OPEN` if one is `OPEN`; else `HOLDS`.",
    ],
    mistakes={
        "two changes at once": WrongAnswer(
            _experiment(warmup=(50, 0)),
            "One of the norms is trained with a warm-up, and the other without. Two things differ "
            "between your arms, and either may be the cause.",
            "What is `warmup` in each of your runs?",
            misconception="two-changes-one-cause",
            also={"the other way round": _experiment(warmup=(0, 50))},
        ),
        "with a warm-up": WrongAnswer(
            _experiment(warmup=(50, 50)),
            "You train both norms with a warm-up. The claims speak of training without one.",
            "What is `warmup` in each of your runs?",
            misconception="another-task",
        ),
        "one rate": WrongAnswer(
            lambda world: _experiment(rates=RATES[1:])(world)[:1] * 3,
            "You try one rate alone, and conclude for both. Nothing was seen of the other.",
            "At which rates were your models trained?",
            misconception="wider-than-shown",
            also={"the low one": lambda world: _experiment(rates=RATES[:1])(world)[:1] * 3},
        ),
        "rates in one pot": WrongAnswer(
            _pooled,
            "For the third claim you put the runs of both rates into one pot. Runs at two rates "
            "differ anyway, which hides what the norms do at each.",
            "Which two runs differ in their norm alone?",
            misconception="averages-anywhere",
        ),
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
        "stopped early": WrongAnswer(
            _experiment(steps=50),
            "You stop too early. In some worlds pre-norm comes down only after step 50, and then "
            "it is the better one.",
            "How many steps may a run have? What does the budget allow with five seeds?",
            misconception="curve-by-its-end",
        ),
        "means": WrongAnswer(
            _experiment(judge=_means),
            "You compare one number of each arm, such as its mean. Two of them nearly always "
            "differ; do they differ by more than seeds do?",
            "How far apart are two seeds of the *same* arm?",
            misconception="averages-anywhere",
        ),
        "one rate is enough": WrongAnswer(
            _experiment(
                either=lambda each: HOLDS if HOLDS in each else FAILS if FAILS in each else OPEN
            ),
            "You say that the third claim holds as soon as it holds at one rate. It speaks of "
            "both.",
            "What would the word *either* be for, otherwise?",
            misconception="wider-than-shown",
        ),
        "a doubt covers an exception": WrongAnswer(
            _experiment(
                either=lambda each: OPEN if OPEN in each else FAILS if FAILS in each else HOLDS
            ),
            "Where pre-norm is worse at one rate and the other is not decided, you call the third "
            "claim not decided. One exception refutes *at either rate*, whatever the other says.",
            "Can the rate that is still open save the claim?",
            misconception="wider-than-shown",
        ),
        "undecided taken for no": WrongAnswer(
            _experiment(either=lambda each: HOLDS if {*each} == {HOLDS} else FAILS),
            "Where one rate is not decided, you say that the third claim does not hold. That a "
            "difference was not seen is no proof that there is none.",
            "What would more seeds, or more steps, be able to change?",
            misconception="undecided-is-no",
        ),
        "always undecided": WrongAnswer(
            lambda world: [OPEN] * 3,
            "You call everything not decided. That is safe and useless: in some worlds five seeds "
            "lie clearly apart, and nothing moves any more.",
            "What would you have to see to be convinced?",
            misconception="undecided-is-safe",
        ),
    },
    variants=[with_tensors, other_seeds, loop],
)
