"""What reading a file takes, and who pays for it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grading.intake import limited_reader, notebook_parser
from grading.intake.limited_reader import Reader, read_here
from grading.intake.submissions import CannotGrade, Unreadable
from grading.tests.made import in_a_zip, notebook, rows, submission, write_files
from tests import needs
from utils.checks import bank

EXERCISE = bank.FOLDER / "01_attention_concepts.ipynb"
ANSWER = "def entropy(weights):\n    return weights.sum(-1)"


def filled(start: bytes, part: bytes, end: bytes, megabytes: int) -> bytes:
    return start + part * ((megabytes * 2**20 - len(start) - len(end)) // len(part)) + end


@pytest.fixture(scope="module")
def too_much() -> dict[str, bytes]:
    return {
        "lists": filled(b'{"cells": [', b"[],", b"[]]}", 25),
        "dictionaries": filled(b'{"cells": [', b'{"a":[]},', b"[]]}", 50),
        "magics": notebook("a;" * 98_000 + "\n" + "!ls\n" * 49, ANSWER),
    }


@pytest.fixture(scope="module")
def reading():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limited_reader, "SECONDS", 2)
        with Reader() as started:
            yield started


@needs.sandbox
@pytest.mark.parametrize(
    "data", [EXERCISE.read_bytes(), notebook(ANSWER, "x = '\ud800'", "!ls"), notebook("\r%%time\r")]
)
def test_it_reads_what_this_process_would_read(reading, data):
    outcomes = []
    for read in (read_here, reading.read):
        try:
            outcomes.append(read(submission(data)))
        except Unreadable as problem:
            outcomes.append(str(problem))
    expected, actual = outcomes
    assert actual == expected


@needs.sandbox
def test_whoever_takes_too_much_to_read_costs_nobody_else_anything(reading, too_much):
    for name in ("dictionaries", "magics"):  # memory and time; at night the lists too
        with pytest.raises(Unreadable, match="reading it takes more than"):
            reading.read(submission(too_much[name]))
        with pytest.raises(Unreadable, match="reading it takes more than"):
            reading.read(submission(in_a_zip(too_much[name])))
        assert reading.read(submission(EXERCISE.read_bytes()))[1].name == EXERCISE.stem


@needs.sandbox
def test_what_others_have_left_in_the_reader_is_not_held_against_a_file(monkeypatch):
    """It dies of the second file, whichever that is."""
    read, files = notebook_parser.read, []

    def dying(data, file):
        files.append(file)
        return os._exit(7) if files.count("ada.ipynb") > 1 else read(data, file)

    monkeypatch.setattr(notebook_parser, "read", dying)
    with Reader() as weak:
        for _ in range(4):
            assert weak.read(submission(EXERCISE.read_bytes()))[1].name == EXERCISE.stem


@needs.sandbox
def test_it_ends_with_the_grader(reading):
    with Reader() as other:
        process = other._child.process
    with pytest.raises(ProcessLookupError):
        os.killpg(process, 0)
    with pytest.raises(CannotGrade, match="--resume"):
        other.read(submission(b"{}"))


@pytest.mark.nightly
@needs.sandbox
def test_the_grader_itself_stays_small(tmp_path, too_much):
    """Half a gigabyte, most of which is torch and what else it has imported."""
    files = too_much | {"honest": notebook(ANSWER)}
    write_files(tmp_path / "class", {f"{name}.ipynb": data for name, data in files.items()})
    program = (
        "import sys\nfrom grading.__main__ import main\nstatus = main(sys.argv[1:])\n"
        "print(open('/proc/self/status').read())\nsys.exit(status)"
    )
    command = [sys.executable, "-c", program, tmp_path / "class", "--out", tmp_path / "out"]
    folder = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    reasons = {row["learner"]: row["reason"] for row in rows(tmp_path / "out" / "files.csv")}
    assert reasons == dict.fromkeys(too_much, limited_reader.TOO_MUCH) | {"honest": "graded"}
    assert int(re.search(r"VmHWM:\s+(\d+)", done.stdout)[1]) < 500 * 2**10
