"""Take a made-up class of two hundred through a week with one class file, on either platform.

With `-s`, `pytest grading/tests/test_week.py -m nightly` prints the figures.
"""

import csv
import io
import time
import zipfile
from pathlib import Path

import pytest

from grading import classroom
from grading.__main__ import main
from grading.intake.class_file import read
from grading.tests.made import NOTEBOOK, in_a_zip, rows, run_command, table
from grading.tests.test_round_trip import canvas_gives, canvas_takes, moodle_gives, moodle_takes
from tests import needs

pytestmark = [needs.sandbox, pytest.mark.nightly]

LEARNERS = 200
ZIPPED, RENAMED, LATE, EXTENDED, DAMAGED, MISSING = range(5, 11)  # learners, by their numbers
IN_TIME, DAY_LATE = "Thursday, 31 January 2030, 8:15 PM", "Friday, 1 February 2030, 8:15 PM"


def handed_in(folder: Path, platform: str) -> list[str]:
    """Write what a platform gives of a class, and its own table of learners; return their names."""
    files = classroom.write(folder / "made", LEARNERS, seed=11)
    names = [path.name.removesuffix(f"_{NOTEBOOK}.ipynb") for path in files]
    with zipfile.ZipFile(folder / "week1.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, path) in enumerate(zip(names, files, strict=True)):
            data, called = path.read_bytes(), f"{NOTEBOOK}.ipynb"
            if number == ZIPPED:
                data, called = in_a_zip(data), "homework.zip"
            if number == RENAMED:
                called = "final (2).ipynb"
            if number == DAMAGED:
                data = data[: len(data) // 2]
            late = number in (LATE, EXTENDED)
            if platform == "canvas":
                given = canvas_gives(name, 4000 + number, 77000 + number, called, late)
            else:
                given = moodle_gives(name, 4000 + number, called, folders=True)
            if number != MISSING:
                archive.writestr(given, data)
    with (folder / "roster.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        if platform == "canvas":
            write(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Week 1 (815)"])
            write(["Points Possible", "", "", "", "", 24])
        else:
            write(["Identifier", "Full name", "Status", "Grade", "Last modified (submission)"])
        for number, name in enumerate(names):
            if platform == "canvas":
                write([name, 4000 + number, "", "", "Monday", ""])
            else:
                at = DAY_LATE if number in (LATE, EXTENDED) else IN_TIME
                when = "-" if number == MISSING else at
                write([f"Participant {4000 + number}", name, "Submitted", "", when])
    return names


def fill_in(path: Path, extended: str, platform: str) -> None:
    """Switch on what this class needs in a new class file, as an instructor would."""
    text = path.read_text(encoding="utf-8").replace("dropped = []", 'dropped = ["four_patterns"]')
    keys = ["deadline", "grace", "deduction", "roster", "entropy"]
    for key in [*keys, *["column"] * (platform == "canvas")]:
        assert f"\n# {key} = " in text
        text = text.replace(f"\n# {key} = ", f"\n{key} = ")
    text = text.replace('# "Ada Lovelace" = ', f'"{extended}" = ')
    path.write_text(text, encoding="utf-8")


def mark(out: Path, damaged: str) -> int:
    """Give a point for each answer in words, and five to a file that cannot be read."""
    heads, *marks = table(out / "marks.csv")
    learner, question, points, remark = map(
        heads.index, ("learner", "question", "points", "remark")
    )
    for row in marks:
        row[points] = "1"
    extra = [""] * len(heads)
    extra[learner], extra[question] = damaged, "entropy"
    extra[points], extra[remark] = "5", "shown to me on her own machine"
    text = io.StringIO()
    csv.writer(text, delimiter=";").writerows([heads, *marks, extra])
    (out / "marks.csv").write_bytes(text.getvalue().encode("utf-8-sig"))  # as a spreadsheet does
    return len(marks)


def grades(out: Path) -> list[str]:
    """Return the grade of each learner, in the order of their numbers."""
    heads, *learners = table(out / "grades.csv")
    grade = next(n for n, head in enumerate(heads) if head in ("Week 1 (815)", "Grade"))
    number = next(n for n, head in enumerate(heads) if head in ("ID", "Identifier"))
    learners = [row for row in learners if row[0] != "Points Possible"]
    return [row[grade] for row in sorted(learners, key=lambda row: row[number])]


@pytest.mark.parametrize("platform", ["canvas", "moodle"])
def test_a_class_of_two_hundred_through_a_week(tmp_path, monkeypatch, capsys, platform):
    monkeypatch.chdir(tmp_path)
    names, told = handed_in(tmp_path, platform), []
    assert main(["new", "week1.zip"]) == 0
    fill_in(tmp_path / "week1.toml", names[EXTENDED], platform)
    assert len(read(tmp_path / "week1.toml").roster) == LEARNERS
    out = tmp_path / "week1-grades"
    capsys.readouterr()

    begun = time.monotonic()
    assert main(["week1.toml", "--seed", "5"]) == 0
    told.append(f"graded in {time.monotonic() - begun:.0f} s")
    pending = capsys.readouterr().out.strip().splitlines()[-1]
    told.append(pending)
    assert "1 with files that could not be graded" in pending
    blank = grades(out).count("")
    assert f"{blank - 1} of {LEARNERS} learners are pending" in pending  # and one is missing

    (damaged,) = (
        row["learner"] for row in rows(out / "files.csv") if "graded" not in row["reason"]
    )
    words = mark(out, damaged)
    assert main(["week1.toml"]) == 0
    told.append(f"{words} answers in words marked: {grades(out).count('')} blank cell left")
    assert grades(out).count("") == 1
    before = grades(out)
    assert run_command(capsys, "regrade", "--out", out)[0] == 0
    assert grades(out) == before

    files = {row["file"]: row["reason"] for row in rows(out / "files.csv")}
    late = [reason for reason in files.values() if "late" in reason]
    told.append(f"late: {late}")
    assert sum("10 % of the points are taken off" in reason for reason in late) == 1
    assert before[DAMAGED] == "5"
    assert before[MISSING] == ""
    assert float(before[ZIPPED]) > 0
    assert float(before[RENAMED]) > 0
    with zipfile.ZipFile(out / "feedback.zip") as archive:
        takes = canvas_takes if platform == "canvas" else moodle_takes
        learners = {takes(name)[0] for name in archive.namelist()}
    assert learners == {str(4000 + n) for n in range(LEARNERS) if n != MISSING}
    told.append(f"{len(learners)} pages to give back; points {sorted(set(before))[:4]} …")
    with capsys.disabled():
        print(f"\n{platform}:", *told, sep="\n  ")
