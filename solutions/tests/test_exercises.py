"""The checks, checked; and `exercises/` is what is built, and gives nothing away."""

import ast
import inspect
import json
import re
import shutil
import subprocess
import sys
import textwrap
from collections import Counter
from dataclasses import fields, replace

import nbformat
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from solutions import facts, selftest
from solutions.build import (
    FENCE,
    build,
    chosen,
    code_of,
    exercises_of,
    notebooks,
    repeated,
    solutions_of,
    stub,
)
from solutions.misconceptions import MISCONCEPTIONS
from solutions.specification import CatchTheBug, Draw, Exercise
from utils.checks import bank
from utils.checks.code import defined
from utils.checks.implementations import Implementations
from utils.checks.notebook import verdict_on
from utils.checks.runner import Printed

ALL = chosen()
every_exercise = pytest.mark.parametrize(
    ("path", "exercise"), ALL, ids=[exercise.task.id for _, exercise in ALL]
)


@every_exercise
def test_the_check_is_right_in_both_directions(path, exercise):
    """Misconceptions fail under their own names, right answers pass, mutants are noticed."""
    counts = Counter()
    assert list(selftest.problems_of(path, exercise, counts)) == []
    assert counts["misconceptions"] >= 4
    assert counts["variants"] >= 3
    assert counts["mutants_caught"] >= 0.95 * (counts["mutants"] - counts["mutants_equivalent"])


@every_exercise
def test_messages_are_different_and_whole(path, exercise):
    names = [one.name for one in exercise.mistakes]
    assert len(set(names)) == len(names)
    first: dict[str, str] = {}
    for one in exercise.mistakes:  # other spellings of a mistake have its words in common
        name = first.setdefault(one.explanation, one.name)
        assert one.name == name or one.name.startswith(f"{name}, ")
    for one in exercise.mistakes:
        assert re.search(r"[.?)]$", one.explanation)
        assert "?" in one.hint or one.hint.endswith(".")


@every_exercise
def test_mistakes_are_of_kinds_in_the_vocabulary(path, exercise):
    assert {one.misconception for one in exercise.mistakes} <= MISCONCEPTIONS.keys()


@every_exercise
def test_an_untouched_stub_fails_politely(path, exercise):
    names = selftest.names_at_first(path)
    verdict = verdict_on(bank.load(exercise.task.id), names, Printed())
    assert not verdict.passed
    if exercise.task.id not in names:
        assert verdict.reason == "not defined"
        return
    cell = next(cell for cell in map(stub, code_of(path)) if exercise.task.id in defined(cell))
    if "..." in cell:
        assert verdict.reason == "nothing"
        assert not verdict.where
    else:  # the task is to find a bug
        assert verdict.mistake


@every_exercise
def test_cases_are_drawn_from_their_seed(path, exercise):
    one, same, other = (str(exercise.cases(Draw(seed))) for seed in (1, 1, 2))
    assert one == same
    assert exercise.task.answer_type == "choices" or one != other


def test_ids_are_names_of_one_task_each():
    ids = [exercise.task.id for _, exercise in ALL]
    assert len(set(ids)) == len(ids)
    assert all(one.isidentifier() for one in ids)


def as_another_processor_writes_them(path, rng):
    """Give stored records other last digits, and NaNs of the other sign."""
    arrays = {name: values.copy() for name, values in load_file(path).items()}
    for values in arrays.values():
        if values.dtype.kind == "f":
            values += rng.choice([-2e-6, 0, 2e-6], values.shape).astype(values.dtype)
            np.negative(values, out=values, where=np.isnan(values))
    save_file(arrays, path)


def test_what_is_committed_is_what_is_built_on_any_processor(tmp_path):
    for path in bank.FOLDER.iterdir():
        if path.suffix in (".ipynb", ".json", bank.NUMBERS) and path.name != "progress.json":
            shutil.copy(path, tmp_path)
    for path in tmp_path.glob(f"*{bank.NUMBERS}"):
        as_another_processor_writes_them(path, np.random.default_rng(0))
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    build(tmp_path)
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert built.keys() == found.keys()
    different = [name for name, content in built.items() if content != found[name]]
    assert different == [], "run `make exercises`"


def secret_lines():
    """Every line of solutions, misconceptions and variants that is longer than an idiom."""
    given_away = set()
    for path in notebooks():
        for source in code_of(path):
            for match in FENCE.finditer(source):
                yield from match["solution"].splitlines()
                given_away |= {
                    squeezed(line.strip("# ")) for line in (match["instead"] or "").splitlines()
                }
        for cell in nbformat.read(path, as_version=4).cells:
            if {"answer", "rubric"} & {*cell.metadata.get("tags", [])}:
                yield from cell.source.splitlines()[1:]
    for _, exercise in ALL:
        for one in exercise.mistakes:
            if callable(one.gives):
                for line in textwrap.dedent(inspect.getsource(one.gives)).splitlines():
                    if squeezed(line) not in given_away:
                        yield line
        module = inspect.getmodule(exercise.variants[0])
        for one in vars(module).values():
            if getattr(one, "__module__", "") == module.__name__ and one is not exercise.cases:
                yield from inspect.getsource(one).splitlines()


def squeezed(text):
    return re.sub(r"\s+", "", text.split("  #")[0])


def test_nothing_handed_out_holds_a_solution_or_a_misconception():
    files = sorted(path for path in bank.FOLDER.iterdir() if path.is_file())
    handed_out = b"".join(path.read_bytes() for path in files)
    text = squeezed(handed_out.decode("utf-8", errors="ignore").replace('\\"', '"'))
    secrets = {squeezed(line) for line in secret_lines()}
    secrets = {one for one in secrets if len(one) >= 24 and not one.startswith(("def", '"""'))}
    assert len(secrets) > 30
    assert [one for one in secrets if one in text] == []
    assert "SOLUTION" not in text
    assert "lambda" not in text


def test_array_names_tell_no_answer():
    part = r"(inputs|build|parameters|expected|mistake \d+)/[\w.]+|gradient \d+"
    for path in bank.FOLDER.glob(f"*{bank.NUMBERS}"):
        for name in load_file(path):
            assert re.fullmatch(rf"\w+/\d+/({part})", name)


def test_exercises_work_without_solutions(tmp_path):
    """A copy without `solutions/`: the learner's tests pass there, and check() finds a mistake."""
    root = bank.FOLDER.parent
    for folder in ("utils", "exercises"):
        shutil.copytree(root / folder, tmp_path / folder)
    code = (
        "import pathlib, utils;"
        "assert pathlib.Path(utils.__file__).parents[1] == pathlib.Path.cwd();"
        "from utils.checks import check;"
        "softmax_with_temperature = lambda scores, temperature: (scores / temperature).softmax(0);"
        "print(check('softmax_with_temperature'));"
        "softmax_with_temperature = lambda scores, temperature: (scores / temperature).softmax(-1);"
        "print(check('softmax_with_temperature'))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "the softmax ran along axis 0" in run.stdout
    assert "✓ Softmax with temperature: passed, 2 of 2 points" in run.stdout


def test_facts_are_repeated_as_they_are_stated():
    different = [
        file.name for file, text in repeated().items() if text != file.read_text(encoding="utf-8")
    ]
    assert different == [], "run `make exercises`"


def test_a_changed_fact_comes_into_the_headings_and_the_table():
    (path, *_), (entropy, other) = notebooks(), exercises_of(notebooks()[0])[1:3]
    notebook = nbformat.read(path, as_version=4)
    tasks = [replace(entropy.task, title="Disorder", points=1, minutes=11), other.task]
    with pytest.raises(ValueError, match=rf"{len(exercises_of(path))} numbered headings and 2"):
        facts.state(notebook, tasks)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if not re.search(r"^## (?![23]\.)\d+\.", cell.source, flags=re.M)
    ]
    facts.state(notebook, tasks)
    prose = "\n\n".join(cell.source for cell in notebook.cells)
    assert "*Two tasks for notebook 01." in prose
    assert "| 26 minutes | 5 |" in prose
    assert "\n\n## 1. Disorder\n\n*1 point · ★★☆ · 11 minutes*\n\nWrite the entropy" in prose
    assert "\n\n## 2. A soft look-up\n\n" in prose
    course = {"01_x": read("Concepts"), "02_y": read("More")}
    table = facts.table(course, {"01_x": tasks, "02_y": tasks[1:]})
    row = "| 01 | [Concepts](notebooks/01_x.ipynb) | About concepts. | 20 |"
    assert f"{row} [2 tasks, 5 points](exercises/01_x.ipynb) | 26 |" in table
    assert table.endswith("\n| | all | | 40 | 3 tasks, 9 points | 41 |")
    page = "<!-- course -->\n\nold\n\n<!-- /course -->\n\nb <!-- counts -->0<!-- /counts -->."
    filled = facts.filled(page, {"course": "new", "counts": "7"})
    assert filled == page.replace("old", "new").replace("0", "7")


def read(title):
    """1,500 words (10 minutes), 65 lines (10), two guesses (1), a thing to move (1): some 20."""
    heading = f"# 01 · {title}\n\n*About {title.lower()}.*\n\n"
    prose = nbformat.v4.new_markdown_cell(heading + "word " * (1500 - len(heading.split())))
    view = nbformat.v4.new_output("display_data", {facts.WIDGET: {}})
    ask = 'guess = predict("How many?", between=(0, 9))'
    guesses = [nbformat.v4.new_code_cell(ask, outputs=[view]) for _ in range(2)]
    moved = nbformat.v4.new_code_cell("line\n\n" * 65, outputs=[view])
    return nbformat.v4.new_notebook(cells=[prose, *guesses, moved])


def test_the_minutes_of_a_notebook_count_what_there_is_to_do():
    notebook = read("Concepts")
    assert facts.reading_minutes(notebook) == 20
    notebook.cells = notebook.cells[:1]
    assert facts.reading_minutes(notebook) == 10


def test_the_counts_that_are_quoted_are_of_these_exercises():
    """How many mistakes are called by their names only a self-test can tell."""
    counts = json.loads(facts.COUNTS.read_text(encoding="utf-8"))
    here = {
        "tasks": len(ALL),
        "points": sum(exercise.task.points for _, exercise in ALL),
        "misconceptions": sum(len(exercise.mistakes) for _, exercise in ALL),
        "variants": sum(len(exercise.variants) for _, exercise in ALL),
    }
    assert {name: counts[name] for name in here} == here, "run `make selftest`"
    pages = "".join(page.read_text(encoding="utf-8") for page in facts.pages())
    assert facts.counts() in pages


def test_notebook_and_folder_have_to_agree(tmp_path, monkeypatch):
    monkeypatch.setattr("solutions.build.SOURCE", tmp_path)
    path = tmp_path / "09_new.ipynb"
    cell = nbformat.v4.new_code_cell('check("dice")', metadata={"tags": ["check"]})
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    with pytest.raises(ValueError, match=r"checks `dice`: write solutions/n09_new/dice\.py"):
        exercises_of(path)
    (tmp_path / "n09_new").mkdir()
    (tmp_path / "n09_new" / "cards.py").touch()
    with pytest.raises(ValueError, match=r'needs a cell `check\("cards"\)`'):
        exercises_of(path)


@pytest.mark.parametrize("only", ["5", "entrop", "01_attention_concepts"])
def test_only_names_a_notebook_or_a_task(only):
    with pytest.raises(ValueError, match=r"neither a notebook nor a task\. .* 01 02 .*entropy"):
        chosen(only)
    assert [exercise.task.id for _, exercise in chosen("entropy")] == ["entropy"]
    assert [exercise for _, exercise in chosen("01")] == exercises_of(notebooks()[0])


def test_building_one_task_leaves_the_records_of_the_others(tmp_path):
    name = notebooks()[0].stem
    for ending in (".json", bank.NUMBERS):
        shutil.copy(bank.FOLDER / f"{name}{ending}", tmp_path)
    stored = bank.load_all(tmp_path / name)
    stored = [replace(one, task=replace(one.task, points=99)) for one in stored.values()]
    bank.save(stored, tmp_path / name)
    build(tmp_path, "entropy")
    after = bank.load_all(tmp_path / name)
    assert {task for task, one in after.items() if one.task.points != 99} == {"entropy"}
    for ending in (".ipynb", bank.NUMBERS):
        built = (tmp_path / f"{name}{ending}").read_bytes()
        assert built == (bank.FOLDER / f"{name}{ending}").read_bytes()
    assert [path.stem for path in tmp_path.glob("*.ipynb")] == [name]


def test_utils_need_no_solutions():
    """The grader's parent asks them, when it grades; to import it takes none."""
    for path in (bank.FOLDER.parent / "utils").rglob("*.py"):
        module = ast.parse(path.read_text(encoding="utf-8"))
        nodes = module.body if path.parent.name == "grading" else ast.walk(module)
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("solutions")


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem[:2])
def test_the_solution_notebook_was_run_and_passes(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    said = [
        output.data["text/plain"]
        for cell in cells
        if cell.source.startswith("check(")
        for output in cell.outputs
    ]
    assert len(said) == len(bank.tasks()[path.stem])
    assert all(text.startswith("✓") for text in said)
    assert solutions_of(path).keys() >= {task.id for task in bank.tasks()[path.stem]}


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        ({"mistakes": 3}, "`entropy` needs four misconceptions or more."),
        ({"variants": 2}, "`entropy` needs three right answers in other styles or more."),
        ({"hints": 2}, "`entropy` needs three hints: a question, a nudge, most of the answer."),
    ],
)
def test_an_exercise_with_too_little_is_refused(part, complaint):
    entropy = next(one for _, one in ALL if one.task.id == "entropy")
    facts = {field.name: getattr(entropy.task, field.name) for field in fields(entropy.task)}
    facts.pop("mistakes")
    given = {"mistakes": entropy.mistakes, "variants": entropy.variants, **facts}
    less = {name: given[name][:count] for name, count in part.items()}
    with pytest.raises(ValueError, match=re.escape(complaint)):
        Exercise(cases=entropy.cases, **{**given, **less})
    odd = [replace(one, misconception="off-by-1") for one in entropy.mistakes]
    with pytest.raises(ValueError, match="there is no misconception `off-by-1`"):
        Exercise(cases=entropy.cases, **{**given, "mistakes": odd})


def test_a_lineup_with_a_bug_of_no_kind_is_refused(monkeypatch):
    odd = Implementations(right=[abs], broken={"off-by-1": abs})
    monkeypatch.setattr("utils.checks.implementations.of", lambda task: odd)
    with pytest.raises(ValueError, match="there is no misconception `off-by-1` for an impl"):
        CatchTheBug(id="test_abs", mistakes=[], variants=[])
