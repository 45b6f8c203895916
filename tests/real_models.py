"""Write folders with small models from a seed, as `transformers` writes them, and GGUF files."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from utils.pretrained.architecture import CausalLM
from utils.pretrained.folder import LAYOUT, read_architecture, theirs

SIZES = {
    "vocab_size": 60,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 128,
    "hidden_act": "silu",
    "bos_token_id": 1,
    "eos_token_id": 2,
}
STRETCH = {
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
OWN = {"head_dim": 10, "use_sliding_window": True, "sliding_window": 5}
CARDS = {
    "Llama, old card": {"model_type": "llama", "rope_theta": 500.0, "tie_word_embeddings": True},
    "Llama, new card": {
        "model_type": "llama",
        "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
    },
    "Llama, biased, all heads": {
        "model_type": "llama",
        "attention_bias": True,
        "num_key_value_heads": None,
    },
    "Llama 3, old card": {
        "model_type": "llama",
        "rope_theta": 500.0,
        "rope_scaling": STRETCH | {"rope_type": "llama3"},
    },
    "Llama 3, new card": {
        "model_type": "llama",
        "rope_parameters": STRETCH | {"rope_type": "llama3", "rope_theta": 500.0},
    },
    "Llama, interpolated": {
        "model_type": "llama",
        "rope_theta": 500.0,
        "rope_scaling": {"type": "linear", "factor": 2.0},
    },
    "Mistral, window": {"model_type": "mistral", "sliding_window": 6, "head_dim": 8},
    "Mistral, no window": {"model_type": "mistral", "sliding_window": None},
    "Qwen 2": {"model_type": "qwen2", "sliding_window": 5, "tie_word_embeddings": True},
    "Qwen 2, window from block 1": {
        "model_type": "qwen2",
        "sliding_window": 5,
        "use_sliding_window": True,
        "max_window_layers": 1,
    },
    "Qwen 3": {"model_type": "qwen3", "head_dim": 10, "tie_word_embeddings": True},
    "Qwen 3, biased": {"model_type": "qwen3", "head_dim": 10, "attention_bias": True},
    "Qwen 3, window in block 1": OWN
    | {
        "model_type": "qwen3",
        "layer_types": ["full_attention", "sliding_attention", "full_attention"],
    },
}


def write_model(
    folder: Path, kind: str = "Llama, old card", dtype: torch.dtype = torch.float32, **changes
) -> CausalLM:
    """Write a folder with a small model, and return the model.

    Args:
        folder: is made.
        kind: one of `CARDS`.
        changes: fields of the card.
    """
    folder.mkdir(parents=True, exist_ok=True)
    card = SIZES | CARDS[kind] | changes
    torch.manual_seed(0)
    model = CausalLM(read_architecture(card)).requires_grad_(False)
    _draw(model)
    state = {theirs(name): parameter.to(dtype) for name, parameter in model.named_parameters()}
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(card), encoding="utf-8")
    write_tokenizer(folder / "tokenizer.json")
    return model.eval()


def _draw(model: CausalLM) -> None:
    for name, parameter in model.named_parameters():
        parameter.normal_(1.0 if "norm" in name else 0.0, 0.3)


def write_tokenizer(file: Path) -> None:
    """Write a tokeniser of 60 words: w0 to w59."""
    vocabulary = {f"w{number}": number for number in range(60)}
    tokenizer = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "w0"},
    }
    file.write_text(json.dumps(tokenizer), encoding="utf-8")


def write_gguf(file: Path, **changes) -> CausalLM:
    """Write a GGUF file with a small Llama, and return the model, which turns pairs.

    Args:
        changes: fields of the file instead of those it should have; None leaves one out.
    """
    from gguf import GGUFWriter

    from utils.pretrained.gguf import FIELDS, NAMES

    words = ["<|end|>", *map(chr, range(33, 91)), "AB"]
    torch.manual_seed(0)
    card = SIZES | CARDS["Llama, old card"] | {LAYOUT: "pairs"}
    model = CausalLM(read_architecture(card)).requires_grad_(False)
    writer = GGUFWriter(str(file), "llama")
    fields = {f"llama.{field}": card[name] for name, field in FIELDS.items()}
    fields |= {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": words,
        "tokenizer.ggml.token_type": [3] + [1] * 59,
        "tokenizer.ggml.merges": ["A B"],
        "tokenizer.ggml.eos_token_id": 0,
    } | changes
    for name, value in fields.items():
        if isinstance(value, str):
            writer.add_string(name, value)
        elif isinstance(value, list):
            writer.add_array(name, value)
        elif isinstance(value, float):
            writer.add_float32(name, value)
        elif value is not None:
            writer.add_uint32(name, value)
    ours_to_theirs = {ours: name for name, ours in NAMES.items()}
    _draw(model)
    for name, parameter in model.named_parameters():
        part, kind = name.rsplit(".", 1)
        if part.startswith("blocks."):
            _, number, part = part.split(".", 2)
            writer.add_tensor(f"blk.{number}.{ours_to_theirs[part]}.{kind}", parameter.numpy())
        else:
            writer.add_tensor(f"{ours_to_theirs[part]}.{kind}", parameter.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return model
