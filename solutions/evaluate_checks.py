"""Measure the checks on labelled answers that are unknown to them: `make recall [ANSWERS=file]`.

The output lists, below each task, the checks' verdicts on its answers, round by round. Its last
line holds the counts of all files, as JSON. `solutions.labelled` reads the files.

    python -m solutions.evaluate_checks --lines 400

changes one line in right answers of the files, and counts how often the line at which feedback says
that they leave the right ones is that line; it prints the others.

    python -m solutions.evaluate_checks --times

prints what a process's first check takes of a right answer and of a wrong one, for each task.
"""

import argparse
import itertools
import json
import multiprocessing
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import torch

from solutions.build import chosen, names_at_first, solved
from solutions.labelled import FILE, Labelled, defined_by, labelled
from solutions.mutants import mutants
from solutions.selftest import source_of
from solutions.specification import Exercise
from utils.checks import bank
from utils.checks.compare import Verdict
from utils.checks.feedback import explain
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on, warm
from utils.checks.tasks import Reason
from utils.checks.trace import LONGEST_LINE

PARTS = re.compile(r"At `([^`]*)` \(line \d+\) your code")
OUTCOMES = (  # of a check that refuses a wrong answer
    "named",  # it names a known mistake
    "related",  # it states a relation: how the answer differs from the right one
    "symptom",  # it states a symptom: a shape, an exception, a broken rule
    "silent",  # it states only that values differ
)


def verdict(answer: Labelled) -> Verdict:
    """Return the verdict that a learner with this answer gets.

    Raises:
        Exception: the answer's code raised it.
    """
    ((path, _),) = chosen(answer.task)
    torch.manual_seed(0)  # some answers train a network
    names = defined_by(answer, names_at_first(path))
    return verdict_on(bank.load(answer.task), names, Printed())


def outcome(verdict: Verdict) -> str:
    """Classify a verdict: "accepted", or one of `OUTCOMES`."""
    if verdict.passed:
        return "accepted"
    if verdict.mistake:
        return "named"
    if verdict.relation:
        return "related"
    return "silent" if verdict.reason == Reason.VALUES else "symptom"


def count(judged: Iterable[tuple[Labelled, str]]) -> dict[str, int]:
    """Count the answers by label and outcome.

    Returns:
        The number of right answers, of accepted ones among them, of wrong answers, of refused ones
        among them, and of wrong answers with each of `OUTCOMES`.
    """
    of_right = [outcome for answer, outcome in judged if answer.right]
    of_wrong = [outcome for answer, outcome in judged if not answer.right]
    return {
        "right": len(of_right),
        "accepted": of_right.count("accepted"),
        "wrong": len(of_wrong),
        "refused": len(of_wrong) - of_wrong.count("accepted"),
        **{outcome: of_wrong.count(outcome) for outcome in OUTCOMES},
    }


def report(answer: Labelled, verdict: Verdict) -> Iterator[str]:
    """Yield a line with the check's verdict on an answer; if it is wrong, one with its mistake.

    A line between them tells of a fault in the diagnosis itself, if there was one.
    """
    words = verdict.mistake.name if verdict.mistake else verdict.relation or verdict.message
    label = f"{'right' if answer.right else 'wrong'}-{answer.name}"
    yield f"    {label}: {outcome(verdict)}{'' if verdict.passed else f': {words}'}"
    if verdict.fault:
        yield f"        FAULT in the diagnosis of `{answer.task}`: {verdict.fault}"
    if answer.mistake:
        yield f"        in truth: {answer.mistake}"


def measure_lines(files: Sequence[Path], count: int) -> None:
    """Print how often the feedback on a right answer with one changed line points at that line."""
    draw = random.Random(0)
    right = [answer for file in files for answer in labelled(file) if answer.right]
    counts: Counter[str] = Counter()
    for answer in draw.choices(right, k=count):
        faulty = [*mutants(answer.code, answer.task)]
        if not faulty:
            continue
        changed, code = draw.choice(faulty)
        try:
            given = verdict(answer._replace(code=code))
        except Exception:  # it can no longer be defined
            continue
        found = PARTS.search(given.relation)
        if not found:
            counts["no line"] += not given.passed
            continue
        place = "the line" if found[1] == changed[:LONGEST_LINE] else "another"
        counts[place] += 1
        if place == "another":
            print(
                f"{answer.task} {answer.name}: changed `{changed}`\n    {given.relation}\n{code}\n"
            )
    print(json.dumps(counts))


def measure_times(files: Sequence[Path]) -> None:
    """Print the milliseconds of processor time of the first check in a process, slowest first.

    What comes before it for a learner has run: the import of `utils.checks`, with what it loads in
    the background, and the cells of the notebook.
    """
    stored = {(a.task, a.right): a for file in reversed(files) for a in reversed(labelled(file))}
    times = []
    for path, exercise in chosen():
        task, of_task = exercise.task.id, {}
        for label in ("right", "wrong"):
            answer = stored.get((task, label == "right")) or _of_ours(path, exercise, label)
            if answer:
                of_task[label] = _first_check(path, answer)
        times.append((max(of_task.values()), task, of_task))
    for most, task, of_task in sorted(times, reverse=True):
        print(f"{task:24}{most:8,.0f} ms", *(f"{label} {ms:,.0f}" for label, ms in of_task.items()))


def _of_ours(path: Path, exercise: Exercise, label: str) -> Labelled | None:
    """Return our solution or, as a wrong answer, one with a changed line; None if none can be."""
    code = solved(source_of(path, exercise))
    if label == "wrong":
        code = next((code for _, code in mutants(code, exercise.task.id)), None)
    return code and Labelled(exercise.task.id, label, "ours", code)


def _first_check(path: Path, answer: Labelled) -> float:
    """Return the milliseconds of processor time of a check in a process that has made none."""
    context = multiprocessing.get_context("fork")  # the modules are there, and nothing else
    with ProcessPoolExecutor(1, context) as pool:
        return pool.submit(_milliseconds, path, answer).result()


def _milliseconds(path: Path, answer: Labelled) -> float:
    os.environ["JPY_SESSION_NAME"] = path.name
    if loading := warm():
        loading.join()
    names, printed = defined_by(answer, names_at_first(path)), Printed()
    start = time.process_time()
    explain(verdict_on(bank.load(answer.task), names, printed), printed.lines)
    return 1e3 * (time.process_time() - start)


def main(files: Sequence[Path]) -> None:
    """Print the checks' verdicts on the answers in each file, and the counts over all files."""
    judged: list[tuple[Labelled, str]] = []
    for file in files:
        try:
            answers = labelled(file)
        except ValueError as error:
            sys.exit(str(error))
        except OSError as error:
            sys.exit(f"Cannot read {file}, a file of labelled answers: {error.strerror}.")
        for number, of_round in itertools.groupby(answers, lambda answer: answer.round):
            judged += judge(f"{file.stem} {number or ''}".rstrip(), of_round)
    print(json.dumps(count(judged)))


def judge(title: str, answers: Iterable[Labelled]) -> list[tuple[Labelled, str]]:
    """Print the checks' verdicts on answers, sorted by task; return each answer's outcome."""
    print(f"{title:24}" + "".join(f"{name:>10}" for name in count([])))
    judged: list[tuple[Labelled, str]] = []
    for task, of_task in itertools.groupby(answers, lambda answer: answer.task):
        verdicts = [(answer, verdict(answer)) for answer in of_task]
        outcomes = [(answer, outcome(given)) for answer, given in verdicts]
        print(f"{task:24}" + "".join(f"{number:10}" for number in count(outcomes).values()))
        print(*(line for each in verdicts for line in report(*each)), sep="\n")
        judged += outcomes
    print(f"{title + ', all':24}" + "".join(f"{number:10}" for number in count(judged).values()))
    return judged


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure the checks on labelled answers.")
    parser.add_argument("files", type=Path, nargs="*", default=[FILE])
    parser.add_argument("--lines", type=int, default=0, metavar="COUNT")
    parser.add_argument("--times", action="store_true")
    options = parser.parse_args()
    if options.times:
        measure_times(options.files)
    elif options.lines:
        measure_lines(options.files, options.lines)
    else:
        main(options.files)
