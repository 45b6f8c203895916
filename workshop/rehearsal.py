"""A plan walked through against the clock: `python -m workshop.rehearsal half-day`.

Two things are measured: the seconds of the cells, in kernels that run what the room runs, and how
long the words of the sections take when espeak-ng speaks them at a teacher's pace. Nobody reads
everything aloud, but whoever leads a room says about as much in words of their own. What takes
people cannot be measured without any, and is assumed: a time for each prediction, a reader's pace
for code that a slide shows and for things to move, and for a task the minutes that it states.
"""

import html
import itertools
import re
import shutil
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from solutions import build, facts
from workshop import plan, slides

PACE = 140  # words a minute
ASKED = 1.5  # minutes for a prediction: to think, to raise hands, to hear why
SYMBOLS, FORMULA = '<break time="1s"/>', '<break time="6s"/>'  # pauses, in a line and on its own
OVER = 1  # minutes that nobody in the room minds
ROW = "{:>5} {:>8} {:>10} {:>7} {:>7} {:>7} {:>7} {:>7}  {}"
LEGEND = f"""Measured: the cells, and what is said (the sections' words, at {PACE} a minute).
Assumed: {ASKED} minutes for each prediction, a reader's pace for code on slides and for things to
move, and for a task what it states."""


class Took(NamedTuple):
    """Minutes of a step: two parts that are measured, and three that are assumed."""

    said: float = 0
    cells: float = 0
    asked: float = 0
    looked: float = 0
    given: float = 0  # for a task, or a pause


class Room:
    """The kernels of a day, one for each notebook; those of exercises keep their progress apart."""

    def __init__(self, stack: ExitStack):
        self._stack = stack
        self._scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.clients: dict[Path, NotebookClient] = {}

    def run(self, path: Path, cells: Iterable[NotebookNode]) -> float:
        """Run cells of a notebook; how many minutes that took, the first time with its kernel.

        Raises:
            ValueError: a cell has failed.
        """
        start = time.perf_counter()
        if path not in self.clients:
            self.clients[path] = self._opened(path)
        client = self.clients[path]
        for cell in cells:
            if cell.cell_type == "code":
                client.nb.cells.append(new_code_cell(cell.source))
                try:
                    client.execute_cell(client.nb.cells[-1], len(client.nb.cells) - 1)
                except CellExecutionError as error:
                    raise ValueError(f"{path.name}: {error.ename}: {error.evalue}") from None
        return (time.perf_counter() - start) / 60

    def _opened(self, path: Path) -> NotebookClient:
        where = path.parent if path.parent == plan.COURSE else self._scratch
        client = NotebookClient(
            new_notebook(),
            timeout=None,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": where}},
        )
        self._stack.enter_context(client.setup_kernel())
        return client


def walk(step: plan.Step, room: Room) -> Took:
    """Do what a step asks for, in a room without people.

    Raises:
        ValueError: a cell has failed, which the plan should have seen to.
    """
    if step.task:
        return Took(cells=room.run(step.file, _task_cells(step)), given=step.own)
    if not step.heading:
        return Took(given=step.minutes)
    sections = plan.stored_sections(step.file)
    above = plan.headings_above(step) if step.above else []
    cells = [cell for heading in [*above, step.heading] for cell in sections[heading]]
    return Took(
        said=speech(_prose(sections[step.heading])),
        cells=room.run(step.file, cells),
        asked=ASKED * len(step.asked),
        looked=_looked(step),
    )


def _task_cells(step: plan.Step) -> Iterator[NotebookNode]:
    """What somebody runs who does this task alone, and at once right."""
    notebook = build.learner_notebook(build.SOURCE / step.file.name, build.solved)
    yield from itertools.takewhile(lambda one: not facts.HEADING.search(one.source), notebook.cells)
    for cells in plan.sections_of(notebook).values():
        if any(one.source.startswith(f'check("{step.task}")') for one in cells):
            yield from cells


def _looked(step: plan.Step) -> float:
    """Minutes for the code that the step's slides show, and for what can be moved."""
    code = [one.code.splitlines() for one in slides.stack("", step, []) if not one.folded]
    lines = sum(bool(line.strip()) for line in itertools.chain(*code))
    cells = plan.stored_sections(step.file)[step.heading]
    asking = [one for one in cells if one.cell_type == "code" and "predict(" not in one.source]
    return lines / facts.LINES_A_MINUTE + sum(map(facts.moves, asking))


def _prose(cells: Iterable[NotebookNode]) -> str:
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def speech(text: str) -> float:
    """How many minutes Markdown takes to be said; formulas are pauses, and code is not said."""
    text = re.sub(r"```.*?```|</?[a-z]+>", "", plan.LINK.sub(r"\1", text), flags=re.DOTALL)
    text = re.sub(r"\$\$.+?\$\$", FORMULA, html.escape(text), flags=re.DOTALL)
    text = re.sub(r"[*_`#|]", " ", re.sub(r"\$.+?\$", SYMBOLS, text))
    with tempfile.TemporaryDirectory() as folder:
        spoken = Path(folder, "spoken.wav")
        command = ["espeak-ng", "-v", "en", "-s", str(PACE), "-m", "--stdin", "-w", str(spoken)]
        subprocess.run(command, input=text.encode(), check=True)
        with wave.open(str(spoken)) as sound:
            return sound.getnframes() / sound.getframerate() / 60


def rehearse(file: Path) -> None:
    """Walk through a plan, and print what each step took beside what is planned."""
    for number, steps in enumerate(plan.read(file).days, start=1):
        print(f"{file.stem}, day {number}, in minutes. {LEGEND}")
        print(ROW.format("from", "planned", "rehearsed", *Took._fields, ""))
        with ExitStack() as stack:
            room = Room(stack)
            took = [told(start, step, walk(step, room)) for start, step, _ in plan.told(steps)]
        _row("", sum(step.minutes for step in steps), Took(*map(sum, zip(*took, strict=True))), "")


def told(start: str, step: plan.Step, took: Took) -> Took:
    title = plan.LINK.sub(r"\1", step.title)
    over = sum(took) - step.minutes
    _row(start, step.minutes, took, f"{title}{f', OVER BY {over:.1f}' if over > OVER else ''}")
    return took


def _row(start: str, planned: int, took: Took, title: str) -> None:
    minutes = (f"{one:.1f}" for one in (sum(took), *took))
    print(ROW.format(start, planned, *minutes, title), flush=True)


def main(names: list[str]) -> None:
    plans = {file.stem: file for file in plan.PLANS}
    if unknown := [name for name in names if name not in plans]:
        sys.exit(f"There is no plan {unknown[0]!r}. There are {', '.join(plans)}.")
    if shutil.which("espeak-ng") is None:
        sys.exit("To rehearse, the words have to be spoken: apt install espeak-ng")
    try:
        for name in names or plans:
            rehearse(plans[name])
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
