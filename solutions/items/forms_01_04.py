"""Items of the two tests on notebooks 01 to 04: each of form A is followed by its twin of form B.

Twins ask for the same beliefs in another situation. Nobody needs the course to understand them,
since a test is taken before it as well.
"""

import torch

from solutions.item import Item, code, grid, number, word_of
from solutions.items._draws import pick, some, twentieths

FRENCH, ENGLISH = ["le", "chat", "dort"], ["the", "cat", "is", "asleep"]
READERS, BOOKS = ["Ann", "Ben", "Cleo", "Dan"], ["novel", "atlas", "poems"]
WORDS = ["cat", "dog", "mat", "bird"]
SENTENCE = ["birds", "see", "the", "dog"]
PEOPLE = ["Ann", "Ben", "Cleo", "Dan"]
CLAUSE, PHOTOS = ["cats", "like", "milk"], ["beach", "forest", "street"]
STATIONS = ["Hill", "Lake", "Mill", "Port"]
EVENINGS = ["Mon", "Tue", "Wed", "Thu"]
CLOSED = -torch.inf


# --- softmax: which weights change


def _rising(draw):
    return _step(draw, FRENCH, ENGLISH) | {"step": int(draw.whole(1, 3))}


def _falling(draw):
    return _step(draw, READERS, BOOKS) | {"step": int(draw.whole(1, 3))}


def _step(draw, rows, columns):
    row, column = int(draw.whole(0, len(rows) - 1)), int(draw.whole(0, len(columns) - 1))
    return {
        "scores": draw.whole(0, 5, len(rows), len(columns)).float(),
        "row": row,
        "column": column,
        "one": rows[row],
        "other": columns[column],
    }


def changes(shares):
    """Return a function that says which shares change with one score."""

    def said(scores, row, column, one, other, step):
        later = scores.clone()
        later[row, column] += step  # fallen or risen: the same weights change
        changed = (shares(later) - shares(scores)).abs() > 1e-6
        if changed.all():
            return "every one in the table"
        if changed.sum() == 1:
            return f"only that of *{one}* for *{other}*"
        return f"all in the row *{one}*" if changed[row].all() else f"all in the column *{other}*"

    return said


WHICH_CHANGE = {
    "right": changes(lambda scores: scores.softmax(-1)),
    "wrong": {
        "softmax-over-queries": [
            changes(lambda scores: scores.softmax(0)),
            changes(lambda scores: scores.flatten().softmax(0).view_as(scores)),
        ],
        "shares-need-not-sum-to-one": changes(torch.sigmoid),
    },
    "why": "Each row goes through a softmax of its own. What one share of it gains the others of "
    "the row lose, and no other row is touched.",
}


# --- a ratio at another temperature


def _warmer_or_colder(draw):
    tau = pick(draw, [2, 0.5])
    ratio = pick(draw, [9, 16, 25, 36, 49] if tau == 2 else [3, 4, 5, 6, 7])
    one, other = some(draw, WORDS, 2)
    return {"tau": tau, "ratio": ratio, "one": one, "other": other}


RATIO = {
    "draw": _warmer_or_colder,
    "right": lambda ratio, tau: ratio ** (1 / tau),
    "wrong": {
        "temperature-upside-down": lambda ratio, tau: ratio**tau,
        "temperature-effect": lambda ratio: ratio,
        "scores-as-weights": lambda ratio, tau: ratio / tau,
    },
    "result": number(1),
    "typed": True,
    "why": "Scores are divided by the temperature, and so is their difference. The ratio of two "
    "weights is exp of the difference: halved, it is the root of the old ratio; doubled, its "
    "square.",
}


# --- what a soft look-up gives


def _look_up(draw):
    powers = torch.tensor(
        pick(draw, [[2, 1, 1, 0], [3, 1, 1, 0], [2, 1, 1, 1], [5, 3, 2, 0]])
    ).float()
    powers = powers[draw.order(4)] * pick(draw, [0.1, 0.2, 1, 2])
    return {"powers": powers, "table": draw.whole(2, 30, 2, 4).float()}


LOOK_UP = {
    "draw": _look_up,
    "right": lambda powers, table: table[1] @ powers / powers.sum(),
    "wrong": {
        "hard-choice": lambda powers, table: table[1, powers.argmax()],
        "keys-handed-out": lambda powers, table: table[0] @ powers / powers.sum(),
        "shares-need-not-sum-to-one": lambda powers, table: table[1] @ powers,
        "averages-anywhere": lambda table: table[1].mean(),
    },
    "why": "Divide each power by their sum: these are the weights. What comes out is the sum of "
    "the values, each times its weight; keys only decide the weights.",
}


# --- whom a projected query finds


def _swapped(x):
    return x.flip(-1)


def _mirrored(x):
    return x * torch.tensor([-1, 1])


def _vectors(draw, projection, names):
    at = int(draw.whole(0, 3))
    while True:
        x = draw.whole(-4, 6, 200, 4, 2).float()  # many at once: few are clear
        own, query = x[:, at, :, None], projection(x[:, at])[:, :, None]
        lengths = x.norm(dim=-1).clamp(min=0.1)
        rivals = [(x @ query)[..., 0], (x @ own)[..., 0], (x @ query)[..., 0] / lengths, x.amax(-1)]
        if (found := _with_four_winners(torch.stack(rivals, 1))) is not None:
            return {"x": x[found], "at": at, "query": query[found, :, 0], "who": names[at]}


def _with_four_winners(figures):
    """Return which of many first has four clear winners, all different, by (many, 4, 4) figures."""
    values, places = figures.topk(2)
    winners = places[..., 0].sort().values
    clear = (values[..., 0] > values[..., 1] + 0.05).all(-1)
    found = clear & (winners == torch.arange(4)).all(-1)
    return int(found.int().argmax()) if found.any() else None


WHOM_IT_FINDS = {
    "right": lambda x, query: (x @ query).argmax(),
    "wrong": {
        "projection-left-out": lambda x, at: (x @ x[at]).argmax(),
        "dot-is-cosine": lambda x, query: (x @ query / x.norm(dim=-1).clamp(min=0.1)).argmax(),
        "largest-of-a-row": lambda x: x.amax(-1).argmax(),
    },
    "why": "Project the query first, then take its dot product with each key: number by number, "
    "added up. The largest sum wins, and long keys can beat those that point its way.",
}


# --- who gets most in all


def _tenths(draw):
    while True:
        cuts = draw.whole(0, 10, 500, 4, 3).sort().values  # many at once: few are clear
        edges = [torch.zeros_like(cuts[..., :1]), cuts, torch.full_like(cuts[..., :1], 10)]
        tables = torch.cat(edges, -1).diff().float()  # (500, 4, 4): rows that sum to 10
        figures = [tables.sum(1), _firsts(tables), tables.amax(1), tables.amax(2)]
        if (found := _with_four_winners(torch.stack(figures, 1))) is not None:
            return {"weights": tables[found] / 10}


def _firsts(weights):
    """Count the rows in which each column has the largest weight."""
    return (weights == weights.amax(-1, keepdim=True)).float().sum(-2)


MOST_IN_ALL = {
    "draw": _tenths,
    "right": lambda weights: weights.sum(0).argmax(),
    "wrong": {
        "averages-anywhere": lambda weights: _firsts(weights).argmax(),
        "largest-of-a-row": lambda weights: weights.amax(0).argmax(),
        "reads-by-columns": lambda weights: weights.amax(1).argmax(),
    },
    "why": "Whoever gives has a row, and whoever gets has a column: add up the columns. Many "
    "middling shares can be more than one large share, or than several first places.",
}


# --- the first row in another order


def _reordered(draw, names):
    order = pick(draw, [[1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    return {
        "weights": twentieths(draw, 3, 3),
        "order": order,
        "now": ", ".join(names[place] for place in order),
    }


FIRST_ROW = {
    "right": lambda weights, order: weights[order[0]][order],
    "wrong": {
        "row-is-word": [lambda weights: weights[0], lambda weights, order: weights[0][order]],
        "half-is-enough": lambda weights, order: weights[order[0]],
        "reads-by-columns": lambda weights, order: weights[order, order[0]],
    },
    "result": grid(),
    "why": "Each pair keeps its weight. The first row now belongs to what stands first, and its "
    "columns come in the new order too.",
}


# --- what these lines do with a mask


def _masked(draw, closed, before, after):
    scores = torch.tensor(some(draw, [1.0, 2.0, 3.0, 4.0], 4))
    mask = torch.ones(4, dtype=torch.bool)
    mask[draw.order(4)[:closed]] = False
    late = bool(draw.whole(0, 1))
    lines = f"""
scores = torch.tensor({[round(score, 1) for score in scores.tolist()]})
mask = torch.tensor({mask.tolist()})
weights = {after if late else before}"""
    return {"lines": lines, "scores": scores, "mask": mask, "late": late}


def early_zeros(scores, mask):
    return (scores * mask).softmax(-1)


def late_zeros(scores, mask):
    return scores.softmax(-1) * mask


def hidden(scores, mask):
    return scores.masked_fill(~mask, CLOSED).softmax(-1)


LINES_WITH_A_MASK = {
    "shows": {"lines": code},
    "right": lambda scores, mask, late: (late_zeros if late else early_zeros)(scores, mask),
    "wrong": {
        "low-score-hides": lambda scores, mask, late: (early_zeros if late else hidden)(
            scores, mask
        ),
        "mask-after-softmax": lambda scores, mask, late: (hidden if late else late_zeros)(
            scores, mask
        ),
        "mask-upside-down": lambda scores, mask, late: (late_zeros if late else early_zeros)(
            scores, ~mask
        ),
    },
    "result": grid(),
    "why": "A score of 0 still gets its share, since exp(0) = 1. A weight that is set to 0 after "
    "the softmax is gone: the others keep what they had, and no longer sum to 1.",
}


# --- what is left beside zeros


def _filled_up(draw):
    return {
        "count": int(draw.whole(3, 8)),
        "total": int(draw.whole(2, 20)),
        "filled": int(draw.whole(2, 12)),
    }


BESIDE_ZEROS = {
    "draw": _filled_up,
    "right": lambda total, filled: total / (total + filled),
    "wrong": {
        "padding-is-harmless": lambda: 1,
        "averages-anywhere": lambda count, filled: count / (count + filled),
        "opposite": lambda total, filled: filled / (total + filled),
    },
    "result": number(2),
    "why": "A vector of zeros has the score 0, and exp(0) = 1. So each adds 1 to the sum by which "
    "the softmax divides, and takes that share away.",
}


# --- how large scores become


def _other_width(draw):
    while True:
        roots = [pick(draw, [2, 3, 4, 5, 6, 8, 10, 12]) for _ in range(2)]
        spread = pick(draw, [0.2, 0.3, 0.4, 0.6, 0.8, 2, 3, 4, 5, 6])
        now = spread * roots[1] / roots[0]
        if roots[0] != roots[1] and round(now, 1) == round(now, 6):
            return {"old": roots[0] ** 2, "new": roots[1] ** 2, "spread": spread}


HOW_LARGE = {
    "draw": _other_width,
    "right": lambda old, new, spread: spread * (new / old) ** 0.5,
    "wrong": {
        "no-scale": lambda spread: spread,
        "scale-by-width": lambda old, new, spread: spread * new / old,
        "variance-is-spread": lambda old, new, spread: spread**2 * new / old,
    },
    "result": number(2),
    "why": "The variance of a sum of independent terms grows with their number, so the standard "
    "deviation, the typical size, grows with the root of it.",
}


# --- yes or no to each key


def _sure_sums(draw):
    added = int(draw.whole(8, 10))
    far, near, nearer, below = added + 4, *(int(draw.whole(4, added - 4)) for _ in range(3))
    above = pick(draw, [[far, far + 1, near], [near, nearer]])
    said = [*above, -below, -far, -far - 1][:5]
    added *= pick(draw, [-1, 1])
    return {
        "added": added,
        "shown": str(added).replace("-", "−"),
        "said": torch.tensor(said)[draw.order(5)],
        "points": pick(draw, [3, 4, 5]),
    }


ADDED_AND_BENT = {
    "draw": _sure_sums,
    "right": lambda added, said, points: (points * (said + added).tanh()).softmax(-1),
    "wrong": {
        "nonlinearity-left-out": lambda added, said, points: (
            (points * (said + added)).float().softmax(-1)
        ),
        "projection-left-out": lambda said, points: (points * said.tanh()).softmax(-1),
        "constant-factor": lambda added, said, points: (points * (said - added).tanh()).softmax(-1),
    },
    "why": "Far from 0 the tanh knows only yes (1) and no (−1). All that get the same answer get "
    "the same share, however far from 0 they are.",
}


ITEMS = [
    Item(
        id="one-score-rises",
        section="01.4",
        form="A",
        text="Each French word (row) shares out its attention among the English words (columns): "
        "these scores go through a softmax. Now the score of *{one}* for *{other}* rises by "
        "{step}. Which weights change?",
        draw=_rising,
        shows={"scores": grid(FRENCH, ENGLISH, 0)},
        **WHICH_CHANGE,
    ),
    Item(
        id="a-reader-cools",
        section="01.4",
        form="B",
        text="Each reader (row) shares out an evening among the books (columns): these scores go "
        "through a softmax. Now the score of *{one}* for *{other}* falls by {step}. Which shares "
        "change?",
        draw=_falling,
        shows={"scores": grid(READERS, BOOKS, 0)},
        **WHICH_CHANGE,
    ),
    Item(
        id="another-temperature",
        section="01.5",
        form="A",
        text="In a softmax at temperature 1, the weight of *{one}* is {ratio} times that of "
        "*{other}*. How many times is it at temperature {tau}?",
        **RATIO,
    ),
    Item(
        id="another-temperature-of-a-writer",
        section="01.5",
        form="B",
        text="A model draws its next word from a softmax. At temperature 1, *{one}* is {ratio} "
        "times as likely as *{other}*. How many times as likely is it at temperature {tau}?",
        **RATIO,
    ),
    Item(
        id="between-four-stations",
        section="01.3",
        form="A",
        text="How warm is it here? A soft look-up compares a query (our place) with the keys of "
        "four stations, and mixes their values. You see each station's key, value and exp(score). "
        "What comes out?",
        shows={
            "table": grid(["key: km", "value: °C"], STATIONS, 0),
            "powers": grid(["exp(score)"], STATIONS, 1),
        },
        result=number(1, " °C"),
        **LOOK_UP,
    ),
    Item(
        id="guests-of-an-evening",
        section="01.3",
        form="B",
        text="How many guests will come tonight? A soft look-up compares a query (tonight's "
        "weather) with the keys of four evenings, and mixes their values. You see each evening's "
        "key, value and exp(score). What comes out?",
        shows={
            "table": grid(["key: °C", "value: guests"], EVENINGS, 0),
            "powers": grid(["exp(score)"], EVENINGS, 1),
        },
        result=number(1, " guests"),
        **LOOK_UP,
    ),
    Item(
        id="swapped-query",
        section="04.7",
        form="A",
        text="Each word has a vector of two numbers, which is its key. Its query is the same "
        "vector after a projection that swaps the two numbers. Scores are dot products. Which word "
        "gets most of the attention of *{who}*?",
        draw=lambda draw: _vectors(draw, _swapped, WORDS),
        shows={"x": grid(WORDS, [], 0)},
        result=word_of(WORDS),
        **WHOM_IT_FINDS,
    ),
    Item(
        id="query-with-another-sign",
        section="04.7",
        form="B",
        text="Each member of a club has a vector of two numbers, which is the key. The query is "
        "the same vector after a projection that changes the sign of the first number. Scores are "
        "dot products. To whom does {who} give most attention?",
        draw=lambda draw: _vectors(draw, _mirrored, PEOPLE),
        shows={"x": grid(PEOPLE, [], 0)},
        result=word_of(PEOPLE),
        **WHOM_IT_FINDS,
    ),
    Item(
        id="most-of-a-sentence",
        section="01.8",
        form="A",
        text="Each word of a sentence shares out its attention among all four: its row says how "
        "much it gives to each word (columns). Which word gets the most in all?",
        shows={"weights": grid(SENTENCE, SENTENCE, 1)},
        result=word_of(SENTENCE),
        **MOST_IN_ALL,
    ),
    Item(
        id="most-at-a-table",
        section="01.8",
        form="B",
        text="Four people at a table share out their attention, some of it to themselves: the row "
        "of each says how much of it goes to whom (columns). Who gets the most in all, the "
        "own share included?",
        shows={"weights": grid(PEOPLE, PEOPLE, 1)},
        result=word_of(PEOPLE),
        **MOST_IN_ALL,
    ),
    Item(
        id="sentence-in-another-order",
        section="01.4",
        form="A",
        text="Three words look at each other. Each has a query and a key; scores are their dot "
        "products, and each row of the table goes through a softmax. Then the words are given "
        "in another order: {now}. What is the first row of the new table?",
        draw=lambda draw: _reordered(draw, CLAUSE),
        shows={"weights": grid(CLAUSE, CLAUSE)},
        **FIRST_ROW,
    ),
    Item(
        id="photos-in-another-order",
        section="01.4",
        form="B",
        text="Three photos are compared with each other. Each has a query and a key; scores are "
        "their dot products, and each row goes through a softmax. Then the photos are put in "
        "another order: {now}. What is the first row of the new table?",
        draw=lambda draw: _reordered(draw, PHOTOS),
        shows={"weights": grid(PHOTOS, PHOTOS)},
        **FIRST_ROW,
    ),
    Item(
        id="lines-with-a-mask",
        section="04.4",
        form="A",
        text="Which weights do these lines give? (`True` counts as 1, `False` as 0.)",
        draw=lambda draw: _masked(
            draw, 1, "(scores * mask).softmax(-1)", "scores.softmax(-1) * mask"
        ),
        **LINES_WITH_A_MASK,
    ),
    Item(
        id="mask-and-where",
        section="04.4",
        form="B",
        text="Which weights do these lines give? (`where` takes what stands second where the "
        "mask is `True`, and 0 elsewhere.)",
        draw=lambda draw: _masked(
            draw,
            2,
            "torch.where(mask, scores, 0).softmax(-1)",
            "torch.where(mask, scores.softmax(-1), 0)",
        ),
        **LINES_WITH_A_MASK,
    ),
    Item(
        id="words-beside-zeros",
        section="02.6",
        form="A",
        text="A query looks at the {count} words of a sentence; scores are dot products, and their "
        "exp(score) add up to {total}. Then the sentence is filled up with {filled} vectors "
        "of zeros, and nothing hides them. What share of the attention do the words get now?",
        **BESIDE_ZEROS,
    ),
    Item(
        id="picture-beside-zeros",
        section="02.6",
        form="B",
        text="A query looks at the {count} pieces of a small picture; scores are dot products, and "
        "their exp(score) add up to {total}. To fit a larger frame, {filled} black pieces are "
        "added, vectors of zeros, and nothing hides them. What share of the attention does "
        "the picture get now?",
        **BESIDE_ZEROS,
    ),
    Item(
        id="another-width",
        section="04.1",
        form="A",
        text="Queries and keys consist of independent random numbers of mean 0. With {old} numbers "
        "in each, the standard deviation of their dot products is {spread}. What is it with {new} "
        "numbers of the same kind?",
        **HOW_LARGE,
    ),
    Item(
        id="taste-in-films",
        section="04.1",
        form="B",
        text="Strangers rate films at random, above and below 0 alike. How far two of them "
        "agree is the dot product of their ratings. Over {old} films its standard deviation is "
        "{spread}. What is it over {new} films?",
        **HOW_LARGE,
    ),
    Item(
        id="state-and-key",
        section="02.3",
        form="A",
        text="An additive score: add {shown}, which comes from the query, to the number of each "
        "key, take the tanh, and multiply by {points}. A softmax of these scores gives the "
        "weights. Which are they? (tanh is nearly 1 from 3 on, nearly −1 from −3 down.)",
        shows={"said": grid(["keys"], [*WORDS, "tree"], 0)},
        result=grid([], [*WORDS, "tree"]),
        **ADDED_AND_BENT,
    ),
    Item(
        id="mood-of-a-judge",
        section="02.3",
        form="B",
        text="A judge shares out a prize by a softmax of scores. A score is {points} times the "
        "tanh of a sum: the candidate's number plus {shown}, the judge's mood. Which shares "
        "result? (tanh is nearly 1 from 3 on, nearly −1 from −3 down.)",
        shows={"said": grid(["numbers"], [*PEOPLE, "Eva"], 0)},
        result=grid([], [*PEOPLE, "Eva"]),
        **ADDED_AND_BENT,
    ),
]
