"""Compare `utils.model_card` with what the caches of *transformers* keep, type by type."""

import json
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import torch

from utils.model_card import LONG, WIDTH, CardError, Layer, ModelCard, read_card

LENGTHS = 6, 1_000, LONG  # tokens after which a card and a cache are compared
FEW, MORE = 6, 8  # tokens that a model reads: what grows between them is kept of each
DEPTH = 6  # layers of a model that is measured; more if it needs more
MOST = 10**9  # parameters of a model that is built in memory, where its shapes alone do not do
KEPT = ("right", "right, with a remark", "wrong, with a remark", "quietly wrong", "refused")
OUTCOMES = (*KEPT, "not measured")
COUNTS = (  # fields of a configuration that count layers
    *("num_hidden_layers", "num_layers", "n_layer", "n_layers", "depth"),
    *("encoder_layers", "decoder_layers", "num_encoder_layers", "num_decoder_layers"),
)
SENSES = ("vision", "audio", "vit", "image", "speech", "qformer", "vq")  # parts that do not write
SLOW = ("glm5_next",)  # types of model that take too long even when cut


class NotMeasuredError(Exception):
    """Transformers cannot run the model that its own defaults describe, or keeps no cache of it."""


def cards(*names: str) -> None:
    """Print what cards say of each type of model, beside what transformers keeps of a text."""
    if find_spec("transformers") is None:
        print("no transformers, to compare with → pip install -e .[transformers]")
        return
    found = outcomes(names)
    for outcome in OUTCOMES:
        print(f"{outcome:22} {len(found[outcome]):4}")
    for outcome in OUTCOMES[2:]:
        print(f"\n{outcome}")
        for name, why in found[outcome]:
            print(f"  {name:26} {why[:150]}")


def outcomes(names: tuple[str, ...] = ()) -> dict[str, list[tuple[str, str]]]:
    """Return each outcome with the types of model that it befell and why, of all types or some."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # before the library is imported: nothing is to be fetched
    import transformers

    transformers.logging.set_verbosity_error()
    found = defaultdict(list)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, model in _models():
            if not names or name in names:
                outcome, why = _outcome(name, model)
                found[outcome].append((name, why))
    return found


def _models() -> Iterator[tuple[str, type]]:
    """Yield each type of model that writes, or fills gaps in, a text, and its class."""
    from transformers import CONFIG_MAPPING
    from transformers.models.auto import modeling_auto as auto

    tasks = (
        auto.MODEL_FOR_CAUSAL_LM_MAPPING,
        auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
        auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
        auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING,
        auto.MODEL_FOR_MASKED_LM_MAPPING,
    )
    for name in CONFIG_MAPPING:
        task = next((task for task in tasks if CONFIG_MAPPING[name] in task), None)
        if task is not None:
            model = task[CONFIG_MAPPING[name]]
            yield name, model[0] if isinstance(model, tuple) else model


def _outcome(name: str, model: type) -> tuple[str, str]:
    try:
        config, truth = _measure(name, model)
    except NotMeasuredError as error:
        return "not measured", str(error)
    try:
        card = read_card(config)
    except CardError as error:
        return "refused", str(error)
    kept, said = ([each.kept(length) for length in LENGTHS] for each in (truth, card))
    if kept == said:
        return KEPT[bool(card.told)], ""
    why = f"keeps {kept[1]:,} bytes of {LENGTHS[1]:,} tokens, the card says {said[1]:,}"
    return ("wrong, with a remark" if card.told else "quietly wrong"), why


def _measure(name: str, model: type) -> tuple[dict[str, Any], ModelCard]:
    """Return the configuration of a small model and a card of what its cache keeps.

    Models are as wide as ever, but have few layers, and on the device "meta", where tensors have
    shapes and no numbers. One that has to see numbers is built in memory.
    """
    if name in SLOW:
        raise NotMeasuredError("too slow")
    try:
        return _measured(name, model, DEPTH, "meta")
    except NotMeasuredError:
        raise
    except (RuntimeError, NotImplementedError) as error:  # of torch: it wants numbers
        again, first = (DEPTH, "cpu"), error
    except Exception as error:  # of any kind, the library's own: perhaps a layer is lacking
        again, first = (None, "meta"), error
    try:
        return _measured(name, model, *again)
    except NotMeasuredError:
        raise
    except Exception:
        raise NotMeasuredError(f"{type(first).__name__}: {first}".split("\n")[0]) from None


def _measured(
    name: str, model: type, depth: int | None, device: str
) -> tuple[dict[str, Any], ModelCard]:
    config = _configuration(name, depth)
    written = json.loads(config.to_json_string())
    return written, _card_of_caches(*_caches(model, config, device))


def _configuration(name: str, depth: int | None) -> Any:
    """Return a type's default configuration, with no more layers than asked for."""
    from transformers import CONFIG_MAPPING

    config = CONFIG_MAPPING[name]()
    if depth is not None:
        fields = json.loads(config.to_json_string(use_diff=False))
        _cut(fields, depth)
        config = CONFIG_MAPPING[name].from_dict(fields)
    for part in (config, *(getattr(config, each, None) for each in config.sub_configs)):
        if part is not None:
            part._experts_implementation = "batched_mm"  # the one that runs on "meta"
    return config


def _cut(fields: dict[str, Any], depth: int) -> None:
    """Leave so many layers, and one in the parts for other senses, in place."""
    fields.pop("time_step_limit", None)  # an infinity in it, as it is written, cannot be read
    counts = {name: fields[name] for name in COUNTS if isinstance(fields.get(name), int)}
    fields.update({name: min(count, depth) for name, count in counts.items()})
    for name, value in fields.items():
        if isinstance(value, list) and len(value) in counts.values():
            fields[name] = value[:depth]
        elif name == "per_layer_config" and isinstance(value, dict):
            fields[name] = {at: own for at, own in value.items() if int(at) < depth}
        elif isinstance(value, dict) and name.endswith(("_config", "encoder", "decoder")):
            _cut(value, 1 if any(sense in name for sense in SENSES) else depth)


def _caches(model: type, config: Any, device: str) -> tuple[Any, Any]:
    """Return a model's caches after few tokens and after some more."""
    from transformers.initialization import no_init_weights

    def build(where: str) -> Any:
        with torch.device(where), no_init_weights():
            return model._from_config(config, dtype=torch.bfloat16).eval()

    built = build("meta")
    if device != "meta" and sum(weight.numel() for weight in built.parameters()) > MOST:
        raise NotMeasuredError("needs numbers, and is too large to be built")
    built = built if device == "meta" else build(device)
    return tuple(_cache(built, config, length, device) for length in (FEW, MORE))


@torch.no_grad()
def _cache(model: Any, config: Any, length: int, device: str) -> Any:
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING

    tokens = torch.ones(1, length, dtype=torch.long, device=device)
    given = {"input_ids": tokens}
    if config.is_encoder_decoder:
        given["decoder_input_ids"] = tokens
    try:
        output = model(**given, use_cache=True)
    except TypeError as error:
        if "use_cache" not in str(error):
            raise
        output = model(**given)
    cache = output.get("past_key_values", output.get("cache_params"))
    if cache is None and type(config) not in MODEL_FOR_MASKED_LM_MAPPING:
        raise NotMeasuredError("gives no cache, though it writes")
    return getattr(cache, "self_attention_cache", cache)  # a decoder's own


def _card_of_caches(few: Any, more: Any) -> ModelCard:
    """Return what each layer keeps of a token, and whatever the length, by two caches."""
    layers = []
    for before, after in zip(_layers(few), _layers(more), strict=True):
        small, large = (sum(map(_size, _tensors(vars(layer)))) for layer in (before, after))
        each = (large - small) // (MORE - FEW)
        window = before.sliding_window if getattr(before, "is_sliding", False) else None
        layers.append(Layer("", each // WIDTH, window, (small - FEW * each) // WIDTH))
    return ModelCard(tuple(layers), {})


def _layers(cache: Any) -> list[Any]:
    """Return a cache's layers, and what it keeps beside them as one more."""
    if cache is None:
        return []
    if not hasattr(cache, "layers"):
        raise NotMeasuredError(f"keeps a {type(cache).__name__}, which has no layers")
    beside = {name: own for name, own in vars(cache).items() if name != "layers"}
    return [*cache.layers, SimpleNamespace(**beside)]


def _tensors(thing: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in lists and dictionaries, counters of tokens aside."""
    if isinstance(thing, torch.Tensor) and thing.ndim:
        yield thing
    elif isinstance(thing, list | tuple | dict):
        for each in thing.values() if isinstance(thing, dict) else thing:
            yield from _tensors(each)


def _size(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()
