"""Group wrong answers that no known mistake explains, for the instructor to name them.

Two answers are the same if the checks take one for the other, so differences in the last digits do
not separate them. They are compared by the values that they return for the inputs that every
learner has; nothing about fresh inputs is kept here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from grading.names import Names, with_mistakes
from grading.report.tables import Learner
from grading.run.scoring import Outcome, unpack_answers
from utils.checks import bank
from utils.checks.kinds import kind_of
from utils.checks.tasks import Mistake, Record

FEWEST = 2  # learners who must give the same answer before it gets an entry


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


def after_grading(
    class_: Sequence[Learner], names: Names
) -> dict[str, Sequence[UnrecognisedAnswer]]:
    """Return the answers that several learners gave, which get an entry, and those of one alone."""
    answers = answers_of(class_, names)
    return {
        "shared": [answer for answer in answers if answer.entry],
        "alone": [answer for answer in answers if not answer.entry],
    }


def answers_of(class_: Sequence[Learner], names: Names) -> list[UnrecognisedAnswer]:
    """Return the unrecognised answers of a class, equal ones as one, the most frequent first.

    Answers that several learners gave are stored, and get an entry in names.toml.
    """
    answers: list[UnrecognisedAnswer] = []
    for notebook in bank.tasks():
        own = [learner for learner in class_ if notebook in learner.results]
        for record in bank.load_all(bank.FOLDER / notebook).values() if own else ():
            answers += _answers_to(record, notebook, own, names)
    answers.sort(key=lambda answer: -len(answer.learners))
    names.add(answer.entry for answer in answers if answer.entry)
    return answers


def _answers_to(
    record: Record, notebook: str, class_: Sequence[Learner], names: Names
) -> list[UnrecognisedAnswer]:
    task, known = record.task.id, names.usable(record)
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
        so_far = with_mistakes(replace(record, mistaken={}), leaders)
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
            answer.entry = names.keep(record, answer.outcome.returned) if shared else ""
    return list(given.values())
