"""The task “A card that lies”: right answers and known mistakes."""

import json
import math

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case

BYTES = {"F32": 4, "BF16": 2, "F16": 2}
EMBEDDING = "model.embed_tokens.weight"
RATES = "model.layers.{}.self_attn.rotary_emb.inv_freq"


def cases(draw: Draw) -> list[Case]:
    def some(low, high):
        return int(draw.whole(low, high))

    def case(label, dtype="BF16", layers=3, wide=1, apart=None, also=(), bias=False, **lies):
        dim, heads, kv_heads, width, hidden, vocab = 8 * some(2, 5), 8, 2, 4, some(30, 60), 50
        card = {
            "num_hidden_layers": layers,
            "num_attention_heads": heads,
            "num_key_value_heads": kv_heads,
            "head_dim": width,
            "vocab_size": vocab,
            "torch_dtype": "bfloat16",
            "tie_word_embeddings": True,
        }
        shapes = {"model.embed_tokens.weight": [vocab, dim], "model.norm.weight": [dim]}
        for number in range(layers):
            rows = kv_heads * width * (2 if number == apart else 1)
            of_layer = {
                "input_layernorm.weight": [dim],
                "post_attention_layernorm.weight": [dim],
                "self_attn.q_proj.weight": [heads * width, dim],
                "self_attn.k_proj.weight": [rows, dim],
                "self_attn.v_proj.weight": [wide * rows, dim],
                "self_attn.o_proj.weight": [dim, wide * heads * width],
                "mlp.gate_proj.weight": [hidden, dim],
                "mlp.up_proj.weight": [hidden, dim],
                "mlp.down_proj.weight": [dim, hidden],
            }
            if bias:
                for part, count in (("q", heads * width), ("k", rows), ("v", rows)):
                    of_layer[f"self_attn.{part}_proj.bias"] = [count]
            shapes |= {f"model.layers.{number}.{name}": each for name, each in of_layer.items()}
        header = {name: {"dtype": dtype, "shape": shape} for name, shape in shapes.items()}
        for name in also:
            shape = [width // 2] if "inv_freq" in name else [vocab, dim]
            header[name] = {"dtype": dtype, "shape": shape}
        inputs = {"card": json.dumps(card | lies), "header": json.dumps(header)}
        return Case(label, inputs)

    said = "__metadata__"
    lies = {"num_key_value_heads": 6, "tie_word_embeddings": False}
    all_kinds = case("another file of each kind", "F32", some(13, 15), 3, **lies)
    found = json.loads(all_kinds.inputs["header"]) | {said: {"format": "pt"}}
    all_kinds.inputs["header"] = json.dumps(found)
    two_kinds = case("an embedding in F32, and layers in F16", "F16", layers=some(2, 5))
    found = json.loads(two_kinds.inputs["header"])
    found[EMBEDDING]["dtype"] = "F32"
    two_kinds.inputs["header"] = json.dumps(found)
    return [
        case("a card that says what is so"),
        case("more KV heads on the card", num_key_value_heads=8, layers=some(2, 5)),
        case("fewer layers on the card", layers=12, num_hidden_layers=11),
        case("tied on the card, and an output matrix in the file", also=["lm_head.weight"]),
        case("untied on the card, and untied", also=["lm_head.weight"], tie_word_embeddings=False),
        case("a larger vocabulary in the file", vocab_size=some(40, 49)),
        case("four bytes a number in the file", "F32", layers=some(2, 5)),
        # Whoever holds the values against the card, too, gets the same: keys do not fit, either.
        case("values of another width", wide=2, num_key_value_heads=4),
        case("stored frequencies, which nobody trained", also=[RATES.format(n) for n in range(3)]),
        case("a first layer that differs", layers=some(3, 5), apart=0),
        case("a last layer that differs", layers=3, apart=2),
        case("biases", "F16", layers=some(2, 5), bias=True),
        case("a head width that is not true, either", head_dim=3, layers=2),
        case("another type on the card", layers=some(2, 5), torch_dtype="float32"),
        two_kinds,
        all_kinds,
    ]


def _number(name):
    return int(name.split(".")[2])


def _count(
    counted=lambda name: "inv_freq" not in name,
    kept=lambda name: name.endswith(("k_proj.weight", "v_proj.weight")),
    size=lambda card, tensor: BYTES[tensor["dtype"]],
    a_token=None,
    layers=lambda names: len({_number(name) for name in names}),
    rows=lambda card: card["num_key_value_heads"] * card["head_dim"],
    some=any,
    tied=lambda card, tensors: card["tie_word_embeddings"] == ("lm_head.weight" in tensors),
    finish=lambda lies: lies,
    numbers=lambda shape: math.prod(shape),
    vocabulary=lambda tensors: tensors["model.embed_tokens.weight"]["shape"][0],
    differ=lambda count, card, rows: count != rows(card),
    unit=lambda tensor: 1,
    side=0,
):
    """Return the right function with some parts replaced."""

    def answer(card, header):
        card, tensors = json.loads(card), json.loads(header)
        tensors.pop("__metadata__", None)
        shapes = {name: tensor["shape"] for name, tensor in tensors.items()}
        parameters = sum(
            numbers(shape) * unit(tensors[name]) for name, shape in shapes.items() if counted(name)
        )
        cache = sum(
            tensor["shape"][side] * size(card, tensor)
            for name, tensor in tensors.items()
            if kept(name)
        )
        if a_token:
            cache = a_token(card, tensors)
        keys = [shape[0] for name, shape in shapes.items() if name.endswith("k_proj.weight")]
        in_layers = [name for name in tensors if name.startswith("model.layers.")]
        lies = [
            card["num_hidden_layers"] != layers(in_layers),
            some([differ(count, card, rows) for count in keys]),
            card["vocab_size"] != vocabulary(tensors),
            tied(card, tensors),
        ]
        return torch.tensor(cache), torch.tensor(parameters), torch.tensor(finish(lies))

    return answer


def _from_the_card(card, tensors):
    heads = card["num_key_value_heads"] * card["head_dim"]
    return 2 * card["num_hidden_layers"] * heads * 2


def _one_layer_for_all(card, tensors):
    names = [name for name in tensors if name.endswith("k_proj.weight")]
    first = [tensors[f"model.layers.0.self_attn.{part}_proj.weight"] for part in "kv"]
    return sum(len(names) * one["shape"][0] * BYTES[one["dtype"]] for one in first)


def _as_many_layers_as_the_card_has(card, tensors):
    return sum(
        tensor["shape"][0] * BYTES[tensor["dtype"]]
        for name, tensor in tensors.items()
        if name.endswith(("k_proj.weight", "v_proj.weight"))
        and _number(name) < card["num_hidden_layers"]
    )


def _first_keys_for_all(card, tensors):
    first = tensors["model.layers.0.self_attn.k_proj.weight"]
    layers = sum(name.endswith("k_proj.weight") for name in tensors)
    return 2 * layers * first["shape"][0] * BYTES[first["dtype"]]


def _keys_twice(card, tensors):
    keys = [tensor for name, tensor in tensors.items() if name.endswith("k_proj.weight")]
    return sum(2 * one["shape"][0] * BYTES[one["dtype"]] for one in keys)


def _twice_if(tied):
    """Return an answer that counts the embedding twice if it is tied."""

    def answer(card, header):
        a_token, parameters, lies = _count()(card, header)
        if tied(json.loads(card), json.loads(header)):
            parameters = parameters + math.prod(json.loads(header)[EMBEDDING]["shape"])
        return a_token, parameters, lies

    return answer


def _by_the_embedding(card, tensors):
    """Count the bytes of the cache by the dtype of the embedding."""
    return sum(
        tensor["shape"][0] * BYTES[tensors[EMBEDDING]["dtype"]]
        for name, tensor in tensors.items()
        if name.endswith(("k_proj.weight", "v_proj.weight"))
    )


def layer_by_layer(card, header):
    card = json.loads(card)
    tensors = json.loads(header)
    layers = 0
    a_token = 0
    heads_lie = False
    while f"model.layers.{layers}.self_attn.k_proj.weight" in tensors:
        keys = tensors[f"model.layers.{layers}.self_attn.k_proj.weight"]
        values = tensors[f"model.layers.{layers}.self_attn.v_proj.weight"]
        each = 4 if keys["dtype"] == "F32" else 2
        a_token += each * (keys["shape"][0] + values["shape"][0])
        heads_lie |= keys["shape"][0] != card["num_key_value_heads"] * card["head_dim"]
        layers += 1
    total = 0
    for name, tensor in tensors.items():
        if name == "__metadata__" or name.endswith("inv_freq"):
            continue
        product = 1
        for side in tensor["shape"]:
            product *= side
        total += product
    words = tensors["model.embed_tokens.weight"]["shape"][0]
    lies = [
        layers != card["num_hidden_layers"],
        heads_lie,
        words != card["vocab_size"],
        ("lm_head.weight" not in tensors) is not card["tie_word_embeddings"],
    ]
    return torch.tensor(a_token), torch.tensor(total), torch.tensor(lies)


def with_tensors(card, header):
    fields = json.loads(card)
    sizes = {name: torch.Size(t["shape"]) for name, t in json.loads(header).items() if "shape" in t}
    kinds = {name: t["dtype"] for name, t in json.loads(header).items() if "dtype" in t}
    learned = [size.numel() for name, size in sizes.items() if not name.endswith("inv_freq")]
    cached = [name for name in sizes if "k_proj.weight" in name or "v_proj.weight" in name]
    a_token = torch.tensor([sizes[name][0] * (4 if "32" in kinds[name] else 2) for name in cached])
    rows = torch.tensor([sizes[name][0] for name in cached if "k_proj" in name])
    told = torch.tensor(
        [
            fields["num_hidden_layers"],
            fields["vocab_size"],
            int(fields["tie_word_embeddings"]),
        ]
    )
    so = torch.tensor(
        [len(rows), sizes["model.embed_tokens.weight"][0], int("lm_head.weight" not in sizes)]
    )
    layers, vocabulary, tied = told != so
    heads = (rows != fields["num_key_value_heads"] * fields["head_dim"]).any()
    return (
        a_token.sum(),
        torch.tensor(learned).sum(),
        torch.stack([layers, heads, vocabulary, tied]),
    )


def with_a_pattern(card, header):
    import re

    card, numbers, seen = json.loads(card), 0, {}
    head = {name: one for name, one in json.loads(header).items() if not name.startswith("__")}
    for name, one in head.items():
        if found := re.fullmatch(r"model\.layers\.(\d+)\.self_attn\.([kv])_proj\.weight", name):
            seen[int(found[1]), found[2]] = one["shape"][0], {"F32": 4}.get(one["dtype"], 2)
        numbers += 0 if name.endswith("inv_freq") else math.prod(one["shape"])
    keys = {count for (_, kind), (count, _) in seen.items() if kind == "k"}
    lies = (
        max(layer for layer, _ in seen) + 1 != card["num_hidden_layers"],
        keys != {card["head_dim"] * card["num_key_value_heads"]},
        head["model.embed_tokens.weight"]["shape"][0] != card["vocab_size"],
        card["tie_word_embeddings"] != ("lm_head.weight" not in head),
    )
    total = sum(count * size for count, size in seen.values())
    return torch.tensor(total), torch.tensor(numbers), torch.tensor(lies)


exercise = Exercise(
    id="weigh_file",
    title="A card that lies",
    points=4,
    difficulty=2,
    minutes=20,
    section="11.1",
    outputs=["a_token", "parameters", "lies"],
    cases=cases,
    equivalents={
        "if name.endswith(('v_proj.weight', 'k_proj.weight')):": "either of two, in any order",
    },
    hints=[
        "Which matrices make what a token leaves in the cache, and which side of their shape says "
        "how many numbers that is?",
        "Go through the header once. Each tensor adds the product of its shape to the parameters, "
        "except the stored frequencies; those of `k_proj.weight` and `v_proj.weight` add their "
        "rows, times the bytes of their dtype, to the cache.",
        "`for name, tensor in header.items():` with `math.prod(tensor['shape'])`, and "
        "`tensor['shape'][0] * {'F32': 4}.get(tensor['dtype'], 2)` where the name ends in "
        "`k_proj.weight` or `v_proj.weight`. For the lies, count the layers, collect the rows of "
        "all `k_proj.weight`, look at the rows of the embedding, and ask whether `lm_head.weight` "
        "is there.",
    ],
    mistakes={
        "the card believed": WrongAnswer(
            _count(a_token=_from_the_card),
            "Your bytes a token come from the card. It is the card that may lie: the rows of "
            "`k_proj.weight` and `v_proj.weight` are what is computed, and kept.",
            "Which of the card's numbers could you get from the header?",
            misconception="card-at-face-value",
        ),
        "the card's layers": WrongAnswer(
            _count(a_token=_as_many_layers_as_the_card_has),
            "You go through as many layers as the card names. The file has its own number of them, "
            "and all are computed.",
            "Where else could you learn how many layers there are?",
            misconception="card-at-face-value",
        ),
        "the card's bytes": WrongAnswer(
            _count(size=lambda card, tensor: 4 if card["torch_dtype"] == "float32" else 2),
            "You take the bytes of a number from the card. Each tensor in the file has a dtype of "
            "its own, and that decides.",
            "Where does each tensor say how its numbers are stored?",
            misconception="card-at-face-value",
        ),
        "four bytes for all": WrongAnswer(
            _count(size=lambda card, tensor: 4),
            "You count four bytes for each number. `BF16` and `F16` have sixteen bits: two.",
            "How many bits are there in a byte?",
            misconception="constant-factor",
        ),
        "four bytes for F16": WrongAnswer(
            _count(size=lambda card, tensor: {"BF16": 2}.get(tensor["dtype"], 4)),
            "You count two bytes for `BF16`, and four for all else. `F16` has sixteen bits, too.",
            "How many bits are there in a byte?",
            misconception="constant-factor",
        ),
        "bytes of the embedding": WrongAnswer(
            _count(a_token=_by_the_embedding),
            "You take one dtype for the whole file. The cache is kept in that of `k_proj.weight` "
            "and `v_proj.weight`, and the embedding may have another.",
            "Which tensors make what is kept, and what is their dtype?",
            misconception="one-for-all",
        ),
        "numbers for bytes": WrongAnswer(
            _count(size=lambda card, tensor: 1),
            "You count numbers, and no bytes. Each of them takes two bytes or four.",
            "What is the unit of your result?",
            misconception="constant-factor",
        ),
        "bits for bytes": WrongAnswer(
            _count(size=lambda card, tensor: 8 * BYTES[tensor["dtype"]]),
            "You count bits. Eight of them are a byte.",
            "What does the 16 in `BF16` count?",
            misconception="constant-factor",
        ),
        "keys alone": WrongAnswer(
            _count(kept=lambda name: name.endswith("k_proj.weight")),
            "You count the keys alone. Values are kept beside them.",
            "What does a later token mix, once it knows where to look?",
            misconception="half-is-enough",
        ),
        "keys twice": WrongAnswer(
            _count(a_token=_keys_twice),
            "You count the keys twice, as if values had their width. They have rows of their own, "
            "in `v_proj.weight`.",
            "Does any rule say that values are as wide as keys?",
            misconception="sizes-always-equal",
        ),
        "queries too": WrongAnswer(
            _count(
                kept=lambda name: name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight"))
            ),
            "You count the queries, too. A query is used once, by its own token, and not kept.",
            "Who asks again for the query of an earlier token?",
            misconception="who-asks",
        ),
        "biases kept": WrongAnswer(
            _count(kept=lambda name: "k_proj" in name or "v_proj" in name),
            "Where the projections have biases, you count their rows again. A bias is added to "
            "keys and values; it makes no more of them.",
            "How many numbers has W x + b, for a W of 8 rows?",
            misconception="biases-by-the-way",
        ),
        "the other side": WrongAnswer(
            _count(side=1),
            "You take the columns of the matrices: that is how much goes in. A matrix is stored "
            "as (out, in), so what comes out has as many numbers as it has rows.",
            "Which side of `k_proj.weight` is as long as a state?",
            misconception="matrix-as-stored",
        ),
        "whole matrices kept": WrongAnswer(
            _count(
                a_token=lambda card, tensors: sum(
                    math.prod(tensor["shape"]) * BYTES[tensor["dtype"]]
                    for name, tensor in tensors.items()
                    if name.endswith(("k_proj.weight", "v_proj.weight"))
                )
            ),
            "You count the matrices that make keys and values. They are there once; what each "
            "token leaves behind is what comes out of them.",
            "How many numbers are W x, for a W of (8, 32)?",
            misconception="another-task",
        ),
        "one layer": WrongAnswer(
            _count(
                kept=lambda name: (
                    name.startswith("model.layers.0.self_attn.")
                    and (name.endswith(("k_proj.weight", "v_proj.weight")))
                )
            ),
            "You count the first layer alone. Each layer keeps keys and values of its own.",
            "How many layers are in the file?",
            misconception="half-is-enough",
        ),
        "one layer for all": WrongAnswer(
            _count(a_token=_one_layer_for_all),
            "You take the first layer's keys and values for all layers. Layers may differ.",
            "Does any rule say that all layers are alike?",
            misconception="one-for-all",
        ),
        "the first keys for all": WrongAnswer(
            _count(a_token=_first_keys_for_all),
            "You take the first layer's keys, twice, times the number of layers. Values may have "
            "another width than keys, and layers may differ.",
            "Does any rule say that all layers are alike, or that values are as wide as keys?",
            misconception="sizes-always-equal",
        ),
        "frequencies counted": WrongAnswer(
            _count(counted=lambda name: True),
            "You count the stored frequencies `rotary_emb.inv_freq`, too. They are computed from "
            "the base, and were not learned.",
            "Which tensors of the file would training change?",
            misconception="another-task",
        ),
        "output left out": WrongAnswer(
            _count(counted=lambda name: "inv_freq" not in name and name != "lm_head.weight"),
            "You leave the output matrix out, perhaps since the card calls it tied. It is in the "
            "file by itself, so it counts.",
            "What decides whether a matrix is there: the card or the file?",
            misconception="card-at-face-value",
        ),
        "embedding twice": WrongAnswer(
            _twice_if(lambda card, tensors: card["tie_word_embeddings"]),
            "You count a tied embedding twice, once as output matrix. It is one tensor.",
            "How many tensors of that size are in the file?",
            misconception="card-at-face-value",
            also={
                "tied by the file": _twice_if(lambda card, tensors: "lm_head.weight" not in tensors)
            },
        ),
        "embedding left out": WrongAnswer(
            _count(counted=lambda name: name.startswith("model.layers.") and "inv" not in name),
            "You count the layers alone. Embedding and last norm are parameters, too.",
            "What is in the file beside its layers?",
            misconception="half-is-enough",
        ),
        "norms left out": WrongAnswer(
            _count(numbers=lambda shape: math.prod(shape) if len(shape) == 2 else 0),
            "You count matrices alone. Norms and biases are vectors, and learned as well.",
            "What does an RMS norm learn?",
            misconception="half-is-enough",
        ),
        "biases left out": WrongAnswer(
            _count(counted=lambda name: name.endswith(".weight")),
            "You count what is called `….weight` alone. Biases are learned as well.",
            "Which names end in something else?",
            misconception="biases-by-the-way",
        ),
        "bytes for parameters": WrongAnswer(
            _count(unit=lambda tensor: BYTES[tensor["dtype"]]),
            "You count the bytes of the parameters. Asked is how many numbers there are.",
            "Does a model learn more if its numbers are stored in more bytes?",
            misconception="constant-factor",
        ),
        "sides added": WrongAnswer(
            _count(numbers=sum),
            "You add the sides of each shape. A matrix of (8, 32) holds 256 numbers, and not 40.",
            "How many numbers are in a table of 8 rows and 32 columns?",
            misconception="another-task",
        ),
        "last number for count": WrongAnswer(
            _count(layers=lambda names: max(map(_number, names))),
            "You take the last layer's number for the number of layers. They count from 0.",
            "What is the last of 3 layers called?",
            misconception="off-by-one",
        ),
        "last name for count": WrongAnswer(
            _count(layers=lambda names: int(max(name.split(".")[2] for name in names)) + 1),
            "You take the last of the layers' numbers as texts, in which 9 comes after 10.",
            "What is `max('9', '10')`?",
            misconception="written-form",
        ),
        "names counted": WrongAnswer(
            _count(layers=len),
            "You count all tensors of all layers. A layer has several.",
            "How many names begin with `model.layers.0.`?",
            misconception="another-task",
        ),
        "heads for width": WrongAnswer(
            _count(rows=lambda card: card["num_key_value_heads"]),
            "You compare the rows of `k_proj.weight` with a number of heads. Each head has "
            "`head_dim` rows.",
            "How many rows do 2 heads of 4 make?",
            misconception="wrong-width",
        ),
        "query heads compared": WrongAnswer(
            _count(rows=lambda card: card["num_attention_heads"] * card["head_dim"]),
            "You compare the rows of `k_proj.weight` with all query heads. Heads with keys may be "
            "fewer: `num_key_value_heads`.",
            "Which field speaks of KV heads?",
            misconception="who-asks",
        ),
        "only where all differ": WrongAnswer(
            _count(some=all),
            "You call the heads a lie only if it is one in every layer. One layer of another "
            "width is enough.",
            "What does the card say of layer 1, if it has one number for all?",
            misconception="half-is-enough",
        ),
        "the first layer's heads": WrongAnswer(
            _count(some=lambda differ: differ[0]),
            "You look at the heads of the first layer alone. One that differs behind it makes the "
            "card a lie as well.",
            "Does any rule say that all layers are alike?",
            misconception="one-for-all",
        ),
        "the last layer's heads": WrongAnswer(
            _count(some=lambda differ: differ[-1]),
            "The last layer alone decides whether the heads are a lie. Perhaps your loop sets the "
            "mark anew in each layer.",
            "What becomes of a lie that was found in layer 0?",
            misconception="half-is-enough",
        ),
        "heads rounded down": WrongAnswer(
            _count(
                differ=lambda count, card, rows: (
                    count // card["head_dim"] != card["num_key_value_heads"]
                )
            ),
            "You divide the rows by `head_dim` and drop what is left over: 8 rows would be two "
            "heads of 3.",
            "How many rows do 2 heads of 3 make?",
            misconception="constant-factor",
        ),
        "columns for words": WrongAnswer(
            _count(vocabulary=lambda tensors: tensors[EMBEDDING]["shape"][1]),
            "You compare `vocab_size` with the columns of the embedding. Each word has a row.",
            "Which side of the embedding is as long as a state?",
            misconception="rows-are-keys",
        ),
        "tied upside down": WrongAnswer(
            _count(
                tied=lambda card, tensors: (
                    card["tie_word_embeddings"] != ("lm_head.weight" in tensors)
                )
            ),
            "Your fourth lie is upside down. Tied means that there is *no* matrix "
            "`lm_head.weight`: the embedding serves as one.",
            "Which file is larger, with tied embeddings or without?",
            misconception="opposite",
        ),
        "two lies changed places": WrongAnswer(
            _count(finish=lambda lies: [lies[1], lies[0], *lies[2:]]),
            "The first two of your marks have changed places: layers come first, then heads.",
            "Which lie does the table name first?",
            misconception="parts-in-any-order",
        ),
        "truths for lies": WrongAnswer(
            _count(finish=lambda lies: [not lie for lie in lies]),
            "Your four marks say where the card is right. `True` stands for a lie.",
            "How many lies has a card that says what is so?",
            misconception="opposite",
        ),
        "two bytes for all": WrongAnswer(
            _count(size=lambda card, tensor: 2),
            "You count two bytes for each number, also where its tensor has `F32`: that is four.",
            "Where does each tensor say how its numbers are stored?",
            misconception="constant-factor",
        ),
    },
    variants=[layer_by_layer, with_tensors, with_a_pattern],
)
