"""Test a hub: files handed out, files collected, and a lesson with two simulated learners."""

import os
import re
import subprocess
import sys

import pytest

from grading import release
from grading.intake import submissions
from tests import needs
from workshop.hub import collect, start, trial

MINE = "what somebody has written"


@pytest.fixture
def course(tmp_path):
    """Return the folder of a tiny course to hand out."""
    for name in ("README.md", "exercises/01_a.ipynb", "notebooks/02_b.ipynb", "utils/masks.py"):
        file = tmp_path / "course" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path / "course"


def test_material_is_brought_and_what_a_learner_has_written_stays(course, tmp_path):
    own = tmp_path / "home" / "attention-course"
    assert len(list(start.bring(course, own))) == 3
    assert not (own / "utils").exists()  # there is one for all, which can be mended
    edited = own / "exercises" / "01_a.ipynb"
    edited.write_text(MINE)
    for name in ("01_a.ipynb", "01_a_mended.ipynb"):
        (course / "exercises" / name).write_text("new")
    (course / "notebooks" / "02_b.ipynb").unlink()
    (own / "README.md").unlink()
    brought = {path.relative_to(own).as_posix() for path in start.bring(course, own)}
    assert brought == {"exercises/01_a_mended.ipynb", "README.md"}
    assert edited.read_text() == MINE
    assert (own / "notebooks" / "02_b.ipynb").exists()


@needs.unix
def test_a_link_in_a_home_is_left_alone(course, tmp_path):
    own = tmp_path / "home" / "attention-course"
    (own / "exercises").mkdir(parents=True)
    (own / "exercises" / "01_a.ipynb").symlink_to(tmp_path / "nowhere")
    assert len(list(start.bring(course, own))) == 2
    assert not (tmp_path / "nowhere").exists()


@needs.unix
def test_memory_beyond_the_limit_is_an_error_of_the_cell():
    code = "from workshop.hub import start; start.limit(); b'x' * 2**30"
    command = [sys.executable, "-c", code]
    for limit, error in ((2**29, "MemoryError"), (2**32, "")):
        environment = {**os.environ, "MEM_LIMIT": str(limit)}
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert run.stderr.strip().endswith(error)
        assert run.returncode == bool(error), run.stderr


@needs.unix
def test_exercises_are_collected_for_the_grader_and_no_link_is_followed(tmp_path):
    homes, out = tmp_path / "home", tmp_path / "handed-in"
    for name in ("ada", "bela", "chloe"):
        (homes / name / "attention-course" / "exercises").mkdir(parents=True)
    own, hers, theirs = (home / "attention-course/exercises" for home in sorted(homes.iterdir()))
    (own / "01_a.ipynb").write_text(MINE)
    os.utime(own / "01_a.ipynb", (10**9, 10**9))
    (own / "progress.json").write_text("{}")
    (hers / "01_a.ipynb").symlink_to(own / "01_a.ipynb")
    os.mkfifo(hers / "02_b.ipynb")
    theirs.rmdir()
    theirs.symlink_to(own)
    (homes / "dina").mkdir()
    left_out = list(collect.collect(homes, out))
    assert [line.partition(":")[0] for line in left_out] == ["bela", "bela", "chloe", "dina"]
    (file,) = submissions.find(out)
    assert (file.learner, file.order, file.read()) == ("ada", 10**9, MINE.encode())
    with pytest.raises(FileExistsError):
        list(collect.collect(homes, out))


@needs.unix
def test_one_learner_neither_stops_nor_fills_the_collection_nor_steers_the_terminal(tmp_path):
    """Eve's names are no text or steer a terminal, and her files take no room but in the copy."""
    homes, out = tmp_path / "home", tmp_path / "handed-in"
    for name in ("ada", "eve", "zoe"):
        (homes / name / "attention-course" / "exercises").mkdir(parents=True)
        (homes / name / "attention-course" / "exercises" / "01_a.ipynb").write_text(MINE)
    hers = homes / "eve" / "attention-course" / "exercises"
    for name in (b"a\xff.ipynb", b"a\x1b]0;PWNED\x07\x1b[2J.ipynb", "a\u202eb.ipynb".encode()):
        os.mkdir(os.path.join(os.fsencode(hers), name))
    for number in range(30):
        with (hers / f"s{number:02}.ipynb").open("wb") as file:
            file.truncate(submissions.LARGEST)  # sparse
    command = [sys.executable, "-m", "workshop.hub.collect", str(homes), str(out)]
    strict = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    run = subprocess.run(command, env=strict, capture_output=True, text=True, cwd=trial.ROOT)
    assert run.returncode == 0, run.stderr
    assert run.stdout.isascii()
    assert "\x1b" not in run.stdout
    lines = run.stdout.splitlines()
    assert {line.partition(":")[0] for line in lines} == {"eve", "Now"}
    assert len(lines) <= collect.MOST_TOLD + 2
    assert any("more than 200 MB of one learner" in line for line in lines)
    assert any("more files were left out" in line for line in lines)
    for name in ("ada", "eve", "zoe"):
        assert (out / name / "01_a.ipynb").read_text() == MINE
    assert sum(path.stat().st_size for path in (out / "eve").iterdir()) <= collect.MOST_BYTES


def test_the_image_holds_what_learners_get_and_nothing_else():
    lines = (trial.HERE / "Containerfile").read_text(encoding="utf-8").splitlines()
    copied = [word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]]
    own = "workshop/hub/start.py"
    assert sorted(copied) == sorted([*release.FILES, *release.FOLDERS, own])


def test_no_recipe_leaves_a_password_where_others_read_it_or_processes_without_a_limit():
    guide = (trial.ROOT / "docs" / "hub.md").read_text(encoding="utf-8")
    settings = (trial.HERE / "values.yaml").read_text(encoding="utf-8")
    assert not re.search(r"^\s*[\w-]*password\s*:", settings, re.MULTILINE)
    assert 'authenticator_class: "null"' in settings  # nobody, until somebody decides who
    assert "type: ClusterIP" in settings
    lists = re.findall(r"\S*learners\.txt", guide)
    assert {*lists} == {"/etc/learners.txt"}
    assert guide.index("install -m 600 /dev/null /etc/learners.txt") < guide.index("newusers")
    assert guide.index("newusers") < guide.index("shred -u /etc/learners.txt")
    recipes = re.split(r"^## ", guide, flags=re.MULTILINE)
    one, littlest, kubernetes = (
        next(text for text in recipes if text.startswith(title))
        for title in ("JupyterHub on one machine", "The Littlest JupyterHub", "Kubernetes")
    )
    assert '"PROCESSES": "500"' in (trial.HERE / "jupyterhub_config.py").read_text(encoding="utf-8")
    assert '"PROCESSES": "500"' in littlest
    assert '"TasksMax": "500"' in littlest
    assert "podPidsLimit: 500" in kubernetes
    for recipe, slower in (
        (one, "pam_faillock"),
        (littlest, "RateLimit"),
        (kubernetes, "limit-rpm"),
    ):
        assert slower in recipe


def test_what_colab_installs_has_the_bounds_of_the_course():
    lines = (trial.HERE / "colab-requirements.txt").read_text(encoding="utf-8").splitlines()
    course = (trial.ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert {line for line in lines if not line.startswith("#")} < {*course}


@pytest.mark.nightly
@pytest.mark.skipif(bool(trial.missing()), reason=trial.missing())
def test_learners_work_on_a_real_hub_and_what_they_save_is_collected():
    measured = trial.hold(2)
    assert measured["collected"] == [
        f"{name}/{path.name}"
        for name in trial.NAMES[:2]
        for path in sorted(trial.ROOT.glob("exercises/*.ipynb"))
    ]
    assert all(learner["memory, MB"] > 100 for learner in measured["learners"])
