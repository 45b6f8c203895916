"""Measure how long the training of each recipe takes on the CPU."""

from dataclasses import replace

import torch

from tests.bench import capstone
from tests.bench.multi30k import RECIPES, corpus

PACED = {"capstone": 1500, "multi30k": 100}  # largest number of steps


def pace() -> None:
    """Print how long each recipe's training takes on two threads of this CPU.

    Only the first steps are run, and the time of all is extrapolated. Let nothing else run
    meanwhile.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    print(f"\n{'recipe':18}{'steps':>7}{'timed':>7}{'ms a step':>11}{'seconds':>9}")
    for benchmark, model, texts in [
        *(("capstone", model, capstone.corpus()) for model in capstone.RECIPES),
        *(("multi30k", model, corpus("de", "en")) for model in RECIPES if model != "en-fr"),
    ]:
        recipe = (capstone.RECIPES if benchmark == "capstone" else RECIPES)[model]
        timed = min(recipe.steps, PACED[benchmark])
        _, seconds = replace(recipe, steps=timed).train(texts, 0, "cpu", validate=False)
        name, milliseconds = f"{benchmark} {model}", 1000 * seconds / timed
        whole = recipe.steps * milliseconds / 1000
        print(f"{name:18}{recipe.steps:7,}{timed:7,}{milliseconds:11.1f}{whole:9.0f}")
    torch.set_num_threads(threads)
