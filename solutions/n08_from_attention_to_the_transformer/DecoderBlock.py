"""The task “A decoder block”: right answers and known mistakes."""

from functools import partial

import torch
from torch import nn

from solutions.cases import in_double, padded
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import changed
from utils import transformer
from utils.attention import MultiHeadAttention
from utils.checks.tasks import Case
from utils.masks import causal_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, lengths, tgt_len, dim, heads, hidden, reach=0.6):
        build = {"dim": dim, "heads": heads, "hidden": hidden}
        inputs = {
            "x": draw.numbers(len(lengths), tgt_len, dim, reach=2),
            "source": draw.numbers(len(lengths), max(lengths), dim, reach=2),
            "source_mask": padded(lengths, max(lengths)).unsqueeze(1),
        }
        shapes = {name: value.shape for name, value in _Block(**build).state_dict().items()}
        parameters = {name: draw.numbers(*shape, reach=reach) for name, shape in shapes.items()}
        return Case(label, inputs, build, parameters)

    return [
        case("two sentences, sources of four words and two", [4, 2], 3, 4, 2, 6),
        case("more target words than source words", [2, 3], 5, 6, 3, 4),
        case("one word to write", [3, 1, 2], 1, 4, 2, 5),
        case("one source word", [1, 1], 4, 4, 1, 3),
        case("as many sentences as words", [3, 1, 2], 3, 6, 2, 8),
        in_double(case("one sentence, in float64", [5], 4, 8, 4, 6)),
        in_double(case("large parameters", [4, 3], 4, 4, 2, 6, reach=3)),
    ]


class _Block(nn.Module):
    """A right block in steps that wrong answers replace."""

    order = (0, 1, 2)  # of the layers

    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.cross = MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(3))

    def mask(self, length):
        return causal_mask(length)

    def look_back(self, y):
        return self.attention(y, y, mask=self.mask(y.shape[1]))[0]

    def look_across(self, y, source, source_mask):
        return self.cross(y, source, mask=source_mask)[0]

    def add(self, norm, x, layer):
        return x + layer(norm(x))

    def forward(self, x, source, source_mask):
        look_across = partial(self.look_across, source=source, source_mask=source_mask)
        layers = self.look_back, look_across, self.feed_forward
        for place in self.order:
            x = self.add(self.norms[place], x, layers[place])
        return x


class _OneWithout(_Block):
    """A block in which one of the three layers replaces its input."""

    place = 0

    def add(self, norm, x, layer):
        return layer(norm(x)) + (0 if norm is self.norms[self.place] else x)


class _NormsByPlace(_Block):
    """A block with its layers in another order, where each place has the norm of its number."""

    def forward(self, x, source, source_mask):
        look_across = partial(self.look_across, source=source, source_mask=source_mask)
        layers = self.look_back, look_across, self.feed_forward
        for norm, place in zip(self.norms, self.order, strict=True):
            x = self.add(norm, x, layers[place])
        return x


class _NormAtTheEnd(_Block):
    place = 2

    def forward(self, x, source, source_mask):
        return self.norms[self.place](super().forward(x, source, source_mask))


class _AllOfTheOldX(_Block):
    def forward(self, x, source, source_mask):
        first, second, third = (norm(x) for norm in self.norms)
        across = self.look_across(second, source, source_mask)
        return x + self.look_back(first) + across + self.feed_forward(third)


class _QueriesAlone(_Block):
    def forward(self, x, source, source_mask):
        context, _ = self.attention(self.norms[0](x), x, mask=self.mask(x.shape[1]))
        x = x + context
        x = self.add(self.norms[1], x, lambda y: self.look_across(y, source, source_mask))
        return self.add(self.norms[2], x, self.feed_forward)


class _Parts(_Block):
    """The layers alone; a subclass defines `forward`."""


def _across_a_triangle(self, y, source, source_mask):
    triangle = torch.ones(y.shape[1], source.shape[1]).tril() > 0
    return self.cross(y, source, mask=source_mask & triangle)[0]


class LineByLine(_Parts):
    def forward(self, x, source, source_mask):
        seen = torch.arange(x.shape[1])
        normed = self.norms[0](x)
        context, _ = self.attention(normed, normed, normed, mask=seen[:, None] >= seen)
        x = x + context
        context, _ = self.cross(self.norms[1](x), source, source, source_mask)
        x = x + context
        hidden = self.feed_forward[0](self.norms[2](x)).clamp(min=0)
        return x + self.feed_forward[2](hidden)


class WithEinsum(_Parts):
    def mix(self, attention, query, keys, mask):
        cut = (query.shape[-1] // attention.heads, attention.heads)
        q, k, v = (
            layer(words).unflatten(-1, (attention.heads, cut[0]))
            for layer, words in (
                (attention.W_q, query),
                (attention.W_k, keys),
                (attention.W_v, keys),
            )
        )  # (batch, len, heads, head_dim)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / cut[0] ** 0.5
        weights = scores.masked_fill(~mask.unsqueeze(-3), -1e30).softmax(-1)
        return attention.W_o(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))

    def forward(self, x, source, source_mask):
        y, seen = self.norms[0](x), torch.ones(x.shape[1], x.shape[1]).tril() > 0
        x = self.mix(self.attention, y, y, seen) + x
        x = self.mix(self.cross, self.norms[1](x), source, source_mask) + x
        return self.feed_forward(self.norms[2](x)) + x


class WordByWord(_Parts):
    def forward(self, x, source, source_mask):
        memory = self.cross.remember(source, mask=source_mask)
        words = []
        for place in range(x.shape[1]):
            normed = self.norms[0](x[:, : place + 1])
            word = x[:, place] + self.attention(normed[:, -1], normed)[0]
            word = word + self.cross.attend(self.norms[1](word), memory)[0]
            words.append(word + self.feed_forward(self.norms[2](word)))
        return torch.stack(words, dim=1)


class WithTheCourse(_Parts):
    def forward(self, x, source, source_mask):
        dim, heads = x.shape[-1], self.attention.heads
        block = transformer.DecoderBlock(dim, heads, self.feed_forward[0].out_features)
        block.attention, block.cross = self.attention, self.cross
        block.feed_forward = self.feed_forward
        block.norms = nn.ModuleList(self.norms[place] for place in (0, 2, 1))
        return block(x, causal_mask(x.shape[1]), source, source_mask)


exercise = Exercise(
    id="DecoderBlock",
    title="A decoder block",
    points=5,
    difficulty=3,
    minutes=30,
    section="08.3",
    learns=True,
    answer_type="module",
    outputs=["states"],
    shortcuts=["TransformerDecoderLayer", "MultiheadAttention", "scaled_dot_product_attention"],
    cases=cases,
    hints=[
        "Three layers, one after the other. For each: what are the queries, what the keys and "
        "values, and who may see whom?",
        "Each layer is `x = x + layer(norm(x))` with a norm of its own. In self-attention, query "
        "and keys are the *same* normalised words, under `causal_mask(x.shape[1])`. In "
        "cross-attention the query is the normalised target; the source comes as it is.",
        "`y = self.norms[0](x)`, then `x = x + self.attention(y, y, mask=causal_mask(…))[0]`; "
        "`x = x + self.cross(self.norms[1](x), source, mask=source_mask)[0]`; and last "
        "`x + self.feed_forward(self.norms[2](x))`.",
    ],
    mistakes={
        "no causal mask": WrongAnswer(
            changed(_Block, mask=lambda self, length: torch.ones(length, length).bool()),
            "Every word sees the words behind it. In training it would read there what it is "
            "asked to predict.",
            "Change the last word of `x`: which rows of the result should notice?",
            misconception="future-open",
        ),
        "mask turned round": WrongAnswer(
            changed(_Block, mask=lambda self, length: causal_mask(length).T),
            "Your causal mask is the wrong way round: each word sees what comes after it, "
            "and nothing of what came before.",
            "Which cells of the first row should be open?",
            misconception="opposite",
            also={
                "without itself": changed(_Block, mask=lambda self, length: ~causal_mask(length))
            },
        ),
        "one word ahead": WrongAnswer(
            changed(_Block, mask=lambda self, length: torch.ones(length, length).tril(1).bool()),
            "Your mask is open one column too far: each word sees the next one, which is exactly "
            "the one it has to predict.",
            "How many cells of the first row should be open?",
            misconception="off-by-one",
        ),
        "not itself": WrongAnswer(
            changed(_Block, mask=lambda self, length: torch.ones(length, length).tril(-1).bool()),
            "Your mask hides the diagonal: no word sees itself, and the first sees nothing at all.",
            "How many cells of the first row should be open?",
            misconception="off-by-one",
        ),
        "post-norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: norm(x + layer(x))),
            "You normalise behind the sum, as the paper of 2017 did. Here the norm comes before "
            "each layer, and nothing interrupts the sum.",
            "What is added to x in `x + layer(norm(x))`?",
            misconception="steps-in-any-order",
        ),
        "no residual": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: layer(norm(x))),
            "Each of your layers replaces its input. It should add to it.",
            "What should come out if all matrices of the block are 0?",
            misconception="half-is-enough",
        ),
        "one layer without a residual": WrongAnswer(
            _OneWithout,
            "One of your layers replaces its input, where it should add to it.",
            "Of each of the three layers: what is its result added to?",
            misconception="half-is-enough",
            also={
                "the cross-attention": changed(_OneWithout, place=1),
                "the last": changed(_OneWithout, place=2),
            },
        ),
        "residual around the norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: norm(x) + layer(norm(x))),
            "You add a layer to the *normalised* words. The sum carries x as it came.",
            "What should come out if all matrices of the block are 0?",
            misconception="stale-value",
            also={
                "in the first layer": changed(
                    _Block,
                    add=lambda self, norm, x, layer: (
                        (norm(x) if norm is self.norms[0] else x) + layer(norm(x))
                    ),
                )
            },
        ),
        "no norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: x + layer(x)),
            "Your layers read their words without a norm.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "source normalised": WrongAnswer(
            changed(
                _Block,
                look_across=lambda self, y, source, source_mask: self.cross(
                    y, self.norms[1](source), mask=source_mask
                )[0],
            ),
            "You normalise the source along with the target. The norm of this layer belongs to "
            "the words that ask; the encoder has normalised its states itself.",
            "What are the keys and values of the cross-attention?",
            misconception="who-asks",
        ),
        "padding read": WrongAnswer(
            changed(
                _Block, look_across=lambda self, y, source, source_mask: self.cross(y, source)[0]
            ),
            "The mask of the source has no effect on your cross-attention, so words look at the "
            "padding of a shorter source.",
            "Which input says where a source ends?",
            misconception="padding-is-harmless",
        ),
        "padding alone read": WrongAnswer(
            changed(
                _Block,
                look_across=lambda self, y, source, source_mask: self.cross(
                    y, source, mask=~source_mask
                )[0],
            ),
            "Your source mask is inverted: only the padding is looked at.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
        ),
        "no cross-attention": WrongAnswer(
            changed(_Block, order=(0, 2)),
            "The source has no effect on your result.",
            "Which of the three layers should read the source?",
            misconception="input-unused",
        ),
        "cross-attention last": WrongAnswer(
            changed(_Block, order=(0, 2, 1)),
            "Your feed-forward network comes before the cross-attention, so it cannot work on "
            "what is found there.",
            "Which of the three layers should come last?",
            misconception="steps-in-any-order",
            also={
                "under the second norm": changed(_NormsByPlace, order=(0, 2, 1)),
            },
        ),
        "cross-attention first": WrongAnswer(
            changed(_Block, order=(1, 0, 2)),
            "Your cross-attention comes before the self-attention, so each word asks the source "
            "before it knows what stands in front of it.",
            "Which of the three layers should come first?",
            misconception="steps-in-any-order",
            also={
                "under the first norm": changed(_NormsByPlace, order=(1, 0, 2)),
            },
        ),
        "a norm at the end": WrongAnswer(
            _NormAtTheEnd,
            "You normalise what comes out. The sum leaves the block as it is: the next block "
            "normalises what it reads.",
            "What should come out if all matrices of the block are 0?",
            misconception="another-task",
        ),
        "all layers read the same x": WrongAnswer(
            _AllOfTheOldX,
            "All three layers read the x that came in. Each should read what the one before it has "
            "made.",
            "Which x is normalised for the cross-attention?",
            misconception="stale-value",
        ),
        "queries alone normalised": WrongAnswer(
            _QueriesAlone,
            "In your self-attention the queries are normalised, and keys and values are not. All "
            "three are made of the same words.",
            "What does self-attention look at?",
            misconception="half-is-enough",
        ),
        "source cut by the triangle": WrongAnswer(
            changed(_Block, look_across=_across_a_triangle),
            "Word t of the target sees only the first t + 1 words of the source: the causal "
            "triangle lies over the source, too. The whole source is known from the beginning.",
            "When the first word is written, how much of the source has been read?",
            misconception="masks-everywhere",
        ),
    },
    variants=[LineByLine, WithEinsum, WordByWord, WithTheCourse],
)
