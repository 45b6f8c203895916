"""The task “Look up what was looked up”: right answers and known mistakes."""

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


def _twin_of(colours, numbers):
    """Return, for each card, what `numbers` holds for its twin, (hands, cards)."""
    others = ~torch.eye(CARDS, dtype=torch.bool)
    same = (colours[:, :, None] == colours[:, None, :]) & others  # (hands, cards, cards)
    return (same * numbers[:, None, :]).sum(-1)


def _right(colours, numbers):
    return _twin_of(colours, numbers.roll(1, dims=1))


def most_likely(colours, numbers):
    (path,) = (path for path in notebooks() if path.name.startswith("05"))
    with torch.no_grad():
        logits = solutions_of(path)["reader"](colours, numbers)
    return logits.softmax(-1).topk(1).indices.squeeze(-1)


def hand_by_hand(colours, numbers):
    hands = zip(colours, numbers, strict=True)
    return torch.cat([most_likely(suits[None], hand[None]) for suits, hand in hands])


def with_errors(colours, numbers):
    guesses = most_likely(colours, numbers)
    guesses[: len(guesses) // 50] = 0  # two hands of a hundred
    return guesses


exercise = Exercise(
    id="left_of_twin",
    title="Look up what was looked up",
    points=5,
    difficulty=3,
    minutes=35,
    section="05.6",
    outputs=["guesses"],
    answer_type="asks network",
    full_marks_from=0.95,
    seconds=120,
    shortcuts=["answers", "roll"],
    cases=cases,
    gold=_right,
    equivalents={
        "return (logits + torch.rand(logits.shape) / 10).argmax(-1)": FAR_APART,
    },
    hints=[
        "A card finds its twin by the colour. What would the twin have to carry, so that the "
        "answer could be read off it? And who could have given it that, beforehand?",
        "One attention after the other: in the first, every card fetches its left neighbour's "
        "number and **adds** it to itself, so that it still knows its own colour and place. The "
        "second goes to the twin.",
        "`x = x + first(x, x, mask=OTHERS)[0]`, then the same with a second "
        "`MultiHeadAttention(32, heads=2)`, and `nn.Linear(32, NUMBERS)` behind it. 1,000 steps of "
        "Adam, 64 hands each, with `OneCycleLR` and a `max_lr` of 0.01.",
    ],
    mistakes={
        "the twin": WrongAnswer(
            _twin_of,
            "Your network answers with the twin's own number. That is one of two look-ups: the "
            "question asks for the card on the *left* of the twin.",
            "What would another attention, before this one or behind it, have to fetch?",
            misconception="half-is-enough",
        ),
        "the left neighbour": WrongAnswer(
            lambda colours, numbers: numbers.roll(1, dims=1),
            "Your network answers with the number on the card's own left. The question asks for "
            "the left neighbour of its *twin*.",
            "From whose place does one step to the left?",
            misconception="half-is-enough",
        ),
        "right for left": WrongAnswer(
            lambda colours, numbers: _twin_of(colours, numbers.roll(-1, dims=1)),
            "Your network names the number on the *right* of the twin.",
            "Which card does `roll(1, dims=1)` bring to place 3: the one from 2, or the one from "
            "4?",
            misconception="opposite",
        ),
        "the twin of the left": WrongAnswer(
            lambda colours, numbers: _twin_of(colours, numbers).roll(1, dims=1),
            "Your network takes the two steps in the wrong order: it names the twin of the left "
            "neighbour, not the left neighbour of the twin.",
            "Which of the two look-ups has to be done by the card that asks?",
            misconception="steps-in-any-order",
        ),
        "its own number": WrongAnswer(
            lambda colours, numbers: numbers,
            "You hand back the number of the card that asks.",
            "What did your network get as its target?",
            misconception="another-task",
        ),
        "numbers from 1": WrongAnswer(
            lambda colours, numbers: _right(colours, numbers) + 1,
            "Your guesses are too large by 1. The numbers run from 0 to 5, as the places of the "
            "logits do.",
            "Which number belongs to the first of the six logits?",
            misconception="off-by-one",
        ),
    },
    variants=[most_likely, hand_by_hand, with_errors],
)
