"""Save a learner's language model of exercise 08, and write it as one page of HTML, to send.

    save_model("my_language_model.safetensors", model, tokens, held_out, "The", "my novel")
    write_page("my_language_model.safetensors")

`python -m utils.parts.page my_language_model.safetensors` writes the page again. The page computes
the model itself, with nothing but what is in it: it opens from a folder or a mail, and fetches
nothing. It computes what the course's parts compute, so a model whose own parts compute something
else with the same weights is not saved. The file holds numbers and text; reading it runs nothing.
"""

import base64
import copy
import hashlib
import html
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from utils.parts.language_model import CourseModel, course_next_word
from utils.widgets.module import FOLDER, module

PAGE = Path(__file__).with_name("page.html")
KIND = "language model of exercise 08"
WINDOW = 128  # tokens: the context length of the exercise's `learn`
MEASURED = 32 * WINDOW  # held-out tokens that are kept, to see what rounding costs
LARGEST = 1_500_000  # bytes of a page
SAME = 1e-3  # logits that differ by less are the same
COSTS = 0.01  # nats a token: the most that rounding to 8 bits may cost
WRITTEN, SHOWN = 40, 8  # tokens of the proof, and those behind which it has the logits
TEMPERATURE, K = 0.8, 40  # what the exercise writes with
# What a page leaves out, since there is no source to look at.
UNUSED = "cross.W_q", "cross.W_k", "cross.W_v", "cross.W_o.weight", "norms.1"
CURE = "run the cell of exercise 08 that saves it again"


@dataclass(frozen=True)
class Saved:
    """A language model as it was saved.

    Attributes:
        model: the model.
        about: tokens, pairs and heads; the text that it learned from; the beginning to write from;
            the proof, a text that it has written, and its ids.
        held_out: ids of some of the held-out text, which pages do not get.
    """

    model: CourseModel
    about: dict[str, Any]
    held_out: Tensor


def save_model(
    file: str, model: nn.Module, tokens: Any, held_out: str, beginning: str, learned_from: str
) -> None:
    """Save a model, if the course's parts compute with its weights what it computes.

    Args:
        file: path of a .safetensors file.
        model: the learner's `LanguageModel`.
        tokens: its tokeniser, `Characters` or `BytePairs`.
        held_out: text that it has not learned from.
        beginning: what it is to write from at first.
        learned_from: the text that it has learned from, in words.

    Raises:
        ValueError: the model is put together otherwise or computes something else, or the file
            cannot be written.
    """
    course = _put_together(model)
    ids = torch.as_tensor(tokens.encode(held_out)[:MEASURED])
    if fault := _difference(model, course, ids[: WINDOW // 2].unsqueeze(0)):
        raise ValueError(fault)
    start = [*map(int, tokens.encode(beginning or " "))][-WINDOW // 2 :]
    text = tokens.decode(_written(course, start))
    weights = {**course.state_dict(), "held_out": ids}
    about = {
        "kind": KIND,
        "tokens": tokens.tokens,
        "pairs": list(getattr(tokens, "pairs", [])),
        "heads": course.heads,
        "beginning": beginning,
        "learned_from": learned_from,
        "proof": {"text": text, "ids": list(map(int, tokens.encode(text)))},
    }
    _write(Path(file), _bytes(weights, about | {"digest": _digest(weights, about)}))


def _write(path: Path, content: bytes) -> None:
    """Write a file, or say in one line why not: a course that many share is often read-only."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ValueError(
            f"{path} cannot be written ({error.strerror}): copy the course into a folder of your "
            "own, and run the notebook there"
        ) from None


def _put_together(model: nn.Module) -> CourseModel:
    """Return the course's model with a learner's weights."""
    try:
        block = model.blocks[0]
        hidden, heads = block.feed_forward[0].out_features, block.attention.heads
        sizes = *model.embedding.weight.shape, heads, len(model.blocks), hidden
        course = CourseModel(*sizes)
        course.load_state_dict(model.state_dict())
    except (AttributeError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(
            "a page can be made of a model that has the exercise's layers, under its names; this "
            f"one is put together otherwise: {reason}"
        ) from None
    return course.eval()


@torch.no_grad()
def _difference(model: nn.Module, course: CourseModel, ids: Tensor) -> str:
    """Return what a learner's model computes otherwise than the course's; "" if nothing."""
    stages = [*course.stages(ids)]
    gap = (model.eval()(ids) - stages[-1]).abs().max().item()
    if gap < SAME:
        return ""
    where = "`forward`"
    for number, block in enumerate(model.blocks):
        states = block(stages[number].clone(), *course.nothing(stages[number]))
        if (states - stages[number + 1]).abs().max() >= SAME:
            where = f"block {number + 1}"
            break
    return (
        f"with the same weights, your model's logits are up to {gap:.2g} away from those of the "
        f"course's parts, which the page computes: look at {where}, or train with the course's "
        "block (`parts.examine` and `parts.CourseBlock`)"
    )


@torch.no_grad()
def _written(model: CourseModel, ids: list[int]) -> list[int]:
    """Return ids to which a model has added some."""
    dice = torch.Generator().manual_seed(0)
    for _ in range(WRITTEN):
        logits = model(torch.tensor([ids]))[:, -1]  # (1, tokens)
        uniform = torch.rand(1, generator=dice)
        _, word = course_next_word(logits, TEMPERATURE, min(K, logits.shape[1]), uniform)
        ids = [*ids, word.item()]
    return ids


def _bytes(tensors: Mapping[str, Tensor], about: dict[str, Any]) -> bytes:
    metadata = {"about": json.dumps(about, ensure_ascii=False)}
    return safetensors.torch.save({n: t.contiguous() for n, t in tensors.items()}, metadata)


def _digest(tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(tensors):
        digest.update(tensors[name].contiguous().numpy().tobytes())
    return digest.hexdigest()


def read_model(file: str) -> Saved:
    """Read what `save_model` has saved.

    Raises:
        ValueError: there is no such file, or it is damaged, or another kind of file.
    """
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"there is no file {file}: give its path, or {CURE}")
    try:
        with safetensors.safe_open(path, "pt") as opened:
            about = json.loads(opened.metadata()["about"])
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        if about["kind"] != KIND or about.pop("digest") != _digest(tensors, about):
            raise ValueError
        held_out = tensors.pop("held_out")
        layers = len({name.split(".")[1] for name in tensors if name.startswith("blocks.")})
        hidden = len(tensors["blocks.0.feed_forward.0.bias"])
        sizes = *tensors["embedding.weight"].shape, about["heads"], layers, hidden
        model = CourseModel(*sizes)
        model.load_state_dict(tensors)
        about["pairs"] = [tuple(map(str, pair)) for pair in about["pairs"]]
    except (
        *(OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError),
        safetensors.SafetensorError,
    ):
        raise ValueError(
            f"{file} is damaged, or no language model that exercise 08 has saved: {CURE}"
        ) from None
    return Saved(model.eval(), about, held_out)


def write_page(file: str) -> str:
    """Write the page of a saved model beside its file; return a sentence with its figures.

    Raises:
        ValueError: the file is not as `save_model` writes it, the model is too large, or the page
            cannot be written.
    """
    saved, path = read_model(file), Path(file).with_suffix(".html")
    for bits in (16, 8):
        text = _page(saved, pack(saved, bits))
        if len(text.encode()) <= LARGEST:
            break
    else:
        count = sum(tensor.numel() for tensor in saved.model.parameters())
        raise ValueError(
            f"a model of {count:,} numbers does not fit into a page of "
            f"{LARGEST / 1e6:.1f} MB: train one with a smaller `dim`, or with fewer layers"
        )
    loss, costs = _losses(saved, bits)
    if costs > COSTS:
        raise ValueError(
            f"the model fits into a page only with {bits} bits a weight, and then its loss grows "
            f"by {costs:.3f}, from {loss:.3f}: train one with a smaller `dim`"
        )
    _write(path, text.encode())
    return (
        f"{path} is written: {len(text.encode()) / 1e6:.2f} MB, {bits} bits a weight, which "
        f"change the loss on held-out text, {loss:.3f}, by {costs:+.4f}. Open it in a browser, or "
        "send it to somebody."
    )


def pack(saved: Saved, bits: int) -> bytes:
    """Return a model as the page reads it: its matrices as whole numbers of so many bits.

    Each row of a matrix has a scale. With the weights come the logits by which the page sees
    whether it computes what the notebook computes.
    """
    model, tensors = saved.model, {}
    for name, tensor in model.state_dict().items():
        if any(part in name for part in UNUSED):
            continue
        tensor = tensor[:WINDOW] if name == "places" else tensor
        if tensor.ndim == 2:
            tensors[name], tensors[f"{name}.scale"] = _whole(tensor, bits)
        else:
            tensors[name] = tensor
    ids = torch.tensor([saved.about["proof"]["ids"]])
    with torch.no_grad():
        expected, actual = model(ids)[0, -SHOWN:], _rounded(model, bits)(ids)[0, -SHOWN:]
    used = (one for name, one in tensors.items() if name != "places" and ".scale" not in name)
    about = saved.about | {
        "layers": len(model.blocks),
        "numbers": sum(tensor.numel() for tensor in used),
        "bits": bits,
        "rounding": (actual - expected).abs().max().item(),
        "costs": _losses(saved, bits)[1],
        "temperature": TEMPERATURE,
        "k": K,
    }
    return _bytes({**tensors, "proof.logits": expected}, about)


def _whole(matrix: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Return a matrix (rows, columns) as whole numbers, and the scale (rows,) of each row."""
    largest = 2 ** (bits - 1) - 1
    scale = (matrix.abs().amax(1) / largest).clamp(min=1e-20)  # (rows,)
    kind = torch.int16 if bits > 8 else torch.int8
    return (matrix / scale.unsqueeze(1)).round().to(kind), scale


def _rounded(model: CourseModel, bits: int) -> CourseModel:
    rounded = copy.deepcopy(model)
    for tensor in (*rounded.parameters(), rounded.places):
        if tensor.ndim == 2:
            numbers, scale = _whole(tensor.data, bits)
            tensor.data = numbers * scale.unsqueeze(1)
    return rounded


@torch.no_grad()
def _losses(saved: Saved, bits: int) -> tuple[float, float]:
    """Return the mean loss on held-out text, in nats a token, and what rounding adds to it."""
    windows = [window for window in saved.held_out.split(WINDOW) if len(window) > 1]
    before, after = (
        torch.cat(
            [F.cross_entropy(model(w[None, :-1])[0], w[1:], reduction="none") for w in windows]
        )
        for model in (saved.model, _rounded(saved.model, bits))
    )
    return before.mean().item(), (after.mean() - before.mean()).item()


def _page(saved: Saved, packed: bytes) -> str:
    writer = module("page_writer").replace("export default", "const writer =")
    standalone = (FOLDER / "standalone.js").read_text(encoding="utf-8").replace("export ", "")
    about = saved.about
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        learned_from=html.escape(about["learned_from"]),
        sample=html.escape(about["proof"]["text"]),
        script=writer + standalone,
        model=base64.b64encode(packed).decode(),
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Which model? python -m utils.parts.page my_language_model.safetensors")
    try:
        print(write_page(sys.argv[1]))
    except ValueError as error:
        sys.exit(f"No page: {error}.")
