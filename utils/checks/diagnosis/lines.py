"""Find the line at which an answer leaves all right ones, by what its lines compute.

The sentence says whose numbers a line has, and nothing of what is wrong with it: a line with other
numbers may also go another right way, so that it is only where to look first.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from utils.checks import code
from utils.checks.compare import are_close, are_comparable, outputs_alike
from utils.checks.tasks import Case, Record, Trial
from utils.checks.trace import NOTHING, NUMBERS, Lines, described, is_among

MOST_CASES = 3
# Lines that take values apart say nothing of whether the parts have got the right names, and a loop
# over rows is as right as a table: no right answer has to go through these parts.
TAKES_APART = re.compile(r"for |[\w.]+ *(, *[\w.]+ *)+=[^=]")
ASSIGNED = re.compile(r"(\w+) = ")
OPPOSITE = re.compile(r"= ~[\w.]+$")
UP_TO = "Right answers compute the result of `{text}` (line {number}) on their way, too. "
AT = (
    "At `{text}` (line {number}){where} your code has a result that none of our right answers has, "
    "with these numbers and axes: either it goes a way of its own there, and what is wrong comes "
    "later, or a step is wrong or missing, there or before."
)
UNREAD = (
    "The result of `{text}` (line {number}) is one that right answers compute, too, but your code "
    "makes no use of `{name}`."
)

TraceCases = Callable[[Sequence[Case]], Sequence[Lines | None]]


class Pointer(str):
    """A sentence that points at a line of an answer.

    Args:
        words: the sentence.
        line: number of the line in its cell.
        case: the case in which it is seen there.
    """

    def __new__(cls, words: str, line: int, case: Case) -> "Pointer":
        pointer = str.__new__(cls, words)
        pointer.line, pointer.case = line, case
        return pointer

    def __deepcopy__(self, memo: dict) -> str:  # the grader keeps the sentence
        return str(self)


def describe_lines(record: Record, trials: Sequence[Trial], trace: TraceCases) -> Pointer | str:
    """Name the first line of a wrong answer whose numbers no right answer has; "" if none is told.

    Args:
        record: the task, its cases, and what right answers compute in them.
        trials: the cases in which the answer returned something.
        trace: function that returns what the answer's lines compute in cases.
    """
    tolerance = record.task.tolerance
    numbers = [n for n, trial in enumerate(trials) if _wrong_outputs(trial, tolerance)]
    numbers, others = (numbers[:MOST_CASES], numbers[MOST_CASES:]) if record.steps else ([], [])
    fits: dict[tuple[int, str], list[bool]] = {}  # line → whether its runs fit a right answer
    common: dict[tuple[int, str], list[bool]] = {}  # line → whether they fit most right answers
    computing, returned, shown, strays = set(), set(), set(), {}
    traces = [lines or NOTHING for lines in trace([trials[n].case for n in numbers])]
    sound = _lines_of_right_outputs(record, trials, traces)
    for number, lines in zip(numbers, traces, strict=True):
        given = _inputs(trials[number].case)
        wrong = _described(
            torch.as_tensor(values)
            for values in _wrong_outputs(trials[number], tolerance)
            if values.dtype.kind in "fib"
        )
        strayed = None  # in a loop, the first stray run may be one of a later line
        for line, text, computes, result, again in zip(*lines[:4], lines.again, strict=True):
            if not is_among(result, given):
                fit = is_among(result, record.steps[number])
                fits.setdefault((line, text), []).append(fit)
                shared = is_among(result, record.common[number])
                common.setdefault((line, text), []).append(shared)
                apart = TAKES_APART.match(text) and not computes
                if not (strayed or fit or line in sound or apart):
                    strayed, late = (line, text), again and " for " not in text
                computing |= {line} if computes else set()
                returned |= {(number, line, text)} if is_among(result, wrong) else set()
        if strayed and strayed not in shown:
            strays.setdefault(strayed, (number, late))
        shown = shown or {*fits}
    # An earlier line of another case comes before that of the first, which is shown, if that case
    # is too small to tell anything of the line.
    order = sorted(fits)
    stray = min(strays, default=None)
    if not stray or not stray[1]:
        return ""
    # An earlier line that has what is returned, and wrong, is right for something else only.
    seen, late = strays[stray]
    returned = {(line, text) for number, line, text in returned if number == seen}
    if returned & {*order[: order.index(stray)]}:
        return ""
    before = [
        line
        for line in order[: order.index(stray)]
        if line[0] in computing and all(fits[line]) and not TAKES_APART.match(line[1])
    ]
    nothing_else = len(order) == 1 or (stray == order[-1] and stray in returned)
    if not before and nothing_else:  # of which nothing new is said
        return ""
    # Lines are compared by their numbers alone: what axes and types they have is not looked at.
    # And what a line puts in an input's place may be missed later on.
    vouched = before[-1] if before and all(map(_has_right_kinds, trials)) else None
    sure = vouched and all(common[vouched]) and len(common[vouched]) >= len(numbers)
    if (
        not sure
        or _overwrites(vouched, trials[0].case)
        or not _is_common(record, trials, others, trace, vouched)
    ):
        vouched = None
    up_to = UP_TO.format(text=vouched[1], number=vouched[0]) if vouched else ""
    case = trials[seen].case
    where = ", though not the first time that it runs," if late else ""
    if case is not trials[numbers[0]].case:
        where += f'{"" if where else ","} for example in the case "{case.label}",'
    at = AT.format(text=stray[1], number=stray[0], where=where)
    return Pointer(up_to + at, int(stray[0]), case)


def describe_unread(
    record: Record, trials: Sequence[Trial], trace: TraceCases, source: str
) -> Pointer | str:
    """Name a variable of a wrong answer that is right, and that it makes no use of; else ""."""
    found = {}
    for definition in code.definitions(source):
        found |= {line: name for name, line in code.unread(definition).items()}
    wrong = [n for n, trial in enumerate(trials) if _wrong_outputs(trial, record.task.tolerance)]
    wrong = wrong[:MOST_CASES] if found and record.steps else []
    for number, lines in zip(wrong, trace([trials[n].case for n in wrong]), strict=True):
        given = _inputs(trials[number].case)
        for line, text, computes, result in zip(*(lines or NOTHING)[:4], strict=True):
            is_known = computes and is_among(result, record.steps[number])
            if line in found and is_known and not is_among(result, given):
                return Pointer(
                    UNREAD.format(text=text, number=line, name=found[line]),
                    int(line),
                    trials[number].case,
                )
    return ""


def how_far(record: Record, number: int, lines: Lines | None) -> tuple[int, int]:
    """Follow lines in a case up to the first that leaves all right answers.

    Returns:
        How many tensors they have computed before that right answers compute, too, and the number
        of that first line; 0 if there is none.
    """
    found = _inputs(record.cases[number])
    begin = len(found)
    for line, result in zip(lines.numbers, lines.results, strict=True) if lines else ():
        if is_among(result, found):
            continue
        if not is_among(result, record.steps[number]):
            return len(found) - begin, int(line)
        found = np.vstack([found, result])
    return len(found) - begin, 0


def _lines_of_right_outputs(
    record: Record, trials: Sequence[Trial], traces: Iterable[Lines]
) -> set[int]:
    """Return the lines on which right outputs rest: with other numbers they go a right way, too."""
    right = outputs_alike(record.task, trials)
    return {
        line
        for lines in traces
        for output, origins in zip(record.task.outputs, lines.origins, strict=False)
        for line in origins
        if output in right
    }


def _wrong_outputs(trial: Trial, tolerance: float) -> list[np.ndarray]:
    """Return the values that are wrong."""
    return [
        trial.actual.outputs[name]
        for name, values in trial.expected.outputs.items()
        if not are_close(values, trial.actual.outputs[name], tolerance)
    ]


def _is_common(
    record: Record,
    trials: Sequence[Trial],
    numbers: Sequence[int],
    trace: TraceCases,
    line: tuple[int, str],
) -> bool:
    """Decide whether most right answers have all that a line computes in further cases."""
    traces = trace([trials[n].case for n in numbers])
    return not any(lines is None for lines in traces) and all(
        is_among(result, record.common[number])
        for number, lines in zip(numbers, traces, strict=True)
        for place, text, _, result in zip(*lines[:4], strict=True)
        if (place, text) == line
    )


def _overwrites(line: tuple[int, str], case: Case) -> bool:
    """Decide whether a line puts something else in the place of an input, or its opposite."""
    return bool(OPPOSITE.search(line[1])) or not {*case.inputs}.isdisjoint(
        ASSIGNED.findall(line[1])
    )


def _has_right_kinds(trial: Trial) -> bool:
    """Decide whether all returned values have the right shape and the right type of numbers."""
    return all(
        are_comparable(values, trial.actual.outputs[name])
        for name, values in trial.expected.outputs.items()
    )


def _inputs(case: Case) -> np.ndarray:
    """Describe what a case gives to an answer: a line that only hands it on says nothing."""
    given = [*case.inputs.values(), *case.parameters.values()]
    return _described(value for value in given if isinstance(value, Tensor))


def _described(values: Iterable[Tensor]) -> np.ndarray:
    return np.array([row for row in map(described, values) if row]).reshape(-1, NUMBERS)
