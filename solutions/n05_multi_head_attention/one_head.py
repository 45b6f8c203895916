"""One head, another readout."""

import torch

from solutions.build import notebooks, solutions_of
from solutions.specification import FAR_APART, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case

CARDS, COLOURS, NUMBERS = 8, 4, 6


def cases(draw: Draw) -> list[Case]:
    def case(label, hands):
        order = torch.stack([draw.order(CARDS) for _ in range(hands)])  # (hands, cards)
        numbers = draw.whole(0, NUMBERS - 1, hands, CARDS)
        return Case(label, {"colours": order % COLOURS, "numbers": numbers})

    return [case("300 hands", 300), case("one hand alone", 1)]


def _left(numbers):
    return numbers.roll(1, dims=1)


def _twin(colours, numbers):
    others = ~torch.eye(CARDS, dtype=torch.bool)
    same = (colours[:, :, None] == colours[:, None, :]) & others  # (hands, cards, cards)
    return (same * numbers[:, None, :]).sum(-1)


def _guesses(left, twin):
    """Return a function that guesses like this, as a network may have learned to."""

    def guess(colours, numbers):
        return torch.stack([left(colours, numbers), twin(colours, numbers)], dim=-1)

    return guess


def _at_left(colours, numbers):
    return _left(numbers)


_right = _guesses(_at_left, _twin)


def without_an_error(colours, numbers):
    return _right(colours, numbers)


def with_errors(colours, numbers):
    guesses = _right(colours, numbers)
    guesses[: len(guesses) // 25] = 0  # four hands of a hundred
    return guesses


def card_by_card(colours, numbers):
    guesses = [
        [
            [
                hand[card - 1],
                next(hand[o] for o in range(CARDS) if o != card and suit[o] == suit[card]),
            ]
            for card in range(CARDS)
        ]
        for suit, hand in zip(colours.tolist(), numbers.tolist(), strict=True)
    ]
    return torch.tensor(guesses)


def most_likely(colours, numbers):
    (path,) = (path for path in notebooks() if path.name.startswith("05"))
    with torch.no_grad():
        logits = solutions_of(path)["reader"](colours, numbers)
    return logits.softmax(-1).topk(1).indices.squeeze(-1)


exercise = Exercise(
    id="one_head",
    title="One head, another readout",
    points=5,
    difficulty=3,
    minutes=35,
    section="05.8",
    outputs=["guesses"],
    full_marks_from=0.95,
    seconds=120,
    shortcuts=["answers", "roll"],
    cases=cases,
    gold=_right,
    equivalents={
        "return (logits + torch.rand(logits.shape) / 10).argmax(-1)": FAR_APART,
    },
    hints=[
        "Print the share of right answers for *left* and for *twin* by themselves. Is one near 1 "
        "and the other near 0.3? Then your readout is as good as linear. Are both low? Then it is "
        "the training.",
        "Two linear layers with nothing between them are one linear layer. And a readout with a "
        "ReLU wants more than 300 steps, with a learning rate that rises to 0.01 and falls again.",
        "`nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 12))`, `torch.optim.Adam`, and "
        "1,000 times: `hands = deal(64)`, the cross-entropy of `reader(*hands).flatten(0, 2)` and "
        "`answers(*hands).flatten()`, `zero_grad`, `backward`, `step`. `OneCycleLR` with a "
        "`max_lr` of 0.01 makes the rate rise and fall.",
    ],
    mistakes={
        "one answer to both questions": WrongAnswer(
            _guesses(_twin, _twin),
            "Your network answers *twin* and says the same for *left*, which is right by luck. So "
            "does every linear readout of one average.",
            "What stands between the layers of your readout?",
            misconception="nonlinearity-left-out",
        ),
        "left for both": WrongAnswer(
            _guesses(_at_left, _at_left),
            "Your network answers *left* and says the same for *twin*, which is right by luck. So "
            "does every linear readout of one average.",
            "What stands between the layers of your readout?",
            misconception="nonlinearity-left-out",
        ),
        "questions exchanged": WrongAnswer(
            _guesses(_twin, _at_left),
            "You answer both questions, and hand the answers over in the wrong order: *left* comes "
            "first, then *twin*.",
            "What does `answers` stack, and in which order?",
            misconception="parts-in-any-order",
        ),
        "right for left": WrongAnswer(
            _guesses(lambda colours, numbers: numbers.roll(-1, dims=1), _twin),
            "Your *left* names the number on the right neighbour.",
            "Which card does `roll(1, dims=1)` bring to place 3: the one from 2, or the one from "
            "4?",
            misconception="opposite",
        ),
        "its own number": WrongAnswer(
            _guesses(lambda colours, numbers: numbers, lambda colours, numbers: numbers),
            "You hand back the number of the card that asks.",
            "What did your network get as its target?",
            misconception="another-task",
        ),
        "numbers from 1": WrongAnswer(
            lambda colours, numbers: _right(colours, numbers) + 1,
            "Your guesses are all too large by 1. The numbers run from 0 to 5, as the places of "
            "the logits do.",
            "Which number belongs to the first of the six logits?",
            misconception="off-by-one",
        ),
    },
    variants=[without_an_error, with_errors, card_by_card, most_likely],
)
