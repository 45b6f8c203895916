"""Make a folder as `transformers` writes it from a GGUF file, the format of llama.cpp.

The library `gguf` reads the file and turns its packed numbers into ordinary ones; `tokenizers`
makes the tokeniser from the vocabulary and the merges inside. Queries and keys of the llama kind
stay in the layout that such files have, *pairs*, and the card says so.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from utils.pretrained.folder import LAYOUT, CannotOpenError, brief, open_folder, theirs

NAMES = {  # theirs → ours
    "token_embd": "embedding",
    "output_norm": "norm",
    "output": "output",
    "attn_norm": "norms.0",
    "ffn_norm": "norms.1",
    "attn_q": "attention.W_q",
    "attn_k": "attention.W_k",
    "attn_v": "attention.W_v",
    "attn_output": "attention.W_o",
    "attn_q_norm": "attention.norm_q",
    "attn_k_norm": "attention.norm_k",
    "ffn_gate": "feed_forward.gate",
    "ffn_up": "feed_forward.up",
    "ffn_down": "feed_forward.down",
}
UNFINISHED = "unfinished-"
LAYOUTS = {"llama": "pairs", "qwen2": "halves", "qwen3": "halves"}
FIELDS = {  # of a card → of a GGUF file, behind the name of its kind
    "hidden_size": "embedding_length",
    "num_hidden_layers": "block_count",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "max_position_embeddings": "context_length",
}


def convert(file: Path, folder: Path, progress: Any) -> None:
    """Write the model in a GGUF file to a new folder, whole or not at all.

    Args:
        file: of the kinds in `LAYOUTS`.
        folder: where to; its parent is made.
        progress: a progress bar of `tqdm`, which learns the number of tensors.

    Raises:
        CannotOpenError: the file is missing, cut, or of another kind; the message is one line.
    """
    reader = _read(file)
    with _damage(file):
        card = _card(reader.fields, {tensor.name for tensor in reader.tensors})
        tokenizer = _tokenizer(reader.fields)
    progress.reset(total=len(reader.tensors))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _sweep(folder.parent)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=UNFINISHED) as unfinished:
            made = Path(unfinished) / "model"
            made.mkdir()
            with _damage(file):
                weights = dict(_weights(reader, progress))
            save_file(weights, made / "model.safetensors")
            (made / "model.safetensors").chmod(0o644)  # the library lets nobody else read it
            tokenizer.save(str(made / "tokenizer.json"))
            (made / "config.json").write_text(json.dumps(card, indent=1), encoding="utf-8")
            open_folder(made)
            _move(made, folder)
    except (OSError, SafetensorError) as error:
        raise CannotOpenError(
            f"Cannot write to {folder.parent} ({brief(error)}). It takes twice the model's size; "
            "the variable ATTENTION_COURSE_CACHE names another folder."
        ) from None


def _move(made: Path, folder: Path) -> None:
    """Put a finished model in its place, unless another process was faster."""
    try:
        made.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _sweep(folder: Path) -> None:
    """Remove what a conversion has left that was killed an hour ago or longer."""
    for left in folder.glob(f"{UNFINISHED}*"):
        with suppress(FileNotFoundError):  # the conversion has ended just now
            if left.stat().st_mtime < time.time() - 3600:
                shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _damage(file: Path) -> Iterator[None]:
    """Turn whatever a damaged file makes of its reader into a line that says so."""
    try:
        yield
    except CannotOpenError:
        raise
    except Exception as error:
        raise CannotOpenError(f"{file.name} is damaged or cut ({brief(error)}).") from None


def _read(file: Path) -> Any:
    try:
        from gguf import GGUFReader
    except ImportError:
        raise CannotOpenError("The library `gguf` is missing. `make real` installs it.") from None
    if not file.is_file():
        raise CannotOpenError(f"There is no file {file}.")
    with _damage(file):
        return GGUFReader(file)


def _value(fields: dict[str, Any], name: str) -> Any:
    if name not in fields:
        raise CannotOpenError(f"The GGUF file has no field `{name}`.")
    return fields[name].contents()


def _card(fields: dict[str, Any], tensors: set[str]) -> dict[str, Any]:
    """Return the card of a GGUF file, with the fields that `transformers` uses."""
    kind = _value(fields, "general.architecture")
    if kind not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise CannotOpenError(f"`general.architecture` is {kind!r}; this course opens {known}.")
    card = {name: _value(fields, f"{kind}.{field}") for name, field in FIELDS.items()}
    if f"{kind}.attention.key_length" in fields:
        card["head_dim"] = _value(fields, f"{kind}.attention.key_length")
    for name in (f"{kind}.rope.scaling.type", f"{kind}.attention.sliding_window"):
        if name in fields and _value(fields, name) not in ("none", 0):
            raise CannotOpenError(
                f"`{name}` is set in the GGUF file, and this course does not read it."
            )
    return card | {
        "model_type": kind,
        "hidden_act": "silu",
        "vocab_size": len(fields["tokenizer.ggml.tokens"].data),
        "tie_word_embeddings": "output.weight" not in tensors,
        "eos_token_id": _value(fields, "tokenizer.ggml.eos_token_id"),
        "torch_dtype": "float32",
        LAYOUT: LAYOUTS[kind],
    }


def _weights(reader: Any, progress: Any) -> Iterator[tuple[str, torch.Tensor]]:
    from gguf import dequantize

    for tensor in reader.tensors:
        *block, part, kind = tensor.name.removeprefix("blk.").split(".")
        if part not in NAMES:
            raise CannotOpenError(f"Nothing here computes with `{tensor.name}` of the GGUF file.")
        ours = ".".join(["blocks", *block, NAMES[part], kind] if block else [NAMES[part], kind])
        values = dequantize(tensor.data, tensor.tensor_type)
        yield theirs(ours), torch.from_numpy(np.array(values, dtype=np.float32))
        progress.update()


def _tokenizer(fields: dict[str, Any]) -> Any:
    """Return the tokeniser of a GGUF file: byte pairs, from its vocabulary and merges."""
    try:
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    except ImportError:
        raise CannotOpenError(
            "The library `tokenizers` is missing. `make real` installs it."
        ) from None
    kind = _value(fields, "tokenizer.ggml.model"), _value(fields, "tokenizer.ggml.pre")
    if kind != ("gpt2", "smollm"):
        raise CannotOpenError(
            f"`tokenizer.ggml.pre` is {kind[1]!r}; of GGUF files, this course opens 'smollm'."
        )
    words = _value(fields, "tokenizer.ggml.tokens")
    merges = [tuple(pair.split(" ")) for pair in _value(fields, "tokenizer.ggml.merges")]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = 3  # the type of tokens such as <|im_end|>
    types = _value(fields, "tokenizer.ggml.token_type")
    special = [word for word, its in zip(words, types, strict=True) if its == control]
    tokenizer.add_special_tokens([AddedToken(word, normalized=False) for word in special])
    return tokenizer
