"""Builds `exercises/` from `solutions/`: `python -m solutions.build [ONLY]`, or `make exercises`.

ONLY is the number of a notebook, "05", or the name of a task, "entropy".

A solution notebook `01_….ipynb` stands beside a folder `n01_…` with one file for each of its
exercises, named after the task. What such a file states (`facts`) is written wherever it is
repeated: into the notebooks and the Markdown files.

In a solution notebook, what stands between `# BEGIN SOLUTION` and `# END SOLUTION` becomes a stub:
`...`, or, where there is a line `# INSTEAD`, the comments below that line, as code. Of a prose cell
tagged "answer" (a model answer) only the first line is left; one tagged "rubric" is left out.
"""

import argparse
import importlib
import re
import sys
import textwrap
from collections.abc import Callable, Container
from functools import cache
from pathlib import Path

import nbformat

from solutions import facts
from solutions.misconceptions import MISCONCEPTIONS
from solutions.specification import PUBLIC_SEED, Exercise
from utils.checks import bank
from utils.checks.code import defined
from utils.checks.tasks import Record

SOURCE = Path(__file__).parent
COURSE = SOURCE.parent / "notebooks"
CHECKED = re.compile(r'^check\("(\w+)"\)', flags=re.MULTILINE)
FENCE = re.compile(
    r"^(?P<indent> *)# BEGIN SOLUTION\n(?P<solution>.*?)"
    r"(?:^ *# INSTEAD\n(?P<instead>.*?))?^ *# END SOLUTION$",
    flags=re.MULTILINE | re.DOTALL,
)


def notebooks() -> list[Path]:
    """The solution notebooks, in the order of the course."""
    return sorted(SOURCE.glob("[0-9]*.ipynb"))


def folder_of(path: Path) -> Path:
    """Where the exercises of a solution notebook are specified."""
    return SOURCE / f"n{path.stem}"


def exercises_of(path: Path) -> list[Exercise]:
    """The exercises of a solution notebook, in the order in which it checks them.

    Raises:
        ValueError: the notebook and the files of its folder do not agree.
    """
    folder = folder_of(path)
    cells = nbformat.read(path, as_version=4).cells
    tasks = [task for cell in cells for task in CHECKED.findall(cell.source)]
    for file in folder.glob("[!_]*.py"):
        if file.stem not in tasks:
            raise ValueError(f'{path.name} needs a cell `check("{file.stem}")` for {_name(file)}.')
    return [_exercise(folder / f"{task}.py", path) for task in tasks]


def _exercise(file: Path, path: Path) -> Exercise:
    if not file.exists():
        raise ValueError(f"{path.name} checks `{file.stem}`: write {_name(file)} for it.")
    found = importlib.import_module(f"solutions.{file.parent.name}.{file.stem}").exercise
    if found.task.id != file.stem:
        raise ValueError(f"{_name(file)} specifies `{found.task.id}`: give both one name.")
    return found


def _name(file: Path) -> str:
    return f"solutions/{file.parent.name}/{file.name}"


def chosen(only: str = "") -> list[tuple[Path, Exercise]]:
    """Exercises with their solution notebooks, in the order of the course.

    Args:
        only: the number of a notebook, "05", or the name of a task; all where it is empty.

    Raises:
        ValueError: there is neither such a notebook nor such a task.
    """
    every = [(path, exercise) for path in notebooks() for exercise in exercises_of(path)]
    found = [
        (path, exercise)
        for path, exercise in every
        if only in ("", path.name[:2], exercise.task.id)
    ]
    if not found:
        numbers = " ".join(path.name[:2] for path in notebooks())
        tasks = " ".join(exercise.task.id for _, exercise in every)
        raise ValueError(
            f"{only!r} is neither a notebook nor a task. Notebooks: {numbers}. Tasks: {tasks}."
        )
    return found


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
        train: run all of it. Otherwise run only what records need: an exercise with `gold` does
            without its solution, and comes last, below the cells that train its model.
    """
    needed = {exercise.task.id for exercise in exercises_of(path) if not exercise.gold}
    names: dict = {}
    for source in code_of(path):
        if not train and needed <= names.keys():
            break
        exec(compile(source, f"<{path.name}>", "exec"), names)
    return names


def stub(source: str) -> str:
    """A code cell with its solutions removed."""

    def replacement(match: re.Match) -> str:
        if not match["instead"]:
            return f"{match['indent']}...  # your code here"
        lines = textwrap.dedent(match["instead"]).splitlines()
        return textwrap.indent("\n".join(line[2:] for line in lines), match["indent"])

    return FENCE.sub(replacement, source)


def solution_notebook(path: Path) -> nbformat.NotebookNode:
    """A solution notebook with the facts of its exercises in the headings."""
    notebook = nbformat.read(path, as_version=4)
    try:
        facts.state(notebook, [exercise.task for exercise in exercises_of(path)])
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    return notebook


def solved(source: str) -> str:
    """A code cell with its solutions, and without what marks them."""
    return FENCE.sub(lambda match: match["solution"].rstrip("\n"), source)


def learner_notebook(path: Path, change: Callable[[str], str] = stub) -> nbformat.NotebookNode:
    """The notebook for learners: no rubrics, no outputs.

    Args:
        path: the solution notebook.
        change: what becomes of a code cell: `stub`, where model answers go too, or `solved`.

    Raises:
        ValueError: the notebook and its specifications do not agree.
    """
    notebook = solution_notebook(path)
    names = defined("\n".join(code_of(path)))
    for exercise in exercises_of(path):
        if exercise.task.id not in names:
            raise ValueError(f"{path.name} has no solution that defines {exercise.task.id}")
    notebook.cells = [cell for cell in notebook.cells if "rubric" not in _tags(cell)]
    for cell in notebook.cells:
        if "answer" in _tags(cell) and change is stub:
            cell.source = cell.source.splitlines()[0] + "\n\n*Write your answer here.*"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.source, cell.outputs, cell.execution_count = change(cell.source), [], None
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
    return notebook


def rubrics(path: Path) -> dict[str, str]:
    """Question to be answered in words → its rubric."""
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells if "rubric" in _tags(cell)]
    return {re.search(r"`(\w+)`", text)[1]: text for text in texts}


def marks(path: Path) -> dict[str, int]:
    """Question to be answered in words → the most points that an answer can earn."""
    heads = {question: text.partition("\n")[0] for question, text in rubrics(path).items()}
    return {name: int(re.search(r"(\d+) points?$", head)[1]) for name, head in heads.items()}


def _tags(cell: nbformat.NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def records_of(path: Path, seed: int, without: Container[str] = ()) -> list[Record]:
    """The records of a notebook's exercises with cases from a seed, except of some tasks."""
    solutions = solutions_of(path, train=False)
    return [
        one.record(solutions.get(one.task.id), seed)
        for one in exercises_of(path)
        if one.task.id not in without
    ]


def build(folder: Path, only: str = "") -> None:
    """Write exercise notebooks, with their records and the kinds of mistakes, into a folder.

    Args:
        folder: made where it is missing.
        only: see `chosen`. The records of other tasks stay as they are stored.
    """
    folder.mkdir(exist_ok=True)
    bank.save_misconceptions(MISCONCEPTIONS.values(), folder)
    wanted = {exercise.task.id: path for path, exercise in chosen(only)}
    for path in dict.fromkeys(wanted.values()):
        nbformat.write(learner_notebook(path), folder / path.name)
        kept = _stored(path, folder, without=wanted)
        made = {one.task.id: one for one in records_of(path, PUBLIC_SEED, without=kept)}
        records = kept | made
        bank.save([records[one.task.id] for one in exercises_of(path)], folder / path.stem)


def _stored(path: Path, folder: Path, without: Container[str]) -> dict[str, Record]:
    """The records of a notebook that are stored in a folder, except of some tasks."""
    others = {one.task.id for one in exercises_of(path) if one.task.id not in without}
    if not (others and (folder / f"{path.stem}.safetensors").exists()):
        return {}
    stored = bank.load_all(folder / path.stem)
    return {task: record for task, record in stored.items() if task in others}


def repeat_facts() -> None:
    """Write what the exercises' files state into the solution notebooks and the Markdown files."""
    for file, text in repeated().items():
        if text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8", newline="\n")
            print(f"{file.name}: facts brought up to date")


def repeated() -> dict[Path, str]:
    """File → what it holds when all facts in it are up to date."""
    made = {path: solution_notebook(path) for path in notebooks()}
    texts = {path: nbformat.writes(notebook) + "\n" for path, notebook in made.items()}
    course = {path: nbformat.read(path, as_version=4) for path in sorted(COURSE.glob("0*.ipynb"))}
    for path, notebook in course.items():
        minutes = f"| {facts.reading_minutes(notebook)} minutes |"
        texts[path] = facts.READING.sub(minutes, path.read_text(encoding="utf-8"), count=1)
    tasks = {path.stem: [exercise.task for exercise in exercises_of(path)] for path in made}
    table = facts.table({path.stem: notebook for path, notebook in course.items()}, tasks)
    parts = {"course": table, "counts": facts.counts()}
    pages = {page: facts.filled(page.read_text(encoding="utf-8"), parts) for page in facts.pages()}
    return texts | pages


def main(only: str = "") -> None:
    """Bring `exercises/`, and the facts repeated elsewhere, up to date."""
    try:
        build(bank.FOLDER, only)
        repeat_facts()
    except ValueError as error:
        sys.exit(str(error))


def only_asked_for(purpose: str) -> str:
    """ONLY, from the command line; what the command is for stands in its help."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument(
        "only", nargs="?", default="", help='a notebook, "05", or a task, "entropy"'
    )
    return parser.parse_args().only


if __name__ == "__main__":
    main(only_asked_for("Build exercises/ from solutions/."))
