"""Two bugs."""

import torch
import torch.nn.functional as F
from torch import nn

from solutions.cases import additive_weights, additive_widths, as_view
from solutions.parts import filled, judge, safe_softmax
from solutions.specification import NO_ORDER, Draw, Exercise, Misconception
from utils.checks.tasks import Case
from utils.masks import padding_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, src_len, widths, lengths, change=None):
        state, keys = draw.numbers(batch, widths[0]), draw.numbers(batch, src_len, widths[1])
        if change:
            state, keys = change(state), change(keys)
        mask = padding_mask(lengths, max_len=src_len).squeeze(1)
        parameters = {
            name.removesuffix(".weight"): values.squeeze(0) if name == "v.weight" else values
            for name, values in additive_weights(draw, *widths).items()
        }
        inputs = {"state": state, "keys": keys, "mask": mask}
        return Case(label, inputs, additive_widths(*widths), parameters)

    return [
        case("two sentences of one length", 2, 4, (3, 5, 6), [4, 4]),
        case("a padded batch of three", 3, 5, (4, 2, 6), [2, 5, 3]),
        case("a batch of one", 1, 4, (5, 3, 6), [3]),
        case("a sentence of length 0", 2, 3, (4, 5, 6), [3, 0]),
        case("one key only", 3, 1, (2, 4, 5), [1, 1, 1]),
        case("many questions", 2, 4, (3, 5, 9), [4, 3]),
        case("transposed views", 4, 5, (2, 3, 6), [5, 4, 1, 2], as_view),
    ]


class _Step(nn.Module):
    """One step of a decoder; a misconception replaces how it scores or weighs."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        shapes = {"W_query": (attention_dim, query_dim), "W_key": (attention_dim, key_dim)}
        for name, shape in {**shapes, "v": (attention_dim,)}.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape)))

    def score(self, sums):
        return sums.tanh() @ self.v

    def weigh(self, scores, mask):
        return safe_softmax(scores, mask)

    def forward(self, state, keys, mask):
        sums = F.linear(state, self.W_query).unsqueeze(1) + F.linear(keys, self.W_key)
        weights = self.weigh(self.score(sums), mask)
        return torch.einsum("bs,bsk->bk", weights, keys), weights


def _tanh_outside(self, sums):
    return (sums @ self.v).tanh()


def _mask_outside(self, scores, mask):
    return scores.softmax(-1) * mask


# --- Right answers in other styles ----------------------------------------------------------------


class _Matrices(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(attention_dim, query_dim) / 10)
        self.W_key = nn.Parameter(torch.randn(attention_dim, key_dim) / 10)
        self.v = nn.Parameter(torch.randn(attention_dim) / 10)


class WithLowNumber(_Matrices):
    def forward(self, state, keys, mask):
        hidden = torch.tanh(F.linear(state, self.W_query)[:, None] + F.linear(keys, self.W_key))
        weights = F.softmax((hidden @ self.v).masked_fill(~mask, -1e9), dim=-1) * mask
        return torch.einsum("bs,bsk->bk", weights, keys), weights


class SharedOutAgain(_Matrices):
    """Masked after the softmax, and shared out again: right while scores lie close together."""

    def forward(self, state, keys, mask):
        hidden = ((state @ self.W_query.T).unsqueeze(1) + keys @ self.W_key.T).tanh()
        weights = (hidden @ self.v).softmax(-1) * mask
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
        return (weights[..., None] * keys).sum(1), weights


class SentenceBySentence(_Matrices):
    def forward(self, state, keys, mask):
        contexts, rows = [], []
        for s, sentence, allowed in zip(state, keys, mask, strict=True):
            scores = torch.stack(
                [self.v @ (self.W_query @ s + self.W_key @ h).tanh() for h in sentence]
            )
            row = scores.masked_fill(~allowed, float("-inf")).softmax(0).nan_to_num(0.0)
            rows.append(row)
            contexts.append(row @ sentence)
        return torch.stack(contexts), torch.stack(rows)


class InFloat64(_Matrices):
    def forward(self, query, keys, mask):
        query, keys = query.double(), keys.double()
        W_query, W_key, v = self.W_query.double(), self.W_key.double(), self.v.double()
        scores = ((query @ W_query.T)[:, None] + keys @ W_key.T).tanh().matmul(v)
        weights = scores.where(mask, -1e30).softmax(-1).where(mask, 0)
        return [torch.bmm(weights[:, None], keys)[:, 0], weights]


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="BrokenAttention",
    title="Two bugs",
    points=4,
    difficulty=2,
    minutes=15,
    kind="module",
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "exact zeros", "rows sum to 1"]},
    cases=cases,
    equivalents={
        "scores = (said + bar).tanh() @ self.v": NO_ORDER,
    },
    hints=[
        "Look at the picture. Is there any difference between two rows of it? And "
        "what do the rows sum to?",
        "Each symptom has its own bug. Write the formula of the score beside the line that "
        "computes it, symbol for symbol. Then follow the padding: when does it lose its share?",
        "The `tanh` has to be taken of the sum, before `v` makes one number of it. And the mask "
        "has to reach the scores before the softmax: your `masked_softmax` does that.",
    ],
    misconceptions=[
        Misconception(
            "both bugs as they were",
            judge(_Step, score=_tanh_outside, weigh=_mask_outside),
            "Both bugs are still there. One makes every state rank the keys in the same order; "
            "the other makes the rows of padded sentences sum to less than 1.",
            "Which single line computes the scores? Compare it with the formula.",
            kind="mask-after-softmax",
        ),
        Misconception(
            "the mask is mended",
            judge(_Step, score=_tanh_outside),
            "One bug is mended, that of the mask. The other is in the score: the `tanh` comes "
            "after `v`, so a state moves all scores of its row alike.",
            "How large can a score get in this module, whatever `v` is?",
            kind="steps-in-any-order",
        ),
        Misconception(
            "the score is mended",
            judge(_Step, weigh=_mask_outside),
            "One bug is mended, that of the score. The other: the mask is applied after the "
            "softmax, so what the padding had taken is lost to the words.",
            "Sum up the row of a padded sentence. Where has the rest gone?",
            kind="mask-after-softmax",
        ),
        Misconception(
            "tanh taken out",
            judge(_Step, score=lambda self, sums: sums @ self.v),
            "You took the `tanh` away. It stood in the wrong place, but it is needed: without it "
            "every state ranks the keys in the same order, as before.",
            "The `tanh` turns sums into answers. Where do the answers come in the formula?",
            kind="nonlinearity-left-out",
        ),
        Misconception(
            "tanh twice",
            judge(_Step, score=lambda self, sums: (sums.tanh() @ self.v).tanh()),
            "There are two `tanh` now: the one that was missing, and the one that was wrong. The "
            "outer one still flattens the scores.",
            "How often does `tanh` stand in the formula?",
            kind="steps-in-any-order",
        ),
        Misconception(
            "NaN where nothing is allowed",
            judge(_Step, weigh=lambda self, scores, mask: filled(scores, mask, -torch.inf)),
            "Both bugs are mended, and a new one has come: a row that is masked whole gives NaN, "
            "since 0 is divided by 0.",
            "Which function of yours is safe there?",
            kind="no-empty-rows",
        ),
        Misconception(
            "shares among the forbidden",
            judge(_Step, weigh=lambda self, scores, mask: filled(scores, mask, -1e9)),
            "Both bugs are mended, and a new one has come: a row that is masked whole shares its "
            "attention among the padding. It should look at nothing.",
            "Which function of yours is safe there?",
            kind="empty-rows-sum-to-one",
        ),
        Misconception(
            "softmax over the batch",
            judge(
                _Step,
                weigh=lambda self, scores, mask: filled(scores, mask, -1e9, dim=0).masked_fill(
                    ~mask, 0.0
                ),
            ),
            "Your softmax runs along axis 0, which is the batch here: sentences compete with each "
            "other. The axis was right before.",
            "The scores are (batch, src_len). Which of the two axes belongs to the keys?",
            kind="softmax-over-batch",
        ),
    ],
    variants=[WithLowNumber, SharedOutAgain, SentenceBySentence, InFloat64],
)
