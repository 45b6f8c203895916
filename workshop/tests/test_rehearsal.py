"""A rehearsal: kernels run what the page says, words take their time, what is late is marked."""

from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests import needs
from workshop import plan, rehearsal

PLAN = """
title = "Short"
subtitle = "A step of each kind."
[[days]]
minutes = 15
steps = [
  { minutes = 6, show = "05 · 6. What attention knows about order" },
  { minutes = 6, task = "split_heads" },
  { minutes = 3, pause = "Break" },
]
"""


@needs.voice
def test_a_plan_runs_as_its_page_says_and_not_otherwise(tmp_path):
    file = tmp_path / "short.toml"
    file.write_text(PLAN, encoding="utf-8")
    ((shown, task, pause),) = plan.read(file).days
    with ExitStack() as stack:
        room = rehearsal.Room(stack)
        with pytest.raises(ValueError, match=r"^05_multi_head_attention\.ipynb: NameError"):
            rehearsal.walk(replace(shown, above=()), room)
        took = rehearsal.walk(shown, room)
        assert took.said > 1
        assert took.cells > 0
        assert took.looked > 1
        took = rehearsal.walk(task, room)
        assert took.cells > 0
        assert took.given == 5
        assert sum(rehearsal.walk(pause, room)) == 3
        assert said_by_check(room, task).startswith("✓")


def said_by_check(room, task):
    (check,) = (one for one in room.clients[task.file].nb.cells if one.source.startswith("check("))
    return check.outputs[0].data["text/plain"]


@needs.voice
def test_words_take_their_time_formulas_are_pauses_and_code_is_not_said():
    words = "The cat sat on the mat, and the dog looked at it. " * 10  # 120 of them
    minutes = rehearsal.speech(words)
    assert 0.7 < minutes * rehearsal.PACE / 120 < 1.4
    assert rehearsal.speech(f"{words}\n```\n{words}\n```") == pytest.approx(minutes, rel=0.05)
    with_formula = rehearsal.speech(words + r"$$\frac{a < b}{c}$$")
    assert with_formula - minutes == pytest.approx(6 / 60, abs=0.03)
    with_symbols = rehearsal.speech(words.replace(",", " $h_j$,"))  # ten of them
    assert 5 / 60 < with_symbols - minutes < 11 / 60


def test_what_runs_over_by_more_than_a_minute_is_marked(capsys):
    step = plan.Step(minutes=3, optional=False, title="[One](elsewhere)")
    for said in (4.0, 5.5):
        rehearsal.told("0:10", step, rehearsal.Took(said=said))
    within, over = capsys.readouterr().out.splitlines()
    assert within.split() == ["0:10", "3", "4.0", "4.0", *["0.0"] * 4, "One"]
    assert over.endswith("One, OVER BY 2.5")


def test_an_unknown_plan_or_a_missing_voice_is_one_line(monkeypatch):
    with pytest.raises(
        SystemExit, match=r"no plan 'half'\. There are 90-minutes, half-day, two-days\."
    ):
        rehearsal.main(["half"])
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit, match=r"apt install espeak-ng$"):
        rehearsal.main(["half-day"])
