"""The task “The parameters of a Transformer, by formula”: right answers and known mistakes."""

import torch
from torch import nn

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.model_helpers import count_parameters
from utils.transformer import DecoderBlock, EncoderBlock


def cases(draw: Draw) -> list[Case]:
    def case(label, dim, heads, hidden, layers, words):
        dim = torch.as_tensor(dim)
        sizes = {"dim": dim, "heads": heads, "hidden": hidden, "layers": layers, "words": words}
        return Case(label, sizes)

    def number(low, high):
        return int(draw.whole(low, high))

    return [
        case("by hand: width 2, hidden 3", [2], 1, 3, 1, 5),
        case("the model of the notebook", [48], 4, 192, 2, 157),
        case("the base model of the paper", [512, 1024], 8, 2048, 6, 37_000),
        case("sizes drawn at random", 4 * draw.whole(2, 30, 3), 4, number(9, 99), 7, 321),
        case("no block at all", [6, 8], 2, number(2, 9), 0, number(9, 99)),
    ]


def _count(
    attention=lambda dim, heads: 4 * (dim * dim + dim),
    feed_forward=lambda dim, hidden: 2 * dim * hidden + hidden + dim,
    norm=lambda dim: 2 * dim,
    norms=(2, 3),
    embedding=lambda words, dim: words * dim + words,
    last=True,
):
    """Return an answer that counts one part otherwise."""

    def count(dim, heads, hidden, layers, words):
        looks, thinks = attention(dim, heads), feed_forward(dim, hidden)
        encoder = looks + thinks + norms[0] * norm(dim)
        decoder = 2 * looks + thinks + norms[1] * norm(dim)
        model = layers * encoder + embedding(words, dim) + last * norm(dim)
        return encoder, decoder, model

    return count


def multiplied_out(dim, heads, hidden, layers, words):
    encoder = 4 * dim**2 + 2 * dim * hidden + 9 * dim + hidden
    decoder = encoder + 4 * dim**2 + 6 * dim
    return encoder, decoder, layers * encoder + (words + 2) * dim + words


def built_and_counted(dim, heads, hidden, layers, words):
    rows = []
    for width in dim.tolist():
        parts = [kind(width, heads, hidden) for kind in (EncoderBlock, DecoderBlock)]
        parts += [nn.Linear(width, words, device="meta"), nn.LayerNorm(width)]
        encoder, decoder, output, norm = (count_parameters(part)["total"] for part in parts)
        rows.append([encoder, decoder, encoder * layers + output + norm])
    return torch.tensor(rows).unbind(1)


def by_shapes(dim, heads, hidden, layers, words):
    def size(*shapes):
        return sum(high * wide for high, wide in shapes)

    look = [(dim, dim), (1, dim)] * 4
    think = [(dim, hidden), (1, hidden), (hidden, dim), (1, dim)]
    norm = [(1, dim)] * 2
    encoder = [*look, *think, *norm, *norm]
    return [
        size(*encoder),
        size(*encoder, *look, *norm),
        size(*encoder * layers, *norm, (words, dim), (1, words)),
    ]


exercise = Exercise(
    id="block_parameters",
    title="Count the parameters",
    points=2,
    difficulty=1,
    minutes=10,
    section="08.4",
    outputs=["encoder_block", "decoder_block", "language_model"],
    cases=cases,
    hints=[
        "Which parts has a block, and which of them have a matrix, a bias, or both?",
        "An attention has four matrices of dim × dim, each with a bias; how many heads cut them "
        "makes no difference. The feed-forward network has two matrices of dim × hidden and a "
        "bias behind each. A norm has γ and β.",
        "Encoder block: attention, feed-forward, two norms. Decoder block: an attention and a "
        "norm more. The model: its blocks, the embedding (words × dim) once, a bias of the output "
        "for each word, and one last norm.",
    ],
    mistakes={
        "biases forgotten": WrongAnswer(
            _count(
                attention=lambda dim, heads: 4 * dim * dim,
                feed_forward=lambda dim, hidden: 2 * dim * hidden,
            ),
            "You count the matrices and not their biases.",
            "How many numbers has `nn.Linear(2, 3)`?",
            misconception="biases-by-the-way",
        ),
        "attention with three matrices": WrongAnswer(
            _count(attention=lambda dim, heads: 3 * (dim * dim + dim)),
            "You count three projections for queries, keys and values. The fourth joins the heads.",
            "What happens to the contexts of the heads before they leave the attention?",
            misconception="projection-left-out",
        ),
        "once for every head": WrongAnswer(
            _count(attention=lambda dim, heads: 4 * heads * (dim * dim + dim)),
            "You count the projections once for each head. Heads share the width: together they "
            "have the matrices of one.",
            "How wide is one head?",
            misconception="heads-share-the-width",
        ),
        "thin heads": WrongAnswer(
            _count(attention=lambda dim, heads: 4 * (dim * (dim // heads) + dim)),
            "You count the projections of one head only. Each of the heads has such a slice, and "
            "together they are as wide as the model.",
            "How many heads are there, and how wide are they all together?",
            misconception="heads-share-the-width",
        ),
        "norm without its shift": WrongAnswer(
            _count(norm=lambda dim: dim),
            "Your encoder block is 2 · dim numbers short, as with one number a feature for each "
            "norm. Each has two, γ and β.",
            "What is learned in a layer norm?",
            misconception="half-is-enough",
        ),
        "the second bias forgotten": WrongAnswer(
            _count(feed_forward=lambda dim, hidden: 2 * dim * hidden + hidden),
            "Each of your blocks is `dim` numbers short, as without the bias of the second layer "
            "of the feed-forward network. Each of its two layers has one.",
            "How many numbers has `nn.Linear(hidden, dim)`?",
            misconception="biases-by-the-way",
        ),
        "one bias twice": WrongAnswer(
            _count(feed_forward=lambda dim, hidden: 2 * dim * hidden + 2 * dim),
            "Both biases of your feed-forward network are as wide as the states. The first belongs "
            "to the hidden layer.",
            "How long is what comes out of the first of the two layers?",
            misconception="sizes-always-equal",
        ),
        "two biases of the hidden layer": WrongAnswer(
            _count(feed_forward=lambda dim, hidden: 2 * dim * hidden + 2 * hidden),
            "Both biases of your feed-forward network are as wide as the hidden layer. The second "
            "belongs to the states.",
            "How long is what comes out of the second of the two layers?",
            misconception="sizes-always-equal",
        ),
        "the decoder's third norm": WrongAnswer(
            _count(norms=(2, 2)),
            "Your decoder block is 2 · dim numbers short, as many as a norm has. It has three "
            "layers, and each has a norm of its own.",
            "What stands around the cross-attention?",
            misconception="half-is-enough",
        ),
        "embedding and output apart": WrongAnswer(
            _count(embedding=lambda words, dim: 2 * words * dim + words),
            "You count the word vectors twice. Embedding and output share one matrix here.",
            "What does `self.output.weight = self.embedding.weight` do?",
            misconception="another-task",
        ),
        "the last norm": WrongAnswer(
            _count(last=False),
            "Your language model lacks the norm behind its last block.",
            "What happens in `forward` between the last block and the output?",
            misconception="half-is-enough",
        ),
    },
    variants=[multiplied_out, built_and_counted, by_shapes],
)
