"""A cached step with grouped heads."""

import torch
import torch.nn.functional as F

from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def inputs(batch, written, dim, heads, kv_heads, width, reach=1.5):
        return {
            "x": draw.numbers(batch, dim, reach=reach),
            "past_keys": draw.numbers(batch, kv_heads, written, width, reach=reach),
            "past_values": draw.numbers(batch, kv_heads, written, width, reach=reach),
            "w_q": draw.numbers(dim, heads * width, reach=1),
            "w_k": draw.numbers(dim, kv_heads * width, reach=1),
            "w_v": draw.numbers(dim, kv_heads * width, reach=1),
        }

    large = {name: value.double() for name, value in inputs(2, 4, 3, 4, 2, 3, 200).items()}
    return [
        Case("four heads, two with keys", inputs(2, 3, 5, 4, 2, 3)),
        Case("six heads, two with keys", inputs(1, 4, 4, 6, 2, 2)),
        Case("one head with keys for all", inputs(2, 3, 5, 4, 1, 2)),
        Case("as many with keys as without", inputs(2, 2, 4, 3, 3, 2)),
        Case("the first word: nothing is written yet", inputs(3, 0, 4, 4, 2, 3)),
        Case("all sizes alike", inputs(4, 4, 4, 4, 2, 4)),
        Case("large scores", large),
    ]


def _split(flat, width):
    return flat.unflatten(-1, (-1, width))  # (batch, heads, width)


def _grow(past, new):
    return torch.cat([past, new.unsqueeze(2)], dim=2)


def _share(kept, heads):
    return kept.repeat_interleave(heads // kept.shape[1], dim=1)


def _step(
    split=_split,
    grow=_grow,
    share=_share,
    scale=lambda width, heads: width**0.5,
    join=lambda contexts: contexts.flatten(1),
    looked=lambda kept: kept,
    keep=lambda kept, heads: kept,
):
    """Return the right function with some parts replaced."""

    def step(x, past_keys, past_values, w_q, w_k, w_v):
        width = past_keys.shape[-1]
        query = _split(x @ w_q, width)  # (batch, heads, width)
        heads = query.shape[1]
        keys = grow(past_keys, split(x @ w_k, width))
        values = grow(past_values, split(x @ w_v, width))
        seen_keys, seen_values = looked(share(keys, heads)), looked(share(values, heads))
        scores = torch.einsum("bhd,bhld->bhl", query, seen_keys) / scale(width, heads)
        contexts = torch.einsum("bhl,bhld->bhd", scores.softmax(-1), seen_values)
        return join(contexts), keep(keys, heads), keep(values, heads)

    return step


def _interleaved(flat, width):
    """Cut into heads the wrong way round."""
    return flat.unflatten(-1, (width, -1)).transpose(1, 2)


def fused(x, past_keys, past_values, w_q, w_k, w_v):
    width = past_keys.shape[-1]
    q, k, v = ((x @ w).unflatten(-1, (-1, 1, width)) for w in (w_q, w_k, w_v))
    keys, values = torch.cat([past_keys, k], 2), torch.cat([past_values, v], 2)
    context = F.scaled_dot_product_attention(q, keys, values, enable_gqa=True)
    return context.flatten(1), keys, values


def head_by_head(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, _, width = past_keys.shape
    new_keys = (x @ w_k).view(batch, kv_heads, 1, width)
    new_values = (x @ w_v).view(batch, kv_heads, 1, width)
    keys = torch.cat([past_keys, new_keys], dim=2)
    values = torch.cat([past_values, new_values], dim=2)
    queries = (x @ w_q).split(width, dim=-1)
    group, contexts = len(queries) // kv_heads, []
    for head, query in enumerate(queries):
        mine = keys[:, head // group]  # (batch, written + 1, width)
        scores = (mine @ query.unsqueeze(-1)).squeeze(-1) / width**0.5
        contexts.append((scores.softmax(-1).unsqueeze(1) @ values[:, head // group]).squeeze(1))
    return torch.cat(contexts, dim=-1), keys, values


def in_groups(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, _, width = past_keys.shape
    keys = torch.cat([past_keys, (x @ w_k).reshape(batch, kv_heads, 1, width)], 2)
    values = torch.cat([past_values, (x @ w_v).reshape(batch, kv_heads, 1, width)], 2)
    queries = (x @ w_q).reshape(batch, kv_heads, -1, width)  # a group beside its keys
    weights = (queries @ keys.mT * width**-0.5).softmax(-1)
    return (weights @ values).reshape(batch, -1), keys, values


exercise = Exercise(
    id="grouped_step",
    title="A cached step with grouped heads",
    points=4,
    difficulty=2,
    minutes=20,
    section="09.3",
    outputs=["context", "keys", "values"],
    cases=cases,
    hints=[
        "Which of the three, queries, keys and values, has more heads? And which heads of it "
        "belong to the first head of the others?",
        "Cut `x @ w_q` into (batch, heads, width) with `unflatten(-1, (-1, width))`, keys and "
        "values likewise, and join these to the cache along its axis of words.",
        "`keys.repeat_interleave(heads // kv_heads, dim=1)` gives each query head its keys. "
        "Scores: `query.unsqueeze(2) @ shared.mT / width**0.5`, (batch, heads, 1, written + 1). "
        "Return the cache as it is, without copies.",
    ],
    mistakes={
        "the whole row again": WrongAnswer(
            _step(share=lambda kept, heads: kept.repeat(1, heads // kept.shape[1], 1, 1)),
            "Your query heads take turns with the KV heads: of two, head 1 uses the second. A "
            "group is a block of neighbours.",
            "What is the difference between `repeat` and `repeat_interleave`?",
            misconception="parts-in-any-order",
        ),
        "the first for all": WrongAnswer(
            _step(share=lambda kept, heads: kept[:, :1].expand(-1, heads, -1, -1)),
            "All your query heads use the first KV head.",
            "What are the other KV heads kept for?",
            misconception="one-for-all",
        ),
        "copies kept": WrongAnswer(
            _step(keep=_share),
            "You return keys and values copied for every query head. The next step would find a "
            "cache as large as without groups.",
            "What was to be saved?",
            misconception="sizes-always-equal",
        ),
        "the cache stays as it was": WrongAnswer(
            _step(keep=lambda kept, heads: kept[:, :, :-1]),
            "You return the cache that came in. The next word will not find this one in it.",
            "How many keys should there be after this step?",
            misconception="stale-value",
        ),
        "cut the wrong way": WrongAnswer(
            _step(split=_interleaved),
            "You cut keys and values the wrong way: neighbours in the width belong to the same "
            "head.",
            "Which entries of `x @ w_k` are the first head's?",
            misconception="axes-anywhere",
        ),
        "no scale": WrongAnswer(
            _step(scale=lambda width, heads: 1.0),
            "Your scores are not divided by the root of the width of a head.",
            "What makes the softmax of wide vectors too sharp?",
            misconception="no-scale",
        ),
        "scaled by all heads": WrongAnswer(
            _step(scale=lambda width, heads: (width * heads) ** 0.5),
            "You divide by the root of the width of all heads together. A score adds up the "
            "products of one head.",
            "How many products are added up in one score?",
            misconception="wrong-width",
        ),
        "heads mixed when joined": WrongAnswer(
            _step(join=lambda contexts: contexts.transpose(1, 2).flatten(1)),
            "You join the contexts feature by feature. Each head's context stays together.",
            "Where should the second entry of the first head's context stand?",
            misconception="axes-anywhere",
        ),
        "in front": WrongAnswer(
            _step(grow=lambda past, new: torch.cat([new.unsqueeze(2), past], dim=2)),
            "You put the new key and value in front of the cache, which is then no longer in the "
            "order of the words.",
            "In which order does `torch.cat` join what it is given?",
            misconception="parts-in-any-order",
        ),
        "the first word alone": WrongAnswer(
            _step(looked=lambda kept: kept[:, :, :1]),
            "Your new word sees the first word only, as with `is_causal=True`: PyTorch lines its "
            "triangle up at the top left, and this is the last row.",
            "Is a mask needed for a single new word?",
            misconception="wrong-end",
        ),
        "does not see itself": WrongAnswer(
            _step(looked=lambda kept: kept[:, :, :-1] if kept.shape[2] > 1 else kept),
            "The new word looks at the words before it and not at itself.",
            "What does the first word look at?",
            misconception="off-by-one",
        ),
    },
    equivalents={
        "query = (x @ w_q).unflatten(1, (-1, 1, width))": IN_A_MATRIX,
        "new_key = (x @ w_k).unflatten(1, (-1, 1, width))": IN_A_MATRIX,
        "new_value = (x @ w_v).unflatten(1, (-1, 1, width))": IN_A_MATRIX,
    },
    variants=[fused, head_by_head, in_groups],
)
