"""What is remembered of a learner from one session to the next: `progress.json`."""

import contextlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from utils.checks.tasks import Mistake, Task


@dataclass(frozen=True)
class Tried:
    """What is remembered of a task.

    Args:
        points: the most that an answer has earned; older files say `true` for full points.
        kinds: slugs of the misconceptions that answers have shown.
    """

    points: int = 0
    kinds: Sequence[str] = ()

    def points_of(self, task: Task) -> int:
        """The points that the task has earned."""
        return task.points if self.points is True else self.points

    def done(self, task: Task) -> bool:
        """Whether an answer has earned full points."""
        return self.points_of(task) == task.points


def recall() -> dict[str, Tried]:
    """Task → what is remembered of it; whatever is damaged is ignored."""
    try:
        kept = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):  # not there yet, or damaged: no reason to fail
        return {}
    return {task: _tried(entry) for task, entry in kept.items()} if isinstance(kept, dict) else {}


def remember(task: Task, points: int, mistake: Mistake | None) -> None:
    """Add what an answer has earned, and the misconception that it has shown."""
    kept = recall()
    before = kept.get(task.id, Tried())
    shown = [mistake.kind] if mistake and mistake.kind else []
    kinds = list(dict.fromkeys([*before.kinds, *shown]))
    kept[task.id] = Tried(max(points, before.points_of(task)), kinds)
    content = {name: asdict(tried) for name, tried in kept.items()}
    with contextlib.suppress(OSError):  # a read-only folder
        _file().write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _file() -> Path:
    return Path("progress.json")  # a notebook runs in its own folder


def _tried(entry: Any) -> Tried:
    entry = entry if isinstance(entry, dict) else {"points": entry}  # older files: the points alone
    points, kinds = entry.get("points"), entry.get("kinds")
    return Tried(
        points if isinstance(points, int) else 0,
        [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else [],
    )
