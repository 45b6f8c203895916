"""Print what the checks say of faulty solutions drawn at random, beside the fault.

    python -m solutions.sample_feedback 50 --seed 1

For people, who judge whether a relation is true, and whether it misleads. Half of the answers have
two faults; those that raise are left out, as theirs are easily judged. A seed draws others.
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
    """Yield without end what was changed in a solution, and the relation that the check states."""
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
        with contextlib.suppress(Exception), redirected(Printed()):  # not all can be run
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
