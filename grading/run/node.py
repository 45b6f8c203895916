"""Runs workers on a node of a Dask cluster, in its own sandbox, and decides nothing.

A node gets what a worker gets, code and inputs, and passes on what the worker sends, unread. What
is expected, and the seed, stay with the client, which judges.
"""

import hashlib
import os
import select
import sys
from collections.abc import Mapping
from importlib import metadata

from grading.run.launcher import COURSE, ROUNDING, Launcher, NoSandbox, Worker

CODE = {".py", ".json", ".ipynb", ".toml", ".safetensors"}
NOT_OURS = {"progress.json", ".ipynb_checkpoints"}  # what using the course leaves in it
CHUNK = 2**20  # bytes that are passed on at once
PAUSE = 0.002  # seconds that a worker may stop and what it sends still counts as one piece


def version() -> str:
    """Return a digest of Python, of the libraries that compute, and of the course's code here.

    Machines that grade one class together have to agree on it. A node needs no exercises and no
    solutions.
    """
    libraries = [f"{name} {metadata.version(name)}" for name in ("torch", "numpy")]
    digest = hashlib.sha256(f"{sys.version_info[:2]} {libraries}".encode())
    for folder in (COURSE / "utils", COURSE / "grading"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in CODE and NOT_OURS.isdisjoint(path.parts):
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"{path.relative_to(COURSE).as_posix()} {content}\n".encode())
    return digest.hexdigest()[:16]


def rounding() -> dict[str, str]:
    """Return the settings that change the last digits of what is computed here."""
    return {name: value for name, value in os.environ.items() if ROUNDING.match(name)}


class Node:
    """A machine of the cluster: one worker at a time, in its sandbox."""

    def __init__(self):
        self._launcher: Launcher | None = None
        self._worker: Worker | None = None

    def prepare(self, client_version: str, client_rounding: Mapping[str, str]) -> str:
        """Start a sandbox.

        Args:
            client_version: of the client's course.
            client_rounding: what `rounding` returns on the client.

        Returns:
            Why this machine cannot grade for that client; "" if it can.
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
        """Start a new worker, and end the one before."""
        self.end()
        self._worker = self._launcher.launch(seconds)

    def exchange(self, data: bytes) -> bytes:
        """Send data to the worker; return its reply, b"" if it is gone or has fallen silent."""
        connection = self._worker.connection
        try:
            connection.sendall(data)
            reply = connection.recv(CHUNK)
            while reply and len(reply) < CHUNK and select.select([connection], [], [], PAUSE)[0]:
                more = connection.recv(CHUNK)
                if not more:
                    break
                reply += more
        except OSError:
            return b""
        return reply

    def ending(self) -> str:
        """Return how the worker ended, as `Worker.ending` does."""
        return self._worker.ending()

    def end(self) -> None:
        if self._worker:
            self._worker.__exit__()
        self._worker = None
