"""Items of the two tests, second half: heads, shapes, order, decoding, and training a translator.

Each item of form A is followed by its twin of form B, which asks for the same beliefs in another
situation. Nobody needs the course to understand a question: the tests come before it as well.
"""

import math

import torch

from solutions.item import Item, code, grid, number
from solutions.items._draws import pick, some, twentieths

SENTENCES = [
    ["le", "chat", "dort"],
    ["la", "vache", "mange"],
    ["mon", "frère", "arrive"],
    ["une", "fille", "chante"],
    ["ce", "garçon", "attend"],
    ["nos", "oiseaux", "dansent"],
]
STRAYS = ["chien", "roi", "voisin", "soldat", "peintre"]
WORDS = ["cat", "dog", "bird", "girl"]


# --- heads-of-a-new-layer, products-of-a-pair


def _rebuilt(draw):
    old, new = some(draw, [2, 4, 8, 16], 2)
    return {"width": pick(draw, [64, 128, 256, 512]), "old": old, "new": new}


def _times(old, new):
    """Say in words how many times as many `new` are as `old`."""
    words = {1: "just as many", 2: "twice as many", 0.5: "half as many", 0.25: "a quarter as many"}
    return words.get(new / old, f"{new / old:g} times as many")


def _root_and_parameters(width, old, new):
    return f"√{width}, {_times(old, new)}"


def _terms_and_products(width, old, new):
    return f"{width} terms, {_times(old, new)}"


def of_the_whole_width(shown):
    """Return what they answer who take the width of the layer for that of a head."""
    return [
        lambda width: shown(width, 1, 1),
        lambda width, old, new: shown(width, old, new),
    ]


# --- the-softmax-of-the-loss, weight-in-the-sum


def _shares(draw):
    return {"shares": twentieths(draw, 4), "place": (place := int(draw.whole(0, 3)))} | {
        "word": WORDS[place]
    }


TWICE = {
    "right": lambda shares, place: shares.softmax(-1)[place],
    "wrong": {
        "softmax-twice": lambda shares, place: shares[place],
        "hard-choice": lambda shares, place: shares.argmax() == place,
        "opposite": lambda shares, place: 1 - shares[place],
    },
}


# --- contexts-of-two-heads, states-of-two-readers


def _two_tables(draw):
    numbers = torch.tensor(some(draw, range(12), 12)).view(2, 3, 2)
    numbers = 2 * numbers + draw.whole(0, 1, 2)  # so that the mean of two heads is whole
    place = int(draw.whole(0, 2))
    return {"one": numbers[0], "other": numbers[1], "place": place, "word": WORDS[place]}


SIDE_BY_SIDE = {
    "right": lambda one, other, place: torch.cat([one[place], other[place]]),
    "wrong": {
        "shape-is-enough": lambda one, other, place: torch.stack([one, other]).view(3, 4)[place],
        "parts-in-any-order": lambda one, other, place: torch.cat([other[place], one[place]]),
        "axes-anywhere": lambda one, other, place: torch.stack(
            [one[place], other[place]], -1
        ).flatten(),
        "heads-as-one": lambda one, other, place: ((one[place] + other[place]) // 2).repeat(2),
    },
}


# --- second-of-two, a-reordered-sentence


def _said_twice(draw):
    """Draw the row of a word that stands at places 0 and 2 of five."""
    while True:
        parts = draw.whole(1, 8, 5)
        parts[2] = parts[0]
        if parts.sum() == 20 and len({*parts.tolist()}) == 4:
            break
    article = pick(draw, ["the", "a", "my", "our", "this"])
    words = [article, pick(draw, WORDS), article, pick(draw, ["king", "boy", "uncle"])]
    words.append(pick(draw, ["saw", "likes", "knows"]))
    return {
        "row": {"words": words, "weights": parts / 20},
        "weights": parts / 20,
        "word": article,
        "sentence": " ".join(words),
    }


def _changed_places(draw):
    words = pick(
        draw,
        [
            ["Anna", "sees", "Paul", "today"],
            ["Marie", "calls", "Victor", "again"],
            ["dogs", "like", "cats", "here"],
            ["Arthur", "knows", "Alice", "well"],
        ],
    )
    order = pick(draw, [[2, 1, 0, 3], [3, 0, 1, 2], [3, 2, 1, 0], [2, 3, 1, 0]])
    weights = twentieths(draw, 4)
    return {
        "row": {"words": words, "weights": weights},
        "weights": weights,
        "order": order,
        "verb": words[1],
        "before": " ".join(words),
        "now": " ".join(words[place] for place in order),
    }


def _labelled(row):
    return grid([], row["words"])(row["weights"])


def favour_the_near(weights, place):
    """Halve each weight once for each place that lies between its word and `place`."""
    near = weights * 0.5 ** (torch.arange(len(weights)) - place).abs()
    return near / near.sum()


def hide_the_later(weights, place):
    """Leave nothing to the words behind `place`."""
    seen = weights * (torch.arange(len(weights)) <= place)
    return seen / seen.sum()


# --- hands-of-a-clock, two-angles

ARROWS = "↑→↓←"


def _next_word(draw):
    return {"count": int(draw.whole(3, 21)), "slip": pick(draw, [-1, 1])}


def _hands(first, second):
    """Show two hands that have made so many quarter turns."""
    return f"{ARROWS[first % 4]} {ARROWS[second % 4]}"


def _sines(first, second):
    """Return sine and cosine of each angle, in quarter turns."""
    angles = torch.tensor([first, second]) * math.pi / 2
    return torch.stack([angles.sin(), angles.cos()], -1).flatten()


def clocks_by(shown):
    return {
        "right": lambda count: shown(2 * count, count),
        "wrong": {
            "places-begin-at-zero": lambda: shown(0, 0),
            "clocks": lambda count: shown(count, 2 * count),
            "off-by-one": lambda count, slip: shown(2 * (count + slip), count + slip),
        },
    }


# --- fault-in-a-look-up, fault-in-a-writer

LOOK_UP = {
    "scores": "scores = {q} @ {k}.T",
    "weights": "weights = scores.softmax(-1)",
    "context": "context = weights @ {v}",
}
FAULTS_OF_A_LOOK_UP = [
    {"scores": "scores = {k}.sum(-1).expand(len({q}), -1)"},
    {"scores": "scores = {q} @ {k}.T + torch.arange(len({k}))"},
    {"weights": "weights = scores.softmax(0)"},
    {"context": "context = weights @ {k}"},
]
WRITER = {
    "mask": "mask = torch.ones(3, 3).tril().bool()  # True on and below the diagonal",
    "scores": "scores = ({q} @ {k}.T).masked_fill(~mask, -math.inf)",
    "weights": "weights = scores.softmax(-1)",
    "context": "context = weights @ {v}",
}
FAULTS_OF_A_WRITER = [
    {"mask": "mask = torch.eye(3).bool()  # True on the diagonal"},
    {"scores": "scores = {q} @ {k}.T"},
    {"weights": "weights = scores.exp()"},
    {"context": "context = weights @ {k}"},
]
NAMES = [{"q": "query", "k": "key", "v": "value"}, {"q": "Q", "k": "K", "v": "V"}]


def _faulty(parts, faults):
    def drawn(draw):
        names, fault = pick(draw, NAMES), pick(draw, faults)
        lines = "\n".join((parts | fault).values())
        for letter, name in names.items():
            lines = lines.replace(f"{{{letter}}}", name)
        return {"lines": lines, "names": [*names.values()]}

    return drawn


def _attend(lines, names, words):
    """Run the lines of a question on three words: (query, key, value), each of (3, 2)."""
    scope = {"torch": torch, "math": math} | dict(zip(names, words, strict=True))
    exec(lines, scope)
    return scope["weights"], scope["context"]


def _with_other(words, *index):
    """Return the words with other numbers at an index of (part, word)."""
    words = words.clone()
    words[index] += torch.tensor([1.0, -2.0])
    return words


def _distinct_words():
    words = torch.tensor([0.5, 1, -1, 2, 0.2, 1, 2, 1, 0, -1, 1, 1, 3, 1, -2, 0, 1, 2])
    return words.view(3, 3, 2)


def rows_sum_to_one(run):
    return torch.allclose(run(_distinct_words())[0].sum(-1), torch.ones(3))


def another_query_shows(run):
    words = _distinct_words()
    return not torch.allclose(run(_with_other(words, 0, 0))[0], run(words)[0])


def other_values_show(run):
    words = _distinct_words()
    return not torch.allclose(run(_with_other(words, 2, 0))[1], run(words)[1])


def order_is_not_seen(run):
    words = _distinct_words()
    shuffled = torch.stack([words[0], words[1].roll(1, 0), words[2].roll(1, 0)])
    return torch.allclose(run(shuffled)[1], run(words)[1])


def last_word_stays_unseen(run):
    words = _distinct_words()
    return torch.allclose(run(_with_other(words, slice(None), 2))[1][0], run(words)[1][0])


def first_word_is_seen(run):
    words = _distinct_words()
    return not torch.allclose(run(_with_other(words, slice(None), 0))[1][2], run(words)[1][2])


SUMS = "The weights of each row sum to 1."
VALUES = "If the values change, so do the contexts."
CHECKS_OF_A_LOOK_UP = {
    SUMS: rows_sum_to_one,
    VALUES: other_values_show,
    "If the queries change, so do the weights.": another_query_shows,
    "If keys and values are shuffled alike, contexts stay.": order_is_not_seen,
}
CHECKS_OF_A_WRITER = {
    SUMS: rows_sum_to_one,
    VALUES: other_values_show,
    "If the last word changes, the first context stays.": last_word_stays_unseen,
    "If the first word changes, so does the last context.": first_word_is_seen,
}


def checked_by(checks):
    """Return the check that fails on the lines of a question as right, those that pass as wrong."""

    def failing(lines, names):
        [only] = [
            name
            for name, passes in checks.items()
            if not passes(lambda words: _attend(lines, names, words))
        ]
        return only

    def passing(place):
        return lambda lines, names: [each for each in checks if each != failing(lines, names)][
            place
        ]

    return {
        "right": failing,
        "wrong": {"plausible-is-right": [passing(place) for place in range(3)]},
    }


# --- read-before-each-word, probability-of-the-third


def _sorted_letters(draw):
    letters = sorted(some(draw, "abcdefghklmnoprstu", 5))
    slip = int(draw.whole(1, 2))
    right, guesses = letters[:slip] + letters[slip + 1 :], letters[:slip] + letters[slip + 1 :]
    guesses[slip] = letters[slip]
    if draw.whole(0, 1):
        right, guesses = guesses, right
    return {"right": right, "guesses": guesses} | {
        "letters": " ".join(right),
        "guessed": " ".join(guesses),
    }


def _in_code(words):
    return f"`{' '.join(words)}`"


def _next_words(draw):
    first, second, third = pick(draw, SENTENCES)
    stray = pick(draw, STRAYS)
    table = twentieths(draw, 4, 3)
    table[0] = table[0].sort().values[[1, 2, 0]]  # after the first word the stray is the likeliest
    return {
        "table": {
            "numbers": table,
            "rows": [first, second, stray, third],
            "columns": [second, stray, third],
        },
        "third": table[:, 2],
        "first": first,
        "second": second,
        "stray": stray,
        "last": third,
        "sentence": f"{first} {second} {third}",
    }


def _shown_table(table):
    return grid(table["rows"], table["columns"])(table["numbers"])


# --- guesses-that-count, losses-of-three-sentences


def _batch(draw):
    lengths = sorted(some(draw, [2, 3, 4, 5, 6], 2))[:: pick(draw, [1, -1])]
    width = max(lengths) + 2 + int(draw.whole(0, 1))
    letters = iter("abcdefghijkl")
    rows = [["<sos>", *(next(letters) for _ in range(n)), "<eos>"] for n in lengths]
    lines = "\n".join(" ".join(row + ["<pad>"] * (width - len(row))) for row in rows)
    return {"lines": lines, "lengths": lengths, "width": width}


def _summed(draw):
    lengths = some(draw, [2, 3, 4, 5, 6, 7, 8], 3)
    steps = max(lengths) + 1 + int(draw.whole(0, 2))
    total = sum(length + 1 for length in lengths) * pick(draw, [2, 3, 4, 5])
    one, two, three = lengths
    return {"one": one, "two": two, "three": three, "steps": steps, "total": total}


# --- turned-round, one-state-of-many


def _padded(draw):
    words = [*pick(draw, SENTENCES), *some(draw, ["ici", "demain", "encore"], 2)]
    words = words[: int(draw.whole(3, 5))]
    padding = ["<pad>"] * int(draw.whole(2, 3))
    return {
        "words": words,
        "padding": padding,
        "row": " ".join([*words, *padding]),
        "slip": pick(draw, [-1, 1]),
    }


def turned(words, padding, count):
    """Turn round the first `count` places of a row."""
    row = [*words, *padding]
    return [*row[:count][::-1], *row[count:]]


def _states(draw):
    places = int(draw.whole(6, 8))
    return {
        "states": torch.tensor(some(draw, range(-9, 10), places)) / 10,
        "places": places,
        "count": int(draw.whole(3, places - 2)),
        "slip": pick(draw, [-1, 1]),
    }


# --- parameters-behind-the-heads, parameters-of-a-readout


def _from_parts(draw):
    parts, size = pick(draw, [2, 3, 4]), pick(draw, [2, 3, 4, 5])
    return {"parts": parts, "size": size, "out": pick(draw, [4, 5, 10, 20])}


def _from_two(draw):
    one, other = some(draw, [2, 3, 4, 5, 6, 8], 2)
    return {"one": one, "other": other, "out": pick(draw, [4, 5, 10, 20])}


def linear(inputs, outputs):
    return inputs * outputs + outputs


def bias_of_inputs(inputs, outputs):
    return inputs * outputs + inputs


ITEMS = [
    Item(
        id="heads-of-a-new-layer",
        section="05.5",
        form="A",
        text="A layer of attention has width {width} and {old} heads (small attentions side by "
        "side). It is rebuilt with {new} heads and the same width. By which root are a head's "
        "scores divided now? And how many parameters has the layer, compared with before?",
        draw=_rebuilt,
        right=lambda width, new: _root_and_parameters(width // new, 1, 1),
        wrong={
            "heads-share-the-width": lambda width, old, new: _root_and_parameters(
                width // old, old, new
            ),
            "wrong-width": of_the_whole_width(_root_and_parameters),
        },
        why="The heads share the width, so that each has width / heads numbers, and the root is "
        "taken of these. Their matrices together are as large as before.",
    ),
    Item(
        id="products-of-a-pair",
        section="05.5",
        form="B",
        text="A layer of attention has width {width} and {old} heads (small attentions side by "
        "side). It is rebuilt with {new} heads and the same width. For two words each head "
        "takes one dot product. How many terms has each product now? And how many "
        "multiplications do all heads need together, compared with before?",
        draw=_rebuilt,
        right=lambda width, new: _terms_and_products(width // new, 1, 1),
        wrong={
            "heads-share-the-width": lambda width, old, new: _terms_and_products(
                width // old, old, new
            ),
            "wrong-width": of_the_whole_width(_terms_and_products),
        },
        why="The heads share the width: more of them have shorter dot products each, and together "
        "always as many terms as the layer is wide.",
    ),
    Item(
        id="the-softmax-of-the-loss",
        section="06.4",
        form="A",
        text="A decoder (it writes words) gives four words these probabilities, by a softmax. The "
        "loss takes the softmax of what it gets, here the probabilities, and then −log of the "
        "share of *{word}*, the right word. How large is this share?",
        draw=_shares,
        shows={"shares": grid([], WORDS)},
        **TWICE,
        result=number(2),
        why="The second softmax takes probabilities for scores. They lie between 0 and 1, so close "
        "together that the shares come out nearly equal.",
    ),
    Item(
        id="weight-in-the-sum",
        section="01.3",
        form="B",
        text="A function returns the weights of a decoder's attention, softmax included. Whoever "
        "calls it does not know, and takes the softmax of what comes back. With which weight "
        "does *{word}* enter the weighted sum?",
        draw=_shares,
        shows={"shares": grid(["returned"], WORDS)},
        **TWICE,
        result=number(2),
        why="The second softmax takes weights for scores. They lie between 0 and 1, so close "
        "together that the new weights are nearly equal.",
    ),
    Item(
        id="contexts-of-two-heads",
        section="05.2",
        form="A",
        text="Two heads (attentions side by side) have each made two numbers for each of three "
        "words. They are joined, head 1 first, as in multi-head attention. Which row does *{word}* "
        "get?",
        draw=_two_tables,
        shows={
            "one": grid(WORDS[:3], ["head 1", ""], 0),
            "other": grid(WORDS[:3], ["head 2", ""], 0),
        },
        **SIDE_BY_SIDE,
        result=grid([], [], 0),
        why="Joined means end to end, word by word: first what head 1 has found for the word, then "
        "what head 2 has found for it.",
    ),
    Item(
        id="states-of-two-readers",
        section="06.2",
        form="B",
        text="A bidirectional encoder: one network reads three words forwards, another backwards, "
        "and each has a state of two numbers at each word. They are joined, forward first. Which "
        "row does *{word}* get?",
        draw=_two_tables,
        shows={
            "one": grid(WORDS[:3], ["forward", ""], 0),
            "other": grid(WORDS[:3], ["backward", ""], 0),
        },
        **SIDE_BY_SIDE,
        result=grid([], [], 0),
        why="Side by side means end to end, word by word: first the forward state at the word, "
        "then the backward state at the same word.",
    ),
    Item(
        id="second-of-two",
        section="05.9",
        form="A",
        text="In *{sentence}* each word looks at all words. Weights are the softmax of dot "
        "products of the words' vectors, with no mask and no positions. Below: the weights of the "
        "first *{word}*. Which are those of the second?",
        draw=_said_twice,
        shows={"row": _labelled},
        right=lambda weights: weights,
        wrong={
            "attention-sees-order": [
                lambda weights: favour_the_near(weights, 2),
                lambda weights: weights.flip(0),
            ],
            "row-is-word": lambda weights: weights.roll(2),
        },
        result=grid([], []),
        why="Both have the same vector, hence the same dot products with all words. Where a word "
        "stands plays no part.",
    ),
    Item(
        id="a-reordered-sentence",
        section="05.9",
        form="B",
        text="Each word looks at all words. Weights are the softmax of dot products of the words' "
        "vectors; there is no mask, and nothing tells where a word stands. Below: the weights of "
        "*{verb}* in *{before}*. What are its weights in *{now}*, in the new order of the words?",
        draw=_changed_places,
        shows={"row": _labelled},
        right=lambda weights, order: weights[order],
        wrong={
            "attention-sees-order": lambda weights, order: favour_the_near(
                weights[order], order.index(1)
            ),
            "row-is-word": lambda weights: weights,
            "masks-everywhere": lambda weights, order: hide_the_later(
                weights[order], order.index(1)
            ),
        },
        result=grid([], []),
        why="The vectors are the same, hence the dot products: each word takes its weight along to "
        "its new place.",
    ),
    Item(
        id="hands-of-a-clock",
        section="05.10",
        form="A",
        text="The place of a word is told by two clock hands. For the first word, place 0, both "
        "point up; with each further place the first goes on by half a turn, the second by a "
        "quarter. {count} words have been read. The next comes alone. Where do its hands point, "
        "the first and the second?",
        draw=_next_word,
        **clocks_by(_hands),
        why="It stands behind all words read so far, although it comes alone. Each hand has made "
        "as many steps as there are words before, at its own speed.",
    ),
    Item(
        id="two-angles",
        section="05.10",
        form="B",
        text="A place has a code: sine and cosine of one angle, then of a second. Both angles are "
        "0 for the first word, place 0, and grow by 180° and by 90° with each further place. "
        "{count} words of a text are stored. Now the next one arrives. Which is its code?",
        draw=_next_word,
        **clocks_by(_sines),
        result=grid([], [], 0),
        why="It stands behind all words stored so far, although it comes alone. Each angle has "
        "grown as many times as there are words before, at its own speed.",
    ),
    Item(
        id="fault-in-a-look-up",
        section="05.3",
        form="A",
        text="In attention each query compares itself with the keys, and gets a mean of the "
        "values, weighted by a softmax. These lines have a fault. Which of the checks fails? "
        "(Each tensor has a row for each word.)",
        draw=_faulty(LOOK_UP, FAULTS_OF_A_LOOK_UP),
        shows={"lines": code},
        **checked_by(CHECKS_OF_A_LOOK_UP),
        why="Ask of each check what it would notice. The others pass, and a result that passes "
        "them looks right.",
    ),
    Item(
        id="fault-in-a-writer",
        section="05.3",
        form="B",
        text="Three words look at themselves and at the words before them, not ahead; each "
        "gets a mean of values, weighted by a softmax. These lines have a fault. Which of the "
        "checks fails? (Each tensor has a row for each word.)",
        draw=_faulty(WRITER, FAULTS_OF_A_WRITER),
        shows={"lines": code},
        **checked_by(CHECKS_OF_A_WRITER),
        why="Ask of each check what it would notice. The others pass, and a result that passes "
        "them looks right.",
    ),
    Item(
        id="read-before-each-word",
        section="02.1",
        form="A",
        text="A decoder sorts letters. It writes one after another, and before each it reads one; "
        "the first that it reads is `-`, for nothing yet. Right is `{letters}`, but it guesses "
        "`{guessed}`. What does it read before each guess, in training with teacher forcing?",
        draw=_sorted_letters,
        right=lambda right: _in_code(["-", *right[:-1]]),
        wrong={
            "teacher-forcing": lambda guesses: _in_code(["-", *guesses[:-1]]),
            "future-open": lambda right: _in_code(right),
            "stale-value": lambda right: _in_code(["-", "-", *right[:-2]]),
        },
        why="Under teacher forcing it reads, before each guess, the right letter before, whatever "
        "it has guessed itself.",
    ),
    Item(
        id="probability-of-the-third",
        section="02.1",
        form="B",
        text="Each row: the word that a decoder has just read, and the probabilities of the next. "
        "After *{first}* it finds *{stray}* likelier than *{second}*. Right is *{sentence}*. "
        "In training with teacher forcing, how probable does it find *{last}* as the third "
        "word?",
        draw=_next_words,
        shows={"table": _shown_table},
        right=lambda third: third[1],
        wrong={
            "teacher-forcing": lambda third: third[2],
            "future-open": lambda third: third[3],
            "stale-value": lambda third: third[0],
        },
        result=number(2),
        why="Under teacher forcing it reads the right second word before the third, whichever it "
        "finds likeliest itself.",
    ),
    Item(
        id="guesses-that-count",
        section="06.4",
        form="A",
        text="A batch of two translations: `<sos>` is given, `<eos>` is the end, `<pad>` fills up. "
        "At each place but the last a decoder reads what stands there, and guesses what comes "
        "next. How many of its guesses should count in the loss?",
        draw=_batch,
        shows={"lines": code},
        right=lambda lengths: sum(length + 1 for length in lengths),
        wrong={
            "padding-in-loss": lambda lengths, width: len(lengths) * (width - 1),
            "marks-are-words": lambda lengths: sum(length + 2 for length in lengths),
            "off-by-one": lambda lengths: sum(lengths),
        },
        result=number(0),
        typed=True,
        why="It has to guess each word and the end, once per sentence. The start is given, and "
        "padding is no answer to anything.",
    ),
    Item(
        id="losses-of-three-sentences",
        section="06.4",
        form="B",
        text="A decoder is to write three sentences of {one}, {two} and {three} words, each "
        "followed by `<eos>` (the end); `<sos>` in front of it is given. Rows have {steps} "
        "steps, the rest is padding, whose losses were set to 0. All losses add up to "
        "{total}. What is the mean loss of what the decoder had to write? (Two decimals.)",
        draw=_summed,
        right=lambda one, two, three, total: total / (one + two + three + 3),
        wrong={
            "padding-in-loss": lambda steps, total: total / (3 * steps),
            "marks-are-words": lambda one, two, three, total: total / (one + two + three + 6),
            "off-by-one": lambda one, two, three, total: total / (one + two + three),
        },
        result=number(2),
        typed=True,
        why="It has to guess each word and one end per sentence. Padding and the given start count "
        "neither in the sum nor in the number that it is divided by.",
    ),
    Item(
        id="turned-round",
        section="06.2",
        form="A",
        text="A network reads rows from the left. It shall read this sentence from its last word "
        "to its first, so the row is turned round: `{row}`. What it makes of the words must not "
        "depend on the padding. Which row does it need?",
        draw=_padded,
        right=lambda words, padding: _in_code(turned(words, padding, len(words))),
        wrong={
            "row-is-sentence": lambda words, padding: _in_code(
                turned(words, padding, len(words) + len(padding))
            ),
            "wrong-end": lambda words, padding: _in_code([*padding, *words]),
            "off-by-one": lambda words, padding, slip: _in_code(
                turned(words, padding, len(words) + slip)
            ),
        },
        why="Only the words are turned round, as many as the sentence has. Padding stays behind "
        "them, so that nothing is read before the last word.",
    ),
    Item(
        id="one-state-of-many",
        section="06.2",
        form="B",
        text="A network has read a row of {places} places from the left: {count} words, then "
        "padding. Below is its state after each place, here a single number. Which of them has "
        "taken in the whole sentence, and nothing else?",
        draw=_states,
        shows={"states": grid([], [], 1)},
        right=lambda states, count: states[count - 1],
        wrong={
            "row-is-sentence": lambda states: states[-1],
            "wrong-end": lambda states: states[0],
            "off-by-one": lambda states, count, slip: states[count - 1 + slip],
        },
        result=number(1),
        why="The state behind the last word has read every word. The states after it have read "
        "padding as well.",
    ),
    Item(
        id="parameters-behind-the-heads",
        section="05.2",
        form="A",
        text="Each of {parts} heads (attentions side by side) hands on {size} numbers. Joined end "
        "to end they go through one linear layer with biases, y = W x + b, which makes {out} "
        "numbers. How many parameters has it?",
        draw=_from_parts,
        right=lambda parts, size, out: linear(parts * size, out),
        wrong={
            "biases-by-the-way": lambda parts, size, out: bias_of_inputs(parts * size, out),
            "sizes-always-equal": lambda parts, size: linear(parts * size, parts * size),
            "heads-as-one": lambda size, out: linear(size, out),
        },
        result=number(0),
        why="Each output has a weight for every number of all heads, and one bias of its own.",
    ),
    Item(
        id="parameters-of-a-readout",
        section="06.3",
        form="B",
        text="A decoder has a context of {one} numbers and a state of {other}. Side by side they "
        "go through one linear layer with biases, y = W x + b, which makes {out} numbers. How "
        "many parameters has this layer?",
        draw=_from_two,
        right=lambda one, other, out: linear(one + other, out),
        wrong={
            "biases-by-the-way": lambda one, other, out: bias_of_inputs(one + other, out),
            "sizes-always-equal": lambda one, other: linear(one + other, one + other),
            "input-unused": lambda other, out: linear(other, out),
        },
        result=number(0),
        why="Each output has a weight for every number of context and state, and one bias of its "
        "own.",
    ),
]
