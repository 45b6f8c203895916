"""Write the learners' zip, which is the course without solutions and grader: `make release`.

The same files give the same bytes on any machine: they are sorted, without dates, and not
compressed, because libraries compress differently. Afterwards the zip is unpacked into an empty
folder, and every exercise notebook is run there as a learner would first run it.
"""

import hashlib
import os
import sys
import tempfile
import zipfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from tqdm.auto import tqdm

from solutions.catch_up import OWN

ROOT = Path(__file__).parents[1]
ZIP = ROOT / "dist" / "attention-course.zip"
FILES = (
    "AGENTS.md",
    "CLAUDE.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "conftest.py",
    "pyproject.toml",
    "requirements.txt",
)
FOLDERS = (".jupyter", "docs", "exercises", "notebooks", "tests", "utils")
SECRET = ("solutions", "grading")
LEFT_OUT = ("__pycache__", ".ipynb_checkpoints", "progress.json")
DAY_ONE = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip can hold
SECONDS = 120  # the most for a cell


def write_zip(path: Path) -> str:
    """Write the zip; return the SHA-256 of its bytes."""
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for file in contents():
            name = f"attention-course/{file.relative_to(ROOT).as_posix()}"
            entry = zipfile.ZipInfo(name, DAY_ONE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    return hashlib.sha256(path.read_bytes()).hexdigest()


def contents() -> list[Path]:
    """Return the paths of the files that learners get, sorted."""
    files = [ROOT / name for name in FILES]
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*"):
            left_out = set(file.parts) & {*LEFT_OUT} or file.name.startswith(OWN)
            if file.is_file() and not left_out:
                files.append(file)
    return sorted(files)


def prove(zip_path: Path) -> tuple[int, int]:
    """Unpack the zip, and check that every exercise notebook runs in it untouched.

    Returns:
        The number of notebooks, and the number of checks that ran.

    Raises:
        AssertionError: something is missing, or a check passes work that nobody has done.
    """
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(zip_path) as archive:
        archive.extractall(folder)
        course = Path(folder) / "attention-course"
        secret = [name for name in SECRET if (course / name).exists()]
        assert not secret, f"the zip holds {secret}"
        notebooks = sorted((course / "exercises").glob("[0-9]*.ipynb"))
        checks = sum(run_untouched(path, course) for path in tqdm(notebooks, desc="proving"))
    return len(notebooks), checks


def run_untouched(path: Path, course: Path) -> int:
    """Run an untouched notebook, and return its number of checks, all of which must fail."""
    notebook = nbformat.read(path, as_version=4)
    first = nbformat.v4.new_code_cell(
        f"import sys; sys.path.insert(0, {str(course)!r})\n"
        f"import utils; assert utils.__file__.startswith({str(course)!r}), utils.__file__"
    )
    notebook.cells.insert(0, first)
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        allow_errors=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": path.parent}},
    )
    client.execute()
    errors = [output for output in first.outputs if output.output_type == "error"]
    assert not errors, f"{path.name} does not find the course's own utils: {errors}"
    checks = [cell for cell in notebook.cells if cell.source.startswith("check(")]
    for cell in checks:
        text = "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        assert text.startswith("✗"), f"{path.name}, {cell.source}: {text or cell.outputs}"
    return len(checks)


def main() -> None:
    digest = write_zip(ZIP)
    print(f"{os.path.relpath(ZIP)}: {ZIP.stat().st_size / 2**20:.1f} MB, SHA-256 {digest}")
    notebooks, checks = prove(ZIP)
    print(f"It works without {' and '.join(SECRET)}: {notebooks} notebooks, {checks} checks ran.")


if __name__ == "__main__":
    sys.exit(main())
