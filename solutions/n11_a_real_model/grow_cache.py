"""Keys and values of new tokens, put behind those of the tokens before, and the mask."""

import torch

from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, kv_heads, before, new, width):
        made = [
            draw.numbers(batch, kv_heads, length, width) for length in (before, before, new, new)
        ]
        names = ("past_keys", "past_values", "keys", "values")
        return Case(label, dict(zip(names, made, strict=True)))

    return [
        case("three new tokens after two", 1, 2, 2, 3, 2),
        case("one new token after four", 2, 1, 4, 1, 3),
        case("nothing is kept yet", 1, 2, 0, 4, 2),
        case("two after two", 2, 2, 2, 2, 2),
        case("four after one, two texts", 2, 3, 1, 4, 2),
    ]


def by_places(past_keys, past_values, keys, values):
    keys = torch.cat((past_keys, keys), -2)
    values = torch.cat((past_values, values), -2)
    places = torch.arange(keys.shape[-2])
    return keys, values, places <= places[past_keys.shape[-2] :, None]


def open_and_triangle(past_keys, past_values, keys, values):
    written, new = past_keys.size(2), keys.size(2)
    parts = [torch.ones(new, written).bool(), torch.ones(new, new).tril().bool()]
    both = [torch.cat(pair, dim=2) for pair in ((past_keys, keys), (past_values, values))]
    return *both, torch.cat(parts, dim=1)


def row_by_row(past_keys, past_values, keys, values):
    written, new = past_keys.shape[2], keys.shape[2]
    rows = [[place <= written + row for place in range(written + new)] for row in range(new)]
    joined = torch.cat([torch.stack([past_keys, past_values]), torch.stack([keys, values])], dim=3)
    return joined[0], joined[1], torch.tensor(rows)


def _grow(
    join=lambda past, new: torch.cat([past, new], dim=2),
    mask=lambda every, new: torch.ones(every, every).tril().bool()[every - new :],
    values_from=lambda keys, values: values,
):
    """Return an answer, right unless one of its steps is replaced."""

    def grow_cache(past_keys, past_values, keys, values):
        new, values = keys.shape[2], values_from(keys, values)
        keys, values = join(past_keys, keys), join(past_values, values)
        every = past_keys.shape[2] + new
        return keys, values, mask(every, new)

    return grow_cache


exercise = YourTurn(
    id="grow_cache",
    title="A cache that grows",
    section="11.3",
    outputs=["keys", "values", "mask"],
    cases=cases,
    mistakes={
        "first rows": WrongAnswer(
            _grow(mask=lambda every, new: torch.ones(every, every).tril().bool()[:new]),
            "Your mask has the first rows of the large one. The new tokens are the *last* ones: "
            "their rows are open for all that is kept.",
            "Which row of the causal mask is the first new token's, if two stand before it?",
            misconception="wrong-end",
        ),
        "all open": WrongAnswer(
            _grow(mask=lambda every, new: torch.ones(new, every).bool()),
            "Your mask is open everywhere, so a new token sees the new ones behind it.",
            "Is a mask needed for one new token? And for three?",
            misconception="future-open",
        ),
        "open by one": WrongAnswer(
            _grow(mask=lambda every, new: torch.ones(every, every).tril(1).bool()[every - new :]),
            "Each new token sees the one behind it, which it is to predict.",
            "How many places may the first token of a text see?",
            misconception="off-by-one",
        ),
        "closed for what is kept": WrongAnswer(
            _grow(
                mask=lambda every, new: (
                    torch.ones(new, every).tril(every - new).bool()
                    & (torch.arange(every) >= every - new)
                )
            ),
            "Your new tokens see each other, and nothing of what is kept.",
            "What is the cache for?",
            misconception="opposite",
        ),
        "columns of the new ones alone": WrongAnswer(
            _grow(mask=lambda every, new: torch.ones(new, new).tril().bool()),
            "Your mask has columns for the new tokens alone. It has one for each key, also for "
            "those kept.",
            "How many keys does a new token meet?",
            misconception="half-is-enough",
        ),
        "a row for every token": WrongAnswer(
            _grow(mask=lambda every, new: torch.ones(every, every).tril().bool()),
            "Your mask has a row for every token. Only the new ones look.",
            "How many queries come with the new tokens?",
            misconception="who-asks",
        ),
        "counted after joining": WrongAnswer(
            _grow(
                mask=lambda every, new: torch.ones(every, 2 * every - new).tril(every - new).bool()
            ),
            "In your mask all keys count as new ones, and those kept are counted again: `keys` may "
            "have been joined before you read its length.",
            "At which line do you read the length of `keys`?",
            misconception="stale-value",
        ),
        "not itself": WrongAnswer(
            _grow(mask=lambda every, new: torch.ones(every, every).tril(-1).bool()[every - new :]),
            "Your tokens see those before them, and not themselves.",
            "What does the first token of a text look at?",
            misconception="off-by-one",
        ),
        "hidden where it should be open": WrongAnswer(
            _grow(mask=lambda every, new: torch.ones(every, every).triu(1).bool()[every - new :]),
            "Your mask is True where nobody may look. Here True opens a place.",
            "Which places may the last token see?",
            misconception="mask-upside-down",
        ),
        "in front": WrongAnswer(
            _grow(join=lambda past, new: torch.cat([new, past], dim=2)),
            "You put what is new in front of what is kept, which is then no longer in the order "
            "of the text.",
            "In which order does `torch.cat` join what it is given?",
            misconception="parts-in-any-order",
        ),
        "keys for values": WrongAnswer(
            _grow(values_from=lambda keys, values: keys),
            "You keep the new *keys* among the values too.",
            "How many different tensors go into your two caches?",
            misconception="keys-handed-out",
        ),
    },
    variants=[by_places, open_and_triangle, row_by_row],
)
