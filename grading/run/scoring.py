"""Score a submission: judge its answers, and decide how many points each task earns.

A task is tried on the public cases, which the learner's own notebook has checked, and on fresh
cases, which are drawn from the instructor's seed. The worse of the two verdicts decides the points,
so that answers made to fit the public cases earn nothing. The feedback on fresh cases contains no
expected value.
"""

import base64
import builtins
import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grading.intake import limited_reader, notebook_parser
from grading.intake.notebook_parser import Flag
from grading.intake.submissions import Submission, Unreadable, key_of
from grading.run import dialog, protocol
from grading.run.dialog import ENDED, Dialog, Replies, Reply
from grading.run.grading import Grading
from utils.checks.compare import Verdict
from utils.checks.feedback import heading, in_words
from utils.checks.kinds import kind_of
from utils.checks.runner import AnswerError
from utils.checks.tasks import Answer, Reason, Record, Task
from utils.items.understanding import is_readable

USED_UP = (
    "the files of this learner have taken all the time that one learner has, because something in "
    "them never ends; grade them again with --again"
)
LARGEST_RETURNED = 2**17  # bytes; longer returned values are not kept. Honest ones take 2**13


@dataclass
class Outcome:
    """The outcome of one task of a submission.

    Args:
        of: maximum number of points.
        title: of the task.
        reason: `Reason.PASSED`, or the first thing that is wrong.
        mistake: name of the known mistake, if it is one; "" otherwise.
        lines: feedback for the learner, below its heading.
        public_points: points earned on the public cases alone, as the learner's notebook shows.
        expected, found, place: small matrix of a public case as expected and as found, and the
            place of the first difference.
        returned: outputs for the public cases (`pack_answers`), if their values are wrong, not too
            many, and match no known mistake; "" otherwise.
    """

    points: float
    of: float
    reason: Reason
    mistake: str
    title: str
    lines: Sequence[str]
    public_points: int
    expected: Sequence | None = None
    found: Sequence | None = None
    place: Sequence[int] = ()
    returned: str = ""

    @property
    def heading(self) -> str:
        """The first line of the feedback."""
        return heading(self.title, self.reason, self.points, self.of)

    @property
    def tried(self) -> bool:
        """Whether the learner has written anything for the task."""
        return self.reason not in (Reason.NOTHING, Reason.NOT_DEFINED)


@dataclass
class Result:
    """The result of grading one file.

    Args:
        learner, lms, id, file, late, order, time: as in `Submission`.
        digest: SHA-256 of the file's bytes.
        notebook: name of the course's notebook that the file answers; "" if none.
        problem: reason why nothing could be graded; "" if the file was graded.
        tasks: task → outcome.
        words: question → answer in words.
        code: task → source of the cell that defines it.
        remarks: code that was left out, and cells that failed.
        flags: red flags, for a person to look at.
        elsewhere: answers in words outside the places for them, for a person to look at.
        form: "A" or "B" if it is a test before or after the course, which earns no points.
        answers: item of the test → answer that can be read. No other text of the learner's is kept.
        days_late: days after the deadline, begun ones in full; found when the tables are made.
    """

    learner: str
    lms: str
    id: str
    file: str
    digest: str = ""
    notebook: str = ""
    problem: str = ""
    tasks: dict[str, Outcome] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    code: dict[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    flags: Sequence[Flag] = ()
    elsewhere: Sequence[str] = ()
    late: bool = False
    order: float = 0.0
    time: float | None = None
    form: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    days_late: int = 0

    @classmethod
    def for_file(cls, submission: Submission, problem: str = "") -> "Result":
        """Return a result that holds only a file, its learner and perhaps a problem."""
        own = submission.learner, submission.lms, submission.id, submission.file
        when = {"late": submission.late, "order": submission.order, "time": submission.time}
        return cls(*own, problem=problem, **when)

    @property
    def key(self) -> str:
        """The learner's name, with a number that tells people of one name apart."""
        return key_of(self.learner, self.id)

    @property
    def points(self) -> float:
        return sum(outcome.points for outcome in self.tasks.values())

    @property
    def of(self) -> float:
        return sum(outcome.of for outcome in self.tasks.values())


def score_submission(submission: Submission, grading: Grading, alone: bool = True) -> Result | None:
    """Grade one file, and return a result whatever the file contains.

    Args:
        grading: what it is graded on and with.
        alone: whether no other submission runs at the same time.

    Returns:
        The result; None if the file ran out of time beside others, and must be graded again alone.
    """
    result = Result.for_file(submission)
    budget = grading.budgets[result.key]
    if budget.spent:
        result.problem = USED_UP
        return result
    try:
        result.digest, notebook = grading.read(submission)
    except Unreadable as problem:
        result.problem = str(problem)
        if isinstance(problem, limited_reader.TooMuch):  # it has been tried twice
            budget.take(late=2 * limited_reader.SECONDS, clock=2 * limited_reader.SECONDS)
        return result
    if notebook.form:  # not run, and no notebook that could count
        result.form, given = notebook.form, notebook.answers.items()
        result.answers = {item: text for item, text in given if text and is_readable(item, text)}
        unread = [item for item, text in given if not is_readable(item, text)]
        result.remarks = [f"the answer to {item} cannot be read" for item in unread]
        return result
    if notebook.name not in grading.assignments:
        result.problem = f"answers {notebook.name}, which does not count for this class"
        return result
    result.notebook, result.words = notebook.name, notebook.words
    result.remarks, result.elsewhere = notebook.remarks, notebook.elsewhere
    tasks = list(grading.assignments[notebook.name].public)
    late = score_tasks(result, notebook, tasks, grading, alone)
    return result if alone or not late else None


def score_tasks(
    result: Result,
    notebook: notebook_parser.Notebook,
    tasks: Sequence[str],
    grading: Grading,
    alone: bool = True,
) -> bool:
    """Run some tasks of a notebook, and enter outcomes, remarks and flags into its result.

    Returns:
        Whether anything ran out of time.
    """
    assignment = grading.assignments[notebook.name]
    asked = Dialog(notebook.cells, assignment, tasks, grading.answer)
    # Beside others, one late worker is enough to know that only the next time counts.
    most_late = dialog.MOST_LATE if alone else 1
    asked.run(grading.launcher, grading.budgets[result.key], most_late)
    if asked.open_tasks and not asked.heard:
        result.problem = "no worker could be started for it; grade it again with --resume"
    elif asked.starved:
        result.problem = "other programs kept the processors busy; grade it again with --resume"
    if result.problem:
        return asked.late
    for task in tasks:
        records = assignment.public[task], assignment.fresh[task]
        outcome = _outcome(*records, asked.replies[task])
        if task in notebook.untouched and outcome.tried and not outcome.points:
            outcome = _not_written(records[0].task)
        result.tasks[task] = outcome
        result.code[task] = notebook.code.get(task, "")
    result.remarks = list(dict.fromkeys([*result.remarks, *asked.remarks]))
    earned = {task for task, outcome in result.tasks.items() if outcome.points}
    doubted = [
        Flag(task, doubt)
        for task in tasks
        for doubt in dict.fromkeys(doubt for reply in asked.replies[task] for doubt in reply.doubts)
    ]
    flags = [*notebook.flags, *doubted]
    result.flags = [flag for flag in flags if not flag.task or flag.task in earned]
    return asked.late


def _outcome(public: Record, fresh: Record, replies: Replies) -> Outcome:
    """Decide a task's outcome: the worse of its verdicts on public and on fresh cases counts."""
    on_public = _verdict(public, replies.public)
    on_fresh = _without_inputs(_verdict(fresh, replies.fresh), replies.fresh.error)
    is_model = kind_of(public.task).is_model  # fresh cases decide
    public_decides = on_public.points < on_fresh.points or not on_public.passed
    shown = on_public if public_decides and not is_model else on_fresh
    note = in_words(shown, replies.public.printed)
    comparison = shown.comparison  # never of fresh cases: they have no evidence
    returned = ""
    unnamed = on_public.evidence is not None and not on_public.mistake
    if unnamed and on_public.reason != Reason.GRADIENT and not is_model:
        returned = pack_answers(replies.public.answers)
    return Outcome(
        points=shown.points,
        of=shown.task.points,
        reason=shown.reason,
        mistake=shown.mistake.name if shown.mistake else "",
        title=shown.task.title,
        lines=note.lines,
        public_points=on_public.points,
        expected=comparison and comparison.expected.tolist(),
        found=comparison and comparison.actual.tolist(),
        place=comparison.place if comparison else (),
        returned=returned if len(returned) <= LARGEST_RETURNED else "",
    )


def _not_written(task: Task) -> Outcome:
    """Return the outcome of a cell that runs as it was given: in it stands what is to be mended."""
    note = in_words(Verdict(task, Reason.NOTHING, "The cell is as it was given out."))
    return Outcome(0, task.points, Reason.NOTHING, "", task.title, note.lines, 0)


def _verdict(record: Record, reply: Reply) -> Verdict:
    try:
        with np.errstate(all="ignore"):
            kind = kind_of(record.task)
            return reply.verdict or kind.diagnose(record, reply.answers, reply.error)
    except Exception:  # arrays that no worker of ours would send
        return Verdict(record.task, Reason.WIRE, ENDED[Reason.WIRE])


def _without_inputs(verdict: Verdict, error: AnswerError | None) -> Verdict:
    """Remove fresh inputs and expected values from a verdict, and name the case that was wrong.

    The message of an exception may quote inputs, so only its class and the learner's line remain.
    """
    if verdict.reason == Reason.ERROR:
        name = error.raised if error.raised in vars(builtins) else "An exception"
        return replace(verdict, message=f"{name}, with fresh inputs.")
    if verdict.evidence is None:
        return verdict
    seen = f" Seen with fresh inputs: {verdict.evidence.case.label}."
    return replace(verdict, message=verdict.message + seen, evidence=None)


def pack_answers(answers: Sequence[Answer]) -> str:
    """Encode the outputs of answers as one base64 text."""
    frame = protocol.pack([answer.outputs for answer in answers])
    return base64.b64encode(frame).decode()


def unpack_answers(text: str) -> list[Answer]:
    """Decode a text from `pack_answers` into answers, which have outputs but no gradients."""
    frame = io.BytesIO(base64.b64decode(text))
    outputs, _ = protocol.unpack(frame, protocol.OBJECTS * len(text))
    return [Answer(each) for each in outputs]
