"""Read the names that a class has for wrong answers: they are known mistakes of this class.

DIR/names.toml          the instructor's names for them: entries are added, and none is changed
DIR/private/unnamed/    the values that each of them returns, for the inputs that learners have

`regrade` tells the learners who gave an answer that has a name. `unrecognised` finds the others.
"""

import difflib
import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from grading.intake.submissions import CannotGrade
from grading.report.store import write
from grading.run import protocol
from grading.run.scoring import Result, unpack_answers
from utils.checks import bank
from utils.checks.tasks import Answer, Mistake, Record, Task

NOTHING = Mistake("", "", "")
MOST_KINDS = 4  # that a message names
FIELDS = ("name", "explanation", "hint", "kind")
HEAD = """\
# Wrong answers that several learners gave and that no known mistake explains. The overview shows
# each of them under the number that it has here. To name one, fill in
#
#     name         a few words
#     explanation  what the answer does, and why that is not what was asked
#     hint         a question or a nudge that leads out of it
#     kind         the belief behind it: its name in exercises/misconceptions.json
#
# and run `python -m grading regrade` with the folder of the grades. Learners read explanation and
# hint on their pages. Entries without a name change nothing. The grader adds entries, and changes
# none.
"""


class _Entry(NamedTuple):
    """A stored wrong answer, with the mistake that the instructor has made of it, if any."""

    mistake: Mistake
    inputs: str
    answers: Sequence[Answer]


class Names:
    """The names that a class has for wrong answers, and the wrong answers without a name.

    Args:
        out: folder of the grades.

    Raises:
        CannotGrade: names.toml cannot be used; the message says what to mend.
    """

    def __init__(self, out: Path):
        self._file, self._kept = out / "names.toml", out / "private" / "unnamed"
        self._words = self._read()
        self._entries: dict[str, dict[str, _Entry]] = {}  # task → entry → stored answer
        for path in sorted(self._kept.glob("*.json"), key=lambda path: (len(path.name), path.name)):
            kept = json.loads(path.read_text(encoding="utf-8"))
            words = self._words.get(path.stem, NOTHING)
            entry = _Entry(words, kept["inputs"], unpack_answers(kept["returned"]))
            self._entries.setdefault(path.stem.partition(".")[0], {})[path.stem] = entry
        self._check()

    def taught(self, record: Record) -> Record:
        """Add the mistakes that the class has named to a task's record with the public inputs."""
        named = self._named(record.task)
        entries = self.usable(record).values()
        return with_mistakes(
            record, {entry.mistake: entry.answers for entry in entries if entry.mistake in named}
        )

    def tasks(self) -> list[Task]:
        """Return the tasks of the course, each with the mistakes that the class has named."""
        return [replace(task, mistakes=[*task.mistakes, *self._named(task)]) for task in _course()]

    def counts(self, results: Iterable[Result]) -> Iterator[str]:
        """Yield a line for each mistake with a name, saying in how many files it was found."""
        made = Counter(
            (task, outcome.mistake) for result in results for task, outcome in result.tasks.items()
        )
        for entry, words in self._words.items():
            if words.name:
                count = made[entry.partition(".")[0], words.name]
                yield f"[{entry}] {words.name}: told in {count} file{'' if count == 1 else 's'}"

    def keep(self, record: Record, returned: str) -> str:
        """Store a wrong answer from `pack_answers`; return its new entry, such as "entropy.1"."""
        task, inputs = record.task.id, _digest(record)
        entries = self._entries.setdefault(task, {})
        numbers = [int(entry.partition(".")[2]) for entry in entries]
        entry = f"{task}.{max(numbers, default=0) + 1}"
        self._kept.mkdir(parents=True, exist_ok=True)
        write(self._kept / f"{entry}.json", json.dumps({"inputs": inputs, "returned": returned}))
        entries[entry] = _Entry(NOTHING, inputs, unpack_answers(returned))
        return entry

    def add(self, entries: Iterable[str]) -> None:
        """Write entries that names.toml does not have, for the instructor to fill in."""
        if new := [entry for entry in entries if entry not in self._words]:
            text = self._file.read_text(encoding="utf-8") if self._file.exists() else HEAD
            blanks = "".join(f'{name} = ""\n' for name in FIELDS)
            write(self._file, text + "".join(f"\n[{entry}]\n{blanks}" for entry in new))

    def usable(self, record: Record) -> dict[str, _Entry]:
        """Return the entries of a task whose answers were stored for the task's present inputs."""
        entries, inputs = self._entries.get(record.task.id, {}), _digest(record)
        return {name: entry for name, entry in entries.items() if entry.inputs == inputs}

    def _named(self, task: Task) -> list[Mistake]:
        """Return the mistakes of a task that the class has named and the course does not list."""
        words = [entry.mistake for entry in self._entries.get(task.id, {}).values()]
        return [mistake for mistake in words if mistake.name and mistake not in task.mistakes]

    def _read(self) -> dict[str, Mistake]:
        """Read names.toml; return entry → mistake, made of the instructor's texts."""
        if not self._file.exists():
            return {}
        try:
            content = tomllib.loads(self._file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise CannotGrade(f"{self._file} cannot be read: {error}.") from None
        try:
            return {
                f"{task}.{number}": Mistake(*(" ".join(words.get(it, "").split()) for it in FIELDS))
                for task, entries in content.items()
                for number, words in entries.items()
            }
        except AttributeError:
            raise CannotGrade(
                f"{self._file} cannot be read: an entry is [entropy.1], say, with texts in quotes "
                f"for {', '.join(FIELDS)}."
            ) from None

    def _check(self) -> None:
        used = {task.id: {known.name: known for known in task.mistakes} for task in _course()}
        for entry, words in self._words.items():
            task, problem = entry.partition(".")[0], ""
            if task not in used:
                problem = "the task is gone: delete the entry"
            elif entry not in self._entries.get(task, {}):
                problem = "no answer is kept under that number"
            elif words.name and not (words.explanation and words.hint):
                problem = "a name needs an explanation and a hint"
            elif used[task].get(words.name, words) != words:
                problem = f"`{task}` has a mistake of that name already"
            elif words.name and words.misconception not in (known := bank.misconceptions()):
                close = difflib.get_close_matches(words.misconception, known, 1, cutoff=0.4)
                own = [mistake.misconception for mistake in used[task].values()]
                some = [*dict.fromkeys(filter(None, [*close, *own, *known]))][:MOST_KINDS]
                problem = (
                    f"there is no kind {words.misconception!r}. Write the belief behind it, such "
                    f"as {', '.join(map(repr, some))}; all are in exercises/misconceptions.json"
                )
            if problem:
                raise CannotGrade(f"{self._file}, [{entry}]: {problem}.")
            used[task][words.name or entry] = words


def _course() -> list[Task]:
    return [task for tasks in bank.tasks().values() for task in tasks]


def with_mistakes(record: Record, mistakes: Mapping[Mistake, Sequence[Answer]]) -> Record:
    """Add mistakes to a record; of the old ones, keep those for which the record has answers."""
    old = [mistake for mistake in record.task.mistakes if mistake.name in record.mistaken]
    task = replace(record.task, mistakes=[*old, *mistakes])
    own = {mistake.name: answers for mistake, answers in mistakes.items()}
    return replace(record, task=task, mistaken={**record.mistaken, **own})


def _digest(record: Record) -> str:
    """Return a digest of the inputs in a task's record."""
    return hashlib.sha256(protocol.pack([vars(case) for case in record.cases])).hexdigest()[:16]
