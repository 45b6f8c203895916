"""The task “Keys projected once”: right answers and known mistakes."""

import torch
from torch import nn

from solutions.cases import additive_weights, additive_widths, as_view
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import Additive, changed
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, *widths, change=lambda tensor: tensor, second=False):
        states, keys = (
            draw.numbers(batch, tgt_len, widths[0]),
            draw.numbers(batch, src_len, widths[1]),
        )
        inputs = {"states": change(states), "keys": change(keys)}
        if second:
            inputs["earlier"] = draw.numbers(batch, src_len, widths[1])
        return Case(label, inputs, additive_widths(*widths), additive_weights(draw, *widths))

    return [
        case("two sentences, three steps", 2, 3, 4, 5, 7, 6),
        case("many steps", 2, 9, 3, 2, 4, 5),
        case("one step", 2, 1, 4, 3, 5, 6),
        case("a batch of one", 1, 4, 3, 5, 2, 6),
        case("one key only", 3, 2, 1, 4, 5, 6),
        case("as many steps as keys", 2, 4, 4, 3, 2, 5),
        case("transposed views", 2, 4, 5, 3, 2, 6, change=as_view),
        case("a second batch, of the same shape", 2, 3, 4, 5, 3, 2, second=True),
    ]


class _Stepper(Additive):
    """All steps at once, with the number of keys that a decoder would have projected."""

    def projected(self, states, keys, earlier):
        return sum(batch.shape[:2].numel() for batch in (keys, earlier) if batch is not None)

    def forward(self, states, keys, earlier=None):
        projected = self.projected(states, keys, earlier)
        return *super().forward(states, keys), torch.tensor(projected)


def _judged(rule):
    """Return a method `score` that combines the projected state and key by a rule."""

    def score(self, states, keys):
        bars, said = self.W_query(states).unsqueeze(2), self.W_key(keys).unsqueeze(1)
        return self.v(rule(bars, said)).squeeze(-1)

    return score


class _CountingLinear(nn.Linear):
    def __init__(self, *widths):
        super().__init__(*widths, bias=False)
        self.count = 0

    def forward(self, vectors):
        self.count += vectors.shape[:-1].numel()
        return super().forward(vectors)


class _StepByStep(nn.Module):
    """The module of the notebook, without its two methods."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = _CountingLinear(query_dim, attention_dim)
        self.W_key = _CountingLinear(key_dim, attention_dim)
        self.v = _CountingLinear(attention_dim, 1)

    def forward(self, states, keys, earlier=None):
        if earlier is not None:
            self.remember(earlier)
        memory = self.remember(keys)
        looks = [self.attend(state, memory) for state in states.unbind(1)]
        contexts, weights = (torch.stack(results, dim=1) for results in zip(*looks, strict=True))
        return contexts, weights, torch.tensor(self.W_key.count)


class InADictionary(_StepByStep):
    def remember(self, keys):
        return {"said": self.W_key(keys), "values": keys}

    def attend(self, state, memory):
        hidden = torch.tanh(self.W_query(state[:, None]) + memory["said"])
        weights = self.v(hidden).softmax(dim=1)
        return (weights * memory["values"]).sum(dim=1), weights[..., 0]


class WithEinsum(_StepByStep):
    def remember(self, keys):
        return [keys, self.W_key(keys)]

    def attend(self, state, memory):
        keys, said = memory
        hidden = (torch.einsum("bq,aq->ba", state, self.W_query.weight)[:, None] + said).tanh()
        weights = torch.einsum("bsa,a->bs", hidden, self.v.weight[0]).softmax(-1)
        return [torch.einsum("bs,bsk->bk", weights, keys), weights]


class KeyByKey(_StepByStep):
    def remember(self, keys):
        self.kept = [(self.W_key(key), key) for key in keys.unbind(1)]

    def attend(self, state, memory):
        bar = self.W_query(state)
        scores = torch.cat([self.v((bar + said).tanh()) for said, _ in self.kept], dim=1)
        weights = scores.softmax(-1)
        context = sum(weights[:, [j]] * key for j, (_, key) in enumerate(self.kept))
        return context, weights


class InFloat64(_StepByStep):
    def remember(self, keys):
        return self.W_key(keys).double(), keys.double()

    def attend(self, state, memory):
        said, keys = memory
        hidden = (self.W_query(state).double().unsqueeze(-2) + said).tanh()
        weights = (hidden @ self.v.weight[0].double()).softmax(-1)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights


exercise = Exercise(
    id="PrecomputedKeys",
    title="Keys projected once",
    points=4,
    difficulty=3,
    minutes=15,
    section="02.5",
    learns=True,
    answer_type="module",
    outputs=["contexts", "weights", "keys_projected"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
    equivalents={
        "weights = self.v(hidden).squeeze(-1).softmax(1)": "of two axes, 1 is the last",
    },
    hints=[
        "Which part of the score is the same in every step? And what does a step need of the "
        "source besides that part, to make a context?",
        "`remember` returns two things: the projected keys for the score, and the keys as they "
        "came for the context. `attend` has one state for each sentence, so `W_query` gives "
        "(batch, attention_dim): which axis is missing beside (batch, src_len, attention_dim)?",
        "`remember`: the pair of `self.W_key(keys)` and `keys`. `attend`: `unsqueeze(1)` on the "
        "projected state, add, `tanh`, `self.v`, `squeeze(-1)`, softmax along the last axis. The "
        "context: weights as (batch, 1, src_len) times the keys, and the axis of 1 taken away.",
    ],
    mistakes={
        "anew in every step": WrongAnswer(
            changed(
                _Stepper,
                projected=lambda self, states, keys, earlier: (
                    keys.shape[:2].numel() * states.shape[1]
                ),
            ),
            "The work is not saved: the keys go through `W_key` in every step.",
            "In which of the two methods should `W_key` be used, if that method runs once?",
            misconception="another-task",
        ),
        "projected keys mixed": WrongAnswer(
            changed(_Stepper, mix=lambda self, weights, keys, values: weights @ self.W_key(keys)),
            "Your contexts are mixtures of the projected keys. Those serve for the score; what is "
            "handed out are the keys as they came.",
            "What has `remember` to keep besides the projected keys?",
            misconception="keys-handed-out",
        ),
        "softmax over the batch": WrongAnswer(
            changed(_Stepper, weigh=lambda self, scores, mask: scores.softmax(0)),
            "Your softmax runs along axis 0. In a single step the scores are (batch, src_len), so "
            "that is the batch: sentences compete with each other.",
            "Which axis is the last, with or without tgt_len?",
            misconception="softmax-over-batch",
        ),
        "tanh too early": WrongAnswer(
            changed(_Stepper, score=_judged(lambda bars, said: bars + said.tanh())),
            "You take the `tanh` of the projected keys and add the state after it. So the state "
            "adds the same to all scores of its row, and changes no weight.",
            "Can the `tanh` be taken before the threshold is known?",
            misconception="steps-in-any-order",
        ),
        "tanh twice": WrongAnswer(
            changed(_Stepper, score=_judged(lambda bars, said: (bars + said.tanh()).tanh())),
            "The keys have gone through a `tanh` of their own before the state is added. The "
            "formula has one `tanh` only, of the sum.",
            "Up to which sign of the formula is everything known without a state?",
            misconception="steps-in-any-order",
        ),
        "state not heard": WrongAnswer(
            changed(_Stepper, score=_judged(lambda bars, said: said.tanh())),
            "Your weights are the same in every step: the state is not heard. Perhaps too much "
            "was computed in advance.",
            "What does a key say before anybody has asked, and what only afterwards?",
            misconception="input-unused",
        ),
        "no tanh": WrongAnswer(
            changed(_Stepper, score=_judged(lambda bars, said: bars + said)),
            "There is no `tanh` between the sum and `v`. Then a state adds the same number to all "
            "scores of its row, and every step looks at the same words.",
            "What turns the sum into an answer between no and yes?",
            misconception="nonlinearity-left-out",
        ),
    },
    variants=[InADictionary, WithEinsum, KeyByKey, InFloat64],
)
