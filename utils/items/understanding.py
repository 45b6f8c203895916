"""The tests before and after the course: keep a learner's answers, and show what has changed.

`answer` keeps an answer, and judges nothing; `understanding` shows the result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from utils.checks import bank
from utils.checks.feedback import BAD, Note
from utils.checks.progress_file import (
    UNDERSTANDING,
    load_test_answers,
    put_aside,
    save_test_answer,
)
from utils.items.item_bank import FORMS, StoredItem, form, items, place
from utils.items.marking import HELD, UNKNOWN, Mark, can_show, held, mark, normalised_gain, score

BEFORE, AFTER = FORMS
NOT_KEPT = f"Your answer is not kept: `{UNDERSTANDING.name}` cannot be written in the folder above."
LEFT, STAYED, CAME = "left", "stayed", "came"
SAYS = {
    LEFT: "Gone: before, your answers were those of somebody who believes that {}.",
    STAYED: "Still there: your answers are those of somebody who believes that {}.",
    CAME: "New: after the course, your answers are those of somebody who believes that {}.",
}


@dataclass(frozen=True)
class Sitting:
    """What a learner has answered to one of the two tests.

    Args:
        form: "A" or "B".
        answers: item → answer that `mark` can read; what is missing was not answered.
    """

    form: str
    answers: Mapping[str, str]

    @cached_property
    def items(self) -> Sequence[StoredItem]:
        """All items of the test, in their order."""
        return form(self.form)

    @cached_property
    def marks(self) -> Sequence[Mark]:
        """The mark of each item, in their order."""
        return [mark(item, self.answers.get(item.id, "")) for item in self.items]

    @property
    def answered(self) -> Sequence[StoredItem]:
        """The items that the learner has answered, also with "I do not know"."""
        return [item for item in self.items if self.answers.get(item.id)]

    @property
    def right(self) -> int:
        """How many answers are right."""
        return sum(each.right for each in self.marks)

    @property
    def score(self) -> float:
        """The share of all items that is right."""
        return score(self.marks)

    @cached_property
    def believed(self) -> Mapping[str, bool]:
        """Belief that the items answered can show → whether it counts as held."""
        sure = held(self.marks, can_show(self.answered))
        return {slug: sure[slug] >= HELD for slug in sure}


def fates(before: Sitting, after: Sitting) -> dict[str, str]:
    """Return belief → whether it "left", "stayed" or "came", of those that both tests can show."""
    changes = {(True, False): LEFT, (True, True): STAYED, (False, True): CAME}
    both = [
        (slug, (before.believed[slug], after.believed[slug]))
        for slug in before.believed
        if slug in after.believed
    ]
    return {slug: changes[pair] for slug, pair in both if any(pair)}


def sittings(answers: Mapping[str, str]) -> dict[str, Sitting]:
    """Return form → what was answered to it; forms without an answer are left out."""
    readable = {item: text for item, text in answers.items() if text and is_readable(item, text)}
    found = {}
    for name in FORMS:
        own = {item.id: readable[item.id] for item in form(name) if item.id in readable}
        if own:
            found[name] = Sitting(name, own)
    return found


def is_readable(item: str, text: str) -> bool:
    """Decide whether a text is an answer to an item of the bank."""
    try:
        mark(items()[item], text)
    except (KeyError, ValueError):
        return False
    return True


# --- In the notebook ------------------------------------------------------------------------------


def answer(item: str, given: str | float = "") -> Note:
    """Keep your answer to a question. It is not judged here.

    It never raises an exception: the note that it returns describes every problem.

    Args:
        item: name of the question, as it stands in the cell.
        given: the letter of an option in quotes, a number where one is asked for, or "?" if you do
            not know.
    """
    text = str(given).strip()
    asked = items().get(item)
    if asked is None or not asked.form:
        return Note(f"No question is called `{item}`", ["Leave the name as it was given."], BAD)
    try:
        mark(asked, text)
    except ValueError as error:
        return Note("This is not kept", [str(error)], BAD)
    if not text:
        return Note("Not answered yet", ['Write a letter between the quotes, or "?".'])
    lines = [] if save_test_answer(item, text) else [NOT_KEPT]
    return Note("Kept: I do not know" if text == UNKNOWN else f"Kept: {text}", lines + put_aside())


def understanding() -> Note:
    """Show how many of your answers are right, and once both tests are answered, what changed."""
    taken = sittings(load_test_answers())
    more = put_aside()
    if not taken:
        return Note("Nothing is answered yet", [*more, "Run the cells that you have completed."])
    if AFTER not in taken:
        return Note(_heading(taken[BEFORE]), [*_to_look_out_for(taken[BEFORE]), *more])
    if BEFORE not in taken:
        return Note(_heading(taken[AFTER]), [*_beliefs(taken[AFTER]), *more])
    return _compared(taken[BEFORE], taken[AFTER], more)


def _heading(taken: Sitting) -> str:
    when = "Before" if taken.form == BEFORE else "After"
    of = len(taken.items)
    left = of - len(taken.answered)
    return f"{when} the course: {taken.right} of {of} right" + (
        f", {left} not answered" if left else ""
    )


def _to_look_out_for(before: Sitting) -> list[str]:
    """Say where the course deals with what was not right, and keep the answers for later."""
    marked = zip(before.items, before.marks, strict=True)
    where = dict.fromkeys(place(item) for item, each in marked if not each.right)
    if not where:
        return ["All is right: look at the headings, and begin where something is new to you."]
    return [
        "The right answers come with the course. Look out for these places: "
        + "; ".join(where)
        + ".",
        f"Your answers are kept in `{UNDERSTANDING.name}`, until you take the test after the "
        "course.",
    ]


def _beliefs(taken: Sitting) -> list[str]:
    """Say which beliefs a test shows, where there is no other test to compare it with."""
    own = [slug for slug, is_held in taken.believed.items() if is_held]
    if not own:
        return ["No belief that leads astray shows in your answers."]
    says = "Your answers are those of somebody who believes that {}."
    return [_about(slug, says, taken.items) for slug in own]


def _about(slug: str, says: str, asked: Sequence[StoredItem]) -> str:
    """Return the sentence of a belief, what is true instead, and where the course explains it."""
    known = bank.misconceptions()[slug]
    where = dict.fromkeys(place(item) for item in asked if slug in item.versions[0].beliefs)
    return f"{says.format(known.belief)} {known.advice} ({'; '.join(where)})"


def _compared(before: Sitting, after: Sitting, more: Sequence[str]) -> Note:
    gain = normalised_gain(before.score, after.score)
    lines = []
    if gain == gain:  # something was missing before
        lines.append(
            f"Normalised gain: {gain:.2f}. It is the share of what was missing before that is "
            "there now: 1 is all, 0 nothing, and below 0 something was lost."
        )
    changed = fates(before, after)
    lines += [
        _about(slug, SAYS[fate], [*before.items, *after.items])
        for fate in (STAYED, CAME, LEFT)
        for slug, own in changed.items()
        if own == fate
    ]
    if not changed:
        lines.append("No belief that leads astray shows in your answers, before or after.")
    lines.append("Two or three questions on a belief are few: take this for where to look again.")
    rows = [["", "right", "not answered"]]
    for when, taken in (("before", before), ("after", after)):
        of = len(taken.items)
        rows.append([when, f"{taken.right} of {of}", f"{of - len(taken.answered)}"])
    return Note("Before and after the course", [*lines, *more], table=rows)
