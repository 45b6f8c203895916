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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import torch

from solutions.build import chosen
from solutions.selftest import names_at_first
from utils.checks import bank
from utils.checks.calling import Printed, redirected
from utils.checks.judging import Verdict
from utils.checks.notebook import verdict_on
from utils.checks.reasons import Reason

ANSWERS = Path(__file__).parent / "tests" / "answers"
FATES = (  # of a wrong answer that is refused
    "named",  # a known mistake
    "related",  # it is said how it is related to the right one
    "symptom",  # it is said what shows: a shape, an exception, a rule that is broken
    "silent",  # values differ, and that is all
)


class Labelled(NamedTuple):
    """An answer, and whether it is right. Of a wrong one `mistake` says what is wrong with it."""

    task: str
    label: str
    mistake: str
    code: str

    @property
    def right(self) -> bool:
        return self.label.startswith("right-")


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
        task, label, code = file.parent.name, file.stem, file.read_text(encoding="utf-8")
        if task not in order:
            raise ValueError(f"{file}: no task is called {task}")
        if not (label.startswith(("right-", "wrong-")) and code.startswith("# source: ")):
            raise ValueError(f"{file}: name it right-… or wrong-…, and begin with '# source: …'")
        _, second, *_ = [*code.splitlines(), ""]
        mistake = second.removeprefix("# mistake: ") if second.startswith("# mistake: ") else ""
        found.append(Labelled(task, label, mistake, code))
    return sorted(found, key=lambda one: order.index(one.task))


def verdict(answer: Labelled) -> Verdict:
    """What a learner with this answer is told.

    Raises:
        Exception: its code does not run.
    """
    ((path, _),) = chosen(answer.task)
    with redirected(Printed()):
        names = names_at_first(path).copy()
        torch.manual_seed(0)  # some train a network
        exec(compile(answer.code, f"{answer.task}/{answer.label}.py", "exec"), names)
    return verdict_on(bank.load(answer.task), names, Printed())


def fate(said: Verdict) -> str:
    """What became of an answer: "accepted", or one of the others."""
    if said.passed:
        return "accepted"
    if said.mistake:
        return "named"
    if said.relation:
        return "related"
    return "silent" if said.reason == Reason.VALUES else "symptom"


def counts_of(fates: Iterable[tuple[Labelled, str]]) -> dict[str, int]:
    """How many are right, and accepted; wrong, and refused; and what the refused are told."""
    of_right = [what for answer, what in fates if answer.right]
    of_wrong = [what for answer, what in fates if not answer.right]
    return {
        "right": len(of_right),
        "accepted": of_right.count("accepted"),
        "wrong": len(of_wrong),
        "refused": len(of_wrong) - of_wrong.count("accepted"),
        **{what: of_wrong.count(what) for what in FATES},
    }


def lines_of(answer: Labelled, said: Verdict) -> Iterator[str]:
    """What was said of an answer, and what is true."""
    words = said.mistake.name if said.mistake else said.relation or said.message
    yield f"    {answer.label}: {fate(said)}{'' if said.passed else f': {words}'}"
    if answer.mistake:
        yield f"        in truth: {answer.mistake}"


def main(folder: Path) -> None:
    """Print what is said of the answers in a folder."""
    try:
        answers = labelled(folder)
    except ValueError as error:
        sys.exit(str(error))
    judged: list[tuple[Labelled, str]] = []
    print(" " * 24 + "".join(f"{name:>10}" for name in counts_of([])))
    for task in dict.fromkeys(answer.task for answer in answers):
        told = [(answer, verdict(answer)) for answer in answers if answer.task == task]
        fates = [(answer, fate(said)) for answer, said in told]
        judged += fates
        print(f"{task:24}" + "".join(f"{count:10}" for count in counts_of(fates).values()))
        print(*(line for one in told for line in lines_of(*one)), sep="\n")
    print(json.dumps(counts_of(judged)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure the checks on labelled answers.")
    parser.add_argument("folder", type=Path, nargs="?", default=ANSWERS)
    main(parser.parse_args().folder)
