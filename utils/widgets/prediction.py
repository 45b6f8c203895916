"""Ask for a guess before the answer can be seen, and show guess and answer side by side."""

import html
import re
from collections.abc import Sequence

import traitlets
from IPython import get_ipython
from IPython.display import display, update_display

from utils.checks.feedback import Note
from utils.checks.progress_file import CERTAIN, Guess, is_in_room, save_for_room, save_guess
from utils.widgets.pictured import Linked

CLOSE = 0.15  # share of the range by which a guess may differ and still be called close
NO_GUESS = "You made no guess this time."
GUESS_FIRST = "Guess first, then run this cell."
SURPRISE = (
    "You were certain, so this is worth a minute: what did you take for granted that is not so? "
    "Say it in a sentence before you read on."
)
FOLD = "<details class=answer-fold><summary>The answer</summary></details>"
FOLDED = """
.answer-fold { margin: 4px 0; } .answer-fold summary { cursor: pointer; }
.jp-OutputArea-child:has(.answer-fold:not([open])) ~ .jp-OutputArea-child:not(:has(.at-work)),
.output_area:has(.answer-fold:not([open])) ~ .output_area { display: none; }
"""
OPEN = """<script>if (globalThis.attentionLinks?.has("%s"))
document.currentScript.parentNode.querySelector(".answer-fold").open = true;</script>"""


class Prediction(Linked):
    """A form that asks for a guess: one of several options, or a number, and how sure it is.

    It works in the page: even without a kernel it shows the stored answer, but only to readers who
    have guessed. `predict` makes a prediction and displays it.
    """

    question = traitlets.Unicode().tag(sync=True)
    options = traitlets.List(traitlets.Unicode()).tag(sync=True)
    between = traitlets.List(traitlets.Float()).tag(sync=True)
    guess = traitlets.Unicode().tag(sync=True)
    certainty = traitlets.Unicode().tag(sync=True)
    answer = traitlets.Unicode().tag(sync=True)
    heard = traitlets.Bool(False).tag(sync=True)  # whether a guess has reached this kernel
    in_room = traitlets.Bool(False).tag(sync=True)  # whether a room counts the guess

    def __init__(
        self, question: str, options: Sequence[str], between: Sequence[float], close: float
    ):
        self._close = close
        self._seen = False  # whether the answer was seen before there was a guess
        super().__init__(
            question=question, options=list(options), between=list(between), in_room=is_in_room()
        )

    @traitlets.observe("guess")
    def _hear(self, _change: object) -> None:
        self.heard = True
        if is_in_room():
            save_for_room(self.question, self.guess)
        self._store()

    def _store(self) -> None:
        """Store guess and answer in the notebook: they are there when it is opened again."""
        if get_ipython():
            update_display(self, display_id=self.link)

    def __repr__(self) -> str:
        return f"Your prediction: {self.question}"

    def said(self) -> str:
        """Return what the reader has guessed."""
        return f"You said {self.guess} ({self.certainty})"

    def picture(self) -> str:
        question = f"<p>{html.escape(self.question)}</p>"
        if self.guess:
            answer = f"<details><summary>The answer</summary>{html.escape(self.answer)}</details>"
            return f"{question}<p>{html.escape(self.said())}.</p>{answer if self.answer else ''}"
        choices = "".join(f"<li>{html.escape(option)}</li>" for option in self.options)
        return question + (f"<ul>{choices}</ul>" if choices else "")

    def reveal(self, answer: str | float) -> "Answer":
        """Return the answer beside the guess, to be shown by the cell that computes the answer.

        A guess made before the answer was seen is saved.

        Args:
            answer: one of the options, or a number; a float counts as measured, an int as exact.

        Returns:
            An object for the last line of the cell, which displays answer and comparison.

        Raises:
            ValueError: the answer is not one of the options, or not a number although the question
                asks for one.
        """
        if self.options and answer not in self.options:
            raise ValueError(f"the answer {answer!r} is not among the options {self.options}")
        if isinstance(answer, str) == bool(self.between):
            raise ValueError(f"the answer to a question for a number is a number, not {answer!r}")
        measured = isinstance(answer, float)
        self.answer = f"≈ {answer:.3g}" if measured else f"{answer}"
        self._store()
        if not self.guess:
            self._seen = True
            return Answer(self.answer, NO_GUESS)
        if self.between:
            gap = float(answer) - float(self.guess)
            came_true = abs(gap) <= self._close
            verdict = f"{abs(gap):.3g} too {'low' if gap > 0 else 'high'}" if gap else "just so"
            verdict = f"{verdict}, which is close" if came_true and gap else verdict
        else:
            came_true = answer == self.guess
            verdict = "just so" if came_true else "it came out otherwise"
        if not self._seen:
            save_guess(self.question, Guess(self.guess, self.certainty, self.answer, came_true))
        surprise = [] if came_true or self.certainty != CERTAIN else [SURPRISE]
        return Answer(self.answer, f"{self.said()}: {verdict}.", *surprise)


class AnswerFold:
    """The fold over the outputs of the cell that reveals an answer, in whatever shows a notebook.

    It is closed unless a guess has reached the kernel that is running. JupyterLab shows the first
    line of a folded output, so that line must not be the answer.
    """

    def __init__(self, prediction: Prediction):
        self._link = prediction.link if prediction.guess else ""
        self._said = f"{prediction.said()}." if prediction.guess else GUESS_FIRST

    def __repr__(self) -> str:
        return self._said

    def _repr_html_(self) -> str:
        fold = f"{html.escape(self._said)}\n{FOLD}"
        return f"{fold}<style>{FOLDED}</style>" + (OPEN % self._link if self._link else "")


def _fold_answer(info) -> None:
    """Display a fold, if the cell about to run reveals an answer."""
    for name in re.findall(r"(\w+)\.reveal\(", info.raw_cell):
        prediction = get_ipython().user_ns.get(name)
        if isinstance(prediction, Prediction):
            display(AnswerFold(prediction))


class Answer:
    """An answer with its comparison to the guess; as plain text it shows the answer alone."""

    def __init__(self, answer: str, *comparison: str):
        self._answer, self._comparison = answer, comparison

    def __repr__(self) -> str:
        return f"The answer: {self._answer}"

    def _repr_html_(self) -> str:
        return Note(repr(self), self._comparison)._repr_html_()


def predict(
    question: str,
    options: Sequence[str] = (),
    *,
    between: tuple[float, float] | None = None,
    close: float | None = None,
) -> Prediction:
    """Ask the reader to guess an answer: one of several options, or a number.

    Args:
        question: one sentence; the guess is saved under it.
        options: the answers to choose from.
        between: the smallest and the largest number that may be guessed, if a number is asked for.
        close: how far from the answer a guessed number counts as close; by default 15 % of the
            range.

    Returns:
        The prediction, which is displayed already. Call its `reveal` in the last line of the cell
        that computes the answer.

    Raises:
        ValueError: neither options nor a range is given, or both are.
    """
    if bool(options) == (between is not None):
        raise ValueError("a prediction needs either options or a range, between=(low, high)")
    low, high = between or (0, 0)
    tolerance = CLOSE * (high - low) if close is None else close
    prediction = Prediction(question, options, between or (), tolerance)
    display(prediction, display_id=prediction.link)
    if shell := get_ipython():
        shell.events.register("pre_run_cell", _fold_answer)
    return prediction
