"""Does order matter?"""

import torch
import torch.nn.functional as F

from solutions.specification import IN_A_MATRIX, NO_ORDER, Draw, Exercise, Misconception
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
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


# --- Right answers in other styles ----------------------------------------------------------------


def _fused(x):
    return F.scaled_dot_product_attention(x[None], x[None], x[None])[0]


def fused(x, positions, order):
    without = (_fused(x[order]) - _fused(x)[order]).abs().max(dim=1).values
    placed = _fused(x[order] + positions) - _fused(x + positions)[order]
    return without, placed.abs().max(dim=1).values


def _by_hand(x):
    scores = torch.einsum("id,jd->ij", x, x) * x.shape[1] ** -0.5
    return torch.einsum("ij,jd->id", scores.softmax(1), x)


def with_the_way_back(words, places, order):
    back = order.argsort()
    changes = []
    for added in (torch.zeros_like(places), places):
        shuffled = _by_hand(words[order] + added)[back]  # in the order of the straight one
        changes.append((shuffled - _by_hand(words + added)).abs().amax(-1)[order])
    return changes


def with_a_permutation_matrix(x, positions, order):
    turn = torch.eye(len(x), dtype=x.dtype)[order]
    without = _by_hand(turn @ x) - turn @ _by_hand(x)
    placed = _by_hand(turn @ x + positions) - turn @ _by_hand(x + positions)
    return without.abs().amax(1), placed.abs().amax(1)


def in_float64(x, positions, order):
    return with_the_way_back(x.double(), positions.double(), order)


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="shuffle_test",
    title="Does order matter?",
    points=3,
    difficulty=2,
    minutes=15,
    outputs=["without", "with_positions"],
    cases=cases,
    equivalents={
        "alone = look(x)[order] - look(x[order])": "only the size counts",
        "placed = look(x + positions)[order] - look(x[order] + positions)": "only the size counts",
        "placed = look(positions + x[order]) - look(x + positions)[order]": NO_ORDER,
        "placed = look(x[order] + positions) - look(positions + x)[order]": NO_ORDER,
        "return (alone.abs().amax(-1), placed.abs().amax(1))": IN_A_MATRIX,
        "return (alone.abs().amax(1), placed.abs().amax(-1))": IN_A_MATRIX,
        "return (words @ words.T / words.shape[-1] ** 0.5).softmax(1) @ words": IN_A_MATRIX,
        "return (words @ words.T / words.shape[1] ** 0.5).softmax(-1) @ words": IN_A_MATRIX,
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
            kind="row-is-word",
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
            kind="row-is-word",
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
            kind="attention-sees-order",
        ),
        Misconception(
            "positions behind the attention",
            _positions_added_behind,
            "You add the positions to the output of the attention. There they come too late to "
            "change who looks at whom.",
            "What must know of positions: the scores, or what comes out?",
            kind="steps-in-any-order",
        ),
        Misconception(
            "signs kept",
            _shuffle(size=lambda change: change.amax(-1)),
            "You take the largest difference with its sign: a change downwards does not count.",
            "Which is the larger change, -3 or 1?",
            kind="constant-factor",
        ),
        Misconception(
            "all words together",
            _shuffle(size=lambda change: change.abs().amax()),
            "You return one number for all words together. Asked is one for each word.",
            "Along which axis is the largest difference to be found?",
            kind="averages-anywhere",
        ),
        Misconception(
            "mean for the largest",
            _shuffle(size=lambda change: change.abs().mean(-1)),
            "You take the mean of the absolute differences of a row. Asked is the largest.",
            "What does `amax` do?",
            kind="largest-of-a-row",
        ),
        Misconception(
            "no scale",
            _shuffle(look=lambda x: (x @ x.T).softmax(-1) @ x),
            "Your scores are not divided by the root of the width.",
            "Which formula does the task give?",
            kind="no-scale",
        ),
        Misconception(
            "softmax over the queries",
            _shuffle(look=lambda x: (x @ x.T / x.shape[-1] ** 0.5).softmax(0) @ x),
            "Your softmax runs over the queries, along axis 0. Each *row* of the weights has to "
            "sum to 1.",
            "Which axis of the scores belongs to the words that are looked at?",
            kind="softmax-over-queries",
        ),
    ],
    variants=[fused, with_the_way_back, with_a_permutation_matrix, in_float64],
)
