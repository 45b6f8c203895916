"""The task “The loss of a language model”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import far_down
from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, length, words, reach=3.0):
        tokens = draw.whole(0, words - 1, batch, length)
        tokens[0, :3] = torch.tensor([0, 1, 2])  # so that shifts in either direction differ
        logits = draw.numbers(batch, length, words, reach=reach)
        return Case(label, {"logits": logits, "tokens": tokens})

    large = case("large logits, some far below 0, in float64", 2, 5, 6, reach=30)
    return [
        case("two texts of four tokens", 2, 4, 5),
        case("one text of six tokens", 1, 6, 4),
        case("three tokens", 3, 3, 7),
        Case(large.label, large.inputs | {"logits": far_down(large.inputs["logits"])}),
    ]


def _loss(
    scores=lambda logits: logits[:, :-1], targets=lambda tokens: tokens[:, 1:], by=F.nll_loss
):
    """Return an answer with one part replaced."""

    def loss(logits, tokens):
        chances = scores(logits).log_softmax(-1).flatten(0, 1)
        return by(chances, targets(tokens).flatten())

    return loss


_sum = _loss(by=lambda chances, targets: F.nll_loss(chances, targets, reduction="sum"))


def _softmax_twice(logits, tokens):
    chances = logits[:, :-1].softmax(-1).flatten(0, 1)
    return F.cross_entropy(chances, tokens[:, 1:].flatten())


def axis_in_the_middle(logits, tokens):
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:])


def gathered(logits, tokens):
    chances = logits.softmax(-1)[:, :-1]
    right = chances.double().gather(-1, tokens[:, 1:].unsqueeze(-1)).squeeze(-1)
    return -(right + 1e-300).log().mean()


def with_logsumexp(logits, tokens):
    rows = logits[:, :-1]
    right = rows.gather(-1, tokens[:, 1:, None])[..., 0]
    return (rows.logsumexp(-1) - right).mean()


exercise = YourTurn(
    id="next_token_loss",
    title="The loss of a language model",
    section="08.4",
    learns=True,
    outputs=["loss"],
    cases=cases,
    mistakes={
        "no shift": WrongAnswer(
            _loss(lambda logits: logits, lambda tokens: tokens),
            "Each position is to predict the token that it has just read. A model learns that in "
            "no time, and can then only repeat what it is told.",
            "Which token does the first position have to predict?",
            misconception="off-by-one",
        ),
        "shifted the wrong way": WrongAnswer(
            _loss(lambda logits: logits[:, 1:], lambda tokens: tokens[:, :-1]),
            "Each position is to predict the token *before* it, which it has read already.",
            "Which token does the first position have to predict?",
            misconception="off-by-one",
        ),
        "shifted round the end": WrongAnswer(
            _loss(lambda logits: logits, lambda tokens: tokens.roll(-1, 1)),
            "The last position is to predict the beginning of its own text, as when `roll` brings "
            "the first token to the end. It has no next token: leave it out.",
            "How many predictions does a text of four tokens allow?",
            misconception="off-by-one",
        ),
        "softmax twice": WrongAnswer(
            _softmax_twice,
            "The softmax is taken twice in your loss: `F.cross_entropy` takes one itself. As "
            "scores between 0 and 1, probabilities come out nearly even: the loss stays above log "
            "V - 1, however good the model is.",
            "What does `F.cross_entropy` want, logits or probabilities?",
            misconception="steps-in-any-order",
        ),
        "summed": WrongAnswer(
            _sum,
            "You add up the losses of all positions. The mean does not depend on how many there "
            "are.",
            "What happens to your number if the batch is twice as large?",
            misconception="averages-anywhere",
        ),
        "divided by all positions": WrongAnswer(
            lambda logits, tokens: _sum(logits, tokens) / tokens.numel(),
            "Your loss is divided by the number of all positions. The last of each text predicts "
            "nothing, so it does not count.",
            "How many predictions does a text of four tokens allow?",
            misconception="off-by-one",
        ),
    },
    variants=[axis_in_the_middle, with_logsumexp, gathered],
)
