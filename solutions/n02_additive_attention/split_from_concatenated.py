"""The split form from the joined one."""

import torch

from solutions.cases import as_view
from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, attention_dim, query_dim, key_dim, change=lambda one: one):
        joined = draw.numbers(attention_dim, query_dim + key_dim)
        return Case(label, {"W_joined": change(joined), "query_dim": query_dim})

    return [
        case("queries of width 2, keys of width 4", 2, 2, 4),
        case("queries wider than keys", 4, 5, 3),
        case("queries and keys of one width", 6, 4, 4),
        case("queries of width 1", 5, 1, 3),
        case("keys of width 1", 3, 4, 1),
        case("one question only", 1, 3, 2),
        case("as many questions as columns", 7, 3, 4),
        case("a transposed view", 5, 2, 6, as_view),
        case("float64", 3, 6, 2, torch.Tensor.double),
    ]


def _kept_wide(W_joined, query_dim):
    of_query = torch.arange(W_joined.shape[1]) < query_dim
    return W_joined * of_query, W_joined * ~of_query


# --- Right answers in other styles ----------------------------------------------------------------


def with_split(W_joined, query_dim):
    return W_joined.split([query_dim, W_joined.shape[1] - query_dim], dim=1)


def as_a_list(joined, width):
    return [joined[:, :width].clone(), joined[:, width:].clone()]


def narrowed(W_joined, query_dim):
    wide = W_joined.size(1)
    return W_joined.narrow(1, 0, query_dim), W_joined.narrow(1, query_dim, wide - query_dim)


def by_unit_vectors(W_joined, query_dim):
    every = torch.eye(W_joined.shape[1], dtype=W_joined.dtype)
    return W_joined @ every[:query_dim].T, W_joined @ every[query_dim:].T


def column_by_column(W_joined, query_dim):
    columns = W_joined.unbind(1)
    return torch.stack(columns[:query_dim], 1), torch.stack(columns[query_dim:], 1)


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="split_from_concatenated",
    title="The split form from the joined one",
    points=2,
    difficulty=1,
    minutes=5,
    outputs=["W_query", "W_key"],
    cases=cases,
    hints=[
        "Multiply a matrix of two rows with [s; h] on paper. Which of its numbers meet a number "
        "of s, and which a number of h?",
        "Every row has columns for the state first, then for the key. How many are for the state "
        "is told by `query_dim`; the others are for the key.",
        "Both blocks keep all rows: `W_joined[:, …]`. The first takes the columns before "
        "`query_dim`, the second those from there on.",
    ],
    misconceptions=[
        Misconception(
            "two halves",
            lambda W_joined, query_dim: tuple(W_joined.tensor_split(2, dim=1)),
            "You cut the matrix in the middle. That is right only where query and key have the "
            "same width; here the query has `query_dim` numbers, and the key has the rest.",
            "What is `query_dim` for, if the cut is always in the middle?",
            kind="sizes-always-equal",
        ),
        Misconception(
            "rows for columns",
            lambda W_joined, query_dim: (W_joined[:query_dim], W_joined[query_dim:]),
            "You cut between rows. A row is a question, put to state and key together; it is the "
            "columns that meet the numbers of [s; h].",
            "A matrix times a vector: does the first number of the vector meet a row or a column?",
            kind="matrix-as-stored",
        ),
        Misconception(
            "key in front",
            lambda W_joined, query_dim: (W_joined[:, -query_dim:], W_joined[:, :-query_dim]),
            "Your `W_query` holds the last columns. In [s; h] the state stands in front, so its "
            "columns are the first.",
            "Which number of [s; h] does column 0 meet?",
            kind="parts-in-any-order",
        ),
        Misconception(
            "order of return",
            lambda W_joined, query_dim: (W_joined[:, query_dim:], W_joined[:, :query_dim]),
            "Both blocks are right, and you return them in the wrong order: the key's block comes "
            "first.",
            "How many columns should your first result have?",
            kind="parts-in-any-order",
        ),
        Misconception(
            "transposed",
            lambda W_joined, query_dim: (W_joined[:, :query_dim].T, W_joined[:, query_dim:].T),
            "Your blocks are transposed. The course, like `nn.Linear`, keeps a matrix as "
            "(out, in): a row for each question.",
            "How many rows has `W_joined`, and how many should each of its blocks have?",
            kind="matrix-as-stored",
        ),
        Misconception(
            "counted from 1",
            lambda W_joined, query_dim: (
                W_joined[:, : query_dim - 1],
                W_joined[:, query_dim - 1 :],
            ),
            "You cut one column too early. A slice `:n` ends before column n, and columns are "
            "counted from 0.",
            "Which columns does `[:, :2]` hold, and how many are they?",
            kind="off-by-one",
        ),
        Misconception(
            "kept wide",
            _kept_wide,
            "Each of your blocks is as wide as the joined matrix, with zeros where the other "
            "block was. Such a matrix cannot be multiplied with a state alone.",
            "How many numbers has a state, and how many columns may its matrix have?",
            kind="cut-to-fit",
        ),
    ],
    variants=[with_split, as_a_list, narrowed, by_unit_vectors, column_by_column],
)
