"""Who is where in a room, and which misconception goes round: `python -m grading watch FOLDER`.

One page, live, of what `check` keeps beside each learner's exercises, in `progress.json`. It is
read and never written, and a learner can put anything in its place: so nothing is followed out of
the folder, no pipe is waited for, little is read, and a file that makes no sense costs its own
row and no other.

The page is served to this machine alone. Other people may have accounts on it, on a hub all
learners do, so its address holds a token that only the instructor's terminal shows.
"""

import contextlib
import json
import os
import secrets
import stat
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate, islice
from pathlib import Path

from markupsafe import Markup

from grading.intake.submissions import CannotGrade, clean
from grading.report.anonymous import pseudonym
from grading.report.pages import templates
from utils.checks import bank
from utils.checks.memory import TaskProgress, parse_progress
from utils.checks.tasks import Misconception, Task

PROGRESS = ("exercises", "progress.json")
LARGEST = 2**18  # bytes: with all tasks done and many misconceptions shown, it has 20,000
MOST_LEARNERS = 500  # rows that a browser still keeps up with
MOST_SEEN = 2_000  # of one learner's files and folders
MOST_COURSES = 10  # copies of the course that a learner has
SEARCH = 30.0  # seconds until it is looked again where learners have the course
LONG = 600.0  # seconds without a change that stand out: perhaps somebody is stuck
FRESH = 1.0  # seconds for which a page is not made anew, however many ask
PATIENCE = 10.0  # seconds for a browser to say what it wants
SCRIPT = (Path(__file__).parents[1] / "templates").joinpath("room.js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Progress:
    """What a learner's file says.

    Args:
        changed: when, in seconds since 1970; 0 where there is none, or it cannot be read.
        tried: task → what is remembered of it, in the order in which they were begun.
        problem: why it cannot be read, if so.
    """

    changed: float = 0.0
    tried: Mapping[str, TaskProgress] = field(default_factory=dict)
    problem: str = ""


def _read(path: Sequence[str], folder: int) -> Progress:
    """A learner's file, by its path from an open folder."""
    try:
        with opened(path, folder) as file:
            state = os.fstat(file)
            if not stat.S_ISREG(state.st_mode):
                return Progress(problem="it is not an ordinary file")
            with open(file, "rb", closefd=False) as stream:
                content = stream.read(LARGEST + 1)
    except OSError as error:
        return Progress(problem=(error.strerror or "no reason given").lower())
    if len(content) > LARGEST:
        return Progress(problem=f"it is larger than {LARGEST >> 10} KB")
    try:
        entries = json.loads(content)
    except (ValueError, RecursionError):
        return Progress(problem="it is not JSON")
    if not isinstance(entries, dict):
        return Progress(problem="it is not what the course writes")
    return Progress(
        state.st_mtime, {task: parse_progress(entry) for task, entry in entries.items()}
    )


@contextlib.contextmanager
def opened(path: Sequence[str], folder: int) -> Iterator[int]:
    """A file or folder, by its path from an open one, opened step by step.

    No step follows a link, also not one that has just taken the place of a folder; and a pipe
    opens at once.
    """
    with contextlib.ExitStack() as stack:
        for step in path:
            folder = os.open(step, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            stack.callback(os.close, folder)
        yield folder


def _search(learner: str, folder: int) -> list[tuple[str, ...]]:
    """Where a learner has progress: paths from the open folder of all. Nearest first."""
    found, waiting, left = [], deque([(learner,)]), MOST_SEEN
    while waiting and left and len(found) < MOST_COURSES:
        path = waiting.popleft()
        with contextlib.suppress(OSError), opened(path, folder) as here, os.scandir(here) as all_:
            for entry in islice(all_, left):
                left -= 1
                if (path[-1], entry.name) == PROGRESS:
                    found.append((*path, entry.name))
                elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    waiting.append((*path, entry.name))
    return found


# --- What is shown --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """A task of a learner: "done", "part", "tried", or "" for one to do; its sign, and words."""

    state: str = ""
    sign: str = ""
    words: str = ""


@dataclass(frozen=True)
class Row:
    """A learner.

    Args:
        name: of the learner's folder, or "" where names are hidden.
        label: what stands in place of the name.
        cells: of all tasks, in the order of the course.
        at: the task begun last.
        points: earned so far.
        quiet: seconds since something changed.
        problem: why there is nothing to show, if so.
    """

    name: str
    label: str
    cells: Sequence[Cell]
    at: Task | None
    points: int
    quiet: float
    problem: str


@dataclass(frozen=True)
class GoingRound:
    """A misconception that learners have shown.

    Args:
        kind: which.
        learners: how many have shown it.
        still: those of them who have shown it in a task that is not done.
        ago: seconds since it was seen in another learner, or in another task.
        tasks: where.
    """

    kind: Misconception
    learners: int
    still: int
    ago: float
    tasks: Sequence[Task]


class Room:
    """What goes on in a folder with a folder for each learner.

    Args:
        folder: FOLDER/NAME/…/exercises/progress.json is what it reads.
        hidden: leave names out altogether.

    Raises:
        CannotGrade: there is no such folder.
    """

    def __init__(self, folder: Path, hidden: bool = False):
        if not folder.is_dir():
            raise CannotGrade(
                f"{folder} is not a folder. It should hold a folder for each learner."
            )
        self._folder, self._hidden, self._key = folder, hidden, secrets.token_bytes()
        self._notebooks, self._kinds = bank.tasks(), bank.misconceptions()
        self._tasks = {task.id: task for tasks in self._notebooks.values() for task in tasks}
        self._shown: dict[tuple[str, str, str], float] = {}  # learner, task, kind → since when
        self._places: dict[str, list[tuple[str, ...]]] = {}
        self._more, self._searched = 0, -SEARCH
        self._lock, self._page, self._made = threading.Lock(), "", -FRESH

    def page(self) -> str:
        """The room as it is now; asked again at once, the same."""
        with self._lock:
            if time.monotonic() - self._made >= FRESH:
                self._page = self._render(self._look(), time.time())
                self._made = time.monotonic()
            return self._page

    def _look(self) -> dict[str, Progress]:
        """Learner → progress; of several copies of the course, the one that changed last counts."""
        root = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if time.monotonic() - self._searched >= SEARCH:
                self._find_learners(root)
                self._searched = time.monotonic()
            return {
                learner: max(
                    (_read(place, root) for place in places),
                    key=lambda one: one.changed,  # 0 where it cannot be read
                    default=Progress(),
                )
                for learner, places in self._places.items()
            }
        finally:
            os.close(root)

    def _find_learners(self, root: int) -> None:
        with os.scandir(root) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            )
        self._more = len(names[MOST_LEARNERS:])
        self._places = {name: _search(name, root) for name in names[:MOST_LEARNERS]}

    def _render(self, room: Mapping[str, Progress], now: float) -> str:
        rows = [self._row(name, progress, now) for name, progress in room.items()]
        # In the order of the names, a label would give away whose it is.
        rows.sort(key=lambda row: (row.name.casefold(), row.label))
        return templates.get_template("room.html").render(
            safe=True,
            script=Markup(SCRIPT),
            pattern=clean(str(self._folder.joinpath("NAME", "…", *PROGRESS))),
            hidden=self._hidden,
            notebooks=self._notebooks,
            here={
                notebook: sum(row.at in tasks for row in rows)
                for notebook, tasks in self._notebooks.items()
            },
            numbers={
                task.id: f"{notebook[:2]}.{number}"
                for notebook, tasks in self._notebooks.items()
                for number, task in enumerate(tasks, start=1)
            },
            firsts=[*accumulate(map(len, self._notebooks.values()), initial=0)],
            long=LONG,
            rows=rows,
            more=self._more,
            going_round=self._going_round(room, now),
            time=time.strftime("%H:%M:%S", time.localtime(now)),
        )

    def _row(self, name: str, progress: Progress, now: float) -> Row:
        begun = [self._tasks[task] for task in progress.tried if task in self._tasks]
        return Row(
            name="" if self._hidden else clean(name),
            label=pseudonym(name, self._key),
            cells=[self._cell(task, progress.tried.get(task.id)) for task in self._tasks.values()],
            at=begun[-1] if begun else None,
            points=sum(progress.tried[task.id].points_of(task) for task in begun),
            quiet=max(now - progress.changed, 0.0),
            problem=progress.problem and f"cannot be read: {progress.problem}",
        )

    def _cell(self, task: Task, tried: TaskProgress | None) -> Cell:
        if tried is None:
            return Cell()
        if tried.done(task):
            return Cell("done", "✓", f"{task.title}: done")
        beliefs = [self._kinds[slug].belief for slug in tried.misconceptions if slug in self._kinds]
        words = "; ".join([f"{tried.points_of(task)} of {task.points} points", *beliefs])
        points = tried.points_of(task)
        return Cell("part" if points else "tried", str(points or "✗"), f"{task.title}: {words}")

    def _going_round(self, room: Mapping[str, Progress], now: float) -> list[GoingRound]:
        """The misconceptions of the room, the newest first; last those that all are past.

        The file does not say when one was shown: but it was when the file changed, if it was not
        in there before, and at the latest when it had last changed as it was first read.
        """
        learners, still, latest = Counter(), Counter(), Counter()
        where: dict[str, set[str]] = {}
        for name, progress in room.items():
            own = [
                (task, kind)
                for task, tried in progress.tried.items()
                if task in self._tasks
                for kind in {*tried.misconceptions} & self._kinds.keys()
            ]
            learners.update({kind for _, kind in own})
            still.update({k for task, k in own if not progress.tried[task].done(self._tasks[task])})
            for task, kind in own:
                since = self._shown.setdefault((name, task, kind), min(progress.changed, now))
                latest[kind] = max(latest[kind], since)
                where.setdefault(kind, set()).add(task)
        found = [
            GoingRound(
                self._kinds[kind],
                learners[kind],
                still[kind],
                now - latest[kind],
                [task for task in self._tasks.values() if task.id in tasks],
            )
            for kind, tasks in where.items()
        ]
        return sorted(found, key=lambda one: (not one.still, one.ago, one.kind.slug))


def _ago(seconds: float) -> str:
    """A time in words, as coarse as a look across the room."""
    minutes = int(seconds) // 60
    if minutes >= 48 * 60:
        return f"{minutes // (24 * 60)} days"
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02} min"
    return f"{minutes} min" if minutes else "under 1 min"


templates.filters["ago"] = _ago


# --- The server -----------------------------------------------------------------------------------


def serve(room: Room, port: int = 0) -> tuple[ThreadingHTTPServer, str]:
    """A server of the page, for this machine alone, and its address.

    Args:
        room: what it shows.
        port: 0 for any that is free.
    """
    path = f"/{secrets.token_urlsafe()}/"
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, room, path))
    return server, f"http://127.0.0.1:{server.server_port}{path}"


class _Handler(BaseHTTPRequestHandler):
    timeout = PATIENCE

    def __init__(self, room: Room, path: str, *connection):
        self._room, self._path = room, path
        super().__init__(*connection)  # which answers

    def do_GET(self) -> None:
        if not secrets.compare_digest(self.path.encode(), self._path.encode()):
            self.send_error(404)
            return
        content = self._room.page().encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        # What a page may load, it says itself; this it cannot say.
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_) -> None:
        """Nothing: the address is a secret, and a line every few seconds is of no use."""
