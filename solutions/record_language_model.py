"""Record what the language model of exercise 08 writes while it learns, for the front page:

    python -m solutions.record_language_model

It runs the solution notebook's own code once, with the text, the seed and the steps that learners
are offered, and writes `docs/site/front/language_model.json`. It takes about five minutes.
"""

import json
import time
from collections.abc import Sequence

from solutions.build import notebooks, solutions_of
from solutions.facts import ROOT
from utils.model_helpers import set_seed

RECORD = ROOT / "docs/site/front/language_model.json"
STEPS = (0, 50, 200, 500, 1_100)
BEGINNING, COUNT, TEMPERATURE, K = "The", 100, 0.8, 40  # what notebook 08's exercise writes with


def record(steps: Sequence[int]) -> dict:
    """Train the model once, and return what it writes and how well it predicts at some steps.

    Args:
        steps: numbers of steps at which it writes, rising from 0; the last ends the training.

    Returns:
        characters: of the text that it learned from; minutes: of one processor, samples included;
        gzip: bits per character of the held-out pages; samples: for each number of steps, steps,
        bits (of the same pages) and text.
    """
    (path,) = (path for path in notebooks() if path.name.startswith("08"))
    solution = solutions_of(path)
    text, held_out = solution["text"], solution["held_out"]
    set_seed(0)
    tokens = solution["BytePairs"](text)
    model = solution["LanguageModel"](len(tokens.tokens), solution["Block"])
    samples = []

    def report(step: int) -> None:
        if step in steps:
            how = TEMPERATURE, K, solution["cached"], solution["draw"]
            written = solution["write"](model, tokens, BEGINNING, COUNT, *how)
            bits = solution["bits_per_character"](model, tokens, held_out)
            samples.append({"steps": step, "bits": round(bits, 2), "text": written})

    began = time.process_time()
    report(0)
    solution["learn"](model, tokens.encode(text), steps[-1], every=1, report=report)
    return {
        "characters": len(text),
        "minutes": round((time.process_time() - began) / 60, 1),
        "gzip": round(solution["parts"].yardsticks(text, held_out)["gzip"], 2),
        "samples": samples,
    }


if __name__ == "__main__":
    recorded = json.dumps(record(STEPS), ensure_ascii=False, indent=1)
    RECORD.write_text(recorded + "\n", encoding="utf-8")
