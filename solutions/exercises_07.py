"""Notebook 07: attention in practice."""

import torch
from torch import Tensor, nn

from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case

NO_ORDER = "sums, products and conditions have no order"
LAST_AXIS = "there, axis 1 is the last"
AT_THE_LIMIT = "at the limit itself rounding decides"


def _wrong_choices(right, told):
    """A misconception for each wrong choice: (key, choice) → name, explanation and hint."""
    return [
        Misconception(name, right | {key: choice}, explanation, hint)
        for (key, choice), (name, explanation, hint) in told.items()
    ]


# --- 1. Four sick maps ----------------------------------------------------------------------------

ILLNESSES = ["frozen", "one token", "uniform", "future", "padding"]
MAPS = {name: ILLNESSES for name in "abcd"} | {"numbers": ["healthy", *ILLNESSES[:3]]}
_DIAGNOSES = {"a": "one token", "b": "future", "c": "frozen", "d": "padding", "numbers": "healthy"}


def _no_stripe(letter):
    return (
        f"no stripe in {letter}",
        f"You call map `{letter}` a case of one token. Its brightest cells stand in several "
        "columns: the look does depend on the query.",
        "What would the map look like if the question no longer mattered?",
    )


def _no_future(letter):
    return (
        f"{letter} may look ahead",
        f"You say that `{letter}` sees the future. Only a decoder may not look ahead. This map is "
        "that of an encoder, where every word may read what stands behind it.",
        "Whose map is it? The list above the picture says so.",
    )


def _no_padding(letter):
    return (
        f"nothing to pad in {letter}",
        f"You say that `{letter}` sees padding. No column of it belongs to padding: this sentence "
        "has none.",
        "Which of the four sentences was filled up, and with what?",
    )


four_sick_maps = Exercise(
    id="four_sick_maps",
    title="Four sick maps",
    points=2,
    difficulty=1,
    minutes=10,
    kind="choices",
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
    misconceptions=_wrong_choices(
        _DIAGNOSES,
        {
            ("a", "frozen"): (
                "a stripe is no freeze",
                "You call map `a` frozen. In a frozen map the rows have made up their minds one "
                "by one, each for another word. Here they all agree.",
                "In how many columns do the bright cells of `a` stand?",
            ),
            ("a", "uniform"): (
                "alike is not uniform",
                "You call map `a` uniform. Its rows are alike, but inside a row the shares are "
                "not: one word gets nearly everything.",
                "How many words does one row of `a` look at? How many all rows together?",
            ),
            ("a", "future"): _no_future("a"),
            ("a", "padding"): _no_padding("a"),
            ("b", "frozen"): (
                "soft rows are not frozen",
                "You call map `b` frozen. A frozen row gives nearly everything to one word; here "
                "most rows share. Look instead at *where* some of the weight lies.",
                "This is the decoder's own sentence. What did it know when it wrote the first "
                "word?",
            ),
            ("b", "one token"): _no_stripe("b"),
            ("b", "uniform"): (
                "several is not uniform",
                "You call map `b` uniform. Its rows share among several words, by no means "
                "equally. And there is worse: some of these words may not be read at all.",
                "Cover everything right of the diagonal. What is left over that should not be?",
            ),
            ("b", "padding"): _no_padding("b"),
            ("c", "one token"): _no_stripe("c"),
            ("c", "uniform"): (
                "sharp is not uniform",
                "You call map `c` uniform. A uniform map gives every word the same share. Here "
                "single cells take the whole row.",
                "What would row words, the `exp` of a row's entropy, be for a uniform row?",
            ),
            ("c", "future"): _no_future("c"),
            ("c", "padding"): _no_padding("c"),
            ("d", "frozen"): (
                "soft rows of d",
                "You call map `d` frozen. Its rows share among many words. Count the columns, and "
                "then the words of the sentence.",
                "What do the two last columns stand for?",
            ),
            ("d", "one token"): (
                "two dull columns",
                "You call map `d` a case of one token. No column takes nearly everything of every "
                "row. But two columns get weight that should get none.",
                "What do the two last columns stand for?",
            ),
            ("d", "uniform"): (
                "shares of d differ",
                "You call map `d` uniform. Inside its rows the shares differ clearly. Look at "
                "which columns have any share at all.",
                "What do the two last columns stand for?",
            ),
            ("d", "future"): _no_future("d"),
            ("numbers", "frozen"): (
                "few and all is not frozen",
                "You say frozen. Frozen rows look at few words each, and chance has chosen them: "
                "some words are then nobody's, and all words together is less than 12.",
                "Twelve rows, one word each, and together nearly twelve. What does the map look "
                "like?",
            ),
            ("numbers", "one token"): (
                "the second number",
                "You say one token. Row words alone would allow that. But all queries together "
                "look at nearly every word, so they do not all look at the same.",
                "With one bright column, what would the second number be?",
            ),
            ("numbers", "uniform"): (
                "the first number",
                "You say uniform. All words together would allow that. But each row by itself "
                "looks at hardly more than one word.",
                "Twelve equal shares: what would the first number be?",
            ),
        },
    ),
)


# --- 2. Name the sickness -------------------------------------------------------------------------

HEALTHY, BROKEN, LEAKS, ONE_TOKEN, UNIFORM = range(5)


def _open(rows: int, columns: int) -> Tensor:
    return torch.ones(rows, columns, dtype=torch.bool)


def _shared(rough: Tensor, mask: Tensor) -> Tensor:
    """Rough weights to shares: 0 under the mask, and in rows that are masked whole."""
    open_only = rough * mask
    return open_only / open_only.sum(-1, keepdim=True).clamp(min=1e-6)


def _healthy_map(draw: Draw, mask: Tensor) -> Tensor:
    """Each row another favourite, with well over half of the row. No stripe, nothing even."""
    rows, columns = mask.shape
    favourites = (torch.arange(rows) + int(draw.whole(0, columns - 1))) % columns
    rough = torch.nn.functional.one_hot(favourites, columns) * 40.0 + draw.whole(2, 9, *mask.shape)
    rough[:, 0] += 10.0  # never even, where the mask leaves but two
    return _shared(rough, mask)


def _stripe(draw: Draw, mask: Tensor, column: int, most: float = 0.95) -> Tensor:
    rough = (1 - most) * draw.shares(*mask.shape)
    rough[:, column] = most
    return _shared(rough, mask)


def _even_map(draw: Draw, mask: Tensor, step: float = 0.0) -> Tensor:
    """Equal shares; the odd columns get `step` less."""
    return _shared(1.0 - step * (torch.arange(mask.shape[1]) % 2), mask)


def _with(weights: Tensor, value: float) -> Tensor:
    """That much more in the last place of the second row."""
    changed = weights.clone()
    changed[1, -1] += value
    return changed


def _negative(weights: Tensor) -> Tensor:
    """The first row still sums to 1, but one of its entries is negative."""
    changed = weights.clone()
    changed[0, 0] += 1.0
    changed[0, 1] -= 1.0
    return changed


def _leaky(draw: Draw, mask: Tensor, size: float) -> Tensor:
    """A healthy map, of which each row gives a little to every place under the mask."""
    leaks = size * ~mask  # (tgt_len, src_len)
    return _healthy_map(draw, mask) * (1 - leaks.sum(-1, keepdim=True)) + leaks


def sickness_cases(draw: Draw) -> list[Case]:
    def case(label, *maps, double=False):
        order = draw.order(len(maps))
        weights = torch.stack([one for one, _ in maps])[order]
        mask = torch.stack([mask for _, mask in maps])[order]
        return Case(label, {"weights": weights.double() if double else weights, "mask": mask})

    free, short, wide = _open(3, 4), _open(3, 4), _open(5, 3)
    short[:, -1] = False
    two = wide & (torch.arange(3) < 2)  # each row may look at two words
    ahead = _open(4, 4).tril()
    dead = _open(4, 5)  # its second row is masked whole
    dead[1] = False
    forced = _open(3, 3) & torch.eye(3, dtype=torch.bool)[1]  # no row has a choice
    return [
        case(
            "five maps, one of each kind",
            (_healthy_map(draw, short), short),
            (_with(_healthy_map(draw, free), 0.5), free),
            (_leaky(draw, short, 0.2), short),
            (_stripe(draw, free, 2), free),
            (_even_map(draw, free), free),
        ),
        case(
            "sharp maps, with and without a stripe",
            (torch.eye(4)[draw.order(4)], _open(4, 4)),
            (_stripe(draw, _open(4, 4), 0), _open(4, 4)),
            (_stripe(draw, _open(4, 4), 1, 0.8), _open(4, 4)),
        ),
        case(
            "maps of a decoder",
            (_even_map(draw, ahead), ahead),
            (_healthy_map(draw, ahead), ahead),
            (_leaky(draw, ahead, 0.1), ahead),
            (_stripe(draw, ahead, 0), ahead),
        ),
        case(
            "equal shares, nearly equal shares, and a small leak",
            (_even_map(draw, wide, 0.01), wide),
            (_even_map(draw, wide, 0.3), wide),
            (_leaky(draw, two, 0.001), two),
            (_stripe(draw, two, 1), two),
        ),
        case(
            "a negative weight, a row of less than 1, and a leak on top of the whole",
            (_negative(_healthy_map(draw, free)), free),
            (_healthy_map(draw, free) * short, short),
            (_with(_healthy_map(draw, short), 0.3), short),
            (_even_map(draw, short), short),
        ),
        case(
            "rows that are masked whole",
            (_stripe(draw, dead, 2), dead),
            (_even_map(draw, dead), dead),
            (_healthy_map(draw, dead), dead),
        ),
        case(
            "no row has a choice, but in one map",
            (_even_map(draw, forced), forced),
            (_stripe(draw, _open(3, 3), 2), _open(3, 3)),
            (_even_map(draw, forced & False), forced & False),
        ),
        case("one map, in float64", (_stripe(draw, free, 1), free), double=True),
        case("one key only", (torch.ones(4, 1), _open(4, 1))),
    ]


def _diagnose(
    broken=lambda weights, mask: _no_shares(weights, mask) | (weights < 0).any(-1),
    leak=lambda weights, mask: (weights != 0) & ~mask,
    choice=lambda mask: mask.sum(-1) > 1,
    taken=lambda weights, idle: ((weights > 0.9) | idle[..., None]).all(1).any(-1),
    even=lambda weights, mask: _gap(weights, mask) < 0.01,
    last=BROKEN,
):
    """An answer with one part replaced. `last` is the code that wins over all the others."""

    def sickness(weights, mask):
        free = choice(mask)
        found = {
            UNIFORM: (even(weights, mask) | ~free).all(-1) & free.any(-1),
            ONE_TOKEN: taken(weights, ~free) & free.any(-1),
            LEAKS: leak(weights, mask).flatten(1).any(-1),
            BROKEN: broken(weights, mask).any(-1),
        }
        codes = torch.zeros(len(weights), dtype=torch.long)
        for code in [*found, last]:
            codes[found[code]] = code
        return codes

    return sickness


def _no_shares(weights, mask):
    return (weights.sum(-1) - mask.any(-1).to(weights)).abs() > 0.01


def _gap(weights, mask):
    most = weights.masked_fill(~mask, -torch.inf).amax(-1)
    return most - weights.masked_fill(~mask, torch.inf).amin(-1)


sickness = Exercise(
    id="sickness",
    title="Name the sickness",
    points=4,
    difficulty=3,
    minutes=20,
    outputs=["codes"],
    cases=sickness_cases,
    equivalents={
        "codes[(most - least < 0.01).all(1)] = 4": LAST_AXIS,
        "codes[taken.any(1)] = 3": LAST_AXIS,
        "codes[~choice.any(1)] = 0": LAST_AXIS,
        "codes[((weights != 0) & ~mask).flatten(1).any(1)] = 2": LAST_AXIS,
        "codes[((off > 0.01) | (weights < 0).any(-1)).any(1)] = 1": LAST_AXIS,
        "codes[(~mask & (weights != 0)).flatten(1).any(-1)] = 2": NO_ORDER,
        "codes[((weights < 0).any(-1) | (off > 0.01)).any(-1)] = 1": NO_ORDER,
        "taken = (~choice.unsqueeze(-1) | (weights > 0.9)).all(1)": NO_ORDER,
        "off = (mask.any(-1).to(weights) - weights.sum(-1)).abs()": "only the size counts",
        "codes[(most - least <= 0.01).all(-1)] = 4": AT_THE_LIMIT,
        "codes[((off >= 0.01) | (weights < 0).any(-1)).any(-1)] = 1": AT_THE_LIMIT,
        "taken = ((weights >= 0.9) | ~choice.unsqueeze(-1)).all(1)": AT_THE_LIMIT,
    },
    hints=[
        "Which of the five questions are about single entries, which about rows, which about a "
        "column?",
        "Make one boolean for each map and each question, of shape (batch,), with `any` and "
        "`all`. Then fill the codes in from the mildest to the worst, so that the worse one "
        "stays.",
        "`choice = mask.sum(-1) > 1` tells which rows count, shape (batch, tgt_len). A stripe: "
        "`((weights > 0.9) | ~choice[..., None])` is true in a whole column. Equal shares: in "
        "every row that counts, the largest minus the smallest weight under the mask's `True` is "
        "less than 0.01 (`masked_fill` the others with infinities first). Neither can be said of "
        "a map in which no row counts.",
    ],
    misconceptions=[
        Misconception(
            "sharp rows taken for a stripe",
            _diagnose(taken=lambda weights, idle: ((weights > 0.9).any(-1) | idle).all(-1)),
            "Your answer finds *one token* wherever every row is sharp. A clean diagonal is sharp "
            "too, and healthy. All rows have to be sharp at the *same* word.",
            "Sharp does not mean sick. Along which axis does a stripe run?",
        ),
        Misconception(
            "mean row taken for the rows",
            _diagnose(
                even=lambda weights, mask: (
                    (weights.mean(1) / mask.float().mean(1).clamp(min=0.1)).std(
                        -1, keepdim=True, correction=0
                    )
                    < 0.01
                )
            ),
            "Your answer looks at the mean of all rows. The mean of a clean diagonal is even too, "
            "and each of its rows looks at one word.",
            "Row words and all words were two numbers. Which of them has to be large here?",
        ),
        Misconception(
            "equal shares of all words",
            _diagnose(
                even=lambda weights, mask: (weights - 1 / weights.shape[-1]).abs().amax(-1) < 0.01
            ),
            "Your answer expects 1 / src_len as the equal share. Under a mask there are fewer "
            "words to share among: each gets more, and the masked ones get 0.",
            "A decoder's third word shares alike among three. What is its row?",
        ),
        Misconception(
            "negative weights let through",
            _diagnose(broken=_no_shares),
            "Your answer adds up the rows, and no more. A row of 1.4, -0.7 and 0.3 sums to 1 too, "
            "and is no row of shares.",
            "What is true of every single share?",
        ),
        Misconception(
            "sums let through",
            _diagnose(broken=lambda weights, mask: (weights < 0).any(-1)),
            "Your answer looks for negative weights, and does not add up the rows. Whoever masks "
            "after the softmax gets rows of less than 1.",
            "What is true of all shares of a row together?",
        ),
        Misconception(
            "a masked row should sum to 1",
            _diagnose(
                broken=lambda weights, mask: (
                    ((weights.sum(-1) - 1).abs() > 0.01) | (weights < 0).any(-1)
                )
            ),
            "Your answer calls a map broken because of a row that is masked whole. Such a row has "
            "nothing to share out: it sums to 0, as it should.",
            "What does `masked_softmax` give for a row without a single `True`?",
        ),
        Misconception(
            "columns added up",
            _diagnose(
                broken=lambda weights, mask: (
                    ((weights.sum(1) - 1).abs() > 0.01) | (weights < 0).any(1)
                )
            ),
            "Your answer adds up the columns. A column may sum to anything: a popular word gets "
            "more than 1 in all.",
            "Which axis belongs to the words that are looked at?",
        ),
        Misconception(
            "mask the other way round",
            lambda weights, mask: _diagnose()(weights, ~mask),
            "You read the mask the other way round, as `torch.nn.MultiheadAttention` does. In "
            "this course `True` means: may be attended to.",
            "A mask that is all `True`: what does it forbid?",
        ),
        Misconception(
            "small leaks let through",
            _diagnose(leak=lambda weights, mask: (weights > 0.01) & ~mask),
            "Your answer lets a small leak pass. A weight under a mask is exactly 0, or it is a "
            "leak: a thousandth is enough to copy the future from.",
            "What does `masked_softmax` put under the mask: a small number, or 0?",
        ),
        Misconception(
            "every row has a say",
            _diagnose(choice=lambda mask: mask.any(-1) | True),
            "Your answer counts rows that have no choice. A row that may look at one word only "
            "gives it everything, healthy or not; a row that is masked whole gives nothing. "
            "Neither says anything about the illness.",
            "How many words may the first row of a decoder look at?",
        ),
        Misconception(
            "masked rows only left out",
            _diagnose(choice=lambda mask: mask.any(-1)),
            "You leave out the rows that are masked whole, but not those that may look at one "
            "word only. They had no choice either.",
            "In a map with one key only, what else could the weights be?",
        ),
        Misconception(
            "the last that applies",
            _diagnose(last=LEAKS),
            "Where a map is broken and also leaks, you report the leak. The first illness of the "
            "table that applies is the answer.",
            "In which order do you fill in the codes, if a later one may overwrite?",
        ),
    ],
)


# --- 3. The wrong figure --------------------------------------------------------------------------


def _figure(word: str, decimal: str) -> float | None:
    """As `figure` of the notebook."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None


def _looks(links: list[int], src_len: int, faint: int, share: float) -> Tensor:
    """Each row's largest weight at its link: 0.75, or `share` in every `faint`-th row."""
    weights = torch.zeros(len(links), src_len)
    for row, column in enumerate(links):
        most = share if row % faint == faint - 1 and src_len > 3 else 0.75
        weights[row] = (1 - most) / max(1, src_len - 1)
        weights[row, column] = most if src_len > 1 else 1.0
    return weights


def invoice_cases(draw: Draw) -> list[Case]:
    def number():
        return int(draw.whole(11, 49))

    def case(label, source, target, links, faint=3, share=0.4, double=False):
        source, target = source.split(), target.split()
        weights = _looks([source.index(one) for one in links.split()], len(source), faint, share)
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
            "two figures exchanged",
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
            "a figure out of thin air",
            f"{a} lamps to Norvik , {c} euros",
            f"{a} lampes à {b} pour Norvik : {c} euros",
            f"{a} lamps to to Norvik Norvik , {c} euros",
            faint=4,
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
        case("one word, float64", f"{a}", f"{b}", f"{a}", double=True),
        case("a word that is no figure", "chairs , lamps and desks", "chaises", "chairs", faint=1),
    ]


def _clerk(
    same=lambda found, sought: _figure(found, ".") == _figure(sought, ","),
    seen=lambda weights, row: int(weights[row].argmax()),
    counts=lambda word: _figure(word, ",") is not None,
    faint=lambda row, least: row.max() < least,
    faint_counts=None,
):
    """An answer with one part replaced."""

    def check(weights, source, target, least):
        rows = range(len(target))
        wrong = [counts(w) and not same(source[seen(weights, i)], w) for i, w in enumerate(target)]
        watched = [(faint_counts or counts)(word) for word in target]
        unsure = [watched[row] and bool(faint(weights[row], least)) for row in rows]
        return torch.tensor(wrong), torch.tensor(unsure)

    return check


def _anywhere(weights, source, target, least):
    _, unsure = _clerk()(weights, source, target, least)
    values = {_figure(word, ".") for word in source}
    found = [_figure(word, ",") not in values | {None} for word in target]
    return torch.tensor(found), unsure


def _in_order(weights, source, target, least):
    """The first figure against the first, the second against the second."""
    _, unsure = _clerk()(weights, source, target, least)
    values = [one for one in (_figure(word, ".") for word in source) if one is not None]
    marks = []
    for word in target:
        value = _figure(word, ",")
        marks.append(value is not None and (not values or values.pop(0) != value))
    return torch.tensor(marks), unsure


def _every_word(weights, source, target, least):
    """Figures are compared by value, and all other words letter by letter."""
    wrong, unsure = _clerk()(weights, source, target, least)
    words = torch.tensor([_figure(word, ",") is None for word in target])
    other = [source[place] != word for place, word in zip(weights.argmax(-1), target, strict=True)]
    return wrong | (words & torch.tensor(other)), unsure


def _only_other_figures(found, sought):
    return _figure(found, ".") in (None, _figure(sought, ","))


def _by_columns(weights, row):
    column = weights[:, row % weights.shape[1]]
    return int(column.argmax()) % weights.shape[1]


def _turned(check):
    def turned(weights, source, target, least):
        wrong, unsure = check(weights, source, target, least)
        figures = torch.tensor([_figure(word, ",") is not None for word in target])
        return figures & ~wrong, unsure

    return turned


invoice_check = Exercise(
    id="invoice_check",
    title="The wrong figure",
    points=4,
    difficulty=2,
    minutes=20,
    outputs=["wrong", "unsure"],
    cases=invoice_cases,
    equivalents={
        "differs = torch.tensor([a != b for a, b in zip(sought, seen)])": "they are as long",
        "differs = torch.tensor([a != b for a, b in zip(sought, seen, strict=False)])": (
            "they are as long"
        ),
        "seen = [figure(source[place], '.') for place in weights.argmax(-1)]": (
            "a tensor of one whole number can be an index"
        ),
        "seen = [figure(source[place], '.') for place in weights.argmax(1).tolist()]": LAST_AXIS,
        "return (figures & differs, figures & (weights.amax(1) < least))": LAST_AXIS,
        "return (differs & figures, figures & (weights.amax(-1) < least))": NO_ORDER,
        "return (figures & differs, (weights.amax(-1) < least) & figures)": NO_ORDER,
    },
    hints=[
        "For which target words is the question asked at all? And which source word is each of "
        "them held against?",
        "Go through the target words with `enumerate`. `figure` tells whether a word is a figure, "
        "and what it is worth. Row `i` of the weights tells where the model looked.",
        "For a figure in row `i`: `seen = source[weights[i].argmax()]`. It is wrong if "
        '`figure(seen, ".")` is another number, or None. It is unsure if `weights[i].max()` lies '
        "below `least`. All other words are neither. Collect the marks in two lists and make "
        "`torch.tensor(…)` of each.",
    ],
    misconceptions=[
        Misconception(
            "letters compared",
            _clerk(same=lambda found, sought: found == sought),
            "You compare the words letter by letter. `1,250.50` and `1250,50` are the same "
            "amount, and so are `12.00` and `12`: your check cries wolf.",
            "What does `figure` make of the two?",
        ),
        Misconception(
            "French read as English",
            _clerk(
                same=lambda found, sought: _figure(found, ".") == _figure(sought, "."),
                counts=lambda word: _figure(word, ".") is not None,
            ),
            "You read the French figures with the English point: `12,5` becomes 125, since the "
            "comma counts as a mark between thousands.",
            "Which sign stands before the cents in a French invoice?",
        ),
        Misconception(
            "found anywhere",
            _anywhere,
            "You ask whether the figure occurs anywhere in the source. Two figures that have "
            "changed places both do, and both are wrong.",
            "What can the weights tell that a list of figures cannot?",
        ),
        Misconception(
            "first against first",
            _in_order,
            "You hold the first figure of the translation against the first of the source, and "
            "so on. French may put them in another order, and be right.",
            "Which source word belongs to the figure in row 3? Who knows?",
        ),
        Misconception(
            "words counted too",
            _every_word,
            "You mark words that are no figures as well: `chaises` is not `chairs`, of course.",
            "What does `figure` return for `chaises`?",
        ),
        Misconception(
            "only figures against figures",
            _clerk(same=_only_other_figures),
            "A figure that comes from a word is not marked. If the model looked at *Norvik* when "
            "a figure was written, that figure has no source at all.",
            "What is a figure out of thin air worth?",
        ),
        Misconception(
            "read by columns",
            _clerk(seen=_by_columns),
            "You look for the largest entry of a column. A column belongs to a source word; the "
            "row of a target word tells where the model looked when it was written.",
            "Which axis of the weights has as many entries as there are target words?",
        ),
        Misconception(
            "the right ones marked",
            _turned(_clerk()),
            "`wrong` is `True` for the figures that are right.",
            "What should `wrong` hold for a line without any fault?",
        ),
        Misconception(
            "every faint word",
            _clerk(faint_counts=lambda word: True),
            "`unsure` marks words that are no figures as well. Words such as *euros* can be "
            "written without looking anything up: their weights may lie anywhere.",
            "For which words is it asked whether the model looked firmly?",
        ),
        Misconception(
            "sure for unsure",
            _clerk(faint=lambda row, least: row.max() >= least),
            "`unsure` marks the figures whose largest weight is *not* below `least`.",
            "Is a large weight a doubt?",
        ),
        Misconception(
            "any faint weight",
            _clerk(faint=lambda row, least: row.min() < least),
            "`unsure` marks every figure that has a small weight somewhere in its row. Nearly "
            "every row has. It is the *largest* that should not be small.",
            "What is the smallest weight of a row that looks at one word only?",
        ),
    ],
)


# --- 4. Self-attention for the encoder ------------------------------------------------------------


def _real(lengths: Tensor, length: int) -> Tensor:
    return torch.arange(length) < lengths[:, None]  # (batch, len)


def encoder_cases(draw: Draw) -> list[Case]:
    def case(label, shape, lengths, reach=1.5, double=False):
        batch, length, dim, key_dim, value_dim = shape
        inputs = {
            "x": draw.numbers(batch, length, dim, reach=reach),
            "w_q": draw.numbers(dim, key_dim, reach=1.0),
            "w_k": draw.numbers(dim, key_dim, reach=1.0),
            "w_v": draw.numbers(dim, value_dim, reach=1.0),
        }
        if double:
            inputs = {name: one.double() for name, one in inputs.items()}
        return Case(label, inputs | {"lengths": torch.tensor(lengths)})

    turned = case("x that is a transposed view", (2, 5, 3, 2, 4), [5, 3])
    view = draw.numbers(2, 3, 5, reach=1.5).mT
    return [
        case("two sentences, of four words and of two", (2, 4, 3, 2, 5), [4, 2]),
        case("three sentences, the longest in the middle", (3, 5, 4, 3, 2), [3, 5, 1]),
        case("no padding", (2, 3, 4, 5, 3), [3, 3]),
        case("one sentence of one word", (1, 1, 3, 2, 4), [1]),
        case("an empty sentence in the batch", (3, 3, 4, 2, 5), [2, 0, 3]),
        case("large scores", (2, 4, 3, 2, 5), [2, 4], reach=200, double=True),
        case("float64", (1, 6, 5, 4, 3), [4], double=True),
        Case(turned.label, {**turned.inputs, "x": view}),
    ]


def _encoder(
    scores=lambda x, q, k: q @ k.mT / q.shape[-1] ** 0.5,
    weigh=lambda scores, mask: scores.masked_fill(~mask[:, None], -1e30).softmax(-1),
    clear=lambda weights, mask: weights * mask[:, None] * mask[..., None],
    mask=_real,
    mix=lambda weights, x, w_v: weights @ (x @ w_v),
):
    """An answer with one part replaced."""

    def attend(x, w_q, w_k, w_v, lengths):
        real = mask(lengths, x.shape[1])
        weights = clear(weigh(scores(x, x @ w_q, x @ w_k), real), real)
        return mix(weights, x, w_v), weights

    return attend


encoder_self_attention = Exercise(
    id="encoder_self_attention",
    title="Self-attention for the encoder",
    points=4,
    difficulty=2,
    minutes=20,
    outputs=["states", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=encoder_cases,
    equivalents={
        "weights = real.unsqueeze(2) * masked_softmax(scores, real.unsqueeze(1))": NO_ORDER,
    },
    hints=[
        "Which of the three projections does each of the three steps need? And which two things "
        "can a word of padding do wrong: be looked at, or look?",
        "Queries, keys and values are all made from `x`. From the lengths make a mask (batch, "
        "len): `torch.arange(len)` is smaller than the length where a word is real. It is needed "
        "twice, once for the columns and once for the rows.",
        "Scores (batch, len, len), divided by the root of the width of the *queries*. "
        "`masked_softmax` with `real[:, None]` clears the columns; `real[..., None]` times the "
        "weights clears the rows. The states are those weights times the projected values.",
    ],
    misconceptions=[
        Misconception(
            "padding looked at",
            _encoder(
                weigh=lambda scores, mask: scores.softmax(-1),
                clear=lambda weights, mask: weights * mask[..., None],
            ),
            "Words of padding are looked at: every real word gives some of its attention to "
            "positions that hold nothing.",
            "Which columns of the weights belong to padding? What should stand there?",
        ),
        Misconception(
            "padding looks",
            _encoder(clear=lambda weights, mask: weights * mask[:, None]),
            "The rows of padding still look at the sentence. They are no words: the task asks "
            "for rows of 0 there, in the weights and in the states.",
            "The mask (batch, len) has to clear columns *and* rows. Where is the second?",
        ),
        Misconception(
            "no mask",
            _encoder(
                weigh=lambda scores, mask: scores.softmax(-1), clear=lambda weights, mask: weights
            ),
            "The lengths change nothing in your weights: words of padding look, and are looked "
            "at, as if they were real.",
            "Call your function with lengths 4 and 2, and look at the rows and columns of words "
            "3 and 4.",
        ),
        Misconception(
            "masked after the softmax",
            _encoder(weigh=lambda scores, mask: scores.softmax(-1)),
            "You set the weights of padding to 0 after the softmax. The rows then sum to less "
            "than 1: what padding had taken is lost.",
            "What must stand in the *scores* so that the softmax itself gives 0?",
        ),
        Misconception(
            "scores of 0",
            _encoder(weigh=lambda scores, mask: scores.masked_fill(~mask[:, None], 0).softmax(-1)),
            "You set the *scores* of padding to 0. That is no low score: `exp(0)` is 1, so "
            "padding takes its share, and once that is cleared the rows do not sum to 1.",
            "Which score gives a weight of 0?",
        ),
        Misconception(
            "one word too many",
            _encoder(mask=lambda lengths, size: torch.arange(size) <= lengths[:, None]),
            "Your mask lets one word of padding through: positions begin at 0, so the last real "
            "word of a sentence of length 3 stands at position 2.",
            "For which positions is a sentence of length 1 real?",
        ),
        Misconception(
            "scaled by the model's width",
            _encoder(scores=lambda x, q, k: q @ k.mT / x.shape[-1] ** 0.5),
            "You divide by the root of the width of `x`. What counts is the width of the vectors "
            "that are multiplied with each other: the projected queries and keys.",
            "How many products are added up in one score?",
        ),
        Misconception(
            "no scale",
            _encoder(scores=lambda x, q, k: q @ k.mT),
            "Your scores are not divided by the root of the width of the queries. The weights "
            "come out too sharp.",
            "Which illness of section 2 begins with scores that are too large?",
        ),
        Misconception(
            "keys ask queries",
            _encoder(scores=lambda x, q, k: k @ q.mT / q.shape[-1] ** 0.5),
            "Rows and columns of your scores are swapped: in row i the *key* of word i is held "
            "against all queries. The row is the word that looks, and it looks with its query.",
            "In a product of two matrices, which of them gives the rows?",
        ),
        Misconception(
            "values not projected",
            _encoder(mix=lambda weights, x, w_v: weights @ x),
            "You mix the words themselves. What attention hands out are the values, `x @ w_v`.",
            "Which of the three projections have you not used yet?",
        ),
        Misconception(
            "an empty sentence gives NaN",
            _encoder(
                weigh=lambda scores, mask: scores.masked_fill(~mask[:, None], -torch.inf).softmax(
                    -1
                )
            ),
            "A sentence of length 0 gives NaN: the softmax of nothing but minus infinity is 0 "
            "divided by 0, and no later product with 0 makes a number of it.",
            "What does the `masked_softmax` of the course put in the place of minus infinity?",
        ),
    ],
)


# --- 5. Both ways ---------------------------------------------------------------------------------


def both_ways_cases(draw: Draw) -> list[Case]:
    def case(label, batch, left_len, right_len, dim, closed=(), reach=1.5, double=False):
        left = draw.numbers(batch, left_len, dim, reach=reach)
        right = draw.numbers(batch, right_len, dim, reach=reach)
        left_mask = torch.ones(batch, left_len, dtype=torch.bool)
        right_mask = torch.ones(batch, right_len, dtype=torch.bool)
        for side, sentence, place in closed:
            (left_mask if side == "left" else right_mask)[sentence, place] = False
        if double:
            left, right = left.double(), right.double()
        return Case(
            label,
            {"left": left, "right": right, "left_mask": left_mask, "right_mask": right_mask},
        )

    padding = [("left", 1, 2), ("right", 0, 3), ("right", 1, slice(2, 4))]
    turned = case("left and right are transposed views", 2, 3, 4, 5, padding)
    views = {"left": draw.numbers(2, 5, 3).mT, "right": draw.numbers(2, 5, 4).mT}
    return [
        case("three words and five, no padding", 1, 3, 5, 4),
        case("two pairs of sentences with padding", 2, 3, 4, 5, padding),
        case("the left side longer", 2, 5, 2, 3, [("left", 0, slice(3, 5)), ("right", 1, 1)]),
        case("one word against four", 1, 1, 4, 3, [("right", 0, 3)]),
        case("all of the right side masked", 2, 3, 4, 2, [("right", 0, slice(0, 4))]),
        case("large scores", 2, 3, 4, 5, padding, reach=100, double=True),
        case("float64", 1, 4, 3, 6, [("left", 0, 0)], double=True),
        Case(turned.label, {**turned.inputs, **views}),
    ]


def _softmax_where(scores, mask):
    """As `masked_softmax` of the course."""
    return scores.masked_fill(~mask, -1e30).softmax(-1) * mask


def _both(
    scale=lambda left: left.shape[-1] ** 0.5,
    forth=lambda scores, left_mask, right_mask: _softmax_where(scores, right_mask[:, None]),
    back=lambda scores, left_mask, right_mask: _softmax_where(scores.mT, left_mask[:, None]),
    reads=lambda forth, back, left, right: (forth @ right, back @ left),
    order=(0, 1, 2, 3),
):
    """An answer with one part replaced."""

    def attend(left, right, left_mask, right_mask):
        scores = left @ right.mT / scale(left)
        there = forth(scores, left_mask, right_mask)
        here = back(scores, left_mask, right_mask)
        results = (*reads(there, here, left, right), there, here)
        return tuple(results[place] for place in order)

    return attend


both_ways = Exercise(
    id="both_ways",
    title="Cross-attention both ways",
    points=4,
    difficulty=3,
    minutes=20,
    outputs=["left_reads", "right_reads", "forth", "back"],
    invariants={name: ["not negative", "rows sum to 1"] for name in ("forth", "back")},
    cases=both_ways_cases,
    hints=[
        "One table of scores, and two ways of reading it. Who is asking if you read it by rows, "
        "and who by columns?",
        "Turn the *scores* on their side before the second softmax, not the weights after the "
        "first. And each softmax needs the mask of those who are looked at.",
        "`forth` is the masked softmax of `scores` with the right mask, which gets an axis of 1 "
        "in its middle. `back` is the same of `scores.transpose(1, 2)` with the left mask. Each "
        "of the two multiplies the words that are looked at.",
    ],
    misconceptions=[
        Misconception(
            "the way back is the way there, turned",
            lambda left, right, left_mask, right_mask: _turned_weights(left, right, right_mask),
            "Your `back` is `forth` turned on its side. Its rows do not sum to 1: the softmax has "
            "shared out the attention of each *left* word, and nobody has shared out that of a "
            "right word.",
            "Scores can be read both ways. Which step of attention cannot?",
        ),
        Misconception(
            "columns for rows",
            _both(
                back=lambda scores, left_mask, right_mask: _down_the_columns(scores, left_mask),
                reads=lambda forth, back, left, right: (forth @ right, back.mT @ left),
            ),
            "Your `back` has a row for each left word: the softmax runs over the left words, as "
            "it should, but the result was not turned. A row belongs to the word that looks.",
            "Who looks in `back`, and how many of them are there?",
        ),
        Misconception(
            "right side unmasked",
            _both(forth=lambda scores, left_mask, right_mask: scores.softmax(-1)),
            "In `forth`, padding of the right sentence is looked at: its mask is not used.",
            "Which of the two masks says what a left word may look at?",
        ),
        Misconception(
            "left side unmasked",
            _both(back=lambda scores, left_mask, right_mask: scores.mT.softmax(-1)),
            "In `back`, padding of the left sentence is looked at: its mask is not used.",
            "Which of the two masks says what a right word may look at?",
        ),
        Misconception(
            "own mask",
            _both(
                forth=lambda scores, left_mask, right_mask: _softmax_where(
                    scores, left_mask[..., None]
                ),
                back=lambda scores, left_mask, right_mask: _softmax_where(
                    scores.mT, right_mask[..., None]
                ),
            ),
            "You mask the words that look, by their own mask. What has to be masked are the words "
            "that are looked at: those of the other side.",
            "Is the padding of the right side a row of `forth` or a column?",
        ),
        Misconception(
            "both masks at once",
            _both(
                forth=lambda scores, left_mask, right_mask: _softmax_where(
                    scores, left_mask[..., None] & right_mask[:, None]
                ),
                back=lambda scores, left_mask, right_mask: _softmax_where(
                    scores.mT, right_mask[..., None] & left_mask[:, None]
                ),
            ),
            "You also clear the rows of padding. Careful work, and more than was asked: here only "
            "what is *looked at* is masked, as in the attention of the course.",
            "Which mask does `forth` need, and which does it not need?",
        ),
        Misconception(
            "no scale",
            _both(scale=lambda left: 1.0),
            "Your scores are not divided by the root of the width, so all weights are too sharp.",
            "How many products are added up in one score?",
        ),
        Misconception(
            "reads itself",
            _both(reads=lambda forth, back, left, right: (back.mT @ right, forth.mT @ left)),
            "The weights are right and used the wrong way round: what the left side reads was "
            "mixed with `back` turned on its side, whose rows do not sum to 1.",
            "Which of the two weights has a row for each left word *and* sums to 1 in it?",
        ),
        Misconception(
            "pairs in another order",
            _both(order=(0, 2, 1, 3)),
            "You return each side's reading together with its weights. The task asks for the two "
            "readings first, then the two weights.",
            "What should the second of the four results be?",
        ),
    ],
)


def _turned_weights(left, right, right_mask):
    forth = _softmax_where(left @ right.mT / left.shape[-1] ** 0.5, right_mask[:, None])
    return forth @ right, forth.mT @ left, forth, forth.mT


def _down_the_columns(scores, left_mask):
    return _softmax_where(scores.mT, left_mask[:, None]).mT


# --- 6. Label smoothing ---------------------------------------------------------------------------


def smoothing_cases(draw: Draw) -> list[Case]:
    def case(label, lengths, tgt_len, words, smoothing=0.1, reach=3.0, double=False):
        logits = draw.numbers(len(lengths), tgt_len, words, reach=reach)
        labels = draw.whole(1, words - 1, len(lengths), tgt_len)
        labels[torch.arange(tgt_len) >= torch.tensor(lengths)[:, None]] = 0
        return Case(
            label,
            {
                "logits": logits.double() if double else logits,
                "labels": labels,
                "smoothing": smoothing,
            },
        )

    turned = case("logits that are a transposed view", [3, 2], 3, 4, 0.2)
    return [
        case("two sentences, of four words and of one", [4, 1], 4, 5),
        case("much smoothing", [2, 3, 1], 3, 4, 0.5),
        case("no smoothing", [1, 3], 3, 6, 0.0),
        case("no padding", [2, 2], 2, 5, 0.2),
        case("one word in all", [1], 1, 3, 0.3),
        case("three sentences of one word", [1, 1, 1], 1, 4, 0.2),
        case("nothing but padding", [0, 0], 2, 4),
        case("large logits, float64", [3, 1], 4, 5, 0.1, 900, double=True),
        Case(turned.label, {**turned.inputs, "logits": draw.numbers(2, 4, 3).mT}),
    ]


def _smoothed(
    chances=lambda logits: logits.log_softmax(-1),
    rest=lambda chances, right: chances.mean(-1),
    share=lambda smoothing: (1 - smoothing, smoothing),
    average=lambda losses, real: (losses * real).sum() / real.sum().clamp(min=1),
):
    """An answer with one part replaced."""

    def loss(logits, labels, smoothing):
        logs = chances(logits)
        right = logs.gather(-1, labels[..., None]).squeeze(-1)
        of_right, of_rest = share(smoothing)
        return average(-of_right * right - of_rest * rest(logs, right), labels != 0)

    return loss


def _each_sentence(losses, real):
    return ((losses * real).sum(-1) / real.sum(-1).clamp(min=1)).mean()


smoothed_loss = Exercise(
    id="smoothed_loss",
    title="A loss with smoothed labels",
    points=3,
    difficulty=2,
    minutes=15,
    outputs=["loss"],
    shortcuts=["cross_entropy", "CrossEntropyLoss"],
    cases=smoothing_cases,
    equivalents={
        "losses = -(1 - smoothing) * right - chances.mean(-1) * smoothing": NO_ORDER,
        "losses = right * -(1 - smoothing) - smoothing * chances.mean(-1)": NO_ORDER,
        "return (real * losses).sum() / real.sum().clamp(min=1)": NO_ORDER,
    },
    hints=[
        "Without smoothing, which one of the log-chances of a position counts? With smoothing, "
        "how many of them count?",
        "Take `log_softmax` first. `gather` picks the log-chance of the right word, the mean over "
        "the vocabulary is the second term. Then leave out the padding: in the sum *and* in what "
        "you divide by.",
        "Losses (batch, tgt_len): minus (1 - smoothing) times the picked log-chance, minus "
        "smoothing times the mean of all log-chances. Multiply by `labels != 0`, add up, divide "
        "by how many labels are real; `.clamp(min=1)` saves a batch of padding alone.",
    ],
    misconceptions=[
        Misconception(
            "padding in the count",
            _smoothed(average=lambda losses, real: (losses * real).mean()),
            "You leave the padding out of the sum and keep it in the count. The loss of a short "
            "sentence then looks smaller, for no other reason than its padding.",
            "By how many positions do you divide, and how many of them are words?",
        ),
        Misconception(
            "padding in the loss",
            _smoothed(average=lambda losses, real: losses.mean()),
            "Positions of padding count in your loss as if word 0 were right there. The model "
            "would learn to write padding.",
            "At which positions has the model something to say?",
        ),
        Misconception(
            "sum for mean",
            _smoothed(average=lambda losses, real: (losses * real).sum()),
            "You return the sum over all words. A batch with long sentences would then pull "
            "harder than one with short ones.",
            "The loss of twice the same batch: twice as much, or the same?",
        ),
        Misconception(
            "sentence by sentence",
            _smoothed(average=_each_sentence),
            "You take the mean of each sentence first, then the mean of the sentences. A word in "
            "a short sentence then counts more than one in a long sentence.",
            "How many words are real in the whole batch?",
        ),
        Misconception(
            "smoothing left out",
            _smoothed(share=lambda smoothing: (1.0, 0 * smoothing)),
            "Your loss is the plain cross-entropy: the smoothing changes nothing in it.",
            "Call your function with smoothing 0 and 0.5. What should differ?",
        ),
        Misconception(
            "nothing for the others",
            _smoothed(share=lambda smoothing: (1 - smoothing, 0 * smoothing)),
            "You take a share away from the right word and give it to nobody. That makes the "
            "loss smaller, and changes nothing in what is learned.",
            "The target is a distribution over words. To what does yours sum?",
        ),
        Misconception(
            "shared by the wrong words alone",
            _smoothed(
                rest=lambda chances, right: (chances.sum(-1) - right) / (chances.shape[-1] - 1)
            ),
            "You share the smoothing among the wrong words only. In the form asked for (and in "
            "PyTorch) it goes to all words alike, the right one included.",
            "Five words, smoothing 0.1: what does the right word get in all, 0.9 or 0.92?",
        ),
        Misconception(
            "each word gets all of it",
            _smoothed(rest=lambda chances, right: chances.sum(-1)),
            "Every word of the vocabulary gets the whole smoothing. It is to be shared: each gets "
            "smoothing divided by the number of words.",
            "The target is a distribution over words. To what does yours sum?",
        ),
        Misconception(
            "shares exchanged",
            _smoothed(share=lambda smoothing: (smoothing, 1 - smoothing)),
            "The right word gets `smoothing`, and the rest is shared among all. It is the other "
            "way round: with smoothing 0 the right word gets everything.",
            "What should your function give at smoothing 0?",
        ),
        Misconception(
            "no logarithm",
            _smoothed(chances=lambda logits: logits.softmax(-1)),
            "You use the chances themselves, and cross-entropy their logarithm. Yours hardly "
            "punishes a word that was thought impossible.",
            "A chance of 0.001 instead of 0.1: how much worse is that in your loss?",
        ),
        Misconception(
            "logits for chances",
            _smoothed(chances=lambda logits: logits),
            "You use the logits as they come out of the model. They are no log-chances yet: "
            "adding 7 to all of them changes your loss, and should not.",
            "Which function turns logits into logarithms of chances?",
        ),
        Misconception(
            "padding alone gives NaN",
            _smoothed(average=lambda losses, real: (losses * real).sum() / real.sum()),
            "A batch of padding alone gives NaN: 0 divided by 0. The task asks for a loss of 0 "
            "there.",
            "By what could you divide when there is no real word at all?",
        ),
    ],
)


# --- 7. Clipped together --------------------------------------------------------------------------


def clipping_cases(draw: Draw) -> list[Case]:
    def case(label, keys, queries, limit):
        return Case(label, {"of_keys": keys, "of_queries": queries, "limit": limit})

    def numbers(*shape, reach=3.0):
        drawn = draw.numbers(*shape, reach=reach)
        drawn.view(-1)[0] = reach  # so that no draw is short by chance
        return drawn

    return [
        case("a long gradient", numbers(2, 3), numbers(3, 2), 1.0),
        case("a short gradient", numbers(2, 3, reach=0.2), numbers(4, reach=0.1), 2.0),
        case("one part long, one part short", numbers(3, 2), numbers(3, reach=0.1), 0.5),
        case("one part is 0", numbers(2, 4), torch.zeros(3), 1.5),
        case("nothing but 0", torch.zeros(2, 3), torch.zeros(2), 1.0),
        case("single numbers", numbers(1, 1), numbers(1), 0.25),
        case("huge, float64", 1000 * numbers(2, 2).double(), numbers(5).double(), 3.0),
        case("transposed views", numbers(4, 3).T, numbers(2, 5).T, 2.0),
    ]


def _norm(of_keys, of_queries):
    return (of_keys.square().sum() + of_queries.square().sum()).sqrt()


def _clip(length=_norm, shrink=lambda limit, length: (limit / length).clamp(max=1)):
    """An answer with one part replaced."""

    def clip(of_keys, of_queries, limit):
        found = length(of_keys, of_queries)
        factor = shrink(limit, found)
        return of_keys * factor, of_queries * factor, found

    return clip


def _clip_apart(of_keys, of_queries, limit):
    first, second = (one * (limit / one.norm()).clamp(max=1) for one in (of_keys, of_queries))
    return first, second, _norm(of_keys, of_queries)


def _clip_values(of_keys, of_queries, limit):
    first, second = (one.clamp(-limit, limit) for one in (of_keys, of_queries))
    return first, second, _norm(of_keys, of_queries)


def _length_after(of_keys, of_queries, limit):
    first, second, _ = _clip()(of_keys, of_queries, limit)
    return first, second, _norm(first, second)


clip_together = Exercise(
    id="clip_together",
    title="Two bugs in the clipping",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["keys", "queries", "length"],
    cases=clipping_cases,
    equivalents={
        "length = (of_queries.square().sum() + of_keys.square().sum()).sqrt()": NO_ORDER,
        "return (of_keys * shrink, shrink * of_queries, length)": NO_ORDER,
        "return (shrink * of_keys, of_queries * shrink, length)": NO_ORDER,
    },
    hints=[
        "A parameter with entries 3 and one with entry 4: how long is the gradient of both "
        "together? And what becomes of it under a limit of 10?",
        "One bug is in the length: the sides of a right-angled triangle do not add up to its "
        "longest side. The other shows when the gradient is shorter than the limit.",
        "The length is the root of the sum of *all* squares, of both parts. The factor is the "
        "limit divided by that, but never more than 1: `.clamp(max=1)`.",
    ],
    misconceptions=[
        Misconception(
            "both bugs still there",
            _clip(
                lambda of_keys, of_queries: of_keys.norm() + of_queries.norm(),
                lambda limit, length: limit / length,
            ),
            "Both bugs are still there. The length is too large: the lengths of parts do not add "
            "up to the length of the whole. And a short gradient is made longer.",
            "What comes out for a gradient of length 0.1 under a limit of 1? What should?",
        ),
        Misconception(
            "short ones stretched",
            _clip(shrink=lambda limit, length: limit / length),
            "The length is right now. But a gradient that is shorter than the limit is stretched "
            "to it, so that every step is as long as the longest allowed.",
            "Which factor leaves a short gradient as it is?",
        ),
        Misconception(
            "lengths added up",
            _clip(length=lambda of_keys, of_queries: of_keys.norm() + of_queries.norm()),
            "Short gradients are left alone now. But the length is still too large: the lengths "
            "of the parts are added up. Parts of 3 and 4 make 5, not 7.",
            "What is a norm, written as a sum over all numbers?",
        ),
        Misconception(
            "each part by itself",
            _clip_apart,
            "You clip each part by its own length. Where only one is too long, only that one is "
            "shortened, and the direction of the step is another one.",
            "How many factors are there, if the direction is to stay?",
        ),
        Misconception(
            "values cut off",
            _clip_values,
            "You cut off single numbers at the limit. That bends the direction of the gradient; "
            "clipping by norm only shortens it.",
            "Is your result a multiple of what came in?",
        ),
        Misconception(
            "shortened to 1",
            _clip(shrink=lambda limit, length: (1 / length).clamp(max=1)),
            "You shorten to a length of 1, whatever the limit is.",
            "Where does the limit come in?",
        ),
        Misconception(
            "root forgotten",
            _clip(length=lambda of_keys, of_queries: _norm(of_keys, of_queries).square()),
            "Your length is the sum of the squares. Its root is missing.",
            "How long is a gradient of one number, 3?",
        ),
        Misconception(
            "length afterwards",
            _length_after,
            "The gradients are clipped as they should be. But you report the length *after* "
            "clipping, where a tower no longer shows.",
            "Section 2 drew a curve of lengths. Which of the two lengths was it?",
        ),
        Misconception(
            "0 divided by 0",
            _clip(shrink=lambda limit, length: torch.minimum(length, length * 0 + limit) / length),
            "A gradient of 0 gives NaN: you divide 0 by its length, which is 0.",
            "What if the limit is divided by the length, and the quotient is held below 1?",
        ),
    ],
)


# --- 8. Does order matter? ------------------------------------------------------------------------


def shuffle_cases(draw: Draw) -> list[Case]:
    def order(length):
        """No word keeps its place, and the way back is another order than the way there."""
        shift = 1 if length < 5 else 2
        return (torch.arange(length) + shift) % length

    def case(label, length, dim, places=None, reach=2.0, double=False):
        x, positions = draw.numbers(length, dim, reach=reach), draw.numbers(length, dim, reach=1.5)
        if double:
            x, positions = x.double(), positions.double()
        places = order(length) if places is None else places
        return Case(label, {"x": x, "positions": positions, "order": places})

    turned = case("x that is a transposed view", 3, 4)
    return [
        case("three words", 3, 2),
        case("five words", 5, 4),
        case("two words exchanged", 4, 3, torch.tensor([0, 3, 2, 1])),
        case("nothing shuffled", 3, 5, torch.arange(3)),
        case("one word", 1, 4),
        case("long vectors, float64", 4, 3, reach=30, double=True),
        case("float64", 6, 3, double=True),
        Case(turned.label, {**turned.inputs, "x": draw.numbers(4, 3, reach=2.0).T}),
    ]


def _look(x):
    return (x @ x.T / x.shape[-1] ** 0.5).softmax(-1) @ x


def _shuffle(
    look=_look,
    moved=lambda look, shuffled, straight, order: look(shuffled) - look(straight)[order],
    place=lambda x, positions, order: x + positions,
    size=lambda change: change.abs().amax(-1),
):
    """An answer with one part replaced."""

    def test(x, positions, order):
        without = moved(look, x[order], x, order)
        placed = moved(look, place(x[order], positions, order), place(x, positions, None), order)
        return size(without), size(placed)

    return test


def _positions_added_behind(x, positions, order):
    without, shuffled, straight = (
        _look(x[order]) - _look(x)[order],
        _look(x[order]) + positions,
        _look(x) + positions,
    )
    return without.abs().amax(-1), (shuffled - straight[order]).abs().amax(-1)


shuffle_test = Exercise(
    id="shuffle_test",
    title="Does order matter?",
    points=3,
    difficulty=2,
    minutes=15,
    outputs=["without", "with_positions"],
    cases=shuffle_cases,
    equivalents={
        "alone = look(x)[order] - look(x[order])": "only the size counts",
        "placed = look(x + positions)[order] - look(x[order] + positions)": "only the size counts",
        "placed = look(positions + x[order]) - look(x + positions)[order]": NO_ORDER,
        "placed = look(x[order] + positions) - look(positions + x)[order]": NO_ORDER,
        "return (alone.abs().amax(-1), placed.abs().amax(1))": LAST_AXIS,
        "return (alone.abs().amax(1), placed.abs().amax(-1))": LAST_AXIS,
        "return (words @ words.T / words.shape[-1] ** 0.5).softmax(1) @ words": LAST_AXIS,
        "return (words @ words.T / words.shape[1] ** 0.5).softmax(-1) @ words": LAST_AXIS,
        "return (alone.abs().amin(-1), placed.abs().amax(-1))": "all of it is 0",
        "return (alone.amax(-1), placed.abs().amax(-1))": "all of it is 0",
    },
    hints=[
        "*dog bites man* and *man bites dog*: which output of the second sentence belongs to "
        "which output of the first?",
        "Write the self-attention once, as a function of a matrix of words. Then call it four "
        "times: straight and shuffled, without positions and with them. `[order]` puts the rows "
        "of the straight output into the order of the shuffled one.",
        "`without` compares `look(x[order])` with `look(x)[order]`. For `with_positions` the "
        "words are shuffled first, and the positions are added afterwards: place 0 has position "
        "0, whoever stands there. Then the largest absolute difference of each row.",
    ],
    misconceptions=[
        Misconception(
            "row against row",
            _shuffle(moved=lambda look, shuffled, straight, order: look(shuffled) - look(straight)),
            "You compare the first row with the first row, and so on. After shuffling another "
            "word stands there. The question is what has changed for the *same* word.",
            "Where does the word of row 0 of the shuffled sentence stand in the straight one?",
        ),
        Misconception(
            "shuffled twice the wrong way",
            _shuffle(
                moved=lambda look, shuffled, straight, order: (
                    look(shuffled) - look(straight)[order.argsort()]
                )
            ),
            "The rows of the straight output are put into another order than the words were: the "
            "way back instead of the way there.",
            "The words were shuffled with `[order]`. With what must the outputs be?",
        ),
        Misconception(
            "positions travel with the words",
            _shuffle(
                place=lambda x, positions, order: (
                    x + positions if order is None else x + positions[order]
                )
            ),
            "You shuffle the positions along with the words. Then every word keeps its old "
            "position wherever it stands, and nothing can change. A position belongs to a place.",
            "Who stands at place 0 after shuffling, and which position should it get?",
        ),
        Misconception(
            "positions behind the attention",
            _positions_added_behind,
            "You add the positions to the output of the attention. There they come too late to "
            "change who looks at whom.",
            "What must know of positions: the scores, or what comes out?",
        ),
        Misconception(
            "signs kept",
            _shuffle(size=lambda change: change.amax(-1)),
            "You take the largest difference with its sign: a change downwards does not count.",
            "Which is the larger change, -3 or 1?",
        ),
        Misconception(
            "all words together",
            _shuffle(size=lambda change: change.abs().amax()),
            "You return one number for all words together. Asked is one for each word.",
            "Along which axis is the largest difference to be found?",
        ),
        Misconception(
            "mean for the largest",
            _shuffle(size=lambda change: change.abs().mean(-1)),
            "You take the mean of the absolute differences of a row. Asked is the largest.",
            "What does `amax` do?",
        ),
        Misconception(
            "no scale",
            _shuffle(look=lambda x: (x @ x.T).softmax(-1) @ x),
            "Your scores are not divided by the root of the width.",
            "Which formula does the task give?",
        ),
        Misconception(
            "softmax over the queries",
            _shuffle(look=lambda x: (x @ x.T / x.shape[-1] ** 0.5).softmax(0) @ x),
            "Your softmax runs over the queries, along axis 0. Each *row* of the weights has to "
            "sum to 1.",
            "Which axis of the scores belongs to the words that are looked at?",
        ),
    ],
)


# --- 9. A classifier that looks at patches --------------------------------------------------------


def patch_cases(draw: Draw) -> list[Case]:
    def case(label, batch, height, width, patch, dim, classes, reach=1.0, double=False):
        count, pixels = (height // patch) * (width // patch), patch * patch
        shapes = {
            "embed.weight": (dim, pixels),
            "embed.bias": (dim,),
            "places": (count, dim),
            "query": (dim,),
            "answer.weight": (classes, dim),
            "answer.bias": (classes,),
        }
        parameters = {name: draw.numbers(*shape, reach=reach) for name, shape in shapes.items()}
        images = draw.whole(0, 16, batch, height, width) / 16
        if double:
            images = images.double()
            parameters = {name: one.double() for name, one in parameters.items()}
        build = {
            "height": height,
            "width": width,
            "patch": patch,
            "dim": dim,
            "classes": classes,
        }
        return Case(label, {"images": images}, build, parameters)

    turned = case("images that are a transposed view", 2, 6, 4, 2, 3, 5)
    views = {"images": draw.whole(0, 16, 2, 4, 6).div(16).mT}
    return [
        case("two images of 4 by 6 pixels, patches of 2 by 2", 2, 4, 6, 2, 5, 3),
        case("images higher than wide", 3, 6, 4, 2, 4, 3),
        case("one image", 1, 3, 9, 3, 4, 2),
        case("one patch only", 2, 2, 2, 2, 3, 4),
        case("patches of one pixel", 2, 2, 3, 1, 4, 2),
        case("large scores", 2, 4, 6, 2, 5, 3, 20, double=True),
        case("float64", 1, 4, 4, 2, 6, 3, double=True),
        Case(turned.label, views, turned.build, turned.parameters),
    ]


class _Patches(nn.Module):
    """A right answer whose steps can be replaced one at a time."""

    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def cut(self, images):
        cut = images.unfold(1, self.patch, self.patch).unfold(2, self.patch, self.patch)
        return cut.flatten(3).flatten(1, 2)

    def see(self, pieces):
        return (self.embed(pieces) + self.places).relu()

    def score(self, states):
        return states @ self.query / states.shape[-1] ** 0.5

    def weigh(self, scores):
        return scores.softmax(-1)

    def mix(self, weights, states):
        return (weights[:, None] @ states)[:, 0]

    def forward(self, images):
        states = self.see(self.cut(images))
        weights = self.weigh(self.score(states))
        return self.answer(self.mix(weights, states)), weights


class _RowsOfPixels(_Patches):
    def cut(self, images):
        return images.reshape(len(images), -1, self.patch * self.patch)


class _DownTheColumns(_Patches):
    def cut(self, images):
        cut = images.unfold(1, self.patch, self.patch).unfold(2, self.patch, self.patch)
        return cut.transpose(1, 2).flatten(3).flatten(1, 2)


class _PixelsTurned(_Patches):
    def cut(self, images):
        cut = images.unfold(1, self.patch, self.patch).unfold(2, self.patch, self.patch)
        return cut.mT.flatten(3).flatten(1, 2)


class _NoPlaces(_Patches):
    def see(self, pieces):
        return self.embed(pieces).relu()


class _PlacesLate(_Patches):
    def see(self, pieces):
        return self.embed(pieces).relu() + self.places


class _NoRelu(_Patches):
    def see(self, pieces):
        return self.embed(pieces) + self.places


class _NoScale(_Patches):
    def score(self, states):
        return states @ self.query


class _AcrossTheBatch(_Patches):
    def weigh(self, scores):
        return scores.softmax(0)


class _NoSoftmax(_Patches):
    def weigh(self, scores):
        return scores


class _EqualShares(_Patches):
    def mix(self, weights, states):
        return states.mean(1)


class _BestPatch(_Patches):
    def mix(self, weights, states):
        return states[torch.arange(len(states)), weights.argmax(-1)]


PatchClassifier = Exercise(
    id="PatchClassifier",
    title="A classifier that looks at patches",
    points=5,
    difficulty=3,
    minutes=25,
    kind="module",
    outputs=["logits", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=patch_cases,
    equivalents={
        "count = width // patch * (height // patch)": NO_ORDER,
        "states = (self.places + self.embed(pieces)).relu()": NO_ORDER,
        "weights = scores.softmax(1)": LAST_AXIS,
        **{
            f"self.places = nn.Parameter({start})": "the check puts its own values in"
            for start in (
                "2 / torch.randn(count, dim)",
                "torch.randn(count, dim) * 2",
                "torch.randn(count, dim) - 2",
                "torch.randn(count, dim) / 1",
                "torch.randn(count, dim) / 3",
                "torch.randn(count, dim)",
            )
        },
    },
    hints=[
        "What are the keys here, what are the values, and who asks? How many queries are there "
        "for one image?",
        "`unfold(1, patch, patch)` cuts the rows into strips, and a second `unfold` along the "
        "next axis cuts the strips into patches: (batch, rows, columns, patch, patch). Two "
        "`flatten` make (batch, patches, pixels) of it. One query gives one row of weights, "
        "(batch, patches).",
        "States: the ReLU of `self.embed(pieces) + self.places`. Scores: the states times "
        "`self.query`, divided by the root of dim. Weights: their softmax along the patches. "
        "Context: `weights.unsqueeze(1) @ states` without the axis of length 1. The logits are "
        "`self.answer` of it.",
    ],
    misconceptions=[
        Misconception(
            "rows of pixels for patches",
            _RowsOfPixels,
            "Your patches are no patches: `reshape` takes pixels in the order of reading, so a "
            "piece is a strip of one row and not a square.",
            "Which pixels stand beside and below each other in a patch of 2 by 2?",
        ),
        Misconception(
            "patches column by column",
            _DownTheColumns,
            "Your patches are right, and counted down the columns. The task counts them as one "
            "reads: the first row of patches from left to right, then the next.",
            "Where in the image is your second patch?",
        ),
        Misconception(
            "pixels of a patch turned",
            _PixelsTurned,
            "Inside each patch, rows and columns of pixels are exchanged: every patch is turned "
            "over its diagonal before it is embedded.",
            "In which order do the pixels of one patch reach `embed`?",
        ),
        Misconception(
            "places left out",
            _NoPlaces,
            "The vectors of the places are not added. A stroke at the top and the same stroke at "
            "the bottom are then one and the same patch.",
            "Which parameter have you not used yet?",
        ),
        Misconception(
            "places behind the ReLU",
            _PlacesLate,
            "You add the places after the ReLU. The task adds them before, so that what a patch "
            "holds and where it lies go through the same bend.",
            "What stands inside the ReLU in the task's formula?",
        ),
        Misconception(
            "no ReLU",
            _NoRelu,
            "The ReLU is missing. Without it the mixture knows what the patches hold in sum, and "
            "hardly what stood where.",
            "What becomes of negative numbers in the states?",
        ),
        Misconception(
            "no scale",
            _NoScale,
            "Your scores are not divided by the root of dim.",
            "How many products are added up in one score?",
        ),
        Misconception(
            "images compete",
            _AcrossTheBatch,
            "Your softmax runs along the batch: the images compete with each other, and the "
            "weights of an image do not sum to 1.",
            "Which axis of (batch, patches) is shared out?",
        ),
        Misconception(
            "no softmax",
            _NoSoftmax,
            "You mix the states by the scores themselves, which are no shares.",
            "Which step of the three is missing?",
        ),
        Misconception(
            "mean of the patches",
            _EqualShares,
            "You compute weights and then take the plain mean of all patches. The look has no "
            "effect on the answer.",
            "What should change in the logits when the query changes?",
        ),
        Misconception(
            "the best patch only",
            _BestPatch,
            "You take the patch with the largest weight and nothing of the others. A hard choice "
            "passes no gradient to the query.",
            "How did the soft look-up of notebook 01 use all its weights?",
        ),
    ],
)


# --- 10. Which cure? ------------------------------------------------------------------------------

CURES = {
    "tiny_start": ["normal vectors", "a warm-up", "a smaller clip"],
    "long_vectors": ["dies", "explodes", "stays"],
    "faulty_batch": ["clipping", "a larger width", "a causal mask"],
    "tight_clip": ["a lower rate", "nothing", "sharper weights"],
    "rushed": ["a warm-up", "more steps", "a colder softmax"],
    "no_scale": ["twice", "four times", "the same"],
}
_CURES = {
    "tiny_start": "normal vectors",
    "long_vectors": "dies",
    "faulty_batch": "clipping",
    "tight_clip": "a lower rate",
    "rushed": "a warm-up",
    "no_scale": "twice",
}

cure_prediction = Exercise(
    id="cure_prediction",
    title="Which cure?",
    points=2,
    difficulty=2,
    minutes=10,
    kind="choices",
    outputs=list(CURES),
    choices=CURES,
    cases=lambda draw: [Case("your prediction")],
    hints=[
        "Two illnesses come from the size of the vectors at the start. Which two numbers tell "
        "them apart: spread, row words, gradient?",
        "A query learns through the keys, and a key through the queries: the gradient of the one "
        "is multiplied by the size of the other. A hard choice passes no gradient back.",
        "Go back to section 2 and change one thing in its cells: `new(init=…)` for the length of "
        "the vectors, `warmup=…` and `clip=…` in `train`. For `no_scale`: the standard deviation "
        "of a dot product of two random vectors is the root of their width.",
    ],
    misconceptions=_wrong_choices(
        _CURES,
        {
            ("tiny_start", "a warm-up"): (
                "slower than slow",
                "You warm up a model that does not get going. A warm-up makes the first steps "
                "smaller still; here they are too small already.",
                "By what is the gradient at a query multiplied?",
            ),
            ("tiny_start", "a smaller clip"): (
                "clipping what vanishes",
                "You clip a gradient that is next to nothing. Clipping only shortens.",
                "Is this gradient too long or too short?",
            ),
            ("long_vectors", "explodes"): (
                "large scores, small gradient",
                "You say that the gradient at the scores explodes. The *scores* do. The softmax "
                "of such scores is a hard choice, and a hard choice hardly moves when a score "
                "does.",
                "What is the slope of a curve that is flat at 0 and at 1?",
            ),
            ("long_vectors", "stays"): (
                "gradient untouched",
                "You say that the gradient at the scores stays. Section 2 measured it: less than "
                "a thousandth of the healthy one was left.",
                "By how much does a weight of 0.9999 change when its score rises a little?",
            ),
            ("faulty_batch", "a larger width"): (
                "wider is not calmer",
                "You make the model wider. The faulty batch pushes every width out of its way.",
                "Which number stood out as a tower at the faulty step?",
            ),
            ("faulty_batch", "a causal mask"): (
                "a mask against a blow",
                "You put a causal mask over it. That changes who may look where, not how long a "
                "step is.",
                "Which number stood out as a tower at the faulty step?",
            ),
            ("tight_clip", "nothing"): (
                "the clip unnoticed",
                "You say that nothing happens. Every ordinary gradient is longer than this clip, "
                "so every step is shortened.",
                "How long is each step when every gradient is cut to a hundredth?",
            ),
            ("tight_clip", "sharper weights"): (
                "clipping the weights",
                "You say that the weights get sharper. What is clipped is the gradient of the "
                "parameters, not the attention.",
                "What is shortened, and when?",
            ),
            ("rushed", "more steps"): (
                "waiting for thaw",
                "You train longer. The rows are frozen: they pass hardly any gradient, and later "
                "steps change as little as earlier ones.",
                "Which steps decided everything?",
            ),
            ("rushed", "a colder softmax"): (
                "ice against frost",
                "You make the softmax colder. That sharpens rows that are too sharp already.",
                "What does a low temperature do to differences of scores?",
            ),
            ("no_scale", "four times"): (
                "variance for spread",
                "You say four times. The *variance* of the scores grows like the width; the "
                "spread is its root.",
                "Which of the two, variance or standard deviation, is measured in units of score?",
            ),
            ("no_scale", "the same"): (
                "width without effect",
                "You say that the spread stays. That is what the scale by √d is for; without it "
                "more products are added up, and their sum spreads further.",
                "How large is a typical score at d = 4, and at d = 256? Notebook 04 measured it.",
            ),
        },
    ),
)


EXERCISES = [
    four_sick_maps,
    sickness,
    invoice_check,
    encoder_self_attention,
    both_ways,
    smoothed_loss,
    clip_together,
    shuffle_test,
    PatchClassifier,
    cure_prediction,
]
