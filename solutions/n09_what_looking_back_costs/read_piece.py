"""A piece of a text, read through a window and sinks."""

import torch
import torch.nn.functional as F

from solutions.cases import doubled, one_silent
from solutions.specification import WHOLE, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.masks import masked_softmax


def cases(draw: Draw) -> list[Case]:
    def inputs(batch, read, new, window, sinks, width=3, reach=1.5):
        kept = min(read, sinks + window - 1)  # what is left of the words read before
        drawn = {
            name: draw.numbers(batch, new, width, reach=reach)
            for name in ("queries", "keys", "values")
        }
        for name in ("past_keys", "past_values"):
            drawn[name] = draw.numbers(batch, kept, width, reach=reach)
        return {**drawn, "window": window, "sinks": sinks}

    silent = inputs(2, 12, 3, 4, 2)
    silent["keys"] = one_silent(silent["keys"])
    large = doubled(inputs(2, 9, 3, 3, 1, width=4, reach=30))
    for name in ("keys", "past_keys"):
        large[name] = large[name] - 50_000.0  # scores far above 0 and far below it
    return [
        Case("the beginning of two texts", inputs(2, 0, 6, 3, 1)),
        Case("the next piece of a long text, a key of zeros", silent),
        Case("a piece longer than the window", inputs(1, 9, 7, 3, 2)),
        Case("no sinks", inputs(2, 8, 4, 3, 0)),
        Case("one word", inputs(3, 11, 1, 5, 2)),
        Case("two sinks are still to come", inputs(2, 1, 4, 2, 3)),
        Case("a text shorter than the window", inputs(1, 2, 3, 9, 2)),
        Case("a window of 1", inputs(2, 6, 3, 1, 2)),
        Case("a window of 1 and no sinks", inputs(1, 4, 3, 1, 0)),
        Case("all sizes alike", inputs(4, 9, 4, 4, 1, width=4)),
        Case("large scores", large),
    ]


def _right_mask(back, places, window, sinks):
    return (back >= 0) & ((back < window) | (places < sinks))


def _right_rest(places, window, sinks):
    return places[(places < sinks) | (len(places) - places < window)]


def _read(mask=_right_mask, rest=_right_rest, weigh=masked_softmax, cut_first=False, begin=None):
    """Return an answer with some parts replaced.

    Args:
        mask: function of the distances, the places in the cache, window and sinks.
        rest: function of the places, window and sinks that returns those that are kept.
        weigh: function of scores and mask that returns the weights.
        cut_first: whether the cache is cut before the new words look.
        begin: place of the first new word; if None, behind those that are kept.
    """

    def read_piece(queries, keys, values, past_keys, past_values, window, sinks):
        keys, values = torch.cat([past_keys, keys], 1), torch.cat([past_values, values], 1)
        places = torch.arange(keys.shape[1])
        first = past_keys.shape[1] if begin is None else begin
        own = torch.arange(first, first + queries.shape[1])
        kept = rest(places, window, sinks)
        seen = kept if cut_first else places
        open_ = mask(own[:, None] - seen, seen, window, sinks)
        scores = torch.einsum("btd,bsd->bts", queries, keys[:, seen]) / queries.shape[2] ** 0.5
        context = torch.einsum("bts,bsd->btd", weigh(scores, open_), values[:, seen])
        return context, keys[:, kept], values[:, kept]

    return read_piece


def _cut_to_the_last(weigh):
    """Return an answer that reads the last `window + sinks` of the joined words alone."""

    def read_piece(queries, keys, values, past_keys, past_values, window, sinks):
        joined = torch.cat([past_keys, keys], 1), torch.cat([past_values, values], 1)
        seen = [each[:, -(window + sinks) :] for each in joined]
        begin = seen[0].shape[1] - queries.shape[1]  # below 0 in a long piece
        nothing = keys[:, :0], values[:, :0]
        return _read(weigh=weigh, begin=begin)(queries, *seen, *nothing, window, sinks)

    return read_piece


def _to_minus_infinity(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


def _cache_open_to_all(back, places, window, sinks):
    kept = len(places) - len(back)
    return _right_mask(back, places, window, sinks) | (places < kept)


def _twice(places, window, sinks):
    return torch.cat([places[:sinks], places[max(0, len(places) - window + 1) :]])


def word_by_word(queries, keys, values, past_keys, past_values, window, sinks):
    contexts = []
    for word in range(queries.shape[1]):
        past_keys = torch.cat([past_keys, keys[:, word : word + 1]], dim=1)
        past_values = torch.cat([past_values, values[:, word : word + 1]], dim=1)
        scores = past_keys @ queries[:, word].unsqueeze(-1) / queries.shape[-1] ** 0.5
        contexts.append((scores.softmax(1) * past_values).sum(1))
        if past_keys.shape[1] == sinks + window:  # the first one behind the sinks goes
            past_keys = torch.cat([past_keys[:, :sinks], past_keys[:, sinks + 1 :]], dim=1)
            past_values = torch.cat([past_values[:, :sinks], past_values[:, sinks + 1 :]], dim=1)
    return torch.stack(contexts, dim=1), past_keys, past_values


def with_the_fast_kernel(queries, keys, values, past_keys, past_values, window, sinks):
    kept, new = past_keys.shape[1], queries.shape[1]
    keys, values = torch.cat([past_keys, keys], 1), torch.cat([past_values, values], 1)
    mask = torch.ones(new, kept + new, dtype=torch.bool).triu(kept - window + 1)
    mask[:, :sinks] = True
    context = F.scaled_dot_product_attention(queries, keys, values, mask.tril(kept))
    tail = max(sinks, kept + new - (window - 1))
    rests = (torch.cat([each[:, :sinks], each[:, tail:]], dim=1) for each in (keys, values))
    return context, *rests


def row_by_row(queries, keys, values, past_keys, past_values, window, sinks):
    kept, new = past_keys.shape[1], queries.shape[1]
    keys, values = torch.cat([past_keys, keys], 1), torch.cat([past_values, values], 1)
    contexts = torch.zeros_like(queries)
    for word in range(new):
        here = kept + word
        seen = [s for s in range(here + 1) if s < sinks or s > here - window]
        scores = torch.einsum("bd,bsd->bs", queries[:, word], keys[:, seen])
        weights = (scores / queries.shape[2] ** 0.5).softmax(-1)
        contexts[:, word] = torch.einsum("bs,bsd->bd", weights, values[:, seen])
    stays = [s for s in range(kept + new) if s < sinks or s > kept + new - window]
    return contexts, keys[:, stays], values[:, stays]


exercise = Exercise(
    id="read_piece",
    title="A piece behind a window",
    points=4,
    difficulty=3,
    minutes=25,
    section="09.4",
    outputs=["context", "kept_keys", "kept_values"],
    cases=cases,
    hints=[
        "Put the kept words and the new ones side by side. How far back from a new word does each "
        "of them lie? And when may a word be thrown away: before the new ones have looked, or "
        "after?",
        "`places = torch.arange(kept + new)`; the new words stand at the last `new` of them. A "
        "cell is open if it does not lie ahead, and lies within the window *or* is a sink. What "
        "is kept is what the next word will see, without the next word itself.",
        "`back = places[-new:, None] - places`, (new, kept + new), and `mask = (back >= 0) & "
        "((back < window) | (places < sinks))`. When the context is there: `stays = (places < "
        "sinks) | (len(places) - places < window)`, and `keys[:, stays]`.",
    ],
    mistakes={
        "cut before looking": WrongAnswer(
            _read(cut_first=True, weigh=_to_minus_infinity),
            "You cut the cache before the new words have looked. What the last of them needs no "
            "more, the first may still need: words of its window may be gone, in a long piece "
            "even itself.",
            "How far back does the window of the *first* new word reach?",
            misconception="stale-value",
            also={"empty rows get 0": _read(cut_first=True)},
        ),
        "cut to the last words": WrongAnswer(
            _cut_to_the_last(_to_minus_infinity),
            "You throw words away before the new ones have looked: the sinks, as soon as the text "
            "is long, and in a longer piece words that the first of the new ones still needs.",
            "Where in the joined keys do the sinks stand?",
            misconception="stale-value",
            also={"empty rows get 0": _cut_to_the_last(masked_softmax)},
        ),
        "the triangle in the wrong corner": WrongAnswer(
            _read(begin=0),
            "Your mask counts the new words from 0, as if nothing stood before them. They stand "
            "behind all that is kept: the *last* rows of the large mask are theirs.",
            "Two words are kept. At which place of the joined keys does the first new word stand?",
            misconception="places-begin-at-zero",
            also={
                "without the window": _read(
                    mask=lambda back, places, window, sinks: back >= 0, begin=0
                )
            },
        ),
        "the cache open to all": WrongAnswer(
            _read(mask=_cache_open_to_all),
            "All your new words see all that is kept. The window moves on with each of them, and "
            "leaves the oldest kept words behind.",
            "Which kept words does the *last* new word still see?",
            misconception="half-is-enough",
        ),
        "no window": WrongAnswer(
            _read(mask=lambda back, places, window, sinks: back >= 0),
            "Your new words look back as far as the keys go: your mask is the causal one alone. "
            "Within a piece the window ends, too.",
            "In a piece of seven words with a window of 3 and no sinks, what does the last one "
            "see?",
            misconception="half-is-enough",
        ),
        "W words before": WrongAnswer(
            _read(
                mask=lambda back, places, window, sinks: _right_mask(
                    back, places, window + 1, sinks
                )
            ),
            "Your new words see themselves and W words before them. A window of W counts the word "
            "itself.",
            "With a window of 1 and no sinks, what does a word see?",
            misconception="off-by-one",
            also={
                "and keeps them": _read(
                    mask=lambda back, places, window, sinks: _right_mask(
                        back, places, window + 1, sinks
                    ),
                    rest=lambda places, window, sinks: _right_rest(places, window + 1, sinks),
                )
            },
        ),
        "sinks ahead": WrongAnswer(
            _read(
                mask=lambda back, places, window, sinks: (
                    ((back >= 0) & (back < window)) | (places < sinks)
                )
            ),
            "Your sinks are open to every word, also to those that stand before them. At the "
            "beginning of a text the first words look ahead.",
            "With three sinks, what may the very first word of a text see?",
            misconception="future-open",
        ),
        "sinks shut": WrongAnswer(
            _read(mask=lambda back, places, window, sinks: (back >= 0) & (back < window)),
            "A word whose window has left the sinks behind does not see them: your mask knows the "
            "window alone.",
            "Which arguments does your mask depend on?",
            misconception="half-is-enough",
        ),
        "one word too many kept": WrongAnswer(
            _read(rest=lambda places, window, sinks: _right_rest(places, window + 1, sinks)),
            "Of the newest words you keep W. The next word brings itself, so W - 1 of them are "
            "all that its window can hold.",
            "With a window of 1 and no sinks, what has to be kept?",
            misconception="off-by-one",
        ),
        "kept twice": WrongAnswer(
            _read(rest=_twice),
            "While the text is short, its first words are among its last ones, and you keep them "
            "twice: once as sinks, once in the window.",
            "Two sinks, a window of 9, five words read: how many are kept?",
            misconception="sizes-always-equal",
            also={
                "and all, if the window is 1": _read(
                    rest=lambda places, window, sinks: torch.cat(
                        [places[:sinks], places[-(window - 1) :]]
                    )
                )
            },
        ),
        "minus nothing": WrongAnswer(
            _read(
                rest=lambda places, window, sinks: (
                    places if window == 1 else _right_rest(places, window, sinks)
                )
            ),
            "With a window of 1 you keep all words. If you cut with a minus: in Python `[-0:]` is "
            "`[0:]`, the whole list.",
            "What does `[1, 2, 3][-n:]` give for n = 1, and for n = 0?",
            misconception="off-by-one",
        ),
        "sinks at the window's cost": WrongAnswer(
            _read(
                rest=lambda places, window, sinks: _right_rest(
                    places, max(window - sinks, 1), sinks
                )
            ),
            "You count the sinks among the W - 1 words that are kept. They are kept beside the "
            "window, so the next word misses the oldest words of its own.",
            "How many words does a word far down in the text see, itself included?",
            misconception="another-task",
        ),
        "the oldest kept": WrongAnswer(
            _read(rest=lambda places, window, sinks: places[: sinks + window - 1]),
            "You keep the right number of words, and the wrong ones: the oldest. The next word's "
            "window holds the newest words before it, and of the old ones only the sinks stay.",
            "Ten words have been read, the window is 3 and there are no sinks. Which two are kept?",
            misconception="wrong-end",
        ),
    },
    equivalents={"mask = (back >= -0.001) & ((back < window) | (places < sinks))": WHOLE},
    variants=[word_by_word, with_the_fast_kernel, row_by_row],
)
