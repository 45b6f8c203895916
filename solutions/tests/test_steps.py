"""Test `steps` on right answers and known mistakes of ten tasks."""

from dataclasses import replace

import pytest

from solutions.build import chosen
from solutions.selftest import variants, verdict
from utils.checks import bank, line_by_line
from utils.checks.diagnosis.lines import Pointer
from utils.checks.kinds import kind_of
from utils.checks.line_by_line import walk_through

TASKS = (
    *("entropy", "read_alignment", "masked_softmax", "BahdanauStep", "scaled_attention"),
    *("MultiHead", "decoder_step", "layer_norm", "linear_read", "small_step"),
)
MOST_MISTAKES = 6  # of a task
of_ten_tasks = pytest.mark.parametrize("task", TASKS)


def exercise_of(task):
    ((_, exercise),) = chosen(task)
    return exercise


def marks(note):
    return [sets for *_, sets in note.table[1:] if "◀ " in sets]


@of_ten_tasks
def test_of_right_answers_no_line_is_marked(task):
    record = bank.load(task)
    for answer in variants(exercise_of(task)).values():
        note = walk_through(record, answer, verdict(record, answer))
        assert line_by_line.PASSED in note.lines
        assert not marks(note)
        assert len(note.table) > 2


@of_ten_tasks
def test_of_mistakes_the_line_is_marked_that_check_points_at_and_no_right_value_is_shown(
    task, monkeypatch
):
    record = bank.load(task)
    for mistake in exercise_of(task).mistakes[:MOST_MISTAKES]:
        judged = verdict(record, mistake.gives)
        note = walk_through(record, mistake.gives, judged)
        pointer, case = line_by_line._place(
            record, judged, kind_of(record.task).rerun(mistake.gives)
        )
        shown = [*marks(note), *note.lines]
        assert sum(str(pointer) in text for text in shown) == 1 or not pointer
        assert len(marks(note)) <= bool(pointer)
        if isinstance(judged.relation, Pointer):
            assert pointer == judged.relation
        # Whoever does not know the right values shows the same.
        monkeypatch.setattr(line_by_line, "_place", lambda *_, found=(pointer, case): found)
        blind = replace(record, expected=(), mistaken={}, steps=())
        assert walk_through(blind, mistake.gives, judged)._repr_html_() == note._repr_html_()
        monkeypatch.undo()
