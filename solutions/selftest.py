"""The checks, checked in both directions: `python -m solutions.selftest`, or `make selftest`.

The number of a notebook, "05", or the name of a task, "entropy", restricts it to that,
and to fewer sets of hidden cases: enough between two edits.

Every known mistake has to fail under its own name, on the public cases and on hidden ones; every
right answer has to pass, however it is written; and small faults in a solution have to be noticed.
Of faults that are no known mistake it is counted how often a relation to the right answer is found:
of mutants, of two faults at once, and of the known mistakes where the catalogue is left out.
"""

import contextlib
import json
import math
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from solutions import facts
from solutions.build import (
    chosen,
    code_of,
    only_asked_for,
    repeat_facts,
    solutions_of,
    stub,
)
from solutions.mutants import mutants
from solutions.specification import CatchTheBug, Exercise
from utils.checks import bank
from utils.checks.code import defined
from utils.checks.compare import Verdict, judge
from utils.checks.notebook import verdict_on
from utils.checks.runner import Printed, run_cases
from utils.checks.tasks import Record

PAIRS = 12  # answers with two faults that are tried in each task, about
HIDDEN_SETS = 10
HIDDEN_SETS_BETWEEN_EDITS = 3


def hidden_seeds(count: int) -> list[int]:
    """Seeds that have never been used before."""
    return [random.SystemRandom().randrange(2**40) for _ in range(count)]


def records(exercise: Exercise, solution: Any, hidden: int) -> Iterator[tuple[str, Record]]:
    """The public record that learners have, then a hidden one for each fresh seed."""
    yield "public", bank.load(exercise.task.id)
    for seed in hidden_seeds(hidden):
        yield f"seed {seed}", exercise.record(solution, seed)


def verdict(record: Record, given: Any) -> Verdict:
    """What a learner who defined this would be told."""
    return verdict_on(record, {record.task.id: given}, Printed())


def variants(exercise: Exercise) -> dict[str, Any]:
    """Right answers written in other ways, by name."""
    made = exercise.task.answer_type == "choices"
    return {one.__name__: one() if made else one for one in exercise.variants}


@cache
def names_at_first(path: Path) -> dict:
    """The names that a learner's notebook holds before any work is done."""
    names: dict = {}
    exec("\n".join(stub(source) for source in code_of(path)), names)
    return names


def _solutions(path: Path, exercise: Exercise) -> dict:
    """What the notebook defines; its model is trained only where the exercise needs it."""
    return solutions_of(path) if exercise.gold else solutions_of(path, train=False)


def mutants_of(path: Path, exercise: Exercise) -> list[tuple[str, str]]:
    """The changed line and the code of each mutant of the solution."""
    if isinstance(exercise, CatchTheBug):
        return []
    return list(mutants(source_of(path, exercise), exercise.task.id))


def source_of(path: Path, exercise: Exercise) -> str:
    """The cell that holds the solution."""
    return next(cell for cell in code_of(path) if exercise.task.id in defined(cell))


def passes(record: Record, path: Path, exercise: Exercise, code: str) -> bool:
    """Whether the check takes a changed solution for a right one."""
    try:
        names = names_after(path, exercise, code)
        given = run_cases(record.task, names[record.task.id], record.cases, Printed())
        return judge(record, given).passed
    except Exception:  # it does not run, or gives what cannot be compared
        return False


def names_after(path: Path, exercise: Exercise, code: str) -> dict[str, Any]:
    """What the solution's notebook defines, with a changed solution in it."""
    names = _solutions(path, exercise).copy()
    exec(compile(code, "<mutant>", "exec"), names)
    return names


def count_related(path: Path, exercise: Exercise, counts: dict[str, int]) -> None:
    """Count how often a relation is found, for faults that are no known mistake."""
    record = bank.load(exercise.task.id)
    unknown = replace(record, task=replace(record.task, mistakes=[]))
    for one in exercise.mistakes:
        counts["misconceptions_related"] += bool(verdict(unknown, one.gives).relation)
    singles = [code for _, code in mutants_of(path, exercise)]
    some = singles[:: math.ceil(len(singles) / PAIRS) or 1]
    doubles = [[twice for _, twice in mutants(code, exercise.task.id)] for code in some]
    pairs = [codes[len(codes) // 2] for codes in doubles if codes]
    for name, codes in {"mutants": singles, "pairs": pairs}.items():
        for code in codes:
            with contextlib.suppress(Exception):  # where it does not run, nobody hands it in
                names = names_after(path, exercise, code)
                said = verdict_on(record, names, Printed())
                if not said.passed:
                    counts[f"{name}_wrong"] += 1
                    counts[f"{name}_named"] += bool(said.mistake)
                    counts[f"{name}_related"] += bool(said.relation)


def problems_of(
    path: Path, exercise: Exercise, counts: dict[str, int], hidden: int = HIDDEN_SETS
) -> Iterator[str]:
    """What is wrong with an exercise's check.

    Args:
        path: the solution notebook.
        exercise: one of its exercises.
        counts: is added to on the way.
        hidden: how many sets of hidden cases to try.
    """
    task, solution = exercise.task, _solutions(path, exercise)[exercise.task.id]
    right = {"the solution": solution, **variants(exercise)}
    counts["tasks"] += 1
    counts["points"] += task.points
    counts["misconceptions"] += len(exercise.mistakes)
    counts["variants"] += len(right) - 1
    sets = list(records(exercise, solution, hidden))
    for one in exercise.mistakes:
        said = {name: verdict(record, one.gives) for name, record in sets}
        unnoticed = [name for name, what in said.items() if what.passed]
        unnamed = [
            f"{name}: {what.mistake and what.mistake.name}"
            for name, what in said.items()
            if not (what.mistake and what.mistake.name == one.name)
        ]
        counts["misconceptions_caught"] += not unnoticed
        counts["misconceptions_named"] += not unnamed
        counts["verdicts"] += len(said)
        if len(unnoticed) == len(said):
            yield f"{task.id}, {one.name}: passes every case. Add one that tells it apart"
        elif unnoticed or unnamed:
            yield f"{task.id}, {one.name}: passed {unnoticed}, not named {unnamed}"
    for name, given in right.items():
        refused = [
            f"{where}: {what.message}"
            for where, record in sets
            if not (what := verdict(record, given)).passed
        ]
        counts["variants_accepted"] += name != "the solution" and not refused
        if refused:
            yield f"{task.id}, right answer {name}: {refused}"
    tried = mutants_of(path, exercise)
    count = len(tried)
    passed = [line for line, code in tried if passes(sets[0][1], path, exercise, code)]
    alike = [line for line in passed if line in exercise.equivalents]
    counts["mutants"] += count
    counts["mutants_equivalent"] += len(alike)
    counts["mutants_caught"] += count - len(passed)
    for line in alike:
        print(f"  same as the solution: {line}   ({exercise.equivalents[line]})")
    for line in sorted(set(passed) - set(alike)):
        yield f"{task.id}, mutant passes: {line}"


def main(only: str = "") -> int:
    """Print the counts, and last one line of JSON; those of a full run are kept for `facts`."""
    try:
        exercises = chosen(only)
    except ValueError as error:
        sys.exit(str(error))
    names = "tasks points misconceptions misconceptions_caught misconceptions_named verdicts"
    names += " variants variants_accepted mutants mutants_equivalent mutants_caught"
    if only:
        names += " misconceptions_related mutants_wrong mutants_named mutants_related"
        names += " pairs_wrong pairs_named pairs_related"
    counts = dict.fromkeys(names.split(), 0)
    problems = []
    hidden = HIDDEN_SETS_BETWEEN_EDITS if only else HIDDEN_SETS
    for path, exercise in exercises:
        print(f"{path.name[:2]} {exercise.task.title}")
        for problem in problems_of(path, exercise, counts, hidden):
            problems.append(problem)
            print(f"  PROBLEM: {problem}")
        if only:  # for all tasks it takes half an hour, and nothing that is kept rests on it
            count_related(path, exercise, counts)
    print()
    for name, count in counts.items():
        print(f"{name.replace('_', ' '):24}{count:6}")
    if not (only or problems):
        facts.COUNTS.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
        repeat_facts()
    print(json.dumps({**counts, "problems": len(problems)}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(only_asked_for("Check the checks, in both directions.")))
