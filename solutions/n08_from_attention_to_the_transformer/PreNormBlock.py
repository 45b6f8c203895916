"""The task “An encoder block with pre-norm”: right answers and known mistakes."""

import torch
from torch import nn

from solutions.cases import in_double
from solutions.specification import Draw, WrongAnswer, YourTurn
from solutions.wrong_pieces import changed
from utils.attention import MultiHeadAttention
from utils.checks.tasks import Case
from utils.masks import causal_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, length, dim, heads, hidden):
        build = {"dim": dim, "heads": heads, "hidden": hidden}
        inputs = {"x": draw.numbers(batch, length, dim, reach=2), "mask": causal_mask(length)}
        shapes = {name: value.shape for name, value in _Block(**build).state_dict().items()}
        parameters = {name: draw.numbers(*shape, reach=0.6) for name, shape in shapes.items()}
        return Case(label, inputs, build, parameters)

    return [
        case("two sentences of three words", 2, 3, 4, 2, 6),
        case("one word", 1, 1, 4, 2, 5),
        case("five words, three heads", 1, 5, 6, 3, 4),
        in_double(case("one head, in float64", 2, 4, 4, 1, 8)),
    ]


class _Block(nn.Module):
    """A right block in steps that wrong answers replace."""

    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(2))

    def look(self, y, mask):
        return self.attention(y, y, mask=mask)[0]

    def add(self, norm, x, layer):
        return x + layer(norm(x))

    def forward(self, x, mask):
        x = self.add(self.norms[0], x, lambda y: self.look(y, mask))
        return self.add(self.norms[1], x, self.feed_forward)


class FirstTheNames(_Block):
    def forward(self, x, mask):
        normed = self.norms[0](x)
        context, _ = self.attention(normed, normed, normed, mask)
        after = context + x
        hidden = self.feed_forward[0](self.norms[1](after)).clamp(min=0)
        return after + self.feed_forward[2](hidden)


class WordByWord(_Block):
    def forward(self, x, mask):
        words = []
        for place in range(x.shape[1]):
            y = self.norms[0](x)
            word = x[:, place] + self.attention(y[:, place], y, mask=mask[place : place + 1])[0]
            words.append(word + self.feed_forward(self.norms[1](word)))
        return torch.stack(words, dim=1)


exercise = YourTurn(
    id="PreNormBlock",
    title="A block with pre-norm",
    section="08.3",
    learns=True,
    answer_type="module",
    outputs=["states"],
    cases=cases,
    mistakes={
        "no mask": WrongAnswer(
            changed(_Block, look=lambda self, y, mask: self.attention(y, y)[0]),
            "The mask has no effect, so every word sees the words behind it.",
            "Which argument of the attention says what a word may see?",
            misconception="future-open",
        ),
        "post-norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: norm(x + layer(x))),
            "You normalise behind the sum. With pre-norm the norm comes before each layer, and "
            "nothing interrupts the sum.",
            "What is added to x in `x + layer(norm(x))`?",
            misconception="steps-in-any-order",
        ),
        "no residual": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: layer(norm(x))),
            "Each of your layers replaces its input. It should add to it.",
            "What should come out if all matrices of the block are 0?",
            misconception="half-is-enough",
        ),
        "residual around the norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: norm(x) + layer(norm(x))),
            "You add a layer to the *normalised* words. The sum carries x as it came.",
            "Which x is the result of a layer added to?",
            misconception="stale-value",
        ),
        "no norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: x + layer(x)),
            "Your layers read their words without a norm.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
    },
    variants=[FirstTheNames, WordByWord],
)
