"""The task “One Bahdanau step”: right answers and known mistakes."""

import torch
import torch.nn.functional as F
from torch import nn

from solutions.cases import as_view, in_double, one_silent, padded
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import changed, filled, safe_softmax
from utils.checks.tasks import Case

WIDTHS = ("embedding_dim", "state_dim", "key_dim", "attention_dim", "vocabulary")


def cases(draw: Draw) -> list[Case]:
    def case(label, lengths, src_len, widths, change=lambda tensor: tensor):
        embedding_dim, state_dim, key_dim, attention_dim, vocabulary = widths
        batch, read, shown = len(lengths), embedding_dim + key_dim, sum(widths[:3])
        inputs = {
            "state": draw.numbers(batch, state_dim, reach=1),
            "embedded": draw.numbers(batch, embedding_dim, reach=1),
            "keys": change(draw.numbers(batch, src_len, key_dim, reach=2)),
            "mask": padded(lengths, src_len),
        }
        shapes = {
            "W_query.weight": (attention_dim, state_dim),
            "W_key.weight": (attention_dim, key_dim),
            "v.weight": (1, attention_dim),
            "rnn.weight_ih": (3 * state_dim, read),
            "rnn.weight_hh": (3 * state_dim, state_dim),
            "rnn.bias_ih": (3 * state_dim,),
            "rnn.bias_hh": (3 * state_dim,),
            "output.weight": (vocabulary, shown),
            "output.bias": (vocabulary,),
        }
        parameters = {name: draw.numbers(*shape, reach=0.8) for name, shape in shapes.items()}
        return Case(label, inputs, dict(zip(WIDTHS, widths, strict=True)), parameters)

    wide = case("in float64", [3, 4], 4, (5, 2, 3, 6, 7))
    silent = case("a sentence without a word, a score of 0", [0, 3], 3, (4, 5, 6, 7, 8), one_silent)
    silent.inputs["state"][1] = 0.0
    return [
        case("two sentences of four words and two", [4, 2], 4, (3, 5, 6, 7, 8)),
        case("no padding", [5, 5, 5], 5, (4, 6, 2, 7, 8)),
        case("one sentence", [3], 4, (2, 5, 6, 3, 7)),
        case("one source word", [1, 1], 1, (3, 4, 5, 6, 7)),
        silent,
        case("keys that are a transposed view", [4, 3, 1], 4, (5, 6, 2, 7, 8), as_view),
        in_double(wide),
    ]


class _Layers(nn.Module):
    """The layers of the notebook."""

    def __init__(self, embedding_dim, state_dim, key_dim, attention_dim, vocabulary):
        super().__init__()
        self.W_query = nn.Linear(state_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.rnn = nn.GRUCell(embedding_dim + key_dim, state_dim)
        self.output = nn.Linear(state_dim + key_dim + embedding_dim, vocabulary)


class _Step(_Layers):
    """A right step in methods that wrong answers replace."""

    def score(self, state, keys):
        return self.v((self.W_query(state).unsqueeze(1) + self.W_key(keys)).tanh()).squeeze(-1)

    def weigh(self, scores, mask):
        return safe_softmax(scores, mask)

    def look(self, state, keys, mask):
        weights = self.weigh(self.score(state, keys), mask)
        return torch.einsum("bs,bsk->bk", weights, keys), weights

    def update(self, embedded, context, state):
        return self.rnn(torch.cat([embedded, context], dim=-1), state)

    def read(self, new, context, embedded, old):
        return self.output(torch.cat([new, context, embedded], dim=-1))

    def forward(self, state, embedded, keys, mask):
        context, weights = self.look(state, keys, mask)
        new = self.update(embedded, context, state)
        return context, weights, new, self.read(new, context, embedded, state)


def _shown(*order):
    """Return a step that computes its logits from the parts named in `order`, side by side."""

    def read(self, new, context, embedded, old):
        parts = {"new": new, "context": context, "embedded": embedded, "old": old}
        return self.output(torch.cat([parts[name] for name in order], dim=-1))

    return changed(_Step, read=read)


class _LooksAgain(_Step):
    def forward(self, state, embedded, keys, mask):
        context, _ = self.look(state, keys, mask)
        new = self.update(embedded, context, state)
        context, weights = self.look(new, keys, mask)
        return context, weights, new, self.read(new, context, embedded, state)


class _KeepsTheOld(_Step):
    def forward(self, state, embedded, keys, mask):
        context, weights, _, logits = super().forward(state, embedded, keys, mask)
        return context, weights, state, logits


class _Probable(_Step):
    def forward(self, state, embedded, keys, mask):
        context, weights, new, logits = super().forward(state, embedded, keys, mask)
        return context, weights, new, logits.softmax(-1)


class WithEinsum(_Layers):
    def forward(self, s, y, h, words):
        bar = torch.einsum("aq,bq->ba", self.W_query.weight, s)
        hidden = torch.tanh(bar[:, None, :] + torch.einsum("ak,bsk->bsa", self.W_key.weight, h))
        scores = torch.einsum("a,bsa->bs", self.v.weight[0], hidden)
        alpha = scores.masked_fill(~words, -1e30).softmax(1) * words
        c = torch.einsum("bs,bsk->bk", alpha, h)
        new = self.rnn(torch.hstack((y, c)), s)
        return c, alpha, new, self.output(torch.hstack((new, c, y)))


class SentenceBySentence(_Layers):
    def forward(self, state, embedded, keys, mask):
        rows = [self.step(*parts) for parts in zip(state, embedded, keys, mask, strict=True)]
        return [torch.stack(column) for column in zip(*rows, strict=True)]

    def step(self, s, y, h, words):
        scores = torch.cat([self.v((self.W_query(s) + self.W_key(key)).tanh()) for key in h])
        weights = torch.nan_to_num(scores.masked_fill(~words, -torch.inf).softmax(0))
        context = weights @ h
        new = self.rnn(torch.cat([y, context]), s)
        return context, weights, new, self.output(torch.cat([new, context, y]))


class GatesByHand(_Layers):
    def forward(self, state, embedded, keys, mask):
        hidden = self.W_query(state[:, None]) + self.W_key(keys)
        scores = F.linear(hidden.tanh(), self.v.weight)[..., 0]
        weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)
        weights = torch.where(mask, weights, 0.0)
        context = torch.bmm(weights.unsqueeze(1), keys)[:, 0]
        read = torch.cat([embedded, context], -1) @ self.rnn.weight_ih.T + self.rnn.bias_ih
        kept = state @ self.rnn.weight_hh.T + self.rnn.bias_hh
        (r1, z1, n1), (r2, z2, n2) = read.chunk(3, -1), kept.chunk(3, -1)
        z, n = (z1 + z2).sigmoid(), (n1 + (r1 + r2).sigmoid() * n2).tanh()
        new = (1 - z) * n + z * state
        return context, weights, new, self.output(torch.cat([new, context, embedded], -1))


class JudgeInFloat64(_Layers):
    def forward(self, state, embedded, keys, mask):
        bar, said = self.W_query(state).double(), self.W_key(keys).double()
        scores = (bar.unsqueeze(1) + said).tanh() @ self.v.weight[0].double()
        weights = (scores.masked_fill(~mask, -1e300).softmax(-1) * mask).to(keys)
        context = (weights.unsqueeze(-1) * keys).sum(dim=1)
        new_state = self.rnn(torch.cat((embedded, context), dim=1), state)
        logits = self.output(torch.cat((new_state, context, embedded), dim=1))
        return context, weights, new_state, logits


exercise = Exercise(
    id="BahdanauStep",
    title="One Bahdanau step",
    points=4,
    difficulty=3,
    minutes=20,
    section="02.1",
    learns=True,
    answer_type="module",
    outputs=["context", "weights", "new_state", "logits"],
    invariants={"weights": ["not negative", "exact zeros", "rows sum to 1"]},
    cases=cases,
    hints=[
        "Three things happen, in this order: look, update, score the vocabulary. Which of them "
        "knows only the old state, and which has both?",
        "Looking is your module of task 3 for a single state: `W_query` gives (batch, "
        "attention_dim), and the projected keys have one axis more. `self.rnn` is called with "
        "what it reads and the state that it goes on from; `torch.cat(…, dim=-1)` joins vectors.",
        "`hidden` is the tanh of `self.W_query(state).unsqueeze(1) + self.W_key(keys)`; the "
        "scores are `self.v(hidden).squeeze(-1)`, and your `masked_softmax` makes weights of them. "
        "Weights as (batch, 1, src_len) times keys, less the axis of 1, is the context. Then "
        "`self.rnn(…, state)` of embedding and context, and `self.output(…)` of new state, context "
        "and embedding.",
    ],
    mistakes={
        "padding looked at": WrongAnswer(
            changed(_Step, weigh=lambda self, scores, mask: scores.softmax(-1)),
            "Your weights give padding a share, as if there were no mask. So what the decoder "
            "writes can depend on whether a longer sentence stands beside its own.",
            "Which entries of `weights` should be exactly 0?",
            misconception="padding-is-harmless",
        ),
        "mask turned round": WrongAnswer(
            changed(_Step, weigh=lambda self, scores, mask: safe_softmax(scores, ~mask)),
            "Your mask is read the other way round: padding is looked at, and nothing else.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
        ),
        "mask after the softmax": WrongAnswer(
            changed(_Step, weigh=lambda self, scores, mask: scores.softmax(-1) * mask),
            "You mask too late, after the softmax perhaps: padding counts in its sum. The words "
            "do not get the padding's share back, and rows with padding sum to less than 1.",
            "Which step shares out the whole, and what must it know before?",
            misconception="mask-after-softmax",
        ),
        "NaN for a sentence without a word": WrongAnswer(
            changed(_Step, weigh=lambda self, scores, mask: filled(scores, mask, -torch.inf)),
            "A sentence of length 0 comes out as NaN, as the softmax of scores that are all "
            "minus infinity does, or 0 divided by 0. It should get zero weights and a zero "
            "context.",
            "Which function of yours takes care of rows that are masked whole?",
            misconception="no-empty-rows",
        ),
        "shares for a sentence without a word": WrongAnswer(
            changed(_Step, weigh=lambda self, scores, mask: filled(scores, mask, -1e9)),
            "A sentence of length 0 looks at its padding in equal shares, as the softmax gives "
            "for equal scores. It should get zero weights and a zero context.",
            "Which function of yours takes care of rows that are masked whole?",
            misconception="empty-rows-sum-to-one",
        ),
        "softmax over the batch": WrongAnswer(
            changed(_Step, weigh=lambda self, scores, mask: safe_softmax(scores.T, mask.T).T),
            "Your weights sum to 1 over the sentences of the batch: the softmax ran along axis 0. "
            "Sentences have nothing to do with one another.",
            "Which axis of (batch, src_len) holds the source words?",
            misconception="softmax-over-batch",
        ),
        "no tanh": WrongAnswer(
            changed(
                _Step,
                score=lambda self, state, keys: self.v(
                    self.W_query(state).unsqueeze(1) + self.W_key(keys)
                ).squeeze(-1),
            ),
            "There is no `tanh` in your scores. So the state adds the same number to all of them, "
            "and the softmax does not see it: the decoder looks at the same words in every step.",
            "What stands between the sum and $v$ in the formula?",
            misconception="nonlinearity-left-out",
        ),
        "looked again": WrongAnswer(
            _LooksAgain,
            "Your context and weights come from the *new* state: after the update the decoder "
            "looked once more. Asked was one look, with the state that came in.",
            "Which index does the state carry that asks?",
            misconception="stale-value",
        ),
        "started from nothing": WrongAnswer(
            changed(
                _Step,
                update=lambda self, embedded, context, state: self.rnn(
                    torch.cat([embedded, context], dim=-1)
                ),
            ),
            "Your `rnn` goes on from zeros, not from the old state: a GRU cell that is given no "
            "state takes zeros. What the old state held gets into the new one through the "
            "context alone.",
            "What does `nn.GRUCell` take besides what it reads?",
            misconception="input-unused",
        ),
        "context before the word": WrongAnswer(
            changed(
                _Step,
                update=lambda self, embedded, context, state: self.rnn(
                    torch.cat([context, embedded], dim=-1), state
                ),
            ),
            "Context and embedding stand the wrong way round in what `rnn` reads. The shapes fit "
            "all the same, so nothing complains, but each column of its matrix meets a wrong "
            "number.",
            "What does $[y_{t-1}; c_t]$ say about the order?",
            misconception="parts-in-any-order",
        ),
        "word before the context": WrongAnswer(
            _shown("new", "embedded", "context"),
            "Embedding and context stand the wrong way round in what `output` reads. The shapes "
            "fit all the same, so nothing complains.",
            "What does $[s_t; c_t; y_{t-1}]$ say about the order?",
            misconception="parts-in-any-order",
        ),
        "state last": WrongAnswer(
            _shown("embedded", "context", "new"),
            "What `output` reads stands in the order of its making, the embedding first. The "
            "shapes fit all the same, so nothing complains.",
            "What does $[s_t; c_t; y_{t-1}]$ say about the order?",
            misconception="parts-in-any-order",
        ),
        "logits of the old state": WrongAnswer(
            _shown("old", "context", "embedded"),
            "Your logits are made from the old state, which has not read the word yet.",
            "Which of the two states carries the index $t$?",
            misconception="stale-value",
        ),
        "old state returned": WrongAnswer(
            _KeepsTheOld,
            "You return the old state. The next step would begin where this one began, without "
            "what this one has read.",
            "What does the step after this one need?",
            misconception="stale-value",
        ),
        "probabilities for logits": WrongAnswer(
            _Probable,
            "You return probabilities: the logits have gone through a softmax. The loss takes that "
            "softmax itself, so it would be taken twice.",
            "May a logit be negative?",
            misconception="softmax-twice",
        ),
    },
    variants=[WithEinsum, SentenceBySentence, GatesByHand, JudgeInFloat64],
)
