"""The alignment error rate of a batch."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view
from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def inputs(batch, tgt_len, src_len):
        """A link in each row, most of them right; some possible links, the sure ones not named."""
        true = torch.stack([draw.whole(0, src_len - 1, tgt_len) for _ in range(batch)])
        other = torch.stack([draw.whole(0, src_len - 1, tgt_len) for _ in range(batch)])
        kept = draw.whole(0, 2, batch, tgt_len) > 0  # (batch, tgt_len)
        predicted = F.one_hot(torch.where(kept, true, other), src_len).bool()
        kind = draw.whole(0, 3, batch, tgt_len)
        kind[:, 0] = 3  # a sure link in each sentence
        sure = F.one_hot(true, src_len).bool() & (kind >= 2).unsqueeze(2)
        maybe = F.one_hot(true, src_len).bool() & (kind < 2).unsqueeze(2)
        maybe = (maybe | (draw.whole(0, 4, batch, tgt_len, src_len) == 0)) & ~sure
        sure[0, -1] = False  # one word at least has possible links only
        return {"predicted": predicted, "sure": sure, "possible": maybe}

    all_named = inputs(2, 6, 4)
    many = inputs(2, 5, 6)
    view = inputs(3, 4, 6)
    right = inputs(1, 4, 5)
    return [
        Case("a batch of three sentences", inputs(3, 6, 7)),
        Case("one sentence", inputs(1, 5, 7)),
        Case("sure links named as possible too", all_named | {"possible": _either(all_named)}),
        Case("no possible link but the sure ones", many | {"possible": many["sure"]}),
        Case("a perfect alignment", right | {"predicted": right["sure"]}),
        Case("nothing right", right | {"predicted": ~_either(right)}),
        Case("several links in a row", many | {"predicted": many["predicted"] | many["possible"]}),
        Case("transposed views", {name: as_view(one) for name, one in view.items()}),
    ]


def _either(links):
    return links["sure"] | links["possible"]


def _count(links):
    return links.sum().float()


def _error(rate):
    """An error rate from A, S and P, the sure links being possible."""
    return lambda predicted, sure, possible: rate(predicted, sure, possible | sure)


def _och_and_ney(a, s, p):
    return 1 - (_count(a & s) + _count(a & p)) / (_count(a) + _count(s))


def _per_sentence(predicted, sure, possible):
    triples = zip(predicted, sure, possible | sure, strict=True)
    return torch.stack([_och_and_ney(*one) for one in triples])


# --- Right answers in other styles ----------------------------------------------------------------


def in_sets(predicted, sure, possible):
    a, s, p = (
        {tuple(one) for one in links.nonzero().tolist()} for links in (predicted, sure, possible)
    )
    return torch.tensor(1 - (len(a & s) + len(a & (s | p))) / (len(a) + len(s)))


def as_numbers(predicted, sure, possible):
    a, s, p = (links.double() for links in (predicted, sure, possible))
    right = (a * s).sum() + (a * torch.maximum(s, p)).sum()
    return 1 - right / (a.sum() + s.sum())


def sentence_by_sentence(predicted, sure, possible):
    right = total = 0
    for a, s, p in zip(predicted, sure, possible, strict=True):
        right += (a & s).sum() + (a & (p | s)).sum()
        total += a.sum() + s.sum()
    return 1 - right / total


def errors_counted(predicted, sure, possible):
    wrong = (predicted & ~possible & ~sure).sum() + (sure & ~predicted).sum()
    return wrong / (predicted.sum() + sure.sum())


def by_index(predicted, sure, possible):
    made = torch.logical_or(possible, sure)[predicted].sum() + sure[predicted].sum()
    return 1.0 - made / (torch.count_nonzero(predicted) + torch.count_nonzero(sure))


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="alignment_error",
    title="The alignment error rate of a batch",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["error"],
    cases=cases,
    equivalents={
        "possible = sure | possible": "a union has no order",
        "right = (sure & predicted).sum() + (predicted & possible).sum()": "nor an intersection",
        "right = (predicted & sure).sum() + (possible & predicted).sum()": "nor an intersection",
        "right = (predicted & possible).sum() + (predicted & sure).sum()": "nor has a sum",
        "return 1 - right / (sure.sum() + predicted.sum())": "nor has a sum",
    },
    hints=[
        "A model links *pas* to *not*, which is possible and not sure. Should that raise the "
        "error rate, lower it, or leave it?",
        "With booleans, `&` is the intersection, `|` the union, and `.sum()` counts. Which set has "
        "to be made larger before you begin?",
        "First `possible = possible | sure`. Then count the predicted links that are sure, add "
        "those that are possible, divide by the number of predicted links plus the number of sure "
        "ones, and take that from 1. All counts run over the whole batch.",
    ],
    misconceptions=[
        Misconception(
            "sure is not possible",
            _och_and_ney,
            "You count the possible links as they are given. The sure ones count as possible too: "
            "$S$ is part of $P$. So a sure link that was found should count twice.",
            "What is the error rate of a perfect alignment, by your formula?",
            kind="sure-and-possible",
        ),
        Misconception(
            "mean over sentences",
            lambda predicted, sure, possible: _per_sentence(predicted, sure, possible).mean(),
            "You take each sentence's rate, then their mean. So a link in a short sentence counts "
            "for more than one in a long sentence. The rate of a corpus is made of counts over the "
            "whole corpus.",
            "First add up, then divide; or first divide, then add up?",
            kind="averages-anywhere",
        ),
        Misconception(
            "one for each sentence",
            _per_sentence,
            "You return one rate for each sentence. Asked is one number for all.",
            "Over which axes do the counts run?",
            kind="averages-anywhere",
        ),
        Misconception(
            "right for wrong",
            _error(lambda a, s, p: 1 - _och_and_ney(a, s, p)),
            "You return the share that is right. It is an *error* rate: 0 is perfect.",
            "What does your function return for a perfect alignment?",
            kind="opposite",
        ),
        Misconception(
            "precision only",
            _error(lambda a, s, p: 1 - _count(a & p) / _count(a)),
            "You count wrong links among those that the model made. A sure link that is missing "
            "costs nothing then, and a model that makes one safe link is perfect.",
            "Where does the number of sure links enter?",
            kind="half-is-enough",
        ),
        Misconception(
            "recall only",
            _error(lambda a, s, p: 1 - _count(a & s) / _count(s)),
            "You count the sure links that are missing. A wrong link costs nothing then, and a "
            "model that links everything with everything is perfect.",
            "Where does the number of predicted links enter?",
            kind="half-is-enough",
        ),
        Misconception(
            "sure links alone",
            _error(lambda a, s, p: 1 - 2 * _count(a & s) / (_count(a) + _count(s))),
            "You count the sure links twice, and the possible ones never. So a link that is "
            "possible and not sure is an error for you.",
            "Which of the three sets does your formula not use?",
            kind="sure-and-possible",
        ),
        Misconception(
            "possible links as gold",
            _error(lambda a, s, p: 1 - 2 * _count(a & p) / (_count(a) + _count(p))),
            "You treat every possible link as one that must be there. A possible link may be left "
            "out at no cost.",
            "Which set stands in the denominator beside $A$?",
            kind="sure-and-possible",
        ),
        Misconception(
            "possible links below",
            _error(lambda a, s, p: 1 - (_count(a & s) + _count(a & p)) / (_count(a) + _count(p))),
            "Your denominator counts all possible links. Below the line stand the predicted and "
            "the *sure* ones: only those have to be found.",
            "Must a possible link be there?",
            kind="sure-and-possible",
        ),
        Misconception(
            "union below",
            _error(lambda a, s, p: 1 - (_count(a & s) + _count(a & p)) / _count(a | s)),
            "Your denominator counts the links that are predicted *or* sure, each once. In the "
            "formula a link that is both counts twice, as it does above the line.",
            "For a perfect alignment, what is your quotient?",
            kind="sure-and-possible",
        ),
    ],
    variants=[in_sets, as_numbers, sentence_by_sentence, errors_counted, by_index],
)
