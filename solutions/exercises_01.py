"""Notebook 01: attention concepts."""

import torch
from torch import Tensor

from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case


def _thousands(draw: Draw, *shape: int) -> Tensor:
    """Whole thousands: their `exp` overflows, or is 0. In float64, or logarithms would be rough."""
    signs = 2 * draw.whole(0, 1, *shape) - 1
    return (1000 * signs * draw.whole(1, 5, *shape)).double()


IN_A_MATRIX = "the task gives a matrix, and there axis 1 is the last"


def _over_sum(numbers: Tensor) -> Tensor:
    return numbers / numbers.sum(-1, keepdim=True)


# --- 1. Softmax with temperature ------------------------------------------------------------------


def softmax_cases(draw: Draw) -> list[Case]:
    def case(label, scores, temperature):
        return Case(label, {"scores": scores, "temperature": temperature})

    return [
        case("two queries, three keys, temperature 2", draw.numbers(2, 3), 2.0),
        case("a cold softmax, temperature 0.5", draw.numbers(3, 4), 0.5),
        case("a hot softmax, temperature 20", draw.numbers(2, 5), 20.0),
        case("one key only", draw.numbers(2, 1), 0.5),
        case("scores in the thousands", _thousands(draw, 2, 3), 0.5),
        case("a batch of two, in float64", draw.numbers(2, 3, 4).double(), 3.0),
        case("scores that are a transposed view", draw.numbers(4, 3).T, 1.5),
    ]


softmax_with_temperature = Exercise(
    id="softmax_with_temperature",
    title="Softmax with temperature",
    points=2,
    difficulty=1,
    minutes=5,
    outputs=["weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=softmax_cases,
    hints=[
        "At which of the two moments does the temperature act: on the scores, or on the weights?",
        "Divide first, then take the softmax. Along which axis do the keys lie, "
        "whatever stands in front of it?",
        "Two operations in one line: the scores divided by the temperature, then `softmax` of "
        "that along the last axis, whose number is -1.",
    ],
    misconceptions=[
        Misconception(
            "softmax along the first axis",
            lambda scores, temperature: (scores / temperature).softmax(0),
            "Your weights sum to 1 down the columns, over the queries, and not along each row, "
            "over the keys: the softmax ran along axis 0.",
            "Who shares out attention: a query among the keys, or a key among the queries?",
        ),
        Misconception(
            "axis counted from the front",
            lambda scores, temperature: (scores / temperature).softmax(min(1, scores.dim() - 1)),
            "Axis 1 is the axis of the keys in a matrix, but not in a batch of matrices: there "
            "your softmax runs over the queries.",
            'Which number means "the last axis", however many there are?',
        ),
        Misconception(
            "multiplied by the temperature",
            lambda scores, temperature: (scores * temperature).softmax(-1),
            "Your weights get sharper where the temperature rises. The scores were multiplied by "
            "the temperature, not divided by it.",
            "A hot softmax hands out nearly equal shares. What must happen to differences of "
            "scores for that?",
        ),
        Misconception(
            "divided after the softmax",
            lambda scores, temperature: scores.softmax(-1) / temperature,
            "Your weights are divided by the temperature after the softmax. So they no longer sum "
            "to 1, and their ratios are what they were without it.",
            "What would the softmax make of scores that had been divided before?",
        ),
        Misconception(
            "temperature left out",
            lambda scores, temperature: scores.softmax(-1),
            "Your weights are the plain softmax of the scores. The temperature changes nothing in "
            "them: it is unused, or cancels when the rows are normalised.",
            "Call your function with temperature 1 and with 100. What should differ?",
        ),
        Misconception(
            "exp of large scores",
            lambda scores, temperature: _over_sum((scores / temperature).exp()),
            "The formula is right, and on large scores its numbers are not: `exp` of 1000 is more "
            "than a float can hold, and infinity over infinity is NaN.",
            "Adding a number to all scores of a row changes no weight. Which number would make "
            "the largest score 0? (Or which method of a tensor takes care of it?)",
        ),
    ],
)


# --- 2. Entropy -----------------------------------------------------------------------------------


def entropy_cases(draw: Draw) -> list[Case]:
    hard = torch.eye(4)[draw.order(4)[:2]]  # (2, 4): each row one word
    some_zero = _over_sum(draw.whole(1, 9, 2, 5) * torch.tensor([1, 0, 1, 1, 0]).float())
    return [
        Case("two rows of four weights", {"weights": draw.shares(2, 4)}),
        Case("rows that look at one word only", {"weights": hard}),
        Case("some weights of 0", {"weights": some_zero}),
        Case("equal shares", {"weights": torch.full((2, 4), 0.25)}),
        Case("one key only", {"weights": torch.ones(3, 1)}),
        Case("a single row", {"weights": draw.shares(5)}),
        Case("a batch of two, in float64", {"weights": draw.shares(2, 3, 4).double()}),
        Case("weights that are a transposed view", {"weights": draw.shares(3, 4).T.contiguous().T}),
    ]


def _plogp(weights, logarithm=torch.log):
    """p log p with 0 log 0 = 0."""
    return weights * logarithm(torch.where(weights > 0, weights, 1.0))


entropy = Exercise(
    id="entropy",
    title="Entropy",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["entropies"],
    cases=entropy_cases,
    equivalents={
        "return -(safe.log() * weights).sum(-1)": "a product has no order",
        "safe = torch.where(weights > 0, weights, 2.0)": "0 times log 2 is 0 as well",
    },
    hints=[
        "Which of the two, a hard choice or equal shares, should get 0?",
        "Multiply each weight by its logarithm, add up along the last axis, turn the sign. Then "
        "ask what your formula makes of a weight of 0: `0 * -inf` is NaN.",
        "The logarithm is only trouble where the weight is 0. Replace the weight there, inside "
        "the logarithm alone, by 1: `torch.where` does it. The 0 in front wipes the term out "
        "anyway.",
    ],
    misconceptions=[
        Misconception(
            "0 times log 0",
            lambda weights: -(weights * weights.log()).sum(-1),
            "The formula is right where all weights are positive. A weight of 0 gives 0 times "
            "minus infinity, which is NaN, and should give 0.",
            "What could stand inside the logarithm, where the weight is 0, without changing the "
            "sum?",
        ),
        Misconception(
            "sign forgotten",
            lambda weights: _plogp(weights).sum(-1),
            "Your entropies are the right ones with a minus in front. The logarithm of a share "
            "is negative, and the formula turns the sign.",
            "Can a row look at fewer than no words?",
        ),
        Misconception(
            "in bits",
            lambda weights: -_plogp(weights, torch.log2).sum(-1),
            "Your entropies are in bits: they were made with the logarithm to base 2. The course "
            "uses the natural logarithm, so that `exp` of the entropy counts words.",
            "Which function undoes `exp`?",
        ),
        Misconception(
            "words, not entropy",
            lambda weights: (-_plogp(weights).sum(-1)).exp(),
            "You return the number of words effectively looked at, `exp` of the entropy. The "
            "task asks for the entropy itself.",
            "What is the entropy of a row that looks at one word only?",
        ),
        Misconception(
            "all rows together",
            lambda weights: -_plogp(weights).sum(),
            "You return one number for all rows together. Every row is a distribution of its own "
            "and has an entropy of its own.",
            "Along which axis does the sum in the formula run?",
        ),
        Misconception(
            "mean for sum",
            lambda weights: -_plogp(weights).mean(-1),
            "Your entropies are too small by a factor: the number of keys. You took the mean over "
            "the keys where the formula has a sum.",
            "Four equal shares should give log 4. What do you get, and what is the quotient?",
        ),
        Misconception(
            "sum down the columns",
            lambda weights: -_plogp(weights).sum(0),
            "You add up along the first axis, over the queries. The shares that make a "
            "distribution lie along the last axis, over the keys.",
            "Which entries of a heatmap add up to 1?",
        ),
        Misconception(
            "a loop over the first axis",
            lambda weights: torch.stack([-_plogp(row).sum() for row in weights]),
            "You go through the first axis, one row after the other. That is right for a matrix; a "
            "single row falls apart into its numbers, and a batch has matrices on that axis.",
            "Which axis is there in any case, however many stand before it?",
        ),
    ],
)


# --- 3. A soft look-up ----------------------------------------------------------------------------


def lookup_cases(draw: Draw) -> list[Case]:
    def case(label, query, keys, values):
        return Case(label, {"query": query, "keys": keys, "values": values})

    twin = draw.numbers(1, 2)
    return [
        case("two queries, three keys", draw.numbers(2, 2), draw.numbers(3, 2), draw.numbers(3, 4)),
        case("values as wide as keys", draw.numbers(3, 4), draw.numbers(5, 4), draw.numbers(5, 4)),
        case("one query", draw.numbers(1, 3), draw.numbers(4, 3), draw.numbers(4, 2)),
        case("one key only", draw.numbers(3, 2), draw.numbers(1, 2), draw.numbers(1, 3)),
        case(
            "two keys alike",
            draw.numbers(2, 2),
            torch.cat([twin, twin, draw.numbers(1, 2)]),
            draw.numbers(3, 2),
        ),
        case(
            "large scores",
            _thousands(draw, 2, 2),
            draw.numbers(3, 2, reach=9).double(),
            draw.numbers(3, 2).double(),
        ),
        case(
            "float64",
            draw.numbers(4, 3).double(),
            draw.numbers(5, 3).double(),
            draw.numbers(5, 2).double(),
        ),
        case(
            "keys that are a transposed view",
            draw.numbers(2, 3),
            draw.numbers(3, 4).T,
            draw.numbers(4, 2),
        ),
    ]


def _unit(vectors):
    return vectors / vectors.norm(dim=-1, keepdim=True).clamp(min=1e-6)


def _look_up(weigh):
    """A look-up whose weights are made by `weigh` from query and keys."""

    def look_up(query, keys, values):
        weights = weigh(query, keys)
        return weights @ values, weights

    return look_up


def _hardest(query, keys):
    scores = query @ keys.T
    return torch.eye(len(keys), dtype=scores.dtype)[scores.argmax(-1)]


soft_lookup = Exercise(
    id="soft_lookup",
    title="A soft look-up",
    points=4,
    difficulty=2,
    minutes=15,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=lookup_cases,
    equivalents={
        "weights = scores.softmax(1)": IN_A_MATRIX,
    },
    hints=[
        "What are the three steps of section 3, and which tensor does each of them need?",
        "All scores at once are one matrix product of the queries with the keys turned on their "
        "side. Check the shape: one row for each query, one column for each key.",
        "Scores: `query @ …`, of shape (tgt_len, src_len). Weights: their softmax along the last "
        "axis. Context: the weights times, with `@`, the tensor that nobody has used yet. Return "
        "context and weights, in this order.",
    ],
    misconceptions=[
        Misconception(
            "hard look-up",
            _look_up(_hardest),
            "Your look-up takes the value of the best key and nothing of the others: the hard "
            "look-up of a dictionary. A soft one mixes all values, by their weights.",
            "What turns scores into shares that may be small, and are not 0?",
        ),
        Misconception(
            "keys mixed",
            lambda query, keys, values: (
                (query @ keys.T).softmax(-1) @ keys,
                (query @ keys.T).softmax(-1),
            ),
            "Your weights mix the keys. Keys are what is compared with the query; what is handed "
            "out are the values.",
            'In `translation["cat"]`, what do you get back: "cat" or "chat"?',
        ),
        Misconception(
            "softmax over the queries",
            _look_up(lambda query, keys: (query @ keys.T).softmax(0)),
            "Your weights sum to 1 over the queries, not over the keys: the softmax ran along "
            "axis 0. So the queries compete for each key.",
            "Which axis of the scores belongs to the keys?",
        ),
        Misconception(
            "no softmax",
            _look_up(lambda query, keys: query @ keys.T),
            "You mix the values by the scores themselves. Scores may be negative and sum to "
            "anything, so the context is no mixture.",
            "Which step of the three is missing between scores and mixture?",
        ),
        Misconception(
            "softmax twice",
            _look_up(lambda query, keys: (query @ keys.T).softmax(-1).softmax(-1)),
            "Your weights went through the softmax twice. They still sum to 1, and they are far "
            "too flat.",
            "What does the softmax make of numbers that all lie between 0 and 1?",
        ),
        Misconception(
            "angle without length",
            _look_up(lambda query, keys: (_unit(query) @ _unit(keys).T).softmax(-1)),
            "You compare directions only: the vectors were brought to length 1 first (cosine "
            "similarity). In a dot product length counts, as confidence.",
            "What does the explorer of section 3 do when the query gets shorter?",
        ),
        Misconception(
            "scaled",
            _look_up(lambda query, keys: (query @ keys.T / query.shape[-1] ** 0.5).softmax(-1)),
            "You divide the scores by the root of the vectors' width. That is right in notebook "
            "04, where widths are large; here the scores are the plain dot products.",
            "By hand: which score has the query (3, 1) with the key (3, 1)?",
        ),
        Misconception(
            "order of return",
            lambda query, keys, values: (
                (query @ keys.T).softmax(-1),
                (query @ keys.T).softmax(-1) @ values,
            ),
            "You return the weights first and the context second. Everywhere in the course it is "
            "`(context, weights)`.",
            "Which of your two results has as many columns as the values?",
        ),
    ],
)


# --- 4. Four patterns -----------------------------------------------------------------------------


def pattern_cases(draw: Draw) -> list[Case]:
    other = int(draw.whole(6, 9))
    labels = {4: "four words", 1: "one word only", 2: "two words", other: f"{other} words"}
    return [Case(label, {"length": length}) for length, label in labels.items()]


def _patterns(length, **instead):
    """The four patterns, some of them replaced."""
    itself = torch.eye(length)
    before = torch.cat([itself[:1], itself[:-1]])
    ends = _over_sum((itself[0] + itself[-1]).repeat(length, 1))
    so_far = _over_sum(torch.ones(length, length).tril())
    right = {"itself": itself, "before": before, "ends": ends, "so_far": so_far}
    return tuple((right | instead).values())


def _without_first(length):
    return torch.eye(length).roll(1, 0).tril()


four_patterns = Exercise(
    id="four_patterns",
    title="From descriptions to matrices",
    points=4,
    difficulty=2,
    minutes=15,
    outputs=["itself", "before", "ends", "so_far"],
    invariants={
        name: ["not negative", "exact zeros", "rows sum to 1"]
        for name in ("itself", "before", "ends", "so_far")
    },
    cases=pattern_cases,
    equivalents={
        "ends = (itself[-1] + itself[0]).expand(length, length)": "a sum has no order",
        "ends, so_far = (rows / rows.sum(1, keepdim=True) for rows in (ends, so_far))": IN_A_MATRIX,
    },
    hints=[
        "Draw each pattern for four words on paper first. The row is the word that looks. What "
        "stands in the row of the third word?",
        "`torch.eye` is the first pattern. The second holds the same rows, each one line lower. "
        "For the other two, mark with 1 what is looked at, then divide each row by its sum.",
        "`before`: the first row of `torch.eye(length)`, and below it all its rows but the last "
        "(`torch.cat`). `so_far`: `.tril()` keeps what lies on and below the diagonal of a matrix "
        "of ones. `ends`: ones in the first and in the last column; with one word they are the "
        "same column.",
    ],
    misconceptions=[
        Misconception(
            "softmax of ones and zeros",
            lambda length: _patterns(length, itself=torch.eye(length).softmax(-1)),
            "In `itself`, words that should get nothing get something: a softmax of zeros and "
            "ones leaves every word a share, since `exp(0)` is 1.",
            "The rows of `torch.eye` sum to 1 already. What is there left to do?",
        ),
        Misconception(
            "looks ahead",
            lambda length: _patterns(
                length, before=torch.cat([torch.eye(length)[1:], torch.eye(length)[-1:]])
            ),
            "In `before`, each word looks at the word *after* it: rows and columns are swapped. "
            "The row is the word that looks, the column is what it looks at.",
            'In which row, and in which column, does "the third looks at the second" stand?',
        ),
        Misconception(
            "first word looks at nothing",
            lambda length: _patterns(length, before=_without_first(length)),
            "In `before`, the first word looks at nothing: its row is all 0. Attention has to go "
            "somewhere, and the task says where.",
            "Who does the first word look at, when there is nobody before it?",
        ),
        Misconception(
            "wraps round",
            lambda length: _patterns(length, before=torch.eye(length).roll(1, 0)),
            "In `before`, the first word looks at the last: `roll` moves what falls off one end "
            "to the other.",
            "Which row has to be put right after rolling?",
        ),
        Misconception(
            "whole weight for both ends",
            lambda length: _patterns(
                length,
                ends=(torch.eye(length)[0] + torch.eye(length)[-1]).repeat(length, 1).clamp(max=1),
            ),
            "In `ends`, the first and the last word get a weight of 1 each. Weights are shares: "
            "those of a row sum to 1.",
            "How much is left for each of two that share alike?",
        ),
        Misconception(
            "a half twice",
            lambda length: _patterns(
                length,
                ends=torch.full((length, length), 0.5)
                * ((torch.arange(length) == 0) | (torch.arange(length) == length - 1)),
            ),
            "In `ends`, a sentence of one word gets only one half: there, first and last are the "
            "same word, which should get everything.",
            "What if you add up the two ends and then divide each row by its sum?",
        ),
        Misconception(
            "rows for columns",
            lambda length: _patterns(length, ends=_ends_as_rows(length)),
            "In `ends`, the first and the last word look at everybody. Asked was the opposite: "
            "everybody looks at them. A stripe from top to bottom is a word that all look at.",
            'Is "looked at" a row or a column?',
        ),
        Misconception(
            "not shared out",
            lambda length: _patterns(length, so_far=torch.ones(length, length).tril()),
            "In `so_far`, every word that is looked at gets a weight of 1. Weights are shares: "
            "those of a row sum to 1.",
            "By what do you divide the row of the third word?",
        ),
        Misconception(
            "from here on",
            lambda length: _patterns(length, so_far=_over_sum(torch.ones(length, length).triu())),
            "In `so_far`, each word looks at itself and at what comes *after* it: the triangle is "
            "the upper one.",
            "What can the first word look at, and how many cells of its row are bright?",
        ),
        Misconception(
            "one for all rows",
            lambda length: _patterns(length, so_far=torch.ones(length, length).tril() / length),
            "In `so_far`, every row was divided by the length of the sentence. The second word "
            "shares between two, not among all.",
            "How many words can the second word look at?",
        ),
    ],
)


def _ends_as_rows(length):
    rows = torch.eye(length)
    rows[[0, -1]] = 1 / length
    return rows


# --- 5. Read an alignment -------------------------------------------------------------------------

# The middle word is nobody's favourite, and gets the most weight in all.
SECOND_EVERYWHERE = torch.tensor([[0.45, 0.40, 0.15], [0.15, 0.40, 0.45]])
# The first word is the favourite of one, by little, and gets little from all the others.
FAVOURITE_OF_ONE = torch.tensor(
    [[0.28, 0.24, 0.25, 0.23], [0.01, 0.90, 0.04, 0.05], [0.02, 0.03, 0.91, 0.04]]
)


def alignment_cases(draw: Draw) -> list[Case]:
    order = draw.order(3)
    return [
        Case("three target words, four source words", {"weights": draw.shares(3, 4)}),
        Case("more target words than source words", {"weights": draw.shares(5, 3)}),
        Case("a word that is second everywhere", {"weights": SECOND_EVERYWHERE[:, order]}),
        Case("a word that is the favourite of one", {"weights": FAVOURITE_OF_ONE[order]}),
        Case("one target word", {"weights": draw.shares(1, 4)}),
        Case("one source word", {"weights": torch.ones(3, 1)}),
        Case("float64", {"weights": draw.shares(4, 6).double()}),
        Case("a transposed view", {"weights": draw.shares(3, 5).T.contiguous().T}),
    ]


def _unread(weights, best):
    unread = torch.ones(weights.shape[-1], dtype=torch.bool)
    unread[best] = False
    return unread


def _read(best=lambda weights: weights.argmax(-1), unread=_unread):
    """An answer made of a right and a wrong half."""
    return lambda weights: (best(weights), unread(weights, weights.argmax(-1)))


read_alignment = Exercise(
    id="read_alignment",
    title="Read an alignment",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["best", "unread"],
    cases=alignment_cases,
    equivalents={
        "best = weights.argmax(1)": IN_A_MATRIX,
        "unread = torch.ones(weights.shape[1], dtype=torch.bool)": IN_A_MATRIX,
    },
    hints=[
        "Cover the heatmap but for one row. What can you say about that row alone? And what only "
        "with all rows in sight?",
        "`argmax` gives the *place* of the largest entry. Along which axis? A source word is "
        "unread if its place does not occur among those.",
        "Begin `unread` as a tensor of `True`, one for each source word, and set it to `False` "
        "at all places in `best`: a tensor of places can be used as an index.",
    ],
    misconceptions=[
        Misconception(
            "read by columns",
            _read(best=lambda weights: weights.argmax(0)),
            "You look for the largest entry of each column: for every source word, the target "
            "word that looks at it most. Asked was, for each target word, where it looks.",
            "Is the word that looks a row or a column?",
        ),
        Misconception(
            "weights for places",
            _read(best=lambda weights: weights.amax(-1)),
            "`best` holds the largest weights. Asked is where they stand: the position of a "
            "source word.",
            "Which method tells the place of the largest entry instead of the entry?",
        ),
        Misconception(
            "counted from 1",
            _read(best=lambda weights: weights.argmax(-1) + 1),
            "`best` counts source words from 1. Positions in Python and PyTorch begin at 0.",
            "Which position has the first word in `SOURCE[…]`?",
        ),
        Misconception(
            "least for most",
            _read(best=lambda weights: weights.argmin(-1)),
            "`best` holds the places of the smallest weights.",
            "Is a bright cell a large weight or a small one?",
        ),
        Misconception(
            "read for unread",
            _read(unread=lambda weights, best: ~_unread(weights, best)),
            "`unread` is `True` for the words that *are* somebody's best. It is the other way "
            "round.",
            "What should `unread` hold for a word that every row picks?",
        ),
        Misconception(
            "dark column",
            _read(unread=lambda weights, best: weights.sum(0) < 0.5),
            "`unread` marks the columns that are dark in all. A column can get little in all and "
            "still be one word's favourite; or much in all, and be nobody's.",
            "What has to be true of at least one row, so that a word counts as read?",
        ),
        Misconception(
            "no majority",
            _read(unread=lambda weights, best: weights.amax(0) < 0.5),
            "`unread` marks the words that get less than a half from everybody. The largest "
            "weight of a row need not be a half: where six words share, 0.3 can be the most.",
            "Which tensor that you have already tells where each target word looks most?",
        ),
        Misconception(
            "places for marks",
            _read(unread=lambda weights, best: _unread(weights, best).nonzero().squeeze(-1)),
            "`unread` lists the positions of the unread words. Asked is one boolean for each "
            "source word, `True` where it is unread.",
            "How long is `unread` if every word is read?",
        ),
    ],
)


# --- 6. The heatmap that was normalised -----------------------------------------------------------


def heatmap_cases(draw: Draw) -> list[Case]:
    def off_balance(scores, step=1):
        """No row sums to nearly 0: whoever divides by the sum should not divide by noise."""
        return scores + step * (scores.sum(-1, keepdim=True).abs() < step / 2)

    return [
        Case("two queries, three keys", {"scores": off_balance(draw.numbers(2, 3))}),
        Case("four queries, three keys", {"scores": off_balance(draw.numbers(4, 3))}),
        Case("one query", {"scores": off_balance(draw.numbers(1, 4))}),
        Case("one key only", {"scores": off_balance(draw.numbers(3, 1))}),
        Case("scores in the thousands", {"scores": off_balance(_thousands(draw, 2, 3), 1000)}),
        Case("float64", {"scores": off_balance(draw.numbers(3, 5).double())}),
        Case("scores that are a transposed view", {"scores": off_balance(draw.numbers(4, 2).T)}),
    ]


normalised_heatmap = Exercise(
    id="normalised_heatmap",
    title="The heatmap that was normalised",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=heatmap_cases,
    equivalents={
        "weights = scores.softmax(dim=1)": IN_A_MATRIX,
    },
    hints=[
        "Take one query alone, one row of scores. What weights does the function give, whatever "
        "the scores are?",
        "Follow one number through both lines. After the first, which entries sum to 1? What "
        "does the second line hide?",
        "The softmax of the first line runs along the axis of the queries. Once it runs along the "
        "axis of the keys, look again at what the second line still does.",
    ],
    misconceptions=[
        Misconception(
            "the bug as it was",
            lambda scores: _over_sum(scores.softmax(0)),
            "The bug is still there. Rows sum to 1, since the last line makes them; but what it "
            "divides came from a softmax down the columns, where each query's numbers were "
            "weighed against those of other queries.",
            "Add 7 to all scores of one row. Should its weights change? Do they?",
        ),
        Misconception(
            "second line taken out",
            lambda scores: scores.softmax(0),
            "Without its last line the function no longer hides the bug, and still has it: the "
            "columns sum to 1, not the rows.",
            "Which line decides along which axis words compete?",
        ),
        Misconception(
            "normalised without exp",
            lambda scores: _over_sum(scores),
            "You divide the scores by their sum. Scores can be negative, so the result is no "
            "share; and nothing turns differences into ratios.",
            "What makes any number positive, and keeps the order?",
        ),
        Misconception(
            "largest is 1",
            lambda scores: scores.softmax(-1) / scores.softmax(-1).amax(-1, keepdim=True),
            "You divide each row by its largest weight, so that the brightest cell is 1. That "
            "looks well, and a row no longer sums to 1.",
            "What has to be true of shares?",
        ),
        Misconception(
            "softmax twice",
            lambda scores: scores.softmax(-1).softmax(-1),
            'The second softmax "normalises" what sums to 1 already, and flattens it.',
            "By how much can two numbers between 0 and 1 differ, and what does exp make of it?",
        ),
        Misconception(
            "columns, then rows again",
            lambda scores: scores.softmax(0).softmax(-1),
            "You took a softmax down the columns and a second one along the rows. The second "
            "cannot bring back what the first has mixed.",
            "How many softmaxes does attention have?",
        ),
        Misconception(
            "axis of the whole table",
            lambda scores: scores.flatten().softmax(0).reshape(scores.shape),
            "Your softmax runs over the whole table, so that all entries together sum to 1. Each "
            "query has a whole of its own to share out.",
            "Do two target words compete for attention?",
        ),
    ],
)


# --- 7. Predict what the temperature does ---------------------------------------------------------

PREDICTIONS = {
    "colder": ["rises", "falls", "stays"],
    "hotter": ["rises", "falls", "stays"],
    "limit": ["equal shares", "all zeros", "one word takes all"],
    "doubled": ["sharper", "flatter", "the same"],
    "favourite": ["never", "when hot", "when cold"],
}
_RIGHT = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "equal shares",
    "doubled": "the same",
    "favourite": "never",
}

temperature_prediction = Exercise(
    id="temperature_prediction",
    title="Predict what the temperature does",
    points=2,
    difficulty=1,
    minutes=5,
    kind="choices",
    outputs=list(PREDICTIONS),
    choices=PREDICTIONS,
    cases=lambda draw: [Case("your prediction")],
    hints=[
        "Which of the five can you answer with two words only, with scores 1 and 0?",
        "The ratio of two weights is exp of their difference in score, divided by the "
        "temperature. What happens to that quotient?",
        "Try it: `softmax_with_temperature` is yours. Take three scores, and temperatures 0.1, 1, "
        "10 and 1000. For `doubled`, multiply both by 2.",
    ],
    misconceptions=[
        Misconception(
            "cold is flat",
            _RIGHT | {"colder": "falls"},
            "You say that the largest weight falls when it gets colder. Dividing by a small "
            "number makes the differences between scores larger, and the best key gains.",
            "What are scores 1 and 0 at temperature 0.1?",
        ),
        Misconception(
            "cold does nothing",
            _RIGHT | {"colder": "stays"},
            "You say that the largest weight stays when it gets colder. Its *place* stays; its "
            "size does not.",
            "In section 5, how much had *sat* in the row *était* at temperature 0.1, and at 1?",
        ),
        Misconception(
            "hot is focused",
            _RIGHT | {"hotter": "falls"},
            "You say that the entropy falls when it gets hotter. Hot means equal shares, and "
            "equal shares have the largest entropy there is.",
            "Does a low entropy mean few words or many?",
        ),
        Misconception(
            "entropy of words",
            _RIGHT | {"hotter": "stays"},
            "You say that the entropy stays when it gets hotter. It measures how the weight is "
            "spread, and the temperature spreads it.",
            "What did the curve of section 6 show?",
        ),
        Misconception(
            "hot is nothing",
            _RIGHT | {"limit": "all zeros"},
            "You say that in the limit all weights are 0. It is the scores that go to 0; the "
            "weights of a row always sum to 1.",
            "What does the softmax make of four zeros?",
        ),
        Misconception(
            "hot is hard",
            _RIGHT | {"limit": "one word takes all"},
            "You say that in the limit one word takes everything. That is the cold end, "
            "temperature 0.",
            "Very hot: what is left of the differences between the scores?",
        ),
        Misconception(
            "scores win",
            _RIGHT | {"doubled": "sharper"},
            "You say that doubling scores and temperature makes the row sharper. Doubled scores "
            "alone would.",
            "What is left of the two factors in the quotient?",
        ),
        Misconception(
            "temperature wins",
            _RIGHT | {"doubled": "flatter"},
            "You say that doubling scores and temperature makes the row flatter. A doubled "
            "temperature alone would.",
            "What is left of the two factors in the quotient?",
        ),
        Misconception(
            "hot changes the order",
            _RIGHT | {"favourite": "when hot"},
            "You say that another word can become the favourite when it is hot. All come closer "
            "to each other, and none overtakes.",
            "If one number is larger than another, which is larger after dividing both by 10?",
        ),
        Misconception(
            "cold changes the order",
            _RIGHT | {"favourite": "when cold"},
            "You say that another word can become the favourite when it is cold. Cold makes the "
            "lead of the best larger; it does not pass it on.",
            "If one number is larger than another, which is larger after dividing both by 0.1?",
        ),
    ],
)

EXERCISES = [
    softmax_with_temperature,
    entropy,
    soft_lookup,
    four_patterns,
    read_alignment,
    normalised_heatmap,
    temperature_prediction,
]
