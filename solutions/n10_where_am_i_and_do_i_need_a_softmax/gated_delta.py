"""One step of the gated delta rule."""

import torch
import torch.nn.functional as F

from solutions.cases import in_double
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, dim, width, alpha=None, beta=None):
        def shares(given):
            return draw.whole(1, 9, batch) / 10 if given is None else torch.full((batch,), given)

        inputs = {
            "state": draw.numbers(batch, dim, width),
            "key": F.normalize(draw.numbers(batch, dim), dim=-1),
            "value": draw.numbers(batch, width),
            "alpha": shares(alpha),
            "beta": shares(beta),
        }
        return Case(label, inputs)

    return [
        case("two texts", 2, 3, 4),
        case("nothing decays", 2, 4, 2, alpha=1.0),
        case("all is corrected", 3, 3, 2, beta=1.0),
        case("all sizes alike", 3, 3, 3),
        case("nothing is written", 1, 2, 5, beta=0.0),
        case("everything is forgotten", 2, 4, 3, alpha=0.0),
        in_double(case("in float64", 2, 5, 4)),
    ]


def _columns(shares):
    return shares[:, None, None]


def _step(
    decay=lambda state, alpha: _columns(alpha) * state,
    asked=lambda old, decayed: decayed,
    correct=lambda value, found: value - found,
    rate=_columns,
    kept=lambda old, decayed: decayed,
    after=lambda state, alpha: state,
):
    """Return an answer with one part replaced."""

    def gated_delta(state, key, value, alpha, beta):
        decayed = decay(state, alpha)
        found = torch.einsum("bd,bdw->bw", key, asked(state, decayed))
        written = torch.einsum("bd,bw->bdw", key, correct(value, found))
        return after(kept(state, decayed) + rate(beta) * written, alpha)

    return gated_delta


def _beta_erases_alone(state, key, value, alpha, beta):
    decayed = _columns(alpha) * state
    found = torch.einsum("bd,bdw->bw", key, decayed)
    erased = torch.einsum("bd,bw->bdw", key, beta[:, None] * found)
    return decayed - erased + torch.einsum("bd,bw->bdw", key, value)


def text_by_text(state, key, value, alpha, beta):
    states = []
    for one, k, v, a, b in zip(state, key, value, alpha, beta, strict=True):
        left = a * one
        states.append(left + b * torch.outer(k, v - k @ left))
    return torch.stack(states)


def with_a_matrix(state, key, value, alpha, beta):
    erase = torch.eye(key.shape[1], dtype=key.dtype) - beta[:, None, None] * (
        key.unsqueeze(2) @ key.unsqueeze(1)
    )
    write = beta[:, None, None] * key.unsqueeze(2) @ value.unsqueeze(1)
    return alpha[:, None, None] * (erase @ state) + write


def with_matmul(state, key, value, alpha, beta):
    left = state * alpha.view(-1, 1, 1)
    error = value.unsqueeze(1) - key.unsqueeze(1) @ left  # (batch, 1, width)
    return left + key.unsqueeze(2) * (error * beta.view(-1, 1, 1))


exercise = Exercise(
    id="gated_delta",
    title="Forget, then correct",
    points=3,
    difficulty=2,
    minutes=15,
    section="10.4",
    learns=True,
    outputs=["state"],
    cases=cases,
    tolerance=1e-4,
    hints=[
        "In which order do the two happen, and of which state is the error computed?",
        "First `state = alpha[:, None, None] * state`. Then ask it: `key.unsqueeze(1) @ state` is "
        "(batch, 1, width). What is missing to the value is written under the key, times beta.",
        "`error = value.unsqueeze(1) - key.unsqueeze(1) @ state`, with the state that has decayed, "
        "then `state + beta[:, None, None] * key.unsqueeze(2) * error`.",
    ],
    mistakes={
        "the error first": WrongAnswer(
            _step(asked=lambda old, decayed: old),
            "You compute the error on the state before it decays, and so correct something that "
            "may no longer be there: with beta 1 the key should give its value, and need not. "
            "Decay first, then the error.",
            "With beta 1, what should the new state answer to this key?",
            misconception="steps-in-any-order",
        ),
        "decay at the end": WrongAnswer(
            _step(
                decay=lambda state, alpha: state,
                after=lambda state, alpha: _columns(alpha) * state,
            ),
            "You let the state decay after writing, so the new word fades before anybody has read "
            "it.",
            "What should the state hold if alpha is 0?",
            misconception="steps-in-any-order",
        ),
        "no decay": WrongAnswer(
            _step(decay=lambda state, alpha: state),
            "Nothing is forgotten: alpha has no effect on your step.",
            "What should be left of the state if alpha and beta are 0?",
            misconception="input-unused",
        ),
        "decay for the error alone": WrongAnswer(
            _step(kept=lambda old, decayed: old),
            "You compute the error on the state that has decayed, and then write it to the one "
            "that has not.",
            "What should be left of the state if alpha and beta are 0?",
            misconception="stale-value",
        ),
        "only added": WrongAnswer(
            _step(correct=lambda value, found: value),
            "You add the value to what was there. The delta rule writes what is *missing*.",
            "With beta 1, what should the new state answer to this key?",
            misconception="half-is-enough",
        ),
        "beta on the old value alone": WrongAnswer(
            _beta_erases_alone,
            "Your beta scales what is erased, and the new value is written in full. It scales the "
            "whole error.",
            "What should change if beta is 0?",
            misconception="half-is-enough",
        ),
        "no beta": WrongAnswer(
            _step(rate=lambda beta: 1.0),
            "Beta has no effect on your step.",
            "What should the step change if beta is 0?",
            misconception="input-unused",
        ),
        "the wrong sign": WrongAnswer(
            _step(correct=lambda value, found: value + found),
            "You add what the state says to the value, in place of the difference.",
            "What should be written if the state gives the value already?",
            misconception="opposite",
        ),
        "one rate for all texts": WrongAnswer(
            _step(rate=lambda beta: beta[0]),
            "You use the first text's beta for all of them.",
            "How many numbers does `beta` have?",
            misconception="one-for-all",
        ),
    },
    variants=[text_by_text, with_a_matrix, with_matmul],
)
