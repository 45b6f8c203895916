"""Print wrong answers drawn at random, each with what its check says: for people to judge.

    python -m solutions.sample_feedback 200 --seed 1

Is all of it true, and does none of it mislead? A third of the answers are solutions with one fault,
a third have two faults, and a third come from the labelled rounds. Exceptions are left out, because
they are easy to judge. Each seed draws other answers.
"""

import argparse
import ast
import contextlib
import difflib
import itertools
import linecache
import random
from collections.abc import Iterator

from solutions.build import chosen
from solutions.evaluate_checks import verdict as verdict_of_labelled
from solutions.labelled import labelled
from solutions.mutants import mutants
from solutions.selftest import mutants_of, names_after, source_of
from utils.checks import bank
from utils.checks.compare import Verdict
from utils.checks.notebook import verdict_on
from utils.checks.runner import Printed, redirected
from utils.checks.tasks import Reason


def sample(seed: int) -> Iterator[tuple[str, Verdict]]:
    """Yield, without end, a wrong answer in words (changed lines, or a label) and its verdict."""
    draw = random.Random(seed)
    solutions = [
        (path, exercise, [code for _, code in mutants_of(path, exercise)])
        for path, exercise in chosen()
    ]
    solutions = [solution for solution in solutions if solution[2]]
    wrong = [answer for answer in labelled() if not answer.right]
    while True:
        kind, verdict = draw.choice(["one fault", "two faults", "labelled"]), None
        if kind == "labelled":
            answer = draw.choice(wrong)
            words = f"{answer.task}, {answer.name}: {answer.mistake}"
            verdict = verdict_of_labelled(answer)
        else:
            path, exercise, singles = draw.choice(solutions)
            task, code = exercise.task.id, draw.choice(singles)
            if kind == "two faults":
                code = draw.choice([twice for _, twice in mutants(code, task)])
            right = ast.unparse(ast.parse(source_of(path, exercise)))
            lines = difflib.ndiff(right.splitlines(), code.splitlines())
            words = "\n".join([task, *(line for line in lines if line[0] in "-+")])
            linecache.cache["<mutant>"] = (0, None, code.splitlines(keepends=True), "<mutant>")
            with contextlib.suppress(Exception), redirected(Printed()):  # some do not run
                verdict = verdict_on(bank.load(task), names_after(path, exercise, code), Printed())
        if verdict and not verdict.passed and verdict.reason != Reason.ERROR:
            yield words, verdict


def said(verdict: Verdict) -> Iterator[str]:
    """Yield what a verdict says of the mistake: its name and explanation, or its relation."""
    if verdict.mistake:
        yield f"named: {verdict.mistake.name}. {verdict.mistake.explanation}"
    yield from filter(None, [verdict.relation, verdict.message, verdict.right])
    if verdict.evidence:
        yield f"Seen with {verdict.evidence.case.label}."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Feedback on wrong answers, to be judged.")
    parser.add_argument("count", type=int, nargs="?", default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for number, (words, verdict) in enumerate(
        itertools.islice(sample(options.seed), options.count), start=1
    ):
        print(f"{number}. {words}", *(f"  => {line}" for line in said(verdict)), "", sep="\n")
