"""What a class believes: the kinds of mistakes, counted over all tasks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from utils.checks.tasks import Misconception, Task


@dataclass(frozen=True)
class Belief:
    """A belief that some of a class hold.

    Args:
        kind: what they believe, and what is the case.
        learners: how many showed it, in one task or several.
        of: how many tried a task that can show it.
        tasks: task → how many showed it there, in the order of the course.
    """

    kind: Misconception
    learners: int
    of: int
    tasks: Mapping[str, int]


def beliefs(
    class_: Sequence[Mapping[str, str]], tasks: Sequence[Task], kinds: Iterable[Misconception]
) -> list[Belief]:
    """What a class believes, the most widespread belief first.

    Args:
        class_: for each learner, the tasks that they tried, each with the name of the known
            mistake, or "".
        tasks: of the course, in its order.
        kinds: of mistakes.
    """
    found = [_belief(kind, class_, tasks) for kind in kinds]
    return sorted(
        (belief for belief in found if belief.learners), key=lambda belief: -belief.learners
    )


def _belief(
    kind: Misconception, class_: Sequence[Mapping[str, str]], tasks: Sequence[Task]
) -> Belief:
    signs = {
        task.id: {mistake.name for mistake in task.mistakes if mistake.misconception == kind.slug}
        for task in tasks
    }
    tried = [
        {task: made for task, made in learner.items() if signs.get(task)} for learner in class_
    ]
    shown = [{task for task, made in own.items() if made in signs[task]} for own in tried]
    counts = Counter(task for own in shown for task in own)
    return Belief(
        kind,
        learners=sum(map(bool, shown)),
        of=sum(map(bool, tried)),
        tasks={task: counts[task] for task in signs if counts[task]},
    )
