"""Train and store the small Multi30k model that notebook 07 loads, with ten captions to try.

The model is half as wide as those of the benchmark `multi30k`. The file has its vocabularies, and
its weights as whole numbers from -127 to 127 with one scale for each row, which take a quarter of
the space of float32.
"""

import json
from dataclasses import asdict, replace

import numpy as np
import torch

from tests.bench.multi30k import FIVE_MINUTES, corpus, score
from tests.bench.translation import RESULTS, chosen_device
from utils.corpora import Pair
from utils.model_helpers import count_parameters
from utils.seq2seq import Seq2Seq

SMALL = replace(FIVE_MINUTES, steps=2500, embedding_dim=128, encoder_dim=128, decoder_dim=128)
SEARCHES = {"greedy": 1, "beam": 5}
ORIGIN = (
    "Multi30k, task 1, test_2016_flickr, every hundredth caption. Elliott et al. 2016; derived "
    "from Flickr30k: for research and education."
)


def captions() -> None:
    """Train and store the small German → English model of Multi30k that notebook 07 loads."""
    texts = corpus(SMALL.source, SMALL.target)
    model, _ = SMALL.train(texts, seed=0, device=chosen_device())
    store(model.cpu(), texts.test)


def store(model: Seq2Seq, test: list[Pair]) -> None:
    """Write a model and every hundredth test caption to files.

    The model's weights are rounded, in place, to the values that are stored. The second file also
    has the model's BLEU before and after rounding, which is printed too.
    """
    trained = {name: round(score(model, test, size).score, 2) for name, size in SEARCHES.items()}
    arrays = {
        "german": np.array(model.source_vocabulary.words[4:]),
        "english": np.array(model.target_vocabulary.words[4:]),
    }
    with torch.no_grad():
        for name, weights in model.named_parameters():  # those that two layers share come once
            scale = weights.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
            whole = (weights / scale).round()
            arrays[name], arrays[f"{name} scale"] = whole.to(torch.int8).numpy(), scale.numpy()
            weights.copy_(whole * scale)
    np.savez_compressed(RESULTS / "captions.npz", **arrays)
    stored = {name: round(score(model, test, size).score, 2) for name, size in SEARCHES.items()}
    content = {
        "command": "python -m tests.bench captions",
        "origin": ORIGIN,
        "recipe": asdict(SMALL),
        "parameters": count_parameters(model)["total"],
        "bleu": {"trained": trained, "stored": stored},
        "captions": [
            {"german": pair.source_text, "english": pair.target_text} for pair in test[::100]
        ],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (RESULTS / "captions.json").write_text(text + "\n", encoding="utf-8")
    print("BLEU:", content["bleu"])
