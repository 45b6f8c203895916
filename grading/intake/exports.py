"""Say whose each file is in what a platform has exported: by its names, and by its own files.

Blackboard's `.txt` files tell names, Gradescope's metadata whose a submission is, nbgrader's
`timestamp.txt` when one was handed in. They are read as text, a few lines of each, and count as
nobody's file.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from grading.intake import platforms
from grading.intake.platforms import Owner

MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[ T](?P<clock>\d\d:\d\d:\d\d(?:\.\d{1,6})?)\d*\s*(?P<zone>[\w/+:-]*)"
)
FIRST_LINE = re.compile(r"[^:\n]+:\s*(?P<name>[^\n]+?) \((?P<account>[^()\n]+)\)\s*(?:\n|$)")
FIELD = re.compile(r"  (?P<new>- |  ):(?P<key>name|sid|email): *(?P<value>.*)")

Path = Sequence[str]


class Export:
    """The files of a class, as its platform has exported them.

    Args:
        paths: their paths, from the one part on that may name a learner.
        read: function that returns the text of the file with this number; "" if it has none.
    """

    def __init__(self, paths: Sequence[Path], read: Callable[[int], str]):
        self.platform = platforms.platform_of(paths)
        self._begin = platforms.repositories(paths) if self.platform == "github" else ""
        # beginning of a path → what the platform's own files say of whoever handed in what is there
        self._told: dict[str, list[Owner]] = {}
        self.is_own = [platforms.is_own(self.platform, path) for path in paths]
        teller = TELLERS.get(self.platform)
        for number, path in enumerate(paths):
            if teller and self.is_own[number]:
                self._told |= teller("/".join(path), read(number))
        self._numbers = self._numbers_needed(paths)

    @property
    def is_told(self) -> bool:
        """Whether files of the platform say whose the others are, as far as that is needed."""
        return bool(self._told) or self.platform != "gradescope"

    def owners(self, path: Path) -> list[Owner]:
        """Return who handed in a file: several if it is a group's, none if the names do not say."""
        if self.platform == "nbgrader":
            told = self._told.get("/".join(path[:2]), [])
            return [Owner(path[0], path[0], time=told[0].time if told else None)]
        if self._begin and path[0].startswith(self._begin):
            account = path[0].removeprefix(self._begin)
            return [Owner(account, account)]
        known = platforms.owner(self.platform, path[0])
        if known is None:
            return []
        if self.platform == "brightspace":
            return [known._replace(id=self._numbers.get((known.name, known.id), ""))]
        if self.platform != "blackboard":
            return self._told.get(path[0]) or [known]
        told = next(iter(self._told.get(known.start, ())), None)
        if told and f"_{told.id}_attempt_" in known.start:
            return [told._replace(time=known.time)]
        return [known._replace(id=known.name)]

    def _numbers_needed(self, paths: Sequence[Path]) -> dict[tuple[str, str], str]:
        """Return name and numbers of a Brightspace folder → the number, where names are shared.

        Of the two numbers, one is the learner's, the other one the same for the whole assignment.
        Elsewhere the number is left away, as it is on no roster and in no table.
        """
        if self.platform != "brightspace":
            return {}
        named = (platforms.owner(self.platform, path[0]) for path in paths)
        pairs = {(known.name, *known.id.split("-")) for known in named if known}
        place = 1 if len({pair[1] for pair in pairs}) > 1 else 2
        numbers: dict[str, set[str]] = {}
        for pair in pairs:
            numbers.setdefault(pair[0], set()).add(pair[place])
        return {
            (name, f"{first}-{second}"): (first, second)[place - 1]
            for name, first, second in pairs
            if len(numbers[name]) > 1
        }


# --- What the platforms' own files say ------------------------------------------------------------


def _blackboard(path: str, text: str) -> dict[str, list[Owner]]:
    """Read `Name: Ada Lovelace (u0001)`, in whatever language, in the first line."""
    if match := FIRST_LINE.match(text):
        return {path.removesuffix(".txt"): [Owner(match["name"].strip(), match["account"])]}
    return {}


def _nbgrader(path: str, text: str) -> dict[str, list[Owner]]:
    folder, _, name = path.rpartition("/")
    return {folder: [Owner("", "", time=moment(text))]} if name == "timestamp.txt" else {}


def _gradescope(path: str, text: str) -> dict[str, list[Owner]]:
    """Read names, numbers and times in Gradescope's YAML, for which these few lines are enough.

    Whatever a program has printed stands deeper in it, and is passed over.
    """
    told: dict[str, list[dict[str, str]]] = {}
    times: dict[str, float | None] = {}
    folder, inside = "", False
    for line in text.splitlines():
        if match := re.fullmatch(r"(submission_\w+):\s*", line):
            folder, inside = match[1], False
            told[folder] = []
        elif match := re.fullmatch(r"  :(\w+):(.*)", line):
            inside = match[1] == "submitters"
            if match[1] == "created_at":
                times[folder] = moment(_plain(match[2]))
        elif inside and folder and (match := FIELD.fullmatch(line)):
            if match["new"] == "- ":
                told[folder].append({})
            if told[folder]:
                told[folder][-1][match["key"]] = _plain(match["value"])
    return {
        folder: [
            Owner(
                one.get("name") or one.get("email") or folder,
                one.get("sid") or one.get("email") or "",
                time=times.get(folder),
            )
            for one in people
        ]
        for folder, people in told.items()
    }


TELLERS = {"blackboard": _blackboard, "gradescope": _gradescope, "nbgrader": _nbgrader}


def _plain(value: str) -> str:
    """Return a YAML scalar without its quotes."""
    value = value.strip()
    if value[:1] == "'" == value[-1:]:
        return value[1:-1].replace("''", "'")
    if value[:1] == '"':
        try:
            return str(json.loads(re.sub(r"\\x(..)", r"\\u00\1", value)))
        except ValueError:
            return value.strip('"')
    return "" if value in ("~", "null") else value


def moment(text: str) -> float | None:
    """Return a time with its zone, as `2029-01-30 10:12:13.5 UTC`, in seconds since 1970.

    None if it is no time; without a zone that is known, it is taken for Greenwich's.
    """
    match = MOMENT.match(text.strip())
    if not match:
        return None
    try:
        at = datetime.fromisoformat(f"{match['day']} {match['clock']}")
        return at.replace(tzinfo=_zone(match["zone"])).timestamp()
    except (ValueError, OverflowError):
        return None


def _zone(name: str) -> object:
    if re.fullmatch(r"[+-]\d\d:?\d\d", name):
        return datetime.strptime(name.replace(":", ""), "%z").tzinfo
    try:
        return ZoneInfo(name) if name not in ("", "Z", "UTC") else UTC
    except Exception:  # names of files that are none, too
        return UTC


def told_twice(owned: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield names under which Google Classroom holds two files called the same.

    Args:
        owned: name of the learner and of the file, for each file.
    """
    seen: set[tuple[str, str]] = set()
    told: set[str] = set()
    for name, file in owned:
        called = name, re.sub(r" ?\(\d+\)(?=(\.\w+)?$)", "", file)
        if called in seen and name not in told:
            told.add(name)
            yield name
        seen.add(called)
