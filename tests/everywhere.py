"""Run the tests under settings that imitate other machines.

    make test-everywhere                 every setting, one after another: an hour or two
    make test-everywhere ONLY="bare"     only the settings that are named

Each setting runs in a clone of the last commit. Its output is kept in build/everywhere/NAME.log,
and a table of all results is printed at the end. Most settings change one thing: the vector units
and code paths of torch, oneDNN, MKL and NumPy, the number of threads, the load, the versions of
packages, or Python. "bare" changes many things at once: it runs as an ordinary user, without
bubblewrap and Chromium, in another language, time zone and terminal.
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
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.needs import may_read_everything

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "build" / "everywhere"
HIDDEN = re.compile(r"bwrap|chrom.*|google-chrome.*")  # programs that a bare machine lacks
PYTEST = ["-m", "pytest", "-n", "2", "-q", "-m", "not browser and not nightly"]
NOTEBOOKS = [*PYTEST, "notebooks", "solutions", "--ignore=solutions/tests"]
# What an ordinary user's rights, a missing program or another language can change; not what only
# computes for long.
OF_A_USER = [*PYTEST, "tests", "grading", "solutions/tests/test_catch_up.py"]
OF_A_USER += ["-k", "not untouched_notebook and not as_well_as_its_file_says"]
REBUILD = ["-m", "solutions.build", "--skip", "notebooks", "selftest", "plans"]
ZIP = ["-c", "from grading.release import ZIP, write_zip; print(write_zip(ZIP))"]
SUMMARY = re.compile(r"=* ?(\d+ (?:passed|failed).*?) in [\d.]+s")


@dataclass(frozen=True)
class Setting:
    """How a setting differs from this machine, and the commands that are run under it.

    Attributes:
        environment: variables to set in addition to this process's own.
        commands: arguments for Python, one list for each command; all commands have to succeed.
        bare: whether to run as an ordinary user, without the programs that `HIDDEN` names.
        busy: number of other processes that keep the processors busy meanwhile.
        python: the Python to use; if it is not the one that runs this, a new environment is made.
        lowest: whether to make a new environment with the oldest versions of packages that
            requirements.txt allows.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[list[str], ...] = (NOTEBOOKS, REBUILD, ZIP)
    bare: bool = False
    busy: int = 0
    python: str = sys.executable
    lowest: bool = False


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
    "bare": Setting(ELSEWHERE, (OF_A_USER, ZIP), bare=True),
    "aten-default": Setting({"ATEN_CPU_CAPABILITY": "default"}),
    "aten-avx2": Setting({"ATEN_CPU_CAPABILITY": "avx2"}),
    "old-units": Setting(OLD_UNITS),
    "mkl-compatible": Setting({"MKL_CBWR": "COMPATIBLE"}),
    "2-threads": Setting({"OMP_NUM_THREADS": "2", **PATIENT}),
    "4-threads": Setting({"OMP_NUM_THREADS": "4", **PATIENT}),
    "busy": Setting(busy=os.cpu_count() or 1),
    "lowest": Setting(commands=(PYTEST, REBUILD), lowest=True),
    **{
        name: Setting(commands=(PYTEST, REBUILD), python=name)
        for name in ("python3.12", "python3.13", "python3.14")
    },
}


def new_environment(setting: Setting, course: Path) -> str:
    """Make a virtual environment beside `course`, and return the path of its Python.

    It has the setting's Python, and the course's requirements, in their oldest allowed versions if
    the setting asks for them.
    """
    folder, constraints = course.parent / "environment", course.parent / "lowest.txt"
    stated = (course / "requirements.txt").read_text(encoding="utf-8")
    lowest = re.findall(r"^([\w-]+)>=([\w.]+),<", stated, re.MULTILINE) if setting.lowest else []
    constraints.write_text("".join(f"{name}=={version}\n" for name, version in lowest))
    python = str(folder / "bin" / "python")
    install = ["-m", "pip", "install", "-q", "-r", "requirements.txt", "-c", constraints]
    subprocess.run([setting.python, "-m", "venv", folder], check=True)
    subprocess.run([python, *install], cwd=course, check=True)
    return python


def link_programs_of_a_bare_machine(folder: Path) -> str:
    """Fill a new folder with links to all programs on PATH but `HIDDEN` ones; return its path."""
    folder.mkdir()
    for directory in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in directory.iterdir() if directory.is_dir() else ():
            link = folder / program.name
            if not HIDDEN.fullmatch(program.name) and not os.path.lexists(link):
                link.symlink_to(program)
    return str(folder)


def run(setting: Setting, log: Path) -> tuple[bool, str]:
    """Run the commands of a setting in a clone of the repository.

    Args:
        setting: the setting.
        log: the file to which all output is written.

    Returns:
        Whether all commands succeeded and changed no file of the clone, and a line of facts: the
        tests' totals, the number of changed files, the digest of the learners' zip, the minutes.
    """
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        # The name has a space, which faulty programs cannot handle.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="a course ")))
        course = folder / "course"
        subprocess.run(["git", "clone", "-q", ROOT, course], check=True)
        for _ in range(setting.busy):
            burner = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: 7"]))
            stack.callback(burner.kill)
        stream = stack.enter_context(log.open("w", encoding="utf-8"))
        python, path, as_user = sys.executable, os.environ["PATH"], []
        if setting.lowest or setting.python != sys.executable:
            python = new_environment(setting, course)
        if setting.bare:
            path = link_programs_of_a_bare_machine(folder / "programs")
            if may_read_everything():
                as_user = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "PATH": f"{Path(python).parent}{os.pathsep}{path}",
            "PYTHONPATH": str(course),
            "HOME": str(folder),
            **setting.environment,
        }
        output = {"stdin": subprocess.DEVNULL, "stdout": stream, "stderr": subprocess.STDOUT}
        processes = [
            subprocess.run([*as_user, python, *command], cwd=course, env=environment, **output)
            for command in setting.commands
        ]
        status = ["git", "-C", course, "status", "--porcelain"]
        changed = subprocess.run(status, capture_output=True, text=True).stdout
        stream.write(f"\nchanged files:\n{changed}")
    text = log.read_text(encoding="utf-8", errors="replace")
    zip_file = re.search(r"^[0-9a-f]{64}", text, re.MULTILINE)
    facts = [
        "; ".join(SUMMARY.findall(text)) or "no test",
        f"{changed.count(chr(10))} files changed",
        *([f"zip {zip_file[0][:8]}"] if zip_file else []),
        f"{(time.monotonic() - began) / 60:.1f} min",
    ]
    return not changed and not any(process.returncode for process in processes), ", ".join(facts)


def main() -> int:
    """Run the named settings, or all, and print a table; return the exit status.

    The status is 1 if a setting failed, or if the learners' zip was not the same in all of them.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.everywhere", description=__doc__)
    parser.add_argument("settings", nargs="*", metavar="SETTING", help=", ".join(SETTINGS))
    names = parser.parse_args().settings or list(SETTINGS)
    if unknown := set(names) - set(SETTINGS):
        parser.error(f"no setting {', '.join(unknown)}; there are: {', '.join(SETTINGS)}")
    LOGS.mkdir(parents=True, exist_ok=True)
    table, ok = [], True
    for name in names:
        log = LOGS / f"{name}.log"
        if shutil.which(SETTINGS[name].python) is None:
            good, outcome = True, f"left out: no {SETTINGS[name].python} on this machine"
        else:
            print(f"{name}: begun, see {log.relative_to(ROOT)}", flush=True)
            good, outcome = run(SETTINGS[name], log)
        table.append(f"{name:15} {'ok ' if good else 'RED'} {outcome}")
        print(table[-1], *([] if good else log.read_text().splitlines()[-100:]), sep="\n")
        ok = ok and good
    print("", *table, sep="\n")
    zips = set(re.findall(r"zip \w+", "\n".join(table)))
    if len(zips) > 1:
        print(f"The zip is not the same everywhere: {zips}")
    return int(len(zips) > 1 or not ok)


if __name__ == "__main__":
    sys.exit(main())
