"""Items on notebook 09, what looking back costs."""

from solutions.item import Item, code, grid, number
from solutions.items._draws import pick

SINK = ["the", "cat", "sat", "sink"]


# --- numbers-to-keep


def _card(draw):
    heads, kv_heads = pick(draw, [(8, 2), (16, 4), (16, 2), (12, 4), (24, 8)])
    width = pick(draw, [64, 128])
    layers, hidden = pick(draw, [12, 16, 24, 28]), heads * (192 - width)
    lines = f"""
"num_hidden_layers": {layers},
"hidden_size": {hidden},
"num_attention_heads": {heads},
"num_key_value_heads": {kv_heads},
"head_dim": {width}"""
    sizes = {"layers": layers, "hidden": hidden, "heads": heads, "kv_heads": kv_heads}
    return {"lines": lines, "width": width} | sizes


# --- share-a-head


def _shared(draw):
    kv_heads, group = pick(
        draw, [(2, 4), (4, 2), (2, 3), (3, 2), (4, 3), (3, 4), (4, 4), (5, 2), (5, 3)]
    )
    blocks = bool(draw.whole(0, 1))
    return {
        "line": f"keys = keys.repeat_interleave({group}, dim=1)"
        if blocks
        else f"keys = keys.repeat(1, {group}, 1, 1)",
        "blocks": blocks,
        "kv_heads": kv_heads,
        "group": group,
        "head": int(draw.whole(1, kv_heads * group - 2)),
    }


def met(head, kv_heads, group, blocks):
    return head // group if blocks else head % kv_heads


def neighbour(head, kv_heads, group, blocks):
    right = met(head, kv_heads, group, blocks)
    return right + 1 if right + 1 < kv_heads else right - 1


ITEMS = [
    Item(
        id="numbers-to-keep",
        section="09.2",
        text="The card of a model says this. How many numbers does its KV cache hold for each "
        "token?",
        draw=_card,
        shows={"lines": code},
        right=lambda layers, kv_heads, width: 2 * layers * kv_heads * width,
        wrong={
            "card-at-face-value": [
                lambda layers, heads, width: 2 * layers * heads * width,
                lambda layers, kv_heads, hidden, heads: 2 * layers * kv_heads * (hidden // heads),
            ],
            "constant-factor": lambda layers, kv_heads, width: layers * kv_heads * width,
        },
        result=number(0),
        why="A key and a value in each layer and each KV head, as wide as `head_dim` says: "
        "2 · layers · KV heads · width of a head. Queries are not kept.",
    ),
    Item(
        id="share-a-head",
        section="09.3",
        text="There are {kv_heads} KV heads, on axis 1 of the keys. Which of them does query head "
        "{head} meet after this line? (Both are counted from 0.)",
        draw=_shared,
        shows={"line": code},
        right=met,
        wrong={
            "shape-is-enough": lambda head, kv_heads, group, blocks: met(
                head, kv_heads, group, not blocks
            ),
            "off-by-one": neighbour,
            "heads-as-one": lambda: 0,
        },
        result=number(0),
        typed=True,
        why="`repeat_interleave` puts the copies of a head behind it: 0, 0, 1, 1. `repeat` deals "
        "the heads out in turn: 0, 1, 0, 1. Weights expect one of the two.",
    ),
    Item(
        id="reach-of-a-stack",
        section="09.4",
        text="In each of {layers} layers a word sees the last {window} words, itself included. On "
        "how many words can the last output depend?",
        draw=lambda draw: {"layers": int(draw.whole(2, 9)), "window": int(draw.whole(3, 12))},
        right=lambda layers, window: 1 + layers * (window - 1),
        wrong={
            "off-by-one": [
                lambda layers, window: layers * window,
                lambda layers, window: 1 + layers * window,
            ],
            "input-unused": lambda window: window,
        },
        result=number(0),
        typed=True,
        why="Each layer adds the words before the present one, W − 1 of them; the last word itself "
        "makes one more: 1 + L(W − 1).",
    ),
    Item(
        id="sink-of-a-head",
        section="09.4",
        text="A head has a learned sink. For one query, exp of the scores of three words and of "
        "the sink stands below. What are the weights of the words?",
        draw=lambda draw: {"powers": draw.whole(1, 9, 4).float()},
        shows={"powers": grid(["exp"], SINK, 0)},
        right=lambda powers: powers[:3] / powers.sum(),
        wrong={
            "divide-again": lambda powers: powers[:3] / powers[:3].sum(),
            "input-unused": lambda powers: powers[:3] / (powers[:3].sum() + 1),
            "opposite": lambda powers: powers[:3] / powers[:3].sum() * powers[3] / powers.sum(),
        },
        result=grid([], SINK[:3]),
        why="The sink takes part in the softmax like one more key, so the words share what it "
        "leaves, and sum to less than 1.",
    ),
]
