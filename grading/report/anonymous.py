"""Copy the results of a class without saying whose they are, to show or to study them.

In place of each name and number stands a pseudonym, the same whenever the same grades are copied;
its key stays in DIR/private. What learners have written, be it words, code, or the message of an
exception, may tell who they are: none of it is in the copy.
"""

import base64
import hashlib
import hmac
import secrets
from dataclasses import replace
from pathlib import Path

from grading.intake.submissions import CannotGrade
from grading.report import pages, tables
from grading.report.store import Store, write
from grading.report.tables import Lateness, Learner
from grading.report.unrecognised import Names


def write_copy(out: Path, copy: Path) -> int:
    """Write the tables and pages of a class without anything that says whose they are.

    Args:
        out: the folder of the grades.
        copy: a new folder.

    Returns:
        The number of learners.

    Raises:
        CannotGrade: there are no grades, or the folder for the copy holds something.
    """
    store = Store(out)
    if not store.run:
        raise CannotGrade(f"There are no grades in {out}.")
    if copy.exists() and (not copy.is_dir() or any(copy.iterdir())):
        raise CannotGrade(f"{copy} holds something already. Name a new folder.")
    class_ = tables.learners(store.all(), Lateness.of(store.run["late"]))
    tables.read_marks(out / "marks.csv", class_)
    key = out / "private" / "pseudonyms.key"  # without it, pseudonyms tell nothing
    if not key.exists():
        write(key, secrets.token_hex())
    anonymous = [_anonymous(learner, key.read_bytes()) for learner in class_]
    anonymous.sort(key=lambda learner: learner.name)
    copy.mkdir(parents=True, exist_ok=True)
    tables.write_grades(anonymous, copy / "grades.csv")
    tables.write_tasks(anonymous, copy / "tasks.csv")
    tables.write_files(anonymous, copy / "files.csv")
    pages.write_pages(anonymous, Names(out), copy, store.run["safe"])
    return len(anonymous)


def _anonymous(learner: Learner, key: bytes) -> Learner:
    """Return a learner under a pseudonym, without what they and their instructor have written."""
    name, files = pseudonym(learner.key, key), {}
    for number, result in enumerate(learner.files, start=1):
        own = {"learner": name, "lms": "", "id": "", "file": f"{name}/{number}.ipynb"}
        texts = {"words": {}, "code": {}, "remarks": (), "flags": (), "elsewhere": ()}
        tasks = {
            task: replace(outcome, lines=(), returned="") for task, outcome in result.tasks.items()
        }
        files[result.file] = replace(result, **own, **texts, tasks=tasks)
    return replace(
        learner,
        name=name,
        lms="",
        id="",
        files=[*files.values()],
        results={notebook: files[result.file] for notebook, result in learner.results.items()},
        marks={part: mark._replace(remark="") for part, mark in learner.marks.items()},
        overrides={part: mark._replace(remark="") for part, mark in learner.overrides.items()},
    )


def pseudonym(name: str, key: bytes) -> str:
    """Return a label for a name: the same for the same key, which nobody can guess from it."""
    digest = hmac.digest(key, name.encode(errors="surrogateescape"), hashlib.sha256)
    return f"learner-{base64.b32encode(digest)[:8].decode().lower()}"
