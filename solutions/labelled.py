"""Read answers that are labelled right or wrong: those of `labelled.jsonl`, or of another file.

Each line holds an answer as a JSON object; `labelled.md` says of what, and where they come from.
"""

import json
import linecache
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch

from utils.checks import bank
from utils.checks.limits import Printed, redirected

FILE = Path(__file__).with_suffix(".jsonl")


class Labelled(NamedTuple):
    """An answer that a person has labelled right or wrong.

    Args:
        task: name of the task that it answers.
        label: "right" or "wrong".
        name: a few words, joined by hyphens.
        code: source, as it would stand in a notebook cell.
        round: number of the round in which it was collected; 0 of an answer outside the rounds.
        source: where it comes from, or in whose manner it is written.
        mistake: description of what is wrong with it, for people; empty if it is right.
    """

    task: str
    label: str
    name: str
    code: str
    round: int = 0
    source: str = ""
    mistake: str = ""

    @property
    def right(self) -> bool:
        """Whether the label is "right"."""
        return self.label == "right"


def labelled(file: Path = FILE) -> list[Labelled]:
    """Read the answers in a file, and sort them by round, then by the order of the tasks.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file has no answers, or a line that is none; the message says which.
    """
    order = {task: place for place, task in enumerate(bank.names())}
    answers = []
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        try:
            answers.append(_answer(line))
            if answers[-1].task not in order:
                raise ValueError(f"no task is called {answers[-1].task!r}")
        except ValueError as error:
            raise ValueError(f"{file}, line {number}: {error}") from None
    if not answers:
        raise ValueError(f"{file} has no answers")
    return sorted(answers, key=lambda answer: (answer.round, order[answer.task]))


def _answer(line: bytes) -> Labelled:
    try:
        answer = Labelled(**json.loads(line))
    except (TypeError, ValueError):  # other fields, or no JSON
        answer = None
    if not answer or not all(map(isinstance, answer, Labelled.__annotations__.values())):
        raise ValueError(
            'write {"task": "…", "label": "…", "name": "…", "code": "…"}; '
            '"source", "mistake" and a whole number as "round" may be added'
        )
    if answer.label not in ("right", "wrong"):
        raise ValueError(f'the label is "right" or "wrong", not {answer.label!r}')
    return answer


@cache
def _stored() -> list[Labelled]:
    return labelled()


def right_answers(task: str) -> list[Labelled]:
    """Return the right answers to a task, of all rounds."""
    return [answer for answer in _stored() if answer.right and answer.task == task]


def defined_by(answer: Labelled, before: Mapping[str, Any]) -> dict[str, Any]:
    """Run an answer's code after `before`, its notebook's variables; return all of them by name.

    Raises:
        Exception: the answer's code raised it.
    """
    names = {"torch": torch, **before}  # every notebook imports it
    file = f"<{answer.task} {answer.name}>"  # known as a notebook's cells are, for feedback
    linecache.cache[file] = (0, None, answer.code.splitlines(keepends=True), file)
    with redirected(Printed()):
        exec(compile(answer.code, file, "exec"), names)
    return names
