"""What all submissions of a class share while they are graded."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from grading.intake.limited_reader import read_here
from grading.intake.notebook_parser import Notebook
from grading.intake.submissions import Submission
from grading.run.answers import Answered, answer_here
from grading.run.cluster import Cluster
from grading.run.launcher import Launcher
from utils.checks.tasks import Record


@dataclass(frozen=True)
class Assignment:
    """A notebook of the course, with the records that this class is graded on.

    Args:
        public: task → record with the cases that learners have.
        fresh: task → record with cases drawn from the instructor's seed.
    """

    name: str
    public: Mapping[str, Record]
    fresh: Mapping[str, Record]

    @property
    def seconds(self) -> float:
        """The processor time that a cell may take, in seconds."""
        return max(record.task.seconds for record in self.public.values())


class Budget:
    """What all files of one learner may take together, in seconds.

    Args:
        late: for workers that run out of time, as much as these may take.
        clock: by the clock, for all workers.
    """

    def __init__(self, late: float = 500.0, clock: float = 3600.0):
        self._late, self._clock = late, clock

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return min(self._late, self._clock) <= 0

    def take(self, late: float, clock: float) -> None:
        self._late -= late
        self._clock -= clock


@dataclass(frozen=True)
class Grading:
    """What submissions are graded on, what runs them, and what their learners have left.

    Args:
        assignments: name of the notebook → assignment, for the notebooks that count.
        launcher: source of the workers.
        read: function that returns the digest and the content of a file, or raises `Unreadable`.
        answer: function that answers the calls of a learner's test.
        budgets: learner, as `key_of` names them → what all their files may still take together.
    """

    assignments: Mapping[str, Assignment]
    launcher: Launcher | Cluster
    read: Callable[[Submission], tuple[str, Notebook]] = read_here
    answer: Callable[..., Answered] = answer_here
    budgets: dict[str, Budget] = field(default_factory=lambda: defaultdict(Budget))
