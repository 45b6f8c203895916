"""Find the cells that keep a learner waiting: `python -m tests.slow_cells [notebooks …]`.

It runs each notebook with one thread, and prints the cells in which the kernel spent most processor
time. On an idle machine, that is the time that a learner waits, and on a busy one it is nearly the
same. The exit status is 1 if a cell or a whole notebook takes longer than its limit.
"""

import os
import sys
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
MOST_OF_A_CELL = 20  # seconds
MOST_OF_A_NOTEBOOK = 60
THOSE_THAT_TRAIN = ("06", "07", "08", "09")
MOST_OF_THOSE_THAT_TRAIN = 120
SHOWN = 5


def processor_seconds(process: psutil.Process) -> float:
    """Return the processor seconds that a process and its ended children have used so far."""
    return sum(process.cpu_times()[:4])  # user, system, and both of the children


def seconds_of_cells(path: Path) -> dict[int, float]:
    """Run a notebook; return a dict from the index of each code cell to its processor seconds."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, resources={"metadata": {"path": path.parent}}, timeout=None)
    started, seconds = {}, {}

    def kernel_seconds():
        return processor_seconds(psutil.Process(client.km.provisioner.pid))

    client.on_cell_execute = lambda cell, cell_index: started.update({cell_index: kernel_seconds()})
    client.on_cell_executed = lambda cell, cell_index, execute_reply: seconds.update(
        {cell_index: kernel_seconds() - started[cell_index]}
    )
    client.execute()
    return {place: seconds[place] for place in started if notebook.cells[place].cell_type == "code"}


def first_line(path: Path, place: int) -> str:
    return nbformat.read(path, as_version=4).cells[place].source.split("\n")[0]


def report(path: Path) -> bool:
    """Run a notebook, and print its slowest cells.

    Returns:
        Whether all cells, and the notebook as a whole, are within their limits.
    """
    seconds = seconds_of_cells(path)
    trains = path.name.startswith(THOSE_THAT_TRAIN)
    allowed = MOST_OF_THOSE_THAT_TRAIN if trains else MOST_OF_A_NOTEBOOK
    total = sum(seconds.values())
    print(f"\n{path}: {total:.1f} s, of {allowed}{' TOO SLOW' if total > allowed else ''}")
    for place in sorted(seconds, key=seconds.get, reverse=True)[:SHOWN]:
        slow = " TOO SLOW" if seconds[place] > MOST_OF_A_CELL else ""
        print(f"  cell {place:3}: {seconds[place]:5.1f} s{slow}  {first_line(path, place)}")
    return total <= allowed and max(seconds.values()) <= MOST_OF_A_CELL


def main(paths: list[str]) -> None:
    os.environ["OMP_NUM_THREADS"] = "1"  # kernels inherit it
    sys.stdout.reconfigure(line_buffering=True)
    notebooks = [Path(path) for path in paths] or [
        *sorted((ROOT / "notebooks").glob("*.ipynb")),
        *sorted((ROOT / "solutions").glob("*.ipynb")),
    ]
    within = [report(path) for path in notebooks]
    sys.exit(not all(within))


if __name__ == "__main__":
    main(sys.argv[1:])
