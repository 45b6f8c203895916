"""Build all that is derived from the exercises: `python -m solutions.build [ONLY]`.

ONLY is the number of a notebook, "05", or the name of a task, "entropy". `make exercises` does the
same. The steps, each of which `--skip` leaves out:

| step | what it does |
|---|---|
| `records` | writes headings, totals and tables; learners' notebooks and records in `exercises/` |
| `notebooks` | runs the solution notebooks and stores their outputs |
| `selftest` | checks the checks of those tasks that have changed |
| `plans` | writes the plan pages of `workshop/` |

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
import subprocess
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
from utils.checks.runner import Printed, redirected
from utils.checks.tasks import Record

SOURCE = Path(__file__).parent
COURSE = SOURCE.parent / "notebooks"
EXECUTE = "nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False"
STEPS = ("records", "notebooks", "selftest", "plans")
CHECKED = re.compile(r'^check\("(\w+)"\)', flags=re.MULTILINE)
FENCE = re.compile(
    r"^(?P<indent> *)# BEGIN SOLUTION\n(?P<solution>.*?)"
    r"(?:^ *# INSTEAD\n(?P<instead>.*?))?^ *# END SOLUTION$",
    flags=re.MULTILINE | re.DOTALL,
)


def notebooks() -> list[Path]:
    """Return the solution notebooks, in the order of the course."""
    return sorted(SOURCE.glob("[0-9]*.ipynb"))


def folder_of(path: Path) -> Path:
    """Return the folder with the files of a solution notebook's exercises."""
    return SOURCE / f"n{path.stem}"


def exercises_of(path: Path) -> list[Exercise]:
    """Return the exercises of a solution notebook, in the order in which it checks them.

    Raises:
        ValueError: the notebook and the files of its folder do not agree.
    """
    folder = folder_of(path)
    cells = nbformat.read(path, as_version=4).cells
    tasks = [task for cell in cells for task in CHECKED.findall(cell.source)]
    for file in folder.glob("[!_]*.py"):
        if file.stem not in tasks:
            raise ValueError(f'{path.name} needs a cell `check("{file.stem}")` for {_name(file)}.')
    exercises = []
    for file in (folder / f"{task}.py" for task in tasks):
        if not file.exists():
            raise ValueError(f"{path.name} checks `{file.stem}`: write {_name(file)} for it.")
        module = importlib.import_module(f"solutions.{folder.name}.{file.stem}")
        if module.exercise.task.id != file.stem:
            raise ValueError(
                f"{_name(file)} specifies `{module.exercise.task.id}`: give both one name."
            )
        exercises.append(module.exercise)
    return exercises


def _name(file: Path) -> str:
    return f"solutions/{file.parent.name}/{file.name}"


def chosen(only: str = "") -> list[tuple[Path, Exercise]]:
    """Return exercises with their solution notebooks, in the order of the course.

    Args:
        only: the number of a notebook, "05", or the name of a task; all where it is empty.

    Raises:
        ValueError: there is neither such a notebook nor such a task.
    """
    pairs = [(path, exercise) for path in notebooks() for exercise in exercises_of(path)]
    matching = [
        (path, exercise)
        for path, exercise in pairs
        if only in ("", path.name[:2], exercise.task.id)
    ]
    if not matching:
        numbers = " ".join(path.name[:2] for path in notebooks())
        tasks = " ".join(exercise.task.id for _, exercise in pairs)
        raise ValueError(
            f"{only!r} is neither a notebook nor a task. Notebooks: {numbers}. Tasks: {tasks}."
        )
    return matching


def code_of(path: Path) -> list[str]:
    """Return a notebook's code cells, except those that only look at an answer (tagged "check")."""
    cells = nbformat.read(path, as_version=4).cells
    return [
        cell.source for cell in cells if cell.cell_type == "code" and "check" not in _tags(cell)
    ]


@cache  # a notebook may train a model
def solutions_of(path: Path, train: bool = True) -> dict:
    """Run a notebook silently, and return what it defines, by name.

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
        with redirected(Printed()):
            exec(compile(source, f"<{path.name}>", "exec"), names)
    return names


def stub(source: str) -> str:
    """Return a code cell with its solutions removed."""

    def replacement(match: re.Match) -> str:
        if not match["instead"]:
            return f"{match['indent']}...  # your code here"
        lines = textwrap.dedent(match["instead"]).splitlines()
        return textwrap.indent("\n".join(line[2:] for line in lines), match["indent"])

    return FENCE.sub(replacement, source)


def solved(source: str) -> str:
    """Return a code cell with its solutions, but not the comments that enclose them."""
    return FENCE.sub(lambda match: match["solution"].rstrip("\n"), source)


def solution_notebook(path: Path) -> nbformat.NotebookNode:
    """Return a solution notebook with the facts of its exercises in the headings."""
    notebook = nbformat.read(path, as_version=4)
    try:
        facts.state(notebook, [exercise.task for exercise in exercises_of(path)])
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    return notebook


def learner_notebook(path: Path, change: Callable[[str], str] = stub) -> nbformat.NotebookNode:
    """Return the notebook for learners: no rubrics, no outputs.

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
    """Return question to be answered in words → its rubric."""
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells if "rubric" in _tags(cell)]
    return {re.search(r"`(\w+)`", text)[1]: text for text in texts}


def marks(path: Path) -> dict[str, int]:
    """Return question to be answered in words → the most points that an answer can earn."""
    first_lines = {question: text.partition("\n")[0] for question, text in rubrics(path).items()}
    return {name: int(re.search(r"(\d+) points?$", line)[1]) for name, line in first_lines.items()}


def _tags(cell: nbformat.NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def records_of(path: Path, seed: int, without: Container[str] = ()) -> list[Record]:
    """Return the records of a notebook's exercises with cases from a seed, except of some tasks."""
    solutions = solutions_of(path, train=False)
    return [
        exercise.record(solutions.get(exercise.task.id), seed)
        for exercise in exercises_of(path)
        if exercise.task.id not in without
    ]


def build(folder: Path, only: str = "") -> None:
    """Write exercise notebooks, with their records and all misconceptions, into a folder.

    Args:
        folder: made where it is missing.
        only: see `chosen`. The records of other tasks stay as they are stored.
    """
    folder.mkdir(exist_ok=True)
    bank.save_misconceptions(MISCONCEPTIONS.values(), folder)
    wanted = {exercise.task.id: path for path, exercise in chosen(only)}
    for path in dict.fromkeys(wanted.values()):
        nbformat.write(learner_notebook(path), folder / path.name)
        tasks = [exercise.task.id for exercise in exercises_of(path)]
        kept = {}
        if not wanted.keys() >= {*tasks} and (folder / f"{path.stem}.json").exists():
            stored = bank.load_all(folder / path.stem)
            kept = {task: stored[task] for task in tasks if task in stored and task not in wanted}
        made = {record.task.id: record for record in records_of(path, PUBLIC_SEED, without=kept)}
        bank.save([(kept | made)[task] for task in tasks], folder / path.stem)
        print(f"exercises/{path.name}: {', '.join(made)}", flush=True)


def repeat_facts() -> None:
    """Write what the exercises' files state into the solution notebooks and the Markdown files."""
    for file, text in repeated().items():
        if text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8", newline="\n")
            print(f"{file.name}: facts brought up to date")


def repeated() -> dict[Path, str]:
    """Return file → what it holds when all facts in it are up to date."""
    solutions = {path: solution_notebook(path) for path in notebooks()}
    texts = {path: nbformat.writes(notebook) + "\n" for path, notebook in solutions.items()}
    course = {path: nbformat.read(path, as_version=4) for path in sorted(COURSE.glob("0*.ipynb"))}
    for path, notebook in course.items():
        minutes = f"| {facts.reading_minutes(notebook)} minutes |"
        texts[path] = facts.READING.sub(minutes, path.read_text(encoding="utf-8"), count=1)
    tasks = {path.stem: [exercise.task for exercise in exercises_of(path)] for path in solutions}
    parts = {
        "course": facts.table({path.stem: notebook for path, notebook in course.items()}, tasks),
        "counts": facts.in_words(facts.sum_of(facts.stored_counts().values())),
    }
    pages = {page: facts.filled(page.read_text(encoding="utf-8"), parts) for page in facts.pages()}
    return texts | pages


def only_argument(purpose: str) -> argparse.ArgumentParser:
    """Return a parser for a command that takes a notebook or a task, and stands for all without."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument(
        "only", nargs="?", default="", help='a notebook, "05", or a task, "entropy"'
    )
    return parser


def main() -> None:
    """Bring up to date all that is derived from the exercises, step by step."""
    parser = only_argument("Build all that is derived from the exercises.")
    parser.add_argument(
        "--skip", action="extend", nargs="+", choices=STEPS, default=[], help="steps to leave out"
    )
    options = parser.parse_args()
    try:
        if "records" not in options.skip:
            build(bank.FOLDER, options.only)
            repeat_facts()
        paths = dict.fromkeys(path for path, _ in chosen(options.only))
    except ValueError as error:
        sys.exit(str(error))
    if "notebooks" not in options.skip:
        for path in paths:
            print(f"solutions/{path.name}: being run", flush=True)
            _run([*EXECUTE.split(), "--log-level=ERROR", str(path)])
    if "selftest" not in options.skip:
        _run(["solutions.selftest", "--changed", *filter(None, [options.only])])
    if "plans" not in options.skip and facts.ROOT.joinpath("workshop").is_dir():
        _run(["workshop.plan"])  # by its name: imports do not lead from here to the workshop


def _run(module: list[str]) -> None:
    """Run a module with its arguments; where it fails, print why and end with its status."""
    command = [sys.executable, "-m", *module]
    run = subprocess.run(command, cwd=facts.ROOT, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        print(run.stderr, end="", file=sys.stderr)
        sys.exit(run.returncode)


if __name__ == "__main__":
    main()
