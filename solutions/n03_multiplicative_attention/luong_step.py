"""The task “A Luong step, with input feeding”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view, doubled, one_silent, padded
from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.masks import masked_softmax


def cases(draw: Draw) -> list[Case]:
    def inputs(lengths, src_len, size=(3, 4, 5, 7)):
        word_dim, state_dim, key_dim, vocab_size = size
        return {
            "word": draw.numbers(len(lengths), word_dim, reach=1),
            "state": draw.numbers(len(lengths), state_dim, reach=1),
            "fed": draw.numbers(len(lengths), state_dim, reach=1),
            "encoder_states": draw.numbers(len(lengths), src_len, key_dim, reach=1),
            "mask": padded(lengths, src_len),
            "W_update": draw.numbers(state_dim, word_dim + 2 * state_dim, reach=0.5),
            "W": draw.numbers(state_dim, key_dim, reach=1),
            "W_c": draw.numbers(state_dim, key_dim + state_dim, reach=0.5),
            "W_out": draw.numbers(vocab_size, state_dim, reach=1),
        }

    view = inputs([4, 3], 4)
    silent = inputs([3, 4], 4, (4, 4, 4, 4))
    silent["encoder_states"] = one_silent(silent["encoder_states"])
    return [
        Case("two sentences of four words and two", inputs([4, 2], 4)),
        Case("no padding", inputs([5, 5, 5], 5, (4, 5, 3, 6))),
        Case("one sentence", inputs([3], 4, (2, 5, 6, 8))),
        Case("one width for words, states and keys, scores of 0", silent),
        Case("one source word", inputs([1, 1], 1)),
        Case("a sentence without a word", inputs([0, 3], 3, (3, 5, 4, 6))),
        Case("transposed views", view | {"encoder_states": as_view(view["encoder_states"])}),
        Case("float64", doubled(inputs([3, 2], 3))),
    ]


def _weigh(scores, mask):
    return masked_softmax(scores, mask)


def _step(
    order=lambda word, fed, state: (word, fed, state),
    squash=torch.tanh,
    asks=lambda new, old: new,
    scale=lambda keys: 1.0,
    weigh=_weigh,
    mixed=lambda context, new, old: (context, new),
    mix=torch.tanh,
    says=lambda attentional, new: attentional,
    turn=lambda logits: logits,
    back=lambda new, old: new,
):
    """Return a step with some parts replaced."""

    def step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
        new = squash(torch.cat(order(word, fed, state), -1) @ W_update.T)
        scores = torch.einsum("bq,qk,bsk->bs", asks(new, state), W, encoder_states)
        weights = weigh(scores * scale(encoder_states), mask)
        context = torch.einsum("bs,bsk->bk", weights, encoder_states)
        attentional = mix(torch.cat(mixed(context, new, state), -1) @ W_c.T)
        logits = turn(says(attentional, new) @ W_out.T)
        return logits, back(new, state), attentional, weights

    return step


def matrices_in_parts(y, s, fed, h, words, A, W, C, out):
    sizes = [y.shape[1], s.shape[1], s.shape[1]]
    for_word, for_fed, for_state = A.split(sizes, dim=1)
    new = torch.tanh(F.linear(y, for_word) + F.linear(fed, for_fed) + F.linear(s, for_state))
    scores = ((new @ W).unsqueeze(1) * h).sum(-1)
    weights = torch.where(words, scores, -1e30).softmax(-1) * words
    context = (weights.unsqueeze(-1) * h).sum(1)
    wide = h.shape[2]
    mixed = torch.tanh(F.linear(context, C[:, :wide]) + F.linear(new, C[:, wide:]))
    return F.linear(mixed, out), new, mixed, weights


def in_loops(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    def step(y, s, f, h, words):
        new = (W_update @ torch.cat([y, f, s])).tanh()
        scores = torch.stack([new @ (W @ key) for key in h])
        powers = torch.where(words, (scores - scores.max()).exp(), 0.0)
        weights = powers / powers.sum().clamp(min=1e-30)
        attentional = (W_c @ torch.cat([weights @ h, new])).tanh()
        return W_out @ attentional, new, attentional, weights

    rows = [step(*parts) for parts in zip(word, state, fed, encoder_states, mask, strict=True)]
    return [torch.stack(column) for column in zip(*rows, strict=True)]


def with_bmm(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new = F.linear(torch.hstack([word, fed, state]), W_update).tanh()
    scores = torch.bmm(new[:, None], F.linear(encoder_states, W).transpose(1, 2))  # (batch, 1, s)
    weights = scores.masked_fill(~mask[:, None], -torch.inf).softmax(-1).nan_to_num()
    context = torch.bmm(weights, encoder_states).squeeze(1)
    attentional = torch.tanh(F.linear(torch.hstack([context, new]), W_c))
    return F.linear(attentional, W_out), new, attentional, weights.squeeze(1)


def in_float64(*given):
    return matrices_in_parts(*(x.double() if x.is_floating_point() else x for x in given))


exercise = Exercise(
    id="luong_step",
    title="A Luong step, with input feeding",
    points=4,
    difficulty=2,
    minutes=20,
    section="03.4",
    learns=True,
    outputs=["logits", "new_state", "attentional", "weights"],
    invariants={"weights": ["not negative", "exact zeros"]},
    cases=cases,
    equivalents={
        "new_state = (torch.cat([word, fed, state], dim=1) @ W_update.T).tanh()": IN_A_MATRIX,
        "attentional = (torch.cat([context, new_state], dim=1) @ W_c.T).tanh()": IN_A_MATRIX,
    },
    hints=[
        "Four formulas, four results. Which of them needs none of the others, and so comes first?",
        "The new state first. Then the scores: project the encoder states with `W`, and take the "
        "dot product with the *new* state. A batch of dot products is a matrix product with an "
        "axis of length 1 put in: `unsqueeze` before, `squeeze` after.",
        "`(torch.cat([word, fed, state], dim=-1) @ W_update.T).tanh()` is the new state; "
        "`masked_softmax((encoder_states @ W.T @ new_state.unsqueeze(-1)).squeeze(-1), mask)` are "
        "the weights. The context is the weighted sum of the encoder states as they came; the "
        "attentional vector is made of context and new state as the new state was of three.",
    ],
    mistakes={
        "the old state asks": WrongAnswer(
            _step(asks=lambda new, old: old),
            "Your scores come from the old state. That is Bahdanau's moment: look, then update. "
            "In Luong's step the state is updated first, and the new one asks.",
            "Does your look know the word that was written last?",
            misconception="stale-value",
        ),
        "the old state in the mix": WrongAnswer(
            _step(mixed=lambda context, new, old: (context, old)),
            "Your attentional vector is made with the old state, which has not read the last word.",
            "Which index does $s$ carry in the formula of $\\tilde h_t$?",
            misconception="stale-value",
        ),
        "the old state kept": WrongAnswer(
            _step(back=lambda new, old: old),
            "You return the old state. The next step would begin where this one began.",
            "What does the step after this one need?",
            misconception="stale-value",
        ),
        "nothing fed": WrongAnswer(
            _step(order=lambda word, fed, state: (word, torch.zeros_like(fed), state)),
            "What was fed back from the step before has no part in your update. That is the plain "
            "Luong step; asked is the one with input feeding.",
            "Change `fed` and call again. Does the new state change?",
            misconception="input-unused",
        ),
        "fed before the word": WrongAnswer(
            _step(order=lambda word, fed, state: (fed, word, state)),
            "Word and attentional vector stand the wrong way round in front of `W_update`. The "
            "shapes fit all the same, so nothing complains.",
            "What does $[y; \\tilde h_{t-1}; s_{t-1}]$ say about the order?",
            misconception="parts-in-any-order",
        ),
        "state before fed": WrongAnswer(
            _step(order=lambda word, fed, state: (word, state, fed)),
            "The old state and the vector that was fed back stand the wrong way round. They are "
            "of one width, so nothing complains.",
            "What does $[y; \\tilde h_{t-1}; s_{t-1}]$ say about the order?",
            misconception="parts-in-any-order",
        ),
        "state before context": WrongAnswer(
            _step(mixed=lambda context, new, old: (new, context)),
            "State and context stand the wrong way round in front of `W_c`. The shapes fit all "
            "the same, so nothing complains.",
            "What does $[c_t; s_t]$ say about the order?",
            misconception="parts-in-any-order",
        ),
        "update without tanh": WrongAnswer(
            _step(squash=torch.clone),
            "Your new state did not go through tanh. Over many steps such a state can grow without "
            "end.",
            "Between which two numbers does every entry of $s_t$ lie?",
            misconception="nonlinearity-left-out",
        ),
        "mix without tanh": WrongAnswer(
            _step(mix=torch.clone),
            "Your attentional vector did not go through tanh. Without it, `W_c` and `W_out` do "
            "for the logits what one matrix could do.",
            "Between which two numbers does every entry of $\\tilde h_t$ lie?",
            misconception="nonlinearity-left-out",
        ),
        "deaf": WrongAnswer(
            _step(says=lambda attentional, new: new),
            "Your logits are made from the state alone, and do not hear of what this step has "
            "looked at.",
            "Change the encoder states and call again. Do the logits change?",
            misconception="input-unused",
        ),
        "probabilities for logits": WrongAnswer(
            _step(turn=lambda logits: logits.softmax(-1)),
            "You return probabilities: the softmax over the vocabulary was taken already. Asked "
            "are the logits; a loss takes its softmax itself.",
            "Can a logit be negative?",
            misconception="softmax-twice",
        ),
        "padding looked at": WrongAnswer(
            _step(weigh=lambda scores, mask: scores.softmax(-1)),
            "Your weights give padding a share, as if there were no mask.",
            "Which entries of `weights` should be exactly 0?",
            misconception="padding-is-harmless",
        ),
        "mask turned round": WrongAnswer(
            _step(weigh=lambda scores, mask: masked_softmax(scores, ~mask)),
            "Your mask is read the other way round: padding is looked at, and nothing else.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
        ),
        "mask after the softmax": WrongAnswer(
            _step(weigh=lambda scores, mask: scores.softmax(-1) * mask),
            "You mask too late, after the softmax perhaps: padding counts in its sum. What it "
            "had been given is lost, and rows with padding sum to less than 1.",
            "Before or after which step must padding be out of the race?",
            misconception="mask-after-softmax",
        ),
        "shares where nothing is to see": WrongAnswer(
            _step(weigh=lambda scores, mask: scores.masked_fill(~mask, -1e9).softmax(-1)),
            "In a sentence without a word, the padding gets equal shares, as the softmax gives "
            "where all scores are one low number. Such a row should have zero weights.",
            "What does `masked_softmax` do that `masked_fill` and `softmax` do not?",
            misconception="empty-rows-sum-to-one",
        ),
        "NaN where nothing is to see": WrongAnswer(
            _step(weigh=lambda scores, mask: scores.masked_fill(~mask, -torch.inf).softmax(-1)),
            "A sentence without a word comes out as NaN, as the softmax of scores that are all "
            "minus infinity does, or 0 divided by 0. Such a row should have zero weights.",
            "What does `masked_softmax` do that `masked_fill` and `softmax` do not?",
            misconception="no-empty-rows",
        ),
        "scaled": WrongAnswer(
            _step(scale=lambda keys: keys.shape[-1] ** -0.5),
            "You divide the scores by the root of a width. That comes in notebook 04; *general* "
            "has no such factor.",
            "What does the formula do with the scores before the softmax?",
            misconception="scale-everywhere",
        ),
    },
    variants=[matrices_in_parts, in_loops, with_bmm, in_float64],
)
