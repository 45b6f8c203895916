"""Open a model from a folder as the library `transformers` writes it, and make such a folder.

A folder holds `config.json` (the card), `model.safetensors` (the weights) and `tokenizer.json`. All
three are data: nothing in them is executed. What does not fit is refused with its field's name.
"""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from utils.pretrained.architecture import Architecture, CausalLM

KINDS = ("llama", "mistral", "qwen2", "qwen3")
NAMES = {  # ours → theirs
    "embedding": "model.embed_tokens",
    "norm": "model.norm",
    "output": "lm_head",
    "norms.0": "input_layernorm",
    "norms.1": "post_attention_layernorm",
    "attention.W_q": "self_attn.q_proj",
    "attention.W_k": "self_attn.k_proj",
    "attention.W_v": "self_attn.v_proj",
    "attention.W_o": "self_attn.o_proj",
    "attention.norm_q": "self_attn.q_norm",
    "attention.norm_k": "self_attn.k_norm",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.up": "mlp.up_proj",
    "feed_forward.down": "mlp.down_proj",
}
LAYOUT = "rotary_layout"  # a field of ours, in folders made from GGUF files
MOST, MOST_WIDTH, MOST_LAYERS = 10**12, 10**6, 1_000  # far more than any model has


class CannotOpenError(Exception):
    """A model that cannot be opened; the message is one line that says why, and what to do."""


def brief(error: BaseException) -> str:
    """Return the first line of an error's message, or its kind."""
    return (str(error).splitlines() or [type(error).__name__])[0][:80]


def theirs(name: str) -> str:
    """Return the name that a parameter of `CausalLM` has in a folder of `transformers`."""
    if not name.startswith("blocks."):
        part, kind = name.rsplit(".", 1)
        return f"{NAMES[part]}.{kind}"
    _, number, rest = name.split(".", 2)
    part, kind = rest.rsplit(".", 1)
    return f"model.layers.{number}.{NAMES[part]}.{kind}"


def read_architecture(card: dict[str, Any]) -> Architecture:
    """Return the sizes that a card states.

    Raises:
        CannotOpenError: a field is missing, or says something that `CausalLM` does not compute.
    """
    kind = card.get("model_type")
    _insist("model_type", kind, kind in (*KINDS,), " or ".join(KINDS))
    activation = card.get("hidden_act", "silu")
    _insist("hidden_act", activation, activation == "silu", "silu")
    _insist("mlp_bias", card.get("mlp_bias"), not _flag(card, "mlp_bias"), "false")
    layout = card.get(LAYOUT, "halves")
    _insist(LAYOUT, layout, layout in ("halves", "pairs"), "halves or pairs")
    dim, heads = _whole(card, "hidden_size"), _whole(card, "num_attention_heads")
    layers = _whole(card, "num_hidden_layers", most=MOST_LAYERS)
    kv_heads = _whole(card, "num_key_value_heads", heads)
    _insist("num_key_value_heads", kv_heads, heads % kv_heads == 0, f"a divisor of {heads}")
    if card.get("head_dim") is None and kind != "qwen3":
        _insist("num_attention_heads", heads, dim % heads == 0, f"a divisor of {dim}")
    head_dim = _whole(card, "head_dim", 128 if kind == "qwen3" else dim // heads)
    rope = _rope(card)
    rotary_dim = int(head_dim * _number(rope, "partial_rotary_factor", 1.0, most=1))
    even = rotary_dim > 0 and rotary_dim % 2 == 0
    _insist("head_dim", head_dim, even, "an even number, as entries turn in pairs")
    biased = _flag(card, "attention_bias")
    return Architecture(
        vocab_size=_whole(card, "vocab_size"),
        dim=dim,
        layers=layers,
        hidden=_whole(card, "intermediate_size"),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        eps=_number(card, "rms_norm_eps", 1e-6),
        base=float(_number(rope, "rope_theta", 10_000.0)),
        rotary_dim=rotary_dim,
        windows=_windows(card, kind, layers),
        layout=layout,
        stretch=_stretch(rope),
        bias="inputs" if kind == "qwen2" else biased,
        qk_norm=kind == "qwen3",
        tied=_flag(card, "tie_word_embeddings"),
        context=_whole(card, "max_position_embeddings", 2048, most=MOST),
    )


def _insist(name: str, value: Any, fits: bool, expected: str) -> None:
    if not fits:
        shown = repr(value)[:60]
        raise CannotOpenError(f"config.json: `{name}` is {shown}; this course opens {expected}.")


def _number(fields: dict, name: str, default: float | None = None, most: float = MOST) -> float:
    """Return a field that has to be a number above 0, or the default if it is missing or null."""
    value = default if fields.get(name) is None else fields[name]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    _insist(name, value, number and 0 < value <= most, f"a number above 0, up to {most:,}")
    return value


def _whole(card: dict, name: str, default: int | None = None, most: int = MOST_WIDTH) -> int:
    value = default if card.get(name) is None else card[name]
    whole = isinstance(value, int) and not isinstance(value, bool)
    _insist(name, value, whole and 0 < value <= most, f"a whole number above 0, up to {most:,}")
    return value


def _flag(card: dict, name: str, default: bool = False) -> bool:
    value = default if card.get(name) is None else card[name]
    _insist(name, value, isinstance(value, bool), "true or false")
    return value


def _rope(card: dict) -> dict[str, Any]:
    """Return what a card says of rotary positions, in old cards and in new ones."""
    old = {name: card[name] for name in ("rope_theta", "partial_rotary_factor") if name in card}
    new = card.get("rope_parameters") or card.get("rope_scaling") or {}
    _insist("rope_parameters", new, isinstance(new, dict), "an object with fields")
    return old | new


def _stretch(rope: dict[str, Any]) -> tuple[float, ...]:
    kind = rope.get("rope_type", rope.get("type", "default"))
    wanted = {
        "default": (),
        "linear": ("factor",),
        "llama3": (
            "factor",
            "low_freq_factor",
            "high_freq_factor",
            "original_max_position_embeddings",
        ),
    }
    _insist("rope_type", kind, kind in [*wanted], " or ".join(wanted))
    numbers = tuple(_number(rope, name) for name in wanted[kind])
    if kind == "llama3":
        low, high = numbers[1:3]
        _insist("high_freq_factor", high, high > low, f"more than low_freq_factor, {low}")
    return numbers


def _windows(card: dict[str, Any], kind: str, layers: int) -> tuple[int | None, ...]:
    """Return the window of each layer, or None where there is none."""
    used = _flag(card, "use_sliding_window", kind == "mistral")
    if kind == "llama" or not used or card.get("sliding_window") is None:
        return (None,) * layers
    window = _whole(card, "sliding_window", most=MOST)
    if types := card.get("layer_types"):
        known = ["sliding_attention", "full_attention"]
        fits = isinstance(types, list) and all(each in known for each in types)
        _insist("layer_types", types, fits, "sliding_attention or full_attention for each layer")
        _insist("layer_types", types, len(types) == layers, f"an entry for each of {layers} layers")
        return tuple(window if each == "sliding_attention" else None for each in types)
    full = card.get("max_window_layers", 28) if kind != "mistral" else 0
    whole = isinstance(full, int) and full >= 0
    _insist("max_window_layers", full, whole, "a whole number, 0 or more")
    return (None,) * min(full, layers) + (window,) * max(0, layers - full)


def open_folder(folder: Path, dtype: torch.dtype = torch.float32) -> CausalLM:
    """Return the model in a folder; its weights are mapped into memory where the dtype allows it.

    Raises:
        CannotOpenError: a file is missing, damaged or does not fit; the message is one line.
    """
    card = _read_card(folder / "config.json")
    with torch.device("meta"):
        model = CausalLM(read_architecture(card))
    wanted = {name: theirs(name) for name, _ in model.named_parameters()}
    weights = _read_weights(folder, {*wanted.values()})
    state = {}
    for name, parameter in model.named_parameters():
        found = weights.pop(wanted[name], None)
        if found is None:
            raise CannotOpenError(
                f"model.safetensors: there is no `{wanted[name]}`, which the card promises."
            )
        if found.shape != parameter.shape:
            raise CannotOpenError(
                f"model.safetensors: `{wanted[name]}` is {tuple(found.shape)}; by the card it is "
                f"{tuple(parameter.shape)}."
            )
        if not (found.is_floating_point() and found.sum(dtype=torch.float32).isfinite()):
            raise CannotOpenError(
                f"model.safetensors: `{wanted[name]}` has entries that are no finite numbers with "
                "a point; fetch it again."
            )
        state[name] = found.to(dtype)
    if model.architecture.tied:
        state["output.weight"] = state["embedding.weight"]
    if left := sorted(name for name in weights if not _may_stay(name, model.architecture.tied)):
        raise CannotOpenError(f"model.safetensors: nothing here computes with `{left[0]}`.")
    model.load_state_dict(state, assign=True)
    if model.architecture.tied:
        model.output.weight = model.embedding.weight
    return model.requires_grad_(False).eval()


def _may_stay(name: str, tied: bool) -> bool:
    """Return whether a tensor is one that many files carry along, and that nothing needs."""
    return name.endswith("rotary_emb.inv_freq") or (tied and name == "lm_head.weight")


def _read_card(file: Path) -> dict[str, Any]:
    if not file.is_file():
        raise CannotOpenError(f"{file.parent} has no config.json: is it a folder with a model?")
    try:
        card = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CannotOpenError(
            f"config.json cannot be read ({brief(error)}); fetch it again."
        ) from None
    if not isinstance(card, dict):
        raise CannotOpenError(
            "config.json is damaged (it is no object with fields); fetch it again."
        )
    return card


def _read_weights(folder: Path, wanted: set[str]) -> dict[str, Tensor]:
    # Mistral's folders hold the same weights again, under other names, in `consolidated`.
    files = sorted(file for file in folder.glob("model*.safetensors") if file.is_file())
    if not files:
        raise CannotOpenError(f"{folder} has no model.safetensors; other formats are not opened.")
    weights = {}
    for file in files:
        try:
            with safe_open(file, framework="pt") as opened:
                weights |= {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        except (SafetensorError, OSError, RuntimeError) as error:
            raise CannotOpenError(
                f"{file.name} is damaged or cut ({brief(error)}); fetch it again."
            ) from None
    return weights
