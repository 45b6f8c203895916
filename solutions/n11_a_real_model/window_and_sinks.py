"""The task “A window and a sink”: right answers and known mistakes."""

import torch

from solutions.specification import WHOLE, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.masks import causal_mask, window_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, starts, length, window, sinks):
        inputs = {"starts": torch.tensor(starts), "length": length}
        return Case(label, inputs | {"window": window, "sinks": sinks})

    def some(low, high):
        return int(draw.whole(low, high))

    return [
        case("no padding, a window of 3, one sink", [0, 0], 7, 3, 1),
        case("texts that begin at 0, 2 and 4", [0, 2, 4], 8, 2, 1),
        case("no sinks", [0, 3], 6, 2, 0),
        case("two sinks", [1, 0, 3], 9, 3, 2),
        case("a window of 1", [0, 2], 6, 1, 1),
        case("a window wider than the text", [0, 3], 5, 9, 2),
        case("more sinks than tokens", [0, 3], 5, 2, 4),
        case("a text of one token", [4, 1], 5, 2, 1),
        case("drawn", [some(0, 2), some(3, 5), some(0, 7)], some(9, 11), some(2, 4), some(1, 3)),
    ]


def _mask(
    near=lambda back, window: back < window,
    first=lambda places, starts, sinks: places < starts + sinks,
    past=lambda back: back >= 0,
    there=lambda places, starts: places >= starts,
    join=lambda near, first: near | first,
    finish=lambda mask: mask,
):
    """Return an answer with one part replaced."""

    def window_and_sinks(starts, length, window, sinks):
        places, starts = torch.arange(length), starts[:, None, None]
        back = places[:, None] - places  # (length, length)
        seen = join(near(back, window), first(places, starts, sinks))
        return finish(past(back) & seen & there(places, starts))

    return window_and_sinks


def _rows_of_padding_shut(answer):
    """Return an answer with the rows of padding shut, and all else as in another."""

    def window_and_sinks(starts, length, window, sinks):
        queries = torch.arange(length)[:, None]
        return answer(starts, length, window, sinks) & (queries >= starts[:, None, None])

    return window_and_sinks


FUTURE = _mask(past=lambda back: back == back)
ON_BOTH_SIDES = _mask(past=lambda back: back == back, near=lambda back, window: back.abs() < window)


def _sinks_ahead(starts, length, window, sinks):
    ahead = _mask(past=lambda back: back == back, near=lambda back, window: back != back)
    return _mask()(starts, length, window, sinks) | ahead(starts, length, window, sinks)


def _padding_sees_itself(starts, length, window, sinks):
    return _mask()(starts, length, window, sinks) | torch.eye(length, dtype=torch.bool)


def _shortened(starts, length, window, sinks):
    return _mask(near=lambda back, window: back < window - sinks)(starts, length, window, sinks)


def with_the_course(starts, length, window, sinks):
    places = torch.arange(length)
    near = window_mask(places, length, window - 1)
    real = places >= starts[:, None]
    first = real & (places < (starts + sinks)[:, None])
    return causal_mask(length) & (near | first[:, None]) & real[:, None]


def text_by_text(starts, length, window, sinks):
    masks = []
    for start in starts.tolist():
        mask = torch.zeros(length, length, dtype=torch.bool)
        for query in range(start, length):
            mask[query, start : min(start + sinks, query + 1)] = True
            mask[query, max(start, query - window + 1) : query + 1] = True
        masks.append(mask)
    return torch.stack(masks)


def with_triangles(starts, length, window, sinks):
    ones = torch.ones(len(starts), length, length, dtype=torch.bool)
    keys = torch.arange(length).expand(len(starts), 1, length)
    begins = starts.view(-1, 1, 1)
    band = ones.tril().triu(1 - window)
    sink = ones.tril() & (keys - begins < sinks)
    return torch.logical_and(torch.logical_or(band, sink), keys.ge(begins))


exercise = Exercise(
    id="window_and_sinks",
    title="A window and a sink",
    points=3,
    difficulty=2,
    minutes=15,
    section="11.6",
    outputs=["mask"],
    cases=cases,
    equivalents={"return (back >= -0.001) & near & (places >= starts)": WHOLE},
    hints=[
        "Take one text that begins at place 2, a window of 2 and one sink. Write down the row of "
        "the token at place 5: which cells are open?",
        "Four conditions: the key is not ahead; it is near *or* among the first; and it is no "
        "padding. `starts[:, None, None]` has the shape that meets places (length,) and distances "
        "(length, length).",
        "`back = places[:, None] - places`, and then "
        "`(back >= 0) & ((back < window) | (places < starts + sinks)) & (places >= starts)`, with "
        "`starts` of shape (batch, 1, 1).",
    ],
    mistakes={
        "sinks at place 0": WrongAnswer(
            _mask(first=lambda places, starts, sinks: places < sinks),
            "Your sinks are the first places of the *row*, also where those are padding. Each text "
            "has its own beginning.",
            "At which place is the first token of a text that begins at 3?",
            misconception="places-begin-at-zero",
        ),
        "padding open": WrongAnswer(
            _mask(there=lambda places, starts: places >= 0),
            "Padding in front of a text can be seen. Nothing before `starts` may be attended to.",
            "Which keys are no tokens?",
            misconception="padding-is-harmless",
        ),
        "window that reaches into padding": WrongAnswer(
            lambda starts, length, window, sinks: (
                _mask()(starts, length, window, sinks)
                | _mask(
                    first=lambda places, starts, sinks: places < 0,
                    there=lambda places, starts: places >= 0,
                )(starts, length, window, sinks)
                & (torch.arange(length)[:, None] >= starts[:, None, None])
            ),
            "The windows of the first tokens reach back into the padding before them.",
            "What lies within the window of a text's first token?",
            misconception="padding-is-harmless",
        ),
        "one too many": WrongAnswer(
            _mask(near=lambda back, window: back <= window),
            "Your window shows W tokens before the present one, and itself. A window of W counts "
            "the present token.",
            "How many cells does a window of 1 open?",
            misconception="off-by-one",
        ),
        "one too few": WrongAnswer(
            _mask(near=lambda back, window: back < window - 1),
            "Your window shows W − 1 tokens. The present one and W − 1 before it make W.",
            "How many cells does a window of 1 open?",
            misconception="off-by-one",
        ),
        "a sink too many": WrongAnswer(
            _mask(first=lambda places, starts, sinks: places <= starts + sinks),
            "You open one sink too many, and one even where none is asked for.",
            "How many places lie from `starts` to before `starts + sinks`?",
            misconception="off-by-one",
        ),
        "future open": WrongAnswer(
            FUTURE,
            "Your tokens see what is ahead of them: sinks too, until they have been read.",
            "What may a token see that has just been read?",
            misconception="future-open",
            also={"rows of padding shut": _rows_of_padding_shut(FUTURE)},
        ),
        "window on both sides": WrongAnswer(
            ON_BOTH_SIDES,
            "Your window lies on both sides of a token, and sinks can be seen before they are "
            "read.",
            "What may a token see that has just been read?",
            misconception="future-open",
            also={"rows of padding shut": _rows_of_padding_shut(ON_BOTH_SIDES)},
        ),
        "sinks ahead": WrongAnswer(
            _sinks_ahead,
            "Your sinks are open for everybody, also for tokens that stand before them. A sink, "
            "too, has to have been read.",
            "May the first token look at the second, if both are sinks?",
            misconception="future-open",
            also={"rows of padding shut": _rows_of_padding_shut(_sinks_ahead)},
        ),
        "no sinks": WrongAnswer(
            _mask(join=lambda near, first: near | (first != first)),
            "Your mask has the window alone. The first `sinks` tokens of each text stay open.",
            "Which argument says how many first tokens stay open?",
            misconception="input-unused",
        ),
        "sinks alone": WrongAnswer(
            _mask(near=lambda back, window: back != back),
            "Your mask has the sinks alone: a token behind them sees nothing else, not even "
            "itself.",
            "Which argument says how far back a token sees?",
            misconception="input-unused",
        ),
        "window less its sinks": WrongAnswer(
            _shortened,
            "Your window is shorter by as many tokens as there are sinks. They come in addition.",
            "How many tokens does a row far down see, with a window of 3 and one sink?",
            misconception="another-task",
        ),
        "padding sees itself": WrongAnswer(
            _padding_sees_itself,
            "Padding sees itself in your mask, perhaps so that no row is empty. It sees nothing: "
            "in this course a row that is masked whole gives weights of 0.",
            "What does the table say of padding?",
            misconception="no-empty-rows",
        ),
        "no window": WrongAnswer(
            _mask(near=lambda back, window: back >= 0),
            "Rows far down are open up to the first token: there is no window.",
            "Which argument says how far back a token sees?",
            misconception="input-unused",
        ),
        "both at once": WrongAnswer(
            _mask(join=lambda near, first: near & first),
            "You ask that a key be near *and* among the first. One of the two is enough.",
            "Which keys should the last token of a long text see?",
            misconception="opposite",
        ),
        "sinks outside the window": WrongAnswer(
            _mask(join=lambda near, first: near ^ first),
            "Where a sink lies within the window, your mask shuts it. It is open for both "
            "reasons, and stays open.",
            "May a text's first token see itself?",
            misconception="another-task",
        ),
        "blind to itself": WrongAnswer(
            _mask(past=lambda back: back > 0),
            "The diagonal is shut: a token does not see itself.",
            "What does the first token of a text look at?",
            misconception="off-by-one",
        ),
        "first token shut": WrongAnswer(
            _mask(there=lambda places, starts: places > starts),
            "Your texts begin one place late: nobody sees their first token, not even where it is "
            "a sink.",
            "At which place is the first token of a text that begins at 3?",
            misconception="off-by-one",
        ),
        "rows of padding alone": WrongAnswer(
            _mask(there=lambda places, starts: places[:, None] >= starts),
            "You shut the *rows* of padding, so that it sees nothing. Its columns are open: it is "
            "seen.",
            "Which axis of a mask are the keys?",
            misconception="rows-are-keys",
        ),
        "upside down": WrongAnswer(
            _mask(finish=lambda mask: ~mask),
            "`True` stands where nothing may be attended to.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
        ),
        "rows are keys": WrongAnswer(
            _mask(finish=lambda mask: mask.mT),
            "Rows and columns have changed places. A row belongs to the token that looks.",
            "Which tokens does your row 0 look at?",
            misconception="rows-are-keys",
        ),
        "begins by the length": WrongAnswer(
            lambda starts, length, window, sinks: _mask()(length - starts, length, window, sinks),
            "You take `starts` for the lengths of the texts. They are the places at which the "
            "texts begin.",
            "How long is a text that begins at 3 in a row of 8?",
            misconception="another-task",
        ),
    },
    variants=[with_the_course, text_by_text, with_triangles],
)
