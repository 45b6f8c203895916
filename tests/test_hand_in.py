"""Test what `make hand-in` packs, and what it says of work that is half done or damaged."""

import json
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests import needs
from utils import hand_in, notebook_file
from utils.checks import bank
from utils.unreadable import LARGEST

NAME = "01_attention_concepts"
SOFTMAX = "def softmax_with_temperature(scores, temperature):\n    return scores.softmax(-1)"
ALL = [*bank.tasks()]


@pytest.fixture
def exercises(tmp_path, monkeypatch):
    """Return a folder with the exercises as they are handed out, beside which a learner stands."""
    (tmp_path / "exercises").mkdir()
    for name in notebook_file.given():
        write(tmp_path / "exercises" / f"{name}.ipynb")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "exercises"


def write(path, answers=(), add=()):
    """Write an exercise notebook, with answers in place of the cells that hold their first line.

    Args:
        answers: sources of cells.
        add: further code cells, each its source.
    """
    cells = []
    for kind, source in notebook_file.given()[path.stem]:
        for answer in answers:
            if answer.partition("\n")[0] in source:
                source = answer
        cells.append({"cell_type": kind, "source": source})
    cells += [{"cell_type": "code", "source": source} for source in add]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}), encoding="utf-8")


def said(names=ALL, dropped=()):
    contents, lines = hand_in.looked_through(names, dropped)
    return [path.stem for path in contents], "\n".join(lines)


def test_untouched_exercises_are_nothing_to_hand_in(exercises, capsys, monkeypatch):
    packed, lines = said()
    assert packed == []
    assert lines == f"Nothing is written yet in {', '.join(name[:2] for name in ALL)}: left out."
    monkeypatch.setattr(sys, "argv", ["hand_in"])
    assert hand_in.main() == 1
    assert "Nothing to hand in yet" in capsys.readouterr().out
    assert not hand_in.FOLDER.exists()


def test_a_line_says_what_is_not_written_yet(exercises):
    half = 'def entropy(weights):\n    """Half."""\n    logs = ...\n    return logs'
    no_python = "def normalised_heatmap(scores):\n    return ("
    question = "**Your answer** · `dark_column`\n\nNobody looks there."
    write(exercises / f"{NAME}.ipynb", [SOFTMAX, half, no_python])
    packed, lines = said([NAME])
    assert packed == [NAME]
    (line,) = lines.splitlines()
    assert line.startswith(f"{NAME}, saved 2")
    written, gaps, words, code = line.split("; ")
    assert written.partition("not written yet: ")[2].split(", ") == [
        *("four_patterns", "read_alignment", "normalised_heatmap"),
        "temperature_prediction",
    ]
    assert gaps == "still with a `...`: entropy"
    assert words == "without an answer in words: dark_column"
    place = [source.partition("\n")[0] for _, source in notebook_file.given()[NAME]]
    number = 1 + place.index("def normalised_heatmap(scores):")
    assert code == f"no Python, and so not read: cell {number}."
    assert "entropy" not in said([NAME], {"entropy"})[1]

    cells = json.loads((exercises / f"{NAME}.ipynb").read_text())
    for cell in cells["cells"]:
        if cell["source"].startswith("**Your answer**"):
            cell["source"] = question
    (exercises / f"{NAME}.ipynb").write_text(json.dumps(cells))
    assert "in words" not in said([NAME])[1]


def test_what_an_answer_indexes_is_no_gap(exercises):
    answers = [
        f"{task} = torch.eye(2)[..., 0]" for task in (task.id for task in bank.tasks()[NAME])
    ]
    write(exercises / f"{NAME}.ipynb", add=answers)
    assert said([NAME], {"dark_column"})[1].endswith(": everything is written.")


def test_a_file_that_cannot_be_read_is_one_line_and_the_rest_is_packed(exercises):
    write(exercises / f"{NAME}.ipynb", [SOFTMAX])
    (exercises / f"{ALL[1]}.ipynb").write_text('{"cells": [')
    (exercises / f"{ALL[2]}.ipynb").unlink()
    (exercises / f"{ALL[2]}.ipynb").mkdir()
    with (exercises / f"{ALL[3]}.ipynb").open("wb") as file:
        file.truncate(LARGEST + 1)
    (exercises / f"{ALL[4]}.ipynb").unlink()
    (exercises / "mine.ipynb").touch()
    packed, lines = said(ALL[:5])
    assert packed == [NAME]
    for name, why in zip(
        ALL[1:4], ("it is not JSON", "a directory", "clear the outputs"), strict=True
    ):
        if os.name != "nt" or name != ALL[2]:  # where folders are refused in other words
            (line,) = (line for line in lines.splitlines() if line.startswith(name))
            assert "left out, for it cannot be read" in line
            assert why in line
    assert f"Nothing is written yet in {ALL[4][:2]}: left out." in lines
    assert "no such name: mine.ipynb" in lines


def test_no_damage_makes_it_fail(exercises):
    draw, path = random.Random(0), exercises / f"{NAME}.ipynb"
    write(path, [SOFTMAX])
    data = path.read_bytes()
    for _ in range(30):
        at, length = draw.randrange(len(data)), draw.randrange(1, 400)
        path.write_bytes(data[:at] + draw.randbytes(draw.randrange(9)) + data[at + length :])
        assert len(said([NAME])[1].splitlines()) == 1
    shapes = [[], {}, None, {"cells": None}, {"cells": [None, 1, {"source": [1]}]}, {"cells": {}}]
    for content in shapes:
        path.write_text(json.dumps(content))
        assert "left out, for it cannot be read" in said([NAME])[1]
    path.write_bytes(b"[" * 100_000)
    assert "it is not JSON" in said([NAME])[1]


def test_a_test_goes_along_if_it_is_answered(exercises):
    write(exercises / f"{NAME}.ipynb", [SOFTMAX])
    path, item = exercises / "understanding_after.ipynb", hand_in.items_of("B")[0]
    answer = {"cell_type": "code", "source": f'answer("{item}", "c")'}
    path.write_text(json.dumps({"cells": [answer]}))
    packed, lines = said([NAME])
    assert packed == [NAME, path.stem]
    of = len(hand_in.items_of("B"))
    assert f"{of - 1} of {of} questions are not answered" in lines
    answer["source"] = f'answer("{item}", "")'
    path.write_text(json.dumps({"cells": [answer]}))
    assert said([NAME])[0] == [NAME]


def test_a_class_file_says_what_counts(exercises, capsys, monkeypatch):
    write(exercises / f"{NAME}.ipynb", [SOFTMAX])
    week = exercises / "week 1.toml"
    week.write_text('handed_in = "x.zip"\nnotebooks = ["01", 2]\ndropped = ["entropy"]\n')
    assert hand_in.asked_for(week) == ([NAME], {"entropy"})
    for text in ("notebooks = 1", 'notebooks = ["99"]', "", "notebooks = ["):
        week.write_text(text)
        with pytest.raises(ValueError, match=r"week 1.toml (names no notebook|cannot be read)"):
            hand_in.asked_for(week)
    week.write_text('notebooks = ["01"]')
    for words, name in [
        ([], "exercises.zip"),
        (["--class-file", str(week)], "week 1.zip"),
        (["--name", "Zoë O'Neill (4021)"], "Zoë O'Neill (4021).zip"),
        (["--name", "../a:b\n"], "_a_b_.zip"),
        (["--name", " . "], "exercises.zip"),
    ]:
        monkeypatch.setattr(sys, "argv", ["hand_in", *words])
        assert hand_in.main() == 0
        assert capsys.readouterr().out.splitlines()[-1].endswith(f": hand-in/{name}")
        with zipfile.ZipFile(hand_in.FOLDER / name) as archive:
            assert archive.namelist() == [f"{NAME}.ipynb"]
            assert archive.read(f"{NAME}.ipynb") == (exercises / f"{NAME}.ipynb").read_bytes()
    monkeypatch.setattr(sys, "argv", ["hand_in", "--class-file", str(exercises / "none.toml")])
    assert hand_in.main() == 1
    assert "none.toml cannot be read: no such file" in capsys.readouterr().err


@needs.unix
def test_a_folder_that_cannot_be_written_is_one_line(exercises, capsys, monkeypatch):
    write(exercises / f"{NAME}.ipynb", [SOFTMAX])
    monkeypatch.setattr(hand_in, "FOLDER", Path("/proc/hand-in"))
    monkeypatch.setattr(sys, "argv", ["hand_in"])
    assert hand_in.main() == 1
    assert capsys.readouterr().err.startswith("/proc/hand-in cannot be written: ")


def test_the_plain_line_of_python_says_how_it_is_used():
    command = [sys.executable, "-m", "utils.hand_in", "--help"]
    run = subprocess.run(command, cwd=bank.FOLDER.parent, capture_output=True, text=True)
    assert run.returncode == 0
    assert "--class-file TOML" in run.stdout


def test_it_wants_to_be_called_beside_the_exercises(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["hand_in"])
    assert hand_in.main() == 1
    assert capsys.readouterr().err.startswith("There is no folder exercises here")
