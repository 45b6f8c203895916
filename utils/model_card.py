"""Read from a model's configuration what it keeps of each token: `python -m utils.model_card FILE`.

FILE is a `config.json`, or a `.safetensors` file, of which only the header with the tensors' shapes
is read. Without FILE, the models of `model_cards.json` are listed.

    card = read_card({"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32})
    card.per_token, card.kept(131_072)  # bytes
    print(card)                         # the same, with the traps of this configuration

What a configuration does not say is reported, not guessed; only where it does not say how many
heads have keys, all are taken to have them.
"""

import argparse
import json
import math
import re
import struct
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

LONG = 131_072  # tokens, to which cards are compared
WIDTH = 2  # bytes of a number in the cache
MOST_LAYERS = 10_000  # far more than any model has
MOST = 10**12  # far more than any field of a card, or any side of a tensor, is
CARDS = Path(__file__).with_name("model_cards.json")
FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"
ALIASES = {  # older names of the same fields
    "num_hidden_layers": ("n_layer",),
    "num_attention_heads": ("n_head",),
    "hidden_size": ("n_embd",),
    "num_key_value_heads": ("num_kv_heads", "n_head_kv"),
    "max_position_embeddings": ("n_positions",),
}
WINDOW_IN_EVERY_LAYER = ("mistral", "mixtral", "phi3", "starcoder2")  # types of model
# Beginnings of types of model whose heads have a width of their own if the file names none.
OWN_WIDTH = ("gemma", "qwen3", "gpt_oss")
NOT_COUNTED = {  # fields that change what is kept, in ways that this card does not count
    "block_configs": "each layer has a number of heads with keys of its own",
    "num_kv_shared_layers": "later layers read the keys and values of earlier ones",
    "use_cla": "neighbouring layers share keys and values",
    "linear_conv_kernel_dim": "a linear layer also keeps the last inputs of its convolution",
    "global_head_dim": "full layers have heads of another width",
    "attention_k_eq_v": "keys and values are the same",
    "index_head_dim": "each layer keeps a key of an indexer as well",
    "cross_attention_layers": "some layers look at another source",
    "layers_block_type": "some layers may have no attention",
    "hybrid_override_pattern": "some layers have no attention",
    "attn_layer_period": "only some layers have attention",
    "attention_chunk_size": "some layers look at their own chunk alone",
    "compress_rates": "keys are compressed",
}

KEYS = ("k_proj.weight", "v_proj.weight", "kv_a_proj_with_mqa.weight")  # ends of tensors' names
METADATA = "__metadata__"  # the one entry of a safetensors header that is no tensor
SUSPICIOUS = re.compile("attn|attention|kv|cache|window|latent|compress|head")  # may change it
HARMLESS = re.compile(  # names like these that do not, and those that are read here
    r"_?(attn|attention)_(bias|dropout|pdrop|implementation|output_gate|logit_softcapping"
    r"|multiplier)(_internal)?|output_attentions|scale_attn_.+|reorder_and_upcast_attn"
    r"|(num_ln_in_)?parallel_attn"
    r"|add_cross_attention|use_bidirectional_attention|use_cache|cache_implementation|lm_head\w*"
    r"|(pruned|init)_?heads|n_head(_kv)?|num_(attention|kv|key_value)_heads|head_dim|sliding_window"
    r"|sliding_window_pattern|use_sliding_window|max_window_layers|full_attention_interval"
    r"|kv_lora_rank|(qk_(nope|rope)|v|qk)_head_dim|linear_\w+|query_pre_attn_scalar"
)


class CardError(ValueError):
    """A file or a configuration that cannot be read as a model's; its message is one line."""


class Layer(NamedTuple):
    """What one layer keeps.

    Attributes:
        kind: "full", "window", "latent" or "linear".
        numbers: numbers that a token leaves behind.
        window: the number of tokens of which it keeps them, or None for all.
        state: numbers that it keeps however long the text is.
    """

    kind: str
    numbers: int
    window: int | None = None
    state: int = 0

    def kept(self, tokens: int) -> int:
        """Return how many numbers it keeps of so many tokens."""
        within = tokens if self.window is None else min(tokens, self.window)
        return self.numbers * within + self.state


@dataclass(frozen=True)
class ModelCard:
    """What a model keeps of the tokens that it has read, with the traps of its configuration.

    Attributes:
        layers: a `Layer` for each of its layers.
        facts: what is printed above the bytes, by name: heads, widths.
        traps: a sentence for each trap that this configuration sets.
        told: a sentence for each thing that it does not say.
    """

    layers: tuple[Layer, ...]
    facts: Mapping[str, str]
    traps: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def per_token(self) -> int:
        """Return the bytes that a token adds as long as no window is full."""
        return WIDTH * sum(layer.numbers for layer in self.layers)

    def kept(self, tokens: int) -> int:
        """Return the bytes that are kept of so many tokens."""
        return WIDTH * sum(layer.kept(tokens) for layer in self.layers)

    def __str__(self) -> str:
        lines = [f"{name:14} {value}" for name, value in self.facts.items()]
        alike = [(layer, len([*same])) for layer, same in groupby(sorted(self.layers, key=str))]
        for layer, count in sorted(alike, key=lambda pair: -pair[1]):
            lines.append(f"{'keeps':14} {count} × {_in_words(layer)}")
        lines.append(f"{'a token':14} {self.per_token:,} bytes ({in_units(self.per_token)})")
        lines.append(f"{f'{LONG:,} tokens':14} {in_units(self.kept(LONG))}")
        lines += [f"{'trap':14} {trap}" for trap in self.traps]
        return "\n".join(lines + [f"{'not said':14} {sentence}" for sentence in self.told])


def read_card(source: str | Path | Mapping[str, Any]) -> ModelCard:
    """Return the card of a configuration: a file, or the dictionary that stands in one.

    Args:
        source: path of a `config.json` or a `.safetensors` file, or a configuration.

    Raises:
        CardError: the file cannot be read, or lacks what a card needs; the message is one line.
    """
    if isinstance(source, Mapping):
        return _card_of(source)
    path = Path(source)
    try:
        if path.suffix == ".safetensors":
            return _card_of_shapes(_header(path))
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CardError(f"{path.name}: {(error.strerror or 'cannot be read').lower()}") from None
    except CardError:
        raise
    except (ValueError, RecursionError) as error:  # no JSON, or lists within lists without end
        raise CardError(f"{path.name} is no JSON file: {str(error).splitlines()[0]}") from None
    if not isinstance(config, dict):
        kind = "an int" if type(config) is int else f"a {type(config).__name__}"
        raise CardError(f"{path.name} holds {kind}; a configuration is an object, {{…}}")
    return _card_of(config)


def stored_cards() -> dict[str, dict[str, Any]]:
    """Return the stored models: name → `config`, `source`, `second` and `published`.

    `second` is a source that was found to say the same, `published` the bytes a token that somebody
    else states, with the source.
    """
    return json.loads(CARDS.read_text(encoding="utf-8"))


def in_units(count: int) -> str:
    """Return a number of bytes as people say it: "128 KiB"."""
    power = min(3, int(math.log2(count) // 10)) if count else 0
    return f"{count / 1024**power:,.4g} {('bytes', 'KiB', 'MiB', 'GiB')[power]}"


def _in_words(layer: Layer) -> str:
    if layer.kind == "linear":
        return f"a state of {layer.state:,} numbers, whatever the length"
    reach = "all tokens" if layer.window is None else f"the last {layer.window:,} tokens"
    latent = " (one latent vector)" if layer.kind == "latent" else ""
    return f"{layer.numbers:,} numbers{latent} of {reach}"


class _Fields:
    """A configuration's fields, each asked for by its newest name."""

    def __init__(self, config: Mapping[str, Any]):
        self.config = config

    def get(self, name: str) -> Any:
        found = (self.config.get(each) for each in (name, *ALIASES.get(name, ())))
        return next((value for value in found if value is not None), None)

    def whole(self, name: str, default: int | None = None) -> int:
        """Return a field that has to be a whole number, 1 or more, or the default without it."""
        value = self.get(name)
        if value is None and default is not None:
            return default
        if value is None:
            raise CardError(f"`{name}` is missing: without it nothing can be counted")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise CardError(f"`{name}` is {value!r}; it has to be a whole number, 1 or more")
        if value > MOST:
            raise CardError(f"`{name}` is more than {MOST:,}; no model has so many")
        return value

    def number(self, name: str, default: float) -> float:
        """Return a field that has to be a number above 0."""
        value = default if self.get(name) is None else self.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST:
            raise CardError(f"`{name}` has to be a number above 0, and at most {MOST:,}")
        return value

    def flag(self, name: str) -> bool | None:
        """Return a field that has to be true or false, or None without it."""
        value = self.get(name)
        if value is not None and not isinstance(value, bool):
            raise CardError(f"`{name}` is {value!r}; it has to be true or false")
        return value

    def rope(self) -> "_Fields":
        """Return the fields that say how rotary positions are stretched, if they are."""
        rope = self.get("rope_scaling") or self.get("rope_parameters") or {}
        if isinstance(rope, Mapping):
            rope = rope.get(FULL, rope)  # newer files have an entry for each type of layer
        if not isinstance(rope, Mapping):
            raise CardError(f"`rope_scaling` is {rope!r}; it has to be an object, {{…}}")
        return _Fields(rope)


def _card_of(config: Mapping[str, Any]) -> ModelCard:
    inner = config.get("text_config")  # models that see and hear have one for each sense
    fields = _Fields(inner if isinstance(inner, Mapping) else config)
    count, heads = fields.whole("num_hidden_layers"), fields.whole("num_attention_heads")
    if count > MOST_LAYERS:
        raise CardError(f"`num_hidden_layers` is {count:,}; no model has so many")
    facts = {"layers": f"{count:,}"}
    if fields.get("kv_lora_rank") is not None:
        rank, rotary = fields.whole("kv_lora_rank"), fields.whole("qk_rope_head_dim")
        layer = Layer("latent", rank + rotary)
        facts["heads"] = f"{heads:,} for queries; keys and values come from a latent vector"
        facts["latent vector"] = f"{rank:,} + {rotary:,} rotary"
        head_dim = fields.whole("qk_nope_head_dim") + rotary
    else:
        kv_heads, head_dim = _kv_heads(fields, heads), _head_dim(fields, heads)
        layer = Layer("full", 2 * kv_heads * head_dim)
        facts["heads"] = f"{heads:,} for queries, {kv_heads:,} for keys and values"
        facts["width"] = f"{head_dim:,} a head"
    for name, field in (("hidden", "hidden_size"), ("context", "max_position_embeddings")):
        if fields.get(field) is not None:
            facts[name] = f"{fields.whole(field):,}"
    layers, told = _layers(fields, count, layer)
    told += _untold(fields, heads, head_dim)
    return ModelCard(layers, facts, tuple(_traps(fields, head_dim, layers)), tuple(told))


def _untold(fields: _Fields, heads: int, head_dim: int) -> Iterator[str]:
    """Yield a sentence for each thing that may change the bytes and that nobody said or counts."""
    kind = str(fields.get("model_type"))
    if fields.get("head_dim") is None and kind.startswith(OWN_WIDTH):
        yield (
            f"`head_dim`, and models of type {kind} have one of their own; counted as "
            f"{fields.whole('hidden_size'):,} / {heads} = {head_dim}, so the bytes may be wrong"
        )
    for name, why in NOT_COUNTED.items():
        if fields.get(name):
            yield f"`{name}`: {why}; not counted"
    for name in sorted({*filter(SUSPICIOUS.search, fields.config)} - {*NOT_COUNTED}):
        if fields.get(name) and not HARMLESS.fullmatch(name):
            yield (
                f"what `{name}` means: this card does not know the field, and if it changes what "
                "is kept, the bytes are wrong"
            )


def _kv_heads(fields: _Fields, heads: int) -> int:
    alone = fields.flag("multi_query") and not fields.flag("new_decoder_architecture")  # Falcon
    kv_heads = 1 if alone else fields.whole("num_key_value_heads", heads)
    if heads % kv_heads:
        raise CardError(f"{heads} query heads cannot share {kv_heads} key heads: no whole groups")
    return kv_heads


def _head_dim(fields: _Fields, heads: int) -> int:
    if fields.get("head_dim") is not None:
        return fields.whole("head_dim")
    hidden = fields.whole("hidden_size")
    if hidden % heads:
        raise CardError(f"`head_dim` is missing, and {hidden} / {heads} is no whole number")
    return hidden // heads


def _layers(fields: _Fields, count: int, full: Layer) -> tuple[tuple[Layer, ...], list[str]]:
    """Return what each layer keeps, and what the configuration does not say about it."""
    types, told = fields.get("layer_types"), []
    window = None if _is_switched_off(fields) else fields.get("sliding_window")
    every = "full_attention_interval", "sliding_window_pattern"
    if types is None and fields.get(every[0]) is not None:
        types = _repeated(LINEAR, fields.whole(every[0]), count)
    elif types is None and window is not None and fields.get(every[1]) is not None:
        types = _repeated(SLIDING, fields.whole(every[1]), count)
    elif types is None and window is not None and fields.flag("use_sliding_window"):
        none = fields.get("max_window_layers") == 0  # all layers have the window
        first = 0 if none else fields.whole("max_window_layers", 0)
        types = [FULL] * min(first, count) + [SLIDING] * (count - first)
    elif types is None and window is not None:
        known = fields.get("model_type") in WINDOW_IN_EVERY_LAYER
        types = [SLIDING if known else FULL] * count
        if not known:
            told.append(
                f"in which layers the window of {window} is; counted as in none, so the bytes "
                "are an upper bound"
            )
    types = [FULL] * count if types is None else types
    if not isinstance(types, list):
        raise CardError(f"`layer_types` is {types!r}; it has to be a list of types, one a layer")
    if len(types) != count:
        raise CardError(f"`layer_types` names {len(types)} layers, `num_hidden_layers` is {count}")
    return tuple(_layer(fields, kind, full) for kind in types), told


def _repeated(kind: str, every: int, count: int) -> list[str]:
    return [kind if (place + 1) % every else FULL for place in range(count)]


def _layer(fields: _Fields, kind: Any, full: Layer) -> Layer:
    if kind == FULL:
        return full
    if kind == SLIDING and _is_switched_off(fields):
        return full
    if kind == SLIDING:
        return Layer("window", full.numbers, fields.whole("sliding_window"))
    if kind == LINEAR:
        sizes = "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim"
        return Layer("linear", 0, state=math.prod(map(fields.whole, sizes)))
    raise CardError(f"`layer_types` has {kind!r}: what such a layer keeps, this card does not know")


def _is_switched_off(fields: _Fields) -> bool:
    return fields.flag("use_sliding_window") is False


def _traps(fields: _Fields, head_dim: int, layers: tuple[Layer, ...]) -> Iterator[str]:
    """Yield a sentence for each of seven traps that a configuration sets."""
    heads, hidden = fields.whole("num_attention_heads"), fields.get("hidden_size")
    latent = fields.get("kv_lora_rank") is not None
    if not latent and hidden and hidden != heads * head_dim:
        yield (
            f"head_dim is {head_dim}, not hidden_size / num_attention_heads = "
            f"{hidden / heads:.4g}: keys are as wide as head_dim says"
        )
    if latent and fields.get("num_key_value_heads"):
        yield (
            f"num_key_value_heads = {fields.get('num_key_value_heads')} says nothing about the "
            "cache: with kv_lora_rank, one latent vector is kept for all heads"
        )
    if latent:
        rank, rotary = fields.get("kv_lora_rank"), fields.get("qk_rope_head_dim")
        yield (
            f"the rotary {rotary} is kept beside the latent {rank}: {rank + rotary} numbers a "
            "layer, and no factor 2 for keys and values"
        )
    yield from _traps_of_windows(fields, layers)
    yield from _traps_of_scaling(fields, head_dim)


def _traps_of_windows(fields: _Fields, layers: tuple[Layer, ...]) -> Iterator[str]:
    window, windows = fields.whole("sliding_window", 0), [one for one in layers if one.window]
    if window and not windows and (_is_switched_off(fields) or fields.get("layer_types")):
        yield f"sliding_window = {window:,} is there, and no layer uses it"
    elif windows and len(windows) < len(layers):
        yield f"the window of {window:,} is in {len(windows)} of {len(layers)} layers only"
    if windows:
        yield f"a window of {window:,} counts the present token: it and {window - 1:,} before it"


def _traps_of_scaling(fields: _Fields, head_dim: int) -> Iterator[str]:
    rope = fields.rope()
    factor, mscale = rope.number("factor", 1.0), rope.number("mscale", 1.0)
    divisor, stretched = fields.number("query_pre_attn_scalar", head_dim), 1.0
    yarn = "yarn" in (rope.get("type"), rope.get("rope_type"))
    if yarn:
        stretched = rope.number("attention_factor", 0.1 * mscale * math.log(factor) + 1) ** 2
    if divisor != head_dim:
        yield (
            f"scores are divided by √{divisor:g} (query_pre_attn_scalar), not by √head_dim = "
            f"√{head_dim}"
        )
    if fields.get("attention_multiplier") is not None:
        by = fields.number("attention_multiplier", 1.0)
        yield f"scores are multiplied by {by:g} (attention_multiplier), not by 1 / √{head_dim}"
    if stretched != 1:
        yield f"YaRN multiplies the scores by {stretched:.4g} besides 1 / √{head_dim}"
    longest = fields.whole("max_position_embeddings", 1)
    before = rope.whole("original_max_position_embeddings", longest)
    if factor > 1 and longest > before and (not yarn or longest >= factor * before):
        yield (
            f"max_position_embeddings = {longest:,} is the stretched context already (from "
            f"{before:,}): do not multiply it by the factor {factor:g}"
        )


def _header(path: Path) -> dict[str, list[int]]:
    """Return the shapes in a safetensors file's header: eight bytes with its length, then JSON."""
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        text = file.read(length) if 0 < length < 2**27 else b""
    if not text or len(text) < length:
        raise CardError(f"{path.name} does not begin with the header of a safetensors file")
    header = json.loads(text)
    try:
        return {name: _shape(name, entry) for name, entry in header.items() if name != METADATA}
    except (AttributeError, TypeError, KeyError, IndexError):
        raise CardError(f"{path.name} has a header that lists no shapes of tensors") from None


def _shape(name: str, entry: Mapping[str, Any]) -> list[int]:
    """Return the shape of a tensor; one of keys has to be a matrix whose rows can be counted."""
    shape = entry["shape"]
    if not all(type(size) is int and 0 <= size <= MOST for size in shape):
        raise CardError(f"`{name}` has a shape that is no list of sizes, 0 to {MOST:,} each")
    packed = entry.get("dtype", "F")[0] in "UI"  # several weights in a number
    if name.endswith(KEYS) and (packed or len(shape) != 2 or not shape[0]):
        what = f"{entry.get('dtype')} {shape}"
        raise CardError(f"`{name}` is {what}: packed or no matrix, and cannot be counted")
    return shape


def _card_of_shapes(shapes: Mapping[str, list[int]]) -> ModelCard:
    """Return the card that the shapes of keys' and values' projections give."""
    rows: dict[str, int] = {}  # the part of the name up to the projection → numbers of a token
    for name, shape in shapes.items():
        if name.endswith(KEYS):
            before = name.removesuffix(".weight").rpartition(".")[0]
            rows[before] = rows.get(before, 0) + shape[0]
    if not rows:
        raise CardError("no tensor is called `k_proj.weight`: what is kept cannot be seen here")
    latent = any("kv_a_proj_with_mqa" in name for name in shapes)
    layers = tuple(Layer("latent" if latent else "full", count) for count in rows.values())
    facts = {"layers": f"{len(rows):,} with keys in this file"}
    norms = (shape for name, shape in shapes.items() if name.endswith("k_norm.weight"))
    widths = {shape[0] for shape in norms if shape and shape[0]}
    of_keys = next((shape[0] for name, shape in shapes.items() if "k_proj.weight" in name), 0)
    # A norm as wide as all keys together says nothing: it may be one of a single head, or of all.
    cut = len(widths) == 1 and not latent and min(widths) < of_keys
    if cut and of_keys % min(widths) == 0:
        (head_dim,) = widths
        facts["heads"] = f"{of_keys // head_dim:,} for keys and values"
        facts["width"] = f"{head_dim:,} a head"
    told = ["windows do not show in shapes; every layer is counted as if it kept all tokens"]
    if "heads" not in facts:
        told.append("how the keys are cut into heads; the bytes do not depend on it")
    keys, values = ({*_before(shapes, part)} for part in KEYS[:2])
    if keys ^ values:
        told.append(
            f"the other half of {len(keys ^ values)} layers, whose keys or values are not in this "
            "file (in another part of the model, or there are none); not counted"
        )
    return ModelCard(layers, facts, told=tuple(told))


def _before(shapes: Mapping[str, list[int]], end: str) -> Iterator[str]:
    """Yield what stands before the end in each name that has it."""
    return (name.removesuffix(end) for name in shapes if name.endswith(end))


def main() -> int:
    """Print a card, or the list of stored models; return 0, or 1 if a file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m utils.model_card", description=__doc__)
    parser.add_argument("file", nargs="?", help="a config.json or a .safetensors file")
    options = parser.parse_args()
    try:
        if options.file:
            print(read_card(options.file))
        for name, stored in {} if options.file else stored_cards().items():
            card = read_card(stored["config"])
            print(f"{name:18} {in_units(card.per_token):>10} {in_units(card.kept(LONG)):>10}")
    except CardError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
