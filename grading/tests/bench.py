"""Measures the grader on a made-up class, watched from outside, and what it costs.

`make bench-grading`; `ONLY=honest`, or the name of another measurement below, runs one of them.

To see whether a change has cost speed, check the course out a second time as it was before:

    git worktree add ../before COMMIT
    BESIDE=../before make bench-grading ONLY=beside
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path
from typing import Any

from grading import classroom
from grading.report.marking import Marking, Server
from grading.report.store import Store
from grading.tests.made import result
from solutions.build import SOURCE
from utils.checks import bank

FEW, MANY = 20, 220  # notebooks: what a notebook costs is the difference
SOLVED = 16  # copies of each notebook's solution
COMPARED, TURNS = 200, 2  # notebooks that another version grades too; how often, taking turns
ANSWERS, REMARK = 200, "A second reason?"  # in words; what every tenth is told
CLASS, HOSTILE = 1000, 0.05
COUNTS = (100, 500, 1000)  # notebooks after which the memory is read
ROOT = Path(__file__).parents[2]


def honest() -> dict:
    """Count honest notebooks a minute."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        classroom.write(folder / "few", FEW, seed=1)
        classroom.write(folder / "many", MANY)
        few = graded(folder / "few", folder / "few grades")
        many = graded(folder / "many", folder / "many grades")
    processor = (many["processor"] - few["processor"]) / (MANY - FEW)
    figures = {
        "notebooks": MANY,
        "workers": os.cpu_count(),
        "seconds_to_prepare": round(many["prepared"], 1),
        "seconds_of_tables_and_pages": round(many["reported"], 1),
        "a_minute": round(60 * (MANY - 1) / many["graded"]),
        "a_minute_with_preparation": round(60 * MANY / many["seconds"]),
        "processor_seconds_each": round(processor, 3),
    }
    print(f"\n{MANY} honest notebooks of exercise 01, {os.cpu_count()} at a time")
    for name, figure in figures.items():
        print(f"{name.replace('_', ' '):32}{figure:>10,}")
    return figures


def hostile() -> dict:
    """Grade 1,000 notebooks, one in twenty of them an attack; measure the time and the memory."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        classroom.write(folder / "class", CLASS, HOSTILE)
        run = graded(folder / "class", folder / "grades")
        rows = len(_points(folder / "grades"))
    print(f"\n{CLASS:,} notebooks, {HOSTILE:.0%} hostile: {run['seconds'] / 60:.1f} minutes, ")
    print(f"{rows:,} rows; the most memory so far, in MB")
    print(f"{'notebooks':>10}{'parent':>10}{'server':>10}")
    for count, (parent, server) in run["memory"].items():
        print(f"{count:10,}{parent:10,}{server:10,}")
    minutes = round(run["seconds"] / 60, 2)
    return {"notebooks": CLASS, "rows": rows, "minutes": minutes, "megabytes": run["memory"]}


def solved() -> dict:
    """Grade, for each notebook, a class that has solved it: how many a minute, and the points."""
    print(f"\n{SOLVED} solved notebooks of each exercise, {os.cpu_count()} at a time")
    print(f"{'notebook':40}{'a minute':>10}{'processor s each':>18}{'points':>8}{'of':>5}")
    figures = {}
    for path in sorted(SOURCE.glob("[0-9]*.ipynb")):
        runs = {}
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for count in (2, SOLVED):
                (folder / f"{count}").mkdir()
                for name in islice(classroom.names(), count):
                    shutil.copy(path, folder / f"{count}" / f"{name}_{path.name}")
                runs[count] = graded(folder / f"{count}", folder / f"{count} grades")
            points = _points(folder / f"{SOLVED} grades").values()
        few, many = runs.values()
        of = sum(record.task.points for record in bank.load_all(bank.FOLDER / path.stem).values())
        each = (many["processor"] - few["processor"]) / (SOLVED - 2)
        a_minute = 60 * (SOLVED - 2) / (many["seconds"] - few["seconds"])
        earned = "–".join(dict.fromkeys(map(str, (min(points), max(points)))))
        print(f"{path.stem:40}{a_minute:10.1f}{each:18.2f}{earned:>8}{of:5}")
        figures[path.stem] = {"a_minute": round(a_minute, 1), "processor_seconds": round(each, 2)}
    return figures


def beside() -> dict:
    """Grade the same honest class by this version and, in turns, by that in the folder BESIDE."""
    if not (before := os.environ.get("BESIDE")):
        print("beside: not asked for (BESIDE names a folder with another version of the course)")
        return {}
    runs: dict[str, list[dict]] = {"before": [], "now": []}
    trees = {"before": Path(before).absolute(), "now": ROOT}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        classroom.write(folder / "class", COMPARED)
        for turn in range(TURNS):
            for name, tree in trees.items():
                runs[name].append(graded(folder / "class", folder / f"{name} {turn}", tree))
        tables = [(folder / f"{name} 0/grades.csv").read_bytes() for name in trees]
        points = [_points(folder / f"{name} 0") for name in trees]
    print(f"\n{COMPARED} honest notebooks of exercise 01, graded {TURNS} times by each version")
    ratios = {}
    for what in ("graded", "seconds", "processor"):
        least = {name: min(run[what] for run in runs[name]) for name in trees}
        ratios[what] = round(least["before"] / least["now"], 2)
        print(
            f"{what:10} before {least['before']:7.1f} s, now {least['now']:7.1f} s: "
            f"throughput {ratios[what]:.2f} of before"
        )
    same = {"same_bytes": tables[0] == tables[1], "same_points": points[0] == points[1]}
    print(f"grades.csv the same bytes: {same['same_bytes']}; points: {same['same_points']}")
    return ratios | same


def marking() -> dict:
    """Mark answers in words by keys, in a browser; time from each key to the next answer."""
    from tests.browser.lab import find_chromium, running_browser

    if find_chromium() is None:
        print("marking: no Chromium on this machine")
        return {}
    clock = """() => {
        let pressed; window.times = [];
        addEventListener("keydown", () => { pressed = performance.now(); }, true);
        new MutationObserver(() => times.push(performance.now() - pressed)).observe(
            document.querySelector("#answer"), { childList: true });
    }"""
    with tempfile.TemporaryDirectory() as folder, running_browser() as browser:
        store, keys = Store(Path(folder)), 0
        store.start(seed=1, source="class", safe=True, class_file="")
        for number, name in enumerate(islice(classroom.names(), ANSWERS)):
            store.save(result(name, words={"dark_column": f"An answer, number {number}."}))
        server = Server(Marking(Path(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(server.address)
        page.get_by_text(f"{ANSWERS} left").wait_for()
        page.evaluate(clock)
        for number in range(1, ANSWERS + 1):
            remark = ["r", *REMARK, "Enter"] if number % 10 == 0 else []
            for key in [*remark, str(number % 4)]:
                page.keyboard.press(key)
            keys += len(remark) + 1
            page.get_by_text(f"{number} of {ANSWERS} answers marked").wait_for()
        times = sorted(page.evaluate("times"))
        server.shutdown()
        rows = (Path(folder) / "marks.csv").read_text(encoding="utf-8").count(REMARK)
    figures = {
        "answers": ANSWERS,
        "remarks": rows,
        "keys": keys,
        "keys_in_the_table": 2 * ANSWERS
        + (len(REMARK) + 3) * rows,  # 2, Enter; →, remark, Enter, ←
        "milliseconds_each": round(statistics.median(times)),
        "milliseconds_at_most": round(times[-1]),
        "seconds_in_all": round(sum(times) / 1000, 1),
    }
    print(f"\n{ANSWERS} answers in words, marked by key; reading them is not counted")
    for name, figure in figures.items():
        print(f"{name.replace('_', ' '):32}{figure:>10,}")
    return figures


def graded(folder: Path, out: Path, tree: Path = ROOT) -> dict[str, Any]:
    """Grade a class by the command line of the course in `tree`, and watch.

    Returns:
        Seconds to the first result ("prepared"), from there to the last ("graded"), from there to
        the end ("reported"), in all ("seconds"), and of all processors ("processor"); and the
        largest memory of parent and server so far, in MB, at some counts of results ("memory").
    """
    before, start = _processor_time(), time.time()
    output = out.with_suffix(".output")
    with output.open("w") as file:
        grader = subprocess.Popen(
            [sys.executable, "-m", "grading", folder, "--out", out, "--seed", "1"],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    results, memory, most = out / "private/1/results", {}, [0, 0]
    while grader.poll() is None:
        server = _child(_child(grader.pid))  # behind bubblewrap
        most = [*map(max, most, (_largest(grader.pid), _largest(server)))]
        count = len(list(results.glob("*.json")))
        memory |= {at: most for at in COUNTS if count >= at and at not in memory}
        time.sleep(0.1)
    end = time.time()
    if grader.returncode:
        sys.exit(output.read_text())
    times = sorted(path.stat().st_mtime for path in results.glob("*.json"))
    return {
        "prepared": times[0] - start,
        "graded": times[-1] - times[0],
        "reported": end - times[-1],
        "seconds": end - start,
        "processor": _processor_time() - before,
        "memory": memory,
    }


def _processor_time() -> float:
    """Return the processor seconds of all children of this process that have ended."""
    import resource  # not on Windows, where tests import this module

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _child(process: int | None) -> int | None:
    """Return the oldest child of a process, if there is one."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def _largest(process: int | None) -> int:
    """Return the most memory that a process has held, in MB; 0 if there is no such process."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM")), 0)


def _points(out: Path) -> dict[str, int]:
    """Return file → points."""
    results = map(json.loads, (path.read_text() for path in out.glob("private/1/results/*.json")))
    return {
        result["file"]: sum(task["points"] for task in result["tasks"].values())
        for result in results
    }


if __name__ == "__main__":
    measures = {measure.__name__: measure for measure in (honest, solved, hostile, beside, marking)}
    names = sys.argv[1:] or list(measures)
    if unknown := set(names) - set(measures):
        sys.exit(f"No such measurement: {', '.join(unknown)}. There are {', '.join(measures)}.")
    for name in names:
        print(json.dumps({name: measures[name]()}))
