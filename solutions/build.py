"""Build all files that are derived from the exercises: `python -m solutions.build [ONLY]`.

ONLY is the number of a notebook, "05", or the name of a task, "entropy"; without it, everything is
built. `make exercises` does the same. `--skip` leaves out the steps that it names:

| step | what it does |
|---|---|
| `records` | writes headings, totals and tables; learners' notebooks and records in `exercises/` |
| `notebooks` | runs the solution notebooks and stores their outputs |
| `selftest` | tests the checks of those tasks whose code has changed |
| `plans` | writes the plan pages of `workshop/` |

A record is a task with its cases, and the values that its solution and its known mistakes return.
A solution notebook `01_….ipynb` stands beside a folder `n01_…` with one file for each of its
exercises, named after the task (see `file_of`). The build copies the facts in such a file (see
`facts`) into the notebooks and the Markdown files that repeat them.

The course's own notebooks have small exercises, too: a cell with a stub for learners to complete
while they read, which ends with `check("name")`. Its file is in the same folder; its solution is in
the fold below the cell.

The cells of a light task are written into the solution notebook from the task's file; whatever is
tagged "light" there is replaced when the file changes.

In place of the lines between `# BEGIN SOLUTION` and `# END SOLUTION` learners get a stub: `...`,
or, if a line `# INSTEAD` is among them, the comments below that line, turned into code. Of a prose
cell tagged "answer" (a model answer) they get only the first line, of one tagged "rubric" nothing.
"""

import argparse
import ast
import importlib
import inspect
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell

from solutions import facts, forms, labelled
from solutions.items import all_items
from solutions.misconceptions import MISCONCEPTIONS
from solutions.specification import PUBLIC_SEED, Exercise, LightTask
from utils import notebook_file
from utils.checks import bank, code
from utils.checks.limits import Printed, redirected
from utils.checks.tasks import Record
from utils.course import chapters, public_address
from utils.items import item_bank

SOURCE = Path(__file__).parent
COURSE = SOURCE.parent / "notebooks"
EXECUTE = (
    "nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False "
    "--ExecutePreprocessor.store_widget_state=False"
)
STEPS = ("records", "notebooks", "selftest", "plans")
CHECKED = re.compile(r'^check\("(\w+)"\)', flags=re.MULTILINE)
FOLDED = re.compile(r"<details>.*?^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=link&quot;: &quot;)[0-9a-f]{32}")  # of an explorer to a kernel that is gone
FENCE = re.compile(
    r"^(?P<indent> *)# BEGIN SOLUTION\n(?P<solution>.*?)"
    r"(?:^ *# INSTEAD\n(?P<instead>.*?))?^ *# END SOLUTION$",
    flags=re.MULTILINE | re.DOTALL,
)


def notebooks() -> list[Path]:
    """Return the paths of the solution notebooks, in the order of the course."""
    return sorted(SOURCE.glob("[0-9]*.ipynb"))


def folder_of(path: Path) -> Path:
    """Return the folder that holds the files of a notebook's exercises."""
    return SOURCE / f"n{path.stem}"


def file_of(path: Path, task: str) -> Path:
    """Return the file of a notebook's exercise, which is named after the task.

    That of a task `test_…`, which asks for a test and is none, is called `write_test_….py`.
    """
    return folder_of(path) / f"{'write_' if task.startswith('test_') else ''}{task}.py"


def module_of(file: Path) -> str:
    """Return the dotted name of the module in an exercise's file."""
    return f"solutions.{file.parent.name}.{file.stem}"


def exercises_of(path: Path) -> list[Exercise]:
    """Return the exercises of a notebook, in the order of its cells `check("…")`.

    Args:
        path: a solution notebook, or a notebook of the course, whose stubs are its exercises.

    Raises:
        ValueError: the notebook's checks and the files in its folder do not match.
    """
    tasks = _checked(path)
    known = {*tasks, *_checked(SOURCE / path.name), *_checked(COURSE / path.name)}
    strange = {*folder_of(path).glob("[!_]*.py")} - {file_of(path, task) for task in known}
    for file in sorted(strange):
        if file.stem in known:
            name = file_of(path, file.stem).name
            raise ValueError(f"{_name(file)} would be taken for a test: call it {name}.")
        task = file.stem.removeprefix("write_")
        raise ValueError(f'{path.name} needs a cell `check("{task}")` for {_name(file)}.')
    exercises = []
    for task in tasks:
        file = file_of(path, task)
        if not file.exists():
            raise ValueError(f"{path.name} checks `{task}`: write {_name(file)} for it.")
        exercise = importlib.import_module(module_of(file)).exercise
        if exercise.task.id != task:
            raise ValueError(f"{_name(file)} specifies `{exercise.task.id}`: give both one name.")
        exercises.append(exercise)
    return exercises


def write_light_tasks() -> None:
    """Bring the cells of light tasks in the solution notebooks up to date with the tasks' files."""
    for path in notebooks():
        new = []
        for file in sorted(folder_of(path).glob("[!_]*.py")):
            exercise = importlib.import_module(module_of(file)).exercise
            if isinstance(exercise, LightTask):
                if exercise.task.id != file.stem:
                    raise ValueError(f"{_name(file)} has to be called like its function.")
                new += _light_cells(exercise)
        notebook = nbformat.read(path, as_version=4)
        old = [cell for cell in notebook.cells if "light" in _tags(cell)]
        if _unnumbered(old) != _unnumbered(new):
            kept = [cell for cell in notebook.cells if cell not in old]
            words = (n for n, cell in enumerate(kept) if cell.source.startswith("## In words"))
            place = next(words, len(kept))
            notebook.cells = [*kept[:place], *new, *kept[place:]]
            nbformat.write(notebook, path)


def _unnumbered(cells: Sequence[nbformat.NotebookNode]) -> list[str]:
    """Return the cells' sources without what `facts` writes into headings."""
    return [facts.HEADING.sub("", cell.source) for cell in cells]


def _light_cells(exercise: LightTask) -> list[nbformat.NotebookNode]:
    """Return the heading with the text, the solution between its fences, and the check."""
    task, source = exercise.task, inspect.getsource(exercise.solution).rstrip()
    docstring_ends = ast.parse(source).body[0].body[0].end_lineno
    lines = source.splitlines()
    lines[docstring_ends:docstring_ends] = ["    # BEGIN SOLUTION"]
    cells = [
        new_markdown_cell(f"## 0. {task.title}\n\n{exercise.text.strip()}"),
        new_code_cell("\n".join([*lines, "    # END SOLUTION"])),
        new_markdown_cell("Run the check."),
        new_code_cell(f'check("{task.id}")'),
    ]
    for number, cell in enumerate(cells):
        cell.id = f"{task.id}-{number}"
        cell.metadata["tags"] = ["check", "light"] if number == 3 else ["light"]
    return cells


def _checked(path: Path) -> list[str]:
    """Return the names of the tasks that a notebook checks, in its order."""
    cells = nbformat.read(path, as_version=4).cells if path.exists() else []
    return [task for cell in cells for task in CHECKED.findall(cell.source)]


def _name(file: Path) -> str:
    return f"solutions/{file.parent.name}/{file.name}"


def chosen(only: str = "") -> list[tuple[Path, Exercise]]:
    """Return the exercises that `only` selects, as pairs (path of their notebook, exercise).

    Args:
        only: number of a notebook, "05", or name of a task; if empty, it selects all exercises.

    Raises:
        ValueError: no notebook has this number, and no task this name.
    """
    paths = [path for solution in notebooks() for path in (solution, COURSE / solution.name)]
    pairs = [(path, exercise) for path in paths for exercise in exercises_of(path)]
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
    """Return the source of each code cell, except those tagged "check", which define no answer.

    For a notebook of the course, return instead the solutions in the folds below its stubs, with
    the imports and definitions that they need.
    """
    cells = nbformat.read(path, as_version=4).cells
    if path.parent == COURSE:
        return _folded_code(cells)
    return [
        cell.source for cell in cells if cell.cell_type == "code" and "check" not in _tags(cell)
    ]


def _folded_code(cells: Sequence[nbformat.NotebookNode]) -> list[str]:
    """Return the solution below each stub, with the definitions that it needs, and all modules.

    A learner's notebook has these: `import math` stands in its first cell.
    """
    sources: list[str] = []
    needed: set[str] = set()
    for cell, below in reversed([*itertools.pairwise(cells)]):
        source = ""
        if cell.cell_type == "code" and CHECKED.search(cell.source):
            folded = FOLDED.search(below.source)
            if not folded:
                raise ValueError(
                    f"A fold with the solution has to follow this cell:\n{cell.source}"
                )
            source = f"# BEGIN SOLUTION\n{folded[1]}# END SOLUTION"
        elif cell.cell_type == "code":
            statements = [
                each
                for each in code.syntax(cell.source).body
                if isinstance(each, ast.Import) or _named(each) & needed
            ]
            source = "\n".join(map(ast.unparse, statements))
        needed |= code.mentioned(source)
        sources.insert(0, source)
    return [source for source in sources if source]


def _named(statement: ast.stmt) -> set[str]:
    """Return the names that a statement imports, or that it defines as function or class."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in statement.names}
    return {getattr(statement, "name", "")}


@cache  # because a notebook may train a model
def solutions_of(path: Path, train: bool = True) -> dict:
    """Run the code of a notebook (see `code_of`) silently, and return its variables by name.

    Args:
        path: a solution notebook, or a notebook of the course.
        train: whether to run all cells, including those that train a model. If not, stop as soon as
            all solutions are defined, except those of exercises with `gold`: their records do not
            need the solution, and in the notebook they come after the training.
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
    """Return the source of a code cell with a stub in place of each solution."""

    def replacement(match: re.Match) -> str:
        if not match["instead"]:
            return f"{match['indent']}...  # your code here"
        lines = textwrap.dedent(match["instead"]).splitlines()
        return textwrap.indent("\n".join(line[2:] for line in lines), match["indent"])

    return FENCE.sub(replacement, source)


def solved(source: str) -> str:
    """Return the source of a code cell with its solutions, but without the comments around them."""
    return FENCE.sub(lambda match: match["solution"].rstrip("\n"), source)


def solution_notebook(path: Path) -> nbformat.NotebookNode:
    """Return a solution notebook with its exercises' facts written into headings and totals."""
    notebook = nbformat.read(path, as_version=4)
    try:
        tasks = [exercise.task for exercise in exercises_of(path)]
        facts.state(notebook, tasks, chapters()[path.stem])
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    return notebook


def learner_notebook(path: Path, change: Callable[[str], str] = stub) -> nbformat.NotebookNode:
    """Return the learners' version of a solution notebook, without rubrics and outputs.

    Args:
        path: the solution notebook.
        change: function for the source of each code cell: `stub` (model answers are then removed
            too) or `solved`.

    Raises:
        ValueError: the notebook and the files of its exercises do not match.
    """
    notebook = solution_notebook(path)
    names = code.defined("\n".join(code_of(path)))
    for exercise in exercises_of(path):
        if exercise.task.id not in names:
            raise ValueError(f"{path.name} has no solution that defines {exercise.task.id}")
    notebook.cells = [cell for cell in notebook.cells if "rubric" not in _tags(cell)]
    points_of = iter(marks(path).values())
    for cell in notebook.cells:
        if "answer" in _tags(cell) and change is stub:
            heading, points = cell.source.splitlines()[0], next(points_of)
            cell.source = f"{heading} · up to {points} points\n\n*Write your answer here.*"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.source, cell.outputs, cell.execution_count = change(cell.source), [], None
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
    return notebook


def rubrics(path: Path) -> dict[str, str]:
    """Return the name of each question to be answered in words → its rubric."""
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells if "rubric" in _tags(cell)]
    return dict(zip(marks(path), texts, strict=True))


def marks(path: Path) -> Mapping[str, int]:
    """Return the name of each question to be answered in words → the most points it can earn."""
    return chapters()[path.stem].essays


def _tags(cell: nbformat.NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


@cache
def names_at_first(path: Path) -> dict:
    """Return the variables of a learner's notebook before any exercise is solved, by name."""
    names: dict = {}
    with redirected(Printed()):
        exec("\n".join(stub(source) for source in code_of(path)), names)
    return names


def records_of(
    path: Path, seed: int, without: Container[str] = (), real: bool = False
) -> list[Record]:
    """Make the records of a notebook's exercises, except `without`, with cases from a seed.

    Args:
        real: whether exercises that have further cases from the real model get them, if it is here.
    """
    solutions = solutions_of(path, train=False)

    def with_all_cases(exercise: Exercise) -> Exercise:
        return (
            exercise.on_the_real_model()
            if real and hasattr(exercise, "on_the_real_model")
            else exercise
        )

    return [
        with_all_cases(exercise).record(solutions.get(name), seed, partial(_strangers, path, name))
        for exercise in exercises_of(path)
        if (name := exercise.task.id) not in without
    ]


def _strangers(path: Path, task: str) -> list[Any]:
    """Return right answers by people who have not seen ours."""
    before = names_at_first(path)
    return [labelled.defined_by(answer, before)[task] for answer in labelled.right_answers(task)]


def build(folder: Path, only: str = "") -> None:
    """Write learners' notebooks, records, misconceptions, the item bank and tests into a folder.

    Args:
        folder: the target, created if it is missing.
        only: see `chosen`. If it is a task, the notebook's other tasks keep their stored records.
    """
    folder.mkdir(exist_ok=True)
    bank.save_misconceptions(MISCONCEPTIONS.values(), folder)
    if not only:
        items = [item.stored() for item in all_items()]
        item_bank.save(items, folder / item_bank.FILE.name)
        forms.write(items, folder)
    wanted = {exercise.task.id: path for path, exercise in chosen(only)}
    paths = dict.fromkeys(wanted.values())
    for path in (path for path in paths if path.parent == SOURCE):
        notebook = learner_notebook(path)
        nbformat.write(notebook, folder / path.name)
        given = [(cell.cell_type, cell.source) for cell in notebook.cells]
        notebook_file.save_given({path.stem: given}, folder)
        _build_records([path], folder / path.stem, wanted)
    if any(path.parent == COURSE for path in paths):  # all stubs share one file
        of_course = [chapter.path for chapter in chapters().values()]
        _build_records(of_course, folder / bank.YOUR_TURN, wanted)


def _build_records(paths: Sequence[Path], file: Path, wanted: Container[str]) -> None:
    """Write the records of some notebooks' exercises into one file.

    Of the exercises that are not wanted, the file keeps the records that it has.
    """
    tasks = {exercise.task.id: path for path in paths for exercise in exercises_of(path)}
    stored = {}
    if not all(task in wanted for task in tasks) and file.with_suffix(".json").exists():
        stored = bank.load_all(file)
    kept = {task: stored[task] for task in tasks if task in stored and task not in wanted}
    made = {
        record.task.id: record
        for path in paths
        if any(task not in kept for task in tasks if tasks[task] == path)
        for record in records_of(path, PUBLIC_SEED, without=kept)
    }
    bank.save([(kept | made)[task] for task in tasks], file)
    print(f"exercises/{file.name}: {', '.join(made)}", flush=True)


def repeat_facts() -> None:
    """Bring the facts up to date that notebooks and Markdown files repeat (see `facts`)."""
    for file, text in repeated().items():
        if text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8", newline="\n")
            print(f"{file.name}: facts brought up to date")


def repeated() -> dict[Path, str]:
    """Return each file that repeats facts → its text with all facts up to date."""
    solutions = {path: solution_notebook(path) for path in notebooks()}
    texts = {path: nbformat.writes(notebook) + "\n" for path, notebook in solutions.items()}
    for chapter in chapters().values():
        notebook = chapter.read()
        notebook.cells[0].source = facts.opening(chapter, notebook)
        texts[chapter.path] = nbformat.writes(notebook) + "\n"
    tasks = {path.stem: [exercise.task for exercise in exercises_of(path)] for path in solutions}
    parts = {
        "course": facts.table(tasks),
        "skipped": facts.skipped(),
        "counts": facts.in_words(facts.sum_of(facts.stored_counts().values())),
        "public": facts.public_links(public_address()),
    }
    pages = {page: facts.filled(page.read_text(encoding="utf-8"), parts) for page in facts.pages()}
    return texts | pages


def only_argument(purpose: str) -> argparse.ArgumentParser:
    """Return a command-line parser with one optional argument, a notebook or a task.

    If it is not given, its value is "", which stands for all.
    """
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument(
        "only", nargs="?", default="", help='a notebook, "05", or a task, "entropy"'
    )
    return parser


def main() -> None:
    """Run the steps of the build that the command line does not skip."""
    parser = only_argument("Build all that is derived from the exercises.")
    parser.add_argument(
        "--skip", action="extend", nargs="+", choices=STEPS, default=[], help="steps to leave out"
    )
    options = parser.parse_args()
    try:
        write_light_tasks()
        if "records" not in options.skip:
            build(bank.FOLDER, options.only)
            repeat_facts()
        paths = dict.fromkeys(SOURCE / path.name for path, _ in chosen(options.only))
    except ValueError as error:
        sys.exit(str(error))
    if "notebooks" not in options.skip:
        for path in paths:
            run_notebook(path)
    if "selftest" not in options.skip:
        _run(["solutions.selftest", "--changed", *filter(None, [options.only])])
    if "plans" not in options.skip and facts.ROOT.joinpath("workshop").is_dir():
        _run(["workshop.plan"])  # not imported: this package must not depend on it


def run_notebook(path: Path) -> None:
    """Run a solution notebook and store its outputs.

    What is stored depends on nothing that was run before: the notebook runs in an empty folder. If
    a check does not pass, the program ends and says which, and the notebook stays as it was.
    """
    print(f"solutions/{path.name}: being run", flush=True)
    with tempfile.TemporaryDirectory() as course:
        copy = Path(course, "solutions", path.name)
        copy.parent.mkdir()
        shutil.copy(path, copy)
        _run([*EXECUTE.split(), "--log-level=ERROR", str(copy)])
        notebook = nbformat.read(copy, as_version=4)
    if refused := refusals(notebook.cells):
        sys.exit("\n".join([f"solutions/{path.name} is not stored. Its checks say:", *refused]))
    for cell in notebook.cells:
        if cell.source == "progress()":  # it tells of all other notebooks, too
            cell.outputs = []
        for output in cell.get("outputs", []):
            if html := output.get("data", {}).get("text/html"):
                output.data["text/html"] = LINK.sub("stored", html)
    nbformat.write(notebook, path)


def refusals(cells: Sequence[nbformat.NotebookNode]) -> list[str]:
    """Return a line for each note in the outputs of cells by which an answer does not pass."""
    return [
        f"cell [{cell.execution_count}], {cell.source.splitlines()[-1]}: {said}"
        for cell in cells
        for output in cell.get("outputs", [])
        if (said := output.get("data", {}).get("text/plain", "").partition("\n")[0])
        if said.startswith(("✗", "○"))
    ]


def _run(module: list[str]) -> None:
    """Run a module with its arguments; if it fails, print its errors and exit with its status.

    The kernels that it starts import from this course too, even where another copy is installed.
    """
    command, here = [sys.executable, "-m", *module], {"PYTHONPATH": str(facts.ROOT)}
    run = subprocess.run(
        command, cwd=facts.ROOT, env=os.environ | here, stderr=subprocess.PIPE, text=True
    )
    if run.returncode:
        print(run.stderr, end="", file=sys.stderr)
        sys.exit(run.returncode)


if __name__ == "__main__":
    main()
