"""The task “Refute us: the word before last”: right experiments, and wrong ones."""

import contextlib

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
    of_two_kinds,
)
from utils.checks.tasks import Case
from utils.experiments.laboratory import FAILS, HOLDS, OPEN, laboratory

KINDS = ("sinusoids", "ALiBi", "none")
POINTS = 16
LEARNED = 1.0  # loss below which a model can do it


def cases(draw: Draw) -> list[Case]:
    def spike():
        curves = fallen(draw, alike(draw, 0.4), POINTS)
        curves[:, 10:] = curves[:, 10:] + 1.7
        return curves

    kinds = {
        "soon": lambda: fallen(draw, alike(draw, 0.4), POINTS),
        "late": lambda: fallen(draw, alike(draw, 0.4), POINTS, at=12),
        "first seeds": lambda: fallen(draw, of_two_kinds(draw, 0.4, 1.9, FIRST), POINTS),
        "last seeds": lambda: fallen(draw, of_two_kinds(draw, 0.4, 1.9, LAST), POINTS),
        "even seeds": lambda: fallen(draw, of_two_kinds(draw, 0.4, 1.9, EVEN), POINTS),
        "odd seeds": lambda: fallen(draw, of_two_kinds(draw, 0.4, 1.9, ODD), POINTS),
        "not the second four": lambda: fallen(draw, of_two_kinds(draw, 1.9, 0.4, SECOND), POINTS),
        "not the third four": lambda: fallen(draw, of_two_kinds(draw, 1.9, 0.4, THIRD), POINTS),
        "not the fourth four": lambda: fallen(draw, of_two_kinds(draw, 1.9, 0.4, FOURTH), POINTS),
        "last seeds, late": lambda: fallen(draw, of_two_kinds(draw, 0.4, 1.9, LAST), POINTS, at=12),
        "and forgets": spike,
        "halfway": lambda: fallen(draw, alike(draw, 1.4), POINTS),
        "never": lambda: fallen(draw, alike(draw, 2.1), POINTS),
    }

    def world(label, *names):
        return Case(label, {"world": torch.stack([kinds[name]() for name in names])})

    return [
        world("all three learn soon", "soon", "soon", "soon"),
        world("one learns late, one never", "late", "soon", "never"),
        world("one learns with its last four seeds", "never", "last seeds", "soon"),
        world("one learns with its first four seeds", "soon", "never", "first seeds"),
        world("one learns with every second seed", "even seeds", "late", "never"),
        world("one learns with every other seed", "never", "soon", "odd seeds"),
        world("four seeds in the middle fail", "late", "not the second four", "never"),
        world("four others fail", "not the third four", "soon", "not the fourth four"),
        world("one learns late and seldom", "last seeds, late", "halfway", "soon"),
        world("one learns, and forgets again", "and forgets", "never", "late"),
        world("one comes halfway", "halfway", "soon", "last seeds"),
        world("two never learn", "never", "late", "never"),
    ]


def _by_all_means(curve):
    return min(curve) < LEARNED


def _experiment(
    seeds=range(5), steps=400, learned=_by_all_means, enough=any, seen=FAILS, unseen=OPEN
):
    """Return an experiment of which a part is replaced.

    Args:
        seeds, steps: those of the runs.
        learned: whether a curve is that of a model that can do it.
        enough: how many seeds have to learn: `any`, so that others need not be run, or `all`.
        seen, unseen: the verdicts.
    """

    def word_before_last(world):
        run = laboratory(world, budget=4_400, longest=400, positions=KINDS)
        found = {kind: [] for kind in KINDS}
        for seed in seeds:
            for kind in KINDS:
                if not (found[kind] and enough is any and any(found[kind])):
                    found[kind].append(learned(run(positions=kind, seed=seed, steps=steps)))
        return [seen if enough(found[kind]) else unseen for kind in KINDS]

    return word_before_last


def _one_kind_after_the_other(world):
    run = laboratory(world, budget=4_400, longest=400, positions=KINDS)
    verdicts = dict.fromkeys(KINDS, OPEN)
    with contextlib.suppress(ValueError):
        for kind in KINDS:
            for seed in range(8):
                if _by_all_means(run(positions=kind, seed=seed, steps=400)):
                    verdicts[kind] = FAILS
                    break
    return [*verdicts.values()]


def from_the_last_seed(world):
    run = laboratory(world, 4_400, 400, positions=KINDS)
    open_still = {*KINDS}
    for seed in (7, 6, 5, 4, 3):
        for kind in KINDS:
            if (
                kind in open_still
                and torch.tensor(run(positions=kind, seed=seed, steps=400)).lt(1).any()
            ):
                open_still.discard(kind)
    return [OPEN if kind in open_still else FAILS for kind in KINDS]


def step_by_step(world):
    """Let each run go on in pieces, and stop it as soon as it has learned."""
    run = laboratory(world, 4_400, 400, positions=KINDS)
    verdicts = ["not decided"] * 3
    for seed in range(5):
        for place, kind in enumerate(KINDS):
            for steps in range(100, 401, 100):
                if verdicts[place] == "does not hold":
                    break
                if min(run(positions=kind, seed=seed, steps=steps)) < 1:
                    verdicts[place] = "does not hold"
    return verdicts


def until_the_budget_is_spent(world):
    run = laboratory(world, 4_400, 400, positions=KINDS)
    left, seed, learned = 11, 0, set()
    while left and seed < 8:
        for kind in KINDS:
            if kind not in learned and left:
                left -= 1
                if any(loss < 1 for loss in run(positions=kind, seed=seed, steps=400)):
                    learned.add(kind)
        seed += 1
    return tuple(FAILS if kind in learned else OPEN for kind in KINDS)


exercise = Exercise(
    id="word_before_last",
    title="Refute us: the word before last",
    points=3,
    difficulty=2,
    minutes=15,
    section="10.2",
    outputs=["verdicts"],
    returns="texts",
    cases=cases,
    equivalents={
        "if min(run(positions=kind, seed=seed, steps=400)) <= 1:": EQUAL,
        **{
            f"run = laboratory(world, {limits}, positions=('sinusoids', 'ALiBi', 'none'))": (
                NOT_ASKED
            )
            for limits in ("budget=4400, longest=401", "budget=4401, longest=400")
        },
    },
    hints=[
        "How many models that can do it does it take to refute *cannot*? And how many that do not "
        "would prove it?",
        "Whoever has been refuted needs no further run: spend the steps on the others. The budget "
        "is eleven whole runs. Go through the seeds, and for each seed through the kinds that have "
        "not been refuted yet.",
        '`left = ["sinusoids", "none", "ALiBi"]`; for each of five seeds, and for each kind '
        "in `left`, train for 400 steps, and take the kind out of `left` if "
        "`min(curve) < 1` (change a copy of the list while you walk along it). In the end a kind "
        "in `left` is `OPEN`, and any other `FAILS`.",
    ],
    mistakes={
        "one seed": WrongAnswer(
            _experiment(seeds=[0]),
            "You try one seed of each kind. That another one does not learn either is a guess.",
            "How many whole runs does the budget allow, and what did you spend?",
            misconception="one-run-tells",
            also={f"seed {seed}": _experiment(seeds=[seed]) for seed in range(1, 8)},
        ),
        "three seeds": WrongAnswer(
            _experiment(seeds=range(3)),
            "You stop after two to four seeds, though steps are left. In some worlds only one seed "
            "in two learns, and not the first ones.",
            "Which kinds need no further seed? What could be done with what they leave over?",
            misconception="one-run-tells",
        ),
        "short runs": WrongAnswer(
            _experiment(steps=275),
            "Your runs end before the transition. In some worlds the loss comes down only after "
            "300 steps.",
            "Which kinds have been refuted by the first seed? Do they need four more?",
            misconception="curve-by-its-end",
        ),
        "the last point": WrongAnswer(
            _experiment(learned=lambda curve: curve[-1] < LEARNED),
            "You look at the last point alone. A model that could do it at step 200 has refuted "
            "the claim, whatever became of it afterwards.",
            "What does *cannot* say about step 200?",
            misconception="curve-by-its-end",
        ),
        "all seeds have to learn": WrongAnswer(
            _experiment(seeds=range(3), enough=all),
            "You ask that every seed learns. Against *cannot*, a single one is enough.",
            "What would a single black swan say about *all swans are white*?",
            misconception="wider-than-shown",
        ),
        "any progress counts": WrongAnswer(
            _experiment(learned=lambda curve: min(curve) < 1.6),
            "You count it when the loss is only lower than that of guessing. The task says what "
            "counts: a loss below 1.",
            "What is the lowest loss of the kind that you call learned?",
            misconception="another-task",
        ),
        "not seen, so impossible": WrongAnswer(
            _experiment(unseen=HOLDS),
            "Where no run has learned, you say that it *cannot*. No number of failures shows that: "
            "the next seed, or step 401, may do it.",
            "What experiment could show that something never happens?",
            misconception="undecided-is-no",
        ),
        "one kind after the other": WrongAnswer(
            _one_kind_after_the_other,
            "You spend so much on the first kinds that nothing is left for the last. A kind that "
            "never learns takes all that you give it.",
            "What if each seed were tried with all kinds before the next seed?",
            misconception="parts-in-any-order",
        ),
        "always undecided": WrongAnswer(
            lambda world: [OPEN] * 3,
            "You call everything not decided. That is safe and useless: one model that can do it "
            "is all that is needed against *cannot*.",
            "What would you have to see to be convinced?",
            misconception="undecided-is-safe",
        ),
        "always refuted": WrongAnswer(
            lambda world: [FAILS] * 3,
            "You call every claim refuted. In some worlds no run learns, and then nothing has been "
            "refuted.",
            "Which run is your witness?",
            misconception="plausible-is-right",
        ),
    },
    variants=[from_the_last_seed, step_by_step, until_the_budget_is_spent],
)
