"""Linear attention, from any point of a text."""

import torch
from torch import Tensor

from solutions.cases import in_double
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.masks import causal_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, length, dim, width, fresh=False):
        def positive(*shape):
            return draw.numbers(*shape).abs() + 0.05

        state, total = draw.numbers(batch, dim, width), positive(batch, dim)
        inputs = {
            "queries": positive(batch, length, dim),
            "keys": positive(batch, length, dim),
            "values": draw.numbers(batch, length, width),
            "state": 0 * state if fresh else state,
            "total": 0 * total if fresh else total,
        }
        return Case(label, inputs)

    return [
        case("the beginning of two texts", 2, 4, 3, 5, fresh=True),
        case("five words more", 2, 5, 3, 4),
        case("one word more", 3, 1, 4, 2),
        case("all sizes alike", 3, 3, 3, 3),
        case("one text", 1, 6, 2, 3),
        in_double(case("in float64", 2, 4, 5, 2)),
    ]


def _weighted(table: Tensor, values: Tensor) -> Tensor:
    return table @ values


def _linear(
    table=lambda queries, keys: (queries @ keys.mT) * causal_mask(keys.shape[1]),
    old=lambda queries, state: queries @ state,
    old_total=lambda queries, total: queries @ total.unsqueeze(-1),
    share=lambda above, below: above / below,
    grown=lambda state, keys, values: state + keys.mT @ values,
    grown_total=lambda total, keys: total + keys.sum(1),
):
    """Return an answer with one part replaced."""

    def linear_read(queries, keys, values, state, total):
        agreed = table(queries, keys)
        above = agreed @ values + old(queries, state)
        below = agreed.sum(-1, keepdim=True) + old_total(queries, total)
        return share(above, below), grown(state, keys, values), grown_total(total, keys)

    return linear_read


def word_by_word(queries, keys, values, state, total):
    contexts = []
    for query, key, value in zip(queries.unbind(1), keys.unbind(1), values.unbind(1), strict=True):
        state = state + key.unsqueeze(2) * value.unsqueeze(1)
        total = total + key
        found = (query.unsqueeze(1) @ state).squeeze(1)
        contexts.append(found / (query * total).sum(-1, keepdim=True))
    return torch.stack(contexts, dim=1), state, total


def with_einsum(queries, keys, values, state, total):
    states = state[:, None] + torch.einsum("btd,btw->btdw", keys, values).cumsum(1)
    totals = total[:, None] + keys.cumsum(1)
    above = torch.einsum("btd,btdw->btw", queries, states)
    return above / (queries * totals).sum(-1, keepdim=True), states[:, -1], totals[:, -1]


def in_place(queries, keys, values, state, total):
    state, total, contexts = state.clone(), total.clone(), torch.zeros_like(values)
    for word in range(queries.shape[1]):
        for text in range(len(queries)):
            state[text] += torch.outer(keys[text, word], values[text, word])
            total[text] += keys[text, word]
            query = queries[text, word]
            contexts[text, word] = query @ state[text] / (query @ total[text])
    return contexts, state, total


def _past_alone(queries, keys):
    return (queries @ keys.mT).tril(-1)


exercise = Exercise(
    id="linear_read",
    title="Attention without a softmax",
    points=4,
    difficulty=2,
    minutes=20,
    section="10.4",
    outputs=["contexts", "state", "total"],
    cases=cases,
    tolerance=1e-4,
    hints=[
        "What does a word see: which words of this call, and what of all that was read before?",
        "Either go word by word: first add key times value to the state and the key to the total, "
        "then ask. Or build the table `queries @ keys.transpose(1, 2)` under a causal mask, and "
        "add what the state says: `queries @ state`.",
        "At once: the numerator is `table @ values + queries @ state`, the denominator `table.sum"
        "(-1, keepdim=True) + queries @ total.unsqueeze(-1)`. The new state is `state + keys."
        "transpose(1, 2) @ values`, the new total `total + keys.sum(1)`.",
    ],
    mistakes={
        "does not see itself": WrongAnswer(
            _linear(table=_past_alone),
            "No word of yours sees itself, as if it read before it wrote. The sums go up to t, "
            "itself included.",
            "What would the very first word of a text see?",
            misconception="off-by-one",
        ),
        "the future open": WrongAnswer(
            _linear(table=lambda queries, keys: queries @ keys.mT),
            "Every word sees all words of the call, those behind it too.",
            "What stands under the sums in the formula, and how far do they go?",
            misconception="future-open",
        ),
        "a softmax": WrongAnswer(
            _linear(
                table=lambda queries, keys: (
                    (queries @ keys.mT)
                    .masked_fill(~causal_mask(keys.shape[1]), -torch.inf)
                    .softmax(-1)
                )
            ),
            "You take a softmax of the products. Here the products themselves are the weights, "
            "before they are divided by their sum.",
            "Which sums could not be taken in another order if there were an exponential in them?",
            misconception="another-task",
        ),
        "the sum of this call alone": WrongAnswer(
            _linear(old_total=lambda queries, total: 0.0),
            "You divide by the sum over the words of this call. Those read before have a share in "
            "it too: that is what the total is for.",
            "Which of the inputs do your contexts not depend on?",
            misconception="stale-value",
        ),
        "the past forgotten": WrongAnswer(
            _linear(old=lambda queries, state: 0.0, old_total=lambda queries, total: 0.0),
            "Your contexts know nothing of what was read before this call.",
            "What does `state` hold when the call begins?",
            misconception="input-unused",
        ),
        "not divided": WrongAnswer(
            _linear(share=lambda above, below: above),
            "Your contexts are sums, not averages: nothing divides them by the sum of the "
            "weights, and they can grow with the text.",
            "What is the formula's denominator?",
            misconception="sum-and-mean",
        ),
        "the old state returned": WrongAnswer(
            _linear(grown=lambda state, keys, values: state),
            "You return the state that came in. The next call will know nothing of these words.",
            "What should the state hold after this call?",
            misconception="stale-value",
        ),
        "only the new state": WrongAnswer(
            _linear(
                grown=lambda state, keys, values: keys.mT @ values,
                grown_total=lambda total, keys: keys.sum(1),
            ),
            "You return what this call's words add, without what was there before.",
            "What should the state hold after this call?",
            misconception="stale-value",
        ),
        "the total not kept": WrongAnswer(
            _linear(grown_total=lambda total, keys: total),
            "Your state grows and your total does not, so the next call divides by too little.",
            "Which two things does the next call need?",
            misconception="half-is-enough",
        ),
        "summed among the texts": WrongAnswer(
            _linear(grown_total=lambda total, keys: total + keys.sum((0, 1))),
            "Your total adds up the keys of all texts of the batch.",
            "Over which axis of (batch, len, dim) do the words of a text lie?",
            misconception="averages-anywhere",
        ),
    },
    variants=[word_by_word, with_einsum, in_place],
)
