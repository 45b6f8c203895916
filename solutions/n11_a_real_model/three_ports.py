"""The task “The port that says Paris”: right answers and known mistakes."""

import json
from functools import partial
from itertools import product

import torch
from torch import nn

from solutions.cases import doubled
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.masks import causal_mask
from utils.pretrained import Architecture, CausalLM

BASES = (100_000.0, 1_000_000.0, 300_000.0, 500.0, 20_000.0, 40.0)


def cases(draw: Draw) -> list[Case]:
    def case(label, length, heads=4, kv_heads=2, width=6, layers=2, hidden=6, vocab=9):
        card = {
            "vocab_size": vocab,
            "hidden_size": heads * width,
            "num_hidden_layers": layers,
            "intermediate_size": hidden,
            "num_attention_heads": heads,
            "num_key_value_heads": kv_heads,
            "rms_norm_eps": 1e-5,
        }
        of_folder, of_file, of_old = (BASES[place] for place in draw.order(len(BASES))[:3])
        cards = [
            card | {"rope_parameters": {"rope_theta": of_folder, "rope_type": "default"}},
            card | {"llama.rope.freq_base": of_file},
            card | {"rope_theta": of_old},
        ]
        dim, kept = heads * width, kv_heads * width
        a_layer = 2 * dim * (dim + kept) + 3 * dim * hidden + 2 * dim
        inputs = {
            "cards": [*map(json.dumps, cards)],
            "weights": draw.numbers(vocab * dim + layers * a_layer + dim, reach=0.5),
            "ids": draw.whole(0, vocab - 1, 1, length),
        }
        return Case(label, inputs)

    exact = case("in float64", 9, heads=2, kv_heads=1, layers=1)
    return [
        case("six tokens", 6),
        case("one token", 1),
        case("two tokens, one layer", 2, layers=1),
        case("a head with keys for all", 5, heads=3, kv_heads=1),
        case("each head with keys of its own", 7, heads=2, kv_heads=2),
        Case(exact.label, doubled(exact.inputs)),
    ]


def model_of(card, base, layout, weights):
    """Return a model of the sizes on a card, with all weights from one vector."""
    heads = card["num_attention_heads"]
    width, layers = card["hidden_size"] // heads, card["num_hidden_layers"]
    sizes = Architecture(
        vocab_size=card["vocab_size"],
        dim=card["hidden_size"],
        layers=layers,
        hidden=card["intermediate_size"],
        heads=heads,
        kv_heads=card["num_key_value_heads"],
        head_dim=width,
        eps=card["rms_norm_eps"],
        base=base,
        rotary_dim=width,
        windows=(None,) * layers,
        layout=layout,
    )
    model = CausalLM(sizes)
    nn.utils.vector_to_parameters(weights, model.parameters())
    return model


def from_the_card(card):
    return card["rope_parameters"]["rope_theta"]


def by_default(card):
    return card.get("rope_theta", 10_000.0)


def in_halves(rows, heads):
    return rows.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)


def in_pairs(rows, heads):
    return rows.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)


def as_it_is(rows, heads):
    return rows


def across_heads(rows, heads):
    return torch.cat([rows[0::2], rows[1::2]])


def _first(card, weights, ids, base=from_the_card, layout="pairs"):
    return model_of(card, base(card), layout, weights)(ids)


def _second(
    card, weights, ids, queries=in_halves, keys=in_halves, values=as_it_is, layout="halves"
):
    model = model_of(card, card["llama.rope.freq_base"], layout, weights)
    for block in model.blocks:
        mha = block.attention
        mha.W_v.weight.data = values(mha.W_v.weight.data, mha.kv_heads)
        mha.W_q.weight.data = queries(mha.W_q.weight.data, mha.heads)
        mha.W_k.weight.data = keys(mha.W_k.weight.data, mha.kv_heads)
    return model(ids)


def _open(length):
    return causal_mask(length)


def _third(card, weights, ids, mask=_open, layout="pairs"):
    model = model_of(card, card["rope_theta"], layout, weights)
    x = model.embedding(ids)
    for block in model.blocks:
        x = block(x, mask(ids.shape[1]))
    return model.output(model.norm(x))


def _open_by_one(length):
    return torch.ones(length, length, dtype=torch.bool).tril(1)


AS_GIVEN = (
    partial(_first, base=by_default),
    partial(_second, queries=in_pairs, keys=in_pairs),
    partial(_third, mask=_open_by_one),
)


def _ports(first=_first, second=_second, third=_third):
    """Return an answer of three ports."""

    @torch.no_grad()
    def three_ports(cards, weights, ids):
        ports = zip((first, second, third), map(json.loads, cards), strict=True)
        return tuple(port(card, weights, ids) for port, card in ports)

    return three_ports


def _with(place, port):
    """Return answers in which one port has another fault: the others mended, and as given."""
    mended, given = [_first, _second, _third], [*AS_GIVEN]
    mended[place] = given[place] = port
    from_the_top = _ports(*mended[: place + 1], *AS_GIVEN[place + 1 :])
    also = {"the others as given": _ports(*given)}
    if place == 1:
        also["the third as given"] = from_the_top
    return {"gives": _ports(*mended), "also": also}


SAYS = {
    0: "The first: it takes 10,000 for the base. Its card is one of today's, which keep the base "
    "in `rope_parameters`; where code does not find it, a default steps in without a word.",
    1: "The second: the rows are sorted the wrong way. From pairs to halves, the rows of a head "
    "are read as pairs, (width / 2, 2), and turned to (2, width / 2).",
    2: "The third: each token sees the one behind it, which it is to predict.",
}
ASKS = {
    0: "What does the first port take for the base, and what does its card say?",
    1: "Write down the rows 0 to 7 of a head in pairs: where should row 1 go?",
    2: "How many tokens may the first token of a text see?",
}
WHERE = ("the first port", "the second port", "the third port")
BELIEF = ("card-at-face-value", "layouts-alike", "future-open")


def _not_mended():
    """Yield the name of each set of ports that were left as they are, with its mistake."""
    for left in product((True, False), repeat=3):
        places = [place for place in range(3) if left[place]]
        if not places:
            continue
        right = (_first, _second, _third)
        gives = _ports(*(AS_GIVEN[n] if left[n] else right[n] for n in range(3)))
        head = "All three ports are still faulty. " if len(places) == 3 else ""
        first = places[0]
        also = ""
        if len(places) == 2:
            kept = ({0, 1, 2} - {*places}).pop()
            also = f" Afterwards {WHERE[places[1]]} is to be mended; {WHERE[kept]} is right."
        yield (
            " and ".join(f"{WHERE[place]} as given" for place in places),
            WrongAnswer(gives, head + SAYS[first] + also, ASKS[first], BELIEF[first]),
        )


def by_the_layout(cards, weights, ids):
    """Leave the second port's rows as they are, and turn them in pairs."""
    with torch.no_grad():
        first, second, third = map(json.loads, cards)
        return (
            model_of(first, first["rope_parameters"]["rope_theta"], "pairs", weights)(ids),
            model_of(second, second["llama.rope.freq_base"], "pairs", weights)(ids),
            model_of(third, third["rope_theta"], "pairs", weights)(ids),
        )


def with_a_list_of_rows(cards, weights, ids):
    def sort(layer, heads):
        width = len(layer.weight) // heads
        of_head = [*range(0, width, 2), *range(1, width, 2)]
        layer.weight.data = layer.weight.data[
            [h * width + r for h in range(heads) for r in of_head]
        ]

    with torch.no_grad():
        first, second, third = (json.loads(card) for card in cards)
        one = model_of(first, first["rope_parameters"].get("rope_theta"), "pairs", weights)
        two = model_of(second, second["llama.rope.freq_base"], "halves", weights)
        for block in two.blocks:
            sort(block.attention.W_q, block.attention.heads)
            sort(block.attention.W_k, block.attention.kv_heads)
        three = model_of(third, third["rope_theta"], "pairs", weights)
        x = three.embedding(ids)
        for block, mask in zip(three.blocks, three.masks(ids.shape[1]), strict=True):
            x = block(x, mask)
        return one(ids), two(ids), three.output(three.norm(x))


def token_by_token(cards, weights, ids):
    """Read with caches, which say by themselves who sees whom."""
    found = []
    for card in map(json.loads, cards):
        base = card.get("rope_theta") or card.get("llama.rope.freq_base")
        base = base or card["rope_parameters"]["rope_theta"]
        model = model_of(card, base, "pairs", weights)
        caches = model.caches()
        with torch.no_grad():
            logits = [model(ids[:, [place]], caches) for place in range(ids.shape[1])]
        found.append(torch.cat(logits, dim=1))
    return found


exercise = Exercise(
    id="three_ports",
    title="The port that says Paris",
    points=4,
    difficulty=3,
    minutes=25,
    section="11.4",
    outputs=["first", "second", "third"],
    again=False,  # `model_of` draws numbers at first, so no line of a port could be compared
    cases=cases,
    equivalents={
        "for layer, heads in ((mha.W_k, mha.kv_heads), (mha.W_q, mha.heads)):": "in any order",
        "ids = ids[:1].expand(ids.shape)": "the batch is one text",
    },
    hints=[
        "Each port can be asked about one thing: what is the base that it uses; where do rows 0, "
        "1, 2, … of a head go; whom may the first token see?",
        "Print the base of the first, and look at its card. Try the re-sorting of the second on "
        "`torch.arange(8)` in place of a matrix: pairs are 0 1, 2 3, 4 5, 6 7, and in halves the "
        "first of each pair come first. Print the mask of the third for a text of three tokens.",
        'The first: `card["rope_parameters"]["rope_theta"]`. The second: rows are read as pairs, '
        "`unflatten(0, (heads, -1, 2))`. The third: `.tril()`.",
    ],
    mistakes={
        **dict(_not_mended()),
        "the base of the real model": WrongAnswer(
            **_with(0, partial(_first, base=lambda card: 100_000.0)),
            explanation="The first port takes 100,000 for the base, and not what its card says. "
            "That is the base of one model; the next card has another.",
            hint="Where does the card keep its base?",
            misconception="one-for-all",
        ),
        "another default": WrongAnswer(
            **_with(0, partial(_first, base=lambda card: card.get("rope_theta", 500_000.0))),
            explanation="The first port takes 500,000 for the base, and not what its card says. A "
            "number that steps in unseen, as a default does, is what was wrong.",
            hint="What does `card.keys()` say?",
            misconception="card-at-face-value",
        ),
        "the first in halves": WrongAnswer(
            **_with(0, partial(_first, layout="halves")),
            explanation="The first port turns in halves now. Whoever made its file says that it "
            "turns in pairs: its fault is another one, or was.",
            hint="What is said of the first file, below its name?",
            misconception="layouts-alike",
        ),
        "the third in halves": WrongAnswer(
            **_with(2, partial(_third, layout="halves")),
            explanation="The third port turns in halves now. Whoever made its file says that it "
            "turns in pairs: its fault is another one, or was.",
            hint="What is said of the third file, below its name?",
            misconception="layouts-alike",
        ),
        "rows as they are": WrongAnswer(
            **_with(1, partial(_second, queries=as_it_is, keys=as_it_is)),
            explanation="In the second port the entries that turn together in the model are not "
            "those of the file: rows are left in pairs, or sorted the wrong way, and the layout "
            "does not go with them. The file and the model have to agree.",
            hint="Which entries turn together in the file, and which in the model?",
            misconception="layouts-alike",
        ),
        "queries alone": WrongAnswer(
            **_with(1, partial(_second, keys=in_pairs)),
            explanation="In the second port the queries are sorted rightly, and the keys still the "
            "wrong way. A score compares the two entry by entry.",
            hint="How many matrices are sorted?",
            misconception="half-is-enough",
        ),
        "keys left in pairs": WrongAnswer(
            **_with(1, partial(_second, keys=as_it_is)),
            explanation="In the second port the queries are sorted, and the keys are left in "
            "pairs. A score compares the two entry by entry.",
            hint="How many matrices are sorted?",
            misconception="half-is-enough",
        ),
        "sorted across heads": WrongAnswer(
            **_with(1, partial(_second, queries=across_heads, keys=across_heads)),
            explanation="In the second port all even rows of a matrix come first, whatever head "
            "they belong to. Each head has to be sorted by itself.",
            hint="In which head is row 1 to be found afterwards?",
            misconception="heads-as-one",
        ),
        "values sorted": WrongAnswer(
            **_with(1, partial(_second, values=in_halves)),
            explanation="In the second port the values are sorted, too. Values do not turn: W_o "
            "expects their entries in the order of the file.",
            hint="Which vectors turn with their places?",
            misconception="keys-handed-out",
        ),
        "sorted, and turned in pairs": WrongAnswer(
            _ports(second=partial(_second, layout="pairs")),
            "The second port sorts the rows into halves, and then turns in pairs. One of the two "
            "is enough: sort, or turn as the file has it.",
            "After sorting, which entries belong together?",
            misconception="layouts-alike",
        ),
        "blind to itself": WrongAnswer(
            **_with(2, partial(_third, mask=lambda n: causal_mask(n).tril(-1))),
            explanation="In the third port no token sees itself now, and the first sees nothing. A "
            "token predicts the *next* one; itself it may see.",
            hint="Which rows and columns does the diagonal stand for?",
            misconception="off-by-one",
        ),
        "no mask": WrongAnswer(
            **_with(2, partial(_third, mask=lambda n: None)),
            explanation="The mask of the third port hides nothing now, so that each token sees "
            "all those behind it.",
            hint="What may a token see that has just been read?",
            misconception="future-open",
        ),
        "the other triangle": WrongAnswer(
            **_with(2, partial(_third, mask=lambda n: causal_mask(n).mT)),
            explanation="In the third port each token sees those behind it, and none before it.",
            hint="What does `tril` leave, the lower or the upper triangle?",
            misconception="wrong-end",
        ),
    },
    variants=[by_the_layout, with_a_list_of_rows, token_by_token],
)
