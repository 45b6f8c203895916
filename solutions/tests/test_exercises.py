"""Test that sources of exercises are complete, and `exercises/` up to date and without answers."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import fields, replace
from itertools import islice

import nbformat
import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from solutions import facts
from solutions.build import (
    FENCE,
    build,
    chosen,
    code_of,
    exercises_of,
    main,
    names_at_first,
    notebooks,
    repeated,
    run_notebook,
    stub,
)
from solutions.n06_translate_with_attention import my_translations
from solutions.specification import PUBLIC_SEED, CatchTheBug, Draw, Exercise, YourTurn
from utils import course, notebook_file
from utils.checks import bank
from utils.checks.code import defined
from utils.checks.implementations import Implementations, buggy_any_heads
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on
from utils.checks.tasks import Answer

ALL = chosen()
every_exercise = pytest.mark.parametrize(
    ("path", "exercise"), ALL, ids=[f"{path.name[:2]}-{each.task.id}" for path, each in ALL]
)
every_notebook = pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.name[:2])


@every_exercise
def test_messages_are_different_and_whole(path, exercise):
    names = [mistake.name for mistake in exercise.mistakes]
    assert len(set(names)) == len(names)
    first: dict[str, str] = {}
    for mistake in exercise.mistakes:  # other spellings of a mistake have its words in common
        name = first.setdefault(mistake.explanation, mistake.name)
        assert mistake.name == name or mistake.name.startswith(f"{name}, ")
        assert re.search(r"[.?)]$", mistake.explanation)
        assert "?" in mistake.hint or mistake.hint.endswith(".")


@every_exercise
def test_an_untouched_stub_fails_politely(path, exercise):
    names = names_at_first(path)
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
    first, same, other = (str(exercise.cases(Draw(seed))) for seed in (1, 1, 2))
    assert first == same
    fixed = not kind_of(exercise.task).is_code or isinstance(exercise, YourTurn)  # not graded
    assert fixed or first != other


def test_ids_are_names_of_one_task_each():
    ids = [exercise.task.id for _, exercise in ALL]
    assert len(set(ids)) == len(ids)
    assert all(map(str.isidentifier, ids))


def as_another_processor_has_them(record, rng):
    """Return a copy of a record with small changes to its numbers, as by another rounding."""

    def other(values):
        if isinstance(values, torch.Tensor) and values.is_floating_point():
            return values.clone().add_(torch.from_numpy(other(np.zeros(values.shape))))
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            return values + rng.choice([-2e-6, 0, 2e-6], values.shape).astype(values.dtype)
        return values

    def others(values):
        return {name: other(each) for name, each in values.items()}

    def answers(given):
        return [Answer(others(each.outputs), others(each.gradients)) for each in given]

    cases = [
        replace(case, inputs=others(case.inputs), parameters=others(case.parameters))
        for case in record.cases
    ]
    mistaken = {name: answers(given) for name, given in record.mistaken.items()}
    return replace(record, cases=cases, expected=answers(record.expected), mistaken=mistaken)


@pytest.mark.parametrize(
    "path",
    notebooks(),
    ids=[path.name[:2] for path in notebooks()],
)
def test_what_is_committed_is_what_is_built_on_any_processor(path, tmp_path):
    for name in (bank.MISCONCEPTIONS, notebook_file.GIVEN, path.name):
        shutil.copy(bank.FOLDER / name, tmp_path)
    rng = np.random.default_rng(0)
    stored = bank.load_all(bank.FOLDER / path.stem).values()
    bank.save([as_another_processor_has_them(each, rng) for each in stored], tmp_path / path.stem)
    expected = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    build(tmp_path, path.name[:2])
    actual = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert actual.keys() - {f"{bank.YOUR_TURN}.json", f"{bank.YOUR_TURN}.safetensors"} == {
        *expected
    }
    different = [name for name in expected if actual[name] != expected[name]]
    assert different == [], "run `make exercises`"
    text = f"{path.stem}.json"
    assert expected[text] == bank.FOLDER.joinpath(text).read_bytes()


def test_every_file_of_the_exercises_belongs_to_a_notebook():
    assert {file.stem for file in bank.FOLDER.glob("[0-9]*")} == {path.stem for path in notebooks()}


def test_what_is_kept_as_given_is_what_the_notebooks_hold():
    for path in notebooks():
        cells = nbformat.read(bank.FOLDER / path.name, as_version=4).cells
        given = [[cell.cell_type, cell.source] for cell in cells]
        assert notebook_file.given()[path.stem] == given, "run `make exercises`"


def secret_lines():
    """Yield every line of solutions, model answers, mistakes and variants.

    Lines of mistakes that the stub shows to learners anyway are left out.
    """
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
        for mistake in exercise.mistakes:
            if callable(mistake.gives):
                for line in textwrap.dedent(inspect.getsource(mistake.gives)).splitlines():
                    if squeezed(line) not in given_away:
                        yield line
        module = inspect.getmodule(exercise.variants[0])
        for value in vars(module).values():
            is_code = inspect.isfunction(value) or inspect.isclass(value)
            if is_code and value.__module__ == module.__name__ and value is not exercise.cases:
                yield from inspect.getsource(value).splitlines()


def squeezed(text):
    return re.sub(r"\s+", "", text.split("  #")[0])


def test_nothing_handed_out_holds_a_solution_or_a_misconception():
    files = sorted(path for path in bank.FOLDER.iterdir() if path.is_file())
    handed_out = b"".join(path.read_bytes() for path in files)
    text = squeezed(handed_out.decode("utf-8", errors="ignore").replace('\\"', '"'))
    secrets = {squeezed(line) for line in secret_lines()}
    secrets = {line for line in secrets if len(line) >= 24}  # longer than an idiom
    secrets = {line for line in secrets if not line.startswith(("def", '"""'))}
    assert len(secrets) > 30
    assert [line for line in secrets if line in text] == []
    assert "SOLUTION" not in text
    assert "lambda" not in text


def test_array_names_tell_no_answer():
    part = r"(inputs|build|parameters|expected|mistake \d+)/[\w.]+|gradient \d+|steps|common|pairs"
    for path in bank.FOLDER.glob(f"*{bank.NUMBERS}"):
        for name in load_file(path):
            assert re.fullmatch(rf"\w+/((\d+|twin \d+)/({part})|pairs)", name)


def test_exercises_work_without_solutions(tmp_path):
    """In a copy with only `utils/` and `exercises/`, `check` works on wrong and right answers."""
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
    assert "Your softmax ran along axis 0" in run.stdout
    assert "✓ Softmax with temperature: passed, 2 of 2 points" in run.stdout


def test_facts_are_repeated_as_they_are_stated():
    different = [
        file.name for file, text in repeated().items() if text != file.read_text(encoding="utf-8")
    ]
    assert different == [], "run `make exercises`"


FIRST = next(iter(course.chapters().values()))


def test_a_changed_fact_comes_into_the_headings_and_to_the_top():
    (path, *_), (entropy, other) = notebooks(), exercises_of(notebooks()[0])[1:3]
    notebook = nbformat.read(path, as_version=4)
    tasks = [replace(entropy.task, title="Disorder", points=1, minutes=11), other.task]
    with pytest.raises(ValueError, match=rf"{len(exercises_of(path))} numbered headings and 2"):
        facts.state(notebook, tasks, FIRST)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if not re.search(r"^## (?![23]\.)\d+\.", cell.source, flags=re.M)
    ]
    with pytest.raises(ValueError, match="needs the sentence `\\*\\*The direct way"):
        facts.state(notebook, tasks, replace(FIRST, exercises=[2]))
    with pytest.raises(ValueError, match=r"1 cells \*\*Your answer\*\* and 0 `essays`"):
        facts.state(notebook, tasks, replace(FIRST, essays={}))
    changed = replace(FIRST, title="Look", essays={"why": 7}, exercises=[1, 2])
    notebook.cells[0].source += "\n\n**The direct way** takes tasks 1, 2 and 9. More."
    facts.state(notebook, tasks, changed)
    prose = "\n\n".join(cell.source for cell in notebook.cells)
    assert prose.startswith("# 01 · Look: exercises\n\n*Two tasks for notebook 01.")
    assert "| 30–45 minutes | 5 |" in prose  # 26, and 6 for an essay: times 1 and 1.4
    assert "**The direct way** takes tasks 1 and 2. More." in prose
    assert "\n\n## 1. Disorder\n\n*1 point · ★★☆ · 11 minutes*\n\nWrite the entropy" in prose
    assert "\n\n## 2. From descriptions to matrices\n\n" in prose
    assert "\n\n**Your answer** · `why`\n" in prose
    assert "\n\n**Rubric** · `why` · 7 points\n" in prose


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"sections": [1, 2, 3, 5, 7, 8], "exercises": [4], "then": ", at once."},
            "**The direct way**: sections 1 to 3, 5, 7 and 8; exercise 4, at once.",
        ),
        ({"sections": [2], "then": "."}, "**The direct way**: section 2."),
        (
            {"sections": [], "then": ". Later."},
            "**The direct way** skips this notebook and goes on with 02. Later.",
        ),
    ],
)
def test_the_first_cell_is_written_but_for_its_links(changes, told):
    notebook, links = read("Concepts"), "[Course overview](../README.md) · Next: …"
    with pytest.raises(ValueError, match="the first cell needs a line"):
        facts.opening(FIRST, notebook)
    notebook.cells[0].source += f"\n\n{links}\n\nmore"
    text = facts.opening(replace(FIRST, title="Look", difficulty=2, **changes), notebook)
    title, _, kept, row, direct = text.split("\n\n")
    assert (title, kept, direct) == ("# 01 · Look", links, told)
    assert row.endswith(f"\n| 25–35 minutes | ★★☆ | {FIRST.builds_on} |")


def test_a_page_is_filled_between_the_comments_that_bear_a_name():
    page = "<!-- course -->\n\nold\n\n<!-- /course -->\n\nb <!-- counts -->0<!-- /counts -->."
    filled = facts.filled(page, {"course": "new", "counts": "7"})
    assert filled == page.replace("old", "new").replace("0", "7")


def test_links_to_where_the_course_is_public_appear_with_its_address():
    assert facts.public_links("") == ""
    line = facts.public_links("https://owner.github.io/name/")
    targets = re.findall(r"\]\(([^)]+)\)", line)
    assert targets[0] == "https://owner.github.io/name/"
    assert len(targets) == 5
    assert all("owner/name" in target for target in targets[1:])
    assert "![" not in line  # nothing is loaded from elsewhere
    with pytest.raises(ValueError, match="the address is"):
        facts.public_links("https://course.example/")


def read(title):
    """Return a notebook whose reading takes an estimated 22 minutes.

    1,500 words take 10 minutes, 65 lines of code 10, two predictions 1, and a widget 1.
    """
    heading = f"# 01 · {title}\n\n*About {title.lower()}.*\n\n"
    prose = nbformat.v4.new_markdown_cell(heading + "word " * (1500 - len(heading.split())))
    view = nbformat.v4.new_output("display_data", {"text/html": f"{course.WIDGET}></div>"})
    ask = 'guess = predict("How many?", between=(0, 9))'
    guesses = [nbformat.v4.new_code_cell(ask, outputs=[view]) for _ in range(2)]
    moved = nbformat.v4.new_code_cell("line\n\n" * 65, outputs=[view])
    return nbformat.v4.new_notebook(cells=[prose, *guesses, moved])


def test_the_minutes_of_a_notebook_count_what_there_is_to_do():
    notebook = read("Concepts")
    assert course.reading_minutes(notebook) == (25, 35)
    stub = nbformat.v4.new_code_cell('def mean(rows):\n    ...\n\n\ncheck("mean")')
    notebook.cells = [notebook.cells[0], *[stub] * 10]
    assert course.reading_minutes(notebook) == (50, 70)


SOFTMAX = """import utils
from utils.checks import check, progress


def softmax_with_temperature(scores, temperature):
    return (scores / temperature).softmax(-1)


print(utils.__file__)"""


def small_notebook(course, *sources):
    """Write a solution notebook with these cells into a folder, and return its path."""
    path = course / "solutions" / "01_small.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_what_the_build_stores_does_not_depend_on_what_was_solved_before(tmp_path):
    explorer = "from utils.widgets import TrainingFilm, Writer\nWriter('a', None, None)"
    path = small_notebook(
        tmp_path, SOFTMAX, 'check("softmax_with_temperature")', "progress()", explorer
    )
    run_notebook(path)
    stored = path.read_bytes()
    _, checked, listed, moved = nbformat.read(path, as_version=4).cells
    assert checked.outputs[0].data["text/plain"].startswith("✓ Softmax with temperature: passed")
    assert listed.outputs == []
    assert "link&quot;" in moved.outputs[0].data["text/html"]
    solved = {"softmax_with_temperature": {"points": 0, "kinds": [], "given": True}}
    for name in ("solutions/progress.json", "exercises/progress.json", "predictions.json"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(solved))
    run_notebook(path)
    assert path.read_bytes() == stored


def test_a_check_that_does_not_pass_ends_the_build_and_is_not_stored(tmp_path):
    path = small_notebook(
        tmp_path,
        SOFTMAX.replace("-1", "0"),
        'check("softmax_with_temperature")\ncheck("no_such_task")',
        "def entropy(weights): ...",
        'check("entropy")',
    )
    before = path.read_bytes()
    with pytest.raises(SystemExit) as ended:
        run_notebook(path)
    assert ended.value.code.splitlines() == [
        "solutions/01_small.ipynb is not stored. Its checks say:",
        'cell [2], check("no_such_task"): ✗ Softmax with temperature: not yet',
        "cell [2], check(\"no_such_task\"): ✗ No exercise is called 'no_such_task'",
        'cell [4], check("entropy"): ○ Entropy: your turn',
    ]
    assert path.read_bytes() == before


def test_a_second_copy_of_the_course_runs_its_own_code_though_another_is_installed(tmp_path):
    root = bank.FOLDER.parent
    for folder in ("utils", "solutions"):
        shutil.copytree(root / folder, tmp_path / folder)
    path = small_notebook(tmp_path, SOFTMAX)
    installed = {**os.environ, "PYTHONPATH": str(root)}
    build_it = f"from solutions import build; build.run_notebook(build.SOURCE / {path.name!r})"
    subprocess.run([sys.executable, "-c", build_it], cwd=tmp_path, env=installed, check=True)
    ((printed,),) = [cell.outputs for cell in nbformat.read(path, as_version=4).cells]
    assert printed.text == f"{tmp_path / 'utils' / '__init__.py'}\n"


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
    (tmp_path / "n09_new" / "cards.py").rename(tmp_path / "n09_new" / "test_dice.py")
    cell.source = 'check("test_dice")'
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    with pytest.raises(ValueError, match=r"test_dice\.py would .* call it write_test_dice\.py"):
        exercises_of(path)


@pytest.mark.parametrize("only", ["5", "entrop", "01_attention_concepts"])
def test_only_names_a_notebook_or_a_task(only):
    with pytest.raises(ValueError, match=r"neither a notebook nor a task\. .* 01 02 .*entropy"):
        chosen(only)
    assert [exercise.task.id for _, exercise in chosen("entropy")] == ["entropy"]
    first = notebooks()[0]
    of_both = [*exercises_of(first), *exercises_of(course.chapters()[first.stem].path)]
    assert [exercise for _, exercise in chosen("01")] == of_both


def test_building_one_task_leaves_the_records_of_the_others(tmp_path):
    name = notebooks()[0].stem
    for path in bank.FOLDER.glob(f"{name}.*"):
        shutil.copy(path, tmp_path)
    stored = bank.load_all(tmp_path / name)
    stored = [replace(each, task=replace(each.task, points=99)) for each in stored.values()]
    bank.save(stored, tmp_path / name)
    build(tmp_path, "entropy")
    after = bank.load_all(tmp_path / name)
    assert {task for task, record in after.items() if record.task.points != 99} == {"entropy"}
    for path in tmp_path.glob("[0-9]*"):
        committed = bank.FOLDER.joinpath(path.name).read_bytes()
        assert (path.read_bytes() == committed) == (path.suffix != ".json")
    assert [path.stem for path in tmp_path.glob("*.ipynb")] == [name]


@every_notebook
def test_the_solution_notebook_was_run_and_passes(path):
    """All cells were run in order, and all checks passed.

    That the stored outputs are right is tested by nbval.
    """
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    feedback = [
        output.data["text/plain"]
        for cell in cells
        if cell.source.startswith("check(")
        for output in cell.outputs
    ]
    assert len(feedback) == len(bank.tasks()[path.stem])
    assert all(text.startswith("✓") for text in feedback)


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        ({"mistakes": 3}, "`entropy` needs 4 mistakes or more."),
        ({"variants": 2}, "`entropy` needs 3 right answers in other styles or more."),
        ({"hints": 2}, "`entropy` needs three hints: a question, a nudge, most of the answer."),
        ({"section": 0}, "`entropy` needs a section of the course that explains it, such as"),
    ],
)
def test_an_exercise_with_too_little_is_refused(part, complaint):
    ((_, entropy),) = chosen("entropy")
    facts = {field.name: getattr(entropy.task, field.name) for field in fields(entropy.task)}
    facts.pop("mistakes")
    mistakes = {mistake.name: mistake for mistake in entropy.mistakes}
    given = {"mistakes": mistakes, "variants": entropy.variants, **facts}
    less = {name: given[name][:count] for name, count in part.items() if name != "mistakes"}
    less |= {name: dict(islice(mistakes.items(), part[name])) for name in part.keys() - less.keys()}
    with pytest.raises(ValueError, match=re.escape(complaint)):
        Exercise(cases=entropy.cases, **{**given, **less})
    odd = {name: replace(mistake, misconception="off-by-1") for name, mistake in mistakes.items()}
    with pytest.raises(ValueError, match="there is no misconception `off-by-1`"):
        Exercise(cases=entropy.cases, **{**given, "mistakes": odd})


def test_an_implementation_of_no_misconception_is_refused(monkeypatch):
    odd = Implementations(right=[abs], broken={"off-by-1": abs})
    monkeypatch.setattr("utils.checks.implementations.of", lambda task: odd)
    with pytest.raises(ValueError, match="there is no misconception `off-by-1` for an impl"):
        CatchTheBug(id="test_abs", mistakes={}, variants=[])


def test_one_command_takes_every_step_but_those_to_skip(monkeypatch):
    steps = []
    monkeypatch.setattr("solutions.build.build", lambda folder, only: steps.append(f"build {only}"))
    monkeypatch.setattr("solutions.build.repeat_facts", lambda: steps.append("facts"))
    monkeypatch.setattr("solutions.build._run", lambda module: steps.append(" ".join(module)))
    monkeypatch.setattr("sys.argv", ["build", "entropy"])
    main()
    assert steps[:2] == ["build entropy", "facts"]
    assert re.fullmatch(r"nbconvert .*01_attention_concepts\.ipynb", steps[2])
    assert steps[3:] == ["solutions.selftest --changed entropy", "workshop.plan"]
    steps.clear()
    monkeypatch.setattr("sys.argv", ["build", "--skip", "records", "notebooks", "plans"])
    main()
    assert steps == ["solutions.selftest --changed"]
    monkeypatch.setattr("sys.argv", ["build", "entropie"])
    with pytest.raises(SystemExit, match="'entropie' is neither a notebook nor a task"):
        main()


@every_notebook
def test_the_direct_way_takes_sections_and_exercises_that_there_are(path):
    chapter = course.chapters()[path.stem]
    text = "\n".join(cell.source for cell in chapter.read().cells)
    assert {*chapter.sections} <= {int(number) for number in re.findall(r"(?m)^## (\d+)\.", text)}
    assert {*chapter.exercises} <= set(range(1, len(exercises_of(path)) + 1))


@every_notebook
def test_a_task_names_others_of_its_notebook_and_not_itself(path):
    here, last = 0, len(exercises_of(path))
    for cell in nbformat.read(path, 4).cells:
        if heading := re.match(r"## (?:(\d+)\. )?", cell.source):
            here = int(heading[1] or 0)
        if cell.cell_type == "markdown" and "](" not in cell.source:
            named = {int(number) for number in re.findall(r"(?i)\btask (\d+)", cell.source)}
            assert here not in named, cell.source
            assert named <= {*range(1, last + 1)}, cell.source


def test_what_a_test_catches_does_not_hang_on_the_score_that_was_drawn(monkeypatch):
    ((_, exercise),) = chosen("test_any_heads")
    cases = exercise.cases(Draw(PUBLIC_SEED))
    tests = [*exercise.variants, *(mistake.gives for mistake in exercise.mistakes)]
    caught = []
    for secret in range(12):
        monkeypatch.setattr(buggy_any_heads, "SECRET", secret)
        kind = kind_of(exercise.task)
        answers = [kind.run(test, cases, Printed())[0] for test in tests]
        caught.append([answer.outputs["blames"].tolist() for answer in answers])
    assert all(each == caught[0] for each in caught)


def test_no_sentence_that_is_asked_of_a_translator_is_in_its_training_pairs():
    (path,) = [path for path in notebooks() if path.name.startswith("06")]
    names = names_at_first(path)
    trained = {pair.source_text for pair in names["pairs"]}
    for seed in (1, 2):
        cases = my_translations.exercise.cases(Draw(seed))
        asked = [sentence for case in cases for sentence in case.inputs["sentences"]]
        assert len(asked) == 200
        assert trained.isdisjoint(asked)
        assert all(map(names["held_back"], asked))
