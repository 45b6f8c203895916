"""Write the learners' zip, which is the course without what is for instructors: `make release`.

The same files give the same bytes on any machine: they are sorted, without dates, and not
compressed, because libraries compress differently. Afterwards the zip is unpacked into an empty
folder, and every exercise notebook is run there as a learner would first run it.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Collection
from pathlib import Path

from grading.text import say
from solutions.catch_up import OWN

ROOT = Path(__file__).parents[1]
ZIP = ROOT / "dist" / "attention-course.zip"
FILES = (
    "AGENTS.md",
    "CLAUDE.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "conftest.py",
    "pyproject.toml",
    "requirements.txt",
)
FOLDERS = (".jupyter", "docs", "exercises", "notebooks", "tests", "utils")
SECRET = ("solutions", "grading", "workshop")  # plans in `workshop` tell the predictions
LEFT_OUT = ("__pycache__", ".ipynb_checkpoints", "progress.json", "guesses.json")
SAVED = ("my_language_model.",)  # what exercise 08 writes beside it
DAY_ONE = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip can hold
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)[^)\s]*\)")
UNTOUCHED = "tests/test_checks_in_notebooks.py::test_an_untouched_notebook_runs_to_its_end"


def write_zip(path: Path) -> str:
    """Write the zip; return the SHA-256 of its bytes."""
    path.parent.mkdir(exist_ok=True)
    files = contents()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for file in files:
            name = f"attention-course/{file.relative_to(ROOT).as_posix()}"
            entry = zipfile.ZipInfo(name, DAY_ONE)
            entry.external_attr = 0o644 << 16
            data = file.read_bytes()
            if file.suffix == ".md":
                data = without_dead_links(data.decode("utf-8"), file.parent, files).encode("utf-8")
            archive.writestr(entry, data)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def contents() -> list[Path]:
    """Return the paths of the files that learners get, sorted."""
    files = [ROOT / name for name in FILES]
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*"):
            left_out = set(file.parts) & {*LEFT_OUT} or file.name.startswith((OWN, *SAVED))
            if file.is_file() and not left_out:
                files.append(file)
    return sorted(files)


def without_dead_links(text: str, folder: Path, files: Collection[Path]) -> str:
    """Replace each link in a page of a folder by its text if it leads to none of the files."""
    there = {place for file in files for place in (file, *file.parents)}

    def living(link: re.Match) -> str:
        is_address, target = re.match(r"\w+:", link[2]), Path(os.path.abspath(folder / link[2]))
        return link[0] if is_address or target in there else link[1]

    return LINK.sub(living, text)


def prove(zip_path: Path, notebook: str = "") -> None:
    """Unpack the zip, and run the test there that every exercise notebook runs untouched.

    Args:
        notebook: number of the only notebook to run; by default, all are.

    Raises:
        AssertionError: the zip holds something secret.
        CalledProcessError: something is missing, or a check passes work that nobody has done.
    """
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(zip_path) as archive:
        archive.extractall(folder)
        course = Path(folder) / "attention-course"
        secret = [name for name in SECRET if (course / name).exists()]
        if secret:
            raise AssertionError(f"the zip holds {secret}")
        tests = f"{UNTOUCHED}[{notebook}]" if notebook else UNTOUCHED
        command = [sys.executable, "-m", "pytest", "-q", "-m", "slow", tests]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run(command, cwd=course, env=environment, check=True)


def main() -> None:
    try:
        digest = write_zip(ZIP)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        sys.exit(f"{ZIP}: {why}. Release from a copy of the course that is your own.")
    say(f"{os.path.relpath(ZIP)}: {ZIP.stat().st_size / 2**20:.1f} MB, SHA-256 {digest}")
    say("Its exercises are run, untouched, without solutions.")
    prove(ZIP)


if __name__ == "__main__":
    main()
