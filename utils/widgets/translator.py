"""Explore how two trained translators work, step by step; they run in the page."""

import anywidget
import traitlets

from utils.plots import alignment_heatmap
from utils.translators import DECODERS, load_translator, read_translator
from utils.widgets.module import module
from utils.widgets.pictured import Pictured


class Translator(Pictured, anywidget.AnyWidget):
    """A widget that runs two trained translators side by side, with greedy or beam search.

    Everything is computed in the page. The parameters, half a megabyte for each model, are not part
    of the widget's stored state: the page sends `{"want": name}`, and gets `{"have": name}` with
    the bytes of the model's file, or `{"failed": reason}`.

    Args:
        sentence: the English sentence that is translated initially.
        plain: whether only the sentence, the two translations, and what each step looks at are
            shown, for readers to whom nothing has been explained yet.

    Raises:
        ValueError: the sentence has no words.
    """

    _esm = module("translator")
    names = traitlets.List(traitlets.Unicode(), list(DECODERS)).tag(sync=True)
    models = traitlets.List(traitlets.Unicode(), ["dot", "no attention"]).tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    compared = traitlets.Unicode().tag(sync=True)  # its translation lacks the marked words
    beam_size = traitlets.Int(1).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    word = traitlets.Int(-1).tag(sync=True)  # index of the source word pointed at; −1 for none
    plain = traitlets.Bool(False).tag(sync=True)

    def __init__(self, sentence: str, plain: bool = False):
        if not sentence.strip():
            raise ValueError("there is no word to translate: give the translator a sentence")
        super().__init__(sentence=sentence, compared=sentence, plain=plain)
        self.on_msg(self._answer)

    def picture(self) -> str:
        words, weights, source = load_translator(self.models[0]).translate(self.sentence)
        alt = (
            f"Weights of the dot model, which translates “{self.sentence}” as “{' '.join(words)}”."
        )
        return alignment_heatmap(weights, source, words, alt=alt).to_html()

    def _answer(self, _widget, content: dict, _buffers) -> None:
        """Send the page the file of the translator that it asks for, or why that failed."""
        try:
            self.send({"have": content["want"]}, [read_translator(content["want"])])
        except ValueError as error:
            self.send({"failed": str(error)})
