"""Change one place in a wrong answer's code, and see what is still wrong with it.

Two slips hide each other. If one is mended, the values are right, or those of a known mistake: the
other slip. A change is told only if the answer, run with it, returns what the sentence says.
"""

import ast
import copy
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from utils.checks.compare import agree, are_close, listed, outputs_alike
from utils.checks.diagnosis.behaviours import otherwise
from utils.checks.diagnosis.edits import Edit, definitions, edits
from utils.checks.diagnosis.lines import Pointer, how_far
from utils.checks.diagnosis.relations import (
    BITS,
    ENOUGH,
    MOST_LABELS,
    evidence_in,
    speaks_against,
)
from utils.checks.runner import SPARE, VERIFYING, Rerun
from utils.checks.tasks import Answer, Case, Mistake, Record, Trial
from utils.checks.trace import HUGE, LONGEST_LINE, Lines

BATCH = 40  # edits that are tried before the next ones are made
MOST_EDITS = 1000
MOST_VERIFIED = 10  # edits of a kind that are tried in all cases
BITS_OF_A_CHOICE = 10  # a thousand edits are tried
ORDINALS = ("first", "second", "third", "fourth")  # of places that look alike
LAST = 0.15  # seconds that are left when pairs of changes have been tried

Outputs = Mapping[str, np.ndarray]


class Editable(NamedTuple):
    """An answer whose code can be changed.

    Args:
        source: the cell that defines it.
        rerun: what runs changed code in its place.
    """

    source: str
    rerun: Rerun


class Repairs:
    """The search for a place at which a change mends an answer, or a part of it.

    Args:
        record: the task, its cases and the expected values.
        trials: the cases in which the answer returned something.
        answer: the answer, whose code can be changed.
    """

    def __init__(self, record: Record, trials: Sequence[Trial], answer: Editable):
        self.record, self.source, self.rerun = record, *answer
        self.moving: list[Edit] = []  # what has changed anything in the first wrong case
        self.after: dict[str, list[Outputs | None]] = {}  # code → its outputs in all cases
        self.in_most_cases: Pointer | str = ""  # what is said if there is nothing better
        self.spare = SPARE
        self.tolerance = record.task.tolerance
        self.given = [trial.actual.outputs for trial in trials]
        self.given += [None] * (len(record.cases) - len(trials))
        self.expected = [known.outputs for known in record.expected]
        self.counts = all(x.dtype.kind == "i" for known in self.expected for x in known.values())
        self.known = {
            mistake: [known.outputs for known in record.mistaken[mistake.name]]
            for mistake in record.task.mistakes
        }

    def describe(self) -> Pointer | str:
        """Return a sentence on the first change that mends something; "" if none does."""
        first = self._first_wrong
        if self._right(first, self.given[first]):
            return ""
        parts: list[Edit] = []
        left: list[tuple[Edit, Mistake]] = []
        by_shape = self.given[first] is None or any(
            self.given[first][name].shape != values.shape
            for name, values in self.expected[first].items()
        )
        tree = definitions(self.source)
        lines = self._lines(first)
        near, sound = how_far(self.record, first, lines)[1], self._sound(lines)
        for edit, outputs in self._tried(edits(tree, by_shape, near), first):
            if outputs is None or self._alike_given(first, outputs):
                continue
            if edit.wraps and edit.line in sound:  # a step more, where a right output needs none
                continue
            self.moving.append(edit)
            if self._right(first, outputs):
                if self._in_all_cases(edit, self.expected):
                    return self._words(edit, "makes all that your answer returns right.")
                parts.append(edit)
                after = self._after(edit)
                left += [(edit, x) for x, known in self.known.items() if self._makes(known, after)]
                continue
            wrong = self._wrong_outputs(first)
            helps = any(self._same(first, name, outputs) for name in wrong)
            if helps or (edit.sure and self.given[first] is None):
                parts.append(edit)
            for mistake, known in self.known.items():
                if self._alike(known[first], outputs):
                    left.append((edit, mistake))
        for edit, mistake in left[:MOST_VERIFIED]:
            if self._leaves(edit, mistake):
                return self._words(
                    edit, f"leaves one fault{self._where(edit, mistake)}: {mistake.explanation}"
                )
        parts.sort(key=lambda edit: edit.takes_away)  # what is missing then may be its own work
        for edit in parts[:MOST_VERIFIED]:
            if sentence := self._in_part(edit):
                return sentence
        return ""

    def describe_two(self) -> Pointer | str:
        """Describe two changes that mend all, after `describe` has found none; "" if none do.

        Pairs are too many to be tried. The first change has to bring the answer further: its lines
        then compute more of what right answers do, before they leave these. No step is put in,
        since the second change could take back what stands for it.
        """
        if not self.record.steps:
            return ""
        self.spare, first = LAST, self._first_wrong
        tree = definitions(self.source)
        codes = [ast.unparse(tree), *(edit.code for edit in self.moving)]
        traces = self.rerun.edited_lines(codes, self.record.cases[first])
        reached = {
            code: how_far(self.record, first, lines)[0]
            for code, lines in zip(codes, traces, strict=True)
        }
        begin = reached.pop(codes[0])
        further = {code for code, far in reached.items() if far > begin}
        for edit in edits(tree, False, wraps=False) if further else []:
            if edit.code in further:
                others = edits(copy.deepcopy(tree), False, wraps=False)
                for second, outputs in self._tried(others, first):
                    if self._right(first, outputs) and self._in_all_cases(second, self.expected):
                        both = listed([self._place(each) for each in (edit, second)])
                        words = (
                            f"Two small changes make all that your answer returns right: {both}."
                        )
                        return Pointer(words, edit.line, self.record.cases[first])
        return ""

    def _lines(self, number: int) -> Lines | None:
        """Return what the answer's lines compute in a case; None if no right answer is traced."""
        return self.rerun.trace([self.record.cases[number]])[0] if self.record.steps else None

    def _sound(self, lines: Lines | None) -> set[int]:
        """Return the lines on which outputs rest that are right in all cases."""
        origins = lines.origins if lines else ()
        right = set(self.record.task.outputs).difference(
            *(self._wrong_outputs(number) for number in range(len(self.given)))
        )
        named = zip(self.record.task.outputs, origins, strict=False)
        return {line for name, rests_on in named if name in right for line in rests_on}

    def _tried(self, all_edits: Iterator[Edit], number: int) -> Iterator[tuple[Edit, Outputs]]:
        case = self.record.cases[number]
        some = itertools.islice(all_edits, MOST_EDITS)
        while self.rerun.has_time(self.spare) and (batch := [*itertools.islice(some, BATCH)]):
            codes = [edit.code for edit in batch]
            yield from zip(batch, self._run(codes, [case]), strict=True)

    def _run(self, codes: Sequence[str], cases: Sequence[Case]) -> list[Outputs | None]:
        return self.rerun.edited(codes, cases, self.spare)

    def _after(self, edit: Edit) -> list[Outputs | None]:
        """Return the outputs after a change in all cases."""
        if edit.code not in self.after:
            self.after[edit.code] = self._run([edit.code], self.record.cases)
        return self.after[edit.code]

    def _same(self, number: int, name: str, outputs: Outputs) -> bool:
        return are_close(self.expected[number][name], outputs[name], self.tolerance)

    def _alike(self, known: Outputs, outputs: Outputs | None) -> bool:
        return outputs is not None and all(
            are_close(values, outputs[name], self.tolerance) for name, values in known.items()
        )

    def _alike_given(self, number: int, outputs: Outputs) -> bool:
        given = self.given[number]
        return given is not None and self._alike(given, outputs)

    def _right(self, number: int, outputs: Outputs | None) -> bool:
        return self._alike(self.expected[number], outputs)

    def _wrong_outputs(self, number: int) -> list[str]:
        given = self.given[number]
        names = self.record.task.outputs
        return [name for name in names if given is None or not self._same(number, name, given)]

    def _in_all_cases(self, edit: Edit, known: Sequence[Outputs]) -> bool:
        return all(map(self._alike, known, self._after(edit)))

    def _leaves(self, edit: Edit, mistake: Mistake) -> bool:
        """Decide whether a change leaves a known mistake, and one that was there before it."""
        known, after = self.known[mistake], self._after(edit)
        if not self._makes(known, after):
            return False
        if any(
            self._right(number, given) and not self._right(number, known[number])
            for number, given in enumerate(self.given)
        ) or any(speaks_against(self.record, mistake, each) for each in (self.given, after)):
            return False  # the change makes the mistake, or mends it
        if self._blows_up(after) or not self._nears(after) or self._makes_idle(edit, known):
            return False
        if edit.words and None in self.given:
            return True
        if self._bits(known) < ENOUGH + BITS_OF_A_CHOICE:
            return False
        decides = any(values.dtype.kind != "f" for values in known[0].values())
        if decides and edit.wraps:  # a step that is put in may do nothing but undo another
            return False
        if not edit.takes_away and not decides:  # decisions often agree by chance
            return True
        return self._bits(known, self.given) >= ENOUGH or self._mends_elsewhere(edit)

    def _makes(self, known: Sequence[Outputs], after: Sequence[Outputs | None]) -> bool:
        """Decide whether outputs are a known mistake's, but where either holds NaN or infinity."""
        if None in after:
            return False
        trials = [
            Trial(case, Answer(theirs), Answer(outputs))
            for case, theirs, outputs in zip(self.record.cases, known, after, strict=True)
        ]
        return outputs_alike(self.record.task, trials, finite_only=True) == [*known[0]]

    def _where(self, edit: Edit, mistake: Mistake) -> str:
        """Say where a change leaves a mistake alone: NaN and infinity may have another cause."""
        everywhere = self._in_all_cases(edit, self.known[mistake])
        return "" if everywhere else " where all numbers are finite"

    def _blows_up(self, after: Sequence[Outputs]) -> bool:
        """Decide whether a change makes NaN or infinity where an answer has numbers."""
        return any(
            values.dtype.kind == given[name].dtype.kind == "f"
            and values.shape == given[name].shape
            and bool((np.isfinite(given[name]) & ~np.isfinite(values)).any())
            for outputs, given in zip(after, self.given, strict=True)
            for name, values in outputs.items()
            if given is not None
        )

    def _nears(self, after: Sequence[Outputs]) -> bool:
        """Decide whether a change brings an output nearer to the right one in some case.

        Where shapes are wrong, or no number is a decimal, that cannot be seen.
        """
        seen = False
        for given, now, right in zip(self.given, after, self.expected, strict=True):
            for name, values in right.items():
                triple = ((given or {}).get(name), now[name], values)
                if any(x is None or x.shape != values.shape or x.dtype.kind != "f" for x in triple):
                    continue
                fits = [agree(values, x, self.tolerance) for x in triple[:2]]
                off = [
                    np.nan_to_num(np.abs(x - values, dtype=float), nan=HUGE, posinf=HUGE)
                    for x in triple[:2]
                ]
                before, behind = (np.where(f, 0.0, x) for f, x in zip(fits, off, strict=True))
                wrong = ~fits[0]
                seen = seen or bool(wrong.any())
                if wrong.any() and behind.mean() < before.mean() - self.tolerance:
                    return True
        return not seen

    def _makes_idle(self, edit: Edit, known: Sequence[Outputs]) -> bool:
        """Decide whether anything has moved the answer and does not any more after a change.

        What is left then, such as a mask that hides nothing or a norm that is not used, is the
        change's fault. It is asked in a case in which the change, which leaves the `known` outputs,
        makes a difference.
        """
        pairs = enumerate(zip(self.given, known, strict=True))
        moved = (n for n, (given, after) in pairs if not self._alike(after, given))
        case = self.record.cases[next(moved, self._first_wrong)]
        others = [
            replace(case, **{part: {**given, name: new}})
            for part, given in (("inputs", case.inputs), ("parameters", case.parameters))
            for name, value in given.items()
            if (new := otherwise(value)) is not None
        ]
        codes = [self.source, edit.code]
        runs = self._run(codes, [case, *others])
        before, after = runs[: len(runs) // 2], runs[len(runs) // 2 :]
        if None in (before[0], after[0]) or not self.rerun.has_time(self.spare - VERIFYING):
            return True  # it could not be asked: then nothing is said
        return any(
            not are_close(before[0][name], one[name], self.tolerance)
            and are_close(after[0][name], other[name], self.tolerance)
            for one, other in zip(before, after, strict=True)
            if one is not None and other is not None
            for name in self.record.task.outputs
        )

    def _bits(
        self, known: Sequence[Outputs], given: Sequence[Outputs | None] | None = None
    ) -> float:
        """Return the bits of evidence in what a known mistake makes wrong.

        With `given`, they are those of wrong outputs that an answer returns somewhere.
        """
        return sum(
            self._evidence_in_wrong(self.expected[number][name], values)
            for number, outputs in enumerate(known)
            for name, values in outputs.items()
            if given is None
            or any(are_close(values, own, self.tolerance) for own in (given[number] or {}).values())
        )

    def _evidence_in_wrong(self, expected: np.ndarray, values: np.ndarray) -> float:
        wrong = values
        if expected.shape == values.shape:
            wrong = values[~np.isclose(expected, values, equal_nan=True)]
        if wrong.dtype.kind == "f":  # of other kinds, wrong ones are often all alike
            return evidence_in(wrong[np.isfinite(wrong)], self.tolerance)
        return BITS.get(wrong.dtype.kind, 0) * wrong.size

    def _mends_elsewhere(self, edit: Edit) -> bool:
        """Decide whether after a change, another one at another place makes all right."""
        tree = definitions(self.source)
        first = self._first_wrong
        for same in edits(tree, False):
            if same.code == edit.code:
                others = edits(copy.deepcopy(tree), False, wraps=False)  # none may take it back
                for other, outputs in self._tried(others, first):
                    if self._right(first, outputs) and self._in_all_cases(other, self.expected):
                        return True
                return False
        return False

    def _in_part(self, edit: Edit) -> Pointer | str:
        """Describe a change that makes some outputs right, or some cases, and none wrong."""
        if edit.place.isdigit() and self.counts:  # another number may stand in for what is missing
            return ""
        after = self._after(edit)
        if None in after:
            return ""
        names = self.record.task.outputs

        def right(name: str, returned: Sequence[Outputs | None]) -> list[bool]:
            return [
                outputs is not None and self._same(number, name, outputs)
                for number, outputs in enumerate(returned)
            ]

        before, now = ({name: right(name, each) for name in names} for each in (self.given, after))
        if any(b and not n for name in names for b, n in zip(before[name], now[name], strict=True)):
            return ""
        bits = sum(
            BITS.get(values.dtype.kind, 0) * values.size
            for name in names
            for number, values in enumerate(known[name] for known in self.expected)
            if now[name][number] and not before[name][number]
        )
        if bits < ENOUGH:
            if edit.sure and self._right_shapes(after):
                return self._words(edit, "makes all shapes right, but not yet all values.")
            return ""
        answered = [outputs is not None for outputs in self.given]
        seen_right = {  # nothing was wrong with it, before the answer failed
            name
            for name in names
            if any(answered) and all(itertools.compress(before[name], answered))
        }
        whole = [
            f"`{name}`"
            for name in names
            if all(now[name]) and not all(before[name]) and name not in seen_right
        ]
        if whole:
            others = [f"`{name}`" for name in names if not all(now[name])]
            differ = "differs" if len(others) == 1 else "differ"
            return self._words(
                edit, f"makes {listed(whole)} right. Then only {listed(others)} {differ}."
            )
        if bits >= ENOUGH + BITS_OF_A_CHOICE and not self.in_most_cases:
            self.in_most_cases = self._in_most_cases(edit, before, now)
        return ""

    def _in_most_cases(
        self, edit: Edit, before: Mapping[str, list[bool]], now: Mapping[str, list[bool]]
    ) -> Pointer | str:
        """Describe a change that makes an output right in most cases; name those that it leaves."""
        for name, right in now.items():
            decides = self.expected[0][name].dtype.kind != "f"
            if edit.place.isdigit() and decides:  # most numbers choose alike in most cases
                continue
            left = [
                case.label for case, done in zip(self.record.cases, right, strict=True) if not done
            ]
            gained = sum(right) - sum(before[name])
            enough = 0 if edit.words else len(left)  # a slip that has a name is one by itself
            if gained > enough and 0 < len(left) <= MOST_LABELS:
                effect = f"makes `{name}` right in all cases but these: {'; '.join(left)}."
                return self._words(edit, effect)
        return ""

    def _right_shapes(self, returned: Sequence[Outputs]) -> bool:
        return all(
            outputs[name].shape == values.shape
            for outputs, known in zip(returned, self.expected, strict=True)
            for name, values in known.items()
        )

    def _line(self, edit: Edit) -> str:
        return self.source.splitlines()[edit.line - 1].strip()[:LONGEST_LINE]

    def _place(self, edit: Edit) -> str:
        written, text, which = self.source.splitlines()[edit.line - 1], self._line(edit), ""
        place = edit.place
        if place not in written:  # brackets, and signs for strings, are as the learner has set them
            place = written.encode()[edit.begin : edit.end].decode()
        if not place or edit.wraps or place == text.partition("#")[0].strip():
            return f"`{text}` (line {edit.line})"
        whole = re.compile(rf"(?<!\w){re.escape(place)}(?!\w)")
        ends = [x.end() for x in whole.finditer(written)]
        if len(ends) > 1 and edit.end in ends[: len(ORDINALS)]:
            which = f"the {ORDINALS[ends.index(edit.end)]} "
        return f"{which}`{place}` in `{text}` (line {edit.line})"

    def _words(self, edit: Edit, effect: str) -> Pointer:
        if len(edit.lines) > 1:
            lines = listed([str(line) for line in edit.lines])
            words = f"{edit.words} (Lines {lines}.) Made in all of them, that change {effect}"
        elif edit.words:
            text = self._line(edit)
            words = f"{edit.words} (Line {edit.line}, `{text}`.) That change {effect}"
        else:
            words = f"Look at {self._place(edit)}: one small change there {effect}"
        return Pointer(words, edit.line, self.record.cases[self._first_wrong])

    @property
    def _first_wrong(self) -> int:
        """The first of the cases in which most outputs are wrong: some cases hide some slips."""
        return max(range(len(self.given)), key=lambda number: len(self._wrong_outputs(number)))
