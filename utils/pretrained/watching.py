"""Watch a model write: each token with those that were likeliest at its place.

`python -m utils.pretrained.watching` records what notebook 11 plays for readers without the model.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from utils.pretrained.architecture import CausalLM
from utils.pretrained.store import NAME, open_model
from utils.pretrained.tokens import Tokens
from utils.pretrained.writing import write_on

LIKELIEST = 5
PART = "\N{REPLACEMENT CHARACTER}"  # stands for a letter of which not all bytes are there
RECORDED = Path(__file__).with_suffix(".json")
BEGINNINGS = ("The capital of France is", "Once upon a time", "Dear diary,", "def fibonacci(n):")
TEMPERATURES = (0, 1, 2)
COUNT = 40  # tokens of a recorded text, unless the model ends it before


def watch(
    model: CausalLM,
    tokens: Tokens,
    beginning: str,
    count: int,
    temperature: float = 0.0,
    seed: int = 0,
) -> Iterator[list]:
    """Yield, for each token that `write_on` takes, [its text, which one it is, the likeliest].

    The likeliest are five pairs [text, probability], and a sixth for the token taken if it is not
    among them; "which one" counts from 0. The texts of all tokens, joined, are what was written: a
    letter that takes several tokens comes with its last.
    """
    written, shown = [], 0
    for token, chances in write_on(model, tokens, beginning, count, temperature, seed):
        written.append(token)
        best = chances.topk(LIKELIEST).indices.tolist()
        if token not in best:
            best.append(token)
        texts = tokens.pieces(best)
        likeliest = [[text, _rounded(chances[n])] for text, n in zip(texts, best, strict=True)]
        whole = tokens.decode(written).rstrip(PART)
        yield [whole[shown:], best.index(token), likeliest]
        shown = max(shown, len(whole))


def _rounded(chance) -> float:
    return float(f"{chance:.2g}")


def recordings() -> list[dict]:
    """Return the stored recordings: each with its `beginning`, `temperature` and `tokens`."""
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def record() -> None:
    """Let the real model write on from each beginning at each temperature, and store it."""
    model, tokens = open_model()
    runs = [(beginning, warmth) for beginning in BEGINNINGS for warmth in TEMPERATURES]
    texts = [
        {
            "beginning": beginning,
            "temperature": temperature,
            "tokens": [*watch(model, tokens, beginning, COUNT, temperature, seed)],
        }
        for seed, (beginning, temperature) in enumerate(tqdm(runs, desc=NAME))
    ]
    text = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    RECORDED.write_text(text.replace('{"beg', '\n{"beg') + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
