"""The task “Read an alignment”: right answers and known mistakes."""

import torch

from solutions.cases import as_view
from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case

# The middle word is nobody's favourite, and gets the most weight in all.
SECOND_EVERYWHERE = torch.tensor([[0.45, 0.40, 0.15], [0.15, 0.40, 0.45]])
# The first word is the favourite of one, by little, and gets little from all the others.
FAVOURITE_OF_ONE = torch.tensor(
    [[0.28, 0.24, 0.25, 0.23], [0.01, 0.90, 0.04, 0.05], [0.02, 0.03, 0.91, 0.04]]
)


def cases(draw: Draw) -> list[Case]:
    order = draw.order(3)
    return [
        Case("three target words, four source words", {"weights": draw.shares(3, 4)}),
        Case("more target words than source words", {"weights": draw.shares(5, 3)}),
        Case("a word that is second everywhere", {"weights": SECOND_EVERYWHERE[:, order]}),
        Case("a word that is the favourite of one", {"weights": FAVOURITE_OF_ONE[order]}),
        Case("one target word", {"weights": draw.shares(1, 4)}),
        Case("one source word", {"weights": torch.ones(3, 1)}),
        Case("float64", {"weights": draw.shares(4, 6).double()}),
        Case("a transposed view", {"weights": as_view(draw.shares(3, 5))}),
    ]


def _unread(weights, best):
    unread = torch.ones(weights.shape[-1], dtype=torch.bool)
    unread[best] = False
    return unread


def _read(best=lambda weights: weights.argmax(-1), unread=_unread):
    """Return an answer made of two functions: for the best words, and for those nobody reads."""
    return lambda weights: (best(weights), unread(weights, weights.argmax(-1)))


def in_loops(weights):
    best = []
    for row in weights.tolist():
        best.append(row.index(max(row)))
    return torch.tensor(best), torch.tensor([j not in best for j in range(weights.shape[1])])


def by_max(alignment):
    places = alignment.max(dim=1).indices
    return places, torch.bincount(places, minlength=alignment.shape[1]) == 0


def by_isin(weights):
    best = torch.topk(weights, 1).indices.squeeze(-1)
    return best, ~torch.isin(torch.arange(weights.size(1)), best)


def by_one_hot(weights):
    best = weights.sort(dim=-1, descending=True).indices[:, 0].int()
    picked = torch.nn.functional.one_hot(best.long(), weights.shape[-1])
    return best, picked.sum(0).eq(0)


exercise = Exercise(
    id="read_alignment",
    title="Read an alignment",
    points=3,
    difficulty=2,
    minutes=10,
    section="01.8",
    outputs=["best", "unread"],
    cases=cases,
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
    mistakes={
        "read by columns": WrongAnswer(
            _read(best=lambda weights: weights.argmax(0)),
            "You look for the largest entry of each column: for every source word, the target "
            "word that looks at it most. Asked was, for each target word, where it looks.",
            "Is the word that looks a row or a column?",
            misconception="reads-by-columns",
        ),
        "weights for places": WrongAnswer(
            _read(best=lambda weights: weights.amax(-1)),
            "`best` holds the largest weights. Asked is where they stand: the position of a "
            "source word.",
            "Which method tells the place of the largest entry instead of the entry?",
            misconception="largest-of-a-row",
        ),
        "counted from 1": WrongAnswer(
            _read(best=lambda weights: weights.argmax(-1) + 1),
            "`best` counts source words from 1. Positions in Python and PyTorch begin at 0.",
            "Which position has the first word in `SOURCE[…]`?",
            misconception="off-by-one",
        ),
        "least for most": WrongAnswer(
            _read(best=lambda weights: weights.argmin(-1)),
            "`best` holds the places of the smallest weights.",
            "Is a bright cell a large weight or a small one?",
            misconception="opposite",
        ),
        "read for unread": WrongAnswer(
            _read(unread=lambda weights, best: ~_unread(weights, best)),
            "`unread` is `True` for the words that *are* somebody's best. It is the other way "
            "round.",
            "What should `unread` hold for a word that every row picks?",
            misconception="opposite",
        ),
        "dark column": WrongAnswer(
            _read(unread=lambda weights, best: weights.sum(0) < 0.5),
            "`unread` marks the columns that are dark in all. A column can get little in all and "
            "still be one word's favourite; or much in all, and be nobody's.",
            "What has to be true of at least one row, so that a word counts as read?",
            misconception="largest-of-a-row",
        ),
        "no majority": WrongAnswer(
            _read(unread=lambda weights, best: weights.amax(0) < 0.5),
            "`unread` marks the words to which nobody gives much, a half perhaps. The largest "
            "weight of a row need not be large: where six words share, 0.3 can be the most.",
            "Which tensor that you have already tells where each target word looks most?",
            misconception="largest-of-a-row",
        ),
        "places for marks": WrongAnswer(
            _read(unread=lambda weights, best: _unread(weights, best).nonzero().squeeze(-1)),
            "`unread` lists the positions of the unread words. Asked is one boolean for each "
            "source word, `True` where it is unread.",
            "How long is `unread` if every word is read?",
            misconception="largest-of-a-row",
        ),
    },
    variants=[in_loops, by_max, by_isin, by_one_hot],
)
