"""Refuse a Python that was started in a way in which nothing can be graded."""

import sys


def about_python() -> str:
    """Return what is wrong with how Python was started, and the cure; "" if nothing is."""
    if sys.flags.optimize:
        return (
            "Python was started with -O or PYTHONOPTIMIZE, which takes every `assert` out, those "
            "in learners' tests, too. Without it: env -u PYTHONOPTIMIZE python -m grading …"
        )
    if sys.getfilesystemencoding().replace("-", "").lower() != "utf8":
        return (
            f"Python takes the names of files here for {sys.getfilesystemencoding()}, in which "
            "most people's names cannot be written. Set the locale: LC_ALL=C.UTF-8 python -m "
            "grading …"
        )
    return ""
