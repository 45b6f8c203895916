"""The task “RMSNorm and SwiGLU”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view, doubled
from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def inputs(batch, length, dim, hidden, eps=1e-5, reach=2.0):
        return {
            "x": draw.numbers(batch, length, dim, reach=reach),
            "gamma": draw.numbers(dim, reach=2),
            "eps": eps,
            "w_gate": draw.numbers(hidden, dim, reach=1),
            "w_up": draw.numbers(hidden, dim, reach=1),
            "w_down": draw.numbers(dim, hidden, reach=1),
        }

    far, tiny = doubled(inputs(2, 3, 4, 5)), doubled(inputs(2, 3, 5, 4))
    view, square = inputs(3, 3, 3, 5), inputs(2, 3, 4, 4)
    return [
        Case("two texts of three tokens", inputs(2, 3, 4, 6, eps=0.25)),
        Case("one token", inputs(1, 1, 6, 4)),
        Case("as wide inside as outside", square),
        Case("a large ε", inputs(2, 2, 5, 3, eps=0.5)),
        Case("numbers far from 0", far | {"x": 40 * far["x"] + 200}),
        Case("tiny numbers, where ε counts", tiny | {"x": tiny["x"] / 500}),
        Case("a token of zeros", inputs(1, 2, 3, 4) | {"x": torch.zeros(1, 2, 3)}),
        Case("a transposed view", view | {"x": as_view(view["x"])}),
    ]


def _half(
    axes=(-1,),
    centre=lambda x: x,
    mean=torch.mean,
    divide=lambda square, eps: (square + eps).sqrt(),
    scale=lambda z, gamma: gamma * z,
    act=F.silu,
    gate=lambda gate, up, act: act(gate) * up,
    reads=lambda x, normed: normed,
    add=lambda x, normed, y: x + y,
    finish=lambda normed, states: (normed, states),
):
    """Return an answer with one part replaced."""

    def feed_forward_half(x, gamma, eps, w_gate, w_up, w_down):
        z = centre(x)
        z = z / divide(mean(z.square(), axes, keepdim=True), eps)
        normed = scale(z, gamma)
        y = reads(x, normed)
        inner = gate(y @ w_gate.mT, y @ w_up.mT, act)
        return finish(normed, add(x, normed, inner @ w_down.mT))

    return feed_forward_half


def _by_the_variance(correction):
    """Return an answer that takes the mean away in the divisor, and nowhere else."""

    def feed_forward_half(x, gamma, eps, *matrices):
        variance = x.var(-1, correction=correction, keepdim=True)
        half = _half(divide=lambda square, eps: (variance + eps).sqrt())
        return half(x, gamma, eps, *matrices)

    return feed_forward_half


def _with_epsilon_behind(x, gamma, eps, *matrices):
    half = _half(divide=lambda square, eps: square.sqrt(), scale=lambda z, g: g * z + eps)
    return half(x, gamma, eps, *matrices)


def _one_unnormed(place):
    """Return an answer in which the gate, 0, or up, 1, reads x as it came."""

    def feed_forward_half(x, gamma, eps, w_gate, w_up, w_down):
        normed = F.rms_norm(x, x.shape[-1:], gamma, eps)
        read = [normed, normed]
        read[place] = x
        inner = F.silu(read[0] @ w_gate.mT) * (read[1] @ w_up.mT)
        return normed, x + inner @ w_down.mT

    return feed_forward_half


def _gamma_later(x, gamma, eps, *matrices):
    states = _half()(x, gamma, eps, *matrices)[1]
    return F.rms_norm(x, x.shape[-1:], None, eps), states


def _by_the_mean(x, gamma, eps, *matrices):
    square = x.mean(-1, keepdim=True).square()
    return _half(divide=lambda _, eps: (square + eps).sqrt())(x, gamma, eps, *matrices)


def with_torch(x, gamma, eps, w_gate, w_up, w_down):
    normed = F.rms_norm(x, (x.shape[-1],), gamma, eps)
    inner = F.silu(F.linear(normed, w_gate)) * F.linear(normed, w_up)
    return normed, x + F.linear(inner, w_down)


def token_by_token(x, gamma, eps, w_gate, w_up, w_down):
    normed, states = [], []
    for sentence in x:
        for token in sentence:
            length = ((token @ token) / len(token) + eps) ** 0.5
            normed.append(token / length * gamma)
            gate = w_gate @ normed[-1]
            states.append(token + w_down @ (gate * gate.sigmoid() * (w_up @ normed[-1])))
    return torch.stack(normed).view(x.shape), torch.stack(states).view(x.shape)


def in_one_product(x, gamma, eps, w_gate, w_up, w_down):
    rate = torch.rsqrt(torch.sum(x * x, dim=2, keepdim=True) / x.size(2) + eps)
    normed = torch.mul(x * rate, gamma)
    both = torch.einsum("bld,hd->blh", normed, torch.cat([w_gate, w_up]))
    gate, up = both.chunk(2, dim=-1)
    return normed, torch.einsum("blh,dh->bld", gate / (1 + (-gate).exp()) * up, w_down) + x


exercise = Exercise(
    id="feed_forward_half",
    title="RMSNorm and SwiGLU",
    points=3,
    difficulty=1,
    minutes=15,
    section="11.2",
    learns=True,
    outputs=["normed", "states"],
    shortcuts=["RMSNorm", "rms_norm", "SwiGLU"],
    cases=cases,
    hints=[
        "Compare with layer norm, as you wrote it in exercises 08: which two of its steps does "
        "RMSNorm leave out?",
        "`x.square().mean(-1, keepdim=True)` is one number a token. ε is added to it, under the "
        "root. SiLU is `F.silu`, and it works on the gate alone.",
        "`normed = gamma * x / (x.square().mean(-1, keepdim=True) + eps).sqrt()`, then "
        "`inner = F.silu(normed @ w_gate.T) * (normed @ w_up.T)`, and the states are "
        "`x + inner @ w_down.T`.",
    ],
    mistakes={
        "mean taken away": WrongAnswer(
            _half(centre=lambda x: x - x.mean(-1, keepdim=True)),
            "You take the mean away first: that is layer norm. RMSNorm divides, and no more.",
            "What is left of numbers that are all the same?",
            misconception="variance-is-spread",
        ),
        "variance for mean square": WrongAnswer(
            _by_the_variance(0),
            "You divide by the root of the *variance*, from which the mean has been taken. RMS is "
            "the root of the mean of the squares as they are.",
            "What is the variance of 1, 1, 1, 1, and what its mean square?",
            misconception="variance-is-spread",
            also={"by the width less 1": _by_the_variance(1)},
        ),
        "square of the mean": WrongAnswer(
            _by_the_mean,
            "You take the mean first, and then its square. It is the other way round: first the "
            "squares, then their mean.",
            "What should the RMS of 1 and −1 be?",
            misconception="steps-in-any-order",
        ),
        "sum for mean": WrongAnswer(
            _half(mean=torch.sum),
            "You divide by the length of each token, the root of the *sum* of squares. RMS is the "
            "root of their *mean*.",
            "What should the RMS of 1, 1, 1, 1 be?",
            misconception="sum-and-mean",
            also={
                "and ε outside": _half(
                    mean=torch.sum, divide=lambda square, eps: square.sqrt() + eps
                )
            },
        ),
        "root left out": WrongAnswer(
            _half(divide=lambda square, eps: square + eps),
            "You divide by the mean square, and not by its root.",
            "What does the R of RMS stand for?",
            misconception="variance-is-spread",
        ),
        "epsilon outside the root": WrongAnswer(
            _half(divide=lambda square, eps: square.sqrt() + eps),
            "You add ε to the root, and not to the mean under it.",
            "Where in the formula does ε stand?",
            misconception="steps-in-any-order",
        ),
        "epsilon behind the division": WrongAnswer(
            _with_epsilon_behind,
            "You add ε to what comes out of the division. It belongs under the root.",
            "What does your line divide by, with all brackets written out?",
            misconception="steps-in-any-order",
        ),
        "no epsilon": WrongAnswer(
            _half(divide=lambda square, eps: square.sqrt()),
            "The `eps` that comes in has no effect. With a smaller one tiny tokens are divided by "
            "too little, and without any a token of zeros is 0 / 0, which is NaN.",
            "Which ε stands under your root?",
            misconception="formula-is-safe",
            also={"a fixed one": _half(divide=lambda square, eps: (square + 1e-5).sqrt())},
        ),
        "over the tokens": WrongAnswer(
            _half(axes=(1,)),
            "Your mean runs over several tokens. Each token has one of its own.",
            "In which axis do the numbers of *one* token lie?",
            misconception="averages-anywhere",
            also={
                "over the whole text": _half(axes=(1, 2)),
                "over all texts": _half(axes=(0,)),
                "over everything": _half(axes=(0, 1, 2)),
            },
        ),
        "gamma left out": WrongAnswer(
            _half(scale=lambda z, gamma: z),
            "The learned scale γ is missing.",
            "What does γ do in the formula?",
            misconception="input-unused",
        ),
        "gamma later": WrongAnswer(
            _gamma_later,
            "Your `normed` has no γ in it yet; your network reads it with γ. Return what the "
            "network reads.",
            "What is `normed` in the first formula?",
            misconception="stale-value",
        ),
        "one more than gamma": WrongAnswer(
            _half(scale=lambda z, gamma: (1 + gamma) * z),
            "You multiply by 1 + γ, as models of the Gemma kind do. Here γ itself is the factor.",
            "What comes out where γ is 1?",
            misconception="constant-factor",
        ),
        "gate and up exchanged": WrongAnswer(
            _half(gate=lambda gate, up, act: gate * act(up)),
            "Gate and up are exchanged: your SiLU bends what `w_up` makes. It is to bend what "
            "`w_gate` makes, and the other is multiplied as it is.",
            "Which of the two decides how much of the other gets through?",
            misconception="parts-in-any-order",
        ),
        "no SiLU": WrongAnswer(
            _half(act=lambda gate: gate),
            "Nothing bends your gate. Then the network is a plain product of two projections.",
            "What is SiLU for?",
            misconception="nonlinearity-left-out",
        ),
        "SiLU around the product": WrongAnswer(
            _half(gate=lambda gate, up, act: act(gate * up)),
            "You bend the product. SiLU works on the gate alone, before it is multiplied.",
            "What stands between the brackets of SiLU in the formula?",
            misconception="steps-in-any-order",
        ),
        "SiLU on both": WrongAnswer(
            _half(gate=lambda gate, up, act: act(gate) * act(up)),
            "Both projections go through SiLU. It works on the gate alone; what `w_up` makes is "
            "multiplied as it is.",
            "How often does SiLU stand in the formula?",
            misconception="another-task",
        ),
        "sigmoid for SiLU": WrongAnswer(
            _half(act=torch.sigmoid),
            "Your gate is σ(g), which is that of a GLU. SiLU is g · σ(g).",
            "What is SiLU of 2, and can a sigmoid be as large?",
            misconception="half-is-enough",
        ),
        "GELU for SiLU": WrongAnswer(
            _half(act=F.gelu),
            "Your gate goes through GELU. It looks much the same, and is another function: a "
            "model that was trained with SiLU still says Paris with it.",
            "What does `hidden_act` on the model's card say?",
            misconception="plausible-is-right",
            also={"by its tanh": _half(act=lambda gate: F.gelu(gate, approximate="tanh"))},
        ),
        "ReLU for SiLU": WrongAnswer(
            _half(act=F.relu),
            "Your gate goes through ReLU, as in the block of 2017. Here it is SiLU.",
            "What is SiLU of −1?",
            misconception="plausible-is-right",
        ),
        "added to the gate": WrongAnswer(
            _half(gate=lambda gate, up, act: act(gate) + up),
            "You add gate and up. A gate multiplies.",
            "What should come out where the gate is 0?",
            misconception="another-task",
        ),
        "x unnormed": WrongAnswer(
            _half(reads=lambda x, normed: x),
            "Your network reads x as it came. It reads the normed tokens.",
            "What did you make `normed` for?",
            misconception="stale-value",
        ),
        "half unnormed": WrongAnswer(
            _one_unnormed(1),
            "One of your two projections, gate or up, reads x as it came. Both read the normed "
            "tokens.",
            "What stands behind each of the two matrices in the formula?",
            misconception="half-is-enough",
            also={"the gate": _one_unnormed(0)},
        ),
        "no residual": WrongAnswer(
            _half(add=lambda x, normed, y: y),
            "Your network replaces x. It should add to it.",
            "What should `states` be if `w_down` is 0?",
            misconception="half-is-enough",
        ),
        "residual around the norm": WrongAnswer(
            _half(add=lambda x, normed, y: normed + y),
            "You add to the *normed* tokens. The sum carries x as it came.",
            "Which x is the result of the network added to?",
            misconception="stale-value",
        ),
        "in the other order": WrongAnswer(
            _half(finish=lambda normed, states: (states, normed)),
            "Where the normed tokens should stand, you return the states.",
            "Which of the two comes first in the table?",
            misconception="parts-in-any-order",
        ),
    },
    variants=[with_torch, token_by_token, in_one_product],
)
