"""The task “Join the heads”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, WrongAnswer, YourTurn
from solutions.wrong_pieces import joined_without_turning
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    return [
        Case("two heads of three numbers", {"tensor": draw.numbers(3, 2, 4, 3)}),
        Case("four heads of two numbers", {"tensor": draw.numbers(3, 4, 5, 2)}),
        Case("one head", {"tensor": draw.numbers(2, 1, 3, 4)}),
        Case("heads of one number", {"tensor": draw.numbers(2, 5, 3, 1)}),
        Case("one sentence, one word", {"tensor": draw.numbers(1, 3, 1, 2)}),
        Case("a transposed view", {"tensor": draw.numbers(2, 3, 4, 5).mT}),
        Case("float64", {"tensor": draw.numbers(3, 2, 4, 3).double()}),
    ]


def contiguous_view(x):
    batch, heads, length, width = x.shape
    return x.transpose(1, 2).contiguous().view(batch, length, heads * width)


def end_to_end(tensor):
    return torch.cat(list(tensor.unbind(1)), dim=-1)


def word_by_word(tensor):
    return torch.stack([tensor[:, :, place].flatten(1) for place in range(tensor.shape[2])], 1)


def in_float64(tensor):
    return torch.einsum("bhlw->blhw", tensor.double()).reshape(len(tensor), tensor.shape[2], -1)


def _joined(heads=lambda tensor: [*tensor.unbind(1)], order=lambda heads: heads, axis=-1):
    """Return the right function with some parts replaced."""

    def answer(tensor):
        return torch.cat(order(heads(tensor)), dim=axis)

    return answer


exercise = YourTurn(
    id="join_heads",
    title="Join the heads",
    section="05.2",
    learns=True,
    outputs=["joined"],
    cases=cases,
    mistakes={
        "not turned back": WrongAnswer(
            joined_without_turning,
            "Your shape is right, and the numbers stand in the wrong places: without turning the "
            "axes back, `reshape` mixes words.",
            "Let every word look only at itself: does output 1 then depend on word 1 alone?",
            misconception="shape-is-enough",
        ),
        "mean of the heads": WrongAnswer(
            lambda tensor: tensor.mean(1),
            "You take the mean of the heads. Heads are joined end to end, so that nothing is "
            "lost; an average cannot be taken apart again.",
            "How wide is the result, if each of two heads has three numbers?",
            misconception="heads-as-one",
        ),
        "sum of the heads": WrongAnswer(
            lambda tensor: tensor.sum(1),
            "You add the heads up. Adding comes later, in the output projection, where each head "
            "has columns of its own; here they are put end to end.",
            "How wide is the result, if each of two heads has three numbers?",
            misconception="heads-as-one",
        ),
        "numbers dealt in turn": WrongAnswer(
            lambda tensor: tensor.permute(0, 2, 3, 1).flatten(2),
            "You deal the numbers in turn: the first of each head, then the second of each. A "
            "head's numbers stay side by side.",
            "Which axis must be the last one before two become one?",
            misconception="shape-is-enough",
        ),
        "heads one below the other": WrongAnswer(
            _joined(axis=1),
            "You put the heads one below the other, so the sentence gets longer. They belong side "
            "by side, so that the words get wider.",
            "Does joining add rows or columns?",
            misconception="axes-anywhere",
        ),
        "turned, not joined": WrongAnswer(
            lambda tensor: tensor.transpose(1, 2),
            "You turned the axes back, and the heads still have an axis of their own.",
            "How many axes should the result have?",
            misconception="axes-anywhere",
        ),
        "sentences end to end": WrongAnswer(
            lambda tensor: torch.cat([*tensor], dim=-1),
            "You put the sentences of the batch end to end. It is the heads, the second axis, that "
            "are joined.",
            "Over which axis does a loop over a tensor run?",
            misconception="axes-anywhere",
        ),
        "last head first": WrongAnswer(
            _joined(order=lambda heads: heads[::-1]),
            "Your last head comes first. The heads stay in their order.",
            "Whose numbers should come first in a word of the result?",
            misconception="parts-in-any-order",
        ),
        "first head twice": WrongAnswer(
            _joined(heads=lambda tensor: [tensor[:, 0], *tensor.unbind(1)][: tensor.shape[1]]),
            "Your first head stands there twice, and the last one is missing.",
            "Whose numbers should come second in a word of the result, and whose last?",
            misconception="off-by-one",
        ),
        "words before the batch": WrongAnswer(
            lambda tensor: tensor.permute(2, 0, 1, 3).flatten(2),
            "Your result begins with the words. The batch comes first.",
            "What should `join_heads(…)[0]` be: a word, or a sentence?",
            misconception="axes-anywhere",
        ),
    },
    variants=[contiguous_view, end_to_end, word_by_word, in_float64],
)
