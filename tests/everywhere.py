"""The tests on machines that are not this one, or as near to them as this one can come.

    make test-everywhere                 every setting, one after another: an hour or two
    make test-everywhere ONLY="bare"     those that are named

Each runs in a clone of what is committed. What it printed is kept in build/everywhere/NAME.log; at
the end there is a table. A setting changes one thing of: vector units and code paths of torch,
oneDNN, MKL and NumPy; number of threads; load; versions; Python. "bare" changes much at once: an
ordinary user, without bubblewrap and Chromium, in another language, time zone and terminal.
"""

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.needs import may_read_everything

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "build" / "everywhere"
HIDDEN = re.compile(r"bwrap|chrom.*|google-chrome.*")  # programs that a bare machine lacks
PYTEST = ["-m", "pytest", "-n", "2", "-q", "-m", "not browser and not nightly"]
NOTEBOOKS = [*PYTEST, "notebooks", "solutions", "--ignore=solutions/tests"]
# What an ordinary user's rights, a missing program or another language can change.
OF_A_USER = [*PYTEST, "tests", "grading", "solutions/tests/test_catch_up.py"]
REBUILD = ["-m", "solutions.build"]
ZIP = ["-c", "from grading.release import ZIP, write_zip; print(write_zip(ZIP))"]
LAST_LINE = re.compile(r"=* ?(\d+ (?:passed|failed).*?) in ([\d.]+)s")


@dataclass(frozen=True)
class Setting:
    """What is different, and what is run.

    Args:
        environment: variables on top of this process's.
        commands: for Python, one after another; all of them have to succeed.
        bare: an ordinary user's machine with nothing installed beside the course.
        busy: how many other processes keep the processors at work.
        lowest: with the oldest versions that requirements.txt allows, in a new environment.
        python: in a new environment of this Python.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[list[str], ...] = (NOTEBOOKS, REBUILD, ZIP)
    bare: bool = False
    busy: int = 0
    lowest: bool = False
    python: str = sys.executable


OLD_UNITS = {
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Nehalem",
}
ELSEWHERE = {"LANG": "C", "LC_ALL": "C", "TZ": "Pacific/Kiritimati", "TERM": "dumb"}
ELSEWHERE |= {"COLUMNS": "60", "ATEN_CPU_CAPABILITY": "default"}
PATIENT = {"OMP_WAIT_POLICY": "PASSIVE"}  # more threads than cores: those that wait must not spin
SETTINGS = {
    "bare": Setting(ELSEWHERE, (OF_A_USER, REBUILD, ZIP), bare=True),
    "aten-default": Setting({"ATEN_CPU_CAPABILITY": "default"}),
    "aten-avx2": Setting({"ATEN_CPU_CAPABILITY": "avx2"}),
    "old-units": Setting(OLD_UNITS),
    "mkl-compatible": Setting({"MKL_CBWR": "COMPATIBLE"}),
    "2-threads": Setting({"OMP_NUM_THREADS": "2", **PATIENT}),
    "4-threads": Setting({"OMP_NUM_THREADS": "4", **PATIENT}),
    "busy": Setting(busy=os.cpu_count() or 1),
    "slow-cells": Setting(commands=(["-m", "tests.slow_cells"],)),
    "lowest": Setting(commands=(PYTEST, REBUILD), lowest=True),
    **{
        name: Setting(commands=(PYTEST, REBUILD), python=name)
        for name in ("python3.12", "python3.13", "python3.14")
    },
}


@contextlib.contextmanager
def clone() -> Iterator[Path]:
    """What is committed, in a folder of its own with a name that programs trip over."""
    with tempfile.TemporaryDirectory(prefix="a course ") as folder:
        subprocess.run(["git", "clone", "-q", ROOT, Path(folder) / "course"], check=True)
        yield Path(folder) / "course"


def programs_of_a_bare_machine(folder: Path) -> str:
    """A PATH with all programs of this machine but those that are hidden."""
    folder.mkdir()
    for directory in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in directory.iterdir() if directory.is_dir() else ():
            link = folder / program.name
            if not HIDDEN.fullmatch(program.name) and not os.path.lexists(link):
                link.symlink_to(program)
    return str(folder)


def new_environment(setting: Setting, course: Path) -> str:
    """The Python of an environment that is made for a setting."""
    constraints = course.parent / "lowest.txt"
    stated = (course / "requirements.txt").read_text(encoding="utf-8")
    lowest = re.findall(r"^([\w-]+)>=([\w.]+),<", stated, re.MULTILINE) if setting.lowest else []
    constraints.write_text("".join(f"{name}=={version}\n" for name, version in lowest))
    python = str(course.parent / "environment" / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q", "-r", "requirements.txt", "-c", constraints]
    subprocess.run([setting.python, "-m", "venv", course.parent / "environment"], check=True)
    subprocess.run(install, cwd=course, check=True)
    return python


@contextlib.contextmanager
def kept_busy(processes: int) -> Iterator[None]:
    burners = [subprocess.Popen([sys.executable, "-c", "while True: 7"]) for _ in range(processes)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def run(name: str, setting: Setting, log: Path) -> tuple[bool, str]:
    """Whether all went well, and what happened, in a line."""
    began = time.monotonic()
    with clone() as course, kept_busy(setting.busy), log.open("w", encoding="utf-8") as stream:
        own = setting.lowest or setting.python != sys.executable
        python = new_environment(setting, course) if own else sys.executable
        path = os.environ["PATH"]
        ordinary: list[str] = []
        if setting.bare:
            path = programs_of_a_bare_machine(course.parent / "programs")
            if may_read_everything():
                ordinary = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "PATH": f"{Path(python).parent}{os.pathsep}{path}",
            "PYTHONPATH": str(course),
            "HOME": str(course.parent),
            **setting.environment,
        }
        codes = [
            subprocess.run(
                [*ordinary, python, *command],
                cwd=course,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
            ).returncode
            for command in setting.commands
        ]
        changed = subprocess.run(
            ["git", "status", "--porcelain"], cwd=course, capture_output=True, text=True
        ).stdout.split("\n")[:-1]
        stream.write("\n".join(["", "changed files:", *changed, ""]))
    said = log.read_text(encoding="utf-8", errors="replace")
    tests = "; ".join(match[1] for match in LAST_LINE.finditer(said)) or "no test"
    zip_file = re.search(r"^[0-9a-f]{64}", said, re.MULTILINE)
    facts = [tests, f"{len(changed)} files changed", f"zip {zip_file[0][:8]}" if zip_file else ""]
    minutes = f"{(time.monotonic() - began) / 60:.1f} min"
    return not any(codes) and not changed, ", ".join(filter(None, [*facts, minutes]))


def end_of(log: Path) -> list[str]:
    """What a reader needs who only sees this output: the failures, and what came after them."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    failures = [i for i, line in enumerate(lines) if re.match(r"=+ (FAILURES|ERRORS) =+", line)]
    return [f"  | {line}" for line in lines[failures[0] if failures else -40 :][-200:]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.everywhere", description=__doc__)
    parser.add_argument("settings", nargs="*", metavar="SETTING", help=", ".join(SETTINGS))
    names = parser.parse_args().settings or list(SETTINGS)
    if unknown := set(names) - set(SETTINGS):
        parser.error(f"no setting {', '.join(unknown)}; there are: {', '.join(SETTINGS)}")
    LOGS.mkdir(parents=True, exist_ok=True)
    table: dict[str, tuple[bool, str]] = {}
    for name in names:
        setting = SETTINGS[name]
        if shutil.which(setting.python) is None:
            table[name] = (True, f"left out: no {setting.python} on this machine")
        else:
            print(f"{name}: begun, see {LOGS.relative_to(ROOT) / name}.log", flush=True)
            table[name] = run(name, setting, LOGS / f"{name}.log")
        good, line = table[name]
        print(f"{name:15} {'ok  ' if good else 'RED '} {line}", flush=True)
        if not good:
            print(*end_of(LOGS / f"{name}.log"), sep="\n", flush=True)
    zips = {found[0] for _, line in table.values() if (found := re.search(r"zip \w+", line))}
    if len(zips) > 1:
        print(f"The zip is not the same everywhere: {zips}")
    print()
    for name, (good, line) in table.items():
        print(f"{name:15} {'ok ' if good else 'RED'} {line}")
    return int(len(zips) > 1 or not all(good for good, _ in table.values()))


if __name__ == "__main__":
    sys.exit(main())
