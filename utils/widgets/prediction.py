"""Ask for a guess before the answer can be seen, and show guess and answer side by side."""

import html
import re
from collections.abc import Sequence
from pathlib import Path

import anywidget
import traitlets
from IPython import get_ipython
from IPython.display import display

from utils.checks.feedback import Note
from utils.checks.memory import Guess, save_guess
from utils.widgets.pictured import Pictured

CLOSE = 0.15  # share of the range by which a guess may differ and still be called close


class Prediction(Pictured, anywidget.AnyWidget):
    """A form that asks for a guess: one of several options, or a number, and how sure it is.

    It works in the page: even without a kernel it shows the stored answer, but only to readers who
    have guessed. `predict` makes a prediction and displays it.
    """

    _esm = Path(__file__).with_suffix(".js")
    question = traitlets.Unicode().tag(sync=True)
    options = traitlets.List(traitlets.Unicode()).tag(sync=True)
    between = traitlets.List(traitlets.Float()).tag(sync=True)
    guess = traitlets.Unicode().tag(sync=True)
    certainty = traitlets.Unicode().tag(sync=True)
    answer = traitlets.Unicode().tag(sync=True)
    heard = traitlets.Bool(False).tag(sync=True)  # whether a guess has reached this kernel

    def __init__(
        self, question: str, options: Sequence[str], between: Sequence[float], close: float
    ):
        self._close = close
        self._seen = False  # whether the answer was seen before there was a guess
        super().__init__(question=question, options=list(options), between=list(between))

    @traitlets.observe("guess")
    def _hear(self, _change: object) -> None:
        self.heard = True

    def __repr__(self) -> str:
        return f"Your prediction: {self.question}"

    def picture(self) -> str:
        choices = "".join(f"<li>{html.escape(option)}</li>" for option in self.options)
        return f"<p>{html.escape(self.question)}</p>" + (f"<ul>{choices}</ul>" if choices else "")

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
            verdict = "just so" if came_true else "something else"
        if not self._seen:
            save_guess(self.question, Guess(self.guess, self.certainty, self.answer, came_true))
        return Answer(self.answer, f"You said {self.guess} ({self.certainty}): {verdict}.")


NO_GUESS = "You made no guess this time."


class GuessFirst:
    """The line "Guess first, then run this cell." above an answer that nobody has guessed yet.

    JupyterLab shows the first line of a folded output, so that line must not be the answer.
    """

    def __repr__(self) -> str:
        return "Guess first, then run this cell."


def _hide_answer(info) -> None:
    """Display `GuessFirst` if the cell about to run reveals an answer that nobody has guessed."""
    for name in re.findall(r"(\w+)\.reveal\(", info.raw_cell):
        prediction = get_ipython().user_ns.get(name)
        if isinstance(prediction, Prediction) and not prediction.guess:
            display(GuessFirst())


class Answer:
    """An answer with its comparison to the guess; as plain text it shows the answer alone."""

    def __init__(self, answer: str, comparison: str):
        self._answer, self._comparison = answer, comparison

    def __repr__(self) -> str:
        return f"The answer: {self._answer}"

    def _repr_html_(self) -> str:
        return Note(repr(self), [self._comparison])._repr_html_()


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
    display(prediction)
    if shell := get_ipython():
        shell.events.register("pre_run_cell", _hide_answer)
    return prediction
