"""The task “The picture of an alignment”: right answers and known mistakes."""

import torch

from solutions.cases import as_view
from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case

_ENGLISH = "the cat dog bird sat slept on under mat bed black green not in front of"
_FRENCH = "le chat chien oiseau était assis dormi sur sous tapis lit noir vert pas devant"
_MARKS = ("<pad>", "<sos>", "<eos>")


def cases(draw: Draw) -> list[Case]:
    def words(choice, length):
        choice = choice.split()
        return [choice[place] for place in draw.order(len(choice))[:length].tolist()]

    def inputs(src_len, tgt_len, pads=(0, 0), before=(), after=(), unknown=()):
        source = words(_ENGLISH, src_len)
        target = words(_FRENCH, tgt_len)
        for place in unknown:
            source[place] = target[-1 - place] = "<unk>"
        source = [*before, *source, *after]
        steps = tgt_len + 1 + pads[1]
        weights = torch.cat([draw.shares(steps, len(source)), torch.zeros(steps, pads[0])], 1)
        if after:  # the end of the source is some word's favourite, as it often is
            row = int(draw.whole(0, tgt_len - 1))
            best = weights[row].argmax()
            last = len(source) - 1
            order = torch.arange(weights.shape[1])
            order[best], order[last] = last, int(best)
            weights[row] = weights[row, order]
        source += ["<pad>"] * pads[0]
        target = ["<sos>", *target, "<eos>", *["<pad>"] * pads[1]]
        return {"weights": weights, "source": source, "target": target}

    double = inputs(3, 6, (0, 2))
    view = inputs(6, 4, (2, 1))
    return [
        Case("padding on both sides", inputs(4, 5, (2, 3))),
        Case("no padding", inputs(5, 3)),
        Case("a source with marks at both ends", inputs(4, 6, (3, 1), ["<sos>"], ["<eos>"])),
        Case("unknown words", inputs(5, 4, (1, 2), unknown=[0, 2])),
        Case("one word each", inputs(1, 1, (2, 1))),
        Case("a source that ends with a mark", inputs(3, 4, (1, 0), after=["<eos>"])),
        Case("float64", double | {"weights": double["weights"].double()}),
        Case("weights that are a transposed view", view | {"weights": as_view(view["weights"])}),
    ]


def _places(words, left_out=_MARKS):
    return torch.tensor([place for place, word in enumerate(words) if word not in left_out])


def _hard(trimmed):
    return trimmed >= trimmed.max(1, keepdim=True).values


def _picture(
    rows=lambda target: _places(target) - 1,
    columns=_places,
    change=lambda trimmed: trimmed,
    link=lambda trimmed, whole: _hard(trimmed),
):
    """Return an answer with some parts replaced."""

    def picture(weights, source, target):
        whole = weights.index_select(0, rows(target))
        trimmed = change(whole.index_select(1, columns(source)))
        return trimmed, link(trimmed, _hard(whole).index_select(1, columns(source)))

    return picture


def in_loops(weights, source, target):
    rows, links = [], []
    for step, word in enumerate(target[1:]):
        if word in ("<eos>", "<pad>"):
            continue
        row = [weights[step, place] for place in range(len(source)) if _is_word(source[place])]
        rows.append(torch.stack(row))
        links.append(torch.arange(len(row)) == rows[-1].argmax())
    return torch.stack(rows), torch.stack(links)


def _is_word(text):
    return text == "<unk>" or not text.startswith("<")


def with_masks(weights, source, target):
    columns = torch.tensor([_is_word(word) for word in source])
    rows = torch.tensor([_is_word(word) for word in target[1:]])
    trimmed = weights[rows][:, columns]
    links = torch.zeros_like(trimmed, dtype=torch.bool)
    links[torch.arange(len(trimmed)), trimmed.argmax(1)] = True
    return trimmed, links


def as_slices(weights, source, target):
    first = 1 if source[0] == "<sos>" else 0
    words = [word for word in source if word not in ("<sos>", "<eos>", "<pad>")]
    trimmed = weights[: target.index("<eos>") - 1, first : first + len(words)]
    return trimmed, trimmed == trimmed.max(dim=-1, keepdim=True).values


def with_one_hot(weights, source, target):
    places = [n for n in range(len(source)) if _is_word(source[n])]
    steps = [n for n in range(len(target) - 1) if _is_word(target[n + 1])]
    trimmed = weights.index_select(1, torch.tensor(places))[steps]
    return trimmed, torch.nn.functional.one_hot(trimmed.argmax(-1), len(places)).bool()


exercise = Exercise(
    id="alignment_picture",
    title="The picture of an alignment",
    points=4,
    difficulty=2,
    minutes=15,
    section="06.6",
    outputs=["trimmed", "links"],
    cases=cases,
    equivalents={"links = trimmed == trimmed.amax(1, keepdim=True)": IN_A_MATRIX},
    hints=[
        "The decoder has read `<sos>` when it writes its first word. Which row of the weights "
        "belongs to the first word, and at which place does that word stand in `target`?",
        "Make two lists of places: those of the source words, and those of the target words, "
        "moved by one. Which of the four special words is a word of the sentence all the same?",
        "`[place for place, word in enumerate(source) if word not in marks]` gives the columns, "
        "with `marks` a set of three. The same with `place - 1` gives the rows. "
        "`weights[rows]`, then `[:, columns]`. A link stands where an entry equals its row's "
        "`amax(-1, keepdim=True)`.",
    ],
    mistakes={
        "rows moved by one": WrongAnswer(
            _picture(rows=_places),
            "Your rows are one too low: each target word got the row of the word after it. Row 0 "
            "was made when the decoder had read `<sos>`, and belongs to the first word.",
            "How many rows do the weights have, and how many entries has `target`?",
            misconception="off-by-one",
        ),
        "the row of the end": WrongAnswer(
            _picture(rows=lambda target: _places(target, ("<pad>", "<sos>")) - 1),
            "Your picture has a row for `<eos>`. It was written, but it is no word.",
            "How many words has the translation?",
            misconception="marks-are-words",
        ),
        "marks of the source left in": WrongAnswer(
            _picture(columns=lambda source: _places(source, ("<pad>",))),
            "Your picture has columns for `<sos>` and `<eos>`, where the source holds them. They "
            "are no words.",
            "Is padding the only thing in `source` that is no word?",
            misconception="marks-are-words",
        ),
        "cut from the end only": WrongAnswer(
            _picture(columns=lambda source: torch.arange(len(_places(source)))),
            "You count the source words and keep as many columns from the left. Where the source "
            "begins with `<sos>`, its column stays, and the last word's is lost.",
            "At which places do the words stand, when something stands before them?",
            misconception="wrong-end",
        ),
        "unknown words thrown out": WrongAnswer(
            _picture(
                rows=lambda target: _places(target, (*_MARKS, "<unk>")) - 1,
                columns=lambda source: _places(source, (*_MARKS, "<unk>")),
            ),
            "You left out `<unk>`. It stands for a word of the sentence, and where it looks is "
            "what one wants to see: that is how names are copied.",
            "Which of the four special words did a person write?",
            misconception="marks-are-words",
        ),
        "rows normalised again": WrongAnswer(
            _picture(change=lambda trimmed: trimmed / trimmed.sum(1, keepdim=True)),
            "You divided the rows by their sums after trimming. What went to `<eos>` has been "
            "handed to the words, and the picture no longer shows what the model did.",
            "If a row is dark in the picture, should one be able to see that?",
            misconception="divide-again",
        ),
        "links by columns": WrongAnswer(
            _picture(link=lambda trimmed, whole: trimmed >= trimmed.max(0, keepdim=True).values),
            "You linked each *source* word with the target word that looks at it most. Asked was "
            "a link for each target word.",
            "How many links has each row, and how many has each column?",
            misconception="reads-by-columns",
        ),
        "links over a half": WrongAnswer(
            _picture(link=lambda trimmed, whole: trimmed > 0.5),
            "You set a link where a weight is more than a half. The largest weight of a row need "
            "not be: where many words share, 0.3 can be the most.",
            "How many links should each row have?",
            misconception="largest-of-a-row",
        ),
        "links before trimming": WrongAnswer(
            _picture(link=lambda trimmed, whole: whole),
            "You looked for the largest weight before you cut off the marks. Where `<eos>` had "
            "the most, the row has no link left.",
            "How many links should each row have?",
            misconception="stale-value",
        ),
        "places for marks": WrongAnswer(
            _picture(link=lambda trimmed, whole: trimmed.argmax(1)),
            "`links` holds the place of each row's largest weight. Asked is a table of booleans, "
            "as large as the picture, `True` at those places.",
            "What has `links` to look like, so that it can be laid over the picture?",
            misconception="largest-of-a-row",
        ),
        "turned on its side": WrongAnswer(
            _picture(change=lambda trimmed: trimmed.T, link=lambda trimmed, whole: _hard(trimmed)),
            "Your picture has the source words as rows. In the course rows are target words, "
            "columns source words.",
            "Who looks, and who is looked at?",
            misconception="rows-are-keys",
        ),
    },
    variants=[in_loops, with_masks, as_slices, with_one_hot],
)
