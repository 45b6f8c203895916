"""Self-attention for the encoder."""

import torch
import torch.nn.functional as F
from torch import Tensor

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.attention import ScaledDotProductAttention
from utils.checks.tasks import Case
from utils.masks import padding_mask


def _real(lengths: Tensor, length: int) -> Tensor:
    return torch.arange(length) < lengths[:, None]  # (batch, len)


def cases(draw: Draw) -> list[Case]:
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
    """Return an answer with one part replaced."""

    def attend(x, w_q, w_k, w_v, lengths):
        real = mask(lengths, x.shape[1])
        weights = clear(weigh(scores(x, x @ w_q, x @ w_k), real), real)
        return mix(weights, x, w_v), weights

    return attend


def sentence_by_sentence(x, w_q, w_k, w_v, lengths):
    length = x.shape[1]
    weights = []
    for words, count in zip(x, lengths.tolist(), strict=True):
        q, k = words[:count] @ w_q, words[:count] @ w_k
        square = (q @ k.T / w_q.shape[1] ** 0.5).softmax(-1)
        weights.append(F.pad(square, (0, length - count, 0, length - count)))
    weights = torch.stack(weights)
    return weights @ (x @ w_v), weights


def with_the_course(x, w_q, w_k, w_v, lengths):
    mask = padding_mask(lengths, x.shape[1])
    square = mask & mask.transpose(1, 2)
    return ScaledDotProductAttention(w_q.shape[1])(x @ w_q, x @ w_k, x @ w_v, square)


def with_einsum(x, w_q, w_k, w_v, lengths):
    q, k, v = (torch.einsum("bld,de->ble", x, w) for w in (w_q, w_k, w_v))
    e = torch.einsum("bqe,bke->bqk", q, k) * k.shape[2] ** -0.5
    real = torch.arange(x.shape[1]).expand(len(x), -1) < lengths[:, None]
    e = e.masked_fill(~real[:, None, :], torch.finfo(e.dtype).min)
    alpha = e.softmax(2).masked_fill(~(real[:, :, None] & real[:, None, :]), 0)
    return torch.einsum("bqk,bkv->bqv", alpha, v), alpha


def fused(x, w_q, w_k, w_v, lengths):
    real = torch.stack([torch.arange(x.shape[1]) < n for n in lengths])
    bias = torch.where(real, 0.0, -1e9)[:, None].to(x)
    eye = torch.eye(x.shape[1], dtype=x.dtype).expand(len(x), -1, -1)
    weights = F.scaled_dot_product_attention(
        x @ w_q, x @ w_k, eye, attn_mask=bias.expand(-1, x.shape[1], -1)
    )
    weights = weights * real[:, None] * real[..., None]
    return torch.bmm(weights, x @ w_v), weights


def nan_to_zero(x, w_q, w_k, w_v, lengths):
    x = x.double()
    mask = torch.arange(x.shape[1])[None] < lengths[:, None]
    scores = (x @ w_q.double()) @ (x @ w_k.double()).mT / w_k.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask[:, None], -torch.inf).softmax(-1).nan_to_num(0)
    weights = weights * mask[..., None]
    return weights @ x @ w_v.double(), weights


exercise = Exercise(
    id="encoder_self_attention",
    title="Self-attention for the encoder",
    points=4,
    difficulty=2,
    minutes=20,
    section="08.3",
    learns=True,
    outputs=["states", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    shortcuts=["scaled_dot_product_attention", "MultiheadAttention"],
    cases=cases,
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
    mistakes={
        "padding looked at": WrongAnswer(
            _encoder(
                weigh=lambda scores, mask: scores.softmax(-1),
                clear=lambda weights, mask: weights * mask[..., None],
            ),
            "Words of padding are looked at: every real word gives some of its attention to "
            "positions that hold nothing.",
            "Which columns of the weights belong to padding? What should stand there?",
            misconception="padding-is-harmless",
        ),
        "padding looks": WrongAnswer(
            _encoder(clear=lambda weights, mask: weights * mask[:, None]),
            "The rows of padding still look at the sentence. They are no words: the task asks "
            "for rows of 0 there, in the weights and in the states.",
            "The mask (batch, len) has to clear columns *and* rows. Where is the second?",
            misconception="half-is-enough",
        ),
        "no mask": WrongAnswer(
            _encoder(
                weigh=lambda scores, mask: scores.softmax(-1), clear=lambda weights, mask: weights
            ),
            "The lengths change nothing in your weights: words of padding look, and are looked "
            "at, as if they were real.",
            "Call your function with lengths 4 and 2, and look at the rows and columns of words "
            "3 and 4.",
            misconception="padding-is-harmless",
        ),
        "masked after the softmax": WrongAnswer(
            _encoder(weigh=lambda scores, mask: scores.softmax(-1)),
            "You set the weights of padding to 0 after the softmax. The rows then sum to less "
            "than 1: what padding had taken is lost.",
            "What must stand in the *scores* so that the softmax itself gives 0?",
            misconception="mask-after-softmax",
        ),
        "scores of 0": WrongAnswer(
            _encoder(weigh=lambda scores, mask: scores.masked_fill(~mask[:, None], 0).softmax(-1)),
            "You set the *scores* of padding to 0. That is no low score: `exp(0)` is 1, so "
            "padding takes its share, and once that is cleared the rows do not sum to 1.",
            "Which score gives a weight of 0?",
            misconception="low-score-hides",
        ),
        "one word too many": WrongAnswer(
            _encoder(mask=lambda lengths, size: torch.arange(size) <= lengths[:, None]),
            "Your mask lets one word of padding through: positions begin at 0, so the last real "
            "word of a sentence of length 3 stands at position 2.",
            "For which positions is a sentence of length 1 real?",
            misconception="off-by-one",
        ),
        "scaled by the model's width": WrongAnswer(
            _encoder(scores=lambda x, q, k: q @ k.mT / x.shape[-1] ** 0.5),
            "You divide by the root of the width of `x`. What counts is the width of the vectors "
            "that are multiplied with each other: the projected queries and keys.",
            "How many products are added up in one score?",
            misconception="wrong-width",
        ),
        "no scale": WrongAnswer(
            _encoder(scores=lambda x, q, k: q @ k.mT),
            "Your scores are not divided by the root of the width of the queries. The weights "
            "come out too sharp.",
            "What does notebook 04 say of the scores of wide vectors?",
            misconception="no-scale",
        ),
        "keys ask queries": WrongAnswer(
            _encoder(scores=lambda x, q, k: k @ q.mT / q.shape[-1] ** 0.5),
            "Rows and columns of your scores are swapped: in row i the *key* of word i is held "
            "against all queries. The row is the word that looks, and it looks with its query.",
            "In a product of two matrices, which of them gives the rows?",
            misconception="who-asks",
        ),
        "values not projected": WrongAnswer(
            _encoder(mix=lambda weights, x, w_v: weights @ x),
            "You mix the words themselves. What attention hands out are the values, `x @ w_v`.",
            "Which of the three projections have you not used yet?",
            misconception="projection-left-out",
        ),
        "an empty sentence gives NaN": WrongAnswer(
            _encoder(
                weigh=lambda scores, mask: scores.masked_fill(~mask[:, None], -torch.inf).softmax(
                    -1
                )
            ),
            "A sentence of length 0 gives NaN: the softmax of nothing but minus infinity is 0 "
            "divided by 0, and no later product with 0 makes a number of it.",
            "What does the `masked_softmax` of the course put in the place of minus infinity?",
            misconception="no-empty-rows",
        ),
    },
    variants=[sentence_by_sentence, with_the_course, with_einsum, fused, nan_to_zero],
)
