"""Print faults drawn at random, each with the relation that the check states about the solution.

    python -m solutions.sample_feedback 50 --seed 1

A relation is a sentence on how a wrong answer differs from the right one. People judge whether it
is true, and whether it misleads. Half of the solutions have two faults; those that raise an
exception are left out, because they are easy to judge. Each seed draws other faults.
"""

import argparse
import ast
import contextlib
import difflib
import itertools
import random
from collections.abc import Iterator

from solutions.build import chosen
from solutions.mutants import mutants
from solutions.selftest import mutants_of, names_after, source_of
from utils.checks import bank
from utils.checks.notebook import verdict_on
from utils.checks.runner import Printed, redirected
from utils.checks.tasks import Reason


def sample(seed: int) -> Iterator[tuple[str, str]]:
    """Yield, without end, a fault (as changed lines of a solution) and the relation it leads to."""
    draw = random.Random(seed)
    solutions = [
        (path, exercise, [code for _, code in mutants_of(path, exercise)])
        for path, exercise in chosen()
    ]
    solutions = [solution for solution in solutions if solution[2]]
    while True:
        path, exercise, singles = draw.choice(solutions)
        task, code = exercise.task.id, draw.choice(singles)
        if draw.random() < 0.5:
            code = draw.choice([twice for _, twice in mutants(code, task)])
        verdict = None
        with contextlib.suppress(Exception), redirected(Printed()):  # some solutions do not run
            verdict = verdict_on(bank.load(task), names_after(path, exercise, code), Printed())
        if verdict and verdict.relation and verdict.reason != Reason.ERROR:
            right = ast.unparse(ast.parse(source_of(path, exercise)))
            lines = difflib.ndiff(right.splitlines(), code.splitlines())
            fault = "\n".join([task, *(line for line in lines if line[0] in "-+")])
            yield fault, verdict.relation


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Relations of wrong answers, to be judged.")
    parser.add_argument("count", type=int, nargs="?", default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for fault, relation in itertools.islice(sample(options.seed), options.count):
        print(f"{fault}\n  => {relation}\n", flush=True)
