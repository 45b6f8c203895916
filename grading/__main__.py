"""The command line: `python -m grading CLASS.toml`, or `python -m grading FOLDER --out DIR`.

Modules that take seconds to import are imported where they are used, so that `--help` is fast.
"""

import argparse
import contextlib
import os
import shlex
import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from grading.intake.submissions import CannotGrade
from grading.run.launcher import NoSandbox
from grading.start import about_python
from grading.text import say

GONE = {  # former words of the command line → what replaces them
    "merge": "several machines grade a class as a Dask cluster: --scheduler tcp://…",
    "--shard": "several machines grade a class as a Dask cluster: --scheduler tcp://…",
    "--column": "name it in a class file, which `python -m grading new FOLDER` writes",
    "--late": "name a deadline in a class file, which `python -m grading new FOLDER` writes",
    "--only": "--again grades one learner anew, --resume what has no result yet",
    "catalogue": "enter the mistake by hand, from names.toml and overview.html into solutions/",
}


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    if unfit := about_python():
        say(unfit, sys.stderr)
        return 2
    words = sys.argv[1:] if arguments is None else arguments
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    for word in words[:1] + options:
        if word in GONE:
            say(f"There is no `{word}` any more: {GONE[word]}.", sys.stderr)
            return 2
    parser, commands = _parser()
    if words[:1] not in [[name] for name in (*commands, "-h", "--help")]:
        words = ["grade", *words]
    options = parser.parse_args(words)
    warnings.simplefilter("ignore", SyntaxWarning)  # in learners' code
    try:
        return options.run(options)
    except (CannotGrade, NoSandbox) as problem:
        say(problem, sys.stderr)
        return 2
    except OSError as problem:
        from grading.report.store import disk_is_full

        full = "The disk is full. What is graded is kept: make room, and go on with --resume."
        say(full if disk_is_full(problem) else _about_disk(problem), sys.stderr)
        return 2
    except Exception as problem:
        bank = sys.modules.get("utils.checks.bank")  # takes seconds to import
        if bank is None or not isinstance(problem, bank.DamagedFile):
            raise
        say(problem, sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("\nStopped. What is graded is kept: go on with --resume.", sys.stderr)
        return 130


def _about_disk(problem: OSError) -> str:
    """Return what could not be read or written, and that nothing is lost by it."""
    place = f"{problem.filename}: " if problem.filename else ""
    return (
        f"{place}{(problem.strerror or str(problem)).lower()}. What is graded is kept: mend that, "
        "and give the same command again."
    )


def _parser() -> tuple[ArgumentParser, list[str]]:
    """Return the argument parser, and the names of the commands."""
    parser = ArgumentParser(
        prog="python -m grading",
        description="Grades a class. Without the name of a command, it is `grade`: "
        "`python -m grading CLASS.toml`, or `python -m grading FOLDER --out DIR`.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(run: Callable[[Namespace], int]) -> Callable[..., argparse.Action]:
        """Add a command, named and described by its function; return its method `add_argument`."""
        help = run.__doc__.splitlines()[0].rstrip(".")
        added = commands.add_parser(run.__name__, help=help, description=run.__doc__)
        added.set_defaults(run=run)
        return added.add_argument

    add = command(grade)
    handed_in = (
        "a class file, which names the rest; or a folder of notebooks or folders, one per learner; "
        "or the zip file of a platform, such as Canvas"
    )
    add("submissions", type=Path, help=handed_in)
    add("--resume", action="store_true", help="go on in a folder that holds grades")
    seeds = partial(_whole_number, 0, 2**64 - 1)  # torch takes no larger one
    add("--seed", type=seeds, help="of the fresh inputs (default: drawn, kept with the grades)")
    workers = partial(_whole_number, 1, 1000)
    add("--workers", type=workers, help="at a time (default: processors; with --scheduler, 64)")
    add("--scheduler", default="", metavar="ADDRESS", help="of a Dask cluster to run on: tcp://…")
    add("--again", default="", metavar="NAME", help="mark this learner anew, by name or number")
    unsafe = "without a sandbox: submissions can read and change whatever you can"
    add("--unsafe", action="store_true", help=unsafe)
    out = {"type": Path, "metavar": "DIR", "help": "the folder of the grades"}
    add("--out", **out)
    command(regrade)
    command(show)("name", help="the learner's name or number")
    command(anonymous)("copy", type=Path, help="a new folder for the copy")
    for name, afterwards in commands.choices.items():
        if name not in ("grade", "mark"):
            either = {**out, "help": "the folder of the grades, or the class file that names it"}
            afterwards.add_argument("--out", **either, required=True)
    add = command(mark)
    add("grades", type=Path, metavar="CLASS", help="a class file, or the folder of the grades")
    ports = partial(_whole_number, 0, 65535)
    port = {"type": ports, "default": 0, "help": "of the page (default: any that is free)"}
    add("--port", **port)
    only = "a class file; `handed_in` and deadlines in it say nothing here"
    command(gradescope)("class_file", type=Path, metavar="CLASS", help=only)
    command(new)("submissions", type=Path, help="what was handed in: a folder, or a zip file")
    add = command(watch)
    add("folder", type=Path, help="where each learner has the course: FOLDER/NAME/…/exercises")
    add("--hide-names", action="store_true", help="show made-up labels instead")
    slides = "also serve these slides, with the room's guesses: build/slides"
    add("--slides", type=Path, metavar="DIR", help=slides)
    add("--port", **port)
    command(doctor)
    return parser, [*commands.choices]


def _whole_number(least: int, most: int, text: str) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
    return int(text)


def _grades(path: Path) -> Path:
    """Return the folder of the grades, which a class file names."""
    if path.suffix != ".toml":
        return path
    from grading.intake import class_file
    from grading.report.store import Store

    grades = class_file.read(path).grades
    Store(grades).follow(path)
    return grades


# --- Commands: their docstrings are their help; they return the exit status -----------------------


def grade(options: Namespace) -> int:
    """Grade the files that were handed in.

    Writes grades.csv, tasks.csv, files.csv, marks.csv, overview.html and a page for each learner;
    if the files came from Canvas or Moodle, also feedback.zip, which takes the pages back there.
    """
    from grading import grader
    from grading.intake import class_file
    from grading.report import tables

    source, out, file = options.submissions, options.out, None
    if source.suffix == ".toml":
        if out:
            raise CannotGrade(f"Where the grades go stands in {source}: leave --out away.")
        file = source
        rules = class_file.read(file)
        source, out = rules.handed_in, rules.grades
    elif not out:
        raise CannotGrade("Where do the grades go? Name a folder with --out, or give a class file.")
    how = grader.Options(
        seed=options.seed,
        workers=options.workers,
        resume=options.resume or bool(file),
        safe=not options.unsafe,
        again=options.again,
        scheduler=options.scheduler,
        class_file=file,
    )
    class_ = grader.grade(source, out, how)
    results = [result for learner in class_ for result in learner.files]
    lost = sum(bool(result.problem) for result in results)
    say(f"{len(results) - lost} files graded, {lost} not (files.csv says why).")
    if tests := sum(len(learner.tests) for learner in class_):
        say(f"{tests} tests before and after the course, for no points (understanding.csv).")
    say(f"Grades: {out / 'grades.csv'}    Overview: {out / 'overview.html'}")
    if pending := tables.about_pending(class_):
        say(pending)
    return 0


def new(options: Namespace) -> int:
    """Write a class file, with comments, for what was handed in: FOLDER.toml, here."""
    from grading.intake import class_file
    from grading.intake.limited_reader import Reader
    from grading.report import store

    path = Path(class_file.name_for(options.submissions))
    if path.exists():
        raise CannotGrade(f"{path} is there already. Move it away, or change it by hand.")
    with Reader() as reader:
        text = class_file.new(options.submissions, reader.read)
    store.write(path, text)
    if "\nnotebooks = []\n" in text:
        say(f"No notebook of the course is among the files: name those that count in {path}.")
    say(f"{path}: look through it, then grade with: make grade CLASS={shlex.quote(str(path))}")
    return 0


def regrade(options: Namespace) -> int:
    """Grade again what a corrected exercise changes, and list the scores that move, and why."""
    from grading import grader
    from grading.names import Names
    from grading.report.store import Store

    out = _grades(options.out)
    table = out / "grades.csv"
    before = table.read_bytes() if table.exists() else b""
    moves = grader.regrade(out)
    summary = f"{len(moves)} scores moved." if moves else "No score moved."
    if not moves and table.read_bytes() != before:
        summary = f"No task's score moved. What the class file or marks.csv changes is in {table}."
    named = Names(out).counts(Store(out).all())
    for line in [*moves, summary, *named]:
        say(line)
    return 0


def show(options: Namespace) -> int:
    """Show the files, points and flags of one learner."""
    from grading import grader

    try:
        for line in grader.show(_grades(options.out), options.name):
            say(line)
    except BrokenPipeError:  # `| head` has read enough: let Python throw away the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def anonymous(options: Namespace) -> int:
    """Copy tables and pages without names, and without anything that learners wrote.

    A pseudonym replaces each name and number.
    """
    from grading.report.anonymous import write_copy

    count = write_copy(_grades(options.out), options.copy)
    say(f"{count} learners, under pseudonyms: {options.copy / 'overview.html'}")
    return 0


def watch(options: Namespace) -> int:
    """Show, live, which task each learner is at, and which misconceptions spread.

    The command serves a page for the browser and, on request, slides that count the room's guesses.
    Learners' files are read, and never written.
    """
    from grading.report.room import Room, Server

    if options.slides and not (options.slides / "index.html").is_file():
        raise CannotGrade(f"{options.slides} holds no slides: `make slides` makes them.")
    room = Room(options.folder, options.hide_names)
    server = Server(room, options.port, options.slides)
    say(f"The room: {server.address}    (Ctrl-C ends it)")
    if options.slides:
        say(f"The slides: {server.slides_address}")
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


def mark(options: Namespace) -> int:
    """Mark answers in words on a page, without names; each mark stands in marks.csv at once."""
    from grading.report.marking import Marking, Server

    server = Server(Marking(_grades(options.grades)), options.port)
    say(f"To mark: {server.address}    (Ctrl-C ends it; then grade again)")
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


def gradescope(options: Namespace) -> int:
    """Write an autograder for Gradescope, which grades as a class file says: CLASS-gradescope.zip.

    It grades a learner's notebooks with this grader whenever they are handed in.
    """
    from grading import gradescope

    file = Path(f"{options.class_file.stem}-gradescope.zip")
    gradescope.export(options.class_file, file)
    size = f"{file.stat().st_size / 2**20:.0f} MB"
    say(f"{file}: {size}, for Gradescope alone: it holds the solutions. Give it 2 CPUs, 3 GB.")
    return 0


def doctor(options: Namespace) -> int:
    """Test whether the sandbox works here, and say what is missing if it does not.

    Tries the sandbox layer by layer. The exit status is 0 if everything that is needed works.
    """
    from grading.run.doctor import findings

    works = True
    for finding in findings():
        say(finding)
        works = works and finding.state != "missing"
    say("The sandbox works here." if works else "The sandbox does not work here.")
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
