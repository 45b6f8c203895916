"""Through the wire, from a worker, an answer is worth what the learner's notebook says.

Every stub, solution, misconception and variant of the course is answered by a worker, and judged
by `verdict_on` in this process. The workers see the repository here, which they do not in a class.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from grading.intake import notebook_parser
from grading.run import scoring
from grading.run.dialog import Assignment
from grading.run.launcher import Launcher
from grading.run.scoring import Result
from solutions import build, selftest
from solutions.specification import Exercise
from tests import needs
from utils.checks import bank
from utils.checks.compare import Verdict
from utils.checks.feedback import in_words
from utils.checks.notebook import verdict_on
from utils.checks.runner import Printed

pytestmark = needs.unix

IMPORTS = "from importlib import import_module"


@dataclass
class Round:
    """One answer to each task of a notebook, in this process and as a learner's cell.

    Args:
        given: task → the answer.
        cells: the code that gives the same to a worker.
    """

    given: dict[str, Any] = field(default_factory=dict)
    cells: list[str] = field(default_factory=list)


def rounds(path: Path) -> Iterator[Round]:
    """The stubs, the solutions, then every other answer: the first to each task, the second, …"""
    names = selftest.names_at_first(path)
    trained = {one.task.id for one in build.exercises_of(path) if one.gold}
    tasks = [one.task.id for one in build.exercises_of(path)]
    stubs = [build.stub(source) for source in build.code_of(path)]
    yield Round({task: names[task] for task in tasks if task in names}, stubs)
    solutions = build.solutions_of(path, train=False)
    right = {task: solutions[task] for task in tasks if task not in trained}
    code = [source for source in build.code_of(path) if not build.defined(source) & trained]
    yield Round(right, [source for source in code if "Trainer(" not in source])
    others = {one.task.id: list(_others(path, one)) for one in build.exercises_of(path)}
    for number in range(max(map(len, others.values()))):
        one = Round(cells=[IMPORTS])
        for task, answers in others.items():
            if number < len(answers):
                one.given[task], source = answers[number]
                one.cells.append(f"{task} = {source}")
        yield one


def _others(path: Path, exercise: Exercise) -> Iterator[tuple[Any, str]]:
    task = exercise.task
    own = f"import_module('solutions.{build.folder_of(path).name}.{task.id}').exercise"
    for number, one in enumerate(exercise.mistakes):
        yield one.gives, f"{own}.misconceptions[{number}].gives"
    if exercise.gold:
        yield exercise.gold, f"{own}.gold"
        return
    for number, one in enumerate(selftest.variants(exercise).values()):
        found = f"{own}.variants[{number}]"
        yield one, f"{found}()" if task.answer_type == "choices" else found


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with Launcher(safe=False) as started:
        yield started


@cache
def public(path: Path) -> Assignment:
    """The public cases alone: as if the instructor had drawn the same."""
    records = bank.load_all(bank.FOLDER / path.stem)
    return Assignment(path.stem, records, records)


@pytest.mark.parametrize("path", build.notebooks(), ids=lambda path: path.stem[:2])
def test_the_grader_says_what_the_notebook_says(path, launcher):
    answers = 0
    for round_ in rounds(path):
        verdicts = compare(round_, public(path), launcher)
        answers += len(verdicts)
    assert answers > 60


@pytest.mark.parametrize("path", build.notebooks()[3:5], ids=lambda path: path.stem[:2])
def test_it_does_so_of_mistakes_that_the_catalogue_does_not_know(path, launcher):
    """They are called again with other inputs, here and there."""
    unknown = {
        task: replace(record, task=replace(record.task, mistakes=[]))
        for task, record in public(path).public.items()
    }
    related = []
    for round_ in islice(rounds(path), 2, 8):
        verdicts = compare(round_, Assignment(path.stem, unknown, unknown), launcher)
        related += [verdict.relation for verdict in verdicts if verdict.relation]
    assert len(related) > 10
    assert any("does not move when" in relation for relation in related)


def compare(round_: Round, assignment: Assignment, launcher: Launcher) -> list[Verdict]:
    """What a notebook says of the answers; the grader has to say the same."""
    result = Result("ada", "", "", "ada.ipynb")
    cells = [
        notebook_parser.Cell(number, code) for number, code in enumerate(round_.cells, start=1)
    ]
    sent = notebook_parser.Notebook(assignment.name, cells)
    scoring.ask(result, sent, assignment, [*round_.given], launcher)
    assert not [remark for remark in result.remarks if "Error" in remark]
    verdicts = []
    for task, given in round_.given.items():
        printed = Printed()
        verdict = verdict_on(assignment.public[task], {task: given}, printed)
        note, found = in_words(verdict, printed.lines), result.tasks[task]
        said = (found.points, found.reason, found.mistake, found.heading)
        mistake = verdict.mistake.name if verdict.mistake else ""
        assert said == (verdict.points, verdict.reason, mistake, note.heading)
        if verdict.task.full_marks_from is None:  # of trained models, only what is fresh counts
            assert [*found.lines] == note.lines
        verdicts.append(verdict)
    return verdicts
