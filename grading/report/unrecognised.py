"""Group wrong answers that no known mistake explains, until the instructor names them.

Two answers are the same if the checks take one for the other, so differences in the last digits do
not separate them. They are compared by the values that they return for the inputs that every
learner has; nothing about fresh inputs is kept here.

DIR/names.toml          the instructor's names for them: entries are added, and none is changed
DIR/private/unnamed/    the values that each of them returns

An answer with a name is a known mistake of this class from then on: `regrade` tells the learners
who gave it.
"""

import difflib
import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from grading.intake.submissions import CannotGrade
from grading.report.store import write
from grading.report.tables import Learner
from grading.run import protocol
from grading.run.scoring import Outcome, Result, unpack_answers
from utils.checks import bank
from utils.checks.kinds import kind_of
from utils.checks.tasks import Answer, Mistake, Record, Task

NOTHING = Mistake("", "", "")
MOST_KINDS = 4  # that a message names
FEWEST = 2  # learners who must give the same answer before it gets an entry
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


@dataclass
class UnrecognisedAnswer:
    """A wrong answer to a task that no known mistake explains."""

    entry: str  # its entry in names.toml, such as "entropy.1"; "" if one learner gave it
    task: str
    tried: int  # how many learners tried the task
    name: str = ""  # name that the instructor gave it after grading; "" if none
    learners: list[Learner] = field(default_factory=list)  # who gave it
    outcome: Outcome | None = None  # of the learner with the shortest code
    code: str = ""  # the shortest code that gives it


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
        entries = self._usable(record).values()
        return _with_mistakes(
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

    def answers_of(self, class_: Sequence[Learner]) -> list[UnrecognisedAnswer]:
        """Return the unrecognised answers of a class, equal ones as one, the most frequent first.

        Answers that several learners gave are stored, and get an entry in names.toml.
        """
        answers: list[UnrecognisedAnswer] = []
        for notebook in bank.tasks():
            own = [learner for learner in class_ if notebook in learner.results]
            for record in bank.load_all(bank.FOLDER / notebook).values() if own else ():
                answers += self._answers_to(record, notebook, own)
        answers.sort(key=lambda answer: -len(answer.learners))
        new = [answer.entry for answer in answers if answer.entry not in (*self._words, "")]
        if new:
            text = self._file.read_text(encoding="utf-8") if self._file.exists() else HEAD
            blanks = "".join(f'{name} = ""\n' for name in FIELDS)
            write(self._file, text + "".join(f"\n[{entry}]\n{blanks}" for entry in new))
        return answers

    def _answers_to(
        self, record: Record, notebook: str, class_: Sequence[Learner]
    ) -> list[UnrecognisedAnswer]:
        task, known = record.task.id, self._usable(record)
        given: dict[str, UnrecognisedAnswer] = {}
        leaders = {Mistake(entry, "", ""): kept.answers for entry, kept in known.items()}
        outcomes = (learner.results[notebook].tasks.get(task) for learner in class_)
        tried = sum(outcome is not None and outcome.tried for outcome in outcomes)
        for learner in class_:
            result = learner.results[notebook]
            outcome = result.tasks.get(task)
            returned = unpack_answers(outcome.returned) if outcome and outcome.returned else []
            if len(returned) < len(record.cases):  # one of the later cases raised an exception
                continue
            so_far = _with_mistakes(replace(record, mistaken={}), leaders)
            same = kind_of(record.task).judge(so_far, so_far.trials(returned)).mistake
            if same is None:
                same = Mistake(f"new {len(leaders)}", "", "")
                leaders[same] = returned
            name = known[same.name].mistake.name if same.name in known else ""
            answer = given.setdefault(same.name, UnrecognisedAnswer(same.name, task, tried, name))
            answer.learners.append(learner)
            code = result.code.get(task, "")
            if answer.outcome is None or len(code) < len(answer.code):
                answer.outcome, answer.code = outcome, code
        for answer in sorted(given.values(), key=lambda answer: -len(answer.learners)):
            if answer.entry not in known:
                shared = len(answer.learners) >= FEWEST
                answer.entry = self._keep(record, answer.outcome) if shared else ""
        return list(given.values())

    def _keep(self, record: Record, outcome: Outcome) -> str:
        """Store a wrong answer, and return its new entry, such as "entropy.1"."""
        task, inputs = record.task.id, _digest(record)
        entries = self._entries.setdefault(task, {})
        numbers = [int(entry.partition(".")[2]) for entry in entries]
        entry = f"{task}.{max(numbers, default=0) + 1}"
        self._kept.mkdir(parents=True, exist_ok=True)
        kept = {"inputs": inputs, "returned": outcome.returned}
        write(self._kept / f"{entry}.json", json.dumps(kept))
        entries[entry] = _Entry(NOTHING, inputs, unpack_answers(outcome.returned))
        return entry

    def _usable(self, record: Record) -> dict[str, _Entry]:
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


def _with_mistakes(record: Record, mistakes: Mapping[Mistake, Sequence[Answer]]) -> Record:
    """Add mistakes to a record; of the old ones, keep those for which the record has answers."""
    old = [mistake for mistake in record.task.mistakes if mistake.name in record.mistaken]
    task = replace(record.task, mistakes=[*old, *mistakes])
    own = {mistake.name: answers for mistake, answers in mistakes.items()}
    return replace(record, task=task, mistaken={**record.mistaken, **own})


def _digest(record: Record) -> str:
    """Return a digest of the inputs in a task's record."""
    return hashlib.sha256(protocol.pack([vars(case) for case in record.cases])).hexdigest()[:16]
