"""Test what `check`, `hint` and `progress` say in a notebook, and what is kept of it.

Some tests run in a kernel, among them the notebooks as they are handed out.
"""

import html
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.made_up_tasks import (
    COLUMNS,
    NUMBERS,
    SCALE,
    SHARE,
    TRANSLATE,
    by_columns,
    right,
    verdict_of,
    with_errors,
)
from utils.checks import bank, check, hint, notebook, progress
from utils.checks.feedback import PLAIN, explain
from utils.checks.progress import MOST_BELIEFS
from utils.checks.tasks import (
    Misconception,
)


def write_title(path, title):
    cells = [{"source": [f"# {title}: exercises\n", "\n", "*Some tasks.*"]}]
    path.write_text(json.dumps({"cells": cells}))


@pytest.fixture
def course(monkeypatch, tmp_path):
    """Change to a folder that has a course of two exercises; return its path."""
    (tmp_path / "exercises").mkdir()
    bank.save([SHARE, SCALE], tmp_path / "exercises" / "01_toys")
    write_title(tmp_path / "exercises" / "01_toys.ipynb", "01 · Toys")
    bank.save_misconceptions([COLUMNS], tmp_path / "exercises")
    monkeypatch.setattr(bank, "FOLDER", tmp_path / "exercises")
    monkeypatch.setattr(notebook, "_hints_open", {})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(call, **defined):
    """Return what a call says in a cell of a notebook in which something is defined."""
    return repr(eval(call, {"check": check, "hint": hint, **defined}))


def test_check_looks_where_it_is_called(course):
    assert said('check("share")', share=right).startswith("✓ Share: passed, 2 of 2 points")
    assert "There is no `Scale` yet. Run the cell" in said('check("Scale")', share=right)
    assert "No exercise is called 'unknown'" in said('check("unknown")')


@pytest.mark.parametrize(
    ("call", "defined", "expected"),
    [
        ('check("scale")', {}, 'Did you mean `check("Scale")`?'),
        ('hint("shares")', {}, 'Did you mean `hint("share")`?'),
        ('check("shale")', {}, 'Did you mean `check("share")` or `check("Scale")`?'),
        ("check(share)", {"share": right}, 'Did you mean `check("share")`?'),  # without quotes
        ('hint("01")', {}, 'Here are: `hint("share")`, `hint("Scale")`.'),
        # Where no name is near, those of the notebook are listed.
        ('check("")', {"share": right}, 'Here are: `check("share")`.'),
        ('check("unknown")', {"share": right}, 'Here are: `check("share")`.'),
        ("check(3)", {"share": right}, 'Here are: `check("share")`.'),
    ],
)
def test_of_an_unknown_name_the_near_ones_are_suggested(course, call, defined, expected):
    assert said(call, **defined).splitlines()[1].strip() == expected


def test_where_nothing_can_be_written_it_says_that_progress_is_not_kept(course, monkeypatch):
    def refuses(*_, **__):
        raise PermissionError

    assert "not kept" not in said('check("share")', share=right)
    monkeypatch.setattr(Path, "write_text", refuses)
    assert "Your progress is not kept" in said('check("share")', share=right)


def test_hints_open_one_at_a_time(course):
    assert "second" not in repr(hint("share"))
    assert "third" not in repr(hint("share"))
    assert "third" in repr(hint("share"))
    assert "These are all." in repr(hint("share"))


def test_after_the_last_hint_none_is_promised(course):
    for promised in (True, True, True, False):
        assert ("opens the next hint" in said('check("share")', share=by_columns)) == promised
        hint("share")


def test_a_refusal_ends_in_a_line_to_paste(course):
    note = eval('check("share")', {"check": check, "share": by_columns})
    *above, heading, line = repr(note).splitlines()
    assert heading == "To ask for help, paste this line"
    assert line.startswith(f"  share: {above[1].strip()} ")
    assert f"<details><summary>{heading}</summary>" in note._repr_html_()
    assert heading not in said('check("share")', share=right)


def test_progress_survives_and_can_be_deleted(course):
    said('check("share")', share=right)
    said('check("share")')  # a later slip does not undo it
    said('check("Scale")')  # not defined: nothing was tried
    assert "Scale | 1 | to do" in repr(progress())
    said('check("Scale")', Scale=right)
    text = repr(progress())
    assert text.startswith("2 of 3 points")
    assert "Share | 2 | ✓ done" in text
    assert "Scale | 1 | tried" in text
    Path("progress.json").write_text("not json")
    assert repr(progress()).startswith("0 of 3 points")
    assert Path("progress.damaged.json").read_text() == "not json"  # nothing is lost
    Path("progress.json").write_text("not json")
    told = "`progress.json` could not be read"
    assert told in said('check("share")', share=by_columns)
    assert told not in repr(progress()), "it is told once"
    Path("progress.json").unlink()
    assert [*Path().glob(".progress*")] == []
    assert "Share | 2 | to do" in repr(progress())


def test_what_pytorch_loads_late_is_loaded_while_the_learner_reads(monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/01_attention_concepts.ipynb")
    assert notebook.warm() is None, "no test is written there, and nothing trained"
    for name, late in {
        "05_multi_head_attention": "torch.distributed.tensor",
        "06_translate_with_attention": "torch._dynamo",
    }.items():
        monkeypatch.setenv("JPY_SESSION_NAME", f"/home/{name}.ipynb")
        notebook.warm().join()
        assert late in sys.modules


def test_progress_begins_with_the_notebook_at_hand_and_draws_a_bar_for_each(course, monkeypatch):
    other = replace(SHARE, task=replace(SHARE.task, id="other", title="Other"))
    bank.save([other], course / "exercises" / "02_more_toys")
    write_title(course / "exercises" / "02_more_toys.ipynb", "02 · Toys, and more of them")
    monkeypatch.setenv("JPY_SESSION_NAME", str(course / "exercises" / "02_more_toys.ipynb"))
    said('check("share")', share=right)
    note = progress()
    first, _, _, task, *_ = repr(note).splitlines()
    assert (first, task) == ("2 of 5 points", "  02 | Other | 2 | to do")
    assert "01 · Toys | ██████░░░░ | 2 of 3 | –" in repr(note)
    assert "02 · Toys, and more of them | ░░░░░░░░░░ | 0 of 2 | –" in repr(note)
    page = note._repr_html_()
    assert page.index("Other") < page.index("██") < page.index("<details>") < page.index("Share")


def test_your_turn_counts_and_progress_ends_in_where_to_go_on(course, monkeypatch):
    folder = course / "a" / "notebooks"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    turn = replace(SHARE.task, id="turn", title="A turn", points=0, section="01.3")
    bank.save([replace(SHARE, task=turn)], course / "exercises" / bank.YOUR_TURN)
    start = repr(progress())
    assert "*Your turn*, in the notebooks: 0 of 1." in start
    place = "*A turn*, your turn in section 3 of the notebook 01 · Toys."
    assert start.endswith(f"Go on here\n  {place}")
    said('check("turn")', turn=by_columns)
    assert "0 of 1." in repr(progress())
    said('check("turn")', turn=right)
    after = repr(progress())
    assert "*Your turn*, in the notebooks: 1 of 1." in after
    assert "01 · Toys | ░░░░░░░░░░ | 0 of 3 | 1 of 1" in after
    assert after.endswith("Go on here\n  *Share*, in the exercises of 01 · Toys.")
    (course / "a" / "exercises").mkdir()
    done = {"share": {"points": 2}, "Scale": {"points": 1}}  # there, seen from the notebooks
    (course / "a" / "exercises" / "progress.json").write_text(json.dumps(done))
    assert repr(progress()).startswith("3 of 3 points")
    assert repr(progress()).endswith("Everything is done")


@pytest.mark.parametrize(
    ("cell", "names", "told"),
    [
        ("def share(scores, power): return score.softmax(0)", {"score": 2.0}, "it is a float. Did"),
        (
            "def share(numbers, power):\n    total = 1\n    return totals",
            {"totals": [1]},
            "`total`?",
        ),
        ("def share(scores, power): return score(scores)", {"score": print}, ""),
        ("def share(numbers, power): return W @ numbers", {"W": 3}, ""),
    ],
)
def test_a_name_left_over_from_another_cell_is_told_as_that(course, cell, names, told):
    scope = {"In": ["", cell], **names}
    exec(cell, scope)
    words = said('check("share")', **scope)
    assert told in words
    assert ("is left over from another cell" in words) == bool(told)


def test_a_stub_that_was_only_run_is_no_mistake(course):
    note = eval('check("share")', {"check": check, "share": lambda numbers, power: None})
    assert repr(note).startswith("○ Share: your turn")
    assert note.colour == PLAIN


def test_progress_keeps_the_best_part_of_the_points(course):
    bank.save([SHARE, TRANSLATE], course / "exercises" / "01_toys")
    Path("progress.json").write_text('{"share": true}')  # as it was kept at first
    for errors, points in ((10, 3), (3, 5), (17, 5)):
        said('check("translate")', translate=with_errors(errors))
        text = repr(progress())
        assert text.startswith(f"{2 + points} of 8 points")
        assert f"Translate | {points} of 6 | tried" in text
        assert "Share | 2 | ✓ done" in text
    assert bank.load("translate").task == TRANSLATE.task


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "[]",
        "null",
        "3",
        '{"share": null}',
        '{"share": []}',
        '{"share": "two"}',
        '{"share": {}}',
        '{"share": {"points": "2", "kinds": "columns-first"}}',
        '{"share": {"points": NaN, "kinds": [null, 3, [], {}]}}',
        '{"share": {"points": -7, "kinds": []}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_no_reason_to_fail(course, kept):
    Path("progress.json").write_text(kept)
    assert repr(progress()).startswith("0 of 3 points")
    said('check("share")', share=right)
    assert repr(progress()).startswith("2 of 3 points")


def test_progress_tells_what_keeps_coming_back(course):
    def try_it(**answers):
        for name, answer in answers.items():
            said(f'check("{name}")', **{name: answer})
        return progress()

    others = [replace(SHARE, task=replace(SHARE.task, id=name, title=name)) for name in "ABC"]
    bank.save([SHARE, *others], course / "exercises" / "01_toys")
    heading = "What keeps coming back"
    assert heading not in repr(try_it(A=by_columns))
    assert heading not in repr(try_it(A=by_columns)), "one task, however often"
    assert heading not in repr(try_it(B=lambda numbers, power: numbers)), "a mistake of no kind"
    note = try_it(B=by_columns)
    line = "You seem to believe that columns come first (2 tasks: A, B). Rows do."
    assert f"{heading}\n  {line}\n" in repr(note)
    assert line in re.sub(r"<[^>]+>", "", note._repr_html_())
    assert "(2 tasks: A ✓, B). Rows do." in repr(try_it(A=right))
    past = repr(try_it(B=right))
    assert "✓ Overcome in all 2 tasks: that columns come first.\n" in past
    assert "(3 tasks: A ✓, B ✓, C). Rows do." in repr(try_it(C=by_columns))


def test_few_beliefs_are_told_at_a_time(course):
    kinds = [Misconception(slug, f"{slug} is true", "It is not.") for slug in "vwxyz"]
    bank.save_misconceptions(kinds, course / "exercises")
    shown = {"share": "vwxyz", "Scale": "vwxy", "gone": "vwxyz"}
    content = {task: {"points": 0, "kinds": [*slugs, "gone"]} for task, slugs in shown.items()}
    Path("progress.json").write_text(json.dumps(content))
    assert repr(progress()).count("You seem to believe") == MOST_BELIEFS == 3


def test_html_says_what_the_text_says_and_escapes_it(course):
    verdict = verdict_of(lambda numbers, power: numbers.softmax(-1))
    note = explain(verdict)
    seen = html.unescape(re.sub(r"<[^>]+>", " ", note._repr_html_()))
    squeezed = re.sub(r"\s+", "", seen)
    for line in repr(note).splitlines():
        assert re.sub(r"[\s`]+", "", line) in squeezed
    tables = re.findall(r"<caption[^>]*>(\w+)</caption>(.*?)</table>", note._repr_html_())
    numbers = [[title, *re.findall(r">([\d.]+)</td>", cells)] for title, cells in tables]
    yours = [f"{share:.3g}" for share in NUMBERS.softmax(-1).flatten().tolist()]
    assert numbers == [["expected", "0.25", "0.75", "0.5", "0.5"], ["yours", *yours]]
    verdict = verdict_of(lambda numbers, power: numbers.nonsense("<script>"))
    assert "<script>" not in explain(verdict)._repr_html_()


def test_it_takes_its_colours_from_the_page(course):
    page = explain(verdict_of(right))._repr_html_()
    assert "background" not in page.replace("background:none", "")
    assert not re.search(r"[; \"]color:(?!inherit)", page)


def test_a_check_is_fast(course):
    names = {"check": check, "share": by_columns}
    eval('check("share")._repr_html_()', names)  # whatever is loaded at first
    start = time.perf_counter()
    eval('check("share")._repr_html_()', names)
    assert time.perf_counter() - start < 1


# --- What is handed to learners -------------------------------------------------------------------


def run_in_kernel(cells, folder, **options):
    """Run a notebook, or a list of code cells, in a kernel; return the cells with their outputs."""
    if isinstance(cells, list):
        code = [nbformat.v4.new_code_cell(source) for source in cells]
        cells = nbformat.v4.new_notebook(cells=code)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(
        cells, timeout=60, kernel_name="python3", resources=resources, **options
    ).execute()
    return cells.cells


HANDED_OUT = sorted(bank.FOLDER.glob("[0-9]*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", HANDED_OUT, ids=lambda path: path.stem[:2])
def test_an_untouched_notebook_runs_to_its_end(path, tmp_path, monkeypatch):
    course = Path(__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", str(course), prepend=os.pathsep)
    cells = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in cells.cells)
    where = nbformat.v4.new_code_cell("import utils; print(utils.__path__[0])")
    cells.cells.append(where)
    actual = [
        output.data["text/plain"]
        for cell in run_in_kernel(cells, tmp_path)
        if cell.cell_type == "code" and cell.source.startswith("check(")
        for output in cell.outputs
    ]
    assert len(actual) == len(bank.tasks()[path.stem])
    assert [text for text in actual if not text.startswith(("○", "✗")) or "Error" in text] == []
    # In the learners' zip, too, whatever else is installed.
    assert os.path.samefile(where.outputs[0].text.strip(), course / "utils")


@pytest.mark.parametrize("path", HANDED_OUT, ids=lambda path: path.stem[:2])
def test_it_asks_for_every_task(path):
    prose = nbformat.read(path, as_version=4)
    text = "\n".join(cell.source for cell in prose.cells)
    for task in bank.tasks()[path.stem]:
        assert f"*{task.facts}*" in text
        assert f'check("{task.id}")' in text


@pytest.mark.slow
def test_in_a_real_kernel_the_line_is_shown_and_a_loop_is_stopped(tmp_path):
    """Wrong answers to a real exercise, in a real kernel, get the messages that a learner reads."""
    sources = [
        "from utils.checks import check, runner\nlimit = runner.time_limit\n"
        "runner.time_limit = lambda *_: limit(0.5)",
        "def entropy(weights):\n    return weights.entropi()\n\ncheck('entropy')",
        "def entropy(weights):\n    while True:\n        print('…')\n\ncheck('entropy')",
        "def entropy(weights):\n    return -(weights * weights.log()).sum(-1)\n\ncheck('entropy')",
    ]
    _, *cells = run_in_kernel(sources, tmp_path)
    actual = [cell.outputs[0].data["text/plain"] for cell in cells]
    assert "AttributeError" in actual[0]
    assert "line 2: return weights.entropi()" in actual[0]
    assert "still running after more than 10 seconds" in actual[1]  # what the task gives; see above
    assert "A row with a weight of 0 comes out as NaN" in actual[2]
    kept = json.loads((tmp_path / "progress.json").read_text())
    assert [(task, tried["points"]) for task, tried in kept.items()] == [("entropy", 0)]


@pytest.mark.slow
def test_in_a_real_kernel_every_check_is_shown_and_an_old_definition_is_noticed(tmp_path):
    sources = {
        "from utils.checks import check\nimport torch": [],
        "def entropy(weights):\n    return torch.special.entr(weights).sum(-1)": [],
        "check('entropy')\ncheck('entropy')": ["passed", "passed"],
        "for _ in range(2):\n    check('entropy')": ["passed", "passed"],
        "check('entropy');": ["passed"],
        "one = check('entropy')": ["passed"],
        "def entropy(weights):\n    return (": ["SyntaxError"],
        "check('entropy')  # again": [r"not yet\n.*`entropy` has a syntax error.*again\.$"],
        "def entropy(weights):\n    return torch.special.entr(weights).sum(-1) * 1": [],
        "check('entropy')  # and again": [r"All \d+ cases are right\.$"],
    }
    cells = run_in_kernel([*sources], tmp_path, allow_errors=True)
    for cell, parts in zip(cells, sources.values(), strict=True):
        actual = [output.get("ename") or output.data["text/plain"] for output in cell.outputs]
        assert len(actual) == len(parts)
        assert all(re.search(part, text) for part, text in zip(parts, actual, strict=True))


@pytest.mark.slow
def test_a_plain_script_prints_what_a_check_says(tmp_path):
    script = "from utils.checks import check\nentropy = lambda weights: weights\ncheck('entropy')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(bank.FOLDER.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("✗ Entropy: not yet")
