"""The task “Name the sickness”: right answers and known mistakes."""

import torch
from torch import Tensor

from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case

AT_THE_LIMIT = "at the limit itself rounding decides"
HEALTHY, BROKEN, LEAKS, ONE_TOKEN, UNIFORM = range(5)


def _open(rows: int, columns: int) -> Tensor:
    return torch.ones(rows, columns, dtype=torch.bool)


def _shared(rough: Tensor, mask: Tensor) -> Tensor:
    """Turn rough weights into shares: 0 under the mask, and in rows that are masked whole."""
    open_only = rough * mask
    return open_only / open_only.sum(-1, keepdim=True).clamp(min=1e-6)


def _healthy_map(draw: Draw, mask: Tensor) -> Tensor:
    """Return a map in which each row has another favourite with well over half of its weight."""
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
    """Return equal shares, of which those in odd columns are smaller by `step`."""
    return _shared(1.0 - step * (torch.arange(mask.shape[1]) % 2), mask)


def _with(weights: Tensor, value: float) -> Tensor:
    """Return the map with so much added in the last place of the second row."""
    changed = weights.clone()
    changed[1, -1] += value
    return changed


def _one_row(weights: Tensor, of: Tensor) -> Tensor:
    """Return the map with its last row taken from another."""
    return torch.cat([weights[:-1], of[-1:]])


def _negative(weights: Tensor, size: float = 0.9) -> Tensor:
    """Return a map with a negative entry in the first row, which still sums to 1."""
    changed = weights.clone()
    changed[0, 0] += changed[0, 1] + size
    changed[0, 1] = -size
    return changed


def _leaky(draw: Draw, mask: Tensor, size: float) -> Tensor:
    """Return a healthy map that leaks: each row gives a little to every place under the mask."""
    leaks = size * ~mask  # (tgt_len, src_len)
    return _healthy_map(draw, mask) * (1 - leaks.sum(-1, keepdim=True)) + leaks


def cases(draw: Draw) -> list[Case]:
    def case(label, *maps, double=False):
        order = draw.order(len(maps))
        weights = torch.stack([table for table, _ in maps])[order]
        mask = torch.stack([mask for _, mask in maps])[order]
        return Case(label, {"weights": weights.double() if double else weights, "mask": mask})

    free, short, wide = _open(3, 4), _open(3, 4), _open(5, 3)
    short[:, -1] = False
    two = wide & (torch.arange(3) < 2)  # each row may look at two words
    ahead = _open(4, 4).tril()
    dead = _open(4, 5)  # its second row is masked whole
    dead[1] = False
    zigzag = torch.tensor([1, -1, 1, -1]) / 2
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
            (_leaky(draw, two, 1e-7), two),
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
        case(
            "sums and gaps just inside and just outside the limits",
            *((_with(_healthy_map(draw, free), off), free) for off in (0.008, 0.013)),
            *((_with(_healthy_map(draw, free), off), free) for off in (-0.008, -0.013)),
            *((_even_map(draw, free) + gap * zigzag, free) for gap in (0.008, 0.013)),
            *((_stripe(draw, free, 2, most), free) for most in (0.89, 0.91)),
            (_negative(_healthy_map(draw, free), 0.0005), free),
        ),
        case(
            "one row unlike the others",
            (_one_row(_even_map(draw, free), of=_healthy_map(draw, free)), free),
            (_one_row(_healthy_map(draw, free), of=_even_map(draw, free)), free),
            (_one_row(_stripe(draw, free, 1), of=_even_map(draw, free)), free),
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
    """Return an answer with one part replaced; the code `last` wins over all others."""

    def sickness(weights, mask):
        free = choice(mask)
        rows = {
            UNIFORM: (even(weights, mask) | ~free).all(-1) & free.any(-1),
            ONE_TOKEN: taken(weights, ~free) & free.any(-1),
            LEAKS: leak(weights, mask).flatten(1).any(-1),
            BROKEN: broken(weights, mask).any(-1),
        }
        codes = torch.zeros(len(weights), dtype=torch.long)
        for code in [*rows, last]:
            codes[rows[code]] = code
        return codes

    return sickness


def _no_shares(weights, mask):
    return (weights.sum(-1) - mask.any(-1).to(weights)).abs() > 0.01


def _gap(weights, mask):
    most = weights.masked_fill(~mask, -torch.inf).amax(-1)
    return most - weights.masked_fill(~mask, torch.inf).amin(-1)


def _one(weights, mask):
    rows = [(row, allowed) for row, allowed in zip(weights, mask, strict=True)]
    for row, allowed in rows:
        whole = 1 if allowed.any() else 0
        if (row < 0).any() or abs(float(row.sum()) - whole) > 0.01:
            return 1
    for row, allowed in rows:
        if row[~allowed].any():
            return 2
    rows = [(row, allowed) for row, allowed in rows if int(allowed.sum()) >= 2]
    if not rows:
        return 0
    for column in range(weights.shape[1]):
        if all(row[column] > 0.9 for row, _ in rows):
            return 3
    if all(row[allowed].max() - row[allowed].min() < 0.01 for row, allowed in rows):
        return 4
    return 0


def in_loops(weights, mask):
    return torch.tensor([_one(*pair) for pair in zip(weights, mask, strict=True)])


def by_where(maps, allowed):
    counting = allowed.sum(-1, keepdim=True) >= 2  # (batch, tgt_len, 1)
    smallest = torch.where(counting, maps, 1.0).amin(1)  # (batch, src_len)
    stripe = (smallest > 0.9).any(-1) & counting.flatten(1).any(-1)
    high = torch.where(allowed, maps, -9.0).amax(-1, keepdim=True)
    low = torch.where(allowed, maps, 9.0).amin(-1, keepdim=True)
    flat = torch.where(counting, high - low, 0.0).flatten(1).amax(-1) < 0.01
    flat = flat & counting.flatten(1).any(-1)
    leak = (maps * ~allowed).abs().sum((1, 2)) > 0
    whole = torch.where(allowed.any(-1), 1.0, 0.0)
    broken = ~torch.isclose(maps.sum(-1), whole.to(maps), rtol=0, atol=0.01).all(-1)
    broken = broken | (maps.amin((1, 2)) < 0)
    return torch.where(broken, 1, torch.where(leak, 2, torch.where(stripe, 3, flat * 4)))


def worst_first(weights, mask):
    codes = torch.full((len(weights),), -1)
    free = mask.sum(2) > 1
    best = weights.max(-1)
    for number in range(len(weights)):
        total = weights[number].sum(-1)
        if (weights[number] < 0).any() or (total - mask[number].any(-1).float()).abs().max() > 0.01:
            codes[number] = 1
        elif (weights[number][~mask[number]] != 0).any():
            codes[number] = 2
        elif not free[number].any():
            codes[number] = 0
        elif (
            best.values[number][free[number]].min() > 0.9
            and best.indices[number][free[number]].unique().numel() == 1
        ):
            codes[number] = 3
        else:
            share = 1 / mask[number].sum(-1).clamp(min=1)
            gap = weights[number] - share[:, None]
            gap = torch.where(mask[number] & free[number][:, None], gap, 0.0)
            codes[number] = 4 * int(gap.amax() - gap.amin() < 0.01)
    return codes.int()


def in_float64(weights, mask):
    return in_loops(weights.double(), mask)


exercise = Exercise(
    id="sickness",
    title="Name the sickness",
    points=4,
    difficulty=3,
    minutes=30,
    section="07.2",
    outputs=["codes"],
    cases=cases,
    equivalents={
        "codes[(most - least < 0.01).all(1)] = 4": IN_A_MATRIX,
        "codes[taken.any(1)] = 3": IN_A_MATRIX,
        "codes[~choice.any(1)] = 0": IN_A_MATRIX,
        "codes[((weights != 0) & ~mask).flatten(1).any(1)] = 2": IN_A_MATRIX,
        "codes[((off > 0.01) | (weights < 0).any(-1)).any(1)] = 1": IN_A_MATRIX,
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
    mistakes={
        "sharp rows taken for a stripe": WrongAnswer(
            _diagnose(taken=lambda weights, idle: ((weights > 0.9).any(-1) | idle).all(-1)),
            "Your answer finds *one token* wherever every row is sharp. A clean diagonal is sharp "
            "too, and healthy. All rows have to be sharp at the *same* word.",
            "Sharp does not mean sick. Along which axis does a stripe run?",
            misconception="map-by-one-sign",
        ),
        "mean row taken for the rows": WrongAnswer(
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
            misconception="map-by-one-sign",
        ),
        "equal shares of all words": WrongAnswer(
            _diagnose(
                even=lambda weights, mask: (weights - 1 / weights.shape[-1]).abs().amax(-1) < 0.01
            ),
            "Your answer expects 1 / src_len as the equal share. Under a mask there are fewer "
            "words to share among: each gets more, and the masked ones get 0.",
            "A decoder's third word shares alike among three. What is its row?",
            misconception="row-is-sentence",
        ),
        "negative weights let through": WrongAnswer(
            _diagnose(broken=_no_shares),
            "Your answer adds up the rows, and no more. A row of 1.4, -0.7 and 0.3 sums to 1 too, "
            "and is no row of shares.",
            "What is true of every single share?",
            misconception="shares-need-not-sum-to-one",
        ),
        "sums let through": WrongAnswer(
            _diagnose(broken=lambda weights, mask: (weights < 0).any(-1)),
            "Your answer finds negative weights, and lets rows through that do not sum to 1. "
            "Whoever masks after the softmax gets rows of less than 1.",
            "What is true of all shares of a row together?",
            misconception="shares-need-not-sum-to-one",
        ),
        "a masked row should sum to 1": WrongAnswer(
            _diagnose(
                broken=lambda weights, mask: (
                    ((weights.sum(-1) - 1).abs() > 0.01) | (weights < 0).any(-1)
                )
            ),
            "Your answer calls a map broken because of a row that is masked whole. Such a row has "
            "nothing to share out: it sums to 0, as it should.",
            "What does `masked_softmax` give for a row without a single `True`?",
            misconception="empty-rows-sum-to-one",
        ),
        "columns added up": WrongAnswer(
            _diagnose(
                broken=lambda weights, mask: (
                    ((weights.sum(1) - 1).abs() > 0.01) | (weights < 0).any(1)
                )
            ),
            "Your answer adds up the columns. A column may sum to anything: a popular word gets "
            "more than 1 in all.",
            "Which axis belongs to the words that are looked at?",
            misconception="reads-by-columns",
        ),
        "mask the other way round": WrongAnswer(
            lambda weights, mask: _diagnose()(weights, ~mask),
            "You read the mask the other way round, as `torch.nn.MultiheadAttention` does. In "
            "this course `True` means: may be attended to.",
            "A mask that is all `True`: what does it forbid?",
            misconception="mask-upside-down",
        ),
        "small leaks let through": WrongAnswer(
            _diagnose(leak=lambda weights, mask: (weights > 0.01) & ~mask),
            "Your answer lets a small leak pass. A weight under a mask is exactly 0, or it is a "
            "leak: a thousandth is enough to copy the future from.",
            "What does `masked_softmax` put under the mask: a small number, or 0?",
            misconception="low-score-hides",
        ),
        "every row has a say": WrongAnswer(
            _diagnose(choice=lambda mask: mask.any(-1) | True),
            "Your answer counts rows that have no choice. A row that may look at one word only "
            "gives it everything, healthy or not; a row that is masked whole gives nothing. "
            "Neither says anything about the illness.",
            "How many words may the first row of a decoder look at?",
            misconception="half-is-enough",
        ),
        "masked rows only left out": WrongAnswer(
            _diagnose(choice=lambda mask: mask.any(-1)),
            "You leave out the rows that are masked whole, but not those that may look at one "
            "word only. They had no choice either.",
            "In a map with one key only, what else could the weights be?",
            misconception="half-is-enough",
        ),
        "the last that applies": WrongAnswer(
            _diagnose(last=LEAKS),
            "Where a map is broken and also leaks, you report the leak. The first illness of the "
            "table that applies is the answer.",
            "In which order do you fill in the codes, if a later one may overwrite?",
            misconception="another-task",
        ),
    },
    variants=[in_loops, by_where, worst_first, in_float64],
)
