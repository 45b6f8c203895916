"""Read submissions in a limited process, for they can take far more than their size suggests.

JSON of a million empty lists, or a cell with a magic in every line, takes thousands of times as
much memory and time as the file is long.
"""

import hashlib
import json
import threading
from dataclasses import asdict

from grading.intake import notebook_parser
from grading.intake.notebook_parser import Flag, Notebook
from grading.intake.submissions import CannotGrade, Submission, Unreadable
from grading.run.limited_child import MEMORY, Gone, LimitedChild
from utils import notebook_file
from utils.checks import bank

SECONDS = 3  # of processor time for a file; an honest one takes hundredths
TOO_MUCH = (
    f"reading it takes more than {SECONDS} seconds or {MEMORY >> 30} GB: clear the outputs, "
    "shorten what is long, and save it again"
)


class TooMuch(Unreadable):
    """A file that takes more time or memory to read than it may."""

    def __init__(self):
        super().__init__(TOO_MUCH)


def read_here(submission: Submission) -> tuple[str, Notebook]:
    """Read a file in this process; return the digest of its bytes and its notebook.

    Raises:
        Unreadable: the file holds nothing that could be graded.
    """
    data = submission.read()
    return hashlib.sha256(data).hexdigest(), notebook_parser.read(data, submission.file)


class Reader(LimitedChild):
    """A limited process that reads files, one at a time, for several threads.

    Args:
        safe: whether to put the process into namespaces of its own.
    """

    def __init__(self, safe: bool = True):
        super().__init__(_answer, SECONDS, safe, _prepare)
        self._one = threading.Lock()

    def read(self, submission: Submission) -> tuple[str, Notebook]:
        """Read a file in the limited process; return its digest and notebook, like `read_here`.

        Raises:
            Unreadable: the file holds nothing that could be graded, or takes too much to read.
            CannotGrade: the process that watches over the limited one has ended.
        """
        try:
            with self._one:  # so that only one file is in memory at a time
                data = submission.read()
                digest = hashlib.sha256(data).hexdigest()
                reply = self.ask(submission.file.encode(errors="surrogatepass"), data)
        except Gone:
            raise CannotGrade(
                "The process that reads the submissions has ended: is there enough memory? "
                "What is graded is kept: go on with --resume."
            ) from None
        if not reply:
            raise TooMuch
        content = json.loads(reply)
        if "unreadable" in content:
            raise Unreadable(content["unreadable"])
        content["cells"] = [notebook_file.Cell(**cell) for cell in content["cells"]]
        content["flags"] = [Flag(**flag) for flag in content["flags"]]
        return digest, Notebook(**content)


def _prepare() -> None:
    """Read each exercise once, which fills the caches for every file."""
    for path in sorted(bank.FOLDER.glob("[0-9]*.ipynb")):
        notebook_parser.read(path.read_bytes(), path.name)


def _answer(file: bytes, data: bytes) -> bytes:
    """Return a notebook's content as JSON, or why it cannot be read."""
    try:
        content = asdict(notebook_parser.read(data, file.decode(errors="surrogatepass")))
    except Unreadable as problem:
        content = {"unreadable": str(problem)}
    return json.dumps(content).encode()
