"""The task “Catch the bug”, a test of multi-head attention; good and weak tests."""

import torch
import torch.nn.functional as F
from torch import nn

from solutions.specification import CatchTheBug, WrongAnswer
from solutions.weak_tests import (
    asserts_nothing,
    close,
    compared,
    differs,
    no_mask,
    only_the_shapes,
    shapes_alone,
    to_the_last_digit,
    upside_down,
    wrong_expectation,
)
from utils.checks.implementations.buggy_multi_head import IMPLEMENTATIONS

DIM = 8


def inputs(batch=3, length=5):
    """Return words and the four matrices; no two numbers are alike."""
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(batch, length, DIM, generator=generator)
    return x, *torch.randn(4, DIM, DIM, generator=generator) / 2


def padding(batch=3, length=5):
    """Return a mask (batch, 1, length) in which each sentence ends a word earlier."""
    return torch.arange(length) < torch.arange(length, length - batch, -1)[:, None, None]


def expected(x, w_q, w_k, w_v, w_o, heads, mask=None, width=None):
    """Compute output and weights head by head; `width` stands under the root of the scale."""
    of_heads, weights = [], []
    for q, k, v in zip(*((x @ W).chunk(heads, dim=-1) for W in (w_q, w_k, w_v)), strict=True):
        scores = q @ k.mT / (width or q.shape[-1]) ** 0.5
        hidden = torch.zeros_like(scores).bool() if mask is None else ~mask
        weights.append(scores.masked_fill(hidden, -torch.inf).softmax(-1))
        of_heads.append(weights[-1] @ v)
    return torch.cat(of_heads, dim=-1) @ w_o, torch.stack(weights, dim=1)


def only_the_sums(multi_head):
    _, weights = multi_head(*inputs(), 2, padding())
    assert torch.allclose(weights.sum(-1), torch.ones(3, 2, 5))
    assert not weights[~padding().unsqueeze(1).expand_as(weights)].any()


def words_alike():
    x, *matrices = inputs()
    return x[:1, :1].expand(3, 5, DIM).contiguous(), *matrices


def against_torch(multi_head):
    torch.manual_seed(7)
    x, matrices = torch.randn(2, 6, 12), torch.randn(4, 12, 12) / 3
    theirs = nn.MultiheadAttention(12, 3, bias=False, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([matrix.T for matrix in matrices[:3]]))
        theirs.out_proj.weight.copy_(matrices[3].T)
        hidden = torch.arange(6) >= torch.tensor([[6], [3]])
        expected = theirs(x, x, x, key_padding_mask=hidden, average_attn_weights=False)
    actual = multi_head(x, *matrices, heads=3, mask=~hidden[:, None])
    for result, wanted in zip(actual, expected, strict=True):
        torch.testing.assert_close(result, wanted, atol=1e-5, rtol=1e-5)


def head_by_head(multi_head):
    """Test each head alone, by zeros in the rows of `w_o` that belong to the others."""
    x, w_q, w_k, w_v, w_o = inputs(2, 4)
    mask = torch.ones(4, 4).tril().bool().expand(2, 4, 4)
    for head in range(4):
        part = slice(2 * head, 2 * head + 2)
        alone = torch.zeros_like(w_o)
        alone[part] = w_o[part]  # its rows
        q, k, v = ((x @ W)[..., part] for W in (w_q, w_k, w_v))
        context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        output, weights = multi_head(x, w_q, w_k, w_v, alone, 4, mask)
        assert (output - context @ w_o[part]).abs().max() < 1e-4
        assert (weights[:, head] @ v - context).abs().max() < 1e-4
    lengths = padding(2, 4)
    _, weights = multi_head(x[:, :4], w_q, w_k, w_v, w_o, 2, lengths)  # as many heads as sentences
    assert weights[1, :, :, -1].sum() == 0
    assert (weights[0, :, :, -1] > 0).all()


def one_number_after_the_other(multi_head):
    x, *matrices = inputs(2, 3)
    mask = padding(2, 3)
    output, weights = multi_head(x, *matrices, 4, mask)
    q, k, v = (torch.einsum("btd,de->bte", x, matrix) for matrix in matrices[:3])
    joined = torch.zeros(2, 3, DIM)
    for b in range(2):
        for h in range(4):
            for t in range(3):
                powers = []
                for s in range(3):
                    score = sum(q[b, t, 2 * h + i] * k[b, s, 2 * h + i] for i in range(2))
                    powers.append((score / 2**0.5).exp() * mask[b, 0, s])
                for s in range(3):
                    share = powers[s] / sum(powers)
                    assert abs(weights[b, h, t, s] - share) < 1e-5
                    joined[b, t, 2 * h : 2 * h + 2] += share * v[b, s, 2 * h : 2 * h + 2]
    assert torch.allclose(output, joined @ matrices[3], atol=1e-4)


def by_what_must_hold(multi_head):
    """Test laws, and the formula of two scores only."""
    x, w_q, w_k, w_v, w_o = inputs(3, 4)
    mask = padding(3, 4)
    output, weights = multi_head(x, w_q, w_k, w_v, w_o, 2, mask)
    assert close(weights.sum(-1), torch.ones(3, 2, 4))
    assert not weights.masked_select(~mask.unsqueeze(1).expand_as(weights)).any()
    parts = [weights[:, head] @ (x @ w_v)[..., 4 * head : 4 * head + 4] for head in range(2)]
    assert close(output, sum(part @ W for part, W in zip(parts, w_o.split(4), strict=True)))
    odds = (weights[..., 0] / weights[..., 1]).log()  # (batch, heads, len)
    q, k = (x @ w_q).unflatten(-1, (2, 4)), (x @ w_k).unflatten(-1, (2, 4))
    gap = (q * (k[:, :1] - k[:, 1:2])).sum(-1) / 2  # (batch, len, heads)
    assert (odds - gap.transpose(1, 2)).abs().max() < 1e-3


exercise = CatchTheBug(
    id="test_multi_head",
    title="Catch the bug",
    points=2,
    difficulty=2,
    minutes=10,
    section="05.2",
    hints=[
        "With which inputs does a mistake in the heads make no difference? With one head, to begin "
        "with. And with which matrices does it not matter whether $W^O$ is there?",
        "Work out output and weights inside the test, as a loop over the heads, each with its own "
        "columns of the projected words. Choose a number of sentences that is not the number of "
        "heads, and give each sentence a mask of its own.",
        "Draw `x` (3, 5, 8) and four matrices (8, 8), take two heads and the mask "
        "`torch.arange(5) < torch.tensor([5, 4, 2])[:, None, None]`. For each half of the columns "
        "of `x @ w_q`, `x @ w_k`, `x @ w_v`: scores / 2, `masked_fill(~mask, -torch.inf)`, "
        "softmax, times the values. Then `torch.cat(…, dim=-1) @ w_o`.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(*inputs(), 2, shapes=[(3, 5, DIM), (3, 2, 5, 5)]), "multi_head"
        ),
        "only the shapes": only_the_shapes(
            shapes_alone(*inputs(), 2, padding(), shapes=[(3, 5, DIM), (3, 2, 5, 5)]),
            "Your test objects at most to wrong shapes, and a comparison without `assert` objects "
            "to nothing. Nearly all bugs leave the shapes as they are: that is what makes "
            "multi-head attention so easy to get wrong.",
        ),
        "only sums and zeros": WrongAnswer(
            only_the_sums,
            "Your test sees at most that rows sum to 1 and that nothing lies on padding. Heads "
            "that mix up words and features do that, too.",
            "Which other weights would your test accept, equal shares for all words perhaps?",
            misconception="plausible-is-right",
        ),
        "one head": WrongAnswer(
            compared(expected, *inputs(), 1, padding()),
            "With your inputs no fault of splitting or joining shows. Perhaps there is one head: "
            "then nothing is split, and nothing can go wrong on the way.",
            "For how many heads do √dim and √head_dim differ?",
            misconception="even-inputs",
        ),
        "one word a sentence": WrongAnswer(
            compared(expected, *inputs(length=1), 2),
            "With your inputs hardly a bug shows. Perhaps your sentences have one word: then there"
            " is nothing to share out, and no word that heads could mix up with another.",
            "What is the softmax of a single score?",
            misconception="even-inputs",
        ),
        "words all alike": WrongAnswer(
            compared(expected, *words_alike(), 2, padding()),
            "Your test does not see the scale. Its words are all alike, perhaps, so that the "
            "scores of a row are equal and any divisor gives the same weights.",
            "What does the softmax of equal scores look like, with √dim and with √head_dim?",
            misconception="even-inputs",
        ),
        "identity for a projection": WrongAnswer(
            compared(expected, inputs()[0], *[torch.eye(DIM)] * 4, 2, padding()),
            "Your test does not see whether the output is projected. Perhaps $W^O$ is the "
            "identity: then leaving it out changes nothing.",
            "For which matrix W is x @ W the same as x?",
            misconception="projection-left-out",
        ),
        "only the weights": WrongAnswer(
            compared(expected, *inputs(), 2, padding(), results=[1]),
            "Your test does not see what comes after the weights: the values, the join and the "
            "projection. They show in the output.",
            "Which of the two results depends on `w_v`?",
            misconception="half-is-enough",
        ),
        "no mask": no_mask(compared(expected, *inputs(), 2), "multi_head", "last"),
        "one sentence": WrongAnswer(
            compared(expected, *inputs(1), 2, torch.tensor([[[True, True, True, False, False]]])),
            "Your test does not see whether each sentence gets its own mask. It has one sentence, "
            "perhaps, or the same mask for as many sentences as heads.",
            "A mask of (batch, 1, len) beside weights of (batch, heads, len, len): which axis "
            "meets which, counted from the right?",
            misconception="one-for-all",
        ),
        "the width of the model": WrongAnswer(
            compared(expected, *inputs(), 2, padding(), width=DIM),
            "Your test expects scores divided by √dim, so it blames whoever divides by √head_dim "
            "and accepts the one that does not.",
            "How many products does one score of a head add up?",
            misconception="wrong-width",
        ),
        "upside down": upside_down(differs(expected, *inputs(), 2, padding())),
        "to the last digit": to_the_last_digit(
            compared(IMPLEMENTATIONS.right[0], *inputs(), 2, padding(), like=torch.equal)
        ),
        "a wrong expectation": wrong_expectation(
            *inputs(),
            2,
            padding(),
            place=(0, 0, 1, 1),
            hint="Print what your own `MultiHead` gives for your inputs. Is that what you expect?",
        ),
    },
    variants=[against_torch, head_by_head, one_number_after_the_other, by_what_must_hold],
)
