"""The task “Split into heads”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, WrongAnswer, YourTurn
from solutions.wrong_pieces import split_into_heads
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, tensor, heads):
        return Case(label, {"tensor": tensor, "heads": heads})

    return [
        case("two heads of three numbers", draw.numbers(3, 4, 6), 2),
        case("four heads of two numbers", draw.numbers(3, 5, 8), 4),
        case("one head", draw.numbers(2, 3, 4), 1),
        case("heads of one number", draw.numbers(2, 3, 5), 5),
        case("one sentence, one word", draw.numbers(1, 1, 6), 3),
        case("a transposed view", draw.numbers(2, 6, 4).mT, 2),
        case("float64", draw.numbers(3, 2, 6).double(), 2),
    ]


def view_and_transpose(x, heads):
    batch, length, dim = x.shape
    return x.contiguous().view(batch, length, heads, dim // heads).transpose(1, 2)


def head_by_head(tensor, heads):
    width = tensor.shape[-1] // heads
    slices = [tensor[..., head * width : (head + 1) * width] for head in range(heads)]
    return torch.stack(slices, dim=1)


def chunks(tensor, heads):
    return torch.stack(tensor.chunk(heads, dim=-1), 1)


def in_float64(tensor, heads):
    cut = tensor.double().reshape(*tensor.shape[:2], heads, -1)
    return torch.einsum("blhw->bhlw", cut)


exercise = YourTurn(
    id="split_heads",
    title="Split into heads",
    section="05.2",
    learns=True,
    outputs=["split"],
    cases=cases,
    mistakes={
        "view alone": WrongAnswer(
            lambda tensor, heads: tensor.reshape(len(tensor), heads, tensor.shape[1], -1),
            "The numbers stand in the wrong places, whatever the shape: `view` alone cuts the "
            "*sentence* into parts, not the width. Rows of a head hold pieces of other words.",
            "In row 1 of head 2: whose numbers stand there, and whose should?",
            misconception="shape-is-enough",
        ),
        "heads behind the words": WrongAnswer(
            lambda tensor, heads: tensor.unflatten(-1, (heads, -1)),
            "The heads still stand behind the words, so that `@` would multiply heads with heads.",
            "On which two axes does attention work, and what has to stand before them?",
            misconception="axes-anywhere",
        ),
        "every second number": WrongAnswer(
            lambda tensor, heads: tensor.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2),
            "Your heads take turns: with two heads, one has numbers 1, 3, 5, the other 2, 4, 6. A "
            "head's numbers lie side by side.",
            "Which of the two new axes runs faster, the head or the number within the head?",
            misconception="shape-is-enough",
        ),
        "heads and widths exchanged": WrongAnswer(
            lambda tensor, heads: tensor.unflatten(-1, (-1, heads)).transpose(1, 2),
            "You made heads that are as *wide* as there should be many. The sizes of the two new "
            "axes are exchanged.",
            "With width 6 and 2 heads: how wide is a head?",
            misconception="heads-share-the-width",
        ),
        "heads before the batch": WrongAnswer(
            lambda tensor, heads: tensor.unflatten(-1, (heads, -1)).permute(2, 0, 1, 3),
            "Your heads come before the batch. The batch stays the first axis.",
            "What should `split_heads(…)[0]` be: a head, or a sentence?",
            misconception="axes-anywhere",
        ),
        "heads inside the batch": WrongAnswer(
            lambda tensor, heads: split_into_heads(tensor, heads).flatten(0, 1),
            "You put heads and batch into one axis. Some libraries do; here each has its own.",
            "How many axes should the result have?",
            misconception="axes-anywhere",
        ),
        "words and numbers exchanged": WrongAnswer(
            lambda tensor, heads: tensor.unflatten(-1, (heads, -1)).permute(0, 2, 3, 1),
            "In each head, rows and columns are exchanged: a row should be a word.",
            "Which two axes did you mean to exchange?",
            misconception="axes-anywhere",
        ),
    },
    variants=[view_and_transpose, head_by_head, chunks, in_float64],
)
