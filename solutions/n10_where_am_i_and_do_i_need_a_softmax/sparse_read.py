"""Attention to a few words that cheap scores have chosen."""

import torch
import torch.nn.functional as F
from torch import Tensor

from solutions.cases import doubled, one_silent
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.masks import causal_mask


def cases(draw: Draw) -> list[Case]:
    def inputs(
        batch, length, most, dim=3, width=4, heads=3, small=2, sign=None, reach=1.5, faint=1
    ):
        drawn = {
            "queries": draw.numbers(batch, length, dim, reach=reach),
            "keys": draw.numbers(batch, length, dim, reach=reach),
            "values": draw.numbers(batch, length, width),
        }
        index: dict = {}
        while not index or _close(*index.values(), most, 0.05 / faint):
            weights = draw.numbers(batch, length, heads) / faint
            index = {
                "index_queries": draw.numbers(batch, length, heads, small),
                "index_keys": draw.numbers(batch, length, small),
                "index_weights": sign * weights.abs() if sign else weights,
            }
        return {**drawn, **index, "most": most}

    large = doubled(inputs(2, 5, 3, reach=30))
    silent = inputs(2, 5, 7)
    silent["keys"] = one_silent(silent["keys"])
    return [
        Case("two texts, three words each are read", inputs(2, 6, 3)),
        Case("one word is read", inputs(2, 5, 1)),
        Case("five words, seven may be read, a key of zeros", silent),
        Case("as many as the text has", inputs(1, 4, 4)),
        Case("one head chooses", inputs(2, 5, 2, heads=1, sign=1)),
        Case("no index weight above 0", inputs(2, 5, 2, heads=5, sign=-1)),
        Case("index scores near to 0", inputs(2, 5, 2, faint=100)),
        Case("all sizes alike", inputs(4, 4, 2, 4, 4, 4, 4)),
        Case("large scores", large | {"keys": large["keys"] - 50_000.0}),
    ]


def _index(index_queries, index_keys, index_weights):
    agreed = torch.einsum("bthw,bsw->bths", index_queries, index_keys).relu()
    return torch.einsum("bth,bths->bts", index_weights, agreed)


def _close(index_queries, index_keys, index_weights, most, least):
    """Decide whether the last word chosen is less than `least` above the next one, in any row."""
    scores = _index(index_queries, index_keys, index_weights)
    for row in range(most, scores.shape[1]):
        ordered = scores[:, row, : row + 1].sort(-1, descending=True).values
        if (ordered[:, most - 1] - ordered[:, most]).min() < least:
            return True
    return False


def _open(index: Tensor, most: int) -> Tensor:
    """Return a mask of the highest scores of each row, all of which may be minus infinity."""
    best = index.topk(min(most, index.shape[-1])).indices
    return torch.zeros_like(index, dtype=torch.bool).scatter(-1, best, True)


def _right_choice(index: Tensor, most: int) -> Tensor:
    mask = causal_mask(index.shape[-1])
    return _open(index.masked_fill(~mask, -torch.inf), most) & mask


def _read(
    index=_index,
    choose=_right_choice,
    ranking=lambda index, scores: index,
    weighed=lambda index, scores: scores,
    weigh=lambda scores, chosen: scores.masked_fill(~chosen, -torch.inf).softmax(-1),
):
    """Return an answer with some parts replaced."""

    def sparse_read(queries, keys, values, index_queries, index_keys, index_weights, most):
        cheap = index(index_queries, index_keys, index_weights)  # (batch, len, len)
        scores = queries @ keys.mT / queries.shape[2] ** 0.5
        chosen = choose(ranking(cheap, scores), most)
        return weigh(weighed(cheap, scores), chosen) @ values, chosen

    return sparse_read


def _each_head_chooses(queries, keys, values, index_queries, index_keys, index_weights, most):
    """Open what any of the small heads rates highest."""
    agreed = torch.einsum("bthw,bsw->bhts", index_queries, index_keys).relu()
    chosen = _right_choice(agreed * index_weights.mT.unsqueeze(-1), most).any(1)
    scores = queries @ keys.mT / queries.shape[2] ** 0.5
    return scores.masked_fill(~chosen, -torch.inf).softmax(-1) @ values, chosen


def _chosen_too_early(index: Tensor, most: int) -> Tensor:
    """Choose among all words, and then hide those ahead; a row left empty sees itself."""
    chosen = _open(index, most) & causal_mask(index.shape[-1])
    empty = ~chosen.any(-1, keepdim=True)
    return chosen | (empty & torch.eye(index.shape[-1], dtype=torch.bool))


def _hidden_by_zero(index: Tensor, most: int) -> Tensor:
    mask = causal_mask(index.shape[-1])
    return _open(index * mask, most) & mask


def word_by_word(queries, keys, values, index_queries, index_keys, index_weights, most):
    batch, length = queries.shape[:2]
    contexts = torch.zeros_like(values)
    chosen = torch.zeros(batch, length, length, dtype=torch.bool)
    for text in range(batch):
        for word in range(length):
            seen = index_keys[text, : word + 1]  # (word + 1, small)
            agreed = (seen @ index_queries[text, word].T).clamp(min=0)  # (word + 1, heads)
            best = (agreed @ index_weights[text, word]).argsort(descending=True)[:most]
            scores = keys[text, best] @ queries[text, word] / queries.shape[2] ** 0.5
            contexts[text, word] = scores.softmax(0) @ values[text, best]
            chosen[text, word, best] = True
    return contexts, chosen


def above_the_last(queries, keys, values, index_queries, index_keys, index_weights, most):
    length = queries.shape[1]
    ahead = torch.ones(length, length, dtype=torch.bool).triu(1)
    index = 0
    for head in range(index_queries.shape[2]):
        agreed = F.relu(index_queries[:, :, head] @ index_keys.transpose(1, 2))
        index = index + index_weights[:, :, head, None] * agreed
    index = index.masked_fill(ahead, -1e9)
    last = index.sort(-1, descending=True).values[..., min(most, length) - 1, None]
    chosen = (index >= last) & ~ahead
    return F.scaled_dot_product_attention(queries, keys, values, chosen), chosen


def gathered(queries, keys, values, index_queries, index_keys, index_weights, most):
    batch, length = queries.shape[:2]
    ahead = ~causal_mask(length)
    agreed = (index_queries @ index_keys.mT.unsqueeze(1)).relu()  # (batch, len, heads, len)
    index = (index_weights.unsqueeze(2) @ agreed).squeeze(2).masked_fill(ahead, -torch.inf)
    cheap, best = index.topk(min(most, length), dim=-1)  # (batch, len, most)
    texts = torch.arange(batch)[:, None, None]
    scores = (keys[texts, best] @ queries.unsqueeze(-1)).squeeze(-1) / queries.shape[-1] ** 0.5
    weights = scores.masked_fill(cheap == -torch.inf, -torch.inf).softmax(-1)
    contexts = (weights.unsqueeze(-1) * values[texts, best]).sum(2)
    ranks = index.argsort(-1, descending=True).argsort(-1)
    return contexts, (ranks < most) & ~ahead


def _masked_read(queries, keys, values, index, most):
    """Read what an index chooses, (batch, len, len)."""
    so_far = torch.arange(index.shape[-1]) <= torch.arange(index.shape[-1])[:, None]
    best = torch.where(so_far, index, -torch.inf).topk(min(most, index.shape[-1]), -1).indices
    chosen = F.one_hot(best, index.shape[-1]).sum(-2).bool() & so_far
    scores = torch.einsum("btd,bsd->bts", queries, keys) / queries.shape[-1] ** 0.5
    weights = torch.where(chosen, scores, -torch.inf).softmax(-1)
    return torch.einsum("bts,bsd->btd", weights, values), chosen


def heads_first(queries, keys, values, index_queries, index_keys, index_weights, most):
    agreed = torch.einsum("bthw,bsw->bhts", index_queries, index_keys).relu()
    index = (index_weights.transpose(1, 2).unsqueeze(-1) * agreed).sum(1)
    return _masked_read(queries, keys, values, index, most)


def as_in_multi_head_attention(
    queries, keys, values, index_queries, index_keys, index_weights, most
):
    heads = index_queries.transpose(1, 2)  # (batch, heads, len, small)
    agreed = torch.relu(heads @ index_keys.unsqueeze(1).transpose(-2, -1))
    index = torch.einsum("bth,bhts->bts", index_weights, agreed)
    return _masked_read(queries, keys, values, index, most)


exercise = Exercise(
    id="sparse_read",
    title="Look cheaply, then read",
    points=4,
    difficulty=3,
    minutes=20,
    section="10.5",
    outputs=["contexts", "chosen"],
    cases=cases,
    tolerance=1e-4,
    hints=[
        "Which words may be chosen at all? The first word of a text sees one word, itself: what "
        "does your choice of the best three make of that row?",
        'The index: `torch.einsum("bthw,bsw->bths", …)`, ReLU, times the weights, summed over '
        "the heads. Fill what lies ahead with minus infinity, *then* take `topk`, of "
        "`min(most, len)`. In early rows some of these still lie ahead: close them.",
        "`best = index.topk(min(most, length)).indices`, and `chosen = torch.zeros(index.shape, "
        "dtype=torch.bool).scatter(-1, best, True) & so_far`, with a causal mask `so_far`. Fill "
        "the scaled scores with minus infinity where nothing is chosen; softmax; times the "
        "values.",
    ],
    mistakes={
        "chosen before the mask": WrongAnswer(
            _read(choose=_chosen_too_early),
            "You choose among all words, and hide those ahead afterwards. They have taken places "
            "by then, so fewer words may be left than could be read.",
            "Five words, the best two are read. If both lie ahead, what does the first one read?",
            misconception="mask-after-softmax",
            also={
                "empty rows are NaN": _read(
                    choose=lambda index, most: _open(index, most) & causal_mask(index.shape[-1])
                )
            },
        ),
        "filled up with the future": WrongAnswer(
            _read(
                choose=lambda index, most: _open(
                    index.masked_fill(~causal_mask(index.shape[-1]), -torch.inf), most
                )
            ),
            "In early rows fewer words have been read than may be chosen. There the best are "
            "filled up with words ahead, and you leave them open. The lowest score can still be "
            "among the best three of three.",
            "Three words are read. Which are the three of the very first word?",
            misconception="low-score-hides",
        ),
        "the future open": WrongAnswer(
            _read(choose=_open),
            "Your words choose among all words of the text, those ahead too.",
            "Up to which word does word t look?",
            misconception="future-open",
        ),
        "hidden by 0": WrongAnswer(
            _read(choose=_hidden_by_zero),
            "You give words ahead an index score of 0. Scores may be negative, and then 0 is the "
            "best of them: words ahead take the places.",
            "Which scores does a word with negative weights give to the words before it?",
            misconception="low-score-hides",
        ),
        "ReLU of the sum": WrongAnswer(
            _read(
                index=lambda q, k, w: torch.einsum(
                    "bth,bths->bts", w, torch.einsum("bthw,bsw->bths", q, k)
                ).relu()
            ),
            "You take the ReLU of the sum over the heads. In the formula it stands inside: what "
            "one head rejects is not taken from what another has found.",
            "Head 1 says 2 and head 2 says -3, both with weight 1. What is the index score?",
            misconception="steps-in-any-order",
        ),
        "no ReLU": WrongAnswer(
            _read(
                index=lambda q, k, w: torch.einsum(
                    "bth,bths->bts", w, torch.einsum("bthw,bsw->bths", q, k)
                )
            ),
            "There is no ReLU in your index scores. Without it the small heads are one: the sum "
            "over them is a single dot product.",
            "What does the formula make of a product below 0?",
            misconception="nonlinearity-left-out",
        ),
        "weights of the word looked at": WrongAnswer(
            _read(
                index=lambda q, k, w: torch.einsum(
                    "bsh,bths->bts", w, torch.einsum("bthw,bsw->bths", q, k).relu()
                )
            ),
            "You weigh the heads with the weights of the word that is looked at. They belong to "
            "the word that looks, as its query does.",
            "Which index does the weight have in the formula, t or s?",
            misconception="who-asks",
        ),
        "each head chooses": WrongAnswer(
            _each_head_chooses,
            "Each of your small heads chooses words of its own, and you read them all. The scores "
            "of the heads are added up first, and there is one choice.",
            "Two words are read. How many may be open in a row of `chosen`?",
            misconception="averages-anywhere",
        ),
        "cut after the softmax": WrongAnswer(
            _read(weigh=lambda scores, chosen: scores.softmax(-1) * chosen),
            "You take the softmax over all words and cut afterwards. What is left of a row need "
            "not sum to 1; and all keys were read after all.",
            "What should the weights of the chosen words sum to?",
            misconception="mask-after-softmax",
        ),
        "read with the cheap scores": WrongAnswer(
            _read(weighed=lambda index, scores: index),
            "Your weights are a softmax of the index scores. Those only choose; how much of each "
            "chosen word is read, queries and keys decide.",
            "What do you need `queries` and `keys` for?",
            misconception="input-unused",
        ),
        "chosen by the real scores": WrongAnswer(
            _read(ranking=lambda index, scores: scores),
            "You choose by the real scores. To have them, every key has to be read, and that is "
            "what the indexer saves.",
            "Which inputs does `chosen` depend on?",
            misconception="input-unused",
        ),
    },
    equivalents={
        "index = (index_weights.unsqueeze(-1) * agreed).mean(2)": (
            "divided by the number of heads, the highest scores are still the highest"
        ),
    },
    variants=[word_by_word, above_the_last, gathered, heads_first, as_in_multi_head_attention],
)
