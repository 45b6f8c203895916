"""The task “One step of a decoder”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view, doubled, one_silent, padded
from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import joined_times
from utils.checks.tasks import Case
from utils.masks import masked_softmax


def cases(draw: Draw) -> list[Case]:
    def inputs(lengths, src_len, size=(3, 5, 6, 7)):
        embedding_dim, state_dim, memory_dim, readout_dim = size
        return {
            "embedded": draw.numbers(len(lengths), embedding_dim, reach=1),
            "state": draw.numbers(len(lengths), state_dim, reach=1),
            "memory": draw.numbers(len(lengths), src_len, memory_dim, reach=2),
            "mask": padded(lengths, src_len),
            "w_score": draw.numbers(state_dim, memory_dim, reach=1),
            "w_state": draw.numbers(embedding_dim + memory_dim + state_dim, state_dim, reach=0.4),
            "w_readout": draw.numbers(memory_dim + state_dim, readout_dim, reach=0.4),
        }

    view = inputs([4, 3], 4)
    turned = as_view(view["memory"])
    silent = inputs([4, 2], 4)
    silent["memory"] = one_silent(silent["memory"])
    sharp = doubled(inputs([3, 4], 4))
    sharp["w_score"] = 10_000 * sharp["w_score"].abs()
    sharp["memory"] = sharp["memory"].abs() + 1
    sharp["state"] = sharp["state"].abs() * torch.tensor([[1.0], [-1.0]])  # far above 0, and below
    return [
        Case("two sentences of four words and two, scores of 0", silent),
        Case("no padding", inputs([5, 5, 5], 5, (4, 3, 2, 6))),
        Case("one sentence", inputs([3], 4, (2, 4, 3, 5))),
        Case("one source word", inputs([1, 1], 1)),
        Case("a sentence without a word", inputs([0, 3], 3, (3, 2, 4, 5))),
        Case("large scores, in float64", sharp),
        Case("a memory that is a transposed view", view | {"memory": turned}),
    ]


def _look(state, memory, mask, w_score):
    weights = masked_softmax(torch.einsum("bd,dm,bsm->bs", state, w_score, memory), mask)
    return torch.einsum("bs,bsm->bm", weights, memory), weights


def _step(
    look=_look,
    update=lambda y, c, s, w: joined_times((y, c, s), w).tanh(),
    read=lambda c, new, old, w: joined_times((c, new), w).tanh(),
    look_again=False,
    keep_old=False,
):
    """Return a step with some parts replaced."""

    def step(embedded, state, memory, mask, w_score, w_state, w_readout):
        context, weights = look(state, memory, mask, w_score)
        new = update(embedded, context, state, w_state)
        if look_again:
            context, weights = look(new, memory, mask, w_score)
        readout = read(context, new, state, w_readout)
        return context, weights, state if keep_old else new, readout

    return step


def _look_by(weigh, scale=lambda memory: 1.0):
    def look(state, memory, mask, w_score):
        scores = torch.einsum("bd,dm,bsm->bs", state, w_score, memory) * scale(memory)
        weights = weigh(scores, mask)
        return torch.einsum("bs,bsm->bm", weights, memory), weights

    return look


def with_einsum(y, s, h, words, a, b, c):
    e = torch.einsum("bd,dm,bsm->bs", s, a, h).masked_fill(~words, -1e30)
    alpha = e.softmax(1) * words
    context = torch.einsum("bs,bsm->bm", alpha, h)
    new = torch.tanh(torch.cat((y, context, s), 1) @ b)
    return context, alpha, new, torch.tanh(torch.cat((context, new), 1) @ c)


def in_loops(embedded, state, memory, mask, w_score, w_state, w_readout):
    rows = [
        _one(*parts, w_score, w_state, w_readout)
        for parts in zip(embedded, state, memory, mask, strict=True)
    ]
    return tuple(torch.stack(column) for column in zip(*rows, strict=True))


def _one(y, s, h, words, w_score, w_state, w_readout):
    scores = torch.stack([(s @ w_score * word).sum() for word in h])
    scores = scores.masked_fill(~words, -torch.inf)
    weights = scores.softmax(0) if words.any() else torch.zeros_like(scores)
    context = sum(weight * word for weight, word in zip(weights, h, strict=True))
    new = (torch.cat([y, context, s]) @ w_state).tanh()
    return context, weights, new, (torch.cat([context, new]) @ w_readout).tanh()


def keys_projected(embedded, state, memory, mask, w_score, w_state, w_readout):
    keys = F.linear(memory, w_score)  # once a sequence
    scores = torch.bmm(keys, state[:, :, None])[:, :, 0]
    weights = torch.nan_to_num(scores.masked_fill(~mask, -torch.inf).softmax(-1))
    context = (weights[:, :, None] * memory).sum(1)
    new_state = F.linear(torch.hstack([embedded, context, state]), w_state.T).tanh()
    readout = F.linear(torch.hstack([context, new_state]), w_readout.T).tanh()
    return [context, weights, new_state, readout]


def matrix_in_parts(embedded, state, memory, mask, w_score, w_state, w_readout):
    sizes = [embedded.shape[1], memory.shape[2], state.shape[1]]
    for_word, for_context, for_state = w_state.split(sizes)
    scores = (state.unsqueeze(1) @ w_score @ memory.mT).squeeze(1)
    scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = torch.where(mask, scores.softmax(-1), 0.0)
    context = torch.matmul(weights.unsqueeze(1), memory)[:, 0]
    new = torch.tanh(embedded @ for_word + context @ for_context + state @ for_state)
    top, bottom = w_readout[: sizes[1]], w_readout[sizes[1] :]
    return context, weights, new, torch.tanh(context @ top + new @ bottom)


def in_float64(*given):
    wide = [x.double() if x.is_floating_point() else x for x in given]
    return with_einsum(*wide)


exercise = Exercise(
    id="decoder_step",
    title="One step of a decoder",
    points=4,
    difficulty=2,
    minutes=15,
    section="06.3",
    learns=True,
    outputs=["context", "weights", "new_state", "readout"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    shortcuts=["assembly", "Parts"],
    cases=cases,
    equivalents={
        "new_state = (torch.cat([embedded, context, state], dim=1) @ w_state).tanh()": IN_A_MATRIX,
        "readout = (torch.cat([context, new_state], dim=1) @ w_readout).tanh()": IN_A_MATRIX,
    },
    hints=[
        "In this order, which state can the decoder look with: the one that it has, or the one "
        "that it is about to make?",
        "For the scores, project the state with `w_score`, then take the dot product with every "
        "vector of the memory. `masked_softmax` makes the weights. A batch of dot products is a "
        "matrix product with an axis of length 1 put in: `unsqueeze` before, `squeeze` after.",
        "Four lines are left once you have the weights: the context is the weighted sum of the "
        "memory; `torch.cat` of word, context and old state, times `w_state`, through tanh, is the "
        "new state; `torch.cat` of context and *new* state, times `w_readout`, through tanh, is "
        "the readout; return all four.",
    ],
    mistakes={
        "padding looked at": WrongAnswer(
            _step(_look_by(lambda scores, mask: scores.softmax(1))),
            "Padding gets a share of the look: the mask has no effect there. So a sentence may be "
            "translated otherwise when it stands beside a longer one.",
            "Which entries of `weights` should be exactly 0?",
            misconception="padding-is-harmless",
        ),
        "mask turned round": WrongAnswer(
            _step(_look_by(lambda scores, mask: masked_softmax(scores, ~mask))),
            "Your mask is read the other way round: padding is looked at, and nothing else.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
        ),
        "mask after the softmax": WrongAnswer(
            _step(_look_by(lambda scores, mask: scores.softmax(1) * mask)),
            "Padding takes part in the softmax, and its share is dropped only afterwards. That "
            "share is lost to the words: what is left of a row with padding does not sum to 1.",
            "Before or after which step must padding be out of the race?",
            misconception="mask-after-softmax",
        ),
        "NaN where nothing is to see": WrongAnswer(
            _step(_look_by(lambda scores, mask: scores.masked_fill(~mask, -torch.inf).softmax(1))),
            "For a sentence without a word you get NaN, as a softmax gives where all scores are "
            "minus infinity. Such a sentence should get zero weights and a zero context.",
            "What does `masked_softmax` do that `masked_fill` and `softmax` do not?",
            misconception="no-empty-rows",
        ),
        "shares where nothing is to see": WrongAnswer(
            _step(_look_by(lambda scores, mask: scores.masked_fill(~mask, -1e9).softmax(1))),
            "In a sentence without a word, padding gets all the weight, in equal shares: so a "
            "softmax shares out where every score is the same, be it as low as -1e9. Such a row "
            "should have zero weights and a zero context.",
            "What does `masked_softmax` do that `masked_fill` and `softmax` do not?",
            misconception="empty-rows-sum-to-one",
        ),
        "scaled": WrongAnswer(
            _step(
                _look_by(
                    masked_softmax,
                    scale=lambda memory: memory.shape[2] ** -0.5,
                )
            ),
            "You divide the scores by the root of a width. That is the scaled dot product of "
            "notebook 04. Here `w_score` can learn any scale itself.",
            "What does the formula do with the scores before the softmax?",
            misconception="scale-everywhere",
        ),
        "softmax over the batch": WrongAnswer(
            _step(_look_by(lambda scores, mask: masked_softmax(scores.T, mask.T).T)),
            "Your softmax runs over the sentences of the batch, not over the words of each. "
            "Sentences have nothing to do with one another.",
            "Which axis of the scores holds the source words?",
            misconception="softmax-over-batch",
        ),
        "looked again": WrongAnswer(
            _step(look_again=True),
            "Your context and weights come from the *new* state: after the update the decoder "
            "looked a second time. That is Luong's order, put behind Bahdanau's. Asked was one "
            "look, with the state that was there before.",
            "How many lines of your step compute weights, and with which state?",
            misconception="stale-value",
        ),
        "context before the word": WrongAnswer(
            _step(update=lambda y, c, s, w: joined_times((c, y, s), w).tanh()),
            "Context and word stand the wrong way round in front of `w_state`. The shapes fit "
            "all the same, so nothing complains, but rows of the matrix meet numbers that belong "
            "to others.",
            "What does $[y; c; s]$ say about the order?",
            misconception="parts-in-any-order",
        ),
        "state before the word": WrongAnswer(
            _step(update=lambda y, c, s, w: joined_times((s, y, c), w).tanh()),
            "The old state stands in front of word and context where `w_state` is applied. The "
            "shapes fit all the same, so nothing complains.",
            "What does $[y; c; s]$ say about the order?",
            misconception="parts-in-any-order",
        ),
        "state without tanh": WrongAnswer(
            _step(update=lambda y, c, s, w: joined_times((y, c, s), w)),
            "Your new state did not go through tanh. Over many steps such a state can grow without "
            "end.",
            "Between which two numbers does every entry of $s_t$ lie?",
            misconception="nonlinearity-left-out",
        ),
        "old state kept": WrongAnswer(
            _step(keep_old=True),
            "You return the old state. The next step would begin where this one began, as if no "
            "word had been written.",
            "What does the step after this one need?",
            misconception="stale-value",
        ),
        "readout of the old state": WrongAnswer(
            _step(read=lambda c, new, old, w: joined_times((c, old), w).tanh()),
            "Your readout is made from the old state, which has not read the word yet.",
            "Which of the two states carries the index $t$?",
            misconception="stale-value",
        ),
        "state before the context": WrongAnswer(
            _step(read=lambda c, new, old, w: joined_times((new, c), w).tanh()),
            "State and context stand the wrong way round in front of `w_readout`. The shapes fit "
            "all the same, so nothing complains.",
            "What does $[c_t; s_t]$ say about the order?",
            misconception="parts-in-any-order",
        ),
        "readout without tanh": WrongAnswer(
            _step(read=lambda c, new, old, w: joined_times((c, new), w)),
            "Your readout did not go through tanh.",
            "Between which two numbers does every entry of $r_t$ lie?",
            misconception="nonlinearity-left-out",
        ),
    },
    variants=[with_einsum, in_loops, keys_projected, matrix_in_parts, in_float64],
)
