"""An explorer of all heads of the course's real model: what each looks at, and what it is for."""

from typing import Any

import traitlets

from utils.plots import head_grid
from utils.pretrained import CausalLM, NotHereError
from utils.pretrained.record import likeliest, next_chances, read_recorded, read_text, unpack
from utils.pretrained.tokens import Tokens
from utils.widgets.pictured import Linked

MOST = 40  # tokens of a text that is typed
NEEDS_MODEL = "Texts of your own need the model: ModelHeadsExplorer(model, tokens)."
BY_LAYER = -1
KINDS_SHOWN = 3  # in the stored picture: one head of each kind but the rest


class ModelHeadsExplorer(Linked):
    """Thumbnails of all heads of a model, one large map, and the next words without some heads.

    A dozen texts are recorded (`python -m utils.pretrained.record`), each with any single head off,
    and with a few groups. They need neither model nor kernel. A text of one's own, and any other
    set of heads, need both: the page asks, and `answer` answers.

    Args:
        model, tokens: as `open_model` returns them; without them, only the recorded texts.

    Raises:
        ValueError: the model has other numbers of layers or heads than the recorded one.
    """

    recorded = traitlets.Dict().tag(sync=True)
    sentence = traitlets.Int(0).tag(sync=True)  # index of a recorded text; −1: one that was typed
    order = traitlets.Int(BY_LAYER).tag(sync=True)  # index of the kind by which heads are sorted
    head = traitlets.Int().tag(sync=True)  # layer · heads + head: the one that is shown large
    off = traitlets.List(traitlets.Int()).tag(sync=True)  # heads that are off

    def __init__(self, model: CausalLM | None = None, tokens: Tokens | None = None):
        recorded = read_recorded()
        self._model, self._tokens = model, tokens
        try:
            a = model.architecture if model is not None else None
        except NotHereError:
            a = None
        if a and (a.layers, a.heads) != (recorded["layers"], recorded["heads"]):
            raise ValueError(
                f"the recorded model has {recorded['layers']} layers of {recorded['heads']} heads, "
                f"this one {a.layers} of {a.heads}"
            )
        repeats = recorded["kinds"][KINDS_SHOWN - 1]
        super().__init__(recorded=recorded, head=best_of(repeats))
        self.on_msg(lambda _widget, content, _buffers: self.send(self.answer(content)))

    def picture(self) -> str:
        sentence = self.recorded["sentences"][max(0, self.sentence)]
        kinds = self.recorded["kinds"][:KINDS_SHOWN]
        names = [f"{name_of(best_of(kind), self.recorded)}: {kind['name']}" for kind in kinds]
        maps = unpack(sentence)[[best_of(kind) for kind in kinds]]
        words = [token.strip() or "␣" for token in sentence["tokens"]]
        alt = (
            f"Three of {len(kinds[0]['scores'])} heads of a language model that reads "
            f"“{sentence['text']}”. One looks at the first token, one at the token "
            "before, and one at what came after the same token earlier in the text."
        )
        return head_grid(maps, words, words, names, alt, within=True).to_html()

    def answer(self, content: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to what the page asks.

        Args:
            content: {"hello": True}, {"read": text}, or {"text": text, "off": heads}.

        Returns:
            {"ready": True}; {"sentence": the text as `read_text` returns it}; {"text": text, "off":
            heads, "best": as `likeliest`}; or {"failed": why not}.
        """
        try:
            if self._model is None:
                return {"failed": NEEDS_MODEL}
            ids = self._tokens.encode(content.get("read") or content.get("text") or "")
            if "hello" in content:
                return {"ready": True}
            if not 1 <= ids.shape[1] <= MOST:
                return {"failed": f"Type 1 to {MOST} tokens, please; these are {ids.shape[1]}."}
            if "read" in content:
                read = read_text(self._model, self._tokens, ids)
                return {"sentence": {"text": content["read"], **read}}
            before, now = (next_chances(self._model, ids, off) for off in ((), content["off"]))
            return {**content, "best": likeliest(self._tokens, now, before)}
        except NotHereError as error:
            return {"failed": str(error)}


def best_of(kind: dict) -> int:
    """Return the head of a recorded kind with the highest score."""
    return max(kind["heads"], key=lambda head: kind["scores"][head])


def name_of(head: int, recorded: dict) -> str:
    """Return the name of a head, such as "18.6"; layers and heads are counted from 0."""
    return "{}.{}".format(*divmod(head, recorded["heads"]))
