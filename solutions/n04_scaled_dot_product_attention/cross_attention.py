"""Cross-attention."""

import math

import torch
import torch.nn.functional as F

from solutions.cases import doubled, louder
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import attention, fill_with, mask_late, mask_turned
from utils.attention import ScaledDotProductAttention
from utils.checks.tasks import Case
from utils.masks import masked_softmax


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, dim, attention_dim, value_dim, real):
        return Case(
            label,
            {
                "target": draw.numbers(batch, tgt_len, dim, reach=2),
                "source": draw.numbers(batch, src_len, dim, reach=2),
                "w_q": draw.numbers(attention_dim, dim, reach=1),
                "w_k": draw.numbers(attention_dim, dim, reach=1),
                "w_v": draw.numbers(value_dim, dim, reach=1),
                "real": real,
            },
        )

    def words(src_len, *lengths):
        return torch.arange(src_len) < torch.tensor(lengths)[:, None]

    sizes = 2, 3, 5, 4, 6, 3
    turned = case("source as a transposed view", *sizes, words(5, 5, 3)).inputs
    turned["source"] = draw.numbers(2, 4, 5, reach=2).mT
    large = case("large scores", 2, 3, 4, 5, 2, 3, words(4, 4, 4)).inputs
    large |= {"target": louder(large["target"]), "source": louder(large["source"])}
    large = doubled(large)
    precise = case("float64", 2, 4, 3, 6, 2, 5, words(3, 2, 3)).inputs
    return [
        case("no padding", *sizes, words(5, 5, 5)),
        case("a source with padding", 3, 2, 6, 4, 5, 2, words(6, 6, 3, int(draw.whole(1, 5)))),
        case("a source shorter than the target", 2, 5, 3, 6, 4, 7, words(3, 3, 2)),
        case("a source of padding only", 2, 3, 4, 5, 2, 6, words(4, 0, 4)),
        case("one sentence, one query", 1, 1, 4, 3, 5, 2, words(4, 3)),
        case("one source word", 2, 3, 1, 4, 3, 5, words(1, 1, 1)),
        Case("source as a transposed view", turned),
        Case("float64", doubled(precise)),
        Case("large scores", large),
    ]


def _cross(asks=lambda target, source: (target, source), swapped=False, weigh=None, **parts):
    """Return cross-attention with another sequence that asks or is asked, or with other faults."""

    def attend(target, source, w_q, w_k, w_v, real):
        who, whom = asks(target, source)
        first, second = (w_k, w_q) if swapped else (w_q, w_k)
        query, keys, values = who @ first.T, whom @ second.T, whom @ w_v.T
        mask = real[:, None] if whom is source else None
        with_faults = attention(weigh=weigh or masked_softmax, **parts)
        return with_faults(query, keys, values, mask)

    return attend


def with_linear(target, source, w_q, w_k, w_v, real):
    q, k, v = F.linear(target, w_q), F.linear(source, w_k), F.linear(source, w_v)
    scores = q @ k.transpose(1, 2) / math.sqrt(w_q.shape[0])
    weights = scores.masked_fill(~real[:, None, :], -math.inf).softmax(-1).nan_to_num()
    return weights @ v, weights


def with_the_module(target, source, w_q, w_k, w_v, real):
    attention = ScaledDotProductAttention(len(w_q))
    return attention(target @ w_q.T, source @ w_k.T, source @ w_v.T, real.unsqueeze(1))


def with_einsum(target, source, w_q, w_k, w_v, real):
    scores = torch.einsum("btd,ad,ae,bse->bts", target, w_q, w_k, source) / len(w_k) ** 0.5
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * real[:, None]
    weights = powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)
    return torch.einsum("bts,bsd,vd->btv", weights, source, w_v), weights


def sentence_by_sentence(target, source, w_q, w_k, w_v, real):
    contexts, tables = [], []
    for asking, asked, words in zip(target, source, real, strict=True):
        scores = (asking @ w_q.T) @ (asked @ w_k.T).T / math.sqrt(w_q.shape[0])
        table = 0 * scores
        if words.any():
            table = torch.where(words, scores, torch.tensor(-1e9).to(scores)).softmax(-1)
        tables.append(table)
        contexts.append((table @ asked) @ w_v.T)
    return torch.stack(contexts), torch.stack(tables)


def in_float64(target, source, w_q, w_k, w_v, real):
    target, source, w_q, w_k, w_v = (x.double() for x in (target, source, w_q, w_k, w_v))
    return with_linear(target, source, w_q, w_k, w_v, real)


exercise = Exercise(
    id="cross_attention",
    title="Cross-attention",
    points=4,
    difficulty=2,
    minutes=15,
    section="04.7",
    learns=True,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    shortcuts=["scaled_dot_product_attention"],
    cases=cases,
    hints=[
        "Who asks, and who is asked? Which of the three projections belongs to whom?",
        "First the shapes: query (batch, tgt_len, attention_dim), keys (batch, src_len, "
        "attention_dim), values (batch, src_len, value_dim). From there on it is the first task. "
        "Which axis is `real` still missing?",
        "Multiply `target` with `w_q.T`, and `source` with each of the other two. Scores divided "
        "by the root of attention_dim; `masked_softmax` with `real` as (batch, 1, src_len); "
        "weights times values.",
    ],
    mistakes={
        "the source asks": WrongAnswer(
            _cross(asks=lambda target, source: (source, target)),
            "In your answer the source asks the target: rows are source words. It should be the "
            "other way round: the decoder, at the target, looks into the source.",
            "Which sequence should have one row of weights for each of its words?",
            misconception="who-asks",
        ),
        "the target asks itself": WrongAnswer(
            _cross(asks=lambda target, source: (target, target)),
            "Your keys and values come from the target: that is self-attention in the decoder.",
            "Which sequence holds what a translator has to look up?",
            misconception="who-asks",
        ),
        "the source asks itself": WrongAnswer(
            _cross(asks=lambda target, source: (source, source)),
            "Your queries come from the source: that is self-attention in the encoder.",
            "Who wants to write the next word?",
            misconception="who-asks",
        ),
        "projections swapped": WrongAnswer(
            _cross(swapped=True),
            "Queries were made with `w_k` and keys with `w_q`. Each of the two has learned its "
            "own job.",
            'Which matrix turns "who am I?" into "what do I look for?"?',
            misconception="who-asks",
        ),
        "values as they came": WrongAnswer(
            lambda target, source, w_q, w_k, w_v, real: _cross(
                handed_out=lambda keys, values: source
            )(target, source, w_q, w_k, w_v, real),
            "Your context mixes the source as it came. The third projection, `w_v`, says what "
            "each word hands out.",
            "How wide should the context be?",
            misconception="projection-left-out",
        ),
        "keys handed out": WrongAnswer(
            _cross(handed_out=lambda keys, values: keys),
            "Your context mixes the keys. They were made for comparing; what is handed out are "
            "the values.",
            "How wide should the context be?",
            misconception="keys-handed-out",
        ),
        "no scale": WrongAnswer(
            _cross(scale=lambda query, keys, values: 1),
            "The scores are not scaled. Cross-attention is scaled dot-product attention too.",
            "What stands under the root in the formula of section 3?",
            misconception="no-scale",
        ),
        "divided by the width": WrongAnswer(
            _cross(scale=lambda query, keys, values: keys.shape[-1]),
            "You divide the scores by the width, not by its root, so they come out too much alike.",
            "What is the spread of a sum of d products, each with a spread of 1?",
            misconception="scale-by-width",
        ),
        "root of the model's width": WrongAnswer(
            lambda target, source, w_q, w_k, w_v, real: _cross(
                scale=lambda query, keys, values: target.shape[-1] ** 0.5
            )(target, source, w_q, w_k, w_v, real),
            "You divide by the root of the width *before* the projection. The dot product adds up "
            "as many terms as the projected vectors have numbers.",
            "Which width do queries and keys have when they meet?",
            misconception="wrong-width",
        ),
        "padding attended to": WrongAnswer(
            _cross(weigh=lambda scores, mask: scores.softmax(-1)),
            "Your weights let the decoder look at padding of the source.",
            "Which of the six inputs have you not used?",
            misconception="padding-is-harmless",
        ),
        "real words hidden": WrongAnswer(
            _cross(weigh=mask_turned),
            "Your decoder looks at padding and at nothing else: `real` was read the wrong way "
            "round.",
            "What does `True` mean in `real`?",
            misconception="mask-upside-down",
        ),
        "mask after the softmax": WrongAnswer(
            _cross(weigh=mask_late),
            "You took padding out after the softmax, so what it had taken of each row is lost.",
            "To what should a row of weights sum in a sentence with padding?",
            misconception="mask-after-softmax",
        ),
        "hidden scores of 0": WrongAnswer(
            _cross(weigh=fill_with(0.0)),
            "You set the scores of padding to 0, which is a score like any other: better than "
            "every negative one.",
            "Which score does `exp` turn into 0?",
            misconception="low-score-hides",
        ),
        "softmax over the queries": WrongAnswer(
            _cross(weigh=lambda scores, mask: masked_softmax(scores, mask, dim=1)),
            "Your weights sum to 1 over the target words: the softmax ran along the axis of the "
            "queries.",
            "Who shares out attention, and among whom?",
            misconception="softmax-over-queries",
        ),
        "root of the values' width": WrongAnswer(
            _cross(scale=lambda query, keys, values: values.shape[-1] ** 0.5),
            "Under your root stands the width of the values. They take no part in the scores.",
            "Which two tensors meet in a dot product?",
            misconception="wrong-width",
        ),
        "equal shares for a source of padding": WrongAnswer(
            _cross(weigh=fill_with(-1e9)),
            "All is right, but a source with no real word at all is looked at in equal shares. "
            "Its weights should be 0, and so should its context.",
            "What does `masked_softmax` of `utils.masks` do in that case?",
            misconception="empty-rows-sum-to-one",
        ),
        "NaN for a source of padding": WrongAnswer(
            _cross(weigh=fill_with(float("-inf"))),
            "All is right, but a source with no real word at all gives NaN. Its weights should be "
            "0, and so should its context.",
            "What does `masked_softmax` of `utils.masks` do in that case?",
            misconception="no-empty-rows",
        ),
    },
    variants=[with_linear, with_the_module, with_einsum, sentence_by_sentence, in_float64],
)
