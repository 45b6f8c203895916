"""The task “Four sick maps”: right answers and known mistakes."""

from solutions.specification import Exercise
from solutions.wrong_pieces import in_other_styles, wrong_choices
from utils.checks.tasks import Case

ILLNESSES = ["frozen", "one token", "uniform", "future", "padding"]
MAPS = {name: ILLNESSES for name in "abcd"} | {"numbers": ["healthy", *ILLNESSES[:3]]}
_DIAGNOSES = {"a": "one token", "b": "future", "c": "frozen", "d": "padding", "numbers": "healthy"}


def _no_stripe(letter):
    return (
        f"no stripe in {letter}",
        f"You call map `{letter}` a case of one token. Its brightest cells stand in several "
        "columns: the look does depend on the query.",
        "What would the map look like if the question no longer mattered?",
        "map-by-one-sign",
    )


def _no_future(letter):
    return (
        f"{letter} may look ahead",
        f"You say that `{letter}` sees the future. Only a decoder may not look ahead. This map is "
        "that of an encoder, where every word may read what stands behind it.",
        "Whose map is it? The list above the picture says so.",
        "masks-everywhere",
    )


def _no_padding(letter):
    return (
        f"nothing to pad in {letter}",
        f"You say that `{letter}` sees padding. No column of it belongs to padding: this sentence "
        "has none.",
        "Which of the four sentences was filled up, and with what?",
        "masks-everywhere",
    )


exercise = Exercise(
    id="four_sick_maps",
    title="Four sick maps",
    points=2,
    difficulty=1,
    minutes=10,
    section="07.2",
    answer_type="choices",
    outputs=list(MAPS),
    choices=MAPS,
    cases=lambda draw: [Case("your diagnosis")],
    hints=[
        "Which two of the illnesses can be seen from where the bright cells may not be at all?",
        "For each map ask first: is it forbidden to look there (a mask)? Then: do all rows look "
        "at the same place? Then: has each row made up its mind, and is there any order in it?",
        "Read the columns, not the rows: a column that is bright from top to bottom, columns that "
        "carry a `<pad>`, and cells right of the diagonal each tell one illness. For `numbers`, "
        "look at the table at the end of section 2.",
    ],
    mistakes=wrong_choices(
        _DIAGNOSES,
        {
            ("a", "frozen"): (
                "a stripe is no freeze",
                "You call map `a` frozen. In a frozen map the rows have made up their minds one "
                "by one, each for another word. Here they all agree.",
                "In how many columns do the bright cells of `a` stand?",
                "map-by-one-sign",
            ),
            ("a", "uniform"): (
                "alike is not uniform",
                "You call map `a` uniform. Its rows are alike, but inside a row the shares are "
                "not: one word gets nearly everything.",
                "How many words does one row of `a` look at? How many all rows together?",
                "map-by-one-sign",
            ),
            ("a", "future"): _no_future("a"),
            ("a", "padding"): _no_padding("a"),
            ("b", "frozen"): (
                "soft rows are not frozen",
                "You call map `b` frozen. A frozen row gives nearly everything to one word; here "
                "most rows share. Look instead at *where* some of the weight lies.",
                "This is the decoder's own sentence. What did it know when it wrote the first "
                "word?",
                "map-by-one-sign",
            ),
            ("b", "one token"): _no_stripe("b"),
            ("b", "uniform"): (
                "several is not uniform",
                "You call map `b` uniform. Its rows share among several words, by no means "
                "equally. And there is worse: some of these words may not be read at all.",
                "Cover everything right of the diagonal. What is left over that should not be?",
                "map-by-one-sign",
            ),
            ("b", "padding"): _no_padding("b"),
            ("c", "one token"): _no_stripe("c"),
            ("c", "uniform"): (
                "sharp is not uniform",
                "You call map `c` uniform. A uniform map gives every word the same share. Here "
                "single cells take the whole row.",
                "What would row words, the `exp` of a row's entropy, be for a uniform row?",
                "map-by-one-sign",
            ),
            ("c", "future"): _no_future("c"),
            ("c", "padding"): _no_padding("c"),
            ("d", "frozen"): (
                "soft rows of d",
                "You call map `d` frozen. Its rows share among many words. Count the columns, and "
                "then the words of the sentence.",
                "What do the two last columns stand for?",
                "map-by-one-sign",
            ),
            ("d", "one token"): (
                "two dull columns",
                "You call map `d` a case of one token. No column takes nearly everything of every "
                "row. But two columns get weight that should get none.",
                "What do the two last columns stand for?",
                "map-by-one-sign",
            ),
            ("d", "uniform"): (
                "shares of d differ",
                "You call map `d` uniform. Inside its rows the shares differ clearly. Look at "
                "which columns have any share at all.",
                "What do the two last columns stand for?",
                "map-by-one-sign",
            ),
            ("d", "future"): _no_future("d"),
            ("numbers", "frozen"): (
                "few and all is not frozen",
                "You say frozen. Frozen rows look at few words each, and chance has chosen them: "
                "some words are then nobody's, and all words together stay clearly below 12: at "
                "about 8, where chance alone decides.",
                "Twelve rows, one word each, and together nearly twelve. What does the map look "
                "like?",
                "map-by-one-sign",
            ),
            ("numbers", "one token"): (
                "the second number",
                "You say one token. Row words alone would allow that. But all queries together "
                "look at nearly every word, so they do not all look at the same.",
                "With one bright column, what would the second number be?",
                "map-by-one-sign",
            ),
            ("numbers", "uniform"): (
                "the first number",
                "You say uniform. All words together would allow that. But each row by itself "
                "looks at hardly more than one word.",
                "Twelve equal shares: what would the first number be?",
                "map-by-one-sign",
            ),
        },
    ),
    variants=in_other_styles(_DIAGNOSES, note="d: columns 5 and 6"),
)
