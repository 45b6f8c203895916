"""One submission, and what its answers are worth.

A task is tried on the public cases, which the learner's own notebook has checked, and on cases
drawn from the instructor's seed. The worse of the two decides the points, so that answers made for
the public cases earn nothing. What the learner is told of fresh cases holds no expected value.
"""

import base64
import builtins
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grading.intake import limited_reader, notebook_parser
from grading.intake.red_flags import Sign
from grading.intake.submissions import Submission, Unreadable
from grading.run import protocol
from grading.run.dialog import ENDED, Assignment, Conversation, Replies, Reply
from grading.run.launcher import Launcher
from utils.checks.compare import Verdict
from utils.checks.diagnosis import diagnose
from utils.checks.feedback import in_words
from utils.checks.tasks import Answer, Reason, Record

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
    flags: Sequence[Sign] = ()
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
    submission: Submission,
    assignments: Mapping[str, Assignment],
    launcher: Launcher,
    alone: bool = True,
    read: Callable[[Submission], tuple[str, notebook_parser.Notebook]] = limited_reader.read_here,
) -> Result | None:
    """Grade one file. Whatever is in it, there is a result.

    Args:
        submission: the file.
        assignments: by the name of the notebook.
        launcher: of the workers.
        alone: whether no other submission runs at the same time.
        read: gives the digest and the content of a file, or raises `Unreadable`.

    Returns:
        None where something ran out of time beside others: to be tried again, alone.
    """
    result = Result.for_file(submission)
    try:
        result.digest, notebook = read(submission)
        assignment = assignments[notebook.name]
        result.notebook, result.words = notebook.name, notebook.words
        result.remarks, result.elsewhere = notebook.remarks, notebook.elsewhere
        late = ask(result, notebook, assignment, list(assignment.public), launcher)
        return result if alone or not late else None
    except Unreadable as problem:
        result.problem = str(problem)
    return result


def ask(
    result: Result,
    notebook: notebook_parser.Notebook,
    assignment: Assignment,
    tasks: Sequence[str],
    launcher: Launcher,
) -> bool:
    """Enter the outcome of some tasks, and what was noticed on the way, into a result.

    Returns:
        Whether anything ran out of time.
    """
    conversation = Conversation(notebook.cells, assignment, tasks)
    conversation.hold(launcher)
    if conversation.open_tasks and not conversation.heard:
        result.problem = "no worker could be started for it; grade it again with --resume"
    elif conversation.starved:
        result.problem = "other programs kept the processors busy; grade it again with --resume"
    if result.problem:
        return conversation.late
    for task in tasks:
        records = assignment.public[task], assignment.fresh[task]
        result.tasks[task] = _outcome(*records, conversation.replies[task])
        result.code[task] = notebook.code.get(task, "")
    result.remarks = list(dict.fromkeys([*result.remarks, *conversation.remarks]))
    result.flags = list(_signs(result, notebook))
    return conversation.late


def _verdict(record: Record, reply: Reply) -> Verdict:
    try:
        with np.errstate(all="ignore"):
            return reply.verdict or diagnose(record, reply.answers, reply.trouble)
    except Exception:  # arrays that no worker of ours would send
        return Verdict(record.task, Reason.WIRE, ENDED[Reason.WIRE])


def _outcome(public: Record, fresh: Record, replies: Replies) -> Outcome:
    on_public = _verdict(public, replies.public)
    on_fresh = _without_inputs(_verdict(fresh, replies.fresh))
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
        found=comparison and comparison.actual.tolist(),
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
    frame = protocol.pack([answer.outputs for answer in answers])
    return base64.b64encode(frame).decode()


def unpacked(text: str) -> list[Answer]:
    """The answers whose outputs `packed` has written."""
    frame = io.BytesIO(base64.b64decode(text))
    outputs, _ = protocol.unpack(frame.read, protocol.OBJECTS * len(text))
    return [Answer(found) for found in outputs]


def _without_inputs(verdict: Verdict) -> Verdict:
    """The same, with the case named and nothing shown of fresh inputs or of what was expected.

    An exception may quote the inputs: only its class is left, and the learner's line.
    """
    if verdict.reason == Reason.ERROR:
        kind = verdict.message.partition(":")[0]
        name = kind if kind in vars(builtins) else "An exception"
        return replace(verdict, message=f"{name}, with fresh inputs.")
    if verdict.evidence is None:
        return verdict
    seen = f" Seen with fresh inputs: {verdict.evidence.case.label}."
    return replace(verdict, message=verdict.message + seen, evidence=None)


def _signs(result: Result, notebook: notebook_parser.Notebook) -> Iterator[Sign]:
    """What a person should look at: of a task only where it has earned something."""
    for sign in notebook.signs:
        if not sign.task or result.tasks[sign.task].points:
            yield sign
    for task, outcome in result.tasks.items():
        if outcome.points and not result.code.get(task):
            yield Sign(task, "is defined by no cell of the notebook")
