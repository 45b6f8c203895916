"""Bytes of the cache, from a configuration."""

import json

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.model_card import read_card

FULL, SLIDING = "full_attention", "sliding_attention"


def cases(draw: Draw) -> list[Case]:
    def case(label, heads, width, layers, longest, **fields):
        config = {
            "num_hidden_layers": layers,
            "hidden_size": heads * width,
            "num_attention_heads": heads,
            **fields,
        }
        tokens = torch.tensor([longest // 3, longest])
        return Case(label, {"config": json.dumps(config), "tokens": tokens})

    def some(low, high):
        return int(draw.whole(low, high))

    kinds = [SLIDING, SLIDING, FULL, SLIDING, FULL]
    latent = {"kv_lora_rank": 8 * some(3, 9), "qk_rope_head_dim": 4 * some(1, 3)}
    return [
        case("all heads have keys", 4, 16, some(2, 9), some(50, 90)),
        case("grouped heads", 8, 16, some(2, 9), some(50, 90), num_key_value_heads=2),
        case(
            "heads of a width of their own",
            *(8, 16, some(2, 9), some(50, 90)),
            **{"num_key_value_heads": 4, "head_dim": 48},
        ),
        case(
            "a window in some layers, full long ago",
            *(8, 16, 5, some(500, 900)),
            **{"num_key_value_heads": 4, "sliding_window": some(30, 60), "layer_types": kinds},
        ),
        case(
            "a window that is not full yet",
            *(8, 16, 5, some(10, 20)),
            **{"num_key_value_heads": 2, "sliding_window": some(30, 60), "layer_types": kinds},
        ),
        case(
            "a window that is switched off",
            *(4, 32, 3, some(500, 900)),
            **{"num_key_value_heads": 2, "sliding_window": some(30, 60)},
            use_sliding_window=False,
        ),
        case(
            "a window that is switched on",
            *(8, 16, 5, some(500, 900)),
            **{"num_key_value_heads": 2, "sliding_window": some(30, 60), "layer_types": kinds},
            use_sliding_window=True,
        ),
        case(
            "a window in every layer",
            *(4, 32, some(3, 6), some(500, 900)),
            **{"num_key_value_heads": 2, "sliding_window": some(30, 60)},
        ),
        case(
            "a latent vector",
            *(16, 24, some(3, 6), some(500, 900)),
            **{"num_key_value_heads": 16, "head_dim": 32} | latent,
        ),
    ]


def _bytes(
    width=lambda config: config.get("head_dim", config["hidden_size"] // config[HEADS]),
    heads=lambda config: config.get("num_key_value_heads", config[HEADS]),
    latent=lambda config: config["kv_lora_rank"] + config["qk_rope_head_dim"],
    is_latent=lambda config: "kv_lora_rank" in config,
    is_off=lambda config: config.get("use_sliding_window") is False,
    kinds=lambda config: config.get("layer_types", [SLIDING] * config["num_hidden_layers"]),
    within=lambda tokens, window: tokens.clamp(max=window),
    factor=2 * 2,
    counted=None,
):
    """Return the right function with some parts replaced."""

    def answer(config, tokens):
        config = json.loads(config)
        layers, total = counted or config["num_hidden_layers"], 0
        if is_latent(config):
            return 2 * layers * latent(config) * tokens
        window = None if is_off(config) else config.get("sliding_window")
        for kind in kinds(config)[:layers]:
            kept = within(tokens, window) if window and kind == SLIDING else tokens
            total += factor * heads(config) * width(config) * kept
        return total

    return answer


HEADS, LAYERS = "num_attention_heads", "num_hidden_layers"


def with_the_card(config, tokens):
    config = json.loads(config)
    named = config | {"model_type": "mistral", "qk_nope_head_dim": 1}
    return torch.tensor([read_card(named).kept(length) for length in tokens.tolist()])


def by_numbers_a_token(config, tokens):
    fields = json.loads(config)
    count = fields["num_hidden_layers"]
    if fields.get("kv_lora_rank"):
        return count * tokens * 2 * sum(fields[key] for key in ("kv_lora_rank", "qk_rope_head_dim"))
    heads = fields["num_attention_heads"]
    width = fields.get("head_dim") or fields["hidden_size"] // heads
    a_token = 4 * width * fields.get("num_key_value_heads", heads)
    windowed = 0
    if fields.get("sliding_window") and fields.get("use_sliding_window", True):
        windowed = fields.get("layer_types", ["sliding_attention"] * count).count(
            "sliding_attention"
        )
    far = (count - windowed) * tokens
    near = windowed * tokens.minimum(torch.tensor(fields["sliding_window"])) if windowed else 0
    return a_token * (far + near)


def layer_by_layer(config, tokens):
    c = json.loads(config)
    kept_bytes = 0
    for layer in range(c["num_hidden_layers"]):
        if "kv_lora_rank" in c:
            kept_bytes += 2 * tokens * (c["kv_lora_rank"] + c["qk_rope_head_dim"])
            continue
        h = c["num_key_value_heads"] if "num_key_value_heads" in c else c["num_attention_heads"]
        d = c["head_dim"] if "head_dim" in c else c["hidden_size"] // c["num_attention_heads"]
        t = tokens
        on = "sliding_window" in c and c.get("use_sliding_window") is not False
        if on and ("layer_types" not in c or c["layer_types"][layer] == "sliding_attention"):
            t = torch.clamp(t, max=c["sliding_window"])
        kept_bytes += 2 * h * d * t * 2
    return kept_bytes


exercise = Exercise(
    id="cache_bytes",
    title="Read the card",
    points=4,
    difficulty=2,
    minutes=20,
    section="09.6",
    outputs=["bytes"],
    shortcuts=["read_card"],
    cases=cases,
    hints=[
        "For each layer: how many numbers does a token leave there, and of how many tokens are "
        "they kept?",
        "`json.loads(config)` gives a dictionary. `.get(name, default)` asks for a field that may "
        "be missing. A latent vector is the simple case: return early.",
        "Without a latent vector, a layer keeps 2 · KV heads · width numbers of a token, "
        "at 2 "
        'bytes each. Go through `layer_types` (or `["sliding_attention"] * layers`) and count '
        "`tokens.clamp(max=window)` tokens where the window holds, and all tokens elsewhere.",
    ],
    mistakes={
        "hidden size over heads": WrongAnswer(
            _bytes(width=lambda config: config["hidden_size"] // config[HEADS]),
            "You take hidden_size / num_attention_heads for the width of a head even where "
            "`head_dim` says otherwise. Keys are as wide as `head_dim`.",
            "What is `head_dim` there for, if it could be worked out?",
            misconception="wrong-width",
        ),
        "query heads": WrongAnswer(
            _bytes(heads=lambda config: config[HEADS]),
            "You count all query heads. Kept are keys and values, and of these there may be fewer: "
            "`num_key_value_heads`.",
            "Which heads does a later word look at?",
            misconception="who-asks",
        ),
        "latent vector taken for heads": WrongAnswer(
            _bytes(is_latent=lambda config: False),
            "You count `num_key_value_heads` though there is a `kv_lora_rank`. Then one latent "
            "vector is kept for all heads, and no head's keys.",
            "From what are keys and values made where there is a `kv_lora_rank`?",
            misconception="card-at-face-value",
        ),
        "rotary part forgotten": WrongAnswer(
            _bytes(latent=lambda config: config["kv_lora_rank"]),
            "You keep the latent vector alone. The rotary part, `qk_rope_head_dim`, is kept beside "
            "it.",
            "Which part of the keys cannot be made from the latent vector?",
            misconception="half-is-enough",
        ),
        "latent vector twice": WrongAnswer(
            _bytes(latent=lambda config: 2 * (config["kv_lora_rank"] + config["qk_rope_head_dim"])),
            "Where there is a latent vector you count twice the bytes, as if keys and values each "
            "had one. Both come from the same.",
            "What is the factor 2 in the formula for?",
            misconception="constant-factor",
        ),
        "switched off all the same": WrongAnswer(
            _bytes(is_off=lambda config: False),
            "You count a window though `use_sliding_window` is false.",
            "Does a field count because it is there?",
            misconception="card-at-face-value",
        ),
        "window in every layer": WrongAnswer(
            _bytes(kinds=lambda config: [SLIDING] * config["num_hidden_layers"]),
            "You put the window into every layer. `layer_types` says which layers have it.",
            "What do the full layers keep of a long text?",
            misconception="one-for-all",
        ),
        "no window without types": WrongAnswer(
            _bytes(kinds=lambda config: config.get("layer_types", [FULL] * config[LAYERS])),
            "Where `layer_types` is missing, you count no window. The task says that a window is "
            "then in every layer.",
            "Which default should `layer_types` have?",
            misconception="card-at-face-value",
        ),
        "window in the other layers": WrongAnswer(
            _bytes(
                kinds=lambda config: [
                    SLIDING if kind == FULL else FULL
                    for kind in config.get("layer_types", [FULL] * config["num_hidden_layers"])
                ]
            ),
            "You put the window into the full layers and leave it out of the others.",
            "What does a layer of `full_attention` keep?",
            misconception="opposite",
        ),
        "no window": WrongAnswer(
            _bytes(is_off=lambda config: True),
            "Where one of these files has a window, you count all tokens all the same. A layer "
            "with a window keeps no more than that, unless `use_sliding_window` is `false`.",
            "Which field switches a window off, and what holds where that field is missing?",
            misconception="input-unused",
        ),
        "window always full": WrongAnswer(
            _bytes(within=lambda tokens, window: torch.full_like(tokens, window)),
            "You count a whole window even where the text is shorter than it.",
            "What is kept of 10 tokens in a window of 50?",
            misconception="sizes-always-equal",
        ),
        "window as the least": WrongAnswer(
            _bytes(within=lambda tokens, window: tokens.clamp(min=window)),
            "You keep a window at least. It is the most that is kept: of a longer text a window, "
            "of a shorter one all of it.",
            "`torch.clamp(tokens, 50)`: which limit is the 50, and what is kept of 10 tokens?",
            misconception="opposite",
        ),
        "off unless switched on": WrongAnswer(
            _bytes(is_off=lambda config: not config.get("use_sliding_window")),
            "You count a window only where `use_sliding_window` is there and true. Where the field "
            "is missing, the window holds.",
            "Which default should `use_sliding_window` have?",
            misconception="card-at-face-value",
        ),
        "hidden size over KV heads": WrongAnswer(
            _bytes(
                width=lambda config: config.get(
                    "head_dim",
                    config["hidden_size"] // config.get("num_key_value_heads", config[HEADS]),
                )
            ),
            "Where `head_dim` is missing, you divide hidden_size by the number of KV heads. A key "
            "is as wide as a query, and it is the query heads that share the hidden size.",
            "Eight query heads, two KV heads: how wide is one of either?",
            misconception="wrong-width",
        ),
        "window without the present token": WrongAnswer(
            _bytes(within=lambda tokens, window: tokens.clamp(max=window - 1)),
            "You keep one token too few of each full window. It counts the present token.",
            "How many tokens are kept at a window of 1?",
            misconception="off-by-one",
        ),
        "keys alone": WrongAnswer(
            _bytes(factor=2),
            "Where there is no latent vector you count half: keys *and* values are kept, at two "
            "bytes a number.",
            "Which of the two could be left out?",
            misconception="half-is-enough",
        ),
        "numbers for bytes": WrongAnswer(
            lambda config, tokens: _bytes()(config, tokens) // 2,
            "Your count is half the right one: so many numbers are kept, and each takes two bytes.",
            "What is the unit of your result?",
            misconception="constant-factor",
        ),
        "one layer alone": WrongAnswer(
            _bytes(counted=1),
            "You count what the first layer keeps. Every layer has keys and values of its own.",
            "Which field says how many layers there are?",
            misconception="one-for-all",
        ),
        "four bytes a number": WrongAnswer(
            lambda config, tokens: 2 * _bytes()(config, tokens),
            "Your count is twice the right one, as with four bytes for each number, or with keys "
            "and values counted twice. A number takes two bytes here.",
            "How many bytes has a number in 16 bits?",
            misconception="constant-factor",
        ),
    },
    variants=[with_the_card, by_numbers_a_token, layer_by_layer],
)
