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

from utils.model_fields import (
    ALIASES,
    DELTA_RULE,
    EMPTY,
    ENCODERS,
    FULL,
    FULL_TOO,
    HARMLESS,
    IN_EVERY_LAYER,
    LETTERS,
    LINEAR,
    NOT_COUNTED,
    NOTHING,
    OWN_HEADS,
    OWN_WIDTH,
    PARTS,
    SLIDING,
    STATES,
    SUSPICIOUS,
    WINDOWS,
)

LONG = 131_072  # tokens, to which cards are compared
WIDTH = 2  # bytes of a number in the cache
MOST_LAYERS = 10_000  # far more than any model has
MOST = 10**12  # far more than any field of a card, or any side of a tensor, is
CARDS = Path(__file__).with_name("model_cards.json")

KEYS = (".k_proj.weight", ".v_proj.weight", ".kv_a_proj_with_mqa.weight")  # ends of names
ELSEWHERE = re.compile(  # in names of what does not write: towers of other senses, encoders
    r"[._](vision|visual|vit|audio|speech|images?|encoder|qformer|perceiver|cross_?att)"
)
OF_A_STATE = re.compile(r"\.(A_log|dt_bias|[qkv]?_?conv1d)\b")  # beside the keys of a linear layer
METADATA = "__metadata__"  # the one entry of a safetensors header that is no tensor


class CardError(ValueError):
    """A file or a configuration that cannot be read as a model's; its message is one line."""


class Layer(NamedTuple):
    """What one layer keeps.

    Attributes:
        kind: "full", "window", "latent", "linear" or "nothing".
        numbers: numbers that a token leaves behind.
        window: the number of tokens of which it keeps them, or None for all.
        state: numbers that it keeps however long the text is; one of four bytes counts as two.
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
    if layer.kind == NOTHING:
        return "nothing"
    state = f"a state of {layer.state:,} numbers, whatever the length"
    if layer.kind == "linear":
        return state
    reach = "all tokens" if layer.window is None else f"the last {layer.window:,} tokens"
    latent = " (one latent vector)" if layer.kind == "latent" else ""
    besides = f", and {state}" if layer.state else ""
    return f"{layer.numbers:,} numbers{latent} of {reach}{besides}"


class _Fields:
    """A configuration's fields, each asked for by one name, whatever the file calls it."""

    def __init__(self, config: Mapping[str, Any]):
        self.config = config

    def get(self, name: str) -> Any:
        found = (self.config.get(each) for each in ALIASES.get(name, (name,)))
        return next((value for value in found if value is not None), None)

    def whole(self, name: str, default: int | None = None) -> int:
        """Return a field that has to be a whole number, 1 or more, or the default without it."""
        value = self.get(name)
        if value is None and default is not None:
            return default
        if value is None:
            raise CardError(
                f"`{name}` is missing: without it nothing can be counted; write it into the file "
                "if you know it"
            )
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

    def of_layer(self, at: int, kind: str) -> "_Fields":
        """Return the fields with those that a layer, or all layers with a window, have apart."""
        own = self.get("per_layer_config") or {}
        if not isinstance(own, Mapping):
            raise CardError(f"`per_layer_config` is {own!r}; it has to be an object, {{…}}")
        changed = {}
        indexers = self.get("indexer_types")  # a "shared" one keeps nothing of its own
        if isinstance(indexers, list) and indexers[at : at + 1] == ["shared"]:
            changed["index_head_dim"] = 0
        if kind in (*WINDOWS,):  # a tuple, since a type may be anything, even a list
            changed |= {key[4:]: value for key, value in self.config.items() if key[:4] == "swa_"}
        for number, its in own.items():
            here = str(number).lstrip("0") == (str(at) if at else "")  # "05" is the fifth as well
            changed |= its if here and isinstance(its, Mapping) else {}
        return _Fields({**self.config, **changed}) if changed else self

    def rope(self) -> "_Fields":
        """Return the fields that say how rotary positions are stretched, if they are."""
        rope = self.get("rope_scaling") or self.get("rope_parameters") or {}
        if isinstance(rope, Mapping):
            rope = rope.get(FULL, rope) or {}  # newer files have an entry for each type of layer
        if not isinstance(rope, Mapping):
            raise CardError(f"`rope_scaling` is {rope!r}; it has to be an object, {{…}}")
        return _Fields(rope)


def _card_of(config: Mapping[str, Any]) -> ModelCard:
    fields = _Fields(_part_that_writes(config))
    if fields.get("model_type") in ENCODERS and not fields.flag("is_decoder"):
        return _card_of_an_encoder(fields)
    types, told = _types(fields)
    layers = tuple(_layer(fields.of_layer(at, kind), kind) for at, kind in enumerate(types))
    facts = {"layers": f"{len(layers):,}"}
    keys = any(layer.numbers for layer in layers)
    head_dim = _describe_heads(fields, facts) if keys else 0
    for name, field in (("hidden", "hidden_size"), ("context", "max_position_embeddings")):
        if fields.get(field) is not None:
            facts[name] = f"{fields.whole(field):,}"
    told += _untold(fields, types, head_dim)
    if config.get("is_encoder_decoder") or fields.get("is_encoder_decoder"):
        told.append(
            "how long the source is: each layer of the decoder keeps keys and values of what the "
            "encoder read as well, once; not counted"
        )
    traps = tuple(_traps(fields, head_dim, layers)) if keys else ()
    return ModelCard(layers, facts, traps, tuple(told))


def _part_that_writes(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the part of a configuration that is about writing text, where senses have others."""
    inner: Mapping[str, Any] | None = config
    while inner is not None:
        config = inner
        parts = (config.get(name) for name in PARTS)
        inner = next((part for part in parts if isinstance(part, Mapping)), None)
    return config


def _card_of_an_encoder(fields: _Fields) -> ModelCard:
    count = fields.whole("num_hidden_layers")
    facts = {"layers": f"{count:,} of an encoder, which reads a text at once, and keeps nothing"}
    return ModelCard((Layer(NOTHING, 0),) * min(count, MOST_LAYERS), facts)


def _describe_heads(fields: _Fields, facts: dict[str, str]) -> int:
    """Write down what is known of the heads, and return the width of a query."""
    heads = fields.whole("num_attention_heads")
    if _is_latent(fields):
        rank, rotary = fields.whole("kv_lora_rank"), fields.whole("qk_rope_head_dim")
        facts["heads"] = f"{heads:,} for queries; keys and values come from a latent vector"
        facts["latent vector"] = f"{rank:,} + {rotary:,} rotary"
        return fields.whole("qk_nope_head_dim") + rotary
    head_dim = _head_dim(fields, heads)
    facts["heads"] = f"{heads:,} for queries, {_kv_heads(fields, heads):,} for keys and values"
    facts["width"] = f"{head_dim:,} a head"
    return head_dim


def _is_latent(fields: _Fields) -> bool:
    return fields.get("kv_lora_rank") is not None


def _attention(fields: _Fields) -> Layer:
    """Return what a layer with attention keeps if no window shortens it."""
    if _is_latent(fields):
        return Layer("latent", fields.whole("kv_lora_rank") + fields.whole("qk_rope_head_dim"))
    heads = fields.whole("num_attention_heads")
    head_dim = _head_dim(fields, heads)
    both = head_dim + fields.whole("v_head_dim", head_dim)
    return Layer("full", _kv_heads(fields, heads) * both)


def _untold(fields: _Fields, types: list[str], head_dim: int) -> Iterator[str]:
    """Yield a sentence for each thing that may change the bytes and that nobody said or counts."""
    kind = str(fields.get("model_type"))
    if head_dim and fields.get("head_dim") is None and kind.startswith(OWN_WIDTH):
        heads = fields.whole("num_attention_heads")
        yield (
            f"`head_dim`, and models of type {kind} have one of their own; counted as "
            f"{fields.whole('hidden_size'):,} / {heads} = {head_dim}, so the bytes may be wrong"
        )
    if kind.startswith(OWN_HEADS) and fields.get("swa_num_key_value_heads") is None:
        yield (
            f"`swa_num_key_value_heads`, and models of type {kind} have heads of their own in "
            "layers with a window; counted as those of the others, so the bytes may be wrong"
        )
    for name, why in NOT_COUNTED.items():
        if fields.get(name):
            yield f"`{name}`: {why}; not counted"
    if fields.get("index_head_dim") and "indexed_attention" in types:
        yield (
            "how the key of `index_head_dim` numbers is kept by which an indexer chooses tokens: "
            "counted at 2 bytes a number, in each layer that has one"
        )
    elif fields.get("index_head_dim"):
        yield "`index_head_dim`: each layer keeps a key of an indexer as well; not counted"
    if fields.get("attention_chunk_size") and "chunked_attention" not in types:
        yield "`attention_chunk_size`: some layers look at their own chunk alone; not counted"
    if LINEAR in types and fields.get("linear_conv_kernel_dim") and _is_half_counted(fields):
        more = math.prod(map(fields.whole, DELTA_RULE)) + _last_inputs(fields)
        yield (
            "`linear_conv_kernel_dim`: a linear layer also keeps the last inputs of its "
            "convolution, and transformers keeps its state in float32; not counted are "
            f"{WIDTH * types.count(LINEAR) * more:,} bytes in all, whatever the length"
        )
    known = {*NOT_COUNTED, "index_head_dim", "hybrid_override_pattern"}
    for name in sorted({*filter(SUSPICIOUS.search, fields.config)} - known):
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


def _types(fields: _Fields) -> tuple[list[str], list[str]]:
    """Return the type of each layer, and what the configuration does not say about them."""
    types, told = fields.get("layer_types"), []
    pattern = fields.get("hybrid_override_pattern")
    if types is None and isinstance(pattern, str):
        types = [LETTERS.get(letter, letter) for letter in pattern]
    count = fields.whole("num_hidden_layers", len(types) if isinstance(types, list) else None)
    if count > MOST_LAYERS:
        raise CardError(f"`num_hidden_layers` is {count:,}; no model has so many")
    if types is None:
        types = _types_by_rule(fields, count, told)
    if not isinstance(types, list):
        raise CardError(f"`layer_types` is {types!r}; it has to be a list of types, one a layer")
    if len(types) != count:
        raise CardError(f"`layer_types` names {len(types)} layers, `num_hidden_layers` is {count}")
    others = fields.get("cross_attention_layers") or []
    others = others if isinstance(others, list) else []
    return [NOTHING if at in others else kind for at, kind in enumerate(types)], told


def _types_by_rule(fields: _Fields, count: int, told: list[str]) -> list[str]:
    """Return the type of each layer where the file has no list of them, and add what is untold."""
    window = None if _is_switched_off(fields) else fields.get("sliding_window")
    every = IN_EVERY_LAYER.get(str(fields.get("model_type")), FULL)
    if fields.get("full_attention_interval") is not None:
        return _repeated(LINEAR, fields.whole("full_attention_interval"), count)
    if fields.get("attn_layer_period") is not None:
        period, offset = fields.whole("attn_layer_period"), fields.get("attn_layer_offset") or 0
        return [FULL if at % period == offset else LINEAR for at in range(count)]
    if every not in (FULL, SLIDING):
        return [every] * count
    if window is None:
        return [FULL] * count
    if fields.get("sliding_window_pattern") is not None:
        return _repeated(SLIDING, fields.whole("sliding_window_pattern"), count)
    if fields.flag("use_sliding_window"):
        if fields.get("max_window_layers") is None:
            told.append("`max_window_layers`; counted as 28, which transformers takes then")
        none = fields.get("max_window_layers") == 0  # all layers have the window
        first = 0 if none else fields.whole("max_window_layers", 28)
        return [FULL] * min(first, count) + [SLIDING] * (count - first)
    if every == FULL:
        told.append(
            f"in which layers the window of {window} is; counted as in none, so the bytes "
            "are an upper bound"
        )
    return [every] * count


def _repeated(kind: str, every: int, count: int) -> list[str]:
    return [kind if (place + 1) % every else FULL for place in range(count)]


def _layer(fields: _Fields, kind: Any) -> Layer:
    """Return what a layer of a type keeps, by its own fields."""
    if kind in EMPTY:
        return Layer(NOTHING, 0)
    if kind not in (*FULL_TOO, *WINDOWS, *STATES):
        raise _unknown(kind)
    state = _state(fields, kind) if kind in STATES else 0
    if kind in FULL_TOO or kind in WINDOWS:
        layer = _attention(fields)._replace(state=state)
        if kind == "indexed_attention" and fields.get("index_head_dim") != 0:
            layer = layer._replace(numbers=layer.numbers + fields.whole("index_head_dim"))
        if kind in FULL_TOO or (kind == SLIDING and _is_switched_off(fields)):
            return layer
        return layer._replace(kind="window", window=fields.whole(WINDOWS[kind]))
    return Layer("linear", 0, state=state)


def _unknown(kind: Any) -> CardError:
    return CardError(
        f"`layer_types` has {kind!r}: what such a layer keeps, this card does not know; run the "
        "model on a few tokens, and count the numbers in its cache"
    )


def _state(fields: _Fields, kind: str) -> int:
    """Return the numbers of a layer's state, of one kind for each kind of linear layer.

    A state in float32 counts double; a gated delta rule's does if the file says so, the others as
    transformers keeps them.
    """
    n = fields.whole
    if fields.get("conv_L_cache") is not None:  # the last inputs of a convolution, and no more
        return n("hidden_size") * n("conv_L_cache")
    if fields.get("conv_kernel_size") is not None:  # of keys, values, and of two sublayers' inputs
        return 2 * n("conv_kernel_size") * (_attention(fields).numbers + 2 * n("hidden_size"))
    if fields.get("linear_num_heads") is not None:  # Kimi's delta rule, with three convolutions
        width = n("linear_num_heads") * n("linear_head_dim")
        return width * (2 * n("linear_head_dim") + 3 * n("linear_conv_kernel_dim"))
    if fields.get("mamba_d_state") is not None:
        return _state_of_mamba(fields)
    if kind != LINEAR and fields.get(DELTA_RULE[0]) is None:
        raise _unknown(kind)
    state = math.prod(map(n, DELTA_RULE))
    return state if _is_half_counted(fields) else 2 * state + _last_inputs(fields)


def _is_half_counted(fields: _Fields) -> bool:
    """Return whether a gated delta rule does not say how wide the numbers of its state are."""
    return fields.get(DELTA_RULE[0]) is not None and fields.get("mamba_ssm_dtype") != "float32"


def _last_inputs(fields: _Fields) -> int:
    """Return the numbers that the convolution of a gated delta rule keeps."""
    n, value_heads = fields.whole, fields.whole(DELTA_RULE[0])
    keys = n("linear_num_key_heads", value_heads) * n("linear_key_head_dim")
    return (2 * keys + value_heads * n("linear_value_head_dim")) * n("linear_conv_kernel_dim", 1)


def _state_of_mamba(fields: _Fields) -> int:
    n = fields.whole
    if fields.get("mamba_n_groups") is None:  # the first Mamba: each channel has a state
        channels = n("hidden_size") * n("mamba_expand")
        return channels * (2 * n("mamba_d_state") + n("mamba_d_conv"))
    channels = n("mamba_n_heads") * n("mamba_d_head")
    inputs = channels + 2 * n("mamba_n_groups") * n("mamba_d_state")
    return 2 * channels * n("mamba_d_state") + inputs * n("mamba_d_conv")


def _is_switched_off(fields: _Fields) -> bool:
    return fields.flag("use_sliding_window") is False


def _traps(fields: _Fields, head_dim: int, layers: tuple[Layer, ...]) -> Iterator[str]:
    """Yield a sentence for each of seven traps that a configuration sets."""
    heads, hidden = fields.whole("num_attention_heads"), fields.get("hidden_size")
    latent = _is_latent(fields)
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
    unused = fields.get("sliding_window") == 0 and _is_switched_off(fields)
    windows = [one for one in layers if one.window]
    window = 0 if unused else fields.whole("sliding_window", 0)
    window = windows[0].window if windows else window
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
    if f".{name}".endswith(KEYS) and (packed or len(shape) != 2 or not shape[0]):
        what = f"{entry.get('dtype')} {shape}"
        raise CardError(f"`{name}` is {what}: packed or no matrix, and cannot be counted")
    return shape


def _card_of_shapes(named: Mapping[str, list[int]]) -> ModelCard:
    """Return the card that the shapes of keys' and values' projections give."""
    shapes = {f".{name}": shape for name, shape in named.items()}
    linear = {OF_A_STATE.split(name)[0] for name in shapes if OF_A_STATE.search(name)}
    rows: dict[str, int] = {}  # the part of the name up to the projection → numbers of a token
    elsewhere = set()  # and those that are not counted
    for name, shape in shapes.items():
        before = name.removesuffix(".weight").rpartition(".")[0]
        if name.endswith(KEYS) and ELSEWHERE.search(name):
            elsewhere.add(before)
        elif name.endswith(KEYS) and before not in linear:
            rows[before] = rows.get(before, 0) + shape[0]
    if not rows:
        raise CardError(_why_no_keys(shapes, elsewhere))
    latent = any(name.endswith(KEYS[2]) for name in shapes)
    layers = tuple(Layer("latent" if latent else "full", count) for count in rows.values())
    facts = {"layers": f"{len(rows):,} with keys in this file"}
    of_keys = next((shapes[f"{one}{KEYS[0]}"][0] for one in rows if f"{one}{KEYS[0]}" in shapes), 0)
    norms = (shapes.get(f"{one}.k_norm.weight") for one in rows)
    widths = {shape[0] for shape in norms if shape and shape[0]}
    # A norm as wide as all keys together says nothing: it may be one of a single head, or of all.
    cut = len(widths) == 1 and not latent and min(widths) < of_keys
    if cut and of_keys % min(widths) == 0:
        (head_dim,) = widths
        facts["heads"] = f"{of_keys // head_dim:,} for keys and values"
        facts["width"] = f"{head_dim:,} a head"
    told = ["windows do not show in shapes; every layer is counted as if it kept all tokens"]
    if "heads" not in facts:
        told.append("how the keys are cut into heads; the bytes do not depend on it")
    halves = [one for one in rows if (one + KEYS[0] in shapes) != (one + KEYS[1] in shapes)]
    if halves:
        told.append(
            f"the other half of {len(halves)} layers, whose keys or values are not in this "
            "file (in another part of the model, or there are none); not counted"
        )
    if linear:
        told.append(f"how wide the states of {len(linear)} linear layers are; not counted")
    if elsewhere:
        told.append(
            f"what {len(elsewhere)} other layers do (of an encoder or of another sense, or to look "
            "at it); they keep nothing of the text, and are not counted"
        )
    if any(".indexer." in name for name in shapes):
        told.append("how wide the key of an indexer is, which layers keep as well; not counted")
    return ModelCard(layers, facts, told=tuple(told))


def _why_no_keys(shapes: Mapping[str, list[int]], elsewhere: set[str]) -> str:
    seen = "what is kept cannot be seen here; read the model's config.json"
    if elsewhere:
        return f"keys are those of an encoder or of another sense alone: {seen}"
    if any(name.endswith("qkv_proj.weight") for name in shapes):
        return f"queries, keys and values come from one matrix, `qkv_proj.weight`: {seen}"
    return f"no tensor is called `k_proj.weight`: {seen}"


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
