"""Compare the time of two implementations, and measure the peak memory of one."""

import itertools
import os
import statistics
import time
from collections.abc import Callable

from torch.profiler import ProfilerActivity, profile

Work = Callable[[], None]

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler logs to stderr at every start


def seconds_side_by_side(
    first: Work, second: Work, budget: float = 6
) -> tuple[float, float, float]:
    """Time two functions in turn, at least three times each, until `budget` seconds have passed.

    Returns:
        The median seconds of the first, the median seconds of the second, and the median of the
        ratios first / second of successive runs, which hardly changes if the machine slows down
        meanwhile.
    """
    for work in (first, second):  # warm-up
        work()
    pairs = []
    start = time.perf_counter()
    while len(pairs) < 3 or time.perf_counter() - start < budget:
        pairs.append((_seconds(first), _seconds(second)))
    firsts, seconds = zip(*pairs, strict=True)
    ratio = statistics.median(first / second for first, second in pairs)
    return statistics.median(firsts), statistics.median(seconds), ratio


def _seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_megabytes(work: Work) -> float:
    """Run a function, and return the most MiB that torch has allocated at once while it ran.

    What was allocated before does not count.
    """
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        work()
    events = profiler.profiler.kineto_results.events()
    events = [event for event in events if event.name() == "[memory]"]
    events.sort(key=lambda event: event.start_ns())
    held = itertools.accumulate(event.nbytes() for event in events)  # frees count as negative
    return max(held) / 2**20
