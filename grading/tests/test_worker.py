"""Figures in a worker, and a worker that loses its server."""

import inspect
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from grading.run import protocol
from grading.run.launcher import Launcher
from tests import needs
from utils import plots

DRAWN = """
import seaborn
import torch

seaborn.heatmap = None  # whoever draws now fails
from utils.plots import concept_heatmap

figure = concept_heatmap(torch.eye(2), "ab", "cd")
"""


def test_a_figure_is_drawn_when_it_is_used():
    program = (
        "from grading.run.worker import _run\n"
        "def send(**message):\n"
        "    if 'error' in message:\n"
        "        print(message['cell'], message['error'])\n"
        f"_run([(1, {DRAWN!r}), (2, 'figure.axes')], 60, send)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[2], capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == "2 TypeError: 'NoneType' object is not callable\n"


def test_all_figures_are_known():
    """A worker draws these only when they are used."""
    functions = [*filter(inspect.isfunction, vars(plots).values())]
    drawing = [
        function.__name__
        for function in functions
        if not function.__name__.startswith("_")
        and inspect.signature(function).return_annotation is plots.AccessibleFigure
    ]
    assert [*plots.FIGURES] == drawing


@needs.sandbox
@pytest.mark.nightly
def test_the_environment_may_be_a_link(tmp_path):
    link = tmp_path / ".venv"
    link.symlink_to(sys.prefix)
    python = link / Path(sys.executable).relative_to(sys.prefix)
    program = (
        "from grading.run.launcher import Launcher\nwith Launcher():\n    print('there is one')"
    )
    done = subprocess.run(
        [python, "-c", program], cwd=Path(__file__).parents[2], capture_output=True, text=True
    )
    assert done.stdout == "there is one\n", done.stderr


@needs.sandbox
def test_a_worker_ends_with_its_server():
    with (
        Launcher() as launcher,
        launcher.launch(seconds=60) as worker,
        worker.stream() as stream,
    ):
        cells = [(1, "while True:\n    pass")]
        worker.connection.sendall(protocol.pack({"cells": cells, "seconds": 60.0, "tasks": []}))
        assert protocol.unpack(stream, 1000)[0] == {"at": 1}
        behind = Path(f"/proc/{launcher._server.pid}/task/{launcher._server.pid}/children")
        os.kill(int(behind.read_text()), signal.SIGKILL)
        worker.connection.settimeout(20)
        assert worker.connection.recv(1) == b""
