"""Call a wrong answer with other inputs, to describe mistakes that nobody wrote down.

Two questions are asked. Which change of the inputs makes the answer right (`InputFix`): does it
read the mask the other way round, or an input transposed? And which changes move it, so that it
returns other values (`Probe`): does it depend on all that the right answer depends on, and on
nothing else, such as the other sentences of the batch?

The build probes the solution in the same way, and records its moves beside the expected values.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from utils.checks.compare import are_close
from utils.checks.diagnosis.relations import BITS, ENOUGH, speaks_against
from utils.checks.runner import OUR_SEED
from utils.checks.tasks import Case, Mistake, Record, Trial

OTHER_SEED = OUR_SEED + 1
MOST_CASES = 3  # cases on which a probe is tried
CLEARLY = 100  # times the task's tolerance: values that differ by more have moved

Outputs = Mapping[str, np.ndarray]
# Cases and a seed → the outputs in each case, None if the answer failed.
RerunCases = Callable[[Sequence[Case], int], Sequence[Outputs | None]]
Change = Callable[[Case], Case | None]  # None if it leaves the case as it is


@dataclass(frozen=True)
class CallableAnswer:
    """An answer that can be called again."""

    record: Record
    trials: Sequence[Trial]
    rerun: RerunCases

    @cached_property
    def given(self) -> list[Outputs]:
        """The outputs in the cases that it has answered."""
        return [trial.actual.outputs for trial in self.trials]

    def again(
        self, change: Change, seed: int = OUR_SEED, most: int | None = None
    ) -> list[tuple[int, Outputs | None]]:
        """Call the answer with changed cases, and return each case's number and outputs."""
        changed = [(number, change(case)) for number, case in enumerate(self.record.cases)]
        changed = [(number, case) for number, case in changed if case][:most]
        returned = self.rerun([case for _, case in changed], seed)
        return [(number, outputs) for (number, _), outputs in zip(changed, returned, strict=True)]

    def right(self, number: int, outputs: Outputs | None, left: Mistake | None = None) -> bool:
        """Decide whether outputs are right for the case with this number, but for a mistake."""
        known = self.record.mistaken[left.name] if left else self.record.expected
        expected = known[number].outputs
        return outputs is not None and all(
            self.same(expected[name], outputs[name], 1) for name in expected
        )

    def same(self, left: np.ndarray, right: np.ndarray, times: float) -> bool:
        """Decide whether two arrays are equal within `times` the task's tolerance."""
        return are_close(left, right, times * self.record.task.tolerance)


def describe_repetition(record: Record, trials: Sequence[Trial], rerun: RerunCases) -> str:
    """Describe a wrong answer that returns other values if it is called again; else return ""."""
    answer = CallableAnswer(record, trials, rerun)
    return _describe_movement(answer, _repetitions(record))


def describe_fix(record: Record, trials: Sequence[Trial], rerun: RerunCases) -> str:
    """Describe a wrong answer that other inputs would make right; "" if none do."""
    return _describe_fix(CallableAnswer(record, trials, rerun))


def describe_dependence(record: Record, trials: Sequence[Trial], rerun: RerunCases) -> str:
    """Describe what a wrong answer depends on, and should not, or the reverse; else return ""."""
    return _describe_movement(CallableAnswer(record, trials, rerun), _probes(record))


# --- Changes of the inputs that make an answer right ----------------------------------------------


class InputFix(NamedTuple):
    """A change of the inputs that may make an answer right.

    Args:
        fault: what it tells of the answer if it does: a sentence without its end.
        change: function that changes a case.
        verb: verb of the sentence's end, which says that the answer is, or would be, right; "" if
            the sentence is whole without one.
    """

    fault: str
    change: Change
    verb: str = "would be"


def _describe_fix(answer: CallableAnswer) -> str:
    """Return the words of the first `InputFix` that makes the answer right; "" if none does."""
    right = [answer.right(number, outputs) for number, outputs in enumerate(answer.given)]
    right += [False] * (len(answer.record.cases) - len(right))
    if all(right):
        return ""
    first = right.index(False)
    fixes = [*_fixes(answer.record), *_exchanges(answer.record), *_other_orders(answer.record)]
    known: list[Mistake | None] = [None]
    if 2 * right.count(False) > len(right):  # these show in most cases
        fixes += _nudges(answer.record)
        if all(_has_decimals(answer, name) for name in answer.record.task.outputs):
            known += answer.record.task.mistakes  # decisions often agree by chance
    changed = [(fix, fix.change(answer.record.cases[first])) for fix in fixes]
    changed = [(fix, case) for fix, case in changed if case]
    returned = answer.rerun([case for _, case in changed], OUR_SEED)
    tried = [(fix, outputs) for (fix, _), outputs in zip(changed, returned, strict=True)]
    for left in known:
        for fix, outputs in tried:
            if answer.right(first, outputs, left) and _fixes_all(answer, fix, left):
                return _fix_in_words(fix, left, answer.record.task.learns)
    return ""


def _fix_in_words(fix: InputFix, left: Mistake | None, learns: bool) -> str:
    """Describe an answer that a fix makes right, or turns into a known mistake."""
    if left and fix.verb:
        return f"{fix.fault}, one fault {fix.verb} left: {left.explanation}"
    if left:
        return f"{fix.fault}. One fault is left: {left.explanation}"
    if not fix.verb:
        return f"{fix.fault}."
    # Gradients are not asked for again.
    whole = "all that your answer returns" if learns else "all of your answer"
    return f"{fix.fault}, {whole} {fix.verb} right."


def _fixes_all(answer: CallableAnswer, fix: InputFix, left: Mistake | None) -> bool:
    """Decide whether a fix makes the answer right, but for a mistake, in all cases, not by chance.

    A case that the fix leaves as it is has to be right, but for the mistake, already. And the
    mistake must not undo what the fix does: then the answer has neither of the two faults.
    """
    after = dict(answer.again(fix.change))
    if left and any(
        _was_right(answer, number) and not answer.right(number, mistaken.outputs)
        for number, mistaken in enumerate(answer.record.mistaken[left.name])
        if number in after
    ):
        return False
    if left and speaks_against(answer.record, left, answer.given):
        return False
    now = {**dict(enumerate(answer.given)), **after}
    right = {number: answer.right(number, outputs, left) for number, outputs in now.items()}
    bits = sum(
        BITS.get(values.dtype.kind, 0) * values.size
        for number, is_right in right.items()
        if is_right and not _was_right(answer, number, left)
        for values in answer.record.expected[number].outputs.values()
    )
    return bits >= ENOUGH and len(right) == len(answer.record.cases) and all(right.values())


def _was_right(answer: CallableAnswer, number: int, left: Mistake | None = None) -> bool:
    return number < len(answer.given) and answer.right(number, answer.given[number], left)


def _fixes(record: Record) -> Iterator[InputFix]:
    """Yield the input changes to try first on a wrong answer: inverted and transposed.

    They fix an answer to `scaled_attention` that reads the mask the other way round, one to
    `MultiHead` that uses a transposed matrix, and one that reshapes where it should transpose.
    """
    for name in _names(record):
        yield InputFix(
            f"You read `{name}` the other way round: with `True` and `False` exchanged in it",
            _on("inputs", name, lambda x: ~x if _is(x, torch.bool) else None),
            verb="is",
        )
    for name in _names(record):
        yield InputFix(
            f"You take `{name}` for scores: with its logarithm in its place",
            _on("inputs", name, _scores_of_shares),
        )
    parameters = [name for name in record.cases[0].parameters if "." not in _whose(name)[1]]
    for part, names in (("inputs", _names(record)), ("parameters", parameters)):
        for name in names:
            yield InputFix(
                f"You use `{name}` with its last two axes exchanged: if it were transposed",
                _on(part, name, _transposed),
            )
    for name in _names(record):
        yield InputFix(
            f"You give `{name}` the shape that it has when its last two axes are exchanged, by "
            "`view` or `reshape`: these read row by row and mix up its numbers. `.mT` exchanges "
            "axes",
            _on("inputs", name, _laid_out_transposed),
            verb="",
        )


def _scores_of_shares(value: Any) -> Tensor | None:
    is_shares = _is(value) and value.dim() and bool((value >= 0).all())
    sums = value.sum(-1) if is_shares else None
    return value.log() if is_shares and torch.allclose(sums, torch.ones_like(sums)) else None


def _exchanges(record: Record) -> Iterator[InputFix]:
    """Yield changes that exchange two inputs, two parameters, or two modules with parameters.

    They fix an answer to `DecoderBlock` that uses its norms in another order.
    """
    first = record.cases[0]
    tensors = [name for name in _names(record) if _is(first.inputs.get(name))]
    modules: dict[str, dict[str, torch.Size]] = {}  # and parameters that belong to no module
    for name, values in first.parameters.items():
        whose, own = _whose(name)
        modules.setdefault(whose, {})[own] = values.shape
    for part, names in (("inputs", tensors), ("parameters", modules)):
        for one, other in itertools.combinations(names, 2):
            if part == "inputs" or modules[one] == modules[other]:
                yield InputFix(
                    f"`{one}` and `{other}` stand in each other's place: with the two exchanged",
                    partial(_exchanged, part, one, other),
                    verb="is",
                )


def _whose(parameter: str) -> tuple[str, str]:
    """Split a parameter's name behind the module that an answer itself calls, as `norms.1`."""
    match = re.match(r"(\w+(?:\.\d+)?)\.?(.*)", parameter)
    return match[1], match[2]


def _exchanged(part: str, one: str, other: str, case: Case) -> Case | None:
    values = getattr(case, part)
    new = {}
    for old, now in ((one, other), (other, one)):
        for name in values:
            if name == old or name.startswith(f"{old}."):
                new[name] = values.get(now + name.removeprefix(old))
    if not new or any(value is None for value in new.values()):
        return None
    return replace(case, **{part: {**values, **new}})


def _other_orders(record: Record) -> Iterator[InputFix]:
    """Yield changes that exchange blocks of a matrix, each as long as some input is wide.

    They fix an answer to `decoder_step` that joins vectors in another order than the matrix has.
    """
    first = record.cases[0].inputs
    wide = [name for name in _names(record) if _is(first.get(name)) and first[name].dim()]
    for name, axis in itertools.product(wide, (-2, -1)):
        if first[name].dim() != 2:
            continue
        tried = {tuple(range(first[name].shape[axis]))}
        for owners in _owners(wide, first, first[name].shape[axis]):
            for order in itertools.permutations(range(len(owners))):
                rows = tuple(_rows_in_order(name, axis, owners, order, record.cases[0]))
                if rows not in tried:
                    tried.add(rows)
                    yield InputFix(
                        f"What you join before it meets `{name}` stands in another order than "
                        f"`{name}` expects: with blocks of `{name}` exchanged",
                        partial(_reordered, name, axis, owners, order),
                    )


def _owners(
    names: Sequence[str], inputs: Mapping[str, Tensor], length: int
) -> Iterator[tuple[str, ...]]:
    """Yield two or three inputs that are together as wide as a matrix is long."""
    for count in (2, 3):
        for owners in itertools.product(names, repeat=count):
            if sum(inputs[name].shape[-1] for name in owners) == length:
                yield owners


def _rows_in_order(
    name: str, axis: int, owners: Sequence[str], order: Sequence[int], case: Case
) -> list[int] | None:
    """Return the places of a matrix with its blocks in another order; None if they do not fit."""
    values = [case.inputs.get(each) for each in (name, *owners)]
    if not all(_is(value) and value.dim() for value in values) or values[0].dim() != 2:
        return None
    widths = [value.shape[-1] for value in values[1:]]
    if sum(widths) != values[0].shape[axis]:
        return None
    blocks = torch.arange(sum(widths)).split(widths)
    return torch.cat([blocks[place] for place in order]).tolist()


def _reordered(
    name: str, axis: int, owners: Sequence[str], order: Sequence[int], case: Case
) -> Case | None:
    rows = _rows_in_order(name, axis, owners, order, case)
    if rows is None:
        return None
    matrix = case.inputs[name].index_select(axis, torch.tensor(rows))
    return replace(case, inputs={**case.inputs, name: matrix})


def _names(record: Record) -> list[str]:
    """Return the names of all inputs, over all cases."""
    return [*dict.fromkeys(name for case in record.cases for name in case.inputs)]


def _nudges(record: Record) -> Iterator[InputFix]:
    """Yield changes that subtract an input's mean, or multiply it by the root of its width.

    They fix an answer to `layer_norm` that keeps the mean (RMS norm), and scores that are scaled
    twice.
    """

    def wide(x: Any) -> bool:
        return _is(x) and x.dim() > 1 and x.shape[-1] > 1

    changes: dict[str, Callable[[Any], Any]] = {
        "times the square root of its width": lambda x: x * math.sqrt(x.shape[-1]),
        "divided by the square root of its width": lambda x: x / math.sqrt(x.shape[-1]),
        "less the mean along its last axis": lambda x: x - x.mean(-1, keepdim=True),
    }
    for name in _names(record):
        for words, change in changes.items():
            yield InputFix(
                f"With `{name}` {words} in place of `{name}`",
                _on("inputs", name, lambda x, change=change: change(x) if wide(x) else None),
            )


def _is(value: Any, dtype: torch.dtype | None = None) -> bool:
    if dtype is None:
        return isinstance(value, Tensor) and value.is_floating_point()
    return isinstance(value, Tensor) and value.dtype == dtype


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _on(part: str, name: str, change: Callable[[Any], Any]) -> Change:
    """Turn a change of one input or parameter into a change of a case."""

    def of_case(case: Case) -> Case | None:
        values = getattr(case, part)
        new = change(values[name]) if name in values else None
        return None if new is None else replace(case, **{part: {**values, name: new}})

    return of_case


def _transposed(value: Any) -> Tensor | None:
    return value.mT if _is(value) and value.dim() > 1 and max(value.shape[-2:]) > 1 else None


def _laid_out_transposed(value: Any) -> Tensor | None:
    """Lay out a tensor so that a reshape to its transposed shape transposes it."""
    turned = _transposed(value)
    return None if turned is None else turned.reshape(value.shape)


# --- Changes of the inputs that move an answer ----------------------------------------------------


class Probe(NamedTuple):
    """A change of the inputs that moves some answers (they return other values), and others not.

    Args:
        name: unique name among a task's probes.
        change: function that changes a case.
        moved: sentence about an output that moves but should not; "" if that says little.
        unmoved: sentence about an output that should move but does not.
        part: function that selects the part of an output to be compared.
        seed: random seed of the call.
        stronger: further changes, tried before an output is said not to move.
        sure: whether decisions (outputs other than decimals) must not move either; if not, the
            right decision may have stayed the same by chance.
        along: input whose places an output has to share, along axis 1; "" if none has to.
        placed: whether to skip outputs of a wrong shape, in which the part lies elsewhere.
        decimals: whether to skip decisions, which move only if a limit is crossed.
        apart: whether to skip the probe if it moves any output of the right answer.
        but: changes one of which has to move an output before it is said not to move.
        unless: function of a case: an answer that is wrong in such a case has another fault.
    """

    name: str
    change: Change
    moved: str
    unmoved: str = ""
    part: Callable[[np.ndarray], np.ndarray] = lambda values: values
    seed: int = OUR_SEED
    stronger: Sequence[Change] = ()
    sure: bool = False
    along: str = ""
    placed: bool = False
    decimals: bool = False
    apart: bool = False
    but: Sequence[Change] = ()
    unless: Callable[[Case], bool] = lambda case: False


def measure_moves(record: Record, rerun: RerunCases) -> dict[str, list[str]]:
    """Probe the solution: return the name of each probe with a clear result → outputs it moves."""
    solution = CallableAnswer(record, record.trials(record.expected), rerun)
    probes = [*_repetitions(record), *_probes(record)]
    movements = {probe.name: _movement(solution, probe) for probe in probes}
    return {
        name: [output for output, moved in movement.items() if moved]
        for name, movement in movements.items()
        if movement and None not in movement.values()
    }


def _describe_movement(answer: CallableAnswer, probes: Iterable[Probe]) -> str:
    """Describe an output that depends on too much or on too little; "" if no probe shows it."""
    every = set(answer.record.task.outputs)
    for probe in probes:
        if probe.name not in answer.record.moves:
            continue
        expected = answer.record.moves[probe.name]
        if probe.apart and expected:
            continue
        if every == set(expected) and _movement(answer, probe, 1) == dict.fromkeys(every, True):
            continue  # one case has shown it: a block has thirty parameters
        movement = _movement(answer, probe)
        idle = [
            name
            for name, moved in movement.items()
            if moved is False
            and name in expected
            and _untouched(answer, probe, name)
            and (not probe.but or _moved_by(answer, probe.but, name))
        ]
        astray = [
            name
            for name, moved in movement.items()
            if moved
            and name not in expected
            and (probe.sure or _has_decimals(answer, name))
            and not _wrong_elsewhere(answer, probe.unless, name)
        ]
        if astray and probe.moved:
            return _about(probe.moved, _returned(answer, astray[0]))
        if idle and probe.unmoved:
            whole = len(idle) == len(expected) and len(expected) > 1
            return _about(probe.unmoved, "your answer" if whole else _returned(answer, idle[0]))
    return ""


def _about(sentence: str, subject: str) -> str:
    """Put a subject into a sentence that may begin with it."""
    words = sentence.format(subject)
    return words[0].upper() + words[1:]


def _returned(answer: CallableAnswer, output: str) -> str:
    """Name an output, and set it apart from an input of the same name."""
    shared = output in answer.record.cases[0].inputs
    return f"the `{output}` that you return" if shared else f"`{output}`"


def _movement(
    answer: CallableAnswer, probe: Probe, most: int = MOST_CASES
) -> dict[str, bool | None]:
    """Return output → whether a probe moves it in any case; None if it moves only slightly."""
    pairs = [
        (number, answer.given[number], outputs)
        for number, outputs in answer.again(probe.change, probe.seed, most)
        if number < len(answer.given)
        and outputs is not None
        and _all_finite(answer.given[number])
        and _all_finite(outputs)
    ]
    if len(pairs) < min(most, 2):
        return {}
    movement: dict[str, bool | None] = {}
    for name in answer.record.task.outputs:
        right_shapes = (
            trial.expected.outputs[name].shape == trial.actual.outputs[name].shape
            for trial in answer.trials
        )
        if probe.placed and not all(right_shapes):
            continue
        if probe.decimals and not _has_decimals(answer, name):
            continue
        if probe.along and not _shares_places(answer.record, name, probe.along):
            continue
        try:
            parts = [(probe.part(left[name]), probe.part(right[name])) for _, left, right in pairs]
        except IndexError:  # the output has no such part
            continue
        if all(answer.same(left, right, 1) for left, right in parts):
            movement[name] = False
        elif all(answer.same(left, right, CLEARLY) for left, right in parts):
            movement[name] = None
        else:
            movement[name] = True
    return movement


def _shares_places(record: Record, output: str, name: str) -> bool:
    """Decide whether an output has the places of an input along axis 1, in every case there is.

    In the cases that an answer gets through, two lengths may be equal by chance.
    """
    return all(
        expected.outputs[output].shape[1:2] == case.inputs[name].shape[1:2]
        for case, expected in zip(record.cases, record.expected, strict=True)
        if isinstance(case.inputs.get(name), Tensor)
    )


def _all_finite(outputs: Outputs) -> bool:
    return all(values.dtype.kind != "f" or np.isfinite(values).all() for values in outputs.values())


def _has_decimals(answer: CallableAnswer, output: str) -> bool:
    """Decide whether an output consists of decimals, which move with all that they depend on."""
    return all(known.outputs[output].dtype.kind == "f" for known in answer.record.expected)


def _untouched(answer: CallableAnswer, probe: Probe, output: str) -> bool:
    """Decide whether an output stays the same under the stronger changes of a probe too.

    A decision moves only if a limit is crossed, and a quotient may hide a factor.
    """
    for change in probe.stronger:
        for number, outputs in answer.again(change):
            if outputs is None or number >= len(answer.given):
                continue
            before, after = answer.given[number][output], outputs[output]
            if not answer.same(probe.part(before), probe.part(after), 1):
                return False
    return bool(probe.stronger)


def _moved_by(answer: CallableAnswer, changes: Sequence[Change], output: str) -> bool:
    """Decide whether one of the changes clearly moves an output."""
    return any(
        not answer.same(answer.given[number][output], outputs[output], CLEARLY)
        for change in changes
        for number, outputs in answer.again(change, most=MOST_CASES)
        if outputs is not None and number < len(answer.given) and _all_finite(outputs)
    )


def _wrong_elsewhere(answer: CallableAnswer, unless: Callable[[Case], bool], output: str) -> bool:
    """Decide whether an output is wrong in a case in which a fault could not show."""
    return any(
        unless(trial.case)
        and not answer.same(trial.expected.outputs[output], trial.actual.outputs[output], 1)
        for trial in answer.trials
    )


def _repetitions(record: Record) -> Iterator[Probe]:
    yield Probe(
        "again",
        lambda case: case,
        "{} is another one when the same inputs come a second time: your code keeps something "
        "from one call to the next.",
        sure=True,
    )
    chance = "{} is not the same in every call: something in your code is drawn at random."
    if record.cases[0].is_built:
        chance = (
            "{} is another one for each module that is built: yours has a parameter that the task "
            "does not name (a bias?), or it draws something at random."
        )
    yield Probe("seed", lambda case: case, chance, seed=OTHER_SEED, sure=True)


def _probes(record: Record) -> Iterator[Probe]:
    names = _names(record)
    for name in names:
        yield Probe(
            f"rest {name}",
            _on("inputs", name, partial(_changed_in_part, otherwise, rest=True)),
            "",
            f"{{}} moves with the first entry of `{name}` along its first axis, and not with the "
            "others, in any way that was tried.",
            stronger=[
                _on("inputs", name, partial(_changed_in_part, change, rest=True))
                for change in STRONGER
            ],
            decimals=True,
            but=[
                _on("inputs", name, partial(_changed_in_part, change, rest=False))
                for change in (otherwise, *STRONGER)
            ],
        )
    for part, changed in (("input", names), ("parameter", record.cases[0].parameters)):
        for name in changed:
            it = f"`{name}`" if part == "input" else f"the parameter `{name}`"
            yield Probe(
                f"{part} {name}",
                _on(f"{part}s", name, otherwise),
                f"{{}} depends on {it}, and should not.",
                f"{{}} stays the same when {it} changes, in every way that was tried: is it used, "
                "and can it change the result where it is used?",
                stronger=[_on(f"{part}s", name, change) for change in STRONGER],
            )
    for batch, place, one in (("batch", 0, "first"), ("batch from behind", -1, "last")):
        yield Probe(
            batch,
            partial(_others_changed, names, place),
            f"Along its first axis each entry of {{}} should be by itself, but the {one} depends "
            "on the others.",
            part=itemgetter(place),
            sure=True,
            placed=True,
            apart=True,  # else the first axis is no batch: beams of a search compete
        )
    for mask, name in itertools.permutations(names, 2):
        yield Probe(
            f"hidden {mask} {name}",
            partial(_hidden_changed, mask, name),
            f"{{}} depends on places of `{name}` that `{mask}` hides.",
            unless=partial(_hides_nothing, mask),
        )
    for name in names:
        yield Probe(
            f"later {name}",
            _on("inputs", name, _last_changed),
            f"In a batch, along axis 1, {{}} depends before its last place on the last place of "
            f"`{name}`, and should not.",
            f"In a batch, along axis 1, {{}} stays the same at each place but the last when the "
            f"last place of `{name}` changes: is a causal mask used where none is asked for?",
            part=lambda values: values[:, :-1],
            along=name,
            stronger=[_on("inputs", name, partial(_last_changed, times=-3.0))],
            but=[_on("inputs", name, _last_changed)],
            placed=True,
        )


def otherwise(value: Any) -> Any:
    """Return another value of the same type and within the same bounds; None if there is none."""
    if _is(value, torch.bool):
        emptied = value.dim() and (value.all(-1) & value.any(-1)).any()  # a row that allows nothing
        return torch.ones_like(value) if emptied and not value.all() else ~value
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


def _others_changed(names: Sequence[str], place: int, case: Case) -> Case | None:
    """Change all elements of a batch but that at a place; None if the inputs share no batch."""
    tensors = {name: value for name, value in case.inputs.items() if _is(value) and value.dim() > 1}
    batched = {name: tensor for name, tensor in tensors.items() if tensor.dim() > 2}
    tensors = batched or tensors  # beside these, tables with two axes are matrices
    lengths = {len(tensor) for tensor in tensors.values()}
    if len(lengths) != 1 or max(lengths) < 2:
        return None
    changed = {name: tensor.flip(-1) * 0.75 + 0.1 for name, tensor in tensors.items()}
    for name, tensor in tensors.items():
        changed[name][place] = tensor[place]
    return replace(case, inputs={**case.inputs, **changed})


def _hidden_changed(mask: str, name: str, case: Case) -> Case | None:
    """Change the places of an input that a padding mask hides from all queries."""
    hides, value = case.inputs.get(mask), case.inputs.get(name)
    if not (_is(hides, torch.bool) and _is(value) and hides.dim() and value.dim()):
        return None
    open_ = hides if hides.dim() < 3 else hides.flatten(1, -2).any(1)
    depth = open_.dim()
    if value.dim() <= depth or value.shape[:depth] != open_.shape or bool(open_.all()):
        return None
    shown = open_.reshape(*open_.shape, *[1] * (value.dim() - depth))
    return replace(case, inputs={**case.inputs, name: torch.where(shown, value, value * 0.5 + 1.0)})


def _changed_in_part(change: Callable[[Any], Any], value: Any, rest: bool) -> Any:
    """Change the first entry of an input along its first axis, or all the others."""
    if not isinstance(value, Tensor) or not value.dim() or len(value) < 2:
        return None
    new = change(value[1:] if rest else value[:1])
    if new is None:
        return None
    return torch.cat([value[:1], new] if rest else [new, value[1:]])


def _hides_nothing(mask: str, case: Case) -> bool:
    hides = case.inputs.get(mask)
    return hides is None or (_is(hides, torch.bool) and bool(hides.all()))


def _last_changed(value: Any, times: float = 0.5) -> Any:
    """Change the last place of each sequence in an input (batch, length, …)."""
    if not _is(value) or value.dim() < 3 or value.shape[1] < 2:
        return None
    return torch.cat([value[:, :-1], value[:, -1:] * times + 1.0], dim=1)
