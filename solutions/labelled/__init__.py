"""Read answers that are labelled right or wrong.

A file holds answers that were collected together, each as it would stand in a learner's notebook:

    # %% entropy · wrong · eps
    # source: where its style comes from
    # mistake: what is wrong with it (of wrong answers, for people who read the output)
    def entropy(weights): …
"""

import linecache
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch

from utils.checks import bank
from utils.checks.runner import Printed, redirected

ROUNDS = sorted(Path(__file__).parent.glob("round*.py"))
HEADING = re.compile(r"^# %% (?P<task>\w+) · (?P<label>right|wrong) · (?P<name>\S+)$", re.MULTILINE)


class Labelled(NamedTuple):
    """An answer that a person has labelled right or wrong.

    Args:
        task: name of the task that it answers.
        right: whether its label is "right".
        name: a few words, joined by hyphens.
        mistake: description of what is wrong with it, for people; empty if it is right.
        code: source, as it would stand in a notebook cell.
    """

    task: str
    right: bool
    name: str
    mistake: str
    code: str


def labelled(file: Path) -> list[Labelled]:
    """Read the labelled answers in a file, and sort them by the order of the tasks in the course.

    Raises:
        ValueError: the file has no answers, or one with a bad heading, task or `# source:` line.
    """
    tasks = bank.names()
    text = file.read_text(encoding="utf-8")
    headings = list(HEADING.finditer(text))
    if len(headings) != text.count("# %%") or not headings:
        raise ValueError(f"{file}: begin each answer with a line '# %% entropy · right · loop'")
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    answers = []
    for heading, end in zip(headings, ends, strict=True):
        code = text[heading.end() : end].strip() + "\n"
        if heading["task"] not in tasks:
            raise ValueError(f"{file}: no task is called {heading['task']}")
        if not code.startswith("# source: "):
            raise ValueError(f"{file}: below {heading[0]!r} write '# source: …'")
        mistake = re.search(r"^# mistake: (.+)$", code, re.MULTILINE)
        right = heading["label"] == "right"
        answers.append(
            Labelled(heading["task"], right, heading["name"], mistake[1] if mistake else "", code)
        )
    return sorted(answers, key=lambda answer: tasks.index(answer.task))


@cache
def right_answers(task: str) -> list[Labelled]:
    """Return the right answers to a task, of all rounds."""
    return [
        answer for answer in _all_rounds() if answer.right and answer.task == task
    ]


@cache
def _all_rounds() -> list[Labelled]:
    return [answer for file in ROUNDS for answer in labelled(file)]


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
