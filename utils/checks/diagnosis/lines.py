"""Find the line at which an answer leaves all right ones, by what its lines compute.

The sentence says whose numbers a line has, and nothing of what is wrong with it: a line with other
numbers may also go another right way, so that it is only where to look first.
"""

import itertools
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from utils.checks import code
from utils.checks.compare import are_close, are_comparable, outputs_alike
from utils.checks.tasks import Case, Record, Trial
from utils.checks.trace import NOTHING, NUMBERS, Lines, described, is_among, is_rearranged

MOST_CASES = 3
# Lines that take values apart say nothing of whether the parts have got the right names, and a loop
# over rows is as right as a table: no right answer has to go through these parts.
TAKES_APART = re.compile(r"for |[\w.]+ *(, *[\w.]+ *)+=[^=]")
ASSIGNED = re.compile(r"(\w+) = ")
UP_TO = "Right answers compute the result of `{text}` (line {number}) on their way, too. "
AT = (
    "At `{text}` (line {number}){where} your code has a result that none of our right answers has, "
    "with these numbers and axes: {why}."
)
REARRANGED = (
    "At `{text}` (line {number}){where} your code has numbers that right answers have, too, but "
    "none of them has these in this order, with these axes: {why}."
)
OWN_WAY = (
    "either it goes a way of its own there, and what is wrong comes later, or a step is wrong or "
    "missing, there or before"
)
AT_THE_END = "a step is wrong or missing, there or before"
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


class _Run(NamedTuple):
    """One run of a line of an answer.

    Args:
        case: number of the case.
        line: number of the line, and its text.
        computes: whether it makes new numbers.
        again: whether the line has run before.
        fits: whether some right answer has its result, too.
        common: whether most right answers have.
        rearranged: whether it does not fit, but some right answer has its numbers in another order.
        read_well: whether its result is used, and all that is made of it directly is what most
            right answers have; or some of them, if it is rearranged.
        read: whether its result is used at all.
        returned: whether its result is an output that is wrong.
        used: whether an output rests on its line, as far as that is known.
    """

    case: int
    line: tuple[int, str]
    computes: bool
    again: bool
    fits: bool
    common: bool
    rearranged: bool
    read_well: bool
    read: bool
    returned: bool
    used: bool


def describe_lines(record: Record, trials: Sequence[Trial], trace: TraceCases) -> Pointer | str:
    """Name the first line of a wrong answer whose numbers no right answer has; "" if none is told.

    Args:
        record: the task, its cases, and what right answers compute in them.
        trials: the cases in which the answer returned something.
        trace: function that returns what the answer's lines compute in cases.
    """
    wrong = [n for n, trial in enumerate(trials) if _wrong_outputs(trial, record.task.tolerance)]
    cases = wrong[:MOST_CASES] if record.steps else []
    traces, runs = _follow(record, trials, cases, trace)
    stray = _first_stray(runs, _lines_of_right_outputs(record, trials, traces))
    if not stray or not stray.line[1]:
        return ""
    all_runs = [*itertools.chain(*runs)]
    lines = sorted({run.line for run in all_runs})
    earlier = lines[: lines.index(stray.line)]
    returned = {run.line for run in all_runs if run.returned and run.case == stray.case}
    if returned.intersection(earlier):  # such a line is right for something else only
        return ""
    right = [line for line in earlier if _goes_a_right_way(line, all_runs)]
    nothing_else = len(lines) == 1 or (stray.line == lines[-1] and stray.line in returned)
    if not right and nothing_else:  # nothing new would be said
        return ""
    up_to = ""
    if right and _is_right_for_sure(right[-1], runs, record, trials, wrong[MOST_CASES:], trace):
        up_to = UP_TO.format(text=right[-1][1], number=right[-1][0])
    case = trials[stray.case].case
    where = ", though not the first time that it runs," if stray.again else ""
    if stray.case != wrong[0]:
        where += f'{"" if where else ","} for example in the case "{case.label}",'
    number, text = stray.line
    ends = (stray.returned and not stray.read) or (
        text.startswith("return ") and stray.line == lines[-1]
    )
    why = AT_THE_END if ends else OWN_WAY
    words = REARRANGED if stray.rearranged else AT
    at = words.format(text=text, number=number, where=where, why=why)
    return Pointer(up_to + at, int(number), case)


def _follow(
    record: Record, trials: Sequence[Trial], numbers: Sequence[int], trace: TraceCases
) -> tuple[list[Lines], list[list[_Run]]]:
    """Return what the lines compute in some cases, and their runs; of both nothing without time."""
    traces = [lines or NOTHING for lines in trace([trials[number].case for number in numbers])]
    pairs = zip(numbers, traces, strict=True)
    return traces, [[*_runs(record, trials[n], n, lines)] for n, lines in pairs]


def _runs(record: Record, trial: Trial, number: int, lines: Lines) -> Iterator[_Run]:
    """Yield the runs of lines in a case, but those that only hand on what was given."""
    given = _inputs(trial.case)
    wrong = _described(
        torch.as_tensor(values)
        for values in _wrong_outputs(trial, record.task.tolerance)
        if values.dtype.kind in "fib"
    )
    fits = np.array([is_among(result, record.steps[number]) for result in lines.results], bool)
    new = np.array([not is_among(result, given) for result in lines.results], bool)
    common = np.array([is_among(result, record.common[number]) for result in lines.results], bool)
    known = all(lines.origins) and len(lines.origins) > 0
    used = frozenset().union(*lines.origins)
    uses = lines.uses()
    read = uses.any(0)
    read_well, read_in_order = (read & ~uses[~each].any(0) for each in (common, fits))
    for run in np.flatnonzero(new):
        text, result = lines.sources[run], lines.results[run]
        rearranged = not fits[run] and is_rearranged(result, record.steps[number])
        yield _Run(
            number,
            (lines.numbers[run], text),
            lines.computes[run],
            lines.again[run] and " for " not in text,  # in one run, some of it is done repeatedly
            fits[run],
            common[run],
            rearranged,
            read_well[run] or (rearranged and read_in_order[run]),
            read[run],
            is_among(result, wrong),
            not known or lines.numbers[run] in used,
        )


def _first_stray(runs: Sequence[Sequence[_Run]], sound: Container[int]) -> _Run | None:
    """Return the first run that no right answer has, of those of several cases; None if all fit.

    An earlier line of another case comes before that of the first, which is shown, if that case is
    too small to tell anything of the line.
    """
    strays: list[_Run] = []
    shown: set[tuple[int, str]] = set()
    at_once: set[tuple[int, str]] = set()  # lines that stray in their first run, in some case
    for of_case in runs:
        some = (run for run in of_case if not _is_fine(run) and run.line[0] not in sound)
        telling = (run for run in some if run.computes or not TAKES_APART.match(run.line[1]))
        first = next(telling, None)  # in a loop, it may be one of a later line
        if first and not first.again:
            at_once.add(first.line)
        if first and first.line not in shown:
            strays.append(first)
        shown = shown or {run.line for run in of_case}
    stray = min(strays, key=lambda run: run.line, default=None)
    return stray and stray._replace(again=stray.line not in at_once)


def _is_fine(run: _Run) -> bool:
    """Decide whether a right answer has a result, or an own way leads back at once, or nowhere."""
    return run.fits or not run.used or (run.read_well and not run.returned)


def _goes_a_right_way(line: tuple[int, str], runs: Sequence[_Run]) -> bool:
    """Decide whether a line computes something, and only what right answers do."""
    own = [run for run in runs if run.line == line]
    computes = any(run.computes for run in own) and not TAKES_APART.match(line[1])
    return computes and all(run.fits for run in own)


def _is_right_for_sure(
    line: tuple[int, str],
    runs: Sequence[Sequence[_Run]],
    record: Record,
    trials: Sequence[Trial],
    others: Sequence[int],
    trace: TraceCases,
) -> bool:
    """Decide whether a line may be called right: most right answers have it, in all wrong cases.

    Lines are compared by their numbers alone: what axes and types they have is not looked at. What
    a line puts in an input's place may be missed later on, and what is wrong in one before it may
    come in elsewhere.

    Args:
        line: number of the line, and its text.
        runs: the runs of lines in the first cases.
        record, trials, trace: as for `describe_lines`.
        others: numbers of the other cases in which the answer is wrong.
    """
    if _overwrites(line, trials[0].case) or not all(map(_has_right_kinds, trials)):
        return False
    if not all(run.fits for run in itertools.chain(*runs) if run.line < line):
        return False
    if not all(any(run.line == line for run in of_case) for of_case in runs):
        return False
    traces, more = _follow(record, trials, others, trace)
    own = (run for run in itertools.chain(*runs, *more) if run.line == line)
    return not any(lines is NOTHING for lines in traces) and all(run.common for run in own)


def describe_unread(
    record: Record, trials: Sequence[Trial], trace: TraceCases, source: str
) -> Pointer | str:
    """Name a variable of a wrong answer that is right, and that it makes no use of; else ""."""
    found = {}
    for definition in code.definitions(source):
        found |= {line: name for name, line in code.unread(definition).items()}
    wrong = [n for n, trial in enumerate(trials) if _wrong_outputs(trial, record.task.tolerance)]
    wrong = wrong[:MOST_CASES] if found and record.steps else []
    _, runs = _follow(record, trials, wrong, trace)
    own = [run for run in itertools.chain(*runs) if run.line[0] in found]
    for run in own:
        if run.computes and all(other.fits for other in own if other.line == run.line):
            number, text = run.line
            words = UNREAD.format(text=text, number=number, name=found[number])
            return Pointer(words, int(number), trials[run.case].case)
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


def _overwrites(line: tuple[int, str], case: Case) -> bool:
    """Decide whether a line puts something else in the place of an input, or of what is kept."""
    kept = line[1].startswith("self.")  # from one call to the next
    return kept or not {*case.inputs}.isdisjoint(ASSIGNED.findall(line[1]))


def _has_right_kinds(trial: Trial) -> bool:
    """Decide whether all returned values have the right shape and the right type of numbers."""
    return all(
        are_comparable(values, trial.actual.outputs[name])
        for name, values in trial.expected.outputs.items()
    )


def _inputs(case: Case) -> np.ndarray:
    """Describe what a case gives to an answer: a line that only hands it on says nothing.

    Nor does one that turns a mask into its opposite.
    """
    values = [*case.inputs.values(), *case.parameters.values()]
    given = [value for value in values if isinstance(value, Tensor)]
    return _described([*given, *(~value for value in given if value.dtype == torch.bool)])


def _described(values: Iterable[Tensor]) -> np.ndarray:
    return np.array([row for row in map(described, values) if row]).reshape(-1, NUMBERS)
