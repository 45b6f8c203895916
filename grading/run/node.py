"""What runs on a node of a Dask cluster: workers in its own sandbox, and nothing that decides.

A node is told what a worker is told, code and inputs, and passes on what the worker says, unread.
What is expected, and the seed, stay with the client, who judges.
"""

import os
import select
from collections.abc import Mapping

from grading.run.launcher import COURSE, ROUNDING, Launcher, NoSandbox, Worker
from grading.run.version import version_of

CHUNK = 2**20  # bytes that are passed on at once
PAUSE = 0.002  # seconds that a worker may stop and what it says still counts as one piece


def version() -> str:
    """Of what a node needs of the course: no exercises, no solutions."""
    return version_of(COURSE / "utils", COURSE / "grading")


def rounding() -> dict[str, str]:
    """The settings that change the last digits of what is computed here."""
    return {name: value for name, value in os.environ.items() if ROUNDING.match(name)}


class Node:
    """One worker at a time, in the sandbox of the machine that this is on."""

    def __init__(self):
        self._launcher: Launcher | None = None
        self._worker: Worker | None = None

    def prepare(self, client_version: str, client_rounding: Mapping[str, str]) -> str:
        """Start a sandbox.

        Args:
            client_version: of the client's course.
            client_rounding: as `rounding` says for the client.

        Returns:
            Why this machine cannot grade for that client; nothing if it can.
        """
        if version() != client_version:
            return "it has another version of the course, Python, torch or NumPy"
        for name in rounding():
            del os.environ[name]
        os.environ.update(client_rounding)
        try:
            self._launcher = Launcher()
        except NoSandbox as problem:
            return f"it has no sandbox: {problem.reason}"
        return ""

    def launch(self, seconds: float) -> None:
        """Take a new worker, and end the one before."""
        self.end()
        self._worker = self._launcher.launch(seconds)

    def exchange(self, data: bytes) -> bytes:
        """What the worker says when it is told this; nothing if it is gone or has fallen silent."""
        connection = self._worker.connection
        try:
            connection.sendall(data)
            said = connection.recv(CHUNK)
            while said and len(said) < CHUNK and select.select([connection], [], [], PAUSE)[0]:
                more = connection.recv(CHUNK)
                if not more:
                    break
                said += more
        except OSError:
            return b""
        return said

    def ending(self) -> str:
        """How the worker ended, as `Worker` says it."""
        return self._worker.ending()

    def end(self) -> None:
        if self._worker:
            self._worker.__exit__()
        self._worker = None
