"""Test the checks in both directions: `python -m solutions.selftest`, or `make selftest`.

Every known mistake has to fail under its own name, on the public cases and on hidden ones (from
other seeds); every right answer has to pass, in whatever style it is written; and the checks have
to notice small faults in a solution (`mutants`).

Without an argument, it tests all tasks whose code has changed since their self-test last passed;
`selftest.json` has each task's counts and the digest of its code. The number of a notebook, "05",
or the name of a task, "entropy", selects tasks; with `--changed`, only the changed ones among them
are tested. `--all` tests every task.
"""

import ast
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from solutions import digests, facts
from solutions.build import chosen, code_of, only_argument, repeat_facts, solutions_of, stub
from solutions.mutants import mutants
from solutions.specification import CatchTheBug, Exercise, LightTask
from utils.checks import bank
from utils.checks.code import defined, syntax
from utils.checks.compare import Verdict
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed, redirected
from utils.checks.notebook import verdict_on
from utils.checks.tasks import Record

HIDDEN_SETS = 10  # sets of hidden cases, each from a fresh seed


def verdict(record: Record, answer: Any) -> Verdict:
    """Return the verdict of a task's check on an answer: a function, class or dictionary."""
    return verdict_on(record, {record.task.id: answer}, Printed())


def variants(exercise: Exercise) -> dict[str, Any]:
    """Return an exercise's right answers in other styles, by name."""
    is_code = kind_of(exercise.task).is_code
    return {variant.__name__: variant if is_code else variant() for variant in exercise.variants}


def source_of(path: Path, exercise: Exercise) -> str:
    """Return the source of the cell that holds an exercise's solution."""
    return next(cell for cell in code_of(path) if exercise.task.id in defined(cell))


def mutants_of(path: Path, exercise: Exercise) -> list[tuple[str, str]]:
    """Return (changed line, code) for each mutant of a solution.

    There are none of a test, a light task, nor of an answer that trains a model for a mark: each
    verdict would train for many seconds, and a training with slightly other numbers is no fault.
    """
    if isinstance(exercise, CatchTheBug | LightTask) or _is_marked_by_training(exercise):
        return []
    source = source_of(path, exercise)
    return [
        mutant for name in _written(source, exercise.task.id) for mutant in mutants(source, name)
    ]


def _is_marked_by_training(exercise: Exercise) -> bool:
    return bool(exercise.gold) and not exercise.task.again  # as a training takes long


def _written(source: str, task: str) -> list[str]:
    """Return the task's name or, if its definition is given, the names that it rests on."""
    given = {ast.unparse(statement) for statement in syntax(stub(source)).body}
    written = [
        name
        for statement in syntax(source).body
        if ast.unparse(statement) not in given
        for name in defined(ast.unparse(statement))
    ]
    return [task] if task in written else written


def _solutions(path: Path, exercise: Exercise) -> dict[str, Any]:
    """Return the variables of a solution notebook, with its trained model if the exercise needs it.

    Right answers call `solutions_of(path)` too. It is cached by its arguments, so the call here has
    to be written the same way for both to share one training.
    """
    return solutions_of(path) if exercise.gold else solutions_of(path, train=False)


def names_after(path: Path, exercise: Exercise, code: str) -> dict[str, Any]:
    """Run a changed solution after a solution notebook, and return all variables by name."""
    names = _solutions(path, exercise).copy()
    with redirected(Printed()):
        exec(compile(code, "<mutant>", "exec"), names)
    return names


def problems_of(path: Path, exercise: Exercise, counts: dict[str, int]) -> Iterator[str]:
    """Test the check of an exercise, and yield a message about each problem with it.

    It increases the counters in `counts`, such as "mutants_caught".
    """
    task = exercise.task
    solution = _solutions(path, exercise)[task.id]
    records = {"public": bank.load(task.id)}
    for seed in (random.SystemRandom().randrange(2**40) for _ in range(HIDDEN_SETS)):
        records[f"seed {seed}"] = exercise.record(solution, seed)

    for mistake in exercise.mistakes:
        verdicts = {name: verdict(record, mistake.gives) for name, record in records.items()}
        passed = [name for name, outcome in verdicts.items() if outcome.passed]
        not_named = [
            f"{name}: {outcome.mistake and outcome.mistake.name}"
            for name, outcome in verdicts.items()
            if not (outcome.mistake and outcome.mistake.name == mistake.name)
        ]
        counts["misconceptions"] += 1
        counts["misconceptions_caught"] += not passed
        counts["misconceptions_named"] += not not_named
        counts["verdicts"] += len(verdicts)
        if len(passed) == len(verdicts):
            yield f"{task.id}, {mistake.name}: passes every case. Add one that tells it apart"
        elif not_named:
            yield f"{task.id}, {mistake.name}: passed {passed}, not named {not_named}"

    for name, answer in {"the solution": solution, **variants(exercise)}.items():
        verdicts = {name: verdict(record, answer) for name, record in records.items()}
        refused = [f"by {name}: {v.message}" for name, v in verdicts.items() if not v.passed]
        if name != "the solution":
            counts["variants"] += 1
            counts["variants_accepted"] += not refused
        if refused:
            times = f"refused {len(refused)} of {len(verdicts)} times"
            yield f"{task.id}, right answer {name}: {times}, {refused[0]}"

    tried = mutants_of(path, exercise)
    passed = [line for line, code in tried if _passes(records["public"], path, exercise, code)]
    equivalent = [line for line in passed if line in exercise.equivalents]
    counts["mutants"] += len(tried)
    counts["mutants_equivalent"] += len(equivalent)
    counts["mutants_caught"] += len(tried) - len(passed)
    for line in sorted(set(passed) - set(equivalent)):
        yield f"{task.id}, mutant passes: {line}"
    for line in sorted(exercise.equivalents.keys() - set(equivalent)):
        yield f"{task.id}: no mutant that passes has the line `{line}`. Take it out of equivalents"


def _passes(record: Record, path: Path, exercise: Exercise, code: str) -> bool:
    """Return whether the check accepts a changed solution."""
    try:
        names = names_after(path, exercise, code)
        kind = kind_of(record.task)
        given = kind.run(names[record.task.id], record.cases, Printed())
        return kind.judge(record, record.trials(given)).passed
    except Exception:  # it does not run, or returns something that cannot be compared
        return False


def is_up_to_date(path: Path, exercise: Exercise) -> bool:
    """Return whether an exercise's self-test passed with the code as it is now."""
    entry = facts.stored_counts().get(exercise.task.id, {})
    return entry.get("digest") == digests.digest(path, exercise)


def main() -> int:
    """Run self-tests, store and print their counts, and return the exit status."""
    parser = only_argument("Check the checks, in both directions.")
    parser.add_argument("--all", action="store_true", help="run every task")
    parser.add_argument("--changed", action="store_true", help="run only what has changed")
    options = parser.parse_args()
    try:
        exercises = chosen(options.only)
    except ValueError as error:
        sys.exit(str(error))
    entries, problems = facts.stored_counts(), 0
    in_course = [exercise.task.id for _, exercise in chosen()]
    run_all = options.all or (options.only and not options.changed)
    for number, (path, exercise) in enumerate(exercises, start=1):
        task, counts = exercise.task, Counter()
        if not run_all and is_up_to_date(path, exercise):
            continue
        print(f"{number:2} of {len(exercises)}: {path.name[:2]} {task.id}", end=" ", flush=True)
        of_task = list(problems_of(path, exercise, counts))
        is_light = isinstance(exercise, LightTask)
        print("light: symptoms only" if is_light else facts.in_words(counts))
        print("".join(f"  PROBLEM: {problem}\n" for problem in of_task), end="", flush=True)
        problems += len(of_task)
        entries[task.id] = {"digest": digests.digest(path, exercise), **counts}
        if of_task:
            del entries[task.id]["digest"]
        facts.store_counts(entries)
    facts.store_counts({task: entries[task] for task in in_course if task in entries})
    repeat_facts()
    chosen_entries = [entries[exercise.task.id] for _, exercise in exercises]
    counts = {"tasks": len(exercises), "points": sum(each.task.points for _, each in exercises)}
    counts |= facts.sum_of(chosen_entries)
    for name, count in counts.items():
        print(f"{name.replace('_', ' '):24}{count:6}")
    print(json.dumps({**counts, "problems": problems}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
