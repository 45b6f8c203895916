"""Real text trained by several processes that share each batch, on one machine or on more.

    torchrun --nproc-per-node=2 -m tests.bench.data_parallel --checkpoint build/german.pt

On GPUs each process takes one of them. The same command resumes from the checkpoint, also with
another number of processes; `python -m tests.bench.data_parallel` trains with a single one.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch
import torch.distributed as dist

from tests.bench.multi30k import FIVE_MINUTES, corpus, score
from tests.bench.translation import chosen_device
from utils.corpora import Batches
from utils.metrics import teacher_forced_perplexity


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=FIVE_MINUTES.steps, help="budget, in batches")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", type=Path, help="where to save, and to resume from")
    chosen = parser.parse_args(arguments)
    recipe = replace(FIVE_MINUTES, steps=chosen.steps)
    texts = corpus(recipe.source, recipe.target)
    with processes() as (rank, count):
        device = chosen_device()
        if device.type == "cuda":
            device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        with ended_with_a_line(chosen.checkpoint):
            model, seconds = recipe.train(
                texts, chosen.seed, device, progress=True, checkpoint=chosen.checkpoint
            )
        if rank == 0:
            found = Batches(texts.test, model.source_vocabulary, model.target_vocabulary)
            print(
                f"{count} processes, {recipe.steps} steps, seed {chosen.seed}: {seconds:.0f} s, "
                f"perplexity {teacher_forced_perplexity(model, found):.2f}, "
                f"BLEU {score(model, texts.test, beam_size=1).score:.1f}"
            )


@contextlib.contextmanager
def processes() -> Iterator[tuple[int, int]]:
    """The rank of this process, and how many there are: those of torchrun, or this one alone."""
    if not dist.is_torchelastic_launched():
        yield 0, 1
        return
    dist.init_process_group("nccl" if chosen_device().type == "cuda" else "gloo")
    yield dist.get_rank(), dist.get_world_size()
    dist.destroy_process_group()


@contextlib.contextmanager
def ended_with_a_line(checkpoint: Path | None) -> Iterator[None]:
    """What is raised where another process is gone becomes one line that says what to do."""
    try:
        yield
    except RuntimeError as error:
        if not dist.is_initialized() or "onnection" not in str(error):
            raise
        again = f"resumes from {checkpoint}" if checkpoint else "begins anew: no --checkpoint"
        print(f"Another process of this training has ended. The same command {again}.", flush=True)
        os._exit(1)  # a process group that has lost a member cannot be taken down in order


if __name__ == "__main__":
    main(sys.argv[1:])
