"""Items on notebook 10, where am I, and do I need a softmax?"""

from solutions.item import Item, code, number
from solutions.items._draws import pick, some

# --- the-same-score


def _two_places(draw):
    first, second = some(draw, range(1, 15), 2)
    return {"first": first, "second": second, "later": int(draw.whole(2, 30))}


def _pair(query, key):
    return f"query at {query}, key at {key}"


# --- partner-of-an-entry


def _entry(draw):
    width = pick(draw, [8, 12, 16, 24, 32])
    return {
        "width": width,
        "entry": int(draw.whole(0, width - 1)),
        "layout": pick(draw, ["neighbours", "the two halves"]),
    }


def partner(width, entry, layout):
    return entry ^ 1 if layout == "neighbours" else (entry + width // 2) % width


def of_the_other_layout(width, entry, layout):
    return partner(width, entry, "halves" if layout == "neighbours" else "neighbours")


# --- place-of-a-new-word


def _new_word(draw):
    past, names = int(draw.whole(5, 40)), pick(draw, ["new", "x"])
    counts_on = bool(draw.whole(0, 1))
    span = f"{past}, {past} + {names}.shape[1]" if counts_on else f"{names}.shape[1]"
    lines = f"places = torch.arange({span})\nquery = turn({names} @ W_q, places)"
    return {"lines": lines, "past": past, "key": int(draw.whole(1, past - 2)), "counts": counts_on}


def _how_far(back):
    places = "1 place" if abs(back) == 1 else f"{abs(back)} places"
    return f"{places} {'back' if back >= 0 else 'ahead'}"


# --- written-twice


def _writes(draw):
    first, other, last = (2 * value for value in some(draw, range(1, 12), 3))
    return {
        "first": first,
        "other": other,
        "last": last,
        "rule": pick(draw, ["the plain sum", "the delta rule, β = 1"]),
    }


def read(first, last, rule):
    return first + last if rule == "the plain sum" else last


ITEMS = [
    Item(
        id="the-same-score",
        section="10.1",
        text="With rotary positions a query at place {first} and a key at place {second} have a "
        "certain score. Where do the same two vectors, before they are turned, have it as well?",
        draw=_two_places,
        right=lambda first, second, later: _pair(first + later, second + later),
        wrong={
            "constant-factor": lambda first, second, later: _pair(second + later, first + later),
            "turned-again": lambda first, second: _pair(2 * first, 2 * second),
            "half-is-enough": lambda first, second, later: _pair(first + later, second),
        },
        why="The score knows the distance between the two, and on which side; both have to move "
        "by the same number of places.",
    ),
    Item(
        id="partner-of-an-entry",
        section="10.1",
        text="A head of width {width} has rotary positions that pair {layout}. With which entry "
        "does entry {entry} turn? (Counted from 0.)",
        draw=_entry,
        right=partner,
        wrong={
            "layouts-alike": of_the_other_layout,
            "wrong-end": lambda width, entry: width - 1 - entry,
        },
        result=lambda entry: f"entry {entry}",
        why="Neighbours are entries 2i and 2i + 1; the halves pair entry i with entry i + d/2. "
        "Weights have to be read in the layout that they were trained with.",
    ),
    Item(
        id="place-of-a-new-word",
        section="10.1",
        text="The cache holds the turned keys of places 0 to {last}. These lines turn the query of "
        "one new word. How far from it does its score take the key of place {key} to be?",
        draw=lambda draw: (drawn := _new_word(draw)) | {"last": drawn["past"] - 1},
        shows={"lines": code},
        right=lambda past, key, counts: _how_far((past if counts else 0) - key),
        wrong={
            "places-begin-at-zero": lambda past, key, counts: _how_far(
                (0 if counts else past) - key
            ),
            "off-by-one": [
                lambda past, key, counts: _how_far((past if counts else 0) - key - 1),
                lambda past, key, counts: _how_far((0 if counts else past) - key - 1),
            ],
        },
        why="The score sees the difference of the two places that were used for turning. "
        "`arange` of a single word begins at 0, unless it is told how many came before.",
    ),
    Item(
        id="written-twice",
        section="10.4",
        text="Linear attention (no φ, no z) starts with an empty state and writes by {rule}: "
        "{first} under one key, {other} under a key at right angles to it, {last} under the first "
        "key again. What does the first key read? (Keys have length 1.)",
        draw=_writes,
        right=read,
        wrong={
            "scores-alike": lambda first, last, rule: (
                last if rule == "the plain sum" else first + last
            ),
            "averages-anywhere": lambda first, last: (first + last) / 2,
            "stale-value": lambda first: first,
        },
        result=number(0),
        why="The plain sum adds each value to what stands there. The delta rule writes the "
        "difference, so that with β = 1 the newest value alone is read.",
    ),
]
