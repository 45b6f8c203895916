"""How many parameters?"""

import torch
from torch import nn

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.model_helpers import count_parameters


def cases(draw: Draw) -> list[Case]:
    def case(label, **widths):
        return Case(label, {f"{name}_dim": width for name, width in widths.items()})

    def wide(low, high, count):
        return draw.whole(low, high, count)

    first_paper = {"query": [1000], "key": [2000], "attention": [1000]}
    return [
        case("three judges", query=wide(2, 5, 3), key=wide(6, 9, 3), attention=wide(10, 15, 3)),
        case(
            "many queries' numbers",
            query=wide(20, 29, 2),
            key=wide(2, 9, 2),
            attention=wide(10, 15, 2),
        ),
        case("one question only", query=wide(2, 5, 4), key=wide(6, 9, 4), attention=wide(1, 1, 4)),
        case(
            "the judge of the first paper",
            **{name: torch.tensor(width) for name, width in first_paper.items()},
        ),
    ]


def _counts(plain=None, split=None, joined=None):
    """Return an answer with some counts replaced, each a function of the widths q, k, a."""
    plain = plain or (lambda q, k, a: a * (q + k + 1))
    split = split or (lambda q, k, a: a * (q + k + 3) + 1)
    joined = joined or (lambda q, k, a: a * (q + k + 2) + 1)
    return lambda q, k, a: tuple(count(q, k, a) for count in (plain, split, joined))


def layer_by_layer(query_dim, key_dim, attention_dim):
    def layer(into, out, bias):
        return into * out + (out if bias else 0)

    plain = sum(layer(into, attention_dim, False) for into in (query_dim, key_dim)) + attention_dim
    split = sum(layer(into, attention_dim, True) for into in (query_dim, key_dim))
    joined = layer(query_dim + key_dim, attention_dim, True)
    return plain, split + attention_dim + 1, joined + attention_dim + 1


def multiplied_out(q, k, a):
    return a * q + a * k + a, a * (q + 1) + a * (k + 1) + a + 1, a * (q + k + 1) + a + 1


def by_counting(query_dim, key_dim, attention_dim):
    rows = []
    for q, k, a in zip(*(w.tolist() for w in (query_dim, key_dim, attention_dim)), strict=True):
        judges = [
            [nn.Linear(q, a, bias=False), nn.Linear(k, a, bias=False), nn.Linear(a, 1, bias=False)],
            [nn.Linear(q, a), nn.Linear(k, a), nn.Linear(a, 1)],
            [nn.Linear(q + k, a), nn.Linear(a, 1)],
        ]
        rows.append([count_parameters(nn.ModuleList(judge))["total"] for judge in judges])
    return tuple(torch.tensor(rows).T)


def as_a_list(query_dim, key_dim, attention_dim):
    without = (query_dim + key_dim).add(1).mul(attention_dim)
    return [without, without + attention_dim.mul(2) + 1, without.add(attention_dim).add(1)]


exercise = Exercise(
    id="additive_parameters",
    title="How many parameters?",
    points=2,
    difficulty=1,
    minutes=10,
    section="02.5",
    outputs=["plain", "split", "joined"],
    cases=cases,
    hints=[
        "How many numbers does a matrix have that turns 3 numbers into 4? And how many biases, if "
        "it has any?",
        "A bias belongs to what comes *out* of a layer: one number for each. Count the layers of "
        "each form, and what comes out of each.",
        "`plain` stands in section 5. `split` has two more sets of attention_dim biases, of "
        "`W_query` and `W_key`, and the single one of `v`. `joined` has one matrix less.",
    ],
    mistakes={
        "v forgotten": WrongAnswer(
            _counts(plain=lambda q, k, a: a * (q + k)),
            "`plain` counts the two matrices and not `v`.",
            "What turns the answers into a score, and how many numbers has it?",
            misconception="projection-left-out",
        ),
        "v as a square": WrongAnswer(
            _counts(plain=lambda q, k, a: a * (q + k + a)),
            "`plain` counts `v` as a matrix of attention_dim × attention_dim. It makes one number "
            "of attention_dim answers, so it has one row only.",
            "How many points does each question have?",
            misconception="sizes-add-or-multiply",
        ),
        "widths multiplied": WrongAnswer(
            _counts(plain=lambda q, k, a: a * q * k + a),
            "`plain` multiplies query_dim and key_dim. No number of the query ever meets a number "
            "of the key in a product here: the two matrices stand side by side.",
            "Does a second matrix add its numbers to those of the first, or multiply them?",
            misconception="sizes-add-or-multiply",
        ),
        "bias of v forgotten": WrongAnswer(
            _counts(split=lambda q, k, a: a * (q + k + 3)),
            "`split` lacks one number. *Every* layer has a bias, `v` too, though training can "
            "make nothing of that one.",
            "How many numbers come out of `v`?",
            misconception="biases-by-the-way",
        ),
        "one bias for both": WrongAnswer(
            _counts(split=lambda q, k, a: a * (q + k + 2) + 1),
            "`split` counts one set of biases for two matrices. Two layers are two sets. (They "
            "are added together and could well be one: a second set is a waste.)",
            "How many layers of the split form have attention_dim outputs?",
            misconception="biases-by-the-way",
        ),
        "one number for each layer": WrongAnswer(
            _counts(split=lambda q, k, a: a * (q + k + 1) + 3),
            "`split` has one number more for each layer. A layer has a bias for each of its "
            "outputs, and `W_query` and `W_key` have attention_dim of them.",
            "`nn.Linear(3, 5)`: of which shape is its `bias`?",
            misconception="biases-by-the-way",
        ),
        "a full set for v": WrongAnswer(
            _counts(split=lambda q, k, a: a * (q + k + 4)),
            "`split` gives `v` as many biases as the other two. It has one output only: the score.",
            "How many numbers come out of `nn.Linear(attention_dim, 1)`?",
            misconception="biases-by-the-way",
        ),
        "biases of what goes in": WrongAnswer(
            _counts(split=lambda q, k, a: a * (q + k + 1) + q + k + a),
            "`split` has a bias for each number that goes *into* a layer. It is one for each "
            "number that comes out.",
            "`nn.Linear(3, 5)`: of which shape is its `bias`?",
            misconception="biases-by-the-way",
        ),
        "two sets in the joined form": WrongAnswer(
            _counts(joined=lambda q, k, a: a * (q + k + 3) + 1),
            "`joined` counts the biases of two matrices. There is only one, so it has one set.",
            "How many `nn.Linear` does the joined form have, `v` included?",
            misconception="biases-by-the-way",
        ),
        "biases change nothing": WrongAnswer(
            _counts(joined=lambda q, k, a: a * (q + k + 1)),
            "`joined` is the count without biases.",
            "What comes out of the joined matrix, and how many biases is that?",
            misconception="biases-by-the-way",
        ),
    },
    variants=[layer_by_layer, multiplied_out, by_counting, as_a_list],
)
