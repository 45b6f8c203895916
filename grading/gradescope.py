"""Grade on Gradescope: `python -m grading gradescope week1.toml` writes an autograder for it.

The zip holds what Gradescope's specification asks for, `setup.sh` and `run_autograder`, and the
course with the grader. There is no second truth: in the container, `run` hands a submission to
`grader.grade`, as a class of one, and writes what that says into `results.json`. The fresh cases
are drawn once, here, so that all learners and attempts are graded on the same ones.

/autograder/source/       this zip
/autograder/submission/   what a learner has handed in
/autograder/results/      for `results.json`
"""

import contextlib
import json
import os
import secrets
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grading import grader
from grading.assignments import Assignments, draw
from grading.intake import class_file
from grading.intake.class_file import ClassFile
from grading.intake.submissions import CannotGrade
from grading.names import Names
from grading.report.tables import Learner
from grading.run.drawing import Drawing
from grading.run.launcher import NoSandbox
from grading.text import say, toml
from utils.checks import bank

ROOT = Path(__file__).parents[1]
FOLDERS = ("exercises", "grading", "notebooks", "solutions", "utils")
LEFT_OUT = ("__pycache__", ".ipynb_checkpoints", "tests", "images", "progress.json")
CLASS, RECORDS = "class.toml", "records"
SECRET = (RECORDS, "solutions")
SETUP = """\
#!/usr/bin/env bash
set -e
# Without the next line, pip takes PyTorch for GPUs, several gigabytes: see docs/installing.md.
# export PIP_EXTRA_INDEX_URL=...
apt-get update
apt-get install -y bubblewrap python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  { echo "The course needs Python 3.11: choose a newer base image." >&2; exit 1; }
python3 -m venv /autograder/venv
/autograder/venv/bin/python -m pip install -r /autograder/source/requirements.txt
"""
RUN = """\
#!/usr/bin/env bash
cd "$(dirname "$0")/source" && exec ../venv/bin/python -m grading.gradescope
"""
METADATA = "submission_metadata.yml"
LEARNER = "submission_1:\n  :submitters:\n  - :name: learner\n"  # as its own exports say it


def export(path: Path, file: Path) -> None:
    """Write the autograder of a class into a zip file.

    Args:
        path: the class file: its notebooks, what they drop, and `[points]` go along. Deadlines
            are Gradescope's own.
        file: the zip file, which is replaced.

    Raises:
        CannotGrade: the class file is wrong, or there are no solutions.
    """
    rules = class_file.read(path)
    with tempfile.TemporaryDirectory() as folder, Drawing(draw) as drawing:
        records, seed = Path(folder), secrets.randbits(40)
        drawn = Assignments(records, seed, Names(records), drawing.draw, rules.notebooks)
        for name in rules.notebooks:
            drawn[name]  # makes its records
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in [("setup.sh", SETUP), ("run_autograder", RUN)]:
                entry = zipfile.ZipInfo(name)
                entry.external_attr = 0o755 << 16
                archive.writestr(entry, text)
            archive.writestr(CLASS, _class_of_one(rules))
            for each in sorted(records.iterdir()):
                archive.write(each, f"{RECORDS}/{each.name}")
            for each in _course():
                archive.write(each, each.relative_to(ROOT).as_posix())


def _course() -> Iterator[Path]:
    """Yield the files of the course that grading needs."""
    yield ROOT / "requirements.txt"
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and not {*file.relative_to(ROOT).parts} & {*LEFT_OUT}:
                yield file


def _class_of_one(rules: ClassFile) -> str:
    """Return a class file that says the same of notebooks, tasks and points."""
    notebooks, dropped = (
        ", ".join(map(toml, each)) for each in (rules.notebooks, sorted(rules.dropped))
    )
    lines = ['handed_in = "../handed-in"', 'grades = "../grades"']
    lines += [f"notebooks = [{notebooks}]", f"dropped = [{dropped}]", "[points]"]
    lines += [f"{part} = {points}" for part, points in rules.points.items()]
    return "\n".join(lines) + "\n"


def run(root: Path = ROOT.parent) -> None:
    """Grade what lies in the folder `submission`, and write `results/results.json`.

    Where no sandbox works, submissions run as the user `nobody`, who may write into no folder here
    and read neither solutions nor fresh cases: the container then has to be what protects the rest.

    Raises:
        NoSandbox: that is not possible either. There are then no results, and so no score.
        CannotGrade: see `grader.grade`.
    """
    handed_in, out = root / "handed-in", root / "grades"
    for former in (handed_in, out):  # of a try by hand, in the same container
        shutil.rmtree(former, ignore_errors=True)
    root.chmod(0o755)
    shutil.copytree(root / "submission", handed_in / "submission_1", symlinks=True)
    (handed_in / METADATA).write_text(LEARNER)
    shutil.copytree(ROOT / RECORDS, out / "private" / "1" / "records")
    for secret in (handed_in, out, root / "results", *(ROOT / name for name in SECRET)):
        secret.chmod(0o700)
    results = results_of(_graded(handed_in, out))
    new = root / "results" / ".results.json"
    new.write_text(json.dumps(results, indent=1), encoding="utf-8")
    new.replace(root / "results" / "results.json")


def _graded(handed_in: Path, out: Path) -> Learner:
    """Grade a class of one in the sandbox, or where there is none, as another user."""
    options = {"resume": True, "class_file": ROOT / CLASS}
    with contextlib.redirect_stderr(sys.stdout):
        try:
            (learner,) = grader.grade(handed_in, out, grader.Options(**options))
        except NoSandbox as lack:
            if os.getuid():
                raise
            say(f"Run as the user nobody, for there is no sandbox: {lack.reason}.")
            options |= {"safe": False, "apart": True}
            (learner,) = grader.grade(handed_in, out, grader.Options(**options))
    return learner


def results_of(learner: Learner) -> dict[str, Any]:
    """Return what Gradescope shows of a learner's results: a test for each task that counts."""
    tests, outcomes = [], {}
    for result in learner.results.values():
        outcomes |= result.tasks
    for name, worth in learner.rules.tasks.items():
        for task in bank.tasks()[name]:
            if task.id not in worth:
                continue
            points, outcome = learner.earned.get(task.id, 0), outcomes.get(task.id)
            said = [outcome.heading, *outcome.lines] if outcome else ["Nothing was handed in."]
            tests.append(
                {
                    "name": f"{name[:2]} · {task.title}",
                    "score": points,
                    "max_score": worth[task.id],
                    "status": "passed" if points == worth[task.id] else "failed",
                    "output": "\n".join(said),
                }
            )
    told = [
        f"{result.file.partition('/')[2]}: {result.problem}"
        for result in learner.files
        if result.problem and result.file != METADATA
    ]
    told += [f"Nothing was handed in for {name}." for name in learner.missing]
    if learner.unmarked:
        told.append(f"A person marks your answers in words: {', '.join(learner.unmarked)}.")
    return {"output": "\n".join(told), "visibility": "visible", "tests": tests}


if __name__ == "__main__":
    try:
        run()
    except (CannotGrade, NoSandbox) as problem:
        sys.exit(str(problem))
