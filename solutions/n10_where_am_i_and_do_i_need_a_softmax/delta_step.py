"""The delta rule, one step."""

import torch
import torch.nn.functional as F

from solutions.cases import in_double
from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, dim, width, beta, empty=False):
        state = draw.numbers(dim, width)
        inputs = {
            "state": 0 * state if empty else state,
            "key": F.normalize(draw.numbers(dim), dim=0),
            "value": draw.numbers(width),
            "beta": beta,
        }
        return Case(label, inputs)

    return [
        case("a state of 4 x 3, beta 1", 4, 3, 1.0),
        case("beta 0.5", 4, 3, 0.5),
        case("an empty state", 3, 5, 1.0, empty=True),
        case("as wide as high", 3, 3, 0.25),
        in_double(case("in float64", 5, 2, 0.75)),
    ]


def _step(read=lambda state, key: key @ state, left=1.0, rate=lambda b: b):
    """Return an answer with one part replaced."""

    def step(state, key, value, beta):
        return left * state + rate(beta) * torch.outer(key, value - read(state, key))

    return step


def with_einsum(state, key, value, beta):
    error = value - torch.einsum("d,dw->w", key, state)
    return state + beta * torch.einsum("d,w->dw", key, error)


def forget_then_write(state, key, value, beta):
    identity = torch.eye(len(key), dtype=key.dtype)
    return (identity - beta * key[:, None] * key) @ state + beta * key[:, None] * value


exercise = YourTurn(
    id="delta_step",
    title="The delta rule",
    section="10.4",
    learns=True,
    outputs=["state"],
    cases=cases,
    mistakes={
        "only added": WrongAnswer(
            _step(read=lambda state, key: 0.0),
            "You add the new pair to what was there. The delta rule writes the difference between "
            "the value and what the state already says about this key.",
            "What does the state answer to this key before you write?",
            misconception="half-is-enough",
        ),
        "without beta": WrongAnswer(
            _step(rate=lambda beta: 1.0),
            "Beta has no effect on your step.",
            "What does beta scale in the formula?",
            misconception="input-unused",
        ),
        "the old state left out": WrongAnswer(
            _step(left=0.0),
            "You return what this word writes, without the state to which it is added.",
            "What should be left of the state if beta is 0?",
            misconception="half-is-enough",
        ),
        "the error upside down": WrongAnswer(
            lambda state, key, value, beta: state - beta * torch.outer(key, value - key @ state),
            "Your correction has the wrong sign: it leads away from the value.",
            "With beta 1, what should the new state answer to this key?",
            misconception="opposite",
        ),
        "all of the state fades": WrongAnswer(
            lambda state, key, value, beta: (1 - beta) * state + beta * torch.outer(key, value),
            "You let all of the state fade by beta, as a moving average does. The delta rule takes "
            "away only what the state says about this key, and leaves the other keys theirs.",
            "What should the state answer to a key at right angles to this one, before and after?",
            misconception="half-is-enough",
        ),
        "beta in the error": WrongAnswer(
            lambda state, key, value, beta: state + torch.outer(key, beta * value - key @ state),
            "You scale the value by beta, and erase the old one in full. Beta scales the whole "
            "difference.",
            "What should your step change if beta is 0?",
            misconception="half-is-enough",
        ),
    },
    variants=[with_einsum, forget_then_write],
)
