"""What all notebooks of the course have in common. (nbval runs them and compares outputs.)"""

import ast
import contextlib
import itertools
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from utils.checks import bank
from utils.checks.code import syntax
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on
from utils.course import chapters
from utils.widgets.prediction import GUESS_FIRST

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SECTIONS = ["You will be able to", "Common mistakes", "Check yourself", "Recap", "Sources"]
FOLDED = re.compile(r"<details>.*?^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
MOST_LINES = 15  # of code in a cell, unless it is tagged "long"

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem[:2])


@cache
def all_cells(path):
    return nbformat.read(path, as_version=4).cells


def cells_of(path, cell_type):
    return [cell for cell in all_cells(path) if cell.cell_type == cell_type]


def prose_of(path):
    return "\n\n".join(cell.source for cell in cells_of(path, "markdown"))


def outputs_of(path):
    return [output for cell in cells_of(path, "code") for output in cell.outputs]


def test_notebooks_are_numbered_without_gaps():
    numbers = [path.name[:3] for path in NOTEBOOKS]
    assert numbers == [f"{number:02}_" for number in range(1, len(NOTEBOOKS) + 1)]
    assert len(numbers) >= 5


@every_notebook
def test_it_opens_and_closes_as_the_others_do(path):
    prose = prose_of(path)
    assert prose.startswith(f"# {path.name[:2]} · ")
    headings = re.findall(r"^## (.+)$", prose, flags=re.MULTILINE)
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS
    objectives = prose.split("## You will be able to")[1].split("\n#")[0]
    assert 3 <= len(re.findall(r"^- \*\*", objectives, flags=re.MULTILINE)) <= 6
    assert re.search(r"\| \d+–\d+ minutes \| [★☆]{3} \|", prose)
    questions = prose.split("## Check yourself")[1].split("## Recap")[0]
    assert len(re.findall(r"^\*\*\d\.\*\*", questions, flags=re.MULTILINE)) == 3
    assert questions.count("<details>") == questions.count("</details>") == 3


def test_the_course_is_made_of_these_notebooks():
    assert [chapter.path for chapter in chapters().values()] == NOTEBOOKS


@every_notebook
def test_each_section_begins_with_its_cell(path):
    """Minutes, slides and the direct way take cells for what they are part of."""
    inside = [re.search(r"\n## \d.*", cell.source) for cell in cells_of(path, "markdown")]
    assert [found[0] for found in inside if found] == []


@every_notebook
def test_it_leads_back_and_on(path):
    links = set(re.findall(r"\]\(([^)#]+)", prose_of(path)))
    number = NOTEBOOKS.index(path)
    neighbours = NOTEBOOKS[max(0, number - 1) : number] + NOTEBOOKS[number + 1 : number + 2]
    assert {neighbour.name for neighbour in neighbours} | {"../README.md"} <= links
    for link in links:
        assert link.startswith("https://") or (path.parent / link).exists(), link


@every_notebook
def test_prose_stands_before_every_code_cell(path):
    cells = all_cells(path)
    assert cells[0].cell_type == "markdown"
    for before, cell in itertools.pairwise(cells):
        both_code = before.cell_type == cell.cell_type == "code"
        answers = "predict(" in before.source  # nothing should stand between guess and answer
        assert not both_code or answers, f"two code cells in a row:\n{cell.source}"


@every_notebook
def test_a_guess_comes_before_its_answer_and_the_answer_is_folded(path):
    cells = cells_of(path, "code")
    asked = [i for i, cell in enumerate(cells) if "predict(" in cell.source]
    assert 3 <= len(asked) <= 6
    folded = [
        i
        for i, cell in enumerate(cells)
        if cell.metadata.get("jupyter") == {"outputs_hidden": True}
    ]
    assert folded == [i + 1 for i in asked]  # of others JupyterLab would show the first line
    for i in asked:
        (name,) = re.findall(r"^(\w+) = predict\(", cells[i].source, flags=re.MULTILINE)
        answer = cells[i + 1]
        assert f"{name}.reveal(" in answer.source.splitlines()[-1], answer.source
        assert text_of(answer.outputs).startswith(f"{GUESS_FIRST}\n")  # what folded ones show
        assert re.search(r"^The answer: .+$", text_of(answer.outputs), flags=re.MULTILINE)


def text_of(outputs):
    plain = [output.get("text", output.get("data", {}).get("text/plain", "")) for output in outputs]
    return "\n".join(plain)


def test_results_are_numbers_and_hardly_ever_verdicts():
    printed = "\n".join(text_of(outputs_of(path)) for path in NOTEBOOKS)
    assert len(re.findall(r"\b(?:True|False)\s*$", printed, flags=re.MULTILINE)) <= 25


@every_notebook
def test_cells_are_small(path):
    for cell in cells_of(path, "code"):
        lines = [line for line in cell.source.splitlines() if line.strip()]
        long = "long" in cell.metadata.get("tags", [])
        assert long or len(lines) <= MOST_LINES, f"{len(lines)} lines of code:\n{cell.source}"


@every_notebook
def test_every_cell_was_run_in_order_and_without_errors(path):
    cells = cells_of(path, "code")
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for output in outputs_of(path):
        assert output.output_type != "error", output
        assert output.get("name") != "stderr", output


@every_notebook
def test_every_image_has_alt_text(path):
    html = [output.data.get("text/html", "") for output in outputs_of(path) if "data" in output]
    images = re.findall(r"<img [^>]*>", "".join(html) + prose_of(path))
    assert len(images) >= 3
    for image in images:
        alt = re.search(r'alt="([^"]*)"', image)
        assert alt, image[:200]
        assert len(alt[1]) > 20, alt[1]
    assert all(re.findall(r"!\[(.*?)\]\(", prose_of(path)))
    for output in outputs_of(path):  # images come with their alt text or not at all
        assert not output.get("data", {}).keys() & {"image/png", "image/jpeg", "image/svg+xml"}


@every_notebook
def test_below_a_stub_stands_a_fold_with_lines_that_pass_its_check(path):
    names = {}
    for cell, below in itertools.pairwise(all_cells(path)):
        if cell.cell_type == "code" and 'check("' in cell.source:
            (task,) = re.findall(r'^check\("(\w+)"\)\Z', cell.source, flags=re.MULTILINE)
            assert "..." in cell.source
            assert text_of(cell.outputs).startswith("○")
            (answer,) = FOLDED.findall(below.source)
            exec(answer, names)
            verdict = verdict_on(bank.load(task), names, Printed())
            assert verdict.passed, verdict.message
        elif cell.cell_type == "code":
            for statement in filter(is_definition, syntax(cell.source).body):
                with contextlib.suppress(NameError):  # it rests on what a cell has computed
                    exec(ast.unparse(statement), names)


def is_definition(statement):
    return isinstance(statement, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)


@every_notebook
def test_it_uses_no_path_of_one_machine(path):
    for cell in all_cells(path):
        assert not re.search(r"(?<![\w:/.)])/(home|Users|root|tmp|work)/|[A-Z]:\\", cell.source)


def test_every_link_of_the_interview_sheet_leads_somewhere():
    sheet = ROOT / "docs" / "interview.md"
    text = sheet.read_text(encoding="utf-8")
    links = [
        (file, anchor)
        for file, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text)
        if not file.startswith("https://")
    ]
    assert len(links) >= 40
    for file, anchor in links:
        assert (sheet.parent / file).exists(), file
        if file.endswith(".ipynb") and anchor:  # JupyterLab's: the heading, with "-" for " "
            headings = re.findall(r"^#+ (.+)$", prose_of(sheet.parent / file), flags=re.MULTILINE)
            assert anchor in [heading.replace("`", "").replace(" ", "-") for heading in headings]
        if not file:  # GitHub's: in lower case, too
            headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
            assert anchor in [heading.lower().replace(" ", "-") for heading in headings]


def test_a_notebook_that_runs_the_code_of_another_copy_of_the_course_says_so(tmp_path):
    copy, project = tmp_path / "copy", tmp_path / "project"
    shutil.copytree(ROOT / "utils", copy / "utils")
    (project / "utils").mkdir(parents=True)  # of somebody who has installed the course
    for folder in (copy / "notebooks", project / "notes"):
        folder.mkdir()

    def said(folder, path):
        environment = {**os.environ, "PYTHONPATH": str(path)}
        command = [sys.executable, "-P", "-c", "import utils"]
        run = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        return run.stderr

    assert said(ROOT / "notebooks", ROOT) == said("/", ROOT) == said(project / "notes", ROOT) == ""
    assert said(copy / "notebooks", copy) == said(copy, copy) == ""
    (line,) = said(copy / "notebooks", ROOT).splitlines()
    assert line.startswith(f"Careful: this runs in {copy}, but with the `utils` of {ROOT}, where")
    assert line.endswith(
        "`make lab` for an environment of its own, or `pip install -e .` to use it in this one."
    )


@pytest.mark.slow
def test_without_the_real_model_each_cell_of_notebook_11_runs_or_says_how_to_get_it(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("ATTENTION_COURSE_CACHE", str(tmp_path))
    notebook = nbformat.read(ROOT / "notebooks" / "11_a_real_model.ipynb", as_version=4)
    hide = "from utils.pretrained import store; store.PACKAGE = 'not_installed'"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(hide))
    where = {"metadata": {"path": str(ROOT / "notebooks")}}
    NotebookClient(notebook, timeout=300, resources=where, allow_errors=True).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    errors = [output.ename for output in outputs if output.output_type == "error"]
    assert len(errors) > 10
    assert {*errors} == {"NotHereError"}
