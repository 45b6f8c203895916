"""What the tests of the grader are made of: notebooks, folders, results, tables and commands."""

import contextlib
import csv
import io
import json
import os
import socket
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from grading.__main__ import main
from grading.intake.submissions import Submission
from grading.run.launcher import Worker
from grading.run.scoring import Outcome, Result
from solutions import build
from utils.checks import bank
from utils.checks.code import defined
from utils.checks.tasks import Reason, Record
from utils.notebook_file import Cell

NOTEBOOK = "01_attention_concepts"
TASKS = {task.id: task.points for task in bank.tasks()[NOTEBOOK]}
PATHS = {path.stem[:2]: path for path in build.notebooks()}  # number → solution notebook
FULL = {name[:2]: sum(task.points for task in tasks) for name, tasks in bank.tasks().items()}


# --- What is handed in ----------------------------------------------------------------------------


def notebook(*cells: object, words: dict[str, str] | None = None, **facts: object) -> bytes:
    """Return the bytes of a notebook.

    Args:
        cells: the source of each code cell.
        words: question → the answer in words.
        facts: what else the file says, and what it says otherwise.
    """
    content = [{"cell_type": "code", "source": cell} for cell in cells]
    content += [
        {"cell_type": "markdown", "source": f"**Your answer** · `{question}`\n\n{text}"}
        for question, text in (words or {}).items()
    ]
    return json.dumps({"cells": content, "nbformat": 4, "nbformat_minor": 5} | facts).encode()


def in_a_zip(data: bytes, *more: str) -> bytes:
    """Return the bytes of a zip file that holds one notebook, and perhaps other names."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("week 1/01.ipynb", data)
        for name in more:
            archive.writestr(name, b"")
    return file.getvalue()


def code(number: str, **changes: str) -> list[str]:
    """Return the cells of a notebook's solution, with other answers to some tasks."""
    cells = []
    for source in build.code_of(PATHS[number]):
        answered = defined(source) & changes.keys()
        cells.append(changes[answered.pop()] if answered else source)
    return cells


def stub(number: str) -> bytes:
    """Return an exercise notebook that nobody has touched."""
    return (bank.FOLDER / PATHS[number].name).read_bytes()


def numbered(cells: Iterable[str]) -> list[Cell]:
    """Return cells as the parser returns them, numbered from 1."""
    return [Cell(number, source) for number, source in enumerate(cells, start=1)]


def submission(data: bytes) -> Submission:
    """Return a submission with this content."""
    return Submission("Ada", "", "", "ada.ipynb", lambda: data)


def write_files(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files into a folder, which is made, and return the folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def class_file(path: Path, source: Path, more: str = "") -> Path:
    """Write a class file for notebook 01; the grades go to the folder `out` beside it."""
    keys = "" if "notebooks = " in more else 'notebooks = ["01"]\n'
    path.write_text(f'handed_in = "{source}"\ngrades = "out"\n{keys}{more}', encoding="utf-8")
    return path


def hurried(records: Iterable[Record], seconds: float) -> dict[str, Record]:
    """Return task → its record, with other seconds to answer in."""
    return {
        record.task.id: replace(record, task=replace(record.task, seconds=seconds))
        for record in records
    }


def outcomes(points: int = 0) -> dict[str, Outcome]:
    """Return outcomes of notebook 01 in which the first task has earned its points."""
    return {
        task: Outcome(points * (number == 0), of, Reason.VALUES, "", "", (), 0)
        for number, (task, of) in enumerate(TASKS.items())
    }


def result(learner: str, points: int = 0, lms: str = "", id: str = "", file: str = "", **facts):
    """Return a result of notebook 01 in which the first task has earned its points."""
    known = {"notebook": NOTEBOOK, "tasks": outcomes(points), "words": {"dark_column": "So."}}
    return Result(learner, lms, id, file or f"{learner}.ipynb", **known | facts)


@contextlib.contextmanager
def nested_folders(folder: Path, count: int) -> Iterator[None]:
    """Make folders in one another, whose path may be longer than any that can be opened."""
    folder.mkdir(exist_ok=True, parents=True)
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(count):
        os.mkdir("nested", dir_fd=descriptor)
        below = os.open("nested", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    try:
        yield
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)  # Python's own way is recursive


class PlayedLauncher:
    """A launcher whose workers each send the same bytes, keep what they hear, and hang up.

    Args:
        sends: the bytes.
    """

    def __init__(self, sends: bytes):
        self._sends, self.received = sends, b""

    def launch(self, *_: object) -> Worker:
        (connection, far), (status, far_status) = socket.socketpair(), socket.socketpair()
        connection.settimeout(5)
        self.thread = threading.Thread(target=self._play, args=(far, far_status))
        self.thread.start()
        return Worker(connection, status)

    def _play(self, far: socket.socket, far_status: socket.socket) -> None:
        def listen() -> None:
            with contextlib.suppress(OSError):
                while data := far.recv(2**20):
                    self.received += data

        with far, far_status, contextlib.suppress(OSError):
            far.settimeout(5)
            listening = threading.Thread(target=listen)
            listening.start()
            with contextlib.suppress(OSError):
                far.sendall(self._sends)
                far_status.sendall(b"done")
                far.shutdown(socket.SHUT_WR)
            listening.join()


# --- What the grader does -------------------------------------------------------------------------


def run_command(capsys, *arguments: object) -> tuple[int, str]:
    """Return the exit status of a command, and what it writes to the standard error."""
    capsys.readouterr()
    status = main([*map(str, arguments)])
    return status, capsys.readouterr().err


def table(path: Path) -> list[list[str]]:
    """Return the rows of a CSV file, the heads first."""
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file: head → cell."""
    heads, *others = table(path)
    return [dict(zip(heads, row, strict=True)) for row in others]


def content(folder: Path) -> dict[str, bytes]:
    """Return path → content of every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def results_in(out: Path) -> int:
    """Return how many results are kept in a folder of grades."""
    return len(list(out.glob("private/1/results/*.json")))


def wait_until(true: Callable[[], object], seconds: float = 300) -> None:
    """Wait for a condition; fail when it has not come true in time."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
