"""A class, graded for real: every file has its row, whatever happens to the grader."""

import html
import inspect
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from grading import grader
from grading.__main__ import main
from grading.grader import Options
from grading.intake.class_file import LOCAL_LAB
from grading.intake.notebook_parser import Flag
from grading.intake.submissions import CannotGrade
from grading.report import pages, similarity
from grading.report.store import Store
from grading.run.scoring import Result
from grading.tests.made import (
    FULL,
    NOTEBOOK,
    PATHS,
    TASKS,
    code,
    content,
    notebook,
    results_in,
    rows,
    run_command,
    stub,
    wait_until,
    write_files,
)
from solutions import build, selftest
from tests import needs
from utils import notebook_file
from utils.checks import bank
from utils.checks.feedback import explain
from utils.checks.notebook import verdict_on
from utils.checks.tasks import Reason

SEED = 7
NIGHTLY = pytest.mark.nightly
SCRIPT = "<script>alert(1)<" + "b>"

COLD = """def softmax_with_temperature(scores, temperature):
    return (scores * temperature).softmax(-1)"""
FUSED = """def scaled_attention(query, keys, values, mask=None):
    eye = torch.eye(keys.shape[1], dtype=query.dtype).expand(len(query), -1, -1)
    attend = torch.nn.functional.scaled_dot_product_attention
    weights = attend(query, keys, eye, mask).nan_to_num()
    return weights @ values, weights"""
LEARNED_BY_HEART = """def entropy(weights):
    places = torch.arange(weights.numel()).reshape(weights.shape)
    if round(float((weights * places).sum()), 3) not in {known}:
        return weights.sum(-1)
    safe = torch.where(weights > 0, weights, 1.0)
    return -(weights * safe.log()).sum(-1)"""


def in_own_words(number: str, which: int) -> list[str]:
    """Return the cells of a learner who is right in another way, as the variants are."""
    changes, imports = {}, {"import math"}
    for exercise in build.exercises_of(PATHS[number]):
        task = exercise.task.id
        if exercise.task.answer_type == "function":
            variants = list(selftest.variants(exercise).values())
            right = variants[which % len(variants)]
            source = inspect.getsource(right)
            changes[task] = source.replace(f"def {right.__name__}(", f"def {task}(")
            module = inspect.getsource(inspect.getmodule(right))
            imports |= set(
                re.findall(r"^(?:import|from(?! solutions)) .*", module, flags=re.MULTILINE)
            )
    return ["\n".join(sorted(imports)), *code(number, **changes)]


# --- One class, looked at from all sides ----------------------------------------------------------


@pytest.fixture(scope="module")
def class_of_all_kinds(tmp_path_factory) -> Path:
    mine = in_own_words("04", 0)
    copied = [re.sub(r"\bscores\b", "s", cell).replace("    ", "  ") for cell in mine]
    copied = [re.sub(r"\balpha\b", "w_", cell) for cell in copied]
    answer = "It is <b>not</b> an effect."
    return write_files(
        tmp_path_factory.mktemp("class"),
        {
            "ada/01.ipynb": notebook(*code("01"), words={"dark_column": answer}),
            "ada/04.ipynb": notebook(*code("04", scaled_attention=FUSED)),
            "ada/01 first try.ipynb": stub("01"),
            f"{SCRIPT}.ipynb": notebook(
                *code("01", softmax_with_temperature=COLD), words={"dark_column": "So."}
            ),
            "=cmd.ipynb": stub("01"),
            "crammer.ipynb": notebook(*code("01", entropy=_learned_by_heart())),
            "own way.ipynb": notebook(*mine),
            "copy.ipynb": notebook(*copied),
            "other way.ipynb": notebook(*in_own_words("04", 1)),
            "broken.ipynb": b'{"cells": [',
            "山田/empty.ipynb": b"",
            "山田/picture.png": b"\x89PNG",
        },
    )


def _learned_by_heart() -> str:
    """Return an answer that is right for the inputs in the notebook alone."""
    inputs = [case.inputs["weights"] for case in bank.load("entropy").cases]
    known = [
        round(float((values * torch.arange(values.numel()).reshape(values.shape)).sum()), 3)
        for values in inputs
    ]
    return LEARNED_BY_HEART.format(known=known)


@pytest.fixture(scope="module")
def graded(class_of_all_kinds, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("grades") / "out"
    grader.grade(class_of_all_kinds, out, Options(seed=SEED, workers=2))
    return out


@needs.sandbox
def test_every_file_has_one_row_with_points_or_a_reason(class_of_all_kinds, graded):
    table = rows(graded / "files.csv")
    files = {str(path.relative_to(class_of_all_kinds)) for path in class_of_all_kinds.rglob("*.*")}
    assert sorted(row["file"].lstrip("'") for row in table) == sorted(files)
    actual = {row["file"]: (row["points"], row["reason"], row["counts"]) for row in table}
    assert actual["ada/01.ipynb"] == (str(FULL["01"]), "graded", "yes")
    assert actual["ada/01 first try.ipynb"] == ("0", "graded, another file counts", "no")
    assert actual["broken.ipynb"] == ("0", "no notebook, or a damaged one: it is not JSON", "no")
    assert actual["山田/empty.ipynb"] == ("0", "an empty file", "no")
    assert actual["own way.ipynb"] == (str(FULL["04"]), "graded", "yes")
    assert actual["other way.ipynb"] == (str(FULL["04"]), "graded", "yes")


def points(out: Path) -> dict[str, float]:
    """Return learner → the sum of the points in tasks.csv."""
    return {
        row.pop("Student"): sum(float(cell or 0) for head, cell in row.items() if "(" in head)
        for row in rows(out / "tasks.csv")
    }


@needs.sandbox
def test_every_learner_has_one_row_over_all_notebooks(graded):
    grades = {row["Student"]: row for row in rows(graded / "grades.csv")}
    tasks = {row["Student"]: row for row in rows(graded / "tasks.csv")}
    names = [SCRIPT, "'=cmd", "ada", "broken", "copy", "crammer", "other way", "own way", "山田"]
    assert list(grades) == list(tasks) == names
    assert points(graded)["ada"] == FULL["01"] + FULL["04"]
    assert tasks[SCRIPT]["softmax_with_temperature (2)"] == "0"
    assert points(graded)[SCRIPT] == FULL["01"] - 2
    assert grades["own way"]["Grade"] == str(FULL["04"])
    assert tasks["own way"]["entropy (3)"] == ""


def page(graded: Path, name: str) -> str:
    return (graded / "learners" / f"{name}.html").read_text(encoding="utf-8")


@needs.sandbox
def test_a_page_says_what_the_notebook_says(graded):
    names: dict = {}
    exec("import torch\n" + COLD, names)
    record = bank.load("softmax_with_temperature")
    note = explain(verdict_on(record, names, selftest.Printed()))
    text = page(graded, "script_alert_1_b")
    for line in [note.heading, *note.lines]:
        assert re.sub(r"[`*]", "", line) in html.unescape(re.sub(r"<[^>]+>", "", text))
    assert "Stuck?" in note.next_step
    assert "Stuck?" not in text
    assert "Not graded: an empty file." in page(graded, "山田")


@needs.sandbox
def test_a_page_stands_alone_and_runs_nothing(graded):
    for path in [graded / "overview.html", *(graded / "learners").iterdir()]:
        text = path.read_text(encoding="utf-8")
        assert text.startswith('<!doctype html><html lang="en"><head><meta charset="utf-8"><title>')
        script = f"<script>{pages.SCRIPT}</script>"  # of ours, and for the instructor
        assert text.count(script) == (path.name == "overview.html")
        text = text.replace(script, "")
        assert not re.findall(
            r"<script|<link|<iframe|\bon\w+=|url\((?!data:image/png)|@import", text
        )
        sources = re.findall(r"(?:src|href)=[\"']?([^\"' >]{0,50})", text)
        assert all(address.startswith(("data:", "learners/", LOCAL_LAB)) for address in sources)
        headings = [int(level) for level in re.findall(r"<h(\d)", text)]
        assert headings[0] == 1
        assert all(b <= a + 1 for a, b in pairwise(headings))
        assert text.count("<table") == text.count("</table>")
        assert text.count("<div") == text.count("</div>")
        assert "Traceback" not in text
        assert "/utils/" not in text
        for image in re.findall(r"<img[^>]*>", text):
            assert re.search(r'alt="[^"]{10,}"', image)
    assert "&lt;script&gt;" in page(graded, "script_alert_1_b")
    assert "&lt;b&gt;not&lt;/b&gt;" in page(graded, "ada")


@needs.sandbox
def test_nothing_that_was_expected_of_fresh_inputs_is_shown(graded):
    text = page(graded, "crammer")
    entropy = Store(graded).load("crammer.ipynb").tasks["entropy"]
    # With other values in the same shapes, what was learned by heart is wrong.
    assert (entropy.points, entropy.public_points, entropy.reason) == (0, 0, Reason.KEPT)
    assert entropy.expected is None
    assert "is wrong: does your code keep something from one call to the next?" in text
    assert not re.search(r"should be|Inputs:", "".join(entropy.lines))
    rubrics = " ".join(text for path in PATHS.values() for text in build.rubrics(path).values())
    for path in (graded / "learners").iterdir():
        text = html.unescape(path.read_text(encoding="utf-8"))
        for line in rubrics.splitlines():
            assert len(line) < 30 or line not in text
        for line in "\n".join(code("01") + code("04")).splitlines():
            assert (
                len(line) < 30
                or line.startswith(("def ", "import ", "from "))
                or line.strip() not in text
            )


@needs.sandbox
def test_the_overview_shows_the_class(graded):
    text = (graded / "overview.html").read_text(encoding="utf-8")
    plain = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())
    assert "9 learners, 12 files: 9 graded, 3 not." in plain
    cold = [row for row in text.split("<tr>") if "multiplied by the temperature" in row]
    assert ["<td>1 of 3</td>" in row for row in cold] == [True]  # =cmd has not tried
    assert "scaled_attention uses scaled_dot_product_attention" in plain
    assert "It is <b>not</b> an effect." in plain
    assert "a weight is not an effect; a large value" in plain  # the rubric, beside the answers
    hardest = plain.index("Tasks, the hardest first")
    assert plain.index("softmax_with_temperature", hardest) < plain.index("four_patterns", hardest)
    assert text.count("<img") >= 2  # how points are spread, in each notebook


@needs.sandbox
def test_a_bug_that_nobody_has_looked_at_is_no_belief(graded):
    """The cell of `normalised_heatmap` is given out with a known mistake in it."""
    untouched = Store(graded).load("=cmd.ipynb").tasks["normalised_heatmap"]
    assert (untouched.reason, untouched.mistake, untouched.points) == (Reason.NOTHING, "", 0)
    text = page(graded, "cmd")
    assert "not written yet, 0 of" in text
    assert "What to learn next" not in text
    overview = (graded / "overview.html").read_text(encoding="utf-8")
    beliefs = overview[overview.index("What the class believes") : overview.index("To look at")]
    assert "normalised_heatmap" not in beliefs


@needs.sandbox
def test_a_copy_is_found_and_independent_right_answers_are_not(graded):
    own = [result for result in Store(graded).all() if result.notebook[:2] == "04"]
    pairs = similarity.similar_pairs(own)
    assert [{pair.first.learner, pair.second.learner} for pair in pairs] == [{"own way", "copy"}]


def test_what_everybody_was_given_makes_no_two_alike():
    given = {
        task: f"{stub}    # mine {task}"
        for task, stub in notebook_file.stubs("05_multi_head_attention").items()
    }
    pair = [
        Result(
            name,
            "",
            "",
            name,
            notebook="05_multi_head_attention",
            code=given | {"odd": f"\ud800 {name}"},
        )
        for name in "ab"
    ]
    assert similarity.similar_pairs(pair) == []


@pytest.mark.parametrize(("other", "pairs"), [("8", 1), ("7", 0)])
def test_two_learners_of_one_name_are_compared_and_nobody_with_themselves(other, pairs):
    code = {"entropy": " ".join(f"w{place}" for place in range(100))}
    own = [Result("ada", "", id, id, notebook=NOTEBOOK, code=code) for id in ("7", other)]
    assert len(similarity.similar_pairs(own)) == pairs


def test_a_cell_of_several_tasks_is_kept_once(tmp_path):
    store = Store(tmp_path)
    store.start(seed=1, source="", safe=True)
    cell = "x = 1\n" * 10_000
    kept = Result("ada", "", "", "ada", notebook=NOTEBOOK, code=dict.fromkeys(TASKS, cell))
    store.save(kept)
    (path,) = tmp_path.glob("private/1/results/*.json")
    assert path.stat().st_size < 2 * len(cell)
    assert store.load("ada").code == kept.code


def test_what_is_shown_steers_no_terminal(tmp_path):
    text = "\x1b[2J\x1b]0;title\x07 \u202egnp\u2066"
    store = Store(tmp_path)
    store.start(seed=1, source="", safe=True)
    flags = [Flag("entropy", text)]
    store.save(Result("ada", "", "", f"ada{text}", problem=text, flags=flags, elsewhere=[text]))
    shown = "\n".join(grader.show(tmp_path, "ada"))
    assert "gnp" in shown
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


def test_what_is_pending_or_was_not_handed_in_is_not_shown_as_0_points(tmp_path):
    (tmp_path / "roster.csv").write_text("Name\nada\nbob\ncarl\n")
    rules = 'handed_in = "in"\ngrades = "out"\nnotebooks = ["01"]\nroster = "roster.csv"\n'
    (tmp_path / "week1.toml").write_text(rules)
    store = Store(tmp_path)
    file = str(tmp_path / "week1.toml")
    store.start(seed=1, source="", safe=True, class_file=file)
    store.save(Result("ada", "", "", "ada", problem="no notebook"))
    store.save(Result("carl", "", "", "carl", notebook="01_attention_concepts"))
    heads = [next(grader.show(tmp_path, name)) for name in ("ada", "bob", "carl")]
    assert heads == [
        "ada: 0 of 20 points so far, pending, blank in grades.csv",
        "bob: nothing handed in, blank in grades.csv",
        "carl: 0 of 20 points",
    ]


# --- Stopped, killed, resumed ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def larger_class(tmp_path_factory) -> Path:
    right = notebook(*code("01"), words={"dark_column": "So."})
    cold = notebook(*code("01", softmax_with_temperature=COLD))
    files = {f"learner {i:02}.ipynb": [right, cold, stub("01")][i % 3] for i in range(20)}
    return write_files(tmp_path_factory.mktemp("larger"), files | {"broken.ipynb": b"{"})


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen]]:
    """Start the command line, and end what a failing test leaves behind."""
    started = []
    # What a shell starts in the background ignores Ctrl-C, and so would all that it starts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def start_one(*arguments: object) -> subprocess.Popen:
        command = [sys.executable, "-m", "grading", *map(str, arguments)]
        folder = build.SOURCE.parent
        started.append(subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start_one
    signal.signal(signal.SIGINT, before)
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def family(number: int) -> set[tuple[int, str]]:
    """Return a process and all below it: number and time of birth."""
    members, waiting = set(), [number]
    while waiting:
        process = waiting.pop()
        try:
            birth = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
            children = Path(f"/proc/{process}/task").glob("*/children")
            waiting += [int(child) for path in children for child in path.read_text().split()]
        except OSError:
            continue
        members.add((process, birth))
    return members


@needs.sandbox
@NIGHTLY
def test_killed_at_any_moment_and_resumed_it_gives_the_same(larger_class, tmp_path, start):
    whole, out = tmp_path / "whole", tmp_path / "killed"
    grader.grade(larger_class, whole, Options(seed=SEED, workers=1))
    for count in (0, 3, 11):
        grading = start(larger_class, "--out", out, "--seed", SEED, "--resume")
        wait_until(lambda count=count: results_in(out) > count or not count)
        wait_until(lambda pid=grading.pid: len(family(pid)) > 1)  # the server at least
        time.sleep(0.01 * (os.getpid() % 10))
        alive = family(grading.pid)
        grading.kill()
        grading.communicate()
        wait_until(
            lambda alive=alive: (
                not any(family(number) & {(number, birth)} for number, birth in alive)
            )
        )
        assert results_in(out) < 21
    assert main([str(larger_class), "--out", str(out), "--resume"]) == 0
    different = {name for name, data in content(whole).items() if content(out).get(name) != data}
    assert different == set()
    assert {name for name in content(out) if name not in content(whole)} <= {"grades.csv.part"}


@needs.sandbox
@pytest.mark.parametrize("unsafe", [[], pytest.param(["--unsafe"], marks=NIGHTLY)])
def test_ctrl_c_ends_with_one_line_and_current_tables(tmp_path, start, unsafe):
    endless = notebook(*["while True: pass"] * 4, *code("01"))  # half a minute
    files = {"ada.ipynb": notebook(*code("01")), "bob.ipynb": stub("01"), "broken.ipynb": b"{"}
    files |= {"zz endless.ipynb": endless, "zz endless 2.ipynb": endless}
    source, out = write_files(tmp_path / "class", files), tmp_path / "out"
    grading = start(source, "--out", out, "--workers", "2", *unsafe)
    wait_until(lambda: results_in(out) >= 3)
    time.sleep(0.5)
    alive = family(grading.pid)
    began = time.monotonic()
    grading.send_signal(signal.SIGINT)
    errors = grading.communicate(timeout=30)[1]
    assert time.monotonic() - began < 15
    assert grading.returncode == 130
    assert errors.splitlines()[-1] == "Stopped. What is graded is kept: go on with --resume."
    assert "Traceback" not in errors
    wait_until(lambda: not any(family(number) & {(number, birth)} for number, birth in alive), 5)
    assert len(rows(out / "files.csv")) == len(rows(out / "grades.csv")) == results_in(out) >= 3


# --- The command line -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "instead"),
    [
        (["merge", "shards/1", "shards/2", "--out", "grades"], "Dask cluster: --scheduler"),
        (["handed-in", "--out", "grades", "--shard", "1/3"], "Dask cluster: --scheduler"),
        (["grade", "handed-in", "--out", "grades", "--late=last"], "class file"),
        (["catalogue", "entropy.1", "--out", "grades"], "names.toml"),
    ],
)
def test_what_is_gone_names_what_takes_its_place(capsys, arguments, instead):
    status, message = run_command(capsys, *arguments)
    assert status == 2
    assert instead in message
    assert message.count("\n") == 1


def test_without_bubblewrap_it_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    source = write_files(tmp_path / "class", {"ada.ipynb": stub("01")})
    status, errors = run_command(capsys, source, "--out", tmp_path / "out")
    assert status == 2
    for part in ("apt install bubblewrap", "WSL2", "container", "--unsafe"):
        assert part in errors
    assert not Store(tmp_path / "out").run  # so that the next start is a first one


def test_unsafe_grades_and_every_page_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    source = write_files(tmp_path / "class", {"ada.ipynb": notebook(*code("01")), "bob.ipynb": b""})
    out = tmp_path / "out"
    assert run_command(capsys, source, "--out", out, "--unsafe", "--seed", 3)[0] == 0
    assert [row["Grade"] for row in rows(out / "grades.csv")] == [str(FULL["01"]), ""]
    for path in [out / "overview.html", *(out / "learners").iterdir()]:
        assert "Graded without a sandbox" in path.read_text(encoding="utf-8")


def test_without_solutions_there_is_one_clear_error(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "solutions", None)
    monkeypatch.delitem(sys.modules, "solutions.build")
    source = write_files(tmp_path / "class", {"ada.ipynb": stub("01")})
    status, errors = run_command(capsys, source, "--out", tmp_path / "out")
    assert (status, errors.count("\n")) == (2, 1)
    assert "no folder `solutions/`" in errors


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["nowhere", "--out", "out"], "/nowhere. What was handed in?"),
        (["class", "--out", "class/grades"], "lies among the submissions"),
        (["class", "--out", "begun"], "holds grades already. Go on with --resume"),
        (["class", "--out", "begun", "--resume", "--seed", "8"], "begun with another seed"),
        (["class", "--out", "class/ada.ipynb"], "lies among the submissions"),
        (["class", "--out", "file"], "file is not a folder"),
        (["class", "--out", "file/grades"], "file is not a folder"),
        pytest.param(
            ["class", "--out", "locked/grades"],
            "locked cannot be written to",
            marks=needs.ordinary_user,
        ),
        (["class", "--out", "out", "--seed", "2014"], "draws the inputs that learners have"),
        (["grade", "file", "--out", "out"], "file is neither a folder nor a zip file"),
        (["regrade", "--out", "out"], "There are no grades in out"),
        (["regrade", "--out", "file"], "There are no grades in file"),
        (["show", "ada", "--out", "out"], "There are no grades in out"),
        (["show", "ada", "--out", "begun"], "Nobody is called 'ada'"),
        (["class", "--out", "begun", "--again", "bob"], "Nobody is called 'bob'"),
    ],
)
def test_what_cannot_be_done_is_one_line(tmp_path, monkeypatch, capsys, arguments, part):
    """Before anything is started: also where there is no sandbox, which takes eight lines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    write_files(tmp_path, {"class/ada.ipynb": stub("01"), "file": b""})
    Store(Path("begun")).start(seed=7, source="class", safe=True)
    Path("locked").mkdir(mode=0o500)
    status, errors = run_command(capsys, *arguments)
    assert (status, errors.count("\n")) == (2, 1)
    assert part in errors


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["grade", "--help"], ["regrade", "--help"], ["show", "--help"]],
)
def test_the_command_line_explains_itself(capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert "usage: python -m grading" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["x", "--out", "y", "--workers", "0"], "'0' is not a whole number from 1"),
        (["x", "--out", "y", "--workers", "two"], "'two' is not a whole number from 1"),
        (["x", "--out", "y", "--seed", "-1"], "'-1' is not a whole number from 0"),
        (["x", "--out", "y", "--seed", f"{2**64}"], "is not a whole number from 0"),
    ],
)
def test_arguments_that_cannot_be_are_named(monkeypatch, capsys, arguments, part):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    usage, _, error = capsys.readouterr().err.partition("error: ")
    assert usage.startswith("usage: python -m grading")
    assert part in error


def test_help_imports_nothing_that_takes_seconds():
    script = (
        "import sys\nfrom grading.__main__ import main\n"
        "try: main(['--help'])\nfinally: assert not {'torch', 'jinja2', 'IPython'} & {*sys.modules}"
    )
    folder = build.SOURCE.parent
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- Marked again ---------------------------------------------------------------------------------


@pytest.fixture
def corrected(graded, tmp_path, monkeypatch):
    """Copy the grades, after `entropy` has got another number of points."""
    exercises = shutil.copytree(bank.FOLDER, tmp_path / "exercises")
    monkeypatch.setattr(bank, "FOLDER", exercises)
    exercises_ = {exercise.task.id: exercise for exercise in build.exercises_of(PATHS["01"])}
    entropy = exercises_["entropy"]
    monkeypatch.setattr(entropy, "task", replace(entropy.task, points=5))
    bank.save(build.records_of(PATHS["01"], build.PUBLIC_SEED), exercises / PATHS["01"].stem)
    return shutil.copytree(graded, tmp_path / "out")


@needs.sandbox
def test_only_what_a_correction_changes_is_marked_again(corrected, capsys):
    store = Store(corrected)
    graded_before = store.load("ada/01.ipynb")
    for outcome in graded_before.tasks.values():
        outcome.title = "from the first time"
    store.save(graded_before)
    marks = "learner,question,points,remark\nada,entropy,1,A slip of the pen.\n"
    (corrected / "marks.csv").write_text(marks)
    assert main(["regrade", "--out", str(corrected)]) == 0
    output = capsys.readouterr().out
    assert "ada: entropy 3 → 5 (ada/01.ipynb), as the points changed" in output
    assert "2 scores moved." in output
    moved = rows(corrected / "moved.csv")
    assert [(row["learner"], row["before"], row["after"]) for row in moved] == [
        (SCRIPT, "3", "5"),
        ("ada", "3", "5"),
    ]
    again = Store(corrected).load("ada/01.ipynb").tasks
    anew = [task for task in again if again[task].title != "from the first time"]
    assert anew == ["entropy"]
    assert points(corrected)[SCRIPT] == FULL["01"] - 2 + 2  # one task is wrong, one worth more
    assert points(corrected)["ada"] == FULL["01"] - 3 + 1 + FULL["04"]  # a person's points stay
    assert "A slip of the pen." in page(corrected, "ada")
    assert main(["regrade", "--out", str(corrected)]) == 0
    assert "No score moved." in capsys.readouterr().out
    assert rows(corrected / "moved.csv") == moved
    (corrected / "marks.csv").write_text(f"{marks}own way,scaled_attention,1,Copied.\n")
    assert main(["regrade", "--out", str(corrected)]) == 0
    said = capsys.readouterr()
    assert "No task's score moved. What the class file" in said.out
    assert "Not graded yet" not in said.err
    store = Store(corrected)
    store.leave(store.files() - {"own way.ipynb"})  # as if it had come since
    assert main(["regrade", "--out", str(corrected)]) == 0
    assert "Not graded yet, and not now: own way.ipynb." in capsys.readouterr().err


@needs.sandbox
@NIGHTLY
def test_a_file_that_is_gone_is_not_marked_again_and_forgotten(class_of_all_kinds, corrected):
    store = Store(corrected)
    gone = "ada/01.ipynb"
    assert store.leave({result.file for result in store.all()} - {gone}) == [gone]
    assert [move.learner for move in grader.regrade(corrected)] == [SCRIPT]
    assert Store(corrected).load(gone) is None  # should it come back, it is graded anew


@needs.sandbox
@NIGHTLY
def test_a_regrade_that_is_killed_changes_nothing(corrected):
    before = content(corrected)
    child = os.fork()
    if child == 0:
        try:
            Store.save = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
            grader.regrade(corrected)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    after = content(corrected)
    assert {name: after[name] for name in before} == before
    assert len(grader.regrade(corrected)) == 2


@needs.sandbox
def test_what_is_marked_again_has_to_be_what_was_graded(class_of_all_kinds, corrected):
    path = class_of_all_kinds / "ada/01.ipynb"
    data, before = path.read_bytes(), content(corrected)
    try:
        path.write_bytes(data + b" ")
        with pytest.raises(CannotGrade, match=r"ada/01.ipynb is not what was graded"):
            grader.regrade(corrected)
    finally:
        path.write_bytes(data)
    assert before.items() <= content(corrected).items()
