"""Read submissions in a process with limits, whose death does not harm the grader.

JSON of a million empty lists, or a cell with a magic in every line, takes far more memory and time
than its size suggests. So a fork of the grader reads the files, one after another; another fork
watches over this reader, and replaces it if it dies. The watching fork is made before the grader
has threads and workers, because a fork inherits the locks of threads and the sockets of workers.
"""

import contextlib
import gc
import hashlib
import json
import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path

from grading.intake import notebook_parser
from grading.intake.notebook_parser import Notebook
from grading.intake.red_flags import Flag
from grading.intake.submissions import CannotGrade, Submission, Unreadable
from utils.checks import bank

MEMORY = 2**30  # bytes, beyond what the process has before it reads anything
SECONDS = 3  # of processor time for a file; an honest one takes hundredths
TOO_MUCH = (
    f"reading it takes more than {SECONDS} seconds or {MEMORY >> 30} GB: clear the outputs, "
    "shorten what is long, and save it again"
)


def read_here(submission: Submission) -> tuple[str, Notebook]:
    """Read a file in this process; return the digest of its bytes and its notebook.

    Raises:
        Unreadable: the file holds nothing that could be graded.
    """
    data = submission.read()
    return hashlib.sha256(data).hexdigest(), notebook_parser.read(data, submission.file)


class Reader:
    """A separate process that reads files, one at a time, for several threads."""

    def __enter__(self) -> "Reader":
        self._lock, self._used = threading.Lock(), False
        self._connection, far = multiprocessing.Pipe()
        self._process = os.fork()
        if self._process == 0:
            try:
                _watch(far)
            finally:
                os._exit(0)
        far.close()
        return self

    def __exit__(self, *_) -> None:
        self._connection.close()  # the process then ends, after the file at hand
        os.waitpid(self._process, 0)

    def read(self, submission: Submission) -> tuple[str, Notebook]:
        """Read a file in the separate process; return its digest and notebook, like `read_here`.

        Raises:
            Unreadable: the file holds nothing that could be graded, or takes too much to read.
            CannotGrade: the separate process has ended.
        """
        with self._lock:
            data = submission.read()
            digest = hashlib.sha256(data).hexdigest()
            try:
                used = self._used
                reply = self._ask(submission.file, data)
                if used and not reply:  # try a fresh reader, undamaged by other files
                    reply = self._ask(submission.file, data)
            except (EOFError, OSError):
                raise CannotGrade(
                    "The process that reads the submissions has ended: is there enough memory? "
                    "What is graded is kept: go on with --resume."
                ) from None
        content = json.loads(reply) if reply else {"unreadable": TOO_MUCH}
        if "unreadable" in content:
            raise Unreadable(content["unreadable"])
        content["cells"] = [notebook_parser.Cell(**cell) for cell in content["cells"]]
        content["flags"] = [Flag(**flag) for flag in content["flags"]]
        return digest, Notebook(**content)

    def _ask(self, file: str, data: bytes) -> bytes:
        """Send a file to the reader, and return its reply; b"" if the reader has died."""
        self._connection.send_bytes(file.encode(errors="surrogatepass"))
        self._connection.send_bytes(data)
        reply = self._connection.recv_bytes()
        self._used = bool(reply)
        return reply


def _watch(connection: Connection) -> None:
    """Replace the reader whenever it dies, until the grader hangs up."""
    os.setsid()  # Ctrl-C is for the grader
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.closerange(3, connection.fileno())
    os.closerange(connection.fileno() + 1, 4096)
    for path in sorted(bank.FOLDER.glob("*.ipynb")):  # fills the caches for each reader
        notebook_parser.read(path.read_bytes(), path.name)
    gc.freeze()
    while True:
        reader = os.fork()
        if reader == 0:
            try:
                _serve(connection)
            finally:
                os._exit(1)
        if os.waitpid(reader, 0)[1] == 0:
            return
        connection.send_bytes(b"")


def _serve(connection: Connection) -> None:
    """Read each file that is sent, and reply; the limits pause while a message is sent."""
    import resource  # not on Windows, where tests import this module

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    memory = pages * resource.getpagesize() + MEMORY
    while True:
        try:
            file, data = connection.recv_bytes(), connection.recv_bytes()
        except EOFError:
            os._exit(0)
        seconds = int(time.process_time()) + SECONDS
        with _limit(resource.RLIMIT_AS, memory), _limit(resource.RLIMIT_CPU, seconds):
            try:
                content = asdict(notebook_parser.read(data, file.decode(errors="surrogatepass")))
            except Unreadable as problem:
                content = {"unreadable": str(problem)}
            reply = json.dumps(content).encode()
        connection.send_bytes(reply)


@contextlib.contextmanager
def _limit(limit: int, soft: int) -> Iterator[None]:
    """Limit this process within a block, by a soft limit that does not exceed its hard limit."""
    import resource

    before, hard = resource.getrlimit(limit)
    below = hard != resource.RLIM_INFINITY
    resource.setrlimit(limit, (min(soft, hard) if below else soft, hard))
    yield
    resource.setrlimit(limit, (before, hard))
