"""Ask some questions of the item bank, one after the other, and judge each answer at once."""

import html
import random
from collections.abc import Sequence
from typing import Any

import traitlets

from utils.checks import bank
from utils.checks.feedback import to_html
from utils.checks.reviews import answered, reviews
from utils.items.choosing import chosen, version
from utils.items.item_bank import StoredItem, Version, items, place
from utils.items.marking import accepted
from utils.items.rendering import as_html
from utils.widgets.pictured import Linked

A_FEW, SOME = 3, 5  # questions of a warm-up, and of a review
IN_OTHER_NUMBERS = 3  # times that a page without a kernel has each question


class Questions(Linked):
    """A few questions, asked one by one: choose or type, see what is right and why, go on.

    With a kernel, each answer is kept, and decides when its question comes back. `warm_up` and
    `review` make one.
    """

    questions = traitlets.List(traitlets.Dict()).tag(sync=True)
    answers = traitlets.Dict().tag(sync=True)  # item → the option chosen; -1 is none of them
    endless = traitlets.Bool(False).tag(sync=True)  # whether to go on with what went wrong

    @traitlets.observe("answers")
    def _keep(self, change: Any) -> None:
        beliefs = {question["id"]: question["beliefs"] for question in self.questions}
        for item, option in change.new.items():
            if item not in change.old and item in beliefs:
                own = beliefs[item]
                answered(item, own[option] if option in range(len(own)) else "?")

    def __repr__(self) -> str:
        return "Questions: run this cell to answer them."

    def picture(self) -> str:
        return (
            "<ol>"
            + "".join(f"<li>{question['text']}</li>" for question in self.questions)
            + "</ol>"
        )


def question(item: StoredItem, now: Version) -> dict[str, Any]:
    """Return what the page gets of an item in one set of numbers; texts are HTML."""
    beliefs = bank.misconceptions()
    says = [
        f"{to_html(sentence(beliefs[slug].belief))} {to_html(beliefs[slug].advice)}" if slug else ""
        for slug in now.beliefs
    ]
    return {
        "id": item.id,
        "text": to_html(now.text),
        "shows": [as_html(part) for part in now.shows],
        "options": [as_html(option) for option in now.options],
        "typed": item.typed,
        "accepted": [accepted(option) for option in now.options] if item.typed else [],
        "right": now.right,
        "beliefs": [*now.beliefs],
        "says": says,
        "why": to_html(item.why),
        "where": html.escape(place(item)),
    }


def sentence(belief: str) -> str:
    """Return the sentence that tells somebody what an answer of theirs would mean."""
    return f"That is the answer of somebody who believes that {belief}."


def _asked(chosen_items: Sequence[StoredItem]) -> Questions:
    kept = reviews()
    return Questions(questions=[question(item, version(item, kept)) for item in chosen_items])


def warm_up(before: str) -> Questions:
    """Return three questions on the notebooks before one, in numbers that are new to the learner.

    Args:
        before: number of the notebook that is about to be read, "05".

    Raises:
        ValueError: there is no notebook before this one.
    """
    if not (first := chosen(A_FEW, before)):
        raise ValueError(f"no notebook with questions comes before {before!r}")
    return _asked(first)


def review() -> Questions:
    """Return five questions on the whole course: those that are due, or else new ones."""
    return _asked(chosen(SOME))


def whole_bank() -> Questions:
    """Return all questions but those of the tests, for a page without a kernel."""
    order = random.Random(0)
    asked = [
        question(item, now)
        for item in items().values()
        if not item.form
        for now in item.versions[:IN_OTHER_NUMBERS]
    ]
    order.shuffle(asked)
    return Questions(questions=asked, endless=True)
