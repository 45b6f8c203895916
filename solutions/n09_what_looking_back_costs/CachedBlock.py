"""A block that reads on from a cache."""

import torch
from torch import nn

from solutions.cases import in_double
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import changed
from utils.attention import Memory, MultiHeadAttention
from utils.checks.tasks import Case
from utils.masks import causal_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, new, written, dim, heads, hidden):
        build = {"dim": dim, "heads": heads, "hidden": hidden}
        past = draw.numbers(2, batch, heads, written, dim // heads, reach=2)
        inputs = {
            "x": draw.numbers(batch, new, dim, reach=2),
            "past_keys": past[0],
            "past_values": past[1],
        }
        shapes = {name: value.shape for name, value in _Block(**build).state_dict().items()}
        parameters = {name: draw.numbers(*shape, reach=0.6) for name, shape in shapes.items()}
        return Case(label, inputs, build, parameters)

    return [
        case("one new word after three", 2, 1, 3, 4, 2, 6),
        case("three new words after two", 1, 3, 2, 6, 3, 8),
        case("the whole text at once: nothing is written yet", 2, 4, 0, 4, 2, 6),
        case("the first word", 1, 1, 0, 4, 1, 5),
        case("two new words after five, two sentences", 2, 2, 5, 8, 4, 6),
        in_double(case("in float64", 3, 3, 3, 6, 3, 6)),
    ]


class _Block(nn.Module):
    """A right block in steps that wrong answers replace."""

    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(2))

    def rows(self, new, all_words):
        return causal_mask(all_words)[all_words - new :]

    def grow(self, past, new):
        return torch.cat([past, new], dim=2)

    def remember(self, x, y):
        return self.attention.remember(y)

    def seen(self, past, grown):
        return grown

    def kept(self, past, grown):
        return grown

    def add(self, norm, x, layer):
        return x + layer(norm(x))

    def forward(self, x, past_keys, past_values):
        def look(y):
            new = self.remember(x, y)
            grown.append(self.grow(past_keys, new.keys))
            grown.append(self.grow(past_values, new.values))
            seen = self.seen(past_keys, grown[0]), self.seen(past_values, grown[1])
            memory = Memory(*seen, self.rows(x.shape[1], seen[0].shape[2]))
            return self.attention.attend(y, memory)[0]

        grown = []  # keys and values
        after = self.add(self.norms[0], x, look)
        states = self.add(self.norms[1], after, self.feed_forward)
        return states, self.kept(past_keys, grown[0]), self.kept(past_values, grown[1])


def _replaced_by(place):
    """Return a block in which one layer replaces its input."""

    def add(self, norm, x, layer):
        return layer(norm(x)) + (0 if norm is self.norms[place] else x)

    return changed(_Block, add=add)


def _around_the_norm(*places):
    """Return a block in which some layers are added to the normalised words."""

    def add(self, norm, x, layer):
        normed = norm(x)
        inside = any(norm is self.norms[place] for place in places)
        return (normed if inside else x) + layer(normed)

    return changed(_Block, add=add)


class WordByWord(_Block):
    """Reads several words one after the other."""

    def forward(self, x, past_keys, past_values):
        states = []
        for word in x.split(1, dim=1):
            y = self.norms[0](word)
            keys, values, _ = self.attention.remember(y)
            past_keys = torch.cat([past_keys, keys], dim=2)
            past_values = torch.cat([past_values, values], dim=2)
            context, _ = self.attention.attend(y, Memory(past_keys, past_values, None))
            word = word + context
            states.append(word + self.feed_forward(self.norms[1](word)))
        return torch.cat(states, dim=1), past_keys, past_values


class FromTheLayers(_Block):
    """Uses the projections of the attention by themselves."""

    def forward(self, x, past_keys, past_values):
        mha, y = self.attention, self.norms[0](x)
        q, k, v = (mha.split_heads(layer(y)) for layer in (mha.W_q, mha.W_k, mha.W_v))
        k, v = torch.cat([past_keys, k], 2), torch.cat([past_values, v], 2)
        place = torch.arange(k.shape[2])
        open_cells = place <= place[past_keys.shape[2] :, None]
        context = nn.functional.scaled_dot_product_attention(q, k, v, open_cells)
        x = x + mha.W_o(mha.join_heads(context))
        return x + self.feed_forward(self.norms[1](x)), k, v


class TwoMasks(_Block):
    """Puts the mask together from an open part and a triangle."""

    def forward(self, x, past_keys, past_values):
        first, second = self.norms
        y, new, written = first(x), x.shape[1], past_keys.shape[2]
        memory = self.attention.remember(y)
        keys = torch.cat((past_keys, memory.keys), dim=-2)
        values = torch.cat((past_values, memory.values), dim=-2)
        mask = torch.cat([torch.ones(new, written).bool(), torch.ones(new, new).tril().bool()], 1)
        z = x + self.attention.attend(y, Memory(keys, values, mask), return_weights=None)[0]
        return z + self.feed_forward(second(z)), keys, values


exercise = Exercise(
    id="CachedBlock",
    title="Ten times as cheap",
    points=6,
    difficulty=3,
    minutes=40,
    section="09.4",
    answer_type="module",
    outputs=["states", "keys", "values"],
    cases=cases,
    hints=[
        "Three new words come after two that are in the cache. Which words may each of the three "
        "look at? Write the mask down, 3 rows and 5 columns.",
        "`self.attention.remember(y)` gives keys and values of the new words, (batch, heads, new, "
        "head_dim). Join them behind the cache along axis 2. The mask is the *last* rows of the "
        "large causal mask.",
        "`memory = Memory(keys, values, causal_mask(keys.shape[2])[-x.shape[1] :])`, then "
        "`x + self.attention.attend(y, memory)[0]`, then the feed-forward network with its norm as "
        "in every block. Return the states, and all keys and values.",
    ],
    mistakes={
        "triangle at the top": WrongAnswer(
            changed(_Block, rows=lambda self, new, all_words: causal_mask(all_words)[:new]),
            "Your new words have the first rows of the large mask. The new words are the *last* "
            "ones: their rows are open for all that is in the cache.",
            "Which row of the causal mask is the first new word's, if two words stand before it?",
            misconception="wrong-end",
        ),
        "no mask": WrongAnswer(
            changed(_Block, rows=lambda self, new, all_words: None),
            "The new words look at each other without a mask, so the first of them sees those "
            "behind it.",
            "Is a mask needed for one new word? And for three?",
            misconception="future-open",
        ),
        "cache not looked at": WrongAnswer(
            changed(_Block, seen=lambda self, past, grown: grown[:, :, past.shape[2] :]),
            "Your new words look at themselves alone. What is in the cache is read by nobody.",
            "What is the cache for?",
            misconception="input-unused",
        ),
        "cache as it was": WrongAnswer(
            changed(_Block, kept=lambda self, past, grown: past),
            "You return the cache that came in. The next words will not find these in it.",
            "How many keys should there be after this call?",
            misconception="stale-value",
        ),
        "only the new ones kept": WrongAnswer(
            changed(_Block, kept=lambda self, past, grown: grown[:, :, past.shape[2] :]),
            "You return what the new words bring, without what was in the cache. The next words "
            "need all.",
            "How many keys should there be after this call?",
            misconception="half-is-enough",
        ),
        "in front": WrongAnswer(
            changed(_Block, grow=lambda self, past, new: torch.cat([new, past], dim=2)),
            "Your new words stand in front of those of the cache. Then the words are no longer in "
            "their order, and the mask does not fit them.",
            "In which order does `torch.cat` join what it is given?",
            misconception="parts-in-any-order",
        ),
        "keys without the norm": WrongAnswer(
            changed(_Block, remember=lambda self, x, y: self.attention.remember(x)),
            "Your keys and values are made of `x` as it came, the queries of the normalised words. "
            "All three come from the normalised ones.",
            "What does the attention of a block with pre-norm read?",
            misconception="half-is-enough",
        ),
        "no residual": WrongAnswer(
            changed(
                _Block,
                forward=lambda self, x, past_keys, past_values: (
                    _Block.forward(self, x, past_keys, past_values)[0] - x,
                    *_Block.forward(self, x, past_keys, past_values)[1:],
                ),
            ),
            "What came in is missing from your states: each layer adds to its input.",
            "What should come out if all matrices of the block are 0?",
            misconception="half-is-enough",
            also={
                "around any layer": changed(_Block, add=lambda self, norm, x, layer: layer(norm(x)))
            },
        ),
        "no residual around the attention": WrongAnswer(
            _replaced_by(0),
            "Your attention replaces its input, where it should add to it.",
            "What should stand behind the attention if its matrices are 0?",
            misconception="half-is-enough",
        ),
        "no residual around the network": WrongAnswer(
            _replaced_by(1),
            "Your feed-forward network replaces its input, where it should add to it.",
            "What should come out of the block if the network returns 0?",
            misconception="half-is-enough",
        ),
        "post-norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: norm(x + layer(x))),
            "You normalise behind the sum. With pre-norm the norm comes before each layer, and "
            "nothing interrupts the sum.",
            "What is added to x in `x + layer(norm(x))`?",
            misconception="steps-in-any-order",
        ),
        "residual around the norm": WrongAnswer(
            _around_the_norm(0, 1),
            "You add a layer to the *normalised* words. The sum carries x as it came.",
            "Which x is the result of a layer added to?",
            misconception="stale-value",
            also={
                "in the attention": _around_the_norm(0),
                "in the network": _around_the_norm(1),
            },
        ),
        "second norm forgotten": WrongAnswer(
            changed(
                _Block,
                add=lambda self, norm, x, layer: x + layer(x if norm is self.norms[1] else norm(x)),
            ),
            "Your feed-forward network reads its words without a norm. The second one is there "
            "for it.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "no norm": WrongAnswer(
            changed(_Block, add=lambda self, norm, x, layer: x + layer(x)),
            "Your layers read their words without a norm.",
            "Which of the parts made in `__init__` have no effect on your result?",
            misconception="projection-left-out",
        ),
        "a mask at the beginning alone": WrongAnswer(
            changed(
                _Block,
                rows=lambda self, new, all_words: (
                    causal_mask(new) if new == all_words else torch.ones(new, all_words).bool()
                ),
            ),
            "Where something is written already, your new words see each other, ahead as well. "
            "Only a single new word needs no mask.",
            "Three new words come after two. What may the first of them see?",
            misconception="future-open",
        ),
        "no mask at the beginning": WrongAnswer(
            changed(
                _Block,
                rows=lambda self, new, all_words: (
                    torch.ones(new, new).bool()
                    if new == all_words
                    else causal_mask(all_words)[all_words - new :]
                ),
            ),
            "Where nothing is written yet, your words see each other, ahead as well: the beginning "
            "of a text is read otherwise than in training.",
            "Four words come at once and nothing stands before them. What may the first see?",
            misconception="future-open",
        ),
    },
    variants=[WordByWord, FromTheLayers, TwoMasks],
)
