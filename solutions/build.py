"""Builds `exercises/` from `solutions/`: `python -m solutions.build`, or `make exercises`.

In a solution notebook, what stands between `# BEGIN SOLUTION` and `# END SOLUTION` becomes a stub:
`...`, or, where there is a line `# INSTEAD`, the comments below that line, as code. Of a prose cell
tagged "answer" (a model answer) only the first line is left; one tagged "rubric" is left out.
"""

import importlib
import re
import textwrap
from functools import cache
from pathlib import Path

import nbformat

from solutions.misconceptions import KINDS
from solutions.specification import PUBLIC_SEED, Exercise
from utils.checks import bank
from utils.checks.code import defined
from utils.checks.tasks import Record

SOURCE = Path(__file__).parent
FENCE = re.compile(
    r"^(?P<indent> *)# BEGIN SOLUTION\n(?P<solution>.*?)"
    r"(?:^ *# INSTEAD\n(?P<instead>.*?))?^ *# END SOLUTION$",
    flags=re.MULTILINE | re.DOTALL,
)


def notebooks() -> list[Path]:
    """The solution notebooks, in the order of the course."""
    return sorted(SOURCE.glob("[0-9]*.ipynb"))


def exercises_of(path: Path) -> list[Exercise]:
    """The specifications that belong to a solution notebook: 01_….ipynb has exercises_01.py."""
    return importlib.import_module(f"solutions.exercises_{path.name[:2]}").EXERCISES


def code_of(path: Path) -> list[str]:
    """A notebook's code cells, without those that only look at an answer (tagged "check")."""
    cells = nbformat.read(path, as_version=4).cells
    return [
        cell.source for cell in cells if cell.cell_type == "code" and "check" not in _tags(cell)
    ]


@cache  # a notebook may train a model
def solutions_of(path: Path, train: bool = True) -> dict:
    """What a notebook defines, by name.

    Args:
        path: the solution notebook.
        train: run all of it. Otherwise only as far as records need it: those of an exercise with
            `gold` do not, and it comes last, below the cells that train its model.
    """
    needed = {exercise.task.id for exercise in exercises_of(path) if not exercise.gold}
    names: dict = {}
    for source in code_of(path):
        if not train and needed <= names.keys():
            break
        exec(compile(source, f"<{path.name}>", "exec"), names)
    return names


def stub(source: str) -> str:
    """A code cell with its solutions taken out."""

    def replacement(match: re.Match) -> str:
        if not match["instead"]:
            return f"{match['indent']}...  # your code here"
        lines = textwrap.dedent(match["instead"]).splitlines()
        return textwrap.indent("\n".join(line[2:] for line in lines), match["indent"])

    return FENCE.sub(replacement, source)


def learner_notebook(path: Path) -> nbformat.NotebookNode:
    """The notebook for learners: no solution, no outputs.

    Raises:
        ValueError: the notebook and its specifications do not agree.
    """
    notebook = nbformat.read(path, as_version=4)
    prose = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    names = defined("\n".join(code_of(path)))
    tasks = [exercise.task for exercise in exercises_of(path)]
    total = f"| {sum(one.minutes for one in tasks)} minutes | {sum(one.points for one in tasks)} |"
    stated = [total, *(f". {task.title}\n\n*{task.facts}*\n" for task in tasks)]
    for text in stated:
        if text not in prose:
            raise ValueError(f"the specifications say, and {path.name} does not:\n{text}")
    for task in tasks:
        if task.id not in names:
            raise ValueError(f"{path.name} has no solution that defines {task.id}")
    notebook.cells = [cell for cell in notebook.cells if "rubric" not in _tags(cell)]
    for cell in notebook.cells:
        if "answer" in _tags(cell):
            cell.source = cell.source.splitlines()[0] + "\n\n*Write your answer here.*"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.source, cell.outputs, cell.execution_count = stub(cell.source), [], None
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
    return notebook


def rubrics(path: Path) -> dict[str, str]:
    """Question in words → how its answers are marked."""
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells if "rubric" in _tags(cell)]
    return {re.search(r"`(\w+)`", text)[1]: text for text in texts}


def _tags(cell: nbformat.NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def records_of(path: Path, seed: int) -> list[Record]:
    """The records of a notebook's exercises with cases from a seed."""
    solutions = solutions_of(path, train=False)
    return [one.record(solutions.get(one.task.id), seed) for one in exercises_of(path)]


def build(folder: Path) -> None:
    """Write every exercise notebook, with its records, into a folder; and the kinds of mistakes."""
    folder.mkdir(exist_ok=True)
    bank.save_kinds(KINDS.values(), folder)
    for path in notebooks():
        nbformat.write(learner_notebook(path), folder / path.name)
        bank.save(records_of(path, PUBLIC_SEED), folder / path.stem)


if __name__ == "__main__":
    build(bank.FOLDER)
