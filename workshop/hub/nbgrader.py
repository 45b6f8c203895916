"""Make nbgrader assignments of the exercises: `python -m workshop.hub.nbgrader 02 COURSE`.

Each check becomes a cell that nbgrader grades, with the points of its task, and each answer in
words becomes a cell that a person grades. All other cells stay as they are, for learners to edit.
"""

import argparse
import re
from pathlib import Path

import nbformat

from solutions import build

CHECK = re.compile(r'check\("(\w+)"\)')
ANSWER = re.compile(r"\*\*Your answer\*\* · `(\w+)`")


def source(path: Path) -> nbformat.NotebookNode:
    """Return the learners' version of a solution notebook as nbgrader's source of an assignment."""
    notebook = build.learner_notebook(path)
    points = {exercise.task.id: exercise.task.points for exercise in build.exercises_of(path)}
    marks = build.marks(path)
    for cell in notebook.cells:
        if check := CHECK.fullmatch(cell.source):
            name = check[1]
            cell.source = f'note = check("{name}")\nassert note.heading.startswith("✓"), note'
            cell.metadata["nbgrader"] = _graded(name, points[name], by_hand=False)
        elif answer := ANSWER.match(cell.source):
            name = answer[1]
            cell.metadata["nbgrader"] = _graded(name, marks[name], by_hand=True)
    return notebook


def _graded(name: str, points: int, by_hand: bool) -> dict:
    """Return the metadata of a cell that nbgrader grades, or that a person grades if `by_hand`."""
    kind = {"grade": True, "solution": by_hand, "locked": not by_hand, "task": False}
    return {"schema_version": 3, "grade_id": name, "points": points, **kind}


def main() -> None:
    """Write the nbgrader source of the notebook whose number the command line gives."""
    parser = argparse.ArgumentParser(prog="python -m workshop.hub.nbgrader")
    parser.add_argument("number", help="of the notebook, say 02")
    parser.add_argument("course", type=Path, help="the folder of your nbgrader course")
    options = parser.parse_args()
    for path in build.notebooks():
        if path.name.startswith(options.number):
            file = options.course / "source" / path.stem / path.name
            file.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(source(path), file)
            print(f"Now, in {options.course}: nbgrader generate_assignment {path.stem}")


if __name__ == "__main__":
    main()
