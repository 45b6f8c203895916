"""Two accounts share a machine, as on a hub: neither finds its place taken by the other."""

import contextlib
import io
import os
import re
import tempfile
import traceback
from pathlib import Path

import nbformat

from solutions import build
from tests import needs

ROOT = build.SOURCE.parent
ACCOUNTS = (65534, 65533)  # numbers of users, who need not have a name
# The temporary folder belongs to everybody, and a fixed name in it to whoever comes first.
SHARED = re.compile(r"gettempdir|[\"'](/var)?/tmp\b|[\"']/dev/shm")
WRITES = re.compile(r"import tempfile")


def _cells(path: Path) -> list[str]:
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def test_nothing_of_the_course_names_a_file_that_all_accounts_share():
    paths = [*build.notebooks(), *sorted(ROOT.glob("notebooks/*.ipynb"))]
    assert len(paths) > 20
    shared = [path.name for path in paths for cell in _cells(path) if SHARED.search(cell)]
    modules = [*ROOT.glob("utils/**/*.py"), *ROOT.glob("grading/*.py")]
    shared += [path.name for path in modules if SHARED.search(path.read_text(encoding="utf-8"))]
    assert shared == []


@needs.root
def test_a_cell_of_the_exercises_that_writes_a_file_works_for_both(tmp_path_factory, monkeypatch):
    (cell,) = [cell for path in build.notebooks() for cell in _cells(path) if WRITES.search(cell)]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("first")))
    _run(cell)  # imports what another account may not be able to read
    tmp_path = tmp_path_factory.mktemp("shared")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tmp_path.chmod(0o1777)
    outer = [folder for folder in tmp_path.parents if folder.stat().st_mode & 0o011 != 0o011]
    for folder in outer:  # pytest's own
        folder.chmod(0o711)
    for account in ACCOUNTS:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setgid(account)
                os.setuid(account)
                file = _run(cell)
                status = int(file.stat().st_uid != account or file.parent == tmp_path)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0, f"account {account}"
    folders = list(tmp_path.iterdir())
    assert sorted(folder.stat().st_uid for folder in folders) == sorted(ACCOUNTS)
    assert not [folder for folder in folders if folder.stat().st_mode & 0o077]  # nobody else reads


def _run(cell: str) -> Path:
    """Run the cell, with a translator that repeats; return the file that it has written."""
    names = {"my_translations": list}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(cell, names)
    return names["file"]
