"""What an answer does when it is called with other inputs, for mistakes that nobody wrote down.

Two questions are asked. Is there a change of the inputs that mends it: does it read the mask the
other way round, are two inputs in each other's place? And what moves it: does it depend on all that
the right answer depends on, and on nothing else, such as the other sentences of the batch?

What moves the right answer was found in the same way and is recorded beside the expected values.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from utils.checks.diagnosis.relations import BITS, ENOUGH, LOOSE
from utils.checks.runner import OUR_SEED
from utils.checks.tasks import Answer, Case, Record

OTHER_SEED = OUR_SEED + 1
MOST_CASES = 3  # that a probe is tried on
MOST_PAIRS = 30  # of parameters that are exchanged
CLEARLY = 100  # times the task's tolerance: what moves so far has moved

Outputs = Mapping[str, np.ndarray]
Ask = Callable[[Sequence[Case], int], Sequence[Outputs | None]]  # cases, seed → None if it failed
Change = Callable[[Case], Case | None]  # None where it changes nothing


@dataclass(frozen=True)
class CallableAnswer:
    """An answer that can be called again.

    Args:
        record: what was asked and expected.
        given: what it returned, for as many cases as it did.
        ask: calls it.
    """

    record: Record
    given: Sequence[Outputs]
    ask: Ask

    def again(
        self, change: Change, seed: int = OUR_SEED, most: int | None = None
    ) -> list[tuple[int, Outputs | None]]:
        """The numbers of the cases that a change applies to, and what is returned for them then."""
        changed = [(number, change(case)) for number, case in enumerate(self.record.cases)]
        changed = [(number, case) for number, case in changed if case][:most]
        returned = self.ask([case for _, case in changed], seed)
        return [(number, one) for (number, _), one in zip(changed, returned, strict=True)]

    def right(self, number: int, outputs: Outputs | None) -> bool:
        """Whether these are the right ones for a case."""
        should = self.record.expected[number].outputs
        return outputs is not None and all(
            self.same(should[name], outputs[name], LOOSE) for name in should
        )

    def same(self, left: np.ndarray, right: np.ndarray, times: float) -> bool:
        """Whether two arrays are alike, within so many times the tolerance."""
        if left.shape != right.shape or left.dtype.kind != right.dtype.kind:
            return False
        if left.dtype.kind not in "fc":
            return bool((left == right).all())
        room = times * self.record.task.tolerance
        return np.allclose(left, right, rtol=room, atol=room, equal_nan=True)


def of_repetition(record: Record, answers: Sequence[Answer], ask: Ask) -> str:
    """Whether a wrong answer is another one when it is called again; "" if not."""
    asked = CallableAnswer(record, [answer.outputs for answer in answers], ask)
    return _moved_otherwise(asked, _REPETITIONS)


def of_behaviour(record: Record, answers: Sequence[Answer], ask: Ask) -> str:
    """What calls with other inputs tell of a wrong answer; "" if nothing."""
    asked = CallableAnswer(record, [answer.outputs for answer in answers], ask)
    open_ = (probe for probe in _probes(record) if not _felt_as_it_should(record, answers, probe))
    return _mended(asked) or _moved_otherwise(asked, open_)


def _felt_as_it_should(record: Record, answers: Sequence[Answer], probe: "Probe") -> bool:
    """Whether gradients tell already that what a probe changes moves just what it should."""
    kind, _, changed = probe.name.partition(" ")
    felt = {
        output
        for answer in answers
        for (output, name), gradient in answer.gradients.items()
        if name == changed and gradient.any()
    }
    return (
        kind in ("input", "parameter")
        and bool(felt)
        and felt == {*record.moves.get(probe.name, ())}
    )


# --- What would mend it ---------------------------------------------------------------------------


class InputFix(NamedTuple):
    """A change of the inputs that may make an answer right.

    Args:
        words: what to tell, if it does.
        change: of a case.
    """

    words: str
    change: Change


def _mended(asked: CallableAnswer) -> str:
    right = [asked.right(number, outputs) for number, outputs in enumerate(asked.given)]
    right += [False] * (len(asked.record.cases) - len(right))
    first = right.index(False) if False in right else None
    if first is None:
        return ""
    changes = [*_mends(asked.record)]
    if 2 * right.count(False) > len(right):  # a term too many shows in most cases
        changes += _nudges(asked.record)
    mends = [(mend, mend.change(asked.record.cases[first])) for mend in changes]
    mends = [(mend, case) for mend, case in mends if case]
    tried = asked.ask([case for _, case in mends], OUR_SEED)
    for (mend, _), outputs in zip(mends, tried, strict=True):
        if asked.right(first, outputs) and _mends_all(asked, mend, right):
            return mend.words
    return ""


def _mends_all(asked: CallableAnswer, mend: InputFix, right: Sequence[bool]) -> bool:
    """Whether the answer is right in all cases then, and not by chance."""
    now = {number: asked.right(number, outputs) for number, outputs in asked.again(mend.change)}
    bits = sum(
        BITS.get(values.dtype.kind, 0) * values.size
        for number, is_right in now.items()
        if is_right and not right[number]
        for values in asked.record.expected[number].outputs.values()
    )
    return bits >= ENOUGH and all({**dict(enumerate(right)), **now}.values())


def _mends(record: Record) -> Iterator[InputFix]:
    """The changes that are tried first, the likeliest before the others."""
    case, names = record.cases[0], _names(record)
    for name in names:
        yield InputFix(
            f"You read `{name}` the other way round: with `True` and `False` exchanged in it, all "
            "of your answer is right.",
            _on("inputs", name, lambda x: ~x if _is(x, torch.bool) else None),
        )
    for part in ("inputs", "parameters"):
        pairs = itertools.combinations(names, 2) if part == "inputs" else _alike(case.parameters)
        for one, other in pairs:
            yield InputFix(
                f"`{one}` and `{other}` stand in each other's place: with the two exchanged, all "
                "of your answer is right.",
                partial(_exchanged, part, one, other),
            )
        for name in names if part == "inputs" else case.parameters:
            yield InputFix(
                f"You use `{name}` with its last two axes exchanged: if it were transposed, all "
                "of your answer would be right.",
                _on(part, name, _transposed),
            )
    yield InputFix(
        "It works in float32, and not in float64: a tensor that you make has a dtype of its own. "
        "Take over that of the inputs, as with `dtype=….dtype` or `torch.zeros_like(…)`.",
        _in_float32,
    )
    yield InputFix(
        "It works when the numbers lie row by row in memory, and not for a transposed view of "
        "them: `reshape` takes both, `view` does not.",
        _row_by_row,
    )


def _names(record: Record) -> list[str]:
    """Of all inputs."""
    return [*dict.fromkeys(name for one in record.cases for name in one.inputs)]


def _nudges(record: Record) -> Iterator[InputFix]:
    """Every input with a factor, a term or a power too many, as an answer may use it."""
    for name in _names(record):
        for words, change in NUDGES.items():
            yield InputFix(
                f"With {words.format(f'`{name}`')} in place of `{name}`, all of your answer would "
                "be right.",
                _on("inputs", name, change),
            )


def _alike(parameters: Mapping[str, Tensor]) -> list[tuple[str, str]]:
    """Parameters that may be mixed up, those with most axes first; a block has too many to try."""
    names = sorted(parameters, key=lambda name: -parameters[name].dim())
    pairs = [
        (one, other)
        for one, other in itertools.combinations(names, 2)
        if parameters[one].shape == parameters[other].shape
    ]
    return pairs[:MOST_PAIRS]


def _is(value: Any, dtype: torch.dtype | None = None) -> bool:
    if dtype is None:
        return isinstance(value, Tensor) and value.is_floating_point()
    return isinstance(value, Tensor) and value.dtype == dtype


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _on(part: str, name: str, change: Callable[[Any], Any]) -> Change:
    """The change of one input or parameter, as a change of a case."""

    def of_case(case: Case) -> Case | None:
        values = getattr(case, part)
        new = change(values[name]) if name in values else None
        return None if new is None else replace(case, **{part: {**values, name: new}})

    return of_case


def _exchanged(part: str, one: str, other: str, case: Case) -> Case | None:
    values = getattr(case, part)
    left, right = values.get(one), values.get(other)
    if not (isinstance(left, Tensor) and isinstance(right, Tensor)):
        return None
    alike = left.dtype == right.dtype and left.dim() == right.dim()
    if not alike or (part == "parameters" and left.shape != right.shape):
        return None
    return replace(case, **{part: {**values, one: right, other: left}})


def _transposed(value: Any) -> Tensor | None:
    return value.mT if _is(value) and value.dim() > 1 and max(value.shape[-2:]) > 1 else None


def _in_float32(case: Case) -> Case | None:
    if not any(_is(value, torch.float64) for value in case.inputs.values()):
        return None

    def single(values: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: value.float() if _is(value, torch.float64) else value
            for name, value in values.items()
        }

    return replace(case, inputs=single(case.inputs), parameters=single(case.parameters))


def _row_by_row(case: Case) -> Case | None:
    tensors = {name: one for name, one in case.inputs.items() if isinstance(one, Tensor)}
    if all(one.is_contiguous() for one in tensors.values()):
        return None
    return replace(
        case, inputs={**case.inputs, **{name: one.contiguous() for name, one in tensors.items()}}
    )


def _of_number(change: Callable[[float], float]) -> Callable[[Any], Any]:
    """For decimal numbers, above 0."""
    return lambda x: change(x) if isinstance(x, float) and x > 0 else None


def _by_one(step: int) -> Callable[[Any], Any]:
    def change(x: Any) -> Any:
        return x + step if _is_whole(x) or _is(x, torch.int64) else None

    return change


def _by_width(power: float) -> Callable[[Any], Any]:
    def change(x: Any) -> Any:
        wide = _is(x) and x.dim() > 1 and x.shape[-1] > 1
        return x * x.shape[-1] ** power if wide else None

    return change


def _centred(x: Any) -> Any:
    return x - x.mean(-1, keepdim=True) if _is(x) and x.dim() and x.shape[-1] > 1 else None


def _plus(number: float) -> Callable[[Any], Any]:
    return lambda x: x + number if _is(x) or isinstance(x, float) else None


SMALL = ("0.001", "0.01", "0.1")  # as are added to keep a logarithm or a quotient from infinity
NUDGES: dict[str, Callable[[Any], Any]] = {
    "1 / {}": _of_number(lambda x: 1 / x),
    "the square of {}": _of_number(lambda x: x * x),
    "the root of {}": _of_number(math.sqrt),
    "1 - {}": _of_number(lambda x: 1 - x),
    "twice {}": lambda x: 2 * x if _is(x) else _of_number(lambda y: 2 * y)(x),
    "half of {}": lambda x: x / 2 if _is(x) else _of_number(lambda y: y / 2)(x),
    "-{}": lambda x: -x if _is(x) else None,
    "{} + 1": _by_one(1),
    "{} - 1": _by_one(-1),
    "{} times the square root of its width": _by_width(0.5),
    "{} divided by the square root of its width": _by_width(-0.5),
    "{} times its width": _by_width(1.0),
    "{} divided by its width": _by_width(-1.0),
    "{} less the mean along its last axis": _centred,
    **{f"{{}} {sign} {number}": _plus(float(sign + number)) for number in SMALL for sign in "-+"},
}


# --- What moves it --------------------------------------------------------------------------------


class Probe(NamedTuple):
    """A change of the inputs that moves some answers, and others not.

    Args:
        name: unique among those of a task.
        change: of a case.
        moved: what to tell of an output that moves, and should not.
        unmoved: what to tell of one that does not, and should.
        part: of an output, what is looked at.
        seed: of the call.
        stronger: more changes, for outputs that are decisions.
        sure: whether a decision too has to stay the same; otherwise it may be by chance that the
            right one did.
        placed: whether the part is one of the right one only if the shape is right.
        decimals: whether it tells nothing of decisions, which move only where a limit is crossed.
        apart: whether it tells nothing where it moves any output of the right answer.
    """

    name: str
    change: Change
    moved: str
    unmoved: str = ""
    part: Callable[[np.ndarray], np.ndarray] = lambda values: values
    seed: int = OUR_SEED
    stronger: Sequence[Change] = ()
    sure: bool = False
    placed: bool = False
    decimals: bool = False
    apart: bool = False


def moves(record: Record, ask: Ask) -> dict[str, list[str]]:
    """Name of each probe that could be tried → the outputs that it moves.

    Args:
        record: with the right answers.
        ask: calls the solution.
    """
    asked = CallableAnswer(record, [answer.outputs for answer in record.expected], ask)
    probes = [*_REPETITIONS, *_probes(record)]
    found = {probe.name: _movement(asked, probe) for probe in probes}
    return {
        name: [output for output, moved in of_each.items() if moved]
        for name, of_each in found.items()
        if of_each and None not in of_each.values()
    }


def _moved_otherwise(asked: CallableAnswer, probes: Iterable[Probe]) -> str:
    for probe in probes:
        if probe.name not in asked.record.moves:
            continue
        should = asked.record.moves[probe.name]
        if probe.apart and should:
            continue
        movement = _movement(asked, probe)
        idle = [
            name
            for name, moved in movement.items()
            if moved is False and name in should and _untouched(asked, probe, name)
        ]
        astray = [
            name
            for name, moved in movement.items()
            if moved and name not in should and (probe.sure or _has_decimals(asked, name))
        ]
        if astray:
            return probe.moved.format(f"`{astray[0]}`")
        if idle and probe.unmoved:
            every = len(idle) == len(should) and len(should) > 1
            return probe.unmoved.format("Your answer" if every else f"`{idle[0]}`")
    return ""


def _movement(asked: CallableAnswer, probe: Probe) -> dict[str, bool | None]:
    """Output → whether it moves in any case; None where that is not clear."""
    before, after = [], []
    for number, outputs in asked.again(probe.change, probe.seed, MOST_CASES):
        known = number < len(asked.given) and outputs is not None
        if known and _finite(asked.given[number]) and _finite(outputs):
            before.append(asked.given[number])
            after.append(outputs)
    if len(before) < 2:
        return {}
    found = {}
    for name in asked.record.task.outputs:
        try:
            pairs = [
                (probe.part(one[name]), probe.part(other[name]))
                for one, other in zip(before, after, strict=True)
            ]
        except IndexError:  # it has no such part
            continue
        if probe.placed and not _shaped(asked, name):
            continue
        if probe.decimals and not _has_decimals(asked, name):
            continue
        still = all(asked.same(one, other, 1) for one, other in pairs)
        clear = not all(asked.same(one, other, CLEARLY) for one, other in pairs)
        found[name] = False if still else True if clear else None
    return found


def _finite(outputs: Outputs) -> bool:
    return all(one.dtype.kind != "f" or np.isfinite(one).all() for one in outputs.values())


def _shaped(asked: CallableAnswer, output: str) -> bool:
    """Whether an output has the right shape in every case."""
    return all(
        should.outputs[output].shape == is_[output].shape
        for should, is_ in zip(asked.record.expected, asked.given, strict=False)
    )


def _has_decimals(asked: CallableAnswer, output: str) -> bool:
    """Whether an output is made of decimals, which move with whatever they depend on."""
    return all(one.outputs[output].dtype.kind == "f" for one in asked.record.expected)


def _untouched(asked: CallableAnswer, probe: Probe, output: str) -> bool:
    """Whether an output stays the same under stronger changes too.

    A decision moves only where a limit is crossed, and a quotient may hide a factor.
    """
    for change in probe.stronger:
        for number, outputs in asked.again(change):
            if outputs is None or number >= len(asked.given):
                continue
            if not asked.same(asked.given[number][output], outputs[output], 1):
                return False
    return bool(probe.stronger)


_REPETITIONS = [
    Probe(
        "again",
        lambda case: case,
        "{} is another one when the same inputs come a second time: your code keeps something "
        "from one call to the next.",
        sure=True,
    ),
    Probe(
        "seed",
        lambda case: case,
        "{} is not the same in every call: something in your code is drawn at random.",
        seed=OTHER_SEED,
        sure=True,
    ),
]


def _probes(record: Record) -> Iterator[Probe]:
    names = _names(record)
    for name in names:
        yield Probe(
            f"input {name}",
            _on("inputs", name, _otherwise),
            f"{{}} depends on `{name}`, and should not.",
            f"{{}} does not move when `{name}` changes, in any way that was tried. Where is it "
            "used?",
            stronger=[_on("inputs", name, change) for change in STRONGER],
        )
    for name in record.cases[0].parameters:
        yield Probe(
            f"parameter {name}",
            _on("parameters", name, _otherwise),
            f"{{}} depends on the parameter `{name}`, and should not.",
            f"{{}} does not move when the parameter `{name}` changes, in any way that was tried. "
            "Where is it used?",
            stronger=[_on("parameters", name, change) for change in STRONGER],
        )
    for name in names:
        yield Probe(
            f"rest {name}",
            _on("inputs", name, partial(_rest_changed, _otherwise)),
            f"{{}} depends on more of `{name}` than the first entry along its first axis.",
            f"{{}} moves with the first entry of `{name}` along its first axis, and not with the "
            "others, in any way that was tried.",
            stronger=[_on("inputs", name, partial(_rest_changed, change)) for change in STRONGER],
            decimals=True,
        )
    yield Probe(
        "batch",
        partial(_others_changed, names),
        "Along its first axis each entry of {} should be by itself, but the first depends on the "
        "others.",
        part=lambda values: values[0],
        sure=True,
        placed=True,
        apart=True,  # or its first axis is none of a batch: the beams of a search compete
    )
    for mask, name in itertools.permutations(names, 2):
        yield Probe(
            f"hidden {mask} {name}",
            partial(_hidden_changed, mask, name),
            f"{{}} depends on places of `{name}` that `{mask}` hides.",
        )
    for name in names:
        yield Probe(
            f"later {name}",
            _on("inputs", name, _last_changed),
            f"{{}} depends on places of `{name}` that come later.",
            part=lambda values: values[:, :-1],
            placed=True,
        )


def _otherwise(value: Any) -> Any:
    """Another value of the same kind, within the same bounds."""
    if _is(value, torch.bool):
        return ~value
    if isinstance(value, Tensor):
        axis = next((axis for axis in range(-1, -value.dim() - 1, -1) if value.shape[axis] > 1), 0)
        rolled = value.roll(1, axis) if value.dim() else value
        if value.is_floating_point():
            return rolled * 0.75
        return None if torch.equal(rolled, value) else rolled
    if _is_whole(value):
        return value - 1 if value > 1 else value + 1
    return value * 1.25 if isinstance(value, float) else None


STRONGER: list[Callable[[Any], Any]] = [
    lambda x: torch.ones_like(x) if isinstance(x, Tensor) else None,
    lambda x: torch.zeros_like(x) if isinstance(x, Tensor) else None,
    lambda x: -x if _is(x) else None,
    lambda x: 3 * x if _is(x) else None,
    lambda x: x.flip(-1) if isinstance(x, Tensor) and x.dim() else None,
    lambda x: 2 * x if isinstance(x, float) else None,
    lambda x: x / 2 if isinstance(x, float) else None,
    lambda x: x + 1 if _is_whole(x) else None,
]


def _others_changed(names: Sequence[str], case: Case) -> Case | None:
    """All but the first of a batch are changed."""
    tensors = {name: one for name, one in case.inputs.items() if _is(one) and one.dim() > 1}
    lengths = {len(one) for one in tensors.values()}
    if len(lengths) != 1 or max(lengths) < 2:
        return None
    changed = {
        name: torch.cat([one[:1], one[1:].flip(-1) * 0.75 + 0.1]) for name, one in tensors.items()
    }
    return replace(case, inputs={**case.inputs, **changed})


def _hidden_changed(mask: str, name: str, case: Case) -> Case | None:
    """What a padding mask hides from everybody is changed."""
    hides, value = case.inputs.get(mask), case.inputs.get(name)
    if not (_is(hides, torch.bool) and _is(value) and hides.dim() and value.dim()):
        return None
    open_ = hides if hides.dim() < 3 else hides.flatten(1, -2).any(1)
    depth = open_.dim()
    if value.dim() <= depth or value.shape[:depth] != open_.shape or bool(open_.all()):
        return None
    shown = open_.reshape(*open_.shape, *[1] * (value.dim() - depth))
    return replace(case, inputs={**case.inputs, name: torch.where(shown, value, value * 0.5 + 1.0)})


def _rest_changed(change: Callable[[Any], Any], value: Any) -> Any:
    """All but the first entry is changed."""
    if not isinstance(value, Tensor) or not value.dim() or len(value) < 2:
        return None
    rest = change(value[1:])
    return None if rest is None else torch.cat([value[:1], rest])


def _last_changed(value: Any) -> Any:
    """The last place of a sequence (batch, length, …) is changed."""
    if not _is(value) or value.dim() < 3 or value.shape[1] < 2:
        return None
    return torch.cat([value[:, :-1], value[:, -1:] * 0.5 + 1.0], dim=1)
