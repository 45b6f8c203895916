"""Hostile submissions get what they deserve, and reach nothing outside their sandbox."""

import csv
import hashlib
import os
import random
import resource
import secrets
import shutil
import socket
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from solutions.tests.hostile import ATTACKS, DISHONEST, ENTROPY, RIGHT
from utils.checks import bank
from utils.grading import marking, wire
from utils.grading.grader import fresh_records, grade
from utils.grading.marking import Assignment, Server, mark
from utils.grading.submissions import Submission

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

NAME = "01_attention_concepts"
SECONDS = 1.0  # that a cell or a task may run
SPARE = 3.0
REPOSITORY = bank.FOLDER.parent


def notebook(*cells: str) -> bytes:
    """A notebook's bytes."""
    code = [nbformat.v4.new_code_cell(cell) for cell in cells]
    return nbformat.writes(nbformat.v4.new_notebook(cells=code)).encode()


def submission(data: bytes) -> Submission:
    return Submission("Somebody", "", "", "somebody.ipynb", lambda: data)


def in_a_hurry(records):
    """Task → its record, with less time to answer."""
    return {one.task.id: replace(one, task=replace(one.task, seconds=SECONDS)) for one in records}


@pytest.fixture(scope="module")
def assignments():
    public = bank.load_all(bank.FOLDER / NAME).values()
    fresh = fresh_records(NAME, secrets.randbits(40))
    return {NAME: Assignment(NAME, in_a_hurry(public), in_a_hurry(fresh))}


@pytest.fixture(scope="module")
def token():
    """In the environment of the server and of all that comes from it, to find them by."""
    return secrets.token_hex(8)


@pytest.fixture(scope="module")
def server(token):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(marking, "SPARE", SPARE)
        patch.setattr(os, "defpath", f"{os.defpath}:/{token}")
        with Server() as started:
            yield started


@pytest.fixture(scope="module")
def canary():
    """Files that anybody may change who can see them: a home, results, other submissions."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("home/secret", "results/learner.json", "submissions/other.ipynb"):
            path = Path(folder, name)
            path.parent.mkdir()
            path.write_text(secrets.token_hex(8))
        for path in (Path(folder), *Path(folder).rglob("*")):
            path.chmod(0o777)
        yield Path(folder)


@pytest.fixture(scope="module")
def listening(token):
    """Sockets that wait for a connection, on the loopback device and without any."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.socket(socket.AF_UNIX) as other:
        other.bind(f"\0{token}")
        other.listen()
        for each in (one, other):
            each.setblocking(False)
        yield one, other


def digest(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def processes(token: str) -> set[str]:
    """Processes that carry the token in their environment, and the children of such."""
    found, parents = set(), {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parents[entry.name] = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                if token.encode() in (entry / "environ").read_bytes():
                    found.add(entry.name)
        except OSError:  # it has just ended
            continue
    return found | {number for number, parent in parents.items() if parent in found}


def settled(token: str, before: set[str]) -> set[str]:
    """The processes that are left over, once those that were about to end had time for it."""
    until = time.monotonic() + 10
    while (left := processes(token) - before) and time.monotonic() < until:
        time.sleep(0.05)
    return left


@pytest.mark.parametrize("name", ATTACKS)
def test_a_hostile_submission_earns_what_it_deserves_and_reaches_nothing(
    name, assignments, server, token, canary, listening, monkeypatch
):
    attack, secret = ATTACKS[name], secrets.token_hex(8)
    monkeypatch.setenv("CANARY", secret)
    public = assignments[NAME].public["read_alignment"]
    known = [
        (case.inputs["weights"].tolist(), *(one.tolist() for one in answer.outputs.values()))
        for case, answer in zip(public.cases, public.expected, strict=True)
    ]
    filled_in = {
        "«SECRET»": secret,
        "«CANARY»": str(canary),
        "«REPOSITORY»": str(REPOSITORY),
        "«PORT»": str(listening[0].getsockname()[1]),
        "«SOCKET»": token,
        "«PUBLIC»": repr(known),
    }
    cells = list(attack.cells)
    for place, text in filled_in.items():
        cells = [cell.replace(place, text) for cell in cells]
    outside = {**digest(canary), **digest(REPOSITORY / "utils"), **digest(bank.FOLDER)}
    running, start = processes(token), time.monotonic()

    result = mark(submission(notebook(*cells)), assignments, server)

    assert time.monotonic() - start < 4 * (2 * SECONDS + SPARE)
    assert result.problem == ""
    assert list(result.tasks) == list(assignments[NAME].public)
    assert result.points <= attack.earns if attack.at_most else result.points == attack.earns
    said = repr(result)
    assert attack.says in said
    found = [secret, *(path.read_text() for path in canary.rglob("*") if path.is_file())]
    code = repr(result.code)
    assert not any(text in said.replace(code, "") for text in found)
    assert settled(token, running) == set()
    assert outside == {**digest(canary), **digest(REPOSITORY / "utils"), **digest(bank.FOLDER)}
    for each in listening:
        with pytest.raises(BlockingIOError):
            each.accept()
