"""A window kept in a ring."""

import torch
import torch.nn.functional as F

from solutions.cases import one_silent
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def inputs(batch, window, width, read, reach=1.5):
        empty = (torch.arange(window) >= read)[:, None]  # what nobody has written yet
        rings = draw.numbers(2, batch, window, width, reach=reach).masked_fill(empty, 9.0)
        return {
            **{name: draw.numbers(batch, width, reach=reach) for name in ("query", "key", "value")},
            "ring_keys": rings[0],
            "ring_values": rings[1],
            "read": read,
        }

    large = {
        name: value.double() if isinstance(value, torch.Tensor) else value
        for name, value in inputs(2, 3, 4, 7, reach=30).items()
    }
    for name in ("key", "ring_keys"):
        large[name] = large[name] - 50_000.0  # scores far above 0 and far below it
    half = inputs(2, 5, 3, 2)
    half["ring_keys"] = one_silent(half["ring_keys"])
    return [
        Case("the first word", inputs(2, 4, 3, 0)),
        Case("the ring is half full, a key of zeros", half),
        Case("the last free place", inputs(1, 4, 2, 3)),
        Case("full: the first word is overwritten", inputs(2, 4, 3, 4)),
        Case("full, the second time round", inputs(2, 3, 5, 8)),
        Case("a window of 1", inputs(3, 1, 4, 6)),
        Case("all sizes alike", inputs(4, 4, 4, 10)),
        Case("large scores", large),
    ]


def _step(
    place=lambda read, window: read % window,
    filled=lambda read, window: min(read + 1, window),
    scale=lambda width, window: width**0.5,
    written=lambda ring: ring,
    kept=lambda before, after: after,
):
    """Return the right function with some parts replaced."""

    def step(query, key, value, ring_keys, ring_values, read):
        window, width = ring_keys.shape[1:]
        keys, values = ring_keys.clone(), ring_values.clone()
        keys[:, place(read, window)], values[:, place(read, window)] = key, value
        seen = filled(read, window)
        scores = torch.einsum("bd,bld->bl", query, keys[:, :seen]) / scale(width, window)
        context = torch.einsum("bl,bld->bd", scores.softmax(-1), values[:, :seen])
        return context, kept(ring_keys, keys), kept(ring_values, values)

    return step


def _shifted(query, key, value, ring_keys, ring_values, read):
    """Keep the words in order: move all of them on by one place."""
    keys = torch.cat([ring_keys[:, 1:], key.unsqueeze(1)], 1)
    values = torch.cat([ring_values[:, 1:], value.unsqueeze(1)], 1)
    seen = min(read + 1, keys.shape[1])
    scores = torch.einsum("bd,bld->bl", query, keys[:, -seen:]) / query.shape[1] ** 0.5
    context = torch.einsum("bl,bld->bd", scores.softmax(-1), values[:, -seen:])
    return context, keys, values


def _shifted_when_full(query, key, value, ring_keys, ring_values, read):
    """Write from the front, and move the words on once all places are taken."""
    step = _shifted if read >= ring_keys.shape[1] else _step()
    return step(query, key, value, ring_keys, ring_values, read)


def _before_it_is_written(query, key, value, ring_keys, ring_values, read):
    """Look at the ring as it came, unless it is empty."""
    context, keys, values = _step()(query, key, value, ring_keys, ring_values, read)
    if read:
        seen = min(read, keys.shape[1])
        scores = torch.einsum("bd,bld->bl", query, ring_keys[:, :seen]) / query.shape[1] ** 0.5
        context = torch.einsum("bl,bld->bd", scores.softmax(-1), ring_values[:, :seen])
    return context, keys, values


def _score_of_zero(query, key, value, ring_keys, ring_values, read):
    """Give empty places a score of 0."""
    _, keys, values = _step()(query, key, value, ring_keys, ring_values, read)
    scores = torch.einsum("bd,bld->bl", query, keys) / query.shape[1] ** 0.5
    scores[:, read + 1 :] = 0
    return torch.einsum("bl,bld->bd", scores.softmax(-1), values), keys, values


def with_a_mask(query, key, value, ring_keys, ring_values, read):
    window = ring_keys.shape[1]
    here = torch.arange(window) == read % window  # (window,)
    keys = torch.where(here[:, None], key.unsqueeze(1), ring_keys)
    values = torch.where(here[:, None], value.unsqueeze(1), ring_values)
    mask = (torch.arange(window) <= read)[None, None]
    context = F.scaled_dot_product_attention(query.unsqueeze(1), keys, values, mask)
    return context.squeeze(1), keys, values


def text_by_text(query, key, value, ring_keys, ring_values, read):
    keys, values, contexts = ring_keys.clone(), ring_values.clone(), []
    for text in range(len(query)):
        keys[text][read % keys.shape[1]] = key[text]
        values[text][read % keys.shape[1]] = value[text]
        number = min(read + 1, keys.shape[1])
        weights = (keys[text][:number] @ query[text] / query.shape[1] ** 0.5).softmax(0)
        contexts.append(weights @ values[text][:number])
    return torch.stack(contexts), keys, values


def by_scatter(query, key, value, ring_keys, ring_values, read):
    batch, window, width = ring_keys.shape
    place = torch.full((batch, 1, width), read % window)
    keys = ring_keys.scatter(1, place, key[:, None])
    values = ring_values.scatter(1, place, value[:, None])
    scores = (keys @ query[:, :, None])[..., 0] / width**0.5
    scores[:, read + 1 :] = -torch.inf
    return (scores.softmax(1)[:, None] @ values)[:, 0], keys, values


exercise = Exercise(
    id="ring_step",
    title="A window in a ring",
    points=4,
    difficulty=2,
    minutes=20,
    section="09.4",
    outputs=["context", "keys", "values"],
    cases=cases,
    hints=[
        "Five words have been read and the ring has four places. Which word stands where? Which of "
        "them may go?",
        "The new word belongs in place `read % window`. Copy the ring first (`clone`), write, then "
        "look, so that the word sees itself. How many places hold a word by now?",
        "`seen = min(read + 1, window)`; scores are `keys[:, :seen] @ query.unsqueeze(-1)`, "
        "divided by the root of the width, (batch, seen, 1). The softmax runs over the places.",
    ],
    mistakes={
        "moved on": WrongAnswer(
            _shifted,
            "You move all words on by one place. In a ring a word stays where it is until it is "
            "overwritten; your shift throws the first word away while places are still empty.",
            "A ring has five places and holds two words. Which one has your shift lost?",
            misconception="parts-in-any-order",
        ),
        "moved on when full": WrongAnswer(
            _shifted_when_full,
            "Once the ring is full you move all words on by one place, so that the new one comes "
            "last. That is a window as well, but it copies the whole cache at every word. In a "
            "ring a word stays where it is until it is overwritten.",
            "Does attention mind in which order the words stand?",
            misconception="parts-in-any-order",
        ),
        "the last place for ever": WrongAnswer(
            _step(place=lambda read, window: min(read, window - 1)),
            "Once the ring is full, each new word overwrites the last place, and the oldest words "
            "stay for ever.",
            "Which word is the oldest one, and where does it stand?",
            misconception="wrong-end",
        ),
        "one place too far": WrongAnswer(
            _step(place=lambda read, window: (read + 1) % window),
            "Your words stand one place too far: in a ring of two places or more, the very first "
            "goes to place 1. `read` counts the words before this one.",
            "How many words have been read when the first one comes?",
            misconception="off-by-one",
        ),
        "empty places looked at": WrongAnswer(
            _step(filled=lambda read, window: window),
            "You look at all places of the ring, also at those that hold no word yet. What stands "
            "there is no key of anybody.",
            "How many words may the second one look at?",
            misconception="row-is-sentence",
        ),
        "a score of 0 for empty places": WrongAnswer(
            _score_of_zero,
            "You give empty places a score of 0, or close to it. That is a score like any other, "
            "and takes a share of the weight.",
            "Which score makes a weight of exactly 0?",
            misconception="low-score-hides",
        ),
        "one place too few": WrongAnswer(
            _step(filled=lambda read, window: max(1, min(read, window))),
            "From the second word on, as long as the ring is not full, you leave out the last "
            "place that is filled: the new word itself.",
            "How many places hold a word after this one has been written?",
            misconception="off-by-one",
        ),
        "looked before writing": WrongAnswer(
            _before_it_is_written,
            "You look at the ring before the new word is in it. So it does not see itself, and in "
            "a full ring it sees one that has just left the window.",
            "Which comes first: writing the new key, or looking?",
            misconception="steps-in-any-order",
        ),
        "ring as it was": WrongAnswer(
            _step(kept=lambda before, after: before),
            "You return the ring that came in. The next word will not find this one in it.",
            "What should have changed in the ring?",
            misconception="stale-value",
        ),
        "no scale": WrongAnswer(
            _step(scale=lambda width, window: 1.0),
            "Your scores are not divided by the root of the width.",
            "What makes the softmax of wide vectors too sharp?",
            misconception="no-scale",
        ),
        "scaled by the window": WrongAnswer(
            _step(scale=lambda width, window: window**0.5),
            "You divide by the root of the window. What counts is the width of the vectors.",
            "How many products are added up in one score?",
            misconception="wrong-width",
        ),
    },
    variants=[with_a_mask, text_by_text, by_scatter],
)
