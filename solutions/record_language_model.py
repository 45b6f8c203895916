"""Train the language model of the front page, with the code of exercise 08:

    python -m solutions.record_language_model

It runs the solution notebook's own code on the English sentences of the everyday corpus, from which
the front page's translators have learned too, and writes what a page reads to
`docs/site/front/language_model.safetensors`. It takes some three minutes.
"""

import re
import tempfile
from pathlib import Path

from solutions.build import notebooks, solutions_of
from solutions.facts import ROOT
from utils.corpora import hold_out
from utils.corpora.everyday import everyday_corpus
from utils.corpora.everyday.words import load_everyday
from utils.model_helpers import set_seed
from utils.parts.page import pack, read_model, save_model

RECORD = ROOT / "docs/site/front/language_model.safetensors"
STEPS, BATCH = 1_000, 8
PAIRS, PHRASES = 40_000, (1, 3)  # of the corpus: short sentences
PARAGRAPH = 6  # sentences
BITS = 8  # a weight: half a megabyte
CAPITALS = {"i", "english", "french", "france", "paris", "monday", "friday", "saturday", "sunday"}


def english(pairs: int) -> str:
    """Return the English sentences of the corpus that end with a mark, with capitals, as a text."""
    names = CAPITALS | load_everyday().names.keys()
    word = re.compile(rf"\b({'|'.join(sorted(names))})\b|^\w")
    sentences = [pair.source_text for pair in everyday_corpus(pairs, PHRASES, seed=0).train]
    whole = [word.sub(lambda w: w[0].capitalize(), one) for one in sentences if one[-1] in ".?!"]
    starts = range(0, len(whole), PARAGRAPH)
    return "\n\n".join(" ".join(whole[start : start + PARAGRAPH]) for start in starts)


def record(steps: int, pairs: int) -> bytes:
    """Train the model, and return it as a page reads it."""
    (path,) = (path for path in notebooks() if path.name.startswith("08"))
    solution = solutions_of(path)
    text, held_out = hold_out(english(pairs))
    set_seed(0)
    tokens = solution["BytePairs"](text)
    model = solution["LanguageModel"](len(tokens.tokens), solution["Block"])
    solution["learn"](model, tokens.encode(text), steps, batch=BATCH)
    learned_from = f"{len(text):,} characters of made-up everyday English"
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "model.safetensors")
        save_model(file, model, tokens, held_out, "My old cat", learned_from)
        return pack(read_model(file), BITS)


if __name__ == "__main__":
    RECORD.write_bytes(record(STEPS, PAIRS))
