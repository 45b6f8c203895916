"""Show that a cell is at work, once it takes longer than a reader waits without a sign.

It concerns Jupyter alone, where somebody watches. What a program runs, such as the tests, stays as
it is, since its outputs are stored and compared.
"""

import os
import sys
import threading
import time
from collections.abc import Iterable
from contextvars import copy_context

SILENCE = 5  # seconds without a sign
LONG = 30  # seconds, from which on one may want to know how to stop it


def is_watched() -> bool:
    """Decide whether Jupyter runs this process for a person."""
    return "JPY_SESSION_NAME" in os.environ and "ipykernel" in sys.modules


def watch() -> None:
    """From now on, count the seconds below each cell that takes long, and compute in one thread.

    On a machine that is busy, two threads wait for each other: cells that train small models then
    take several times as long as with one. On an idle one they gain little.
    """
    if not is_watched():
        return
    import torch
    from IPython import get_ipython

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(1)
    counter = Counter()
    get_ipython().events.register("pre_run_cell", counter.begin)
    get_ipython().events.register("post_run_cell", counter.end)


class Counter:
    """Counts the seconds of the cell that runs."""

    def __init__(self):
        self._over = threading.Event()

    def begin(self, _info: object) -> None:
        self._over = threading.Event()
        # The context says to which cell an output belongs.
        count = copy_context().run
        threading.Thread(target=count, args=[self._count, self._over], daemon=True).start()

    def end(self, _result: object) -> None:
        self._over.set()

    def _count(self, over: threading.Event) -> None:
        from IPython.display import display

        begun = time.monotonic()
        if over.wait(SILENCE):
            return
        line = display(AtWork(SILENCE), display_id=True)
        while not over.wait(1):
            line.update(AtWork(time.monotonic() - begun))
        line.update(AtWork(time.monotonic() - begun, is_over=True))


class AtWork:
    """A line that says how long a cell has been at work, or took."""

    def __init__(self, seconds: float, is_over: bool = False):
        stop = " The button ■ above stops it." if seconds > LONG else ""
        self._text = f"This cell is at work, for {seconds:.0f} seconds so far.{stop}"
        if is_over:
            self._text = f"This cell took {seconds:.0f} seconds."

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f'<div class="at-work"><small>{self._text}</small></div>'


def bar(steps: Iterable) -> Iterable:
    """Return the steps of a loop, with a progress bar as text, if Jupyter shows it to a person."""
    from tqdm import tqdm

    return tqdm(steps, leave=False, disable=not is_watched())
