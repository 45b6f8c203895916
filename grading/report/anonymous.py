"""Copy the results of a class under pseudonyms, to show or to study them.

A pseudonym replaces each name and number, the same one whenever the same grades are copied; its key
stays in DIR/private. Texts by learners may tell who they are, so the copy contains none: no answers
in words, no code, and no message of an exception.
"""

import base64
import hashlib
import hmac
import secrets
from dataclasses import replace
from pathlib import Path

from grading.intake.submissions import CannotGrade
from grading.names import Names
from grading.report import pages, tables
from grading.report.store import Store, write
from grading.report.tables import Learner


def write_copy(out: Path, copy: Path) -> int:
    """Write the tables and pages of a class without anything that identifies a learner.

    Args:
        out: folder of the grades.
        copy: new folder for the copy.

    Returns:
        The number of learners.

    Raises:
        CannotGrade: there are no grades, or the folder for the copy is not empty.
    """
    store = Store(out)
    if not store.run:
        raise CannotGrade(f"There are no grades in {out}.")
    if copy.exists() and (not copy.is_dir() or any(copy.iterdir())):
        raise CannotGrade(f"{copy} holds something already. Name a new folder.")
    class_ = tables.learners(store.all(), store.rules)
    tables.read_marks(out / "marks.csv", class_)
    key = out / "private" / "pseudonyms.key"  # without it, nobody can match pseudonyms and names
    if not key.exists():
        write(key, secrets.token_hex())
    anonymous = [_anonymous(learner, key.read_bytes()) for learner in class_]
    anonymous.sort(key=lambda learner: learner.name)
    copy.mkdir(parents=True, exist_ok=True)
    tables.write_grades(anonymous, copy / "grades.csv")
    tables.write_tasks(anonymous, copy / "tasks.csv")
    tables.write_files(anonymous, copy / "files.csv")
    run = store.run
    pages.write_pages(anonymous, Names(out), copy, run["safe"], run.get("real", True))
    return len(anonymous)


def _anonymous(learner: Learner, key: bytes) -> Learner:
    """Return a learner under a pseudonym, without texts by the learner or by the instructor."""
    name, files = pseudonym(learner.key, key), {}
    for number, result in enumerate([*learner.files, *learner.tests], start=1):
        own = {"learner": name, "lms": "", "id": "", "file": f"{name}/{number}.ipynb"}
        words = {question: text and "Not shown." for question, text in result.words.items()}
        texts = {"words": words, "code": {}, "remarks": (), "flags": (), "elsewhere": ()}
        tasks = {
            task: replace(outcome, lines=(), returned="") for task, outcome in result.tasks.items()
        }
        files[result.file] = replace(result, **own, **texts, tasks=tasks)
    return replace(
        learner,
        name=name,
        lms="",
        id="",
        section="",
        files=[files[result.file] for result in learner.files],
        tests=[files[result.file] for result in learner.tests],
        results={notebook: files[result.file] for notebook, result in learner.results.items()},
        marks={part: mark._replace(remark="") for part, mark in learner.marks.items()},
        settled={
            files[file].file: mark._replace(remark="") for file, mark in learner.settled.items()
        },
        overrides={part: mark._replace(remark="") for part, mark in learner.overrides.items()},
    )


def pseudonym(name: str, key: bytes) -> str:
    """Return a pseudonym, which is fixed by name and key and does not reveal the name."""
    digest = hmac.digest(key, name.encode(errors="surrogateescape"), hashlib.sha256)
    return f"learner-{base64.b32encode(digest)[:8].decode().lower()}"
