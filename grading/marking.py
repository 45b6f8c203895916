"""One submission, and what its answers are worth.

A task is tried on the public cases, which the learner's own notebook has checked, and on cases
drawn from the instructor's seed. The worse of the two decides the points, so that answers made for
the public cases earn nothing. What the learner is told of fresh cases holds no expected value.
"""

import base64
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grading import reading
from grading.conversation import ENDED, Assignment, Conversation, Replies, Reply, no_answers
from grading.sandbox import Launcher, wire
from grading.submissions import Submission, Unreadable
from utils.checks import code
from utils.checks.feedback import in_words
from utils.checks.judging import Verdict, judge
from utils.checks.reasons import Reason
from utils.checks.tasks import Answer, Record

LARGEST_RETURNED = 2**17  # bytes of an answer without a name that are kept: honest ones take 2**13


@dataclass
class Outcome:
    """What is known of one task of a submission.

    Args:
        points: earned.
        of: the most that can be earned.
        reason: passed, or the first thing that is wrong.
        mistake: the name of the misunderstanding, where it is a known one.
        heading, lines: what the learner is told.
        public_points: earned on the public cases alone, as the learner's notebook shows.
        expected, found, place: the small matrix of a public case that differs, and where.
        returned: what came back for the public cases (`packed`), where it is wrong and no known
            mistake; "" elsewhere.
    """

    points: int
    of: int
    reason: Reason
    mistake: str
    heading: str
    lines: Sequence[str]
    public_points: int
    expected: Sequence | None = None
    found: Sequence | None = None
    place: Sequence[int] = ()
    returned: str = ""


@dataclass(frozen=True)
class Shortcut:
    """A call, in the cell that answers a task, that does what the learner was asked to write."""

    task: str
    call: str
    cell: int

    def __str__(self) -> str:
        return f"{self.task} uses {self.call} (cell {self.cell})"


@dataclass
class Result:
    """What is known of one file.

    Args:
        learner, lms, id, file, late, order: as in `Submission`.
        digest: of the file's bytes.
        notebook: which of the course's notebooks it answers; "" if none.
        problem: why nothing could be graded; "" if it was.
        tasks: task → outcome.
        words: question → answer in words.
        code: task → the cell that defines it.
        remarks: what was left out, and which cells failed.
        flags: for a person to look at.
        elsewhere: what was said in words where no answer is read, for a person to look at.
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
    flags: Sequence[Shortcut] = ()
    elsewhere: Sequence[str] = ()
    late: bool = False
    order: float = 0.0

    @classmethod
    def for_file(cls, submission: Submission, problem: str = "") -> "Result":
        """A result in which nothing is known yet but whose file it is."""
        own = submission.learner, submission.lms, submission.id, submission.file
        return cls(*own, problem=problem, late=submission.late, order=submission.order)

    @property
    def points(self) -> int:
        return sum(outcome.points for outcome in self.tasks.values())

    @property
    def of(self) -> int:
        return sum(outcome.of for outcome in self.tasks.values())


def mark(
    submission: Submission, assignments: Mapping[str, Assignment], launcher: Launcher
) -> Result:
    """Grade one file. Whatever is in it, there is a result.

    Args:
        submission: the file.
        assignments: by the name of the notebook.
        launcher: of the workers.
    """
    result = Result.for_file(submission)
    try:
        data = submission.read()
        result.digest = hashlib.sha256(data).hexdigest()
        notebook = reading.read(data, submission.file)
        assignment = assignments[notebook.name]
        result.notebook, result.words = notebook.name, notebook.words
        result.remarks, result.elsewhere = notebook.remarks, notebook.elsewhere
        ask(result, notebook.cells, assignment, list(assignment.public), launcher)
    except Unreadable as problem:
        result.problem = str(problem)
    return result


def ask(
    result: Result,
    cells: Sequence[reading.Cell],
    assignment: Assignment,
    tasks: Sequence[str],
    launcher: Launcher,
) -> None:
    """Enter the outcome of some tasks, and what was noticed on the way, into a result."""
    conversation = Conversation(cells, assignment, tasks)
    conversation.hold(launcher)
    if conversation.open_tasks and not conversation.heard:
        result.problem = "no worker could be started for it; grade it again with --resume"
        return
    for task in tasks:
        replies = conversation.replies.get(task) or no_answers(Reason.TIME)
        result.tasks[task] = _outcome(assignment.public[task], assignment.fresh[task], replies)
        source = [cell.source for cell in cells if task in code.defined(cell.source)]
        result.code[task] = source[-1] if source else ""
    shortcuts = _shortcuts(cells, assignment, tasks)
    result.remarks = list(dict.fromkeys([*result.remarks, *conversation.remarks]))
    result.flags = list(dict.fromkeys([*result.flags, *shortcuts]))


def _verdict(record: Record, reply: Reply) -> Verdict:
    if trouble := reply.trouble:
        return Verdict(record.task, trouble.reason, trouble.message, where=trouble.where)
    try:
        with np.errstate(all="ignore"):
            return judge(record, reply.answers)
    except Exception:  # arrays that no worker of ours would send
        return Verdict(record.task, Reason.WIRE, ENDED[Reason.WIRE])


def _outcome(public: Record, fresh: Record, replies: Replies) -> Outcome:
    on_public = _verdict(public, replies.public)
    on_fresh = _without_expected(_verdict(fresh, replies.fresh))
    is_model = public.task.full_marks_from is not None  # what counts is what it has never seen
    public_decides = on_public.points < on_fresh.points or not on_public.passed
    shown = on_public if public_decides and not is_model else on_fresh
    note = in_words(shown, replies.public.printed)
    comparison = shown.comparison  # never of fresh cases: they come without evidence
    return Outcome(
        points=shown.points,
        of=shown.task.points,
        reason=shown.reason,
        mistake=shown.mistake.name if shown.mistake else "",
        heading=note.heading,
        lines=note.lines,
        public_points=on_public.points,
        expected=comparison and comparison.expected.tolist(),
        found=comparison and comparison.found.tolist(),
        place=comparison.place if comparison else (),
        returned="" if is_model else _returned(on_public, replies.public),
    )


def _returned(verdict: Verdict, reply: Reply) -> str:
    """What a wrong answer without a name returned, unless the values are right or too many."""
    if verdict.evidence is None or verdict.mistake or verdict.reason == Reason.GRADIENT:
        return ""
    text = packed(reply.answers)
    return text if len(text) <= LARGEST_RETURNED else ""


def packed(answers: Sequence[Answer]) -> str:
    """The outputs of answers, as text."""
    frame = wire.pack([answer.outputs for answer in answers])
    return base64.b64encode(frame).decode()


def unpacked(text: str) -> list[Answer]:
    """The answers whose outputs `packed` has written."""
    frame = io.BytesIO(base64.b64decode(text))
    outputs, _ = wire.unpack(frame.read, wire.OBJECTS * len(text))
    return [Answer(found) for found in outputs]


def _without_expected(verdict: Verdict) -> Verdict:
    """The same, with the case named and nothing shown of what was expected."""
    if verdict.evidence is None:
        return verdict
    seen = f" Seen with fresh inputs: {verdict.evidence.case.label}."
    return replace(verdict, message=verdict.message + seen, evidence=None)


def _shortcuts(
    cells: Sequence[reading.Cell], assignment: Assignment, tasks: Sequence[str]
) -> list[Shortcut]:
    """Calls of what a task says not to use, in the cells that define it."""
    found = []
    for task in tasks:
        forbidden = set(assignment.public[task].task.shortcuts)
        for cell in cells:
            if task in code.defined(cell.source):
                used = sorted(forbidden & code.mentioned(cell.source))
                found += [Shortcut(task, call, cell.number) for call in used]
    return found
