"""Measure how long checks of wrong answers take: `python -m solutions.speed [TASK] [--load 8]`.

A measurement runs from reading the record to writing the HTML. Every known mistake is measured
twice: as it is, and as if it were unknown, because the check then looks for a relation. Processor
time of one thread is counted, in milliseconds, so that other work on the machine matters little;
with `--load`, the clock, beside so many processes that never rest.
"""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from solutions.build import chosen, only_argument
from solutions.selftest import verdict
from utils.checks import bank
from utils.checks.feedback import explain


def times(only: str, now: Callable[[], float]) -> Iterator[tuple[bool, float, str]]:
    """Yield (whether the mistake is known to the check, milliseconds, mistake) for each check."""
    for _, exercise in chosen(only):
        _time(exercise.task.id, exercise.mistakes[0].gives, True, now)  # loads code for later calls
        for mistake in exercise.mistakes:
            for known in (True, False):
                milliseconds = _time(exercise.task.id, mistake.gives, known, now)
                yield known, milliseconds, f"{exercise.task.id}, {mistake.name}"


def _time(task: str, answer: Any, known: bool, now: Callable[[], float]) -> float:
    start = now()
    record = bank.load(task)
    if not known:
        record = replace(record, task=replace(record.task, mistakes=[]))
    explain(verdict(record, answer))._repr_html_()
    return 1000 * (now() - start)


@contextlib.contextmanager
def load(processes: int) -> Iterator[None]:
    """Run processes that never rest."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()


def main(only: str, processes: int) -> None:
    """Print the times of known and of unknown mistakes, the slowest checks, and all as JSON."""
    torch.set_num_threads(1)
    now = time.perf_counter if processes else time.thread_time
    with load(processes):
        rows, summary = sorted(times(only, now), key=lambda row: row[1]), {}
    for known, words in ((True, "known"), (False, "unknown")):
        of_these = [milliseconds for is_known, milliseconds, _ in rows if is_known == known]
        median, high, worst = np.percentile(of_these, [50, 95, 100])
        print(f"{words:8} median {median:4.0f}   95 % below {high:4.0f}   worst {worst:4.0f}")
        summary[words] = {"median": median, "95 %": high, "worst": worst, "checks": len(of_these)}
    for _, milliseconds, mistake in rows[-5:]:
        print(f"{milliseconds:6.0f}  {mistake}")
    print(json.dumps(summary))


if __name__ == "__main__":
    parser = only_argument("Time checks of wrong answers.")
    parser.add_argument("--load", type=int, default=0, metavar="PROCESSES")
    options = parser.parse_args()
    main(options.only, options.load)
