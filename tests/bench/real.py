"""Measure the real model of notebook 11: opening, memory, speed, logits; beside `transformers`.

`transformers` is asked where it is installed. It opens a copy of the converted folder in which the
queries and keys are reordered from pairs to halves, as its own folders have them.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from tests.bench.measure import seconds_side_by_side
from utils.pretrained import CausalLM, open_model
from utils.pretrained.folder import LAYOUT
from utils.pretrained.store import NotHereError, folder, gguf_file, is_here

ROOT = Path(__file__).parents[2]
TEXTS = {"prose": "README.md", "code": "utils/attention.py", "manual": "CONTRIBUTING.md"}
LENGTH, BEGINNING, BEHIND = 500, 128, 64  # tokens
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
OPEN = """
import resource, sys, time
began = time.perf_counter()
import torch
from utils.pretrained import open_model, write
imported, worked = time.perf_counter(), time.process_time()
model, tokens = open_model(dtype=getattr(torch, sys.argv[1]))
opened, worked = time.perf_counter(), time.process_time() - worked
write(model, tokens, "The capital of France is", 12)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(f"{opened - imported:.2f} {worked:.2f} {imported - began:.2f} {peak:.2f}")
"""


def real(wanted: str = "opening,logits,speed") -> None:
    """Measure the real model: seconds to open, memory, logits, speed on one thread and on two."""
    if not is_here():
        raise NotHereError
    open_model()  # converted, if it is not yet
    with tempfile.TemporaryDirectory() as made:
        halves = Path(made) / "halves"
        write_halves(folder(), halves)
        if wanted == "records":
            print_records(halves)
        if "opening" in wanted:
            print_opening()
        if "logits" in wanted:
            print_logits(halves)
        for count in (1, 2) if "speed" in wanted else ():
            torch.set_num_threads(count)
            print_speed(halves)


def print_opening() -> None:
    """Print how long opening takes, in processes of their own, and the most memory that is used."""
    print(f"\n{'opened':24}{'seconds':>9}{'processor':>11}{'import':>9}{'GiB at most':>13}")
    with tempfile.TemporaryDirectory() as cache:
        if gguf_file() is not None:
            print(f"{'first, converted':24}" + _open("float32", ATTENTION_COURSE_CACHE=cache))
    for dtype in DTYPES:
        print(f"{'again, ' + dtype:24}" + _open(dtype))


def _open(dtype: str, **variables: str) -> str:
    command = [sys.executable, "-c", OPEN, dtype]
    environment = os.environ | variables
    shown = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    return "{:>9}{:>11}{:>9}{:>13}".format(*shown)


def write_halves(pairs: Path, halves: Path) -> None:
    """Write a folder as `transformers` has it from one that was made from a GGUF file."""
    halves.mkdir()
    card = json.loads((pairs / "config.json").read_text(encoding="utf-8"))
    del card[LAYOUT]
    weights = load_file(pairs / "model.safetensors")
    heads = {"q_proj": card["num_attention_heads"], "k_proj": card["num_key_value_heads"]}
    for name, weight in weights.items():
        if (count := heads.get(name.split(".")[-2])) is not None:
            rows = weight.unflatten(0, (count, -1, 2))  # (heads, head_dim / 2, 2, dim)
            weights[name] = rows.transpose(1, 2).flatten(0, 2).contiguous()
    save_file(weights, halves / "model.safetensors", metadata={"format": "pt"})
    (halves / "config.json").write_text(json.dumps(card), encoding="utf-8")
    (halves / "tokenizer.json").write_bytes((pairs / "tokenizer.json").read_bytes())


RECORDED = (
    "The capital of France is",
    "def add(a, b):\n    return",
    "In 2024, 17 cats — très  étonnés — sat.",
    "<|im_start|>user\nHi!<|im_end|>\n",
)


def recorded(logits: Tensor) -> dict[str, Any]:
    """Return what is stored of logits (vocab,): the five likeliest ids, and the mean of all."""
    best = logits.topk(5)
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    likeliest = {str(number): round(value, 4) for number, value in pairs}
    return {"likeliest": likeliest, "mean": round(logits.mean().item(), 4)}


@torch.inference_mode()
def print_records(halves: Path) -> None:
    """Print ids and logits for `tests/real_model.json`, from `transformers` alone."""
    from transformers import AutoTokenizer

    model = open_theirs(halves, torch.float32)
    file = gguf_file()
    tokens = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    rows = []
    for text in RECORDED:
        ids = tokens(text, add_special_tokens=False).input_ids
        record = {"ids": ids} | recorded(model(torch.tensor([ids])).logits[0, -1])
        rows.append(f" {json.dumps(text)}: {json.dumps(record)}")
    print("{", ",\n".join(rows), "}", sep="\n")


def open_theirs(halves: Path, dtype: torch.dtype) -> Any:
    """Return the model in a folder as `transformers` opens it."""
    from transformers import AutoModelForCausalLM, logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    return AutoModelForCausalLM.from_pretrained(halves, dtype=dtype).eval()


@torch.inference_mode()
def print_logits(halves: Path) -> None:
    """Print how far logits are from those of `transformers`, or of halves in float32 without it."""
    tokens = open_model()[1]
    texts = {
        name: tokens.encode((ROOT / file).read_text(encoding="utf-8"))[:, :LENGTH]
        for name, file in TEXTS.items()
    }
    sources = {"pairs": None, "halves": halves}
    theirs = find_spec("transformers") is not None
    beside = "transformers" if theirs else "halves"
    print(f"\nlogits, {LENGTH} tokens each, beside {beside} in float32")
    print(f"{'':22}{'text':9}{'largest':>9}{'apart':>10}{'on average':>12}{'same token':>12}")
    reference = open_theirs(halves, torch.float32) if theirs else open_model(halves)[0]
    exact = {name: _logits(reference, ids) for name, ids in texts.items()}
    runs = {
        f"{layout}, {dtype}": partial(open_model, source, DTYPES[dtype])
        for dtype in DTYPES
        for layout, source in sources.items()
    }
    if theirs:
        runs["theirs, bfloat16"] = lambda: [open_theirs(halves, torch.bfloat16)]
    for run, open_it in runs.items():
        model = open_it()[0]
        for name, ids in texts.items():
            logits, expected = _logits(model, ids), exact[name]
            same = (logits.argmax(-1) == expected.argmax(-1)).sum()
            apart = (logits - expected).abs()
            print(
                f"{run:22}{name:9}{expected.abs().max():9.1f}{apart.max():10.1e}"
                f"{apart.mean():12.1e}{same:8} of {len(expected)}"
            )


def _logits(model: Any, ids: Tensor) -> Tensor:
    found = model(ids)
    return getattr(found, "logits", found)[0].float()  # (len, vocab)


def print_speed(halves: Path) -> None:
    """Print milliseconds for the first tokens and for each further one, ours and theirs in turn."""
    theirs = find_spec("transformers") is not None
    print(f"\nmilliseconds, {torch.get_num_threads()} threads")
    print(f"{'':44}{'ours':>8}" + (f"{'theirs':>9}{'ratio':>8}" if theirs else ""))
    ids = torch.randint(0, 49_152, (1, BEGINNING))
    for name, dtype in DTYPES.items():
        model = open_model(dtype=dtype)[0]
        other = open_theirs(halves, dtype) if theirs else None
        for what, work, its in (
            (f"{BEGINNING} tokens", _reading(model, ids), theirs and _reading(other, ids)),
            (f"a token, {BEHIND} behind", _step(model, ids), theirs and _their_step(other, ids)),
            (
                f"a token, {BEHIND} behind, no cache",
                _reading(model, ids[:, : BEHIND + 1]),
                theirs and _reading(other, ids[:, : BEHIND + 1]),
            ),
        ):
            if theirs:
                ours_took, theirs_took, ratio = seconds_side_by_side(work, its)
                rest = f"{1e3 * theirs_took:9.0f}{ratio:8.2f}"
            else:
                ours_took, rest = seconds_side_by_side(work, work)[0], ""
            print(f"{name + ', ' + what:44}{1e3 * ours_took:8.0f}{rest}")


def _reading(model: Any, ids: Tensor) -> Callable[[], None]:
    """Return a function that reads a text and makes the logits behind its last token."""

    @torch.inference_mode()
    def read():
        if isinstance(model, CausalLM):
            model.last_logits(ids, model.caches())
        else:
            model(ids, logits_to_keep=1, use_cache=True)

    return read


def _step(model: CausalLM, ids: Tensor) -> Callable[[], None]:
    """Return a function that reads one token more, again and again."""
    caches = model.caches()
    with torch.inference_mode():
        model.states(ids[:, :BEHIND], caches)

    @torch.inference_mode()
    def step():
        model.last_logits(ids[:, BEHIND : BEHIND + 1], caches)

    return step


def _their_step(model: Any, ids: Tensor) -> Callable[[], None]:
    with torch.inference_mode():
        cache = model(ids[:, :BEHIND], use_cache=True).cache

    @torch.inference_mode()
    def step():
        model(ids[:, BEHIND : BEHIND + 1], cache=cache, use_cache=True)

    return step
