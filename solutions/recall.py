"""How the checks do on answers that they have never seen: `make recall ANSWERS=folder`.

The folder holds one for each task, and in it answers, each as it would stand in a learner's
notebook: `entropy/right-loop.py`, `entropy/wrong-eps.py`. The first line says whose it is,
"# source: …"; the second of a wrong one what is wrong with it, "# mistake: …", for people who
compare it with what the check says.

Below each task stands what was said of its answers, and on the last line all counts, as JSON.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import torch

from solutions.build import exercises_of, notebooks
from solutions.selftest import names_at_first
from utils.checks import bank
from utils.checks.calling import Printed
from utils.checks.judging import Verdict
from utils.checks.notebook import verdict_on
from utils.checks.reasons import Reason

ANSWERS = Path(__file__).parent / "tests" / "answers"
FATES = {  # of a wrong answer that is refused
    "named": "known by name",
    "related": "told how it is related to the right one",
    "symptom": "told what shows: a shape, an exception, a rule that is broken",
    "silent": "told that values differ, and no more",
}


class Labelled(NamedTuple):
    """An answer, and whether it is right."""

    task: str
    name: str
    right: bool
    mistake: str
    code: str


def labelled(folder: Path) -> list[Labelled]:
    """The answers in a folder, in the order of the course.

    Raises:
        ValueError: a file that is no labelled answer, or a folder that is no task's.
    """
    order = [task.id for tasks in bank.tasks().values() for task in tasks]
    files = sorted(folder.glob("*/*.py"))
    if not files:
        raise ValueError(f"{folder} holds no answers, such as entropy/right-loop.py")
    found = []
    for file in files:
        label, _, name = file.stem.partition("-")
        code = file.read_text(encoding="utf-8")
        source, second, *_ = [*code.splitlines(), "", ""]
        if file.parent.name not in order:
            raise ValueError(f"{file}: no task is called {file.parent.name}")
        if label not in ("right", "wrong") or not source.startswith("# source: "):
            raise ValueError(f"{file}: name it right-… or wrong-…, and begin with '# source: …'")
        mistake = second.removeprefix("# mistake: ") if label == "wrong" else ""
        found.append(Labelled(file.parent.name, name, label == "right", mistake, code))
    return sorted(found, key=lambda one: order.index(one.task))


def verdict(answer: Labelled) -> Verdict:
    """What a learner with this answer is told.

    Raises:
        ValueError: it does not even run.
    """
    path = next(
        path
        for path in notebooks()
        if answer.task in [exercise.task.id for exercise in exercises_of(path)]
    )
    names = names_at_first(path).copy()
    torch.manual_seed(0)
    try:
        exec(compile(answer.code, f"{answer.task}/{answer.name}", "exec"), names)
    except Exception as error:
        raise ValueError(f"{answer.task}, {answer.name} does not run: {error}") from error
    return verdict_on(bank.load(answer.task), names, Printed())


def fate(said: Verdict) -> str:
    """What became of an answer: "accepted", or one of `FATES`."""
    if said.passed:
        return "accepted"
    if said.mistake:
        return "named"
    if getattr(said, "relation", ""):
        return "related"
    return "silent" if said.reason == Reason.VALUES else "symptom"


def counts_of(fates: Iterator[tuple[Labelled, str]]) -> dict[str, int]:
    """How many are right, and accepted; wrong, and refused; and how many of these are diagnosed."""
    seen = Counter((answer.right, what) for answer, what in fates)
    counts = {"right": 0, "accepted": seen[True, "accepted"], "wrong": 0, "refused": 0}
    counts |= {what: seen[False, what] for what in FATES}
    counts["right"] = sum(count for (right, _), count in seen.items() if right)
    counts["refused"] = sum(counts[what] for what in FATES)
    counts["wrong"] = counts["refused"] + seen[False, "accepted"]
    return counts


def told(said: Verdict) -> str:
    """A verdict in one line."""
    words = [said.mistake.name] if said.mistake else [getattr(said, "relation", "")]
    return next((one for one in words if one), said.message)


def line(name: str, counts: dict[str, int]) -> str:
    """A row of the table: a task, and its counts."""
    return f"{name:24}" + "".join(f"{count:10}" for count in counts.values())


def main(folder: Path) -> int:
    """Print what is said of the answers in a folder; 1 if any label is contradicted."""
    judged: list[tuple[Labelled, str]] = []
    answers = labelled(folder)
    print(line("", counts_of(iter(()))).replace("0", " "))
    for task in dict.fromkeys(answer.task for answer in answers):
        of_task = [(answer, verdict(answer)) for answer in answers if answer.task == task]
        fates = [(answer, fate(said)) for answer, said in of_task]
        judged += fates
        print(line(task, counts_of(iter(fates))))
        for (answer, what), (_, said) in zip(fates, of_task, strict=True):
            print(f"    {'right' if answer.right else 'wrong'}-{answer.name}: {what}", end="")
            print("" if said.passed else f": {told(said)}")
            if answer.mistake:
                print(f"        in truth: {answer.mistake}")
    counts = counts_of(iter(judged))
    print(json.dumps(counts))
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure the checks on labelled answers.")
    parser.add_argument("folder", type=Path, nargs="?", default=ANSWERS)
    sys.exit(main(parser.parse_args().folder))
