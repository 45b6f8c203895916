"""Try the hub: `python -m workshop.hub.trial`, as root, measures time and memory of ten learners.

JupyterHub and configurable-http-proxy run `jupyterhub_config.py` as it is, in a sandbox
(bubblewrap) with its own /etc, /home, /srv, processes and accounts, and without a network to other
machines. Nothing of it remains afterwards. The sandbox runs `lesson.py`.
"""

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

from grading import release
from grading.text import say
from workshop.hub import collect

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAMES = ("ada", "bela", "chloe", "dina", "emil", "farah", "goran", "hana", "ivan", "jo")
ENTER = """groupadd learners && newusers <<< "$1" && cut -d: -f6 <<< "$1" | xargs chmod 700 &&
exec "${@:2}" """


def missing() -> str:
    """Return what this machine lacks for a trial and how to get it, or "" if it lacks nothing."""
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


def hold(learners: int) -> dict:
    """Give a lesson to a number of learners in a sandbox, and collect the notebooks they saved.

    Returns:
        The dict that `lesson.give_lesson` returns, with the paths of the collected notebooks,
        NAME/FILE, under "collected".

    Raises:
        SystemExit: the lesson failed; the end of the hub's log has been printed.
    """
    names = NAMES[:learners]
    accounts = [f"{name}:{name[::-1]}::learners::/home/{name}:/usr/sbin/nologin" for name in names]
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder)
        _furnish(world)
        lesson = [sys.executable, "-m", "workshop.hub.lesson", *names]
        run = subprocess.run(
            [*_bubblewrap(world), "bash", "-c", ENTER, "-", "\n".join(accounts), *lesson],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        if run.returncode:
            print((world / "srv/hub.log").read_text()[-5000:], file=sys.stderr)
            raise SystemExit("The lesson broke off; above stands what the hub wrote last.")
        out = world / "handed-in"
        for line in collect.collect(world / "home", out):
            say(line)
        collected = [path.relative_to(out).as_posix() for path in sorted(out.rglob("*.ipynb"))]
        return json.loads(run.stdout) | {"collected": collected}


def _furnish(world: Path) -> None:
    """Set up a hub in the folder `world`, as docs/hub.md tells administrators to do on a machine.

    The folder gets the subfolders etc, home and srv, which the sandbox mounts at /.
    """
    shutil.copytree("/etc", world / "etc", symlinks=True)
    (world / "home").mkdir()
    (world / "srv" / "jupyterhub" / "state").mkdir(parents=True)
    for name in ("jupyterhub_config.py", "start.py"):
        shutil.copy(HERE / name, world / "srv" / "jupyterhub")
    release.write_zip(world / "course.zip")
    with zipfile.ZipFile(world / "course.zip") as archive:
        archive.extractall(world / "srv")


def _bubblewrap(world: Path) -> list[str | Path]:
    """Return the command line of bubblewrap, to which the command to run has to be added.

    In the sandbox, /etc, /home and /srv are the subfolders of `world`.
    """
    options = [("--bind", world / name, f"/{name}") for name in ("etc", "home", "srv")]
    for path in (ROOT, Path(sys.prefix), Path(sys.base_prefix)):  # may lie in root's closed home
        options += [("--perms", "0755", "--dir", parent) for parent in reversed(path.parents)]
        options.append(("--ro-bind", path, path))
    return [
        *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *("--perms", "1777", "--tmpfs", "/tmp", "--perms", "1777", "--tmpfs", "/dev/shm"),
        *("--perms", "0755", "--tmpfs", "/root"),
        *(word for option in options for word in option),
        *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--die-with-parent"),
        *("--cap-add", "ALL", "--chdir", ROOT),
    ]


def main() -> None:
    """Hold a trial with ten learners, and print the measured times and memory."""
    if lacking := missing():
        sys.exit(f"The trial cannot run here: {lacking}")
    measured = hold(len(NAMES))
    learners = measured["learners"]
    print(f"{len(learners)} learners at once, {os.cpu_count()} processors")
    print(f"all of it, by the clock, s: {measured['seconds']:.1f}")
    print(f"memory of the hub, MB: {measured['memory of the hub, MB']:.0f}")
    print(f"notebooks collected: {len(measured['collected'])}")
    print(f"\n{'of a learner':<30}{'median':>8}{'most':>8}")
    for name in learners[0]:
        values = [learner[name] for learner in learners]
        print(f"{name:<30}{median(values):8.1f}{max(values):8.1f}")


if __name__ == "__main__":
    main()
