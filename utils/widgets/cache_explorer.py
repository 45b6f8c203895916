"""Explore what a cache keeps of a growing text, with layers of six kinds."""

import traitlets

from utils.model_card import FULL, LINEAR, SLIDING, ModelCard, in_units, read_card, stored_cards
from utils.plots import line_chart
from utils.widgets.pictured import Pictured

LONGEST = 17  # the longest text has 2 to this power tokens: 131,072
WINDOW = 4_096  # tokens
LATENT = {"kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128}  # DeepSeek-V3


class CacheExplorer(Pictured):
    """A widget that shows a cache growing below the attention map, for layers of several kinds.

    Controls choose the kind, write words, and set the length of a text, of which bars show the
    bytes that each kind keeps.

    Args:
        name: a model of `stored_cards` whose layers all keep keys and values of all tokens.

    Raises:
        ValueError: there is no such model.
    """

    name = traitlets.Unicode().tag(sync=True)
    layers = traitlets.Int().tag(sync=True)
    kinds = traitlets.List().tag(sync=True)  # a name, and the fields of a `Layer`, each
    kind = traitlets.Unicode("grouped").tag(sync=True)
    words = traitlets.Int(8).tag(sync=True)
    doublings = traitlets.Int(LONGEST).tag(sync=True)  # the text has 2 to this power tokens

    def __init__(self, name: str):
        self.cards = cards_by_kind(name)
        kinds = [{"name": kind, **card.layers[0]._asdict()} for kind, card in self.cards.items()]
        super().__init__(name=name, layers=len(self.cards["grouped"].layers), kinds=kinds)

    def picture(self) -> str:
        lengths = [4**power for power in range(2, 8)] + [2**LONGEST]
        lines = {
            kind: [card.kept(length) / 2**20 for length in lengths]
            for kind, card in self.cards.items()
        }
        tokens = 2**self.doublings
        kept = ", ".join(f"{kind} {in_units(c.kept(tokens))}" for kind, c in self.cards.items())
        alt = f"{self.name} with layers of six kinds. Kept of {tokens:,} tokens: {kept}."
        title = f"{self.name}, with layers of six kinds"
        chart = line_chart(lengths, lines, "tokens", "MiB kept", alt, title, logx=True, logy=True)
        return chart.to_html()


def cards_by_kind(name: str) -> dict[str, ModelCard]:
    """Return a stored model's cards if all its layers were of another kind, by kind.

    Raises:
        ValueError: no such model is stored, or not one that groups its heads in every layer.
    """
    config = stored_cards().get(name, {}).get("config", {})
    types = {layer.kind for layer in read_card(config).layers} if config else set()
    if types != {"full"} or "num_key_value_heads" not in config:
        raise ValueError(f"need a stored model whose layers all keep grouped heads, got {name!r}")
    count, heads = config["num_hidden_layers"], config["num_attention_heads"]
    width = config.get("head_dim", config["hidden_size"] // heads)
    state = {f"linear_{part}_head_dim": width for part in ("key", "value")}
    changes = {
        "multi-head": {"num_key_value_heads": heads},
        "grouped": {},
        "multi-query": {"num_key_value_heads": 1},
        "latent": LATENT,
        "window": {"sliding_window": WINDOW, "layer_types": [SLIDING] * count},
        "linear": {"linear_num_value_heads": heads, "layer_types": [LINEAR] * count, **state},
    }
    plain = {**config, "layer_types": [FULL] * count, "use_sliding_window": None}
    return {kind: read_card({**plain, **change}) for kind, change in changes.items()}
