"""A hub, tried for real: `python -m workshop.hub.trial`, as root, says what a class takes.

The machine's own JupyterHub and configurable-http-proxy run `jupyterhub_config.py` as it is, with
accounts of their own, in a world of their own (bubblewrap): its own /etc, /home, /srv and
processes, and no network but itself. Nothing is left of it. `lesson.py` is what happens there.
"""

import argparse
import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from statistics import median

import nbformat

from grading import release
from workshop.hub import collect
from workshop.hub.lesson import TASK

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOLUTION = ROOT / "solutions" / "02_additive_attention.ipynb"
NAMES = ("ada", "bela", "chloe", "dina", "emil", "farah", "goran", "hana", "ivan", "jo")
NEIGHBOURS = ("filler", "looper")
MB = 10**6


def missing() -> str:
    """What a trial lacks on this machine, or ""."""
    if importlib.util.find_spec("jupyterhub") is None:
        return "no JupyterHub → pip install -e .[hub]"
    if shutil.which("configurable-http-proxy") is None:
        return "no proxy for JupyterHub → npm install -g configurable-http-proxy"
    if os.name == "nt" or os.geteuid():
        return "a hub has accounts, which only root can make → run it as root"
    world = ["bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "true"]
    if shutil.which("bwrap") is None or subprocess.run(world, stderr=-3).returncode:
        return "no bubblewrap that works, for a hub with accounts → apt install bubblewrap"
    return ""


def hold(learners: int) -> tuple[dict, list[dict[str, str]]]:
    """A lesson with so many learners, handed in and graded.

    Returns:
        What was measured, and the rows of `grades.csv`.
    """
    names = [*NAMES[:learners], *NEIGHBOURS]
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder)
        _furnish(world)
        lines = [f"{name}:{name[::-1]}::learners::/home/{name}:/bin/bash" for name in names]
        script = (
            'groupadd learners && newusers <<< "$1" && chmod 700 /home/* && '
            'exec "$2" -m workshop.hub.lesson'
        )
        done = subprocess.run(
            [*_bubblewrap(world), "bash", "-c", script, "-", "\n".join(lines), sys.executable],
            input=json.dumps({"names": names, "answer": _answer()}),
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        if done.returncode:
            print((world / "srv/hub.log").read_text()[-5000:], file=sys.stderr)
            raise SystemExit("The lesson broke off; above stands what the hub wrote last.")
        for line in collect.collect(world / "home", world / "handed-in"):
            print(line)
        grade = [sys.executable, "-m", "grading", world / "handed-in", "--out", world / "grades"]
        subprocess.run(grade, cwd=ROOT, check=True)
        with open(world / "grades" / "grades.csv", encoding="utf-8-sig") as file:
            return json.loads((world / "srv/figures.json").read_text()), list(csv.DictReader(file))


def _furnish(world: Path) -> None:
    """What an administrator puts on the machine: docs/hub.md."""
    shutil.copytree("/etc", world / "etc", symlinks=True)
    (world / "home").mkdir()
    (world / "srv" / "jupyterhub" / "state").mkdir(parents=True)
    (world / "srv" / "jupyterhub" / "state").chmod(0o700)
    for name in ("jupyterhub_config.py", "start.py"):
        shutil.copy(HERE / name, world / "srv" / "jupyterhub")
    release.write_zip(world / "course.zip")
    with zipfile.ZipFile(world / "course.zip") as archive:
        archive.extractall(world / "srv")


def _bubblewrap(world: Path) -> list[str | Path]:
    return [
        *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *("--perms", "1777", "--tmpfs", "/tmp", "--perms", "1777", "--tmpfs", "/dev/shm"),
        *_in_sight(ROOT, Path(sys.prefix), Path(sys.base_prefix)),
        *(word for name in ("etc", "home", "srv") for word in ("--bind", world / name, f"/{name}")),
        *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent"),
        *("--cap-add", "ALL", "--chdir", ROOT),
    ]


def _in_sight(*paths: Path) -> list[str | Path]:
    """Let everybody read folders that lie in one that is closed to others, such as root's home."""
    options: list[str | Path] = []
    covered = set()
    for path in paths:
        above = [folder for folder in reversed(path.parents)]
        closed = [folder for folder in above if not folder.stat().st_mode & 1]
        if not closed:
            continue
        if closed[0] not in covered:
            covered.add(closed[0])
            options += ["--perms", "0755", "--tmpfs", closed[0]]
        for folder in above[above.index(closed[0]) + 1 :]:
            options += ["--perms", "0755", "--dir", folder]
        options += ["--ro-bind", path, path]
    return options


def _answer() -> str:
    """The course's own answer to the exercise."""
    cells = nbformat.read(SOLUTION, as_version=4).cells
    return next(cell.source for cell in cells if cell.source.startswith(f"def {TASK}("))


def report(figures: dict, grades: list[dict[str, str]]) -> str:
    """What was measured, for people."""
    spread = {
        **{f"{stage}, s": (seconds, 1) for stage, seconds in figures["seconds"].items()},
        "processor, s": (figures["processor"], 1),
        "memory (PSS), MB": (figures["memory"], MB),
        "largest process (RSS), MB": (figures["largest process"], MB),
    }
    learners = figures["learners"]
    lines = [
        f"{learners} learners at once, {os.cpu_count()} processors",
        "",
        f"{'of a learner':<30}{'median':>8}{'most':>8}",
        *(
            f"{name:<30}{median(values) / unit:8.1f}{max(values) / unit:8.1f}"
            for name, (values, unit) in spread.items()
        ),
        "",
        f"the hub starts in {figures['hub starts']:.1f} s",
        f"all of this, of all learners, by the clock: {figures['the class']:.1f} s",
        f"memory of all learners and the hub, at the peak: {figures['together'] / MB:.0f} MB",
        f"of these, the hub, its proxy and its culler: {figures['the hub itself'] / MB:.0f} MB",
        "",
        f"all of 02 again, while the others rest: {figures['alone']:.1f} s",
        f"beside one who fills memory and one who loops: {figures['beside bad neighbours']:.1f} s",
        f"who fills memory: {figures['filling memory']}",
        f"    after {figures['blocks of 100 MB']} blocks of 100 MB,",
        f"    having had {figures['memory of who fills'] / MB:.0f} MB in all",
        f"who starts threads without end: {[text[-60:] for text in figures['starting threads']]}",
        f"who loops, interrupted: {figures['looping']}",
        f"kernels of the others that still answer: {figures['alive']} of {learners}",
        "",
        f"idle servers were gone after {figures['idle servers gone']:.0f} s; of whoever worked on, "
        + ("it stayed" if figures["who works stays"] else "it went, too"),
        "",
        "handed in and graded:",
        *(f"    {row}" for row in grades),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m workshop.hub.trial", description=__doc__)
    parser.add_argument("--learners", type=int, choices=range(2, 11), default=10, metavar="2-10")
    options = parser.parse_args()
    if lacking := missing():
        sys.exit(f"The trial cannot run here: {lacking}")
    print(report(*hold(options.learners)))


if __name__ == "__main__":
    main()
