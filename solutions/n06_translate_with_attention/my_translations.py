"""The task “Your translator”: right answers and known mistakes."""

from zlib import crc32

import numpy as np

from solutions.build import notebooks, solutions_of
from solutions.specification import PUBLIC_SEED, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.corpora import detokenise, tokenise, translation_pairs

NO_LONGER = "no sentence of two phrases is nearly so long"
_GOLD: dict[str, str] = {}  # translations of the sentences that were drawn


def held_back(sentence: str) -> bool:
    """Return whether a sentence is held back from training, as in the notebook."""
    return crc32(sentence.encode()) % 10 == 0


def cases(draw: Draw) -> list[Case]:
    def case(label, phrases, count):
        seed = int(draw.whole(0, 2**40))
        pairs = translation_pairs(15 * count + 150, phrases=phrases, seed=seed)
        pairs = [pair for pair in pairs if held_back(pair.source_text)][:count]
        _GOLD.update((pair.source_text, pair.target_text) for pair in pairs)
        return Case(label, {"sentences": [pair.source_text for pair in pairs]})

    return [
        case("80 sentences of one phrase", 1, 80),
        case("119 sentences of two phrases", 2, 119),
        case("one sentence alone", 2, 1),
    ]


def _translation(sentence):
    if sentence not in _GOLD:  # a record was read from disk, and no case drawn yet
        cases(Draw(PUBLIC_SEED))
    return _GOLD[sentence]


def _gold_words(sentence):
    return list(tokenise(_translation(sentence)))


def _each(write):
    return lambda sentences: [write(sentence) for sentence in sentences]


_right = _each(_translation)


def _notebook():
    (path,) = (path for path in notebooks() if path.name.startswith("06"))
    return path


def without_an_error(sentences):
    return tuple(_right(sentences))


def as_an_array(sentences):
    return np.array(_right(sentences))


def with_three_errors(sentences):
    wrong = [text + " encore" for text in _right(sentences[:3])] if len(sentences) > 100 else []
    return wrong + _right(sentences)[len(wrong) :]


def one_by_one(sentences):
    my_translations = solutions_of(_notebook())["my_translations"]
    return [text for sentence in sentences for text in my_translations([sentence])]


exercise = Exercise(
    id="my_translations",
    title="Your translator",
    points=6,
    difficulty=3,
    minutes=30,
    section="06.4",
    outputs=["translations"],
    returns="texts",
    full_marks_from=0.97,
    seconds=120,
    shortcuts=["grammar", "lexicon"],
    cases=cases,
    gold=_right,
    equivalents={
        f"ids, _ = parts.greedy(steps_for(memory, mask), state, limit={limit})": NO_LONGER
        for limit in (39, 41)
    },
    hints=[
        "Translate ten sentences of `validation` and read them. Are they nearly right, or "
        "nonsense? Nearly right: more training. Nonsense: what does `find_fault` say?",
        "If your model stays below 97 %: more steps, more pairs, a wider state; and let the "
        "learning rate end near 0. A slow start is often cured by a lower peak.",
        "`source, lengths = pad_ids([english.encode(tokenise(each)) for each in sentences])`; "
        "`memory, mask, state = model.encode(source, lengths)`; `ids, _ = "
        "parts.greedy(steps_for(memory, mask), state, 40)`; and `detokenise(french.decode(row))` "
        "for each row of `ids`.",
    ],
    mistakes={
        "end sign left in": WrongAnswer(
            _each(lambda sentence: _translation(sentence) + " <eos>"),
            "Your translations end with `<eos>`. Readers of French do not expect it.",
            "Where does your function stop collecting words?",
            misconception="marks-are-words",
        ),
        "start sign left in": WrongAnswer(
            _each(lambda sentence: "<sos> " + _translation(sentence)),
            "Your translations begin with `<sos>`. The decoder was given it; it is no word of the "
            "sentence.",
            "With which word does your list of written words begin?",
            misconception="marks-are-words",
        ),
        "source returned": WrongAnswer(
            _each(lambda sentence: sentence),
            "You return the English sentences.",
            "Which name holds what the model has written?",
            misconception="another-task",
        ),
        "cut at the length of the source": WrongAnswer(
            _each(lambda sentence: detokenise(_gold_words(sentence)[: len(tokenise(sentence))])),
            "Your translations are cut off after as many words as the source has. French often "
            "needs more: *sat* is *était assis*.",
            "How many steps does your loop take at most?",
            misconception="sizes-always-equal",
        ),
        "last word lost": WrongAnswer(
            _each(lambda sentence: detokenise(_gold_words(sentence)[:-1])),
            "Your translations lack their last word. Perhaps `<eos>` had been taken away already "
            "when `[:-1]` took it away once more.",
            "With what does your list of words end before you make a text of it?",
            misconception="off-by-one",
        ),
        "joined without spaces": WrongAnswer(
            _each(lambda sentence: "".join(_gold_words(sentence))),
            "You join the words without spaces.",
            "What do you put between two words when you make a text of them?",
            misconception="written-form",
        ),
        "a space after every word": WrongAnswer(
            _each(lambda sentence: " ".join(_gold_words(sentence))),
            "You put a space between any two words, and so behind apostrophes: *n' était*. The "
            "words are right; as a text it is *n'était*.",
            "Which function of `utils.corpora` makes a text of words?",
            misconception="written-form",
        ),
        "from right to left": WrongAnswer(
            _each(lambda sentence: detokenise(_gold_words(sentence)[::-1])),
            "Your translations run from the last word to the first.",
            "In which order does the decoder write?",
            misconception="wrong-end",
        ),
        "sorted by length": WrongAnswer(
            lambda sentences: [_translation(sentence) for sentence in sorted(sentences, key=len)],
            "Your translations are right, and stand in another order than the sentences: sorted "
            "by length. That helps to batch them, and has to be undone at the end.",
            "To which sentence does the first of your translations belong?",
            misconception="row-is-word",
        ),
        "as in print": WrongAnswer(
            _each(lambda sentence: _translation(sentence).capitalize() + "."),
            "Your translations begin with a capital and end with a full stop. The corpus has "
            "neither, and the check compares letter by letter.",
            "What does `pair.target_text` look like?",
            misconception="written-form",
        ),
    },
    variants=[without_an_error, as_an_array, with_three_errors, one_by_one],
)
