"""Count how many sentences of visitors the front page's translators get right.

Whoever wrote the sentences in `visitors.txt` knew what the front page says, and not which words it
knows. Behind each stand the translations that count as right. The corpus was widened with the first
sixty at hand; those below the empty line were put by before, and only measured afterwards.
"""

import re
from itertools import pairwise, product
from pathlib import Path

import torch

from utils.corpora.batches import Batch, pad_ids
from utils.corpora.text import tokenise
from utils.corpora.vocabulary import EOS, SOS
from utils.seq2seq import Seq2Seq
from utils.translators import EVERYDAY, load_translator

SENTENCES = Path(__file__).with_name("visitors.txt")
# As in docs/site/front/front.js: the chance below which the page says that a word is unsure, and
# the weight below which it says that neighbours have been overlooked.
SURE, GLANCE = 0.5, 0.1


def visitors() -> None:
    """How many of visitors' sentences are right, and which are wrong without a word."""
    parts = SENTENCES.read_text(encoding="utf-8").strip().split("\n\n")
    for name, (part, text) in product(EVERYDAY, zip(("first", "put by"), parts, strict=True)):
        lines = text.splitlines()
        model, right, told, silent = load_translator(name), 0, 0, []
        for line in lines:
            english, _, accepted = line.partition(" | ")
            french, is_told = translated(model, english.replace("cannot", "can not"))
            if _plain(french) in map(_plain, accepted.split(" ; ")):
                right += 1
            elif is_told:
                told += 1
            else:
                silent.append(f"  {english} → {french}")
        print(
            f"{name}, {part}: {right} of {len(lines)} right, {told} wrong with a word of warning,"
        )
        print("\n".join([f"{len(silent)} wrong without a word", *silent]))


def translated(model: Seq2Seq, english: str) -> tuple[str, bool]:
    """Return a translation, and whether the page has a word of warning for it."""
    source = [word for word in tokenise(english) if re.search(r"\w", word) or word in "?!.,"]
    ids, lengths = pad_ids([model.source_vocabulary.encode(source)])
    with torch.inference_mode():
        written = model.greedy(ids, lengths)[0].ids
        batch = Batch(ids, lengths, torch.tensor([[SOS, *written, EOS]]), [])
        least = model.losses(batch)[:-1].max().neg().exp()
    found = model.translate(source)
    unknown = not set(source) <= set(model.source_vocabulary.words)
    most = found.weights.amax(0) if found.weights.numel() else torch.ones(len(source))
    unseen = [most[n] < GLANCE and word.isalpha() for n, word in enumerate(source)]
    overlooked = any(map(all, pairwise(unseen)))
    return " ".join(found.words), unknown or overlooked or least.item() < SURE


def _plain(french: str) -> str:
    """Return a translation without marks, and without spaces behind an elision."""
    return " ".join(re.sub(r"[.,!?]", " ", french.lower().replace("' ", "'")).split())
