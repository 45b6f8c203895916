"""The task “Attention that never sees its table”: right answers and known mistakes."""

import math

import torch

from solutions.cases import (
    doubled,
    far_apart,
    one_row_shut,
    one_silent,
    query_keys_values,
    random_mask,
)
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, sizes, block, mask=None):
        batch, tgt_len, src_len, *_ = sizes
        mask = random_mask(draw, batch, tgt_len, src_len) if mask is None else mask
        return Case(label, query_keys_values(draw, *sizes) | {"mask": mask, "block": block})

    late = torch.tensor([[0, 0, 0, 1, 1, 0, 1, 1], [0, 0, 1, 1, 0, 0, 0, 0]]).bool()  # (2, 8)
    rising = query_keys_values(draw, 2, 3, 6, 4, 2)
    order = (rising["query"] @ rising["keys"].mT).mean(1).argsort(-1)  # (2, 6)
    rising["keys"] = rising["keys"].gather(1, order.unsqueeze(-1).expand(-1, -1, 4))
    wide_open = torch.ones(2, 3, 6, dtype=torch.bool)
    far = far_apart(draw)
    far["query"] = 1000 * far["query"]  # so that `exp` of a score is 0, 1 or infinite
    far["mask"] = far["mask"].expand(2, 3, 4).contiguous()
    far["keys"][1] -= 20.0  # all that the second sentence may look at is far below 0
    far["mask"][1, 0, :2] = False  # the first block of a row, which has seen nothing then
    silent = case("a mask, three blocks, a key of zeros", (2, 3, 6, 4, 5), 2)
    silent.inputs["keys"] = one_silent(silent.inputs["keys"])
    return [
        Case("nothing hidden, two blocks", rising | {"mask": wide_open, "block": 3}),
        silent,
        case("a last block that is shorter", (2, 4, 7, 3, 2), 3),
        case("all keys in one block", (3, 2, 5, 4, 3), 5),
        case("a block larger than the source", (1, 3, 4, 2, 3), 10),
        case("one key at a time", (2, 3, 5, 4, 2), 1),
        case(
            "blocks in which a row may look at nothing",
            (2, 2, 8, 3, 4),
            2,
            torch.stack([late, late.flip(0)]),
        ),
        case(
            "rows that may look at nothing at all",
            (2, 3, 6, 4, 3),
            2,
            one_row_shut(random_mask(draw, 2, 3, 6)),
        ),
        Case(
            "scores in the millions above and below 0, the best of them hidden", far | {"block": 2}
        ),
        Case(
            "float64, and a last block that is shorter",
            doubled(query_keys_values(draw, 2, 4, 5, 8, 3))
            | {"mask": random_mask(draw, 2, 4, 5), "block": 3},
        ),
    ]


def _streaming(
    *,
    root=True,
    low=None,
    hide_after=True,
    shrink_total=True,
    shrink_context=True,
    over_hidden=False,
    measured=True,
    short_end=True,
    finish=lambda context, total: context / total.clamp(min=1).unsqueeze(-1),
    hide=True,
    own=False,
    turned=False,
    zero_if_closed=False,
):
    """Return the right function with some parts replaced."""

    def attend(query, keys, values, mask, block):
        lowest = torch.finfo(query.dtype).min if low is None else low
        largest = query.new_full(query.shape[:2], lowest if measured else 0.0)  # (batch, tgt_len)
        total, context = torch.zeros_like(largest), 0.0
        for start in range(0, keys.shape[1] - (0 if short_end else block - 1), block):
            part = slice(start, start + block)
            raw = query @ keys[:, part].mT / (math.sqrt(keys.shape[-1]) if root else 1)
            seen = mask[:, :, part] if hide else torch.ones_like(mask[:, :, part])
            seen = ~seen if turned else seen
            scores = raw.masked_fill(~seen, lowest)
            larger = largest.maximum((raw if over_hidden else scores).amax(-1))
            larger = larger if measured else largest
            larger = scores.amax(-1) if own else larger
            closed = zero_if_closed & (larger == lowest)
            larger = larger.masked_fill(closed, 0.0)
            shrink, powers = (largest - larger).exp(), (scores - larger.unsqueeze(-1)).exp()
            powers = powers * seen if hide_after else powers
            total = total * (shrink if shrink_total else 1) + powers.sum(-1)
            context = context * (shrink.unsqueeze(-1) if shrink_context else 1)
            context = context + powers @ values[:, part]
            largest = larger
        return finish(context, total), total

    return attend


def _log_of_sum(query, keys, mask):
    scores = query @ keys.mT / math.sqrt(keys.shape[-1])
    return scores.masked_fill(~mask, -torch.inf).logsumexp(-1)


def _block_by_block(join):
    """Attend within each block alone; `join` makes one context of (blocks, …)."""

    def attend(query, keys, values, mask, block):
        right = _streaming()
        parts = [slice(start, start + block) for start in range(0, keys.shape[1], block)]
        each = [right(query, keys[:, p], values[:, p], mask[:, :, p], block)[0] for p in parts]
        return join(torch.stack(each)), right(query, keys, values, mask, block)[1]

    return attend


def all_at_once(query, keys, values, mask, block):
    scores = torch.einsum("btd,bsd->bts", query, keys) / keys.size(-1) ** 0.5
    scores = torch.where(mask, scores, -math.inf)
    largest = scores.amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    powers = (scores - largest).exp()
    total = powers.sum(-1)
    weights = powers / torch.where(total > 0, total, 1.0).unsqueeze(-1)
    return weights @ values, total


def key_by_key(query, keys, values, mask, block):
    contexts, totals = [], []
    for b, t in torch.cartesian_prod(*map(torch.arange, query.shape[:2])).tolist():
        largest, total, gathered = None, 0.0 * query[b, t].sum(), 0.0 * values[b, 0]
        for key, value, seen in zip(keys[b], values[b], mask[b, t], strict=True):
            if not seen:
                continue
            score = query[b, t] @ key / math.sqrt(len(key))
            if largest is None or score > largest:
                shrink = 0.0 if largest is None else (largest - score).exp()
                total, gathered, largest = total * shrink, gathered * shrink, score
            total = total + (score - largest).exp()
            gathered = gathered + (score - largest).exp() * value
        totals.append(total)
        contexts.append(gathered / total if total > 0 else gathered)
    shape = query.shape[:2]
    return torch.stack(contexts).unflatten(0, shape), torch.stack(totals).unflatten(0, shape)


def always_normalised(query, keys, values, mask, block):
    """Divide the context so far by the sum so far, at every step."""
    context = values.new_zeros(*query.shape[:2], values.shape[-1])
    total = query.new_zeros(*query.shape[:2], 1)
    largest = query.new_full((*query.shape[:2], 1), -1e30)
    for k, v, m in zip(
        keys.split(block, 1), values.split(block, 1), mask.split(block, 2), strict=True
    ):
        scores = (query @ k.transpose(1, 2) * k.shape[-1] ** -0.5).where(m, -1e30)
        larger = torch.cat([largest, scores], -1).amax(-1, keepdim=True)
        powers = (scores - larger).exp() * m
        kept = total * (largest - larger).exp()
        total = kept + powers.sum(-1, keepdim=True)
        context = (kept * context + powers @ v) / total.clamp(min=1e-30)
        largest = larger
    return context, total.squeeze(-1)


def two_passes(query, keys, values, mask, block):
    """Find the largest score of each row first, then the sums."""
    blocks = [slice(n, n + block) for n in range(0, keys.shape[1], block)]

    def scores(p):
        return (query @ keys[:, p].mT / math.sqrt(query.shape[-1])).where(mask[..., p], -torch.inf)

    largest = torch.stack([scores(p).amax(-1) for p in blocks]).amax(0).clamp(min=-1e30)
    powers = [(scores(p) - largest[..., None]).exp() for p in blocks]
    total = sum(block.sum(-1) for block in powers)
    context = sum(block @ values[:, p] for block, p in zip(powers, blocks, strict=True))
    return context / total.where(total > 0, 1)[..., None], total


exercise = Exercise(
    id="streaming_attention",
    title="Attention that never sees its table",
    points=5,
    difficulty=3,
    minutes=35,
    section="04.9",
    outputs=["context", "total"],
    cases=cases,
    equivalents={
        "largest = query.new_full(query.shape[1:2], lowest)": "it broadcasts over the batch",
        "lowest = torch.finfo().min": "that of float32 is low enough for any score",
    },
    shortcuts=["scaled_dot_product_attention", "masked_softmax", "softmax", "logsumexp"],
    hints=[
        "Begin with the function of section 9. Where does it first meet a number that a hidden "
        "key may change? And what does it subtract from what when a whole block is hidden?",
        "Minus infinity less minus infinity is NaN. The lowest finite number has no such trouble; "
        "but then the hidden keys of a row that is still empty have the power exp(0) = 1.",
        "Fill hidden scores with `torch.finfo(…).min`, begin with a largest score of the same, and "
        "set the powers of hidden keys to 0 (times the mask of the block). At the end divide by "
        "`total.clamp(min=1)`: a row that has seen a key has a total of 1 at least.",
    ],
    mistakes={
        "mask left out": WrongAnswer(
            _streaming(hide=False),
            "The mask changes nothing in your context: hidden keys get a share like all others.",
            "Which columns of the mask belong to the block at hand?",
            misconception="padding-is-harmless",
        ),
        "context keeps its size": WrongAnswer(
            _streaming(shrink_context=False),
            "When a larger score comes, you shrink the sum and forget the context. It was measured "
            "against the old largest score, so early values weigh too much.",
            "Which of the three things that you keep are measured against the largest score?",
            misconception="stale-value",
        ),
        "sum keeps its size": WrongAnswer(
            _streaming(shrink_total=False),
            "When a larger score comes, you shrink the context and forget the sum. It was measured "
            "against the old largest score.",
            "Which of the three things that you keep are measured against the largest score?",
            misconception="stale-value",
        ),
        "nothing shrinks": WrongAnswer(
            _streaming(shrink_context=False, shrink_total=False),
            "Each block is measured against the largest score so far, and what was gathered "
            "before is left as it was. So early blocks weigh too much if a larger score comes "
            "later.",
            "What was the first block measured against, and what is the last one?",
            misconception="stale-value",
        ),
        "each block by itself": WrongAnswer(
            _streaming(own=True, shrink_context=False, shrink_total=False),
            "Each of your blocks is measured against its own largest score, and then they are "
            "added up. Numbers that are measured against different things cannot be added.",
            "By which factor should a block count whose largest score is 2 below that of another?",
            misconception="averages-anywhere",
        ),
        "mask turned round": WrongAnswer(
            _streaming(turned=True),
            "Your mask is read the other way round: the keys that should be hidden are looked at, "
            "and they alone.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
        ),
        "mean of the blocks": WrongAnswer(
            _block_by_block(lambda each: each.mean(0)),
            "You take attention within each block, and the mean of the results. But a block with "
            "low scores should count for less than one with high scores.",
            "Two blocks, one with a score of 0 and one with a score of 5: what share should the "
            "second one get?",
            misconception="averages-anywhere",
        ),
        "sum of the blocks": WrongAnswer(
            _block_by_block(lambda each: each.sum(0)),
            "You take attention within each block and add up the results. So the weights of a "
            "row sum to the number of blocks with a key that it may look at.",
            "By what should the powers of *all* blocks be divided?",
            misconception="shares-need-not-sum-to-one",
        ),
        "never divided": WrongAnswer(
            _streaming(finish=lambda context, total: context),
            "Your context is not divided by the sum: the weights that mixed it need not sum to 1.",
            "What is still to be done when the last block has been read?",
            misconception="shares-need-not-sum-to-one",
        ),
        "logarithm of the sum": WrongAnswer(
            lambda query, keys, values, mask, block: (
                _streaming()(query, keys, values, mask, block)[0],
                _log_of_sum(query, keys, mask),
            ),
            "Your `total` is the logarithm of the sum of all powers (log-sum-exp). Asked is the "
            "sum itself, of powers measured against the largest score.",
            "How large is the sum if one key has all the weight?",
            misconception="logarithm",
        ),
        "no scale": WrongAnswer(
            _streaming(root=False),
            "Your scores are not divided by √d.",
            "What does section 1 say about scores of wide vectors?",
            misconception="no-scale",
        ),
        "not low enough": WrongAnswer(
            _streaming(low=-1000.0),
            "Rows whose open scores all lie far below 0 come out as 0: some number in your code "
            "is larger than all of these scores. Is it what your largest score begins with?",
            "Which number is lower than every score that there can be?",
            misconception="low-score-hides",
        ),
        "infinity less infinity": WrongAnswer(
            _streaming(
                low=-math.inf,
                finish=lambda context, total: context / total.clamp(min=1).unsqueeze(-1),
            ),
            "Where the first block of a row is all hidden, NaN comes out, as of minus infinity "
            "less minus infinity. It never goes away again: NaN plus anything is NaN.",
            "What should the largest score be before the first open key has come?",
            misconception="formula-is-safe",
        ),
        "0 / 0 in an empty row": WrongAnswer(
            _streaming(finish=lambda context, total: context / total.unsqueeze(-1)),
            "It fails in rows that may look at nothing. Their sum is 0, and so is their context: 0"
            " / 0.",
            "How small can the sum of a row be that has seen a key?",
            misconception="no-empty-rows",
        ),
        "equal shares in an empty row": WrongAnswer(
            _streaming(hide_after=False),
            "It fails in rows that may look at nothing. They look at everything, as where all "
            "scores are one low number and all powers are exp(0) = 1.",
            "What power has a hidden key while the largest score is still the lowest number?",
            misconception="empty-rows-sum-to-one",
        ),
        "measured against hidden scores": WrongAnswer(
            _streaming(over_hidden=True),
            "Your largest score may be that of a hidden key. So your sum is measured against "
            "something that the row may not see; and where that score is thousands above the "
            "others, nothing is left of those.",
            "What comes first, the mask or the maximum?",
            misconception="mask-after-softmax",
        ),
        "no maximum": WrongAnswer(
            _streaming(measured=False),
            "You sum up plain powers, measured against nothing. Divided by their sum they would "
            "give the same context on paper; but `exp` of a score of 1,000 is infinite. And "
            "asked is the sum measured against the largest open score.",
            "How large a score can `exp` take in float32?",
            misconception="formula-is-safe",
        ),
        "short end dropped": WrongAnswer(
            _streaming(short_end=False),
            "You read whole blocks only. Where the length is no multiple of `block`, the last keys "
            "are never seen.",
            "Seven keys in blocks of three: how many blocks are there?",
            misconception="off-by-one",
        ),
        "order of return": WrongAnswer(
            lambda *given: _streaming()(*given)[::-1],
            "You return the total first and the context second. Asked are `(context, total)`.",
            "Which of your two results is as wide as the values?",
            misconception="parts-in-any-order",
        ),
        "0 after a closed block": WrongAnswer(
            _streaming(zero_if_closed=True),
            "In a row whose first block is closed, your `total` is measured against 0, wherever "
            "the row's largest score lies below 0. Nothing was seen yet, so nothing may count as "
            "the largest: with very low scores all powers of such a row would vanish.",
            "A row has seen nothing so far. With which number may its running maximum go on, so "
            "that every score is larger?",
            misconception="no-empty-rows",
        ),
    },
    variants=[all_at_once, key_by_key, always_normalised, two_passes],
)
