"""Read a notebook that was handed in, by itself or in a zip file, with its red flags.

What a notebook says is read by `utils.notebook_file`, which learners have too.
"""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass

from grading import hooks
from grading.intake.submissions import NESTED, ZIP, is_handed_in, read_member
from utils import notebook_file
from utils.unreadable import Unreadable


@dataclass(frozen=True)
class Flag:
    """A red flag: something in the code that a person should look at."""

    task: str  # task that it is about; "" if it is about the whole notebook
    noticed: str  # completes "`task` …"
    cell: int = 0  # number of the cell; 0 if it is about no single cell

    def __str__(self) -> str:
        where = f" (cell {self.cell})" if self.cell else ""
        return f"{self.task or 'the code'} {self.noticed}{where}"


@dataclass(frozen=True)
class Notebook(notebook_file.Notebook):
    """The content of a submission, and its red flags, for a person to look at."""

    flags: Sequence[Flag] = ()


def read(data: bytes, file: str = "") -> Notebook:
    """Read a notebook that was handed in.

    Args:
        data: bytes of the file.
        file: name of the file, which decides if the code fits two of the course's notebooks.

    Raises:
        Unreadable: the file holds nothing that could be graded.
    """
    content = notebook_file.read(_unzipped(data) if data.startswith(ZIP) else data, file)
    flags = [] if content.form else hooks.flags(content)
    return Notebook(**vars(content), flags=flags)


def _unzipped(data: bytes) -> bytes:
    """Return the one notebook in a zip file. A zip file in a zip file is not opened."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # zipfile raises whatever comes up
        raise Unreadable(f"a damaged zip file: {error}") from None
    members = [member for member in archive.infolist() if is_handed_in(member.filename)]
    notebooks = [member for member in members if member.filename.endswith(".ipynb")]
    if not notebooks and any(member.filename.lower().endswith(".zip") for member in members):
        raise Unreadable(NESTED)
    if len(notebooks) != 1:
        raise Unreadable(f"a zip file that holds {len(notebooks)} notebooks, not one: unpack it")
    content = read_member(archive, notebooks[0])
    if content.startswith(ZIP):
        raise Unreadable(NESTED)
    return content
