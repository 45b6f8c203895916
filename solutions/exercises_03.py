"""Notebook 03: multiplicative attention."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from solutions.exercises_02 import JOINED_MISCONCEPTIONS, as_view, in_pairs
from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case

NO_ORDER = "neither a product nor an `and` has an order"
A_DISTANCE = "a distance has no sign"


def _unit(vectors):
    return vectors / vectors.norm(dim=-1, keepdim=True).clamp(min=1e-6)


def _reshaped(keys):
    """What `.mT` is often mistaken for."""
    return keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1])


# --- 1. Dot ---------------------------------------------------------------------------------------


def dot_cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, dim, change=lambda one: one):
        query, keys = draw.numbers(batch, tgt_len, dim), draw.numbers(batch, src_len, dim)
        return Case(label, {"query": change(query), "keys": change(keys)})

    return [
        case("one sentence, two queries, three keys", 1, 2, 3, 2),
        case("a batch of two", 2, 3, 4, 5),
        case("as many queries as sentences", 3, 3, 2, 4),
        case("one query", 3, 1, 5, 2),
        case("one key only", 2, 4, 1, 3),
        case("transposed views", 2, 5, 3, 4, as_view),
        case("float64", 4, 2, 3, 5, torch.Tensor.double),
    ]


dot_scores = Exercise(
    id="dot_scores",
    title="Dot",
    points=1,
    difficulty=1,
    minutes=5,
    outputs=["scores"],
    cases=dot_cases,
    hints=[
        "What has to stand in row t and column j, in words?",
        "All dot products of a sentence are one matrix product: (tgt_len, dim) times "
        "(dim, src_len). Which of the two has to be turned on its side?",
        "`@` works sentence by sentence where the batch stands in front. Turn the last two axes "
        "of the keys with `.mT`, or `.transpose(1, 2)`: `.T` would turn all three.",
    ],
    misconceptions=[
        Misconception(
            "reshaped",
            lambda query, keys: query @ _reshaped(keys),
            "Your keys were brought to (batch, dim, src_len) by `reshape` or `view`. The shape is "
            "right, and the numbers are in the wrong places: each column is a mixture of words.",
            "What does `torch.arange(6).view(2, 3).view(3, 2)` look like, and what the transpose?",
        ),
        Misconception(
            "scaled",
            lambda query, keys: query @ keys.mT / math.sqrt(keys.shape[-1]),
            "You divide by the root of the width. That comes in notebook 04; *dot* has no such "
            "factor.",
            "By hand: which score has (2, -1) with (3, 1)?",
        ),
        Misconception(
            "angle without length",
            lambda query, keys: _unit(query) @ _unit(keys).mT,
            "You compare directions only: the vectors were brought to length 1. In a dot product "
            "their lengths count.",
            "What should happen to the scores of a query that is twice as long?",
        ),
        Misconception(
            "mean for sum",
            lambda query, keys: query @ keys.mT / keys.shape[-1],
            "Your scores are too small by a factor, the width: you took the mean of the products "
            "where a dot product has their sum.",
            "By hand: which score has (2, -1) with (3, 1)?",
        ),
        Misconception(
            "weights for scores",
            lambda query, keys: (query @ keys.mT).softmax(-1),
            "You return weights: the softmax was taken already. Asked are the scores, before it.",
            "Can a score be negative?",
        ),
        Misconception(
            "keys as rows",
            lambda query, keys: keys @ query.mT,
            "Your table has a row for each key. Rows belong to queries, columns to keys.",
            "Which of the two factors gives a matrix product its rows?",
        ),
        Misconception(
            "first sentence for all",
            lambda query, keys: query @ keys[0].T,
            "All your queries are compared with the keys of the first sentence. Each sentence of "
            "the batch has keys of its own.",
            "How many axes has the tensor with which you multiply?",
        ),
    ],
)


# --- 2. General -----------------------------------------------------------------------------------


def general_cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, change=lambda one: one):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim),
            "keys": draw.numbers(batch, src_len, key_dim),
            "W": draw.numbers(query_dim, key_dim, reach=1),
        }
        return Case(label, {name: change(one) for name, one in inputs.items()})

    return [
        case("one sentence, keys wider than the query", 1, 2, 3, 2, 4),
        case("a batch of two, queries wider than the keys", 2, 3, 4, 6, 5),
        case("one width for both", 2, 4, 3, 5, 5),
        case("one query", 3, 1, 4, 2, 5),
        case("one key only", 2, 4, 1, 3, 2),
        case("keys twice as wide, as from an encoder that reads both ways", 3, 2, 5, 4, 8),
        case("transposed views", 2, 5, 3, 4, 6, as_view),
        case("float64", 2, 3, 5, 2, 4, torch.Tensor.double),
    ]


general_scores = Exercise(
    id="general_scores",
    title="General",
    points=2,
    difficulty=1,
    minutes=10,
    outputs=["scores"],
    cases=general_cases,
    hints=[
        "$W h$ for one key is a vector. How wide is it, and with what is it multiplied then?",
        "Keys stand in rows here, not in columns. For one row `h` the product `W @ h` is the same "
        "as `h @ …`: of what?",
        "First `keys @ W.T`, of shape (batch, src_len, query_dim). With these in place of the "
        "keys it is the dot product of task 1.",
    ],
    misconceptions=[
        Misconception(
            "W reshaped",
            lambda query, keys, W: query @ (keys @ W.reshape(W.shape[1], W.shape[0])).mT,
            "You made `W` fit with `reshape` or `view`. That reads its numbers in another order; "
            "what fits and keeps the order is the transpose.",
            "Where does the number in row 0, column 1 of `W` stand after each of the two?",
        ),
        Misconception(
            "keys reshaped",
            lambda query, keys, W: query @ _reshaped(keys @ W.T),
            "The projected keys are right, and then they were brought to (batch, query_dim, "
            "src_len) by `reshape` or `view`. The numbers are in the wrong places now.",
            "Which operation swaps two axes, and which only counts through the numbers anew?",
        ),
        Misconception(
            "a tanh too much",
            lambda query, keys, W: query @ (keys @ W.T).tanh().mT,
            "Your projected keys go through a `tanh`. That belongs to the additive score; "
            "*general* is a product, and nothing else.",
            "What is the score of a query with a key that is twice as long?",
        ),
        Misconception(
            "scaled",
            lambda query, keys, W: query @ (keys @ W.T).mT / math.sqrt(query.shape[-1]),
            "You divide by the root of the width. That comes in notebook 04; *general* has no "
            "such factor. (Its `W` could learn it.)",
            "Which operations stand in the formula s · (W h)?",
        ),
        Misconception(
            "angle without length",
            lambda query, keys, W: _unit(query) @ _unit(keys @ W.T).mT,
            "You compare directions only: both sides were brought to length 1. In a dot product "
            "their lengths count.",
            "What should happen to the scores if `W` is doubled?",
        ),
        Misconception(
            "weights for scores",
            lambda query, keys, W: (query @ (keys @ W.T).mT).softmax(-1),
            "You return weights: the softmax was taken already. Asked are the scores, before it.",
            "Can a score be negative?",
        ),
        Misconception(
            "keys as rows",
            lambda query, keys, W: keys @ (query @ W).mT,
            "Your table has a row for each key. Rows belong to queries, columns to keys.",
            "Which of the two factors gives a matrix product its rows?",
        ),
    ],
)


# --- 3. Concat ------------------------------------------------------------------------------------


def concat_cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, attention_dim, change=None):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim),
            "keys": draw.numbers(batch, src_len, key_dim),
            "W_joined": draw.numbers(attention_dim, query_dim + key_dim, reach=1),
            "v": draw.numbers(attention_dim),
        }
        return Case(label, {name: change(one) if change else one for name, one in inputs.items()})

    return [
        case("a batch of two, three queries, four keys", 2, 3, 4, 2, 5, 6),
        case("a batch of one", 1, 4, 3, 5, 2, 6),
        case("one query", 3, 1, 4, 2, 5, 6),
        case("one key only", 2, 3, 1, 4, 5, 6),
        case("one width for both", 2, 3, 5, 4, 4, 6),
        case("one hidden number only", 2, 5, 3, 4, 2, 1),
        case("transposed views", 2, 4, 5, 3, 2, 6, as_view),
        case("float64", 3, 2, 4, 5, 3, 6, torch.Tensor.double),
    ]


def _queries_tiled(query, keys, W_joined, v):
    """The queries repeated as a whole, a, b, a, b, where each should be repeated: a, a, b, b."""
    tgt_len, src_len = query.shape[1], keys.shape[1]
    tiled = query.repeat(1, src_len, 1).unflatten(1, (tgt_len, src_len))
    others = keys.unsqueeze(1).repeat(1, tgt_len, 1, 1)
    return (torch.cat([tiled, others], dim=-1) @ W_joined.T).tanh() @ v


concat_scores = Exercise(
    id="concat_scores",
    title="Concat",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["scores"],
    cases=concat_cases,
    hints=[
        "Every pair has to be written out: a vector [s; h] for each query with each key. Which "
        "shape has the tensor of all pairs, and which shape have its two halves?",
        "The queries become (batch, tgt_len, src_len, query_dim): a new axis, then repeated along "
        "it. The keys get theirs in another place. `expand` repeats an axis of length 1.",
        "`query.unsqueeze(2).expand(-1, -1, src_len, -1)`, and the keys with `unsqueeze(1)` and "
        "tgt_len likewise. Join them along the last axis, multiply by the transposed matrix, "
        "`tanh`, and `@ v`.",
    ],
    misconceptions=[
        *JOINED_MISCONCEPTIONS,
        Misconception(
            "keys as rows",
            lambda query, keys, W_joined, v: (
                (in_pairs(query, keys) @ W_joined.T).tanh() @ v
            ).mT.contiguous(),
            "Your scores are (batch, src_len, tgt_len). Rows belong to queries, columns to keys.",
            "Along which of the two new axes are the queries repeated?",
        ),
        Misconception(
            "queries in turn",
            _queries_tiled,
            "The shape is right, and the queries are dealt out in turn: a, b, c, a, b, c. A row "
            "belongs to one query, so each has to be repeated for itself: a, a, b, b. `repeat` "
            "followed by `view` does the first.",
            "In one row of scores: how many different queries should be in it?",
        ),
    ],
)


# --- 4. A hard window -----------------------------------------------------------------------------


def window_cases(draw: Draw) -> list[Case]:
    def case(label, lengths, tgt_len, src_len, half_width):
        inputs = {"tgt_len": tgt_len, "src_len": src_len, "half_width": half_width}
        shuffled = torch.tensor(lengths)[draw.order(len(lengths))]
        return Case(label, {"lengths": shuffled, **inputs})

    more = int(draw.whole(7, 9))
    return [
        case("one sentence of five words, six target words", [5], 6, 5, 1),
        case("two sentences, one of them padded", [8, 5], 7, 8, 2),
        case("a target much longer than the sources", [4, 6, 3], more + 3, 6, 1),
        case("a batch that is padded further than its longest", [3, 5], 4, more, 2),
        case("a window of one word", [4, 7], 6, 7, 0),
        case("a window wider than the sentence", [3, 2], 4, 3, 5),
        case("a sentence of one word, and one of none", [1, 0, 4], 3, 5, 1),
        case("one target word", [6, 4], 1, 6, 2),
    ]


def _hard(lengths, tgt_len, src_len, centres=None, inside=None):
    """The mask, with another centre or another rule for what is near."""
    sources, targets = torch.arange(src_len), torch.arange(tgt_len).expand(len(lengths), -1)
    last = lengths.unsqueeze(1) - 1
    centres = targets.minimum(last) if centres is None else centres(targets, last)
    return inside(sources - centres.unsqueeze(-1)) & (sources <= last.unsqueeze(-1))


def _near(half_width):
    return lambda offsets: offsets.abs() <= half_width


def _padding_too(lengths, tgt_len, src_len, half_width):
    centres = torch.arange(tgt_len).minimum(lengths.unsqueeze(1) - 1)
    return (torch.arange(src_len) - centres.unsqueeze(-1)).abs() <= half_width


hard_window = Exercise(
    id="hard_window",
    title="A hard window",
    points=3,
    difficulty=2,
    minutes=15,
    outputs=["mask"],
    cases=window_cases,
    equivalents={
        "near = (centres.unsqueeze(-1) - sources).abs() <= half_width": A_DISTANCE,
        "return (sources < lengths[:, None, None]) & near": NO_ORDER,
    },
    hints=[
        "For one target word of one sentence: where is the middle of its window, and which source "
        "positions are then allowed? Two conditions have to hold.",
        "Give the source positions the last axis, the target positions the one before it, and the "
        "sentences the first. The centre is the smaller of the target position and the last "
        "position of that sentence: `torch.minimum`.",
        "`centres` has the shape (batch, tgt_len). Then the mask is "
        "`(sources - centres.unsqueeze(-1)).abs() <= …` and, with `&`, "
        "`sources < lengths[:, None, None]`.",
    ],
    misconceptions=[
        Misconception(
            "off the end",
            lambda lengths, tgt_len, src_len, half_width: _hard(
                lengths, tgt_len, src_len, lambda targets, last: targets, _near(half_width)
            ),
            "Your window walks off the end of its sentence: late target words are left with "
            "nothing to look at.",
            "Where should the window of target word 9 stand in a sentence of 4 words?",
        ),
        Misconception(
            "stops at the padding's end",
            lambda lengths, tgt_len, src_len, half_width: _hard(
                lengths,
                tgt_len,
                src_len,
                lambda targets, last: targets.clamp(max=src_len - 1),
                _near(half_width),
            ),
            "Your centres stop at the last position of the padded batch. In a shorter sentence "
            "the window walks into the padding.",
            "How long is a sentence: as long as its row of the tensor?",
        ),
        Misconception(
            "padding allowed",
            _padding_too,
            "The centres are right, and your window takes the padding in where it reaches over "
            "the end of its sentence.",
            "Which second condition has a position to meet, besides being near?",
        ),
        Misconception(
            "one batch, one length",
            lambda lengths, tgt_len, src_len, half_width: (
                (torch.arange(src_len) - torch.arange(tgt_len).unsqueeze(1)).abs() <= half_width
            ).expand(len(lengths), -1, -1),
            "Your mask is the same for all sentences, and `lengths` is not used: the window walks "
            "off the end of the short ones, and takes their padding in.",
            "Which of the four inputs does your function not need?",
        ),
        Misconception(
            "one behind the last word",
            lambda lengths, tgt_len, src_len, half_width: _hard(
                lengths,
                tgt_len,
                src_len,
                lambda targets, last: targets.minimum(last + 1),
                _near(half_width),
            ),
            "Your centres stop one place too late, behind the last word. Positions are counted "
            "from 0.",
            "Which position has the last word of a sentence of 4 words?",
        ),
        Misconception(
            "one too few",
            lambda lengths, tgt_len, src_len, half_width: _hard(
                lengths, tgt_len, src_len, None, lambda offsets: offsets.abs() < half_width
            ),
            "Your window has 2D - 1 positions, and it should have 2D + 1: those at a distance of "
            "exactly D belong to it.",
            "Is a position at a distance of D inside or outside?",
        ),
        Misconception(
            "looks back only",
            lambda lengths, tgt_len, src_len, half_width: _hard(
                lengths,
                tgt_len,
                src_len,
                None,
                lambda offsets: (offsets <= 0) & (offsets >= -half_width),
            ),
            "Your window reaches from the centre to the left only. It stands on both sides.",
            "What is the distance of two positions, if one does not know which is larger?",
        ),
        Misconception(
            "D for the whole width",
            lambda lengths, tgt_len, src_len, half_width: _hard(
                lengths, tgt_len, src_len, None, lambda offsets: 2 * offsets.abs() <= half_width
            ),
            "You take D for the width of the whole window. It is the half: D to the left, D to "
            "the right, and the centre.",
            "How many positions has a window with D = 2, away from the ends?",
        ),
        Misconception(
            "upside down",
            lambda lengths, tgt_len, src_len, half_width: (
                ~_hard(lengths, tgt_len, src_len, None, _near(half_width))
            ),
            "Your mask is `True` outside the window. In the course `True` means: may be attended "
            "to.",
            "What would `masked_fill(~mask, …)` fill?",
        ),
        Misconception(
            "a stretched diagonal",
            lambda lengths, tgt_len, src_len, half_width: _hard(
                lengths,
                tgt_len,
                src_len,
                lambda targets, last: (targets * (last + 1)) // tgt_len,
                _near(half_width),
            ),
            "Your window moves at another pace, so that the last target word meets the last "
            "source word. That is a good idea, and not this rule: in local-m the centre of target "
            "word t is source word t.",
            "Where does the window of target word 1 stand, whatever the two lengths are?",
        ),
        Misconception(
            "sources as rows",
            lambda lengths, tgt_len, src_len, half_width: (
                _hard(lengths, tgt_len, src_len, None, _near(half_width)).mT
            ),
            "Your mask is (batch, src_len, tgt_len). Rows are target words, columns are source "
            "words.",
            "Which of the two kinds of positions gets the last axis?",
        ),
    ],
)


# --- 5. A Gaussian in the window ------------------------------------------------------------------


def gaussian_cases(draw: Draw) -> list[Case]:
    def centres(src_len, *shape):
        """Never half-way between two positions: there rounding is a matter of taste."""
        whole, parts = draw.whole(0, src_len - 1, *shape), draw.whole(1, 8, *shape)
        return whole + (parts + (parts > 4)) / 10

    def case(label, batch, tgt_len, src_len, half_width, given=None, change=lambda one: one):
        given = centres(src_len, batch, tgt_len) if given is None else given
        scores = draw.numbers(batch, tgt_len, src_len)
        inputs = {"scores": change(scores), "centres": change(given)}
        return Case(label, {**inputs, "half_width": half_width})

    half_way = centres(7, 2, 3).double()
    large = (1000 * draw.order(42).reshape(2, 3, 7)).double()
    return [
        case("one sentence of eight words, D = 2", 1, 2, 8, 2),
        case("a batch of two, D = 1", 2, 3, 9, 1),
        case("a wide window, D = 3", 2, 4, 9, 3),
        case("centres at both ends", 1, 3, 6, 2, torch.tensor([[0.1, 5.9, 5.3]])),
        case("a window wider than the sentence", 2, 3, 4, 5),
        case("one key only", 3, 2, 1, 1),
        Case("scores in the thousands", {"scores": large, "centres": half_way, "half_width": 2}),
        case("transposed views", 4, 3, 7, 2, None, as_view),
        case("float64", 2, 4, 8, 2, None, torch.Tensor.double),
    ]


def _offsets(scores: Tensor, centres: Tensor) -> Tensor:
    return torch.arange(scores.shape[-1]) - centres.unsqueeze(-1)


def _bell(scores, centres, half_width, sigmas=0.5, twice=2):
    deviation = sigmas * half_width
    return torch.exp(-_offsets(scores, centres).square() / (twice * deviation**2))


def _hard_softmax(scores, centres, half_width):
    far = _offsets(scores, centres).abs() > half_width
    return scores.masked_fill(far, -1e30).softmax(-1).masked_fill(far, 0.0)


def _local(scores, centres, half_width):
    return _hard_softmax(scores, centres.round(), half_width) * _bell(scores, centres, half_width)


def _sharpened(scores, centres, half_width):
    far = _offsets(scores, centres.round()).abs() > half_width
    bell = _bell(scores, centres, half_width)
    return (scores * bell).masked_fill(far, -1e30).softmax(-1).masked_fill(far, 0.0)


gaussian_window = Exercise(
    id="gaussian_window",
    title="A Gaussian in the window",
    points=4,
    difficulty=3,
    minutes=15,
    outputs=["weights"],
    invariants={"weights": ["not negative", "exact zeros"]},
    cases=gaussian_cases,
    equivalents={
        "distances = centres.unsqueeze(-1) - sources": "the sign goes in the square",
        "return (-distances ** 2 / (2 * (half_width / 2) ** 2)).exp() * inside": NO_ORDER,
        "return inside * (-distances ** 2 / ((half_width / 2) ** 2 * 2)).exp()": NO_ORDER,
        "window = (centres.round().unsqueeze(-1) - sources).abs() <= half_width": A_DISTANCE,
    },
    hints=[
        "Two things happen at two moments: one before the softmax and one after it. Which?",
        "Before: everything that is more than D away from the *rounded* centre gets minus "
        "infinity. After: each weight is multiplied by the Gaussian of its distance to the centre "
        "as it came. Nothing is normalised again.",
        "`distances = sources - centres.unsqueeze(-1)`, and the same with `centres.round()` for "
        "the window. The factor is `exp` of minus the square of the distance over 2 σ², with "
        "σ = half_width / 2.",
    ],
    misconceptions=[
        Misconception(
            "Gaussian before the softmax",
            _sharpened,
            "You multiply the scores by the Gaussian, before the softmax. Scores may be negative, "
            "and then a small factor makes them *better*; and the rows still sum to 1.",
            "In equation 10, what stands to the left of the Gaussian: a score or a weight?",
        ),
        Misconception(
            "no window at all",
            lambda scores, centres, half_width: scores.softmax(-1),
            "Your weights are those of global attention. A Gaussian is nowhere 0, so used as a "
            "mask it masks nothing.",
            "Which comparison makes a mask of positions, a centre and D?",
        ),
        Misconception(
            "Gaussian without a window",
            lambda scores, centres, half_width: (
                scores.softmax(-1) * _bell(scores, centres, half_width)
            ),
            "You multiply by the Gaussian, and the hard window is missing. So words far away take "
            "part in the softmax, and take their share from those in the window.",
            "How many weights of a row may differ from 0, if D = 2?",
        ),
        Misconception(
            "window after the softmax",
            lambda scores, centres, half_width: (
                scores.softmax(-1)
                * _bell(scores, centres, half_width)
                * (_offsets(scores, centres.round()).abs() <= half_width)
            ),
            "You cut the window out after the softmax. What the words outside had been given is "
            "lost then, and does not come back to those inside.",
            "Over which positions does the softmax of equation 10 run?",
        ),
        Misconception(
            "distance not squared",
            lambda scores, centres, half_width: (
                _hard_softmax(scores, centres.round(), half_width)
                * torch.exp(-2 * _offsets(scores, centres).abs() / half_width**2)
            ),
            "In your Gaussian the distance is not squared. That gives a tent with a sharp top, "
            "not a bell.",
            "What stands above the 2 σ² in the formula?",
        ),
        Misconception(
            "window without a Gaussian",
            lambda scores, centres, half_width: _hard_softmax(scores, centres.round(), half_width),
            "Your weights are right up to the softmax, and the Gaussian is missing. Without it no "
            "gradient reaches the centres: rounding lets none through.",
            "Which word of the window should profit from a centre at 7.4?",
        ),
        Misconception(
            "normalised again",
            lambda scores, centres, half_width: F.normalize(
                _local(scores, centres, half_width), p=1, dim=-1
            ),
            "You divide by the sum in the end, so that rows sum to 1 again. In local-p they do "
            "not: a small sum says that the fitting word stands far from the centre.",
            "What does a row look like in which the decoder pointed to the wrong place?",
        ),
        Misconception(
            "deviation D",
            lambda scores, centres, half_width: (
                _hard_softmax(scores, centres.round(), half_width)
                * _bell(scores, centres, half_width, sigmas=1)
            ),
            "Your Gaussian is too wide: its deviation is D, and it should be D/2, so that the "
            "window ends where the Gaussian has nearly ended.",
            "At the edge of the window, how many deviations is a position away from the centre?",
        ),
        Misconception(
            "the 2 left out",
            lambda scores, centres, half_width: (
                _hard_softmax(scores, centres.round(), half_width)
                * _bell(scores, centres, half_width, twice=1)
            ),
            "Your Gaussian is too narrow: below the square of the distance stands σ², and it "
            "should be 2 σ².",
            "What is the factor at a distance of exactly one deviation?",
        ),
        Misconception(
            "Gaussian of the rounded centre",
            lambda scores, centres, half_width: (
                _hard_softmax(scores, centres.round(), half_width)
                * _bell(scores, centres.round(), half_width)
            ),
            "Your Gaussian stands around the rounded centre. The window does; the Gaussian stands "
            "around the centre as it came, which is how a gradient gets there.",
            "What is the gradient of a step function, away from the step?",
        ),
        Misconception(
            "window of the unrounded centre",
            lambda scores, centres, half_width: (
                _hard_softmax(scores, centres, half_width) * _bell(scores, centres, half_width)
            ),
            "Your window stands around the centre as it came. So it holds 2D positions, not "
            "2D + 1: for a centre of 7.4 and D = 2, position 5 is 2.4 away and falls out.",
            "Around which whole number does the window stand if the centre is 7.4?",
        ),
        Misconception(
            "rounded down",
            lambda scores, centres, half_width: (
                _hard_softmax(scores, centres.floor(), half_width)
                * _bell(scores, centres, half_width)
            ),
            "Your window stands around the centre rounded down, as `.long()` and `.int()` do. It "
            "stands around the *nearest* position.",
            "Which position is nearest to 7.9?",
        ),
        Misconception(
            "as a density",
            lambda scores, centres, half_width: (
                _local(scores, centres, half_width) / (math.sqrt(math.pi / 2) * half_width)
            ),
            "Your Gaussian is a probability density: it is divided by σ √(2π). Here it is a "
            "factor, and 1 at the centre.",
            "By what should the weight of a word be multiplied that stands exactly at the centre?",
        ),
    ],
)


# --- 6. The experiment ----------------------------------------------------------------------------


def experiment_cases(draw: Draw) -> list[Case]:
    def case(label, gains, batch, tgt_len, src_len, query_dim, key_dim, attention_dim, change=None):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim, reach=1),
            "keys": draw.numbers(batch, src_len, key_dim, reach=1),
            "W": draw.numbers(query_dim, key_dim, reach=1),
            "W_joined": draw.numbers(attention_dim, query_dim + key_dim, reach=1),
            "v": draw.numbers(attention_dim),
            "gains": torch.tensor(gains),
        }
        return Case(label, {name: change(one) if change else one for name, one in inputs.items()})

    return [
        case("three gains", [0.5, 1.0, 4.0], 2, 3, 4, 2, 5, 6),
        case("four gains, a batch of one", [1.0, 2.0, 5.0, 8.0], 1, 5, 3, 4, 2, 6),
        case("a gain of 0", [0.0, 1.0, 3.0], 2, 4, 5, 3, 2, 6),
        case("one gain only", [2.0], 3, 2, 5, 4, 3, 6),
        case("one query", [1.0, 3.0], 1, 1, 6, 2, 4, 5),
        case("one key only", [0.0, 1.0, 2.0], 2, 3, 1, 4, 5, 6),
        case(
            "gains of 100 and more, float64", [100.0, 300.0], 2, 4, 3, 5, 2, 6, torch.Tensor.double
        ),
    ]


def _general(query, keys, W):
    return torch.einsum("btq,qk,bsk->bts", query, W, keys)


def _concat(query, keys, W_joined, v, squash=torch.tanh):
    return squash(in_pairs(query, keys) @ W_joined.T) @ v


def _largest(scores):
    return scores.softmax(-1).amax(-1).mean()


def _table(pair_of_scores, read=_largest):
    """A table made by a rule for both scores at one gain, and a way to read one number off."""

    def table(query, keys, W, W_joined, v, gains):
        columns = [pair_of_scores(gain, query, keys, W, W_joined, v) for gain in gains]
        return torch.stack([torch.stack([read(one) for one in pair]) for pair in columns], dim=1)

    return table


def _both(gain, query, keys, W, W_joined, v):
    return _general(gain * query, keys, W), _concat(gain * query, keys, W_joined, v)


compare_scores = Exercise(
    id="compare_scores",
    title="How loud can a query shout?",
    points=4,
    difficulty=2,
    minutes=15,
    outputs=["table"],
    cases=experiment_cases,
    equivalents={
        "return torch.stack(columns, dim=1)": "a table may keep its way back, and need not",
        "concat = concat_scores(query * gain, keys, W_joined, v)": NO_ORDER,
        "general = general_scores(query * gain, keys, W)": NO_ORDER,
    },
    hints=[
        "For one gain and one of the two scores: which steps lead from the query to one number?",
        "Multiply the query, score, softmax, largest weight of each row, mean over all rows. A "
        "loop over the gains, and in it the same for both scores.",
        "`scores.softmax(-1).amax(-1).mean()` is one entry, a tensor without axes. Collect two "
        "lists of them, one for each score; `torch.stack` makes a row of each list, and the table "
        "of the two rows.",
    ],
    misconceptions=[
        Misconception(
            "louder keys",
            _table(
                lambda gain, query, keys, W, W_joined, v: (
                    _general(query, gain * keys, W),
                    _concat(query, gain * keys, W_joined, v),
                )
            ),
            "You multiply the keys by the gain. For *general* that is the same, for *concat* it "
            "is not.",
            "Who is to shout in this experiment?",
        ),
        Misconception(
            "louder scores",
            _table(
                lambda gain, query, keys, W, W_joined, v: (
                    gain * _general(query, keys, W),
                    gain * _concat(query, keys, W_joined, v),
                )
            ),
            "You multiply the scores by the gain. For *general* that is the same as a louder "
            "query; in *concat* the `tanh` stands between the two.",
            "What is tanh(10 x), and what is 10 tanh(x)?",
        ),
        Misconception(
            "rows changed places",
            _table(lambda *inputs: _both(*inputs)[::-1]),
            "The rows have changed places: *general* is the first, *concat* the second.",
            "Which row should come near 1 where the query is very loud?",
        ),
        Misconception(
            "gains as rows",
            lambda *inputs: _table(_both)(*inputs).mT,
            "Your table has a row for each gain. It should have one for each score, and a column "
            "for each gain.",
            "How many rows should it have, however many gains there are?",
        ),
        Misconception(
            "the largest of all",
            _table(_both, lambda scores: scores.softmax(-1).amax()),
            "You take the largest weight of the whole table of weights. Asked is the largest of "
            "each row, and their mean: one lucky query should not decide.",
            "How many largest weights are there, with three queries in each of two sentences?",
        ),
        Misconception(
            "mean of the weights",
            _table(_both, lambda scores: scores.softmax(-1).mean()),
            "You take the mean of all weights. Rows sum to 1, so that is always one over the "
            "number of keys.",
            "Which number of a row says how sharp it is?",
        ),
        Misconception(
            "softmax over the queries",
            _table(_both, lambda scores: scores.softmax(-2).amax(-1).mean()),
            "Your softmax runs over the queries: the queries compete for each key.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
        ),
        Misconception(
            "largest scores",
            _table(_both, lambda scores: scores.amax(-1).mean()),
            "Your table holds largest scores. Scores of two kinds cannot be compared; weights can.",
            "Which step is missing between the scores and the largest weight?",
        ),
        Misconception(
            "no tanh",
            _table(
                lambda gain, query, keys, W, W_joined, v: (
                    _general(gain * query, keys, W),
                    _concat(gain * query, keys, W_joined, v, squash=torch.clone),
                )
            ),
            "In your second row nothing ever changes: the `tanh` is missing, so the query cancels "
            "in the softmax.",
            "Does your `concat_scores` pass its check?",
        ),
    ],
)


# --- 7. What the table says -----------------------------------------------------------------------

_SHARES = ["one word takes all", "equal shares", "one row for all"]
CONCLUSIONS = {
    "loud_general": _SHARES,
    "loud_concat": _SHARES,
    "loud_keys": _SHARES,
    "silent_general": _SHARES,
    "silent_concat": _SHARES,
    "memory": ["general", "concat", "neither"],
}
_RIGHT = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "one row for all",
    "silent_general": "equal shares",
    "silent_concat": "one row for all",
    "memory": "concat",
}

scores_compared = Exercise(
    id="scores_compared",
    title="What the table says",
    points=3,
    difficulty=2,
    minutes=10,
    kind="choices",
    outputs=list(CONCLUSIONS),
    choices=CONCLUSIONS,
    cases=lambda draw: [Case("your conclusions")],
    hints=[
        "Which of your table's columns speak of a loud query, and which of a silent one? And "
        "which of the questions does the table not answer, so that you have to think?",
        "What is the tanh of a number as large as 1000? In tanh(W s + U h), which part decides "
        "the sign if s is very large? And which if h is?",
        "Loud query: all answers are the signs of W s, whatever the key is. Loud keys: all "
        "answers are the signs of U h, whatever the query is. Silent query: tanh(U h) is left. "
        "For `memory`, look up section 5.",
    ],
    misconceptions=[
        Misconception(
            "products level off",
            _RIGHT | {"loud_general": "equal shares"},
            "You say that with *general* a loud query ends in equal shares. All its scores grow, "
            "and so do their differences.",
            "Scores of 1 and 2, and then of 100 and 200: what are the weights?",
        ),
        Misconception(
            "products lose the query",
            _RIGHT | {"loud_general": "one row for all"},
            "You say that with *general* a loud query gives the same row whoever asks. In a "
            "product, every query turns its differences up in its own direction.",
            "Do two queries that point in opposite directions have the same favourite?",
        ),
        Misconception(
            "loud is sharp",
            _RIGHT | {"loud_concat": "one word takes all"},
            "You say that with *concat* a loud query makes one word take all, as with *general*. "
            "Read the second row of your table to its end: the largest weight comes down to one "
            "over the number of keys.",
            "If the query's part of the sum is 1000, what can a key still do to the tanh?",
        ),
        Misconception(
            "loud is one row",
            _RIGHT | {"loud_concat": "one row for all"},
            "You say that with *concat* a loud query gives one row for all that is not flat. The "
            "rows do become alike, but there is more: no key can be told from another any more.",
            "If the query's part of the sum is 1000, what can a key still do to the tanh?",
        ),
        Misconception(
            "loud keys are sharp",
            _RIGHT | {"loud_keys": "one word takes all"},
            "You say that loud keys make one word take all in *concat*. Each answer becomes a "
            "clear yes or no, and `v` counts them: scores stay below the sum of all points.",
            "How large can v · tanh(…) get at most?",
        ),
        Misconception(
            "loud keys are flat",
            _RIGHT | {"loud_keys": "equal shares"},
            "You say that loud keys end in equal shares in *concat*. Each key still gives answers "
            "of its own, the signs of U h, so keys differ. What is lost is the query.",
            "If a key's part of the sum is 1000, can the state still move the bar above it?",
        ),
        Misconception(
            "silence has a favourite",
            _RIGHT | {"silent_general": "one word takes all"},
            "You say that with *general* a silent query picks one word. A query of zeros makes "
            "every product 0.",
            "What does the softmax make of a row of zeros?",
        ),
        Misconception(
            "silence has a taste",
            _RIGHT | {"silent_general": "one row for all"},
            "You say that with *general* a silent query leaves one row for all that is not flat. "
            "Without a query there is nothing left of a product: every score is 0.",
            "What is 0 · (W h), for any h?",
        ),
        Misconception(
            "silence is flat",
            _RIGHT | {"silent_concat": "equal shares"},
            "You say that with *concat* a silent query gives equal shares. The keys still speak: "
            "v · tanh(U h) is left, a taste of the judge's own. You saw it in notebook 02 as "
            "the heatmap for W = 0.",
            "What is left of W s + U h, if s is 0?",
        ),
        Misconception(
            "silence is sharp",
            _RIGHT | {"silent_concat": "one word takes all"},
            "You say that with *concat* a silent query makes one word take all. Its scores are no "
            "larger than with any other query.",
            "What is left of W s + U h, if s is 0, and is that the same for every query?",
        ),
        Misconception(
            "memory of general",
            _RIGHT | {"memory": "general"},
            "You say that *general* needs the larger tensor. It keeps the projected keys and the "
            "scores. A vector for each *pair* is what the other one needs.",
            "Which of the two has to take a tanh for each pair?",
        ),
        Misconception(
            "memory of neither",
            _RIGHT | {"memory": "neither"},
            "You say that neither needs a vector for each pair. A matrix product does without; "
            "the tanh stands between the sum and `v`, and has to be taken for each pair.",
            "Which shape has the tensor of which your `concat_scores` takes the tanh?",
        ),
    ],
)


# --- 8. Widths that do not match ------------------------------------------------------------------


def widths_cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, change=lambda one: one):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim, reach=1),
            "keys": draw.numbers(batch, src_len, key_dim, reach=2),
            "W": draw.numbers(query_dim, key_dim, reach=1),
        }
        return Case(label, {name: change(one) for name, one in inputs.items()})

    return [
        case("keys wider than the query", 1, 2, 3, 2, 4),
        case("a query wider than the keys", 2, 3, 4, 6, 5),
        case("keys twice as wide", 2, 4, 3, 5, 10),
        case("one width for both", 2, 3, 5, 4, 4),
        case("one query", 3, 1, 4, 2, 5),
        case("one key only", 2, 4, 1, 3, 2),
        case("transposed views", 2, 5, 3, 4, 6, as_view),
        case("float64", 2, 3, 5, 2, 4, torch.Tensor.double),
    ]


def _attend(weigh=lambda query, keys, W: _general(query, keys, W).softmax(-1), mixed=None):
    """Attention, with another way to weigh or something else that is mixed."""

    def attend(query, keys, W):
        weights = weigh(query, keys, W)
        return weights @ (mixed(query, keys, W) if mixed else keys), weights

    return attend


def _least(query, keys):
    return min(query.shape[-1], keys.shape[-1])


def _cut_weights(query, keys, W):
    width = _least(query, keys)
    return torch.einsum("btd,bsd->bts", query[..., :width], keys[..., :width]).softmax(-1)


def _cut_from_behind(query, keys, W):
    width = _least(query, keys)
    return torch.einsum("btd,bsd->bts", query[..., -width:], keys[..., -width:]).softmax(-1)


def _only_where_needed(query, keys, W):
    fits = query.shape[-1] == keys.shape[-1]
    return _cut_weights(query, keys, W) if fits else _general(query, keys, W).softmax(-1)


def _cut_keys(query, keys, W):
    return keys[..., : _least(query, keys)]


mend_dimensions = Exercise(
    id="mend_dimensions",
    title="Widths that do not match",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=widths_cases,
    hints=[
        "Which of the three arguments does the function never use?",
        "Two things went wrong when the widths were made to fit: how the scores are made, and "
        "what is mixed in the end. What should a context be a mixture of?",
        "`W` stands between query and keys: that is your `general_scores`. Leave `query` and "
        "`keys` as they came, so that the last line mixes whole keys.",
    ],
    misconceptions=[
        Misconception(
            "the cut as it was",
            _attend(_cut_weights, _cut_keys),
            "Query and keys are still cut to the smaller width. Whatever stood behind the cut is "
            "heard by nobody, and the context is cut as well.",
            "Change the last number of a key. Should its weight change?",
        ),
        Misconception(
            "padded with zeros",
            _attend(_cut_weights),
            "Your context is whole again, and the weights are those of the cut: numbers that meet "
            "the zeros of a padding, or nothing, add nothing to a score.",
            "What can the matrix `W` do that zeros cannot?",
        ),
        Misconception(
            "projected keys mixed",
            _attend(mixed=lambda query, keys, W: torch.einsum("bsk,qk->bsq", keys, W)),
            "Your weights are right, and your context is a mixture of the projected keys, as wide "
            "as the query. `W` decides where to look; it does not change what is found there.",
            "Which keys did `weights @ keys` mix in section 2?",
        ),
        Misconception(
            "context still cut",
            _attend(mixed=_cut_keys),
            "Your weights are right, and your context is a mixture of the cut keys.",
            "How wide should the context be?",
        ),
        Misconception(
            "W reshaped",
            _attend(
                lambda query, keys, W: _general(query, keys, W.reshape(W.shape[::-1]).T).softmax(-1)
            ),
            "You made `W` fit with `reshape` or `view`. That reads its numbers in another order; "
            "what fits and keeps the order is the transpose.",
            "Where does the number in row 0, column 1 of `W` stand after each of the two?",
        ),
        Misconception(
            "cut from the other end",
            _attend(_cut_from_behind),
            "Now the first numbers are thrown away in place of the last. A cut hears less, "
            "wherever it is made.",
            "Which of the three arguments is still not used?",
        ),
        Misconception(
            "only where needed",
            _attend(_only_where_needed),
            "Where the widths happen to be equal, you take the plain dot product. `W` is more "
            "than an adapter: two sides of one width may still speak two languages.",
            "What did `W` do in section 3, where both widths were 2?",
        ),
        Misconception(
            "softmax over the queries",
            _attend(lambda query, keys, W: _general(query, keys, W).softmax(-2)),
            "The scores are right, and your softmax runs over the queries.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
        ),
    ],
)

EXERCISES = [
    dot_scores,
    general_scores,
    concat_scores,
    hard_window,
    gaussian_window,
    compare_scores,
    scores_compared,
    mend_dimensions,
]
