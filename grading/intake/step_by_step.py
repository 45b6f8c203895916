"""Open what lies in the homes of learners, who may replace a folder by a link at any moment."""

import contextlib
import os
from collections.abc import Iterator, Sequence


@contextlib.contextmanager
def opened(path: Sequence[str], folder: int) -> Iterator[int]:
    """Open a file or folder, by its path from an open folder, step by step.

    No step follows a link, even one that has just replaced a folder, or waits for a pipe's writer.
    """
    with contextlib.ExitStack() as stack:
        for step in path:
            folder = os.open(step, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            stack.callback(os.close, folder)
        yield folder
