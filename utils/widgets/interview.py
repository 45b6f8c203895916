"""Show the questions of `docs/interview.md` as cards, and save how well each was answered."""

import re
from pathlib import Path

import anywidget
import traitlets

from utils.checks.feedback import to_html
from utils.checks.memory import load_ratings, save_ratings
from utils.widgets.pictured import Pictured

SHEET = Path(__file__).parents[2] / "docs" / "interview.md"
CARD = re.compile(
    r"^\*\*\d+\. (?P<question>.+?)\*\*\n\n<details><summary>Answer</summary>\n\n"
    r"(?P<answer>.+?)\n\n</details>",
    flags=re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


class InterviewSheet(Pictured, anywidget.AnyWidget):
    """Cards with one interview question each: think, open the answer, rate yourself, go on.

    The ratings are saved in a file beside that of the predictions, and `progress()` counts them.
    Without a kernel the cards still work, but no rating is saved.
    """

    _esm = Path(__file__).with_suffix(".js")
    questions = traitlets.List(traitlets.Unicode()).tag(sync=True)  # as HTML
    answers = traitlets.List(traitlets.Unicode()).tag(sync=True)  # as HTML
    ratings = traitlets.Dict().tag(sync=True)  # question → the learner's own rating

    def __init__(self, sheet: Path = SHEET):
        cards = list(CARD.finditer(sheet.read_text(encoding="utf-8")))
        super().__init__(
            questions=[_as_html(card["question"]) for card in cards],
            answers=[
                "".join(f"<p>{_as_html(text)}</p>" for text in card["answer"].split("\n\n"))
                for card in cards
            ],
            ratings=load_ratings(),
        )
        self.observe(lambda change: save_ratings(change.new), names="ratings")

    def picture(self) -> str:
        return "<ol>" + "".join(f"<li>{question}</li>" for question in self.questions) + "</ol>"


def _as_html(text: str) -> str:
    """Render a paragraph of the sheet as HTML; a link becomes its text alone."""
    return to_html(LINK.sub(r"\1", " ".join(text.split())))
