"""Through the wire, from a worker, an answer is worth what the learner's notebook says.

Every stub, solution, mistake and variant of the course is answered by a worker, and judged by
`verdict_on` in this process: all of them at night, every tenth at each push, as the self-test has
looked at their verdicts. The workers see the repository here, which they do not in a class.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grading.intake import notebook_parser
from grading.run import scoring
from grading.run.grading import Assignment, Grading
from grading.run.launcher import Launcher
from grading.run.scoring import Result
from grading.tests.made import numbered
from solutions import build, selftest
from solutions.specification import Exercise
from tests import needs
from utils.checks import bank
from utils.checks.code import defined
from utils.checks.compare import Verdict
from utils.checks.feedback import in_words
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on

pytestmark = needs.unix

IMPORTS = "from importlib import import_module"
nightly = pytest.mark.nightly


@dataclass
class Round:
    """One answer to each task of a notebook, in this process and as a learner's cell.

    Args:
        given: task → the answer.
        cells: the code that gives the same to a worker.
    """

    given: dict[str, Any] = field(default_factory=dict)
    cells: list[str] = field(default_factory=list)


def stubs_and_solutions(path: Path) -> Iterator[Round]:
    names = build.names_at_first(path)
    exercises = build.exercises_of(path)
    trained = {exercise.task.id for exercise in exercises if exercise.gold}
    tasks = [exercise.task.id for exercise in exercises]
    stubs = [build.stub(source) for source in build.code_of(path)]
    yield Round({task: names[task] for task in tasks if task in names}, stubs)
    solutions = build.solutions_of(path, train=False)
    right = {task: solutions[task] for task in tasks if task not in trained}
    code = [source for source in build.code_of(path) if not defined(source) & trained]
    yield Round(right, [source for source in code if "Trainer(" not in source])


def other_answers(path: Path, every: int = 1) -> list[Round]:
    """Return mistakes and variants, all or every tenth: in each round, one of each task."""
    exercises = build.exercises_of(path)
    answers = [
        (exercise.task.id, *answer) for exercise in exercises for answer in _others(path, exercise)
    ]
    rounds: list[Round] = []
    for task, given, source in answers[::every]:
        free = (round_ for round_ in rounds if task not in round_.given)
        if (round_ := next(free, None)) is None:
            rounds.append(round_ := Round(cells=[IMPORTS]))
        round_.given[task] = given
        round_.cells.append(f"{task} = {source}")
    return rounds


def _others(path: Path, exercise: Exercise) -> Iterator[tuple[Any, str]]:
    """Yield the mistakes and variants of an exercise, each with the code that names it."""
    task = exercise.task
    own = f"import_module('{build.module_of(build.file_of(path, task.id))}').exercise"
    for number, mistake in enumerate(exercise.mistakes):
        yield mistake.gives, f"{own}.mistakes[{number}].gives"
    if exercise.gold:
        yield exercise.gold, f"{own}.gold"
        return
    for number, variant in enumerate(selftest.variants(exercise).values()):
        source = f"{own}.variants[{number}]"
        yield variant, f"{source}()" if not kind_of(task).is_code else source


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with Launcher(safe=False) as started:
        yield started


@cache
def public(path: Path) -> Assignment:
    """Return the public cases alone, as if the instructor had drawn the same."""
    records = bank.load_all(bank.FOLDER / path.stem)
    return Assignment(path.stem, records, records)


by_notebook = pytest.mark.parametrize("path", build.notebooks(), ids=lambda path: path.stem[:2])


@by_notebook
def test_the_grader_says_what_the_notebook_says_of_a_tenth(path, launcher):
    rounds = other_answers(path, every=10)
    assert sum(len(compare(round_, public(path), launcher)) for round_ in rounds) >= 5


@nightly
@by_notebook
def test_the_grader_says_what_the_notebook_says(path, launcher):
    rounds = [*stubs_and_solutions(path), *other_answers(path)]
    assert sum(len(compare(round_, public(path), launcher)) for round_ in rounds) > 60


@nightly
@pytest.mark.parametrize("path", build.notebooks()[3:5], ids=lambda path: path.stem[:2])
def test_it_does_so_of_mistakes_that_the_catalogue_does_not_know(path, launcher):
    """They are called again with other inputs, here and there."""
    unknown = {
        task: replace(record, task=replace(record.task, mistakes=[]))
        for task, record in public(path).public.items()
    }
    related = []
    for round_ in other_answers(path)[:6]:
        verdicts = compare(round_, Assignment(path.stem, unknown, unknown), launcher)
        related += [verdict.relation for verdict in verdicts if verdict.relation]
    assert len(related) > 10
    assert any("stays the same when" in relation for relation in related)


def compare(round_: Round, assignment: Assignment, launcher: Launcher) -> list[Verdict]:
    """Return a notebook's verdicts on the answers; the grader's have to be the same."""
    result = Result("ada", "", "", "ada.ipynb")
    sent = notebook_parser.Notebook(assignment.name, numbered(round_.cells))
    grading = Grading({assignment.name: assignment}, launcher)
    scoring.score_tasks(result, sent, [*round_.given], grading)
    assert not [remark for remark in result.remarks if "Error" in remark]
    verdicts = []
    for task, given in round_.given.items():
        printed = Printed()
        verdict = verdict_on(assignment.public[task], {task: given}, printed)
        note, outcome = in_words(verdict, printed.lines), result.tasks[task]
        actual = (outcome.points, outcome.reason, outcome.mistake, outcome.heading)
        mistake = verdict.mistake.name if verdict.mistake else ""
        assert actual == (verdict.points, verdict.reason, mistake, note.heading)
        if not kind_of(verdict.task).is_model:  # of which only what is fresh counts
            # In this process, a stub comes from no cell, of which a line could be quoted.
            told = [line for line in outcome.lines if not line.startswith("In your code, ")]
            assert told == note.lines
        verdicts.append(verdict)
    return verdicts


LEAVES = """
def scaled_attention(query, keys, values):
    scores = query @ keys.mT
    weights = (3 * scores).exp().softmax(-2)
    return weights @ values, weights
"""


KEEPS = """
import torch

CAUSAL = {}

def combined_mask(lengths, positions, src_len):
    sources = torch.arange(src_len)
    causal = CAUSAL.setdefault((len(positions), src_len), sources <= positions[:, None])
    return causal & (sources < lengths[:, None, None])
"""


def told(code, task, launcher):
    """Return the grader's feedback on an answer to a task of notebook 04."""
    (path,) = [path for path in build.notebooks() if path.stem.startswith("04")]
    result = Result("ada", "", "", "ada.ipynb")
    sent = notebook_parser.Notebook(path.stem, numbered([code]))
    grading = Grading({path.stem: public(path)}, launcher)
    scoring.score_tasks(result, sent, [task], grading)
    return " ".join(result.tasks[task].lines)


def test_the_line_at_which_an_answer_leaves_the_right_ones_comes_from_the_worker(launcher):
    lines = told(LEAVES, "scaled_attention", launcher)
    assert "At `weights = (3 * scores).exp().softmax(-2)` (line 4)" in lines


def test_what_an_answer_keeps_from_call_to_call_is_seen_in_the_worker(launcher):
    lines = told(KEEPS, "combined_mask", launcher)
    assert "with another `positions`, `mask` is what it was before" in lines
