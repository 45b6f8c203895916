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


def drawn(seed: int) -> Iterator[tuple[str, str]]:
    """Without end: what was changed in a solution, and how that is said to be related to it."""
    draw = random.Random(seed)
    found = [(path, one, [code for _, code in mutants_of(path, one)]) for path, one in chosen()]
    while True:
        path, exercise, singles = draw.choice([of_task for of_task in found if of_task[2]])
        task, code = exercise.task.id, draw.choice(singles)
        if draw.random() < 0.5:
            code = draw.choice([twice for _, twice in mutants(code, task)])
        said = None
        with contextlib.suppress(Exception), redirected(Printed()):  # not all can be run
            said = verdict_on(bank.load(task), names_after(path, exercise, code), Printed())
        if said and said.relation and said.reason != Reason.ERROR:
            right = ast.unparse(ast.parse(source_of(path, exercise)))
            lines = difflib.ndiff(right.splitlines(), code.splitlines())
            yield "\n".join([task, *(one for one in lines if one[0] in "-+")]), said.relation


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Relations of wrong answers, to be judged.")
    parser.add_argument("count", type=int, nargs="?", default=50)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    for fault, said in itertools.islice(drawn(asked.seed), asked.count):
        print(f"{fault}\n  => {said}\n", flush=True)
