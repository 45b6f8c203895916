"""Watch a language model write on from a beginning, token by token."""

import html
import math
from collections.abc import Iterator
from typing import Any

import traitlets
from torch import nn

from utils.pretrained.watching import COUNT, recordings, watch
from utils.widgets.pictured import Linked

LONGEST = 200  # tokens that a text can have; the page asks for fewer


class Writer(Linked):
    """A widget that writes on from a beginning, and shows what else was likely at each place.

    The page asks for one token at a time, so that cells can run in between, and that the writing
    ends when it stops asking. It sends `{"run": name, "write": [beginning, temperature, seed]}` for
    the first token of a text, and `{"run": name}` for each after it. It gets `{"run": name,
    "token": …}`, as `watch` yields it, or None where the model ends the text; or `{"run": name,
    "failed": reason}`. `{"hello": True}` is answered with `{"here": whether there is a model}`:
    without one, or without a kernel, the page plays recordings.

    Args:
        beginning: the text at the start.
        model, tokens: as `open_model` returns them, with or without the real model.

    Raises:
        ValueError: the beginning is empty.
    """

    beginning = traitlets.Unicode().tag(sync=True)
    temperature = traitlets.Float(0.0).tag(sync=True)
    count = traitlets.Int(COUNT).tag(sync=True)  # of tokens
    longest = traitlets.Int(LONGEST).tag(sync=True)  # the most that `count` can be
    recordings = traitlets.List().tag(sync=True)

    def __init__(self, beginning: str, model: Any, tokens: Any):
        if not beginning.strip():
            raise ValueError("there is nothing to go on from: give the writer a beginning")
        self._model, self._tokens = model, tokens
        self._run, self._text = "", iter(())
        super().__init__(beginning=beginning, recordings=recordings())
        self.on_msg(self._answer)

    def _answer(self, _widget: object, content: dict, _buffers: object) -> None:
        """Tell the page whether there is a model, or send it the next token of a text."""
        if "hello" in content:
            self.send({"here": isinstance(self._model, nn.Module)})
            return
        run = content["run"]
        try:
            self.send({"run": run, "token": next(self._text_of(content), None)})
        except Exception as error:  # the model may run a learner's own functions
            self.send({"run": run, "failed": f"{type(error).__name__}: {error}"})

    def _text_of(self, content: dict) -> Iterator[list]:
        """Return the tokens still to come of the text that the page asks for."""
        if "write" in content:
            beginning, temperature, seed = content["write"]
            self._run = content["run"]
            self._text = watch(self._model, self._tokens, beginning, LONGEST, temperature, seed)
        return self._text if content["run"] == self._run else iter(())

    def picture(self) -> str:
        wanted = (self.beginning, self.temperature)
        found = [one for one in self.recordings if (one["beginning"], one["temperature"]) == wanted]
        written = "".join(map(_chip, found[0]["tokens"])) if found else " …"
        return (
            f'<p style="line-height:1.9;max-width:46em"><b>{html.escape(self.beginning)}</b>'
            f"{written}</p><p><small>A recording: the less likely a token was, the darker. Run the "
            "cell, and write a beginning of your own.</small></p>"
        )


def _chip(token: list) -> str:
    """Return a token as HTML, shaded if it was unlikely, with its probability as a title."""
    text, place, likeliest = token
    chance = likeliest[place][1]
    shade = min(0.55, 0.05 * max(0.0, -math.log2(max(chance, 1e-9)) - 1))
    shown = html.escape(text).replace("\n", "↵<br>")
    return (
        f'<span title="{chance:.1%}" style="border-bottom:2px solid #8888;margin-right:1px;'
        f'background:rgba(222,143,5,{shade:.2f})">{shown}</span>'
    )
