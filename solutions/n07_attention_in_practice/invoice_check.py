"""The task “The wrong number”: right answers and known mistakes."""

import re

import torch
from torch import Tensor

from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def _number(word: str, decimal: str) -> float | None:
    """Parse a number as the notebook does."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None


def _looks(links: list[int], src_len: int, faint: int, share: float) -> Tensor:
    """Return weights with each row's largest at its link: 0.75, or `share` in each `faint`-th row.

    In such a row another word has nearly as much.
    """
    weights = torch.zeros(len(links), src_len)
    for row, column in enumerate(links):
        most = share if row % faint == faint - 1 and src_len > 3 else 0.75
        weights[row] = (1 - most) / max(1, src_len - 1)
        weights[row, column] = most if src_len > 1 else 1.0
        if most == share:
            weights[row] = (1.02 - 2 * most) / (src_len - 2)
            weights[row, [column, column - 1]] = torch.tensor([most, most - 0.02])
    return weights


def cases(draw: Draw) -> list[Case]:
    def number():
        return int(draw.whole(11, 49))

    def case(label, source, target, links, faint=3, share=0.4, double=False):
        source, target = source.split(), target.split()
        weights = _looks([source.index(word) for word in links.split()], len(source), faint, share)
        return Case(
            label,
            {
                "weights": weights.double() if double else weights,
                "source": source,
                "target": target,
                "least": 0.5,
            },
        )

    a, b, c = number(), 50 + number(), 100 + number()
    big, cents = f"{c % 9 + 1},{b}0.{a}", f"{b}.{a}"
    french, french_cents = big.replace(",", "").replace(".", ","), cents.replace(".", ",")
    return [
        case(
            "two numbers exchanged",
            f"{a} chairs at {b} euros",
            f"{b} chaises à {a} euros ,",
            f"{a} {b} at {b} euros euros",
            faint=2,
        ),
        case(
            "one digit wrong, and amounts with a comma",
            f"please pay {big} euros for {c} lamps",
            f"payez {french} euros pour {c + 1} lampes",
            f"pay {big} euros for {c} lamps",
            faint=5,
        ),
        case(
            "everything right, some weights not below the limit but on it",
            f"invoice {c} , {a} desks at {cents} euros",
            f"facture {c} : {a} bureaux à {french_cents} euros",
            f"invoice {c} , {a} desks at {cents} euros",
            faint=2,
            share=0.5,
        ),
        case(
            "a number out of thin air",
            f"{a} lamps to Norvik , {c} euros",
            f"{a} lampes à {b} pour Norvik : {c} euros",
            f"{a} lamps to to Norvik Norvik , {c} euros",
            faint=4,
        ),
        case(
            "a right number that looks at another word",
            f"{a} lamps for Norvik , and {b} chairs",
            f"{a} lampes pour Norvik , et {b} chaises",
            f"lamps lamps for Norvik , and {b} chairs",
            faint=5,
        ),
        case(
            "the same value, written otherwise",
            f"total {a}.50 euros , {b}.00 in all",
            f"{b} en tout , total {a},5 euros",
            f"{b}.00 in all , total {a}.50 euros",
            faint=5,
        ),
        case(
            "more source words than target words",
            f"they owe us {a} euros and {cents} for {c} screens",
            f"{french_cents} pour {a} écrans",
            f"{cents} for {c} screens",
            faint=5,
        ),
        case(
            "a discount of 0",
            f"{a} chairs , discount 0 , total {b}",
            f"{a} chaises , remise 0 , total 0",
            f"{a} chairs , discount 0 , total {b}",
            faint=5,
        ),
        case("one word, float64", f"{a}", f"{b}", f"{a}", double=True),
        case("a word that is no number", "chairs , lamps and desks", "chaises", "chairs", faint=1),
    ]


def _clerk(
    same=lambda found, sought: _number(found, ".") == _number(sought, ","),
    seen=lambda weights, row: int(weights[row].argmax()),
    counts=lambda word: _number(word, ",") is not None,
    faint=lambda row, least: row.max() < least,
    faint_counts=None,
):
    """Return an answer with one part replaced."""

    def check(weights, source, target, least):
        rows = range(len(target))
        wrong = [counts(w) and not same(source[seen(weights, i)], w) for i, w in enumerate(target)]
        watched = [(faint_counts or counts)(word) for word in target]
        unsure = [watched[row] and bool(faint(weights[row], least)) for row in rows]
        return torch.tensor(wrong), torch.tensor(unsure)

    return check


def _anywhere(weights, source, target, least):
    _, unsure = _clerk()(weights, source, target, least)
    values = {_number(word, ".") for word in source}
    found = [_number(word, ",") not in values | {None} for word in target]
    return torch.tensor(found), unsure


def _in_order(weights, source, target, least):
    """Compare the first number with the first, the second with the second."""
    _, unsure = _clerk()(weights, source, target, least)
    values = [number for number in (_number(word, ".") for word in source) if number is not None]
    marks = []
    for word in target:
        value = _number(word, ",")
        marks.append(value is not None and (not values or values.pop(0) != value))
    return torch.tensor(marks), unsure


def _every_word(weights, source, target, least):
    """Compare numbers by value, and all other words letter by letter."""
    wrong, unsure = _clerk()(weights, source, target, least)
    words = torch.tensor([_number(word, ",") is None for word in target])
    other = [source[place] != word for place, word in zip(weights.argmax(-1), target, strict=True)]
    return wrong | (words & torch.tensor(other)), unsure


def _only_other_numbers(found, sought):
    return _number(found, ".") in (None, _number(sought, ","))


def _by_columns(weights, row):
    column = weights[:, row % weights.shape[1]]
    return int(column.argmax()) % weights.shape[1]


def _turned(check):
    def turned(weights, source, target, least):
        wrong, unsure = check(weights, source, target, least)
        numbers = torch.tensor([_number(word, ",") is not None for word in target])
        return numbers & ~wrong, unsure

    return turned


def _english(word):
    return float(word.replace(",", "")) if re.fullmatch(r"[\d.,]+", word) and word != "," else None


def _french(word):
    if not word[0].isdigit():
        return None
    return float(word.replace(".", "").replace(",", "."))


def in_loops(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights, target, strict=True):
        value = _french(word)
        place = int(row.argmax())
        wrong.append(value is not None and _english(source[place]) != value)
        unsure.append(value is not None and row[place].item() < least)
    return torch.tensor(wrong), torch.tensor(unsure)


def marks_set_one_by_one(alphas, english, french, limit):
    wrong = torch.zeros(len(french), dtype=torch.bool)
    unsure = torch.zeros(len(french), dtype=torch.bool)
    for i in range(len(french)):
        if _french(french[i]) is None:
            continue
        largest, j = alphas[i].max(dim=0)
        wrong[i] = _english(english[j]) != _french(french[i])
        unsure[i] = bool(largest < limit)
    return wrong, unsure


def with_nan(weights, source, target, least):
    nan = float("nan")
    values = [_english(word) for word in source]
    values = torch.tensor([nan if v is None else v for v in values], dtype=torch.double)
    sought = [_french(word) for word in target]
    sought = torch.tensor([nan if v is None else v for v in sought], dtype=torch.double)
    numbers = ~sought.isnan()
    return numbers & (values[weights.argmax(1)] != sought), numbers & ~(weights.max(1)[0] >= least)


def as_a_list(weights, source, target, least):
    marks = []
    for word, best, share in zip(target, weights.argmax(-1), weights.amax(-1), strict=True):
        value = _french(word)
        bad = value is not None and value != _english(source[best])
        marks.append([bad, value is not None and bool(share < least)])
    return list(torch.tensor(marks).unbind(1))


exercise = Exercise(
    id="invoice_check",
    title="The wrong number",
    points=4,
    difficulty=1,
    minutes=15,
    section="07.3",
    outputs=["wrong", "unsure"],
    cases=cases,
    equivalents={
        "differs = torch.tensor([a != b for a, b in zip(sought, seen)])": "they are as long",
        "differs = torch.tensor([a != b for a, b in zip(sought, seen, strict=False)])": (
            "they are as long"
        ),
        "seen = [number(source[place], '.') for place in weights.argmax(-1)]": (
            "a tensor of one whole number can be an index"
        ),
        "seen = [number(source[place], '.') for place in weights.argmax(1).tolist()]": IN_A_MATRIX,
        "return (numbers & differs, numbers & (weights.amax(1) < least))": IN_A_MATRIX,
    },
    hints=[
        "For which target words is the question asked at all? And which source word is each of "
        "them held against?",
        "Go through the target words with `enumerate`. `number` tells whether a word is a number, "
        "and what it is worth. Row `i` of the weights tells where the model looked.",
        "For a number in row `i`: `seen = source[weights[i].argmax()]`. It is wrong if "
        '`number(seen, ".")` is another number, or None. It is unsure if `weights[i].max()` lies '
        "below `least`. All other words are neither. Collect the marks in two lists and make "
        "`torch.tensor(…)` of each.",
    ],
    mistakes={
        "letters compared": WrongAnswer(
            _clerk(same=lambda found, sought: found == sought),
            "You compare the words letter by letter. `1,250.50` and `1250,50` are the same "
            "amount, and so are `12.00` and `12`: your check cries wolf.",
            "What does `number` make of the two?",
            misconception="written-form",
        ),
        "French read as English": WrongAnswer(
            _clerk(
                same=lambda found, sought: _number(found, ".") == _number(sought, "."),
                counts=lambda word: _number(word, ".") is not None,
            ),
            "You read the French numbers with the English point: `12,5` becomes 125, since the "
            "comma counts as a mark between thousands.",
            "Which sign stands before the cents in a French invoice?",
            misconception="written-form",
        ),
        "found anywhere": WrongAnswer(
            _anywhere,
            "You ask whether the number occurs anywhere in the source. Two numbers that have "
            "changed places both do, and both are wrong.",
            "What can the weights tell that a list of numbers cannot?",
            misconception="input-unused",
        ),
        "first against first": WrongAnswer(
            _in_order,
            "You hold the first number of the translation against the first of the source, and "
            "so on. French may put them in another order, and be right.",
            "Which source word belongs to the number in row 3? Who knows?",
            misconception="row-is-word",
        ),
        "words counted too": WrongAnswer(
            _every_word,
            "You mark words that are no numbers as well: `chaises` is not `chairs`, of course.",
            "What does `number` return for `chaises`?",
            misconception="half-is-enough",
        ),
        "only numbers against numbers": WrongAnswer(
            _clerk(same=_only_other_numbers),
            "A number that comes from a word is not marked. If the model looked at *Norvik* when "
            "a number was written, that number has no source at all.",
            "What is a number out of thin air worth?",
            misconception="half-is-enough",
        ),
        "read by columns": WrongAnswer(
            _clerk(seen=_by_columns),
            "You look for the largest entry of a column. A column belongs to a source word; the "
            "row of a target word tells where the model looked when it was written.",
            "Which axis of the weights has as many entries as there are target words?",
            misconception="reads-by-columns",
        ),
        "the right ones marked": WrongAnswer(
            _turned(_clerk()),
            "`wrong` is `True` for the numbers that are right.",
            "What should `wrong` hold for a line without any fault?",
            misconception="opposite",
        ),
        "every faint word": WrongAnswer(
            _clerk(faint_counts=lambda word: True),
            "`unsure` marks words that are no numbers as well. Words such as *euros* can be "
            "written without looking anything up: their weights may lie anywhere.",
            "For which words is it asked whether the model looked firmly?",
            misconception="half-is-enough",
        ),
        "sure for unsure": WrongAnswer(
            _clerk(faint=lambda row, least: row.max() >= least),
            "`unsure` marks the numbers whose largest weight is *not* below `least`.",
            "Is a large weight a doubt?",
            misconception="opposite",
        ),
        "any faint weight": WrongAnswer(
            _clerk(faint=lambda row, least: row.min() < least),
            "`unsure` marks every number that has a small weight somewhere in its row. Nearly "
            "every row has. It is the *largest* that should not be small.",
            "What is the smallest weight of a row that looks at one word only?",
            misconception="largest-of-a-row",
        ),
    },
    variants=[in_loops, marks_set_one_by_one, with_nan, as_a_list],
)
