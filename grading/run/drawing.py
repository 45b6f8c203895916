"""Draw fresh cases in a process of its own, which gives the memory that this takes back.

Solutions train networks and run a real model: up to a gigabyte, for records of a few megabytes.
The process is a fork of the grader, made before the grader has threads, and forks again for each
notebook.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

from grading.intake.submissions import CannotGrade

ENDED = (
    "The process that draws the inputs for {} has ended: is there enough memory? What is graded is "
    "kept: go on with --resume."
)


class Drawing:
    """A process that draws and stores the records of one notebook after another.

    Args:
        draw: function that takes a notebook's name, a seed and a path, and stores the records.
    """

    def __init__(self, draw: Callable[[str, int, Path], None]):
        self._draw = draw
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._connection, far = multiprocessing.Pipe()
        self._process = os.fork()
        if self._process == 0:
            try:
                self._serve(far)
            finally:
                os._exit(0)
        far.close()
        return self

    def __exit__(self, *_) -> None:
        self._connection.close()  # the process then ends
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)

    def draw(self, name: str, seed: int, path: Path) -> None:
        """Store a notebook's records with cases drawn from a seed.

        Raises:
            CannotGrade: the process has ended, or the solutions are missing.
            OSError: the records cannot be stored.
            RuntimeError: the notebook's solutions failed.
        """
        with self._lock:
            try:
                self._connection.send((name, seed, path))
                problem = self._connection.recv()
            except (EOFError, OSError):
                problem = CannotGrade(ENDED.format(name))
        if problem is not None:
            raise problem

    def _serve(self, connection: Connection) -> None:
        """Fork for each notebook, until the grader hangs up."""
        from grading.run import namespaces  # not on Windows, where tests import this module

        os.setsid()  # Ctrl-C is for the grader
        namespaces.end_with_parent()
        os.closerange(3, connection.fileno())  # the grader's lock, say
        os.closerange(connection.fileno() + 1, 4096)
        while True:
            name, seed, path = connection.recv()
            child = os.fork()
            if child == 0:
                namespaces.end_with_parent()
                problem = None
                try:
                    self._draw(name, seed, path)
                except (CannotGrade, OSError) as error:  # a full disk, say
                    problem = error
                except Exception as error:
                    problem = RuntimeError(f"{name}: {type(error).__name__}: {error}")
                connection.send(problem)
                os._exit(0)
            if os.waitpid(child, 0)[1]:
                connection.send(CannotGrade(ENDED.format(name)))
