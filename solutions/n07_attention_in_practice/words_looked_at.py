"""The stub “How many words are looked at” of a notebook: right answers and known mistakes."""

import torch

from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case
from utils.metrics import attention_entropy


def cases(draw: Draw) -> list[Case]:
    return [
        Case("four rows over five words", {"weights": draw.shares(4, 5)}),
        Case("a single row", {"weights": draw.shares(1, 6)}),
        Case("every row at a word of its own", {"weights": torch.eye(5)[draw.order(5)]}),
        Case("every row at the same word", {"weights": torch.eye(4)[[2, 2, 2, 2, 2]]}),
    ]


def by_hand(weights):
    def words(shares):
        return torch.special.entr(shares).sum(-1).exp()

    return words(weights).sum() / len(weights), words(weights.sum(0) / len(weights))


def row_by_row(weights):
    rows = torch.stack([attention_entropy(row).exp() for row in weights])
    return rows.sum() / len(rows), attention_entropy(weights.mean(0, keepdim=True)).exp().sum()


exercise = YourTurn(
    id="words_looked_at",
    title="How many words are looked at",
    section="07.2",
    outputs=["row_words", "all_words"],
    cases=cases,
    mistakes={
        "entropies": WrongAnswer(
            lambda weights: (
                attention_entropy(weights).mean(),
                attention_entropy(weights.mean(0)),
            ),
            "You return entropies. A number of words is $e^H$.",
            "What is the entropy of a row that looks at one word? And how many words is that?",
            misconception="logarithm",
        ),
        "mean before the exponential": WrongAnswer(
            lambda weights: (
                attention_entropy(weights).mean().exp(),
                attention_entropy(weights.mean(0)).exp(),
            ),
            "You take the mean of the entropies first, and $e$ to that. Asked is the mean of the "
            "numbers of words.",
            "Which comes first, `exp` or `mean`?",
            misconception="averages-anywhere",
        ),
        "the other axis": WrongAnswer(
            lambda weights: (
                attention_entropy(weights).exp().mean(),
                attention_entropy(weights.mean(1)).exp(),
            ),
            "For *all words* you average over the source words. The mean row is the mean over the "
            "queries.",
            "Which axis of the map holds the queries?",
            misconception="rows-are-keys",
        ),
        "the other way round": WrongAnswer(
            lambda weights: (
                attention_entropy(weights.mean(0)).exp(),
                attention_entropy(weights).exp().mean(),
            ),
            "Where the row words should stand, you return all words. Asked are the row words "
            "first, and then all words.",
            "Which of the two is about one query?",
            misconception="parts-in-any-order",
        ),
    },
    variants=[by_hand, row_by_row],
)
