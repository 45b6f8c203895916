"""Run workers on a node of a Dask cluster, in the node's own sandbox, and decide nothing.

A node receives what a worker receives, code and inputs, and passes on the worker's messages unread.
Expected values and the seed stay with the client, the process that grades the class.
"""

import hashlib
import os
import select
import sys
from collections.abc import Mapping
from importlib import metadata

from grading.run.launcher import COURSE, ROUNDING, Ending, Launcher, NoSandbox, Worker

CODE = {".py", ".json", ".ipynb", ".toml", ".safetensors"}
NOT_OURS = {
    "progress.json",
    "guesses.json",
    ".ipynb_checkpoints",
}  # files that appear as the course is used
CHUNK = 2**20  # bytes; a longer message is passed on in pieces
PAUSE = 0.002  # seconds: data that come after a longer pause make a new piece


def version() -> str:
    """Return a digest of Python's, torch's and NumPy's versions and of the course's code here.

    Machines that grade one class together must have equal digests. Exercises and solutions are not
    part of the digest, because a node does not need them.
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
    """Return the environment variables that change the last digits of results computed here."""
    return {name: value for name, value in os.environ.items() if ROUNDING.match(name)}


class Node:
    """A machine of the cluster, which runs one worker at a time in its own sandbox."""

    def __init__(self):
        self._launcher: Launcher | None = None
        self._worker: Worker | None = None

    def prepare(self, client_version: str, client_rounding: Mapping[str, str]) -> str:
        """Start the sandbox, if this machine has the client's version of the course.

        Args:
            client_version: digest that `version` returns on the client.
            client_rounding: environment variables that `rounding` returns on the client.

        Returns:
            The reason why this machine cannot grade for that client; "" if it can.
        """
        if version() != client_version:
            return "it has another version of the course, Python, torch or NumPy"
        for name in rounding():
            del os.environ[name]
        os.environ.update(client_rounding)
        try:
            self._launcher = Launcher().__enter__()
        except NoSandbox as problem:
            return f"it has no sandbox: {problem.reason}"
        return ""

    def launch(self, seconds: float) -> None:
        """End the previous worker, if there is one, and start a new one."""
        self.end()
        self._worker = self._launcher.launch(seconds)

    def exchange(self, data: bytes) -> bytes:
        """Send data to the worker and return its reply; b"" if the worker is gone or silent."""
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

    def ending(self) -> Ending:
        """Return how the worker ended, as `Worker.ending` does."""
        return self._worker.ending()

    def end(self) -> None:
        if self._worker:
            self._worker.__exit__()
        self._worker = None
