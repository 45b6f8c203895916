"""Show which task each learner is at, and which misconceptions spread: `python -m grading watch`.

One live page shows the progress that `check` stores beside each learner's exercises, in
`progress.json`. Slides show how many have guessed what, from `guesses.json` beside it. The files
are read and never written, and a learner can put anything in their place: so no link is followed,
no pipe is waited for, little is read, and a file that makes no sense spoils only its own row.

Page and slides are served to this machine alone; the slides, which everybody sees, have a token of
their own.
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
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from grading.intake.step_by_step import opened
from grading.intake.submissions import CannotGrade
from grading.report.anonymous import pseudonym
from grading.report.guesses import count
from grading.report.local_server import LocalServer, secret_path
from grading.report.pages import templates
from grading.text import clean
from utils.checks import bank
from utils.checks.progress_file import TaskProgress, parse_progress
from utils.checks.tasks import Misconception, Task

PROGRESS = ("exercises", "progress.json")
GUESSES = "guesses.json"  # beside the progress
LARGEST = 2**18  # bytes of the file: with all tasks done and many misconceptions, it has 20,000
MOST_LEARNERS = 500  # rows that a browser still keeps up with
MOST_SEEN = 2_000  # files and folders of a learner that are searched
DEEPEST = 10  # folders in one another that are searched: each is opened step by step
MOST_COURSES = 10  # copies of the course that are read for a learner
SEARCH = 30.0  # seconds between two searches for learners' copies of the course
LONG = 600.0  # seconds without a change that stand out: perhaps somebody is stuck
LATELY = 600.0  # seconds in which a belief that many meet is worth a word to the whole room
FRESH = 1.0  # seconds for which all requests get the same page
SCRIPT = (Path(__file__).parents[1] / "templates" / "room.js").read_text(encoding="utf-8")


class Progress(NamedTuple):
    """The content of a learner's `progress.json`."""

    changed: float = 0.0  # last change, in seconds since 1970; 0 if no file can be read
    # task → progress on it, in the order in which the tasks were begun
    tried: Mapping[str, TaskProgress] = {}
    problem: str = ""  # why the file cannot be read, if so


def _read(path: Sequence[str], folder: int) -> tuple[float, dict[str, Any], str]:
    """Read a JSON file of a learner, by its path from an open folder.

    Returns:
        The time of its last change, its content, and why it cannot be read, if so. A file that is
        not there has no content.
    """
    try:
        with opened(path, folder) as file:
            state = os.fstat(file)
            if not stat.S_ISREG(state.st_mode):
                return 0.0, {}, "it is not an ordinary file"
            with open(file, "rb", closefd=False) as stream:
                content = stream.read(LARGEST + 1)
    except FileNotFoundError:
        return 0.0, {}, ""
    except OSError as error:
        return 0.0, {}, (error.strerror or "no reason given").lower()
    if len(content) > LARGEST:
        return 0.0, {}, f"it is larger than {LARGEST >> 10} KB"
    try:
        entries = json.loads(content)
    except (ValueError, RecursionError):
        return 0.0, {}, "it is not JSON"
    if not isinstance(entries, dict):
        return 0.0, {}, "it is not what the course writes"
    return state.st_mtime, entries, ""


def _search(learner: str, folder: int) -> list[tuple[str, ...]]:
    """Return the paths of a learner's `exercises` folders from an open folder, nearest first."""
    signs = {PROGRESS[1], GUESSES, *(f"{notebook}.ipynb" for notebook in bank.tasks())}
    paths, waiting, left = {}, deque([(learner,)]), MOST_SEEN
    while waiting and left and len(paths) < MOST_COURSES:
        path = waiting.popleft()
        with contextlib.suppress(OSError), opened(path, folder) as here, os.scandir(here) as all_:
            for entry in islice(all_, left):
                left -= 1
                if path[-1] == PROGRESS[0] and entry.name in signs:
                    paths[path] = None
                elif len(path) < DEEPEST and _is_folder(entry):
                    waiting.append((*path, entry.name))
    return [*paths]


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
    lately: int  # how many have shown it first, in some task, in the last `LATELY` seconds
    ago: float  # seconds since it last appeared in another learner or task
    tasks: Sequence[Task]  # in which it was shown


class Room:
    """The work in progress in a folder that holds a folder for each learner.

    Args:
        folder: FOLDER of the files FOLDER/NAME/…/exercises/progress.json that are read, and of
            guesses.json beside them.
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
        self._lock, self._made = threading.Lock(), {}  # what was made → when, and the text
        self._searching = threading.Lock()

    def page(self) -> str:
        """Render the room as it is now."""
        return self._fresh(lambda: self._render(self._look(), time.time()), "page")

    def guesses(self) -> str:
        """Return, as JSON, how many learners have guessed what; it says nothing of who they are."""
        return self._fresh(lambda: json.dumps(count(self._guesses())), "guesses")

    def _guesses(self) -> list[dict[str, Any]]:
        return [entries for _, entries, _ in self._newest(GUESSES).values()]

    def _fresh(self, make: Callable[[], str], what: str) -> str:
        """Make a text from the files as they are; within `FRESH` seconds, return the same again.

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
            made, text = self._made.get(what, (-FRESH, ""))
            if time.monotonic() - made >= FRESH:
                text = make()
                self._made[what] = time.monotonic(), text
            return text

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
        return {
            learner: Progress(
                changed, {task: parse_progress(entry) for task, entry in entries.items()}, problem
            )
            for learner, (changed, entries, problem) in self._newest(PROGRESS[1]).items()
        }

    def _newest(self, name: str) -> dict[str, tuple[float, dict[str, Any], str]]:
        """Return learner → what `_read` says of a file, in the copy that was changed last."""
        root = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return {
                learner: max(
                    (_read((*place, name), root) for place in places),
                    key=lambda read: (read[0], read[2]),  # what cannot be read was changed at 0
                    default=(0.0, {}, ""),
                )
                for learner, places in self._places.items()
            }
        finally:
            os.close(root)

    def _render(self, room: Mapping[str, Progress], now: float) -> str:
        rows = [self._row(name, progress, now) for name, progress in room.items()]
        # Hidden names are all "", so labels decide: an order of names would tell whose they are.
        rows.sort(key=lambda row: (row.name.casefold(), row.label))
        going_round = self._going_round(room, now)
        return templates.get_template("room.html").render(
            safe=True,
            script=Markup(SCRIPT),
            pattern=str(self._folder.joinpath("NAME", "…", *PROGRESS)),
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
            going_round=going_round,
            most=max(
                (row for row in going_round if row.lately and row.still),
                key=lambda row: (row.lately, row.still),
                default=None,
            ),
            lately=int(LATELY) // 60,
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
        learners, still, lately = defaultdict(set), defaultdict(set), defaultdict(set)
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
                    if now - since < LATELY:
                        lately[slug].add(name)
        rows = [
            GoingRound(
                self._misconceptions[slug],
                len(learners[slug]),
                len(still[slug]),
                len(lately[slug]),
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


class Server(LocalServer):
    """A server of the room's page and of slides that show its guesses.

    Args:
        room: room that is shown.
        port: port of the server; 0 for any free port.
        slides: folder of the slides, if there are any.

    Attributes:
        address: address of the page.
        slides_address: address of the slides. It is another secret, as a projector may show it.
    """

    def __init__(self, room: Room, port: int = 0, slides: Path | None = None):
        super().__init__(port)
        page, deck = secret_path(), secret_path()
        self.address, self.slides_address = self.here + page, f"{self.here}{deck}index.html"
        self.contents[page] = lambda: room.page().encode()
        if slides:
            self.contents[f"{deck}guesses.json"] = lambda: room.guesses().encode()
            for file in filter(Path.is_file, slides.rglob("*")):
                self.contents[deck + file.relative_to(slides).as_posix()] = partial(_in_room, file)


def _in_room(file: Path) -> bytes:
    """Read a file of the slides; a page is told of the room by its `data-room`."""
    content = file.read_bytes()
    in_room = content.replace(b"<html ", b'<html data-room="guesses.json" ', 1)
    return in_room if file.suffix == ".html" else content
