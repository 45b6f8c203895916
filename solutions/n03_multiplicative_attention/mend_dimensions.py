"""Widths that do not match."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view
from solutions.parts import general
from solutions.specification import Draw, Exercise, Misconception
from utils.attention import MultiplicativeAttention
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, change=lambda one: one):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim, reach=1),
            "keys": draw.numbers(batch, src_len, key_dim, reach=2),
            "W": draw.numbers(query_dim, key_dim, reach=1),
        }
        return Case(label, {name: change(one) for name, one in inputs.items()})

    return [
        case("keys wider than the query", 1, 2, 3, 2, 4),
        case("a query wider than the keys", 2, 3, 4, 6, 5),
        case("keys twice as wide", 2, 4, 3, 5, 10),
        case("one width for both", 2, 3, 5, 4, 4),
        case("one query", 3, 1, 4, 2, 5),
        case("one key only", 2, 4, 1, 3, 2),
        case("transposed views", 2, 5, 3, 4, 6, as_view),
        case("float64", 2, 3, 5, 2, 4, torch.Tensor.double),
    ]


def _attend(weigh=lambda query, keys, W: general(query, keys, W).softmax(-1), mixed=None):
    """Attention, with another way to weigh or something else that is mixed."""

    def attend(query, keys, W):
        weights = weigh(query, keys, W)
        return weights @ (mixed(query, keys, W) if mixed else keys), weights

    return attend


def _least(query, keys):
    return min(query.shape[-1], keys.shape[-1])


def _cut_weights(query, keys, W):
    width = _least(query, keys)
    return torch.einsum("btd,bsd->bts", query[..., :width], keys[..., :width]).softmax(-1)


def _cut_from_behind(query, keys, W):
    width = _least(query, keys)
    return torch.einsum("btd,bsd->bts", query[..., -width:], keys[..., -width:]).softmax(-1)


def _only_where_needed(query, keys, W):
    fits = query.shape[-1] == keys.shape[-1]
    return _cut_weights(query, keys, W) if fits else general(query, keys, W).softmax(-1)


def _cut_keys(query, keys, W):
    return keys[..., : _least(query, keys)]


# --- Right answers in other styles ----------------------------------------------------------------


def query_projected(query, keys, W):
    weights = torch.softmax(query @ W @ keys.transpose(1, 2), dim=-1)
    return weights @ keys, weights


def with_einsum(query, keys, W):
    weights = torch.einsum("btq,qk,bsk->bts", query, W, keys).softmax(dim=2)
    return [torch.einsum("bts,bsk->btk", weights, keys), weights]


def through_torch(query, keys, W):
    projected = F.linear(keys, W)
    context = F.scaled_dot_product_attention(query, projected, keys, scale=1.0)
    return context, torch.softmax(torch.bmm(query, projected.mT), -1)


def from_the_course(query, keys, W):
    module = MultiplicativeAttention(query.shape[-1], keys.shape[-1], method="general")
    return torch.func.functional_call(module, {"W.weight": W}, (query, keys))


def in_float64(query, keys, W):
    query, keys, W = query.double(), keys.double(), W.double()
    rows = [(query[:, t : t + 1] @ W @ keys.mT).softmax(-1) for t in range(query.shape[1])]
    weights = torch.cat(rows, dim=1)
    return weights @ keys, weights


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="mend_dimensions",
    title="Widths that do not match",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
    hints=[
        "Which of the three arguments does the function never use?",
        "Two things went wrong when the widths were made to fit: how the scores are made, and "
        "what is mixed in the end. What should a context be a mixture of?",
        "`W` stands between query and keys: that is your `general_scores`. Leave `query` and "
        "`keys` as they came, so that the last line mixes whole keys.",
    ],
    misconceptions=[
        Misconception(
            "the cut as it was",
            _attend(_cut_weights, _cut_keys),
            "Query and keys are still cut to the smaller width. Whatever stood behind the cut is "
            "heard by nobody, and the context is cut as well.",
            "Change the last number of a key. Should its weight change?",
            kind="cut-to-fit",
        ),
        Misconception(
            "padded with zeros",
            _attend(_cut_weights),
            "Your context is whole again, and the weights are those of the cut: numbers that meet "
            "the zeros of a padding, or nothing, add nothing to a score.",
            "What can the matrix `W` do that zeros cannot?",
            kind="cut-to-fit",
        ),
        Misconception(
            "projected keys mixed",
            _attend(mixed=lambda query, keys, W: torch.einsum("bsk,qk->bsq", keys, W)),
            "Your weights are right, and your context is a mixture of the projected keys, as wide "
            "as the query. `W` decides where to look; it does not change what is found there.",
            "Which keys did `weights @ keys` mix in section 2?",
            kind="keys-handed-out",
        ),
        Misconception(
            "context still cut",
            _attend(mixed=_cut_keys),
            "Your weights are right, and your context is a mixture of the cut keys.",
            "How wide should the context be?",
            kind="cut-to-fit",
        ),
        Misconception(
            "W reshaped",
            _attend(
                lambda query, keys, W: general(query, keys, W.reshape(W.shape[::-1]).T).softmax(-1)
            ),
            "You made `W` fit with `reshape` or `view`. That reads its numbers in another order; "
            "what fits and keeps the order is the transpose.",
            "Where does the number in row 0, column 1 of `W` stand after each of the two?",
            kind="shape-is-enough",
        ),
        Misconception(
            "cut from the other end",
            _attend(_cut_from_behind),
            "Now the first numbers are thrown away in place of the last. A cut hears less, "
            "wherever it is made.",
            "Which of the three arguments is still not used?",
            kind="cut-to-fit",
        ),
        Misconception(
            "only where needed",
            _attend(_only_where_needed),
            "Where the widths happen to be equal, you take the plain dot product. `W` is more "
            "than an adapter: two sides of one width may still speak two languages.",
            "What did `W` do in section 3, where both widths were 2?",
            kind="sizes-always-equal",
        ),
        Misconception(
            "softmax over the queries",
            _attend(lambda query, keys, W: general(query, keys, W).softmax(-2)),
            "The scores are right, and your softmax runs over the queries.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
            kind="softmax-over-queries",
        ),
    ],
    variants=[query_projected, with_einsum, through_torch, from_the_course, in_float64],
)
