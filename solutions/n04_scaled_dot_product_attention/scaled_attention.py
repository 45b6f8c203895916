"""The task “Attention from a blank cell”: right answers and known mistakes."""

import math

import torch
import torch.nn.functional as F

from solutions.cases import (
    doubled,
    far_apart,
    one_row_shut,
    one_silent,
    query_keys_values,
    random_mask,
)
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import (
    attention,
    cut_and_divided,
    fill_with,
    mask_added,
    mask_late,
    mask_turned,
    unit,
    zero_is_hidden,
)
from utils.checks.tasks import Case
from utils.masks import masked_softmax


def _no_softmax(scores, mask):
    return scores if mask is None else scores * mask


def cases(draw: Draw) -> list[Case]:
    turned = query_keys_values(draw, 2, 3, 4, 5, 2)
    turned["keys"] = draw.numbers(2, 5, 4).mT  # (2, 4, 5)
    silent = query_keys_values(draw, 3, 4, 6, 2, 5)
    silent |= {"keys": one_silent(silent["keys"]), "mask": random_mask(draw, 4, 6)}
    silent["mask"][0, 0] = True
    return [
        Case("no mask", query_keys_values(draw, 2, 3, 5, 4, 6)),
        Case(
            "a mask for every sentence and query",
            query_keys_values(draw, 2, 3, 5, 4, 2) | {"mask": random_mask(draw, 2, 3, 5)},
        ),
        Case(
            "one mask for all sentences, a key of zeros",
            silent,
        ),
        Case(
            "rows that may look at nothing",
            query_keys_values(draw, 2, 3, 4, 6, 2)
            | {"mask": one_row_shut(random_mask(draw, 2, 3, 4))},
        ),
        Case("one sentence, one query", query_keys_values(draw, 1, 1, 4, 3, 2)),
        Case("one key only", query_keys_values(draw, 3, 2, 1, 4, 5)),
        Case("scores in the thousands, the best of them hidden", far := far_apart(draw)),
        Case("scores far below 0, the best of them hidden", far | {"keys": far["keys"] - 200.0}),
        Case("keys that are a transposed view", turned),
        Case(
            "float64",
            doubled(query_keys_values(draw, 2, 4, 3, 8, 5) | {"mask": random_mask(draw, 2, 1, 3)}),
        ),
    ]


def with_einsum(q, k, v, mask=None):
    scores = torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf)
    alpha = scores.softmax(dim=2).nan_to_num(0.0)
    return torch.einsum("bts,bsv->btv", alpha, v), alpha


def in_loops(query, keys, values, mask=None):
    batch, tgt_len, dim = query.shape
    src_len = keys.shape[1]
    allowed = torch.ones(batch, tgt_len, src_len, dtype=torch.bool)
    allowed = allowed if mask is None else allowed & mask
    contexts, rows = [], []
    for b in range(batch):
        for t in range(tgt_len):
            scores = torch.stack([(query[b, t] * key).sum() / dim**0.5 for key in keys[b]])
            scores = scores.masked_fill(~allowed[b, t], -math.inf)
            rows.append(scores.softmax(0) if allowed[b, t].any() else torch.zeros_like(scores))
            contexts.append(rows[-1] @ values[b])
    return (
        torch.stack(contexts).view(batch, tgt_len, -1),
        torch.stack(rows).view(batch, tgt_len, src_len),
    )


def from_torch(query, keys, values, mask=None):
    identity = torch.eye(keys.shape[1], dtype=query.dtype).expand(len(query), -1, -1)
    weights = F.scaled_dot_product_attention(query, keys, identity, mask)
    return [weights @ values, weights]


def with_the_courses_softmax(query, keys, values, mask=None):
    weights = masked_softmax((query / math.sqrt(query.shape[-1])) @ keys.transpose(1, 2), mask)
    return torch.bmm(weights, values), weights


def in_float64(query, keys, values, mask=None):
    scores = query.double() @ keys.double().mT / math.sqrt(keys.shape[2])
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    scores = scores.masked_fill(~mask, -1e12)
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    weights = powers / powers.sum(-1, keepdim=True).clamp(min=1e-300)
    return weights @ values.double(), weights


exercise = Exercise(
    id="scaled_attention",
    title="Attention from a blank cell",
    points=4,
    difficulty=2,
    minutes=15,
    section="04.3",
    learns=True,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    shortcuts=[
        *("scaled_dot_product_attention", "masked_softmax", "ScaledDotProductAttention"),
        *("multi_head_attention_forward", "MultiheadAttention", "MultiHeadAttention"),
    ],
    cases=cases,
    equivalents={
        "lowest = torch.finfo().min": "that of float32 is low enough for any score",
    },
    hints=[
        "Score, mask, softmax, weighted sum. Between which two of them does the scale stand, and "
        "which width stands under its root?",
        "Begin without the mask and make the first case pass. Then: what must a hidden score be, "
        "so that `exp` makes 0 of it? And what does the softmax make of a row in which all are "
        "hidden?",
        "Fill hidden scores with the lowest finite number of their kind, `torch.finfo(…).min`; "
        "take the softmax along the last axis; then set the hidden weights to 0, which empties "
        "the rows that may look at nothing. Both fills only where a mask was given.",
    ],
    mistakes={
        "no scale": WrongAnswer(
            attention(scale=lambda query, keys, values: 1),
            "Your scores are the plain dot products: the scale is missing. The wider the "
            "vectors, the larger such scores tend to be, and the harder the softmax chooses.",
            "How large is the typical dot product of two random vectors of width 256?",
            misconception="no-scale",
        ),
        "divided by d": WrongAnswer(
            attention(scale=lambda query, keys, values: query.shape[-1]),
            "You divide the scores by the width, not by its root. So the scores of wide vectors "
            "tend towards 0, and their shares to equal ones.",
            "The *variance* of a dot product is d. What is its spread?",
            misconception="scale-by-width",
        ),
        "root of the number of keys": WrongAnswer(
            attention(scale=lambda query, keys, values: keys.shape[-2] ** 0.5),
            "Under your root stands the number of keys, src_len. Scores grow with the number of "
            "*terms* in a dot product, and that is the width of a key.",
            "Over which axis does the dot product add up?",
            misconception="wrong-width",
        ),
        "root of the values' width": WrongAnswer(
            attention(scale=lambda query, keys, values: values.shape[-1] ** 0.5),
            "Under your root stands the width of the values. They take no part in the scores.",
            "Which two tensors meet in a dot product?",
            misconception="wrong-width",
        ),
        "softmax over the queries": WrongAnswer(
            attention(weigh=lambda scores, mask: masked_softmax(scores, mask, dim=-2)),
            "Your weights sum to 1 over the queries, not over the keys: the softmax ran along the "
            "axis before the last.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
            misconception="softmax-over-queries",
        ),
        "mask ignored": WrongAnswer(
            attention(weigh=lambda scores, mask: scores.softmax(-1)),
            "The mask changes nothing in your weights: hidden keys get a share like all others.",
            "Where does your mask go in, and what becomes of the result?",
            misconception="padding-is-harmless",
        ),
        "mask after the softmax": WrongAnswer(
            attention(weigh=mask_late),
            "You mask too late, after the softmax perhaps: hidden keys count in its sum. What "
            "they took of a row is gone with them, and the row sums to less than 1.",
            "Which sum was each weight divided by, and who took part in it?",
            misconception="mask-after-softmax",
        ),
        "True is hidden": WrongAnswer(
            attention(weigh=mask_turned),
            "You read the mask the other way round: you hide the keys marked `True`. Here, and "
            "in `F.scaled_dot_product_attention`, `True` means *may be attended to*.",
            "Which PyTorch module reads masks your way, and what does one pass to it?",
            misconception="mask-upside-down",
        ),
        "hidden scores of 0": WrongAnswer(
            attention(weigh=fill_with(0.0)),
            "You set hidden *scores* to 0, or close to it. But 0 is a score like any other: "
            "`exp(0)` is 1, and so hidden keys get a share, often a good one.",
            "Which score does `exp` turn into 0?",
            misconception="low-score-hides",
        ),
        "0 is hidden": WrongAnswer(
            attention(weigh=zero_is_hidden),
            "A key that is open and has a score of exactly 0 gets nothing from you, as if it were "
            "hidden. A score of 0 is a score like any other.",
            "By what can a hidden key be told from one whose score happens to be 0?",
            misconception="low-score-hides",
        ),
        "not low enough": WrongAnswer(
            attention(weigh=fill_with(-10.0)),
            "You fill in a number that is low, but not low enough: hidden keys keep a small share, "
            "and where all open scores are lower, a large one.",
            "What is the lowest number that a tensor of this kind can hold? PyTorch knows it.",
            misconception="low-score-hides",
        ),
        "mask added": WrongAnswer(
            attention(weigh=mask_added),
            "You add the mask to the scores. `True` counts as 1, so open scores rise by 1 and "
            "hidden ones stay where they are: hidden keys still get a share.",
            "How far down would a hidden score have to go?",
            misconception="mask-as-number",
        ),
        "cut, then divided again": WrongAnswer(
            attention(weigh=cut_and_divided),
            "Cutting hidden keys out after the softmax, or after its `exp`, and dividing by the "
            "rest is right on paper. Where a hidden score is far above the others, these have been "
            "rounded to 0 before you divide, and of an empty row nothing is left at all.",
            "What is left of the open keys' weights after a softmax that a hidden key has won?",
            misconception="divide-again",
        ),
        "NaN in an empty row": WrongAnswer(
            attention(weigh=fill_with(float("-inf"))),
            "Rows that may look at nothing come out as NaN, as the softmax of scores that are "
            "all minus infinity does, or 0 divided by 0. One NaN in a loss can reach every "
            "parameter.",
            "How did section 5 get zeros for such a row?",
            misconception="no-empty-rows",
        ),
        "equal shares in an empty row": WrongAnswer(
            attention(weigh=fill_with(-1e9)),
            "Rows that may look at nothing look at everything in equal shares, as the softmax "
            "gives where all scores are one low number. They should be 0.",
            "What is still to be done after the softmax?",
            misconception="empty-rows-sum-to-one",
        ),
        "directions only": WrongAnswer(
            lambda query, keys, values, mask=None: attention()(
                unit(query), unit(keys), values, mask
            ),
            "Only the directions of queries and keys count, as if all were brought to length 1 "
            "first. A dot product also asks how long they are.",
            "What happens to your scores when a query becomes twice as long?",
            misconception="dot-is-cosine",
        ),
        "multiplied by the root": WrongAnswer(
            attention(scale=lambda query, keys, values: query.shape[-1] ** -0.5),
            "You multiply the scores by √d. So they grow with the width twice over.",
            "Should the scale make wide vectors' scores larger or smaller?",
            misconception="no-scale",
        ),
        "root of the number of queries": WrongAnswer(
            attention(scale=lambda query, keys, values: query.shape[-2] ** 0.5),
            "Under your root stands the number of queries, tgt_len. Scores grow with the number of "
            "*terms* in a dot product, and that is the width of a query.",
            "Over which axis does the dot product add up?",
            misconception="wrong-width",
        ),
        "softmax over the batch": WrongAnswer(
            attention(weigh=lambda scores, mask: masked_softmax(scores, mask, dim=0)),
            "Your weights sum to 1 over the sentences of the batch: the softmax ran along axis 0. "
            "Sentences have nothing to do with each other.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
            misconception="softmax-over-batch",
        ),
        "no softmax": WrongAnswer(
            attention(weigh=_no_softmax),
            "Your weights are the scores themselves. They may be negative, and sum to anything.",
            "Which step of the four is missing?",
            misconception="scores-as-weights",
        ),
        "order of return": WrongAnswer(
            lambda query, keys, values, mask=None: attention()(query, keys, values, mask)[::-1],
            "You return the weights first and the context second. Everywhere in the course it is "
            "`(context, weights)`.",
            "Which of your two results is as wide as the values?",
            misconception="parts-in-any-order",
        ),
        "keys handed out": WrongAnswer(
            attention(handed_out=lambda keys, values: keys),
            "Your context mixes the keys. Keys are what a query is compared with; what is handed "
            "out are the values.",
            "As wide as which tensor should the context be?",
            misconception="keys-handed-out",
        ),
    },
    variants=[with_einsum, in_loops, from_torch, with_the_courses_softmax, in_float64],
)
