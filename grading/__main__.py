"""The command line: `python -m grading FOLDER --out DIR`."""

import argparse
import sys
import warnings
from pathlib import Path

from grading.sandbox import NoSandbox
from grading.submissions import CannotGrade


def main(arguments: list[str] | None = None) -> int:
    """Grade, or mark again; the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    warnings.simplefilter("ignore", SyntaxWarning)  # of what learners wrote
    try:
        if words[:1] == ["regrade"]:
            return _regrade(words[1:])
        return _grade(words)
    except (CannotGrade, NoSandbox, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped. What is graded is kept: go on with --resume.", file=sys.stderr)
        return 130


def _grade(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m grading",
        description="Grade a class. Writes grades.csv, files.csv, marks.csv, overview.html and a "
        "page for each learner. `python -m grading regrade --out DIR` marks again what a "
        "corrected exercise changes.",
    )
    parser.add_argument(
        "submissions",
        type=Path,
        help="notebooks, one a learner; or a folder of notebooks for each learner; or the zip file "
        "that Canvas or Moodle gives",
    )
    parser.add_argument("--out", type=Path, required=True, help="the folder for the grades")
    parser.add_argument("--resume", action="store_true", help="go on where it was stopped")
    parser.add_argument(
        "--seed",
        type=int,
        help="of the fresh inputs; drawn where left out, and kept with the grades",
    )
    parser.add_argument(
        "--workers", type=_number, help="submissions at a time (default: processors)"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="files with TEXT in their path")
    parser.add_argument(
        "--unsafe",
        action="store_true",
        help="without a sandbox: submissions can read and change whatever you can",
    )
    options = parser.parse_args(words)
    from grading.grader import grade  # it takes seconds, which --help does not need

    results = grade(
        options.submissions,
        options.out,
        options.seed,
        options.workers,
        options.only,
        options.resume,
        safe=not options.unsafe,
    )
    lost = sum(bool(one.problem) for one in results)
    print(f"{len(results) - lost} files graded, {lost} not (files.csv says why).")
    print(f"Grades: {options.out / 'grades.csv'}    Overview: {options.out / 'overview.html'}")
    return 0


def _number(text: str) -> int:
    """A number of workers."""
    if int(text) < 1:
        raise ValueError
    return int(text)


def _regrade(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m grading regrade",
        description="After an exercise was corrected: mark again the tasks that have changed, and "
        "list whose points moved, and why.",
    )
    parser.add_argument("--out", type=Path, required=True, help="the folder of the grades")
    out = parser.parse_args(words).out
    from grading.grader import regrade

    moves = regrade(out)
    for move in moves:
        print(move)
    print(f"{len(moves)} scores moved." if moves else "No score moved.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
