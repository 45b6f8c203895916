"""Explore how two trained translators work, step by step; they run in the page."""

import traitlets

from utils.corpora.lexicon import load_lexicon
from utils.plots import alignment_heatmap
from utils.translators import DECODERS, load_translator, read_translator
from utils.widgets.pictured import Linked


class Translator(Linked):
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

    names = traitlets.List(traitlets.Unicode(), list(DECODERS)).tag(sync=True)
    models = traitlets.List(traitlets.Unicode(), ["dot", "no attention"]).tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    compared = traitlets.Unicode().tag(sync=True)  # its translation lacks the marked words
    beam_size = traitlets.Int(1).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    word = traitlets.Int(-1).tag(sync=True)  # index of the source word pointed at; −1 for none
    plain = traitlets.Bool(False).tag(sync=True)
    glosses = traitlets.Dict().tag(sync=True)  # a French word → what it means

    def __init__(self, sentence: str, plain: bool = False):
        if not sentence.strip():
            raise ValueError("there is no word to translate: give the translator a sentence")
        super().__init__(
            sentence=sentence,
            compared=sentence,
            plain=plain,
            glosses=_glosses(),
            needs_kernel=True,
        )
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


def _glosses() -> dict[str, str]:
    """Return the English of the French nouns, adjectives and verbs that the models may write."""
    lexicon = load_lexicon()
    nouns = [noun for of_kind in lexicon.nouns.values() for noun in of_kind]
    verbs = [verb for of_kind in lexicon.verbs.values() for verb in of_kind]
    adjectives = [word for of_kind in lexicon.adjectives.values() for word in of_kind]
    glosses = {
        form: verb.past or verb.base or verb.was
        for verb in verbs
        for form in verb.agrees or verb.french  # "a oublié": the participle says it
    }
    glosses |= {form: word.english for word in adjectives for form in word.french}
    for noun in nouns:
        glosses |= zip(noun.french, (noun.one, noun.many), strict=True)
    return glosses
