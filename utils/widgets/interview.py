"""Show the questions of `docs/interview.md` as cards, and save how well each was answered."""

import traitlets

from utils.cards import read_cards
from utils.checks.progress_file import load_ratings, save_ratings
from utils.widgets.pictured import Linked


class InterviewSheet(Linked):
    """Cards with one interview question each: think, open the answer, rate yourself, go on.

    The ratings are saved in a file beside that of the predictions, and `progress()` counts them.
    Without a kernel the cards still work, but no rating is saved.
    """

    questions = traitlets.List(traitlets.Unicode()).tag(sync=True)  # as HTML
    answers = traitlets.List(traitlets.Unicode()).tag(sync=True)  # as HTML
    ratings = traitlets.Dict().tag(sync=True)  # question → the learner's own rating

    def __init__(self):
        cards = read_cards()
        super().__init__(
            questions=[card.question for card in cards],
            answers=[card.answer for card in cards],
            ratings=load_ratings(),
        )
        self.observe(lambda change: save_ratings(change.new), names="ratings")

    def picture(self) -> str:
        return "<ol>" + "".join(f"<li>{question}</li>" for question in self.questions) + "</ol>"
