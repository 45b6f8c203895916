"""Show which task each learner is at, and which misconceptions spread: `python -m grading watch`.

One live page shows the progress that `check` stores beside each learner's exercises, in
`progress.json`. The file is read and never written, and a learner can put anything in its place: so
no link is followed, no pipe is waited for, little is read, and a file that makes no sense spoils
only its own row.

The page is served to this machine alone. Other people may have accounts on it (on a hub, all
learners do), so its address contains a token that only the instructor's terminal shows.
"""

import contextlib
import json
import math
import os
import secrets
import stat
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate, islice
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from grading.intake.submissions import CannotGrade, clean
from grading.report.anonymous import pseudonym
from grading.report.pages import templates
from utils.checks import bank
from utils.checks.memory import TaskProgress, parse_progress
from utils.checks.tasks import Misconception, Task

PROGRESS = ("exercises", "progress.json")
LARGEST = 2**18  # bytes of the file: with all tasks done and many misconceptions, it has 20,000
MOST_LEARNERS = 500  # rows that a browser still keeps up with
MOST_SEEN = 2_000  # files and folders of a learner that are searched
DEEPEST = 10  # folders in one another that are searched: each is opened step by step
MOST_COURSES = 10  # copies of the course that are read for a learner
SEARCH = 30.0  # seconds between two searches for learners' copies of the course
LONG = 600.0  # seconds without a change that stand out: perhaps somebody is stuck
FRESH = 1.0  # seconds for which all requests get the same page
PATIENCE = 10.0  # seconds to wait for a browser's request
SCRIPT = (Path(__file__).parents[1] / "templates" / "room.js").read_text(encoding="utf-8")


class Progress(NamedTuple):
    """The content of a learner's `progress.json`."""

    changed: float = 0.0  # last change, in seconds since 1970; 0 if no file can be read
    # task → progress on it, in the order in which the tasks were begun
    tried: Mapping[str, TaskProgress] = {}
    problem: str = ""  # why the file cannot be read, if so


def _read(path: Sequence[str], folder: int) -> Progress:
    """Read a learner's `progress.json`, by its path from an open folder."""
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
    """Open a file or folder, by its path from an open folder, step by step.

    No step follows a link, even one that has just replaced a folder, or waits for a pipe's writer.
    """
    with contextlib.ExitStack() as stack:
        for step in path:
            folder = os.open(step, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            stack.callback(os.close, folder)
        yield folder


def _search(learner: str, folder: int) -> list[tuple[str, ...]]:
    """Return the paths of a learner's `progress.json` files from an open folder, nearest first."""
    paths, waiting, left = [], deque([(learner,)]), MOST_SEEN
    while waiting and left and len(paths) < MOST_COURSES:
        path = waiting.popleft()
        with contextlib.suppress(OSError), opened(path, folder) as here, os.scandir(here) as all_:
            for entry in islice(all_, left):
                left -= 1
                if (path[-1], entry.name) == PROGRESS:
                    paths.append((*path, entry.name))
                elif len(path) < DEEPEST and _is_folder(entry):
                    waiting.append((*path, entry.name))
    return paths


def _is_folder(entry: os.DirEntry) -> bool:
    return not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)


# --- What is shown --------------------------------------------------------------------------------


class Cell(NamedTuple):
    """The state of one task of a learner."""

    state: str = ""  # "done", "part", "tried", or "" for a task to do
    symbol: str = ""
    words: str = ""


class Row(NamedTuple):
    """The row of one learner on the page."""

    name: str  # name of the learner's folder; "" if names are hidden
    label: str  # pseudonym, to show in place of the name
    cells: Sequence[Cell]  # one for each task, in the order of the course
    at: Task | None  # the task begun last
    points: int  # earned so far
    quiet: float  # seconds since the last change
    problem: str  # why there is nothing to show, if so


class GoingRound(NamedTuple):
    """A misconception that learners in the room have shown."""

    misconception: Misconception
    learners: int  # how many have shown it
    still: int  # how many have shown it in a task that they have not done
    ago: float  # seconds since it last appeared in another learner or task
    tasks: Sequence[Task]  # in which it was shown


class Room:
    """The work in progress in a folder that holds a folder for each learner.

    Args:
        folder: FOLDER of the files FOLDER/NAME/…/exercises/progress.json that are read.
        hidden: whether to leave names out altogether.

    Raises:
        CannotGrade: there is no such folder.
    """

    def __init__(self, folder: Path, hidden: bool = False):
        if not folder.is_dir():
            raise CannotGrade(
                f"{folder} is not a folder. It should hold a folder for each learner."
            )
        self._folder, self._hidden, self._key = folder, hidden, secrets.token_bytes()
        self._notebooks, self._misconceptions = bank.tasks(), bank.misconceptions()
        self._tasks = {task.id: task for tasks in self._notebooks.values() for task in tasks}
        # learner, task, slug of a misconception → time when it was first shown
        self._shown: dict[tuple[str, str, str], float] = {}
        self._places: dict[str, list[tuple[str, ...]]] = {}
        self._more, self._searched = 0, -math.inf
        self._lock, self._page, self._made = threading.Lock(), "", -FRESH
        self._searching = threading.Lock()

    def page(self) -> str:
        """Render the room as it is now; within `FRESH` seconds, return the same page again.

        A search takes long where there is much to search, so all requests but the one that begins
        it go on with what the search before has found.
        """
        if self._searching.acquire(blocking=self._searched < 0):
            try:
                if time.monotonic() - self._searched >= SEARCH:
                    self._search_all()
            finally:
                self._searching.release()
        with self._lock:
            if time.monotonic() - self._made >= FRESH:
                self._page = self._render(self._look(), time.time())
                self._made = time.monotonic()
            return self._page

    def _search_all(self) -> None:
        """Search the folders of all learners for their copies of the course."""
        root = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with os.scandir(root) as entries:
                names = sorted(entry.name for entry in entries if _is_folder(entry))
            places = {name: _search(name, root) for name in names[:MOST_LEARNERS]}
        finally:
            os.close(root)
        self._more, self._places = len(names[MOST_LEARNERS:]), places
        self._searched = time.monotonic()

    def _look(self) -> dict[str, Progress]:
        """Return learner → progress, in the copy of the course that was changed last."""
        root = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return {
                learner: max(
                    (_read(place, root) for place in places),
                    key=lambda progress: progress.changed,  # 0 if the file cannot be read
                    default=Progress(),
                )
                for learner, places in self._places.items()
            }
        finally:
            os.close(root)

    def _render(self, room: Mapping[str, Progress], now: float) -> str:
        rows = [self._row(name, progress, now) for name, progress in room.items()]
        # Hidden names are all "", so labels decide: an order of names would tell whose they are.
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
        known, points = self._misconceptions, tried.points_of(task)
        beliefs = [known[slug].belief for slug in tried.misconceptions if slug in known]
        words = "; ".join([f"{points} of {task.points} points", *beliefs])
        return Cell("part" if points else "tried", str(points or "✗"), f"{task.title}: {words}")

    def _going_round(self, room: Mapping[str, Progress], now: float) -> list[GoingRound]:
        """Return the room's misconceptions, the newest first, those that all have overcome last.

        The file does not say when a misconception was shown. The time of the file's change is exact
        if the misconception was not there before; at the first reading, it is the latest possible
        time.
        """
        learners, still = defaultdict(set), defaultdict(set)
        where, latest = defaultdict(set), Counter()
        for name, progress in room.items():
            for task, tried in progress.tried.items():
                shown = {*tried.misconceptions} & self._misconceptions.keys()
                for slug in shown if task in self._tasks else ():
                    learners[slug].add(name)
                    where[slug].add(task)
                    if not tried.done(self._tasks[task]):
                        still[slug].add(name)
                    change = min(progress.changed, now)
                    since = self._shown.setdefault((name, task, slug), change)
                    latest[slug] = max(latest[slug], since)
        rows = [
            GoingRound(
                self._misconceptions[slug],
                len(learners[slug]),
                len(still[slug]),
                now - latest[slug],
                [task for task in self._tasks.values() if task.id in tasks],
            )
            for slug, tasks in where.items()
        ]
        return sorted(rows, key=lambda row: (not row.still, row.ago, row.misconception.slug))


def _ago(seconds: float) -> str:
    """Format a duration coarsely, in minutes, hours or days."""
    minutes = int(seconds) // 60
    if minutes >= 48 * 60:
        return f"{minutes // (24 * 60)} days"
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02} min"
    return f"{minutes} min" if minutes else "under 1 min"


templates.filters["ago"] = _ago


# --- The server -----------------------------------------------------------------------------------


def serve(room: Room, port: int = 0) -> tuple[ThreadingHTTPServer, str]:
    """Create a server for the page, for this machine alone; return the server and its address.

    Args:
        room: room that the page shows.
        port: port of the server; 0 for any free port.
    """
    path = f"/{secrets.token_urlsafe()}/"
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, room, path))
    return server, f"http://127.0.0.1:{server.server_port}{path}"


class _Handler(BaseHTTPRequestHandler):
    timeout = PATIENCE

    def __init__(self, room: Room, path: str, *connection):
        self._room, self._path = room, path
        super().__init__(*connection)  # which answers the request

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
        # The page itself says what it may load, but only a header can say this.
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_) -> None:
        """Log nothing: the address is a secret, and a line every few seconds is of no use."""
