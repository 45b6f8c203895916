"""The task “One step with cached keys and values”: right answers and known mistakes."""

import torch
import torch.nn.functional as F
from torch import Tensor

from solutions.cases import as_view
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.attention import ScaledDotProductAttention
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def inputs(batch, written, dim, key_dim, value_dim, reach=1.5):
        return {
            "x": draw.numbers(batch, dim, reach=reach),
            "past_keys": draw.numbers(batch, written, key_dim, reach=reach),
            "past_values": draw.numbers(batch, written, value_dim, reach=reach),
            "w_q": draw.numbers(dim, key_dim, reach=1),
            "w_k": draw.numbers(dim, key_dim, reach=1),
            "w_v": draw.numbers(dim, value_dim, reach=1),
        }

    large = {name: value.double() for name, value in inputs(2, 4, 3, 3, 2, reach=200).items()}
    view = inputs(2, 3, 4, 3, 2)
    return [
        Case("two sentences, three words written", inputs(2, 3, 4, 2, 5)),
        Case("one sentence, six words written", inputs(1, 6, 3, 4, 2)),
        Case("the first word: nothing is written yet", inputs(3, 0, 4, 3, 2)),
        Case("one word written", inputs(3, 1, 2, 3, 4)),
        Case("all widths alike", inputs(3, 4, 3, 3, 3)),
        Case("large scores", large),
        Case("a cache that is a transposed view", view | {"past_keys": as_view(view["past_keys"])}),
    ]


def _grow(past: Tensor, new: Tensor) -> Tensor:
    return torch.cat([past, new[:, None]], dim=1)


def _attend(query: Tensor, keys: Tensor, values: Tensor, scale: float) -> Tensor:
    weights = (torch.einsum("bd,bld->bl", query, keys) / scale).softmax(-1)
    return torch.einsum("bl,blv->bv", weights, values)


def _step(
    keys=lambda past, x, w: _grow(past, x @ w),
    values=lambda past, x, w: _grow(past, x @ w),
    query=lambda x, w_q: x @ w_q,
    scale=lambda x, w_q: w_q.shape[1] ** 0.5,
    attend=_attend,
    keep=lambda past, grown: grown,
):
    """Return an answer with one part replaced."""

    def step(x, past_keys, past_values, w_q, w_k, w_v):
        k, v = keys(past_keys, x, w_k), values(past_values, x, w_v)
        context = attend(query(x, w_q), k, v, scale(x, w_q))
        return context, keep(past_keys, k), keep(past_values, v)

    return step


def _as_wide(keys: Tensor, values: Tensor) -> Tensor:
    """Return the keys, cut or filled up with zeros to the width of the values."""
    return F.pad(keys, (0, values.shape[2] - keys.shape[2]))


def _without_itself(query, keys, values, scale):
    return _attend(query, keys[:, :-1], values[:, :-1], scale)


def _first_row_of_the_mask(query, keys, values, scale):
    return _attend(query, keys[:, :1], values[:, :1], scale)


def _among_the_batch(query, keys, values, scale):
    weights = (torch.einsum("bd,bld->bl", query, keys) / scale).softmax(0)
    return torch.einsum("bl,blv->bv", weights, values)


def with_the_course(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat((past_keys, (x @ w_k).unsqueeze(1)), dim=1)
    values = torch.cat((past_values, (x @ w_v).unsqueeze(1)), dim=1)
    context, _ = ScaledDotProductAttention(w_q.shape[1])(x @ w_q, keys, values)
    return context, keys, values


def fused(x, past_keys, past_values, w_q, w_k, w_v):
    x = x[:, None]  # (batch, 1, dim)
    keys, values = torch.cat([past_keys, x @ w_k], 1), torch.cat([past_values, x @ w_v], 1)
    return F.scaled_dot_product_attention(x @ w_q, keys, values)[:, 0], keys, values


def sentence_by_sentence(x, past_keys, past_values, w_q, w_k, w_v):
    contexts, all_keys, all_values = [], [], []
    for word, keys, values in zip(x, past_keys, past_values, strict=True):
        keys = torch.vstack([keys, word @ w_k])
        values = torch.vstack([values, word @ w_v])
        weights = F.softmax(keys @ (word @ w_q) / keys.shape[1] ** 0.5, dim=0)
        contexts.append(weights @ values)
        all_keys.append(keys)
        all_values.append(values)
    return torch.stack(contexts), torch.stack(all_keys), torch.stack(all_values)


def filled_in(x, past_keys, past_values, w_q, w_k, w_v):
    batch, written, key_dim = past_keys.shape
    keys = x.new_zeros(batch, written + 1, key_dim)
    keys[:, :written], keys[:, written] = past_keys, x @ w_k
    values = x.new_zeros(batch, written + 1, w_v.shape[1])
    values[:, :written], values[:, -1] = past_values, x @ w_v
    scores = ((x @ w_q)[:, None] * keys).sum(-1) * key_dim**-0.5
    return (scores.softmax(1)[..., None] * values).sum(1), keys, values


exercise = Exercise(
    id="cached_step",
    title="One step with a cache",
    points=4,
    difficulty=2,
    minutes=20,
    section="09.1",
    outputs=["context", "keys", "values"],
    cases=cases,
    hints=[
        "What does the new word need from the words before it? And what will a later word need "
        "from this one?",
        "Project `x` three times, (batch, key_dim) or (batch, value_dim). Give key and value an "
        "axis for the words, `unsqueeze(1)`, and join them to the cache with `torch.cat` along "
        "axis 1. Then attend over all of it, the new word included.",
        "Scores: `query.unsqueeze(1) @ keys.transpose(1, 2)`, divided by the root of key_dim, "
        "(batch, 1, written + 1). Their softmax times the values, without the axis of length 1, "
        "is the context. No mask is needed.",
    ],
    mistakes={
        "does not see itself": WrongAnswer(
            _step(attend=_without_itself),
            "The new word looks at the words before it and not at itself. Under a causal mask row "
            "i is open up to column i, itself included.",
            "What does the first word look at, when nothing has been written before it?",
            misconception="off-by-one",
        ),
        "in front": WrongAnswer(
            _step(
                keys=lambda past, x, w: torch.cat([(x @ w)[:, None], past], 1),
                values=lambda past, x, w: torch.cat([(x @ w)[:, None], past], 1),
            ),
            "You put the new key and value in front of the cache. That does not change the "
            "context, since attention does not see the order; but the cache is no longer in the "
            "order of the words.",
            "In which order does `torch.cat` join what it is given?",
            misconception="parts-in-any-order",
        ),
        "the cache stays as it was": WrongAnswer(
            _step(keep=lambda past, grown: past),
            "You return the cache that came in. The next word will not find this one in it.",
            "How many keys should there be after this step?",
            misconception="stale-value",
        ),
        "no scale": WrongAnswer(
            _step(scale=lambda x, w_q: 1.0),
            "Your scores are not divided by the root of the width of the keys.",
            "What makes the softmax of wide vectors too sharp?",
            misconception="no-scale",
        ),
        "scaled by the width of x": WrongAnswer(
            _step(scale=lambda x, w_q: x.shape[1] ** 0.5),
            "You divide by the root of the width of `x`. What counts is the width of the vectors "
            "that are multiplied with each other.",
            "How many products are added up in one score?",
            misconception="wrong-width",
        ),
        "scaled by the number of words": WrongAnswer(
            _step(
                attend=lambda query, keys, values, scale: _attend(
                    query, keys, values, keys.shape[1] ** 0.5
                )
            ),
            "You divide by the root of the number of words, which grows with every step. What "
            "counts is the width of the vectors that are multiplied with each other.",
            "How many products are added up in one score?",
            misconception="wrong-width",
        ),
        "first row of the causal mask": WrongAnswer(
            _step(attend=_first_row_of_the_mask),
            "Your new word sees the first word only, as if it stood in the first row of a causal "
            "mask. It is the *last* word: its row is open all along.",
            "Which row of the large table of weights is this step?",
            misconception="wrong-end",
        ),
        "sentences compete": WrongAnswer(
            _step(attend=_among_the_batch),
            "Your softmax runs along the batch. Each sentence shares out its own attention.",
            "Which axis of (batch, written + 1) is shared out?",
            misconception="softmax-over-batch",
        ),
        "keys handed out": WrongAnswer(
            _step(
                attend=lambda query, keys, values, scale: _attend(
                    query, keys, _as_wide(keys, values), scale
                )
            ),
            "Your context is made of the keys. They decide where to look; what is handed out are "
            "the values.",
            "Which of the two caches should the weights be multiplied with?",
            misconception="keys-handed-out",
        ),
        "the last word overwritten": WrongAnswer(
            _step(
                keys=lambda past, x, w: _grow(past[:, :-1], x @ w),
                values=lambda past, x, w: _grow(past[:, :-1], x @ w),
            ),
            "The new key and value stand in the place of the last ones. The cache does not grow.",
            "How many words are known after this step?",
            misconception="off-by-one",
        ),
    },
    variants=[with_the_course, fused, sentence_by_sentence, filled_in],
)
