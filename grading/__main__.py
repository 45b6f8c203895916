"""The command line: `python -m grading FOLDER --out DIR`; other commands with `--out DIR`."""

import argparse
import contextlib
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grading.intake.submissions import CannotGrade
from grading.run.launcher import NoSandbox

if TYPE_CHECKING:
    from grading.run.scoring import Result

SEEDS = 2**64  # torch takes no larger one


def main(arguments: list[str] | None = None) -> int:
    """Run a command; the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    parser, commands = _parser()
    first = words[0] if words else ""
    short = first not in (*commands, "-h", "--help")
    options = parser.parse_args(["grade", *words] if short else words)
    warnings.simplefilter("ignore", SyntaxWarning)  # of what learners wrote
    try:
        return options.run(options)
    except (CannotGrade, NoSandbox) as problem:
        print(problem, file=sys.stderr)
        return 2
    except OSError as problem:
        from grading.report.store import disk_is_full

        full = "The disk is full. What is graded is kept: make room, and go on with --resume."
        print(full if disk_is_full(problem) else problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped. What is graded is kept: go on with --resume.", file=sys.stderr)
        return 130


def _parser() -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser, and the names of the commands."""
    parser = argparse.ArgumentParser(
        prog="python -m grading",
        description="Grades a class. Without the name of a command, it is `grade`: "
        "`python -m grading FOLDER --out DIR`.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    grade = commands.add_parser(
        "grade",
        help="grade what was handed in; `grade --help` lists the options",
        description="Grade a class. Writes grades.csv, tasks.csv, files.csv, marks.csv, "
        "overview.html and a page for each learner; and, if the files came from Canvas or Moodle, "
        "feedback.zip, which takes the pages back there.",
    )
    grade.set_defaults(run=_grade)
    grade.add_argument(
        "submissions",
        type=Path,
        help="a folder of notebooks, one per learner; or a folder with a folder for each learner; "
        "or the zip file that Canvas or Moodle gives",
    )
    grade.add_argument(
        "--out", type=Path, metavar="DIR", required=True, help="the folder for the grades"
    )
    grade.add_argument("--resume", action="store_true", help="go on in a folder that holds grades")
    grade.add_argument(
        "--seed",
        type=_seed,
        help="of the fresh inputs (default: drawn at random, and kept with the grades)",
    )
    grade.add_argument(
        "--workers",
        type=_workers,
        help="submissions at a time (default: processors; with --scheduler, 64)",
    )
    grade.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="of a Dask cluster whose nodes run the submissions: tcp://…",
    )
    grade.add_argument("--only", default="", metavar="TEXT", help="files with TEXT in their path")
    grade.add_argument(
        "--again",
        default="",
        metavar="NAME",
        help="mark this learner anew, and nobody else; a name or a number",
    )
    grade.add_argument(
        "--late",
        type=_lateness,
        metavar="RULE",
        help="which of a learner's files counts: the `best` (default), the `last`, or the last "
        "that is not late, `on-time`; or 20%%: what a late one loses (kept with the grades)",
    )
    grade.add_argument(
        "--column",
        help="what Canvas calls the assignment, in grades.csv (default: Grade; kept with the "
        "grades)",
    )
    grade.add_argument(
        "--unsafe",
        action="store_true",
        help="without a sandbox: submissions can read and change whatever you can",
    )

    regrade = commands.add_parser(
        "regrade",
        help="mark again what a corrected exercise changes",
        description="After an exercise was corrected: mark again the tasks that have changed, and "
        "list whose points moved, and why.",
    )
    regrade.set_defaults(run=_regrade)

    show = commands.add_parser(
        "show", help="what is known of one learner", description="Show what is known of a learner."
    )
    show.set_defaults(run=_show)
    show.add_argument("name", help="the learner's name or number")
    for command in (regrade, show):
        command.add_argument(
            "--out", type=Path, metavar="DIR", required=True, help="the folder of the grades"
        )
    _add_commands_on_grades(commands)
    _add_commands_before_grades(commands)
    return parser, [*commands.choices]


def _add_commands_on_grades(commands: argparse._SubParsersAction) -> None:
    """The commands that use what is graded, and change no score."""
    anonymous = commands.add_parser(
        "anonymous",
        help="copy tables and pages without names",
        description="Copy tables and pages with a pseudonym in place of each name and number, and "
        "without paths and addresses.",
    )
    anonymous.set_defaults(run=_anonymous)
    anonymous.add_argument("copy", type=Path, help="a new folder for the copy")
    catalogue = commands.add_parser(
        "catalogue",
        help="write a mistake that a class has named into solutions/",
        description="Write a mistake that has a name in names.toml into the file of its exercise "
        "in solutions/, with the shortest code of those who made it.",
    )
    catalogue.set_defaults(run=_catalogue)
    catalogue.add_argument("entry", help="its number in names.toml, entropy.1 for example")
    for command in (anonymous, catalogue):
        command.add_argument(
            "--out", type=Path, metavar="DIR", required=True, help="the folder of the grades"
        )


def _add_commands_before_grades(commands: argparse._SubParsersAction) -> None:
    """The commands that need no grades."""
    watch = commands.add_parser(
        "watch",
        help="show who is where in a room, live",
        description="Show on one page, live, who is where, and which misconception goes round. "
        "Learners' files are read, and never written.",
    )
    watch.set_defaults(run=_watch)
    watch.add_argument(
        "folder",
        type=Path,
        help="with a folder for each learner that holds the course: FOLDER/NAME/…/exercises",
    )
    watch.add_argument("--hide-names", action="store_true", help="show made-up labels instead")
    watch.add_argument(
        "--port", type=_port, default=0, help="of the page's address (default: any that is free)"
    )
    doctor = commands.add_parser(
        "doctor",
        help="say whether the sandbox works here, and if not, what is missing",
        description="Try the sandbox of this machine layer by layer, and say of each whether it "
        "works, or what would mend it. The exit status is 0 if all that is needed works.",
    )
    doctor.set_defaults(run=_doctor)


def _port(text: str) -> int:
    return _whole_number(text, 0, 65535)


def _seed(text: str) -> int:
    return _whole_number(text, 0, SEEDS - 1)


def _workers(text: str) -> int:
    return _whole_number(text, 1, 1000)


def _lateness(text: str) -> str:
    from grading.report.tables import Lateness

    try:
        Lateness.of(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return text


def _whole_number(text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
    return int(text)


def _grade(options: argparse.Namespace) -> int:
    from grading.grader import grade  # takes seconds, which --help does not need

    results = grade(
        options.submissions,
        options.out,
        options.seed,
        options.workers,
        options.only,
        options.resume,
        safe=not options.unsafe,
        again=options.again,
        late=options.late,
        column=options.column,
        scheduler=options.scheduler,
    )
    _told(results, options.out)
    return 0


def _told(results: "Sequence[Result]", out: Path) -> None:
    """Say where the grades are."""
    lost = sum(bool(result.problem) for result in results)
    print(f"{len(results) - lost} files graded, {lost} not (files.csv says why).")
    print(f"Grades: {out / 'grades.csv'}    Overview: {out / 'overview.html'}")


def _regrade(options: argparse.Namespace) -> int:
    from grading.grader import regrade
    from grading.report.store import Store
    from grading.report.unrecognised import Names

    moves = regrade(options.out)
    for move in moves:
        print(move)
    print(f"{len(moves)} scores moved." if moves else "No score moved.")
    for line in Names(options.out).told(Store(options.out).all()):
        print(line)
    return 0


def _anonymous(options: argparse.Namespace) -> int:
    from grading.report.anonymous import write_copy

    count = write_copy(options.out, options.copy)
    print(f"{count} learners, under pseudonyms: {options.copy / 'overview.html'}")
    return 0


def _catalogue(options: argparse.Namespace) -> int:
    from grading.report.catalogue import enter

    path = enter(options.out, options.entry)
    task = path.stem
    print(f"Entered in {path}. The code in it is a learner's: read it before you run")
    print(f"make exercises ONLY={task} && make selftest ONLY={task}")
    return 0


def _show(options: argparse.Namespace) -> int:
    from grading.grader import show

    for line in show(options.out, options.name):
        print(line)
    return 0


def _watch(options: argparse.Namespace) -> int:
    from grading.report.room import Room, serve

    server, address = serve(Room(options.folder, options.hide_names), options.port)
    print(f"The room: {address}    (Ctrl-C ends it)", flush=True)
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from grading.run.doctor import findings

    works = True
    for finding in findings():
        print(finding, flush=True)
        works = works and finding.state != "missing"
    print("The sandbox works here." if works else "The sandbox does not work here.")
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
