"""Parts of right and wrong answers that several exercises share.

Most wrong implementations are right ones with one part replaced. Made-up learners
(`grading.classroom`) copy these parts with their docstrings, but without comments. So parts that
need no explanation in a learner's notebook have only a comment.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from solutions.specification import WrongAnswer
from utils.masks import masked_softmax


# Each row divided by its sum.
def over_sum(numbers: Tensor) -> Tensor:
    return numbers / numbers.sum(-1, keepdim=True)


# Each vector brought to length 1.
def unit(vectors):
    return vectors / vectors.norm(dim=-1, keepdim=True).clamp(min=1e-6)


def in_pairs(states, keys):
    """Return all pairs [state; key]: (..., tgt_len, src_len, state_dim + key_dim)."""
    tgt_len, src_len = states.shape[-2], keys.shape[-2]
    repeated = states.unsqueeze(-2).expand(*states.shape[:-1], src_len, -1)
    others = keys.unsqueeze(-3).expand(*keys.shape[:-2], tgt_len, -1, -1)
    return torch.cat([repeated, others], dim=-1)


def filled(scores, mask, filling, dim=-1):
    """Return the softmax of scores whose hidden cells are filled with one number."""
    return scores.masked_fill(~mask, filling).softmax(dim)


def zero_is_hidden(scores, mask):
    """Return a masked softmax in which a score of 0 counts as hidden, if there is a mask."""
    return masked_softmax(scores, mask if mask is None else mask & (scores != 0))


def safe_softmax(scores, mask):
    """Return the right masked softmax: hidden cells get 0, even if their whole row is hidden."""
    if mask is None:
        return scores.softmax(-1)
    return filled(scores, mask, torch.finfo(scores.dtype).min).masked_fill(~mask, 0.0)


class Additive(nn.Module):
    """Additive attention, split into methods that wrong answers override."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def sums(self, query, keys):
        return self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1)

    def score(self, query, keys):
        return self.v(self.sums(query, keys).tanh()).squeeze(-1)

    def weigh(self, scores, mask):
        return safe_softmax(scores, mask)

    def mix(self, weights, keys, values):
        return weights @ (keys if values is None else values)

    def forward(self, query, keys, values=None, mask=None):
        weights = self.weigh(self.score(query, keys), mask)
        return self.mix(weights, keys, values), weights


def changed(base, **instead):
    """Return a subclass of `base` with some of its methods replaced."""

    class Changed(base):
        pass

    for name, method in instead.items():
        setattr(Changed, name, method)
    return Changed


def general(query, keys, W):
    """Return Luong's general score (batch, tgt_len, src_len)."""
    return torch.einsum("btq,qk,bsk->bts", query, W, keys)


def root_of_width(query, keys, values):
    """Return the right scale of scores: the square root of the query's width."""
    return query.shape[-1] ** 0.5


def attention(scale=root_of_width, weigh=masked_softmax, handed_out=lambda keys, values: values):
    """Return scaled dot-product attention with some parts replaced.

    Args:
        scale: function of query, keys and values that returns the divisor of the scores.
        weigh: function of scores and mask that returns the weights.
        handed_out: function of keys and values that returns the vectors to be mixed.
    """

    def attend(query, keys, values, mask=None):
        weights = weigh(query @ keys.mT / scale(query, keys, values), mask)
        return weights @ handed_out(keys, values), weights

    return attend


def fill_with(number):
    """Return a wrong `weigh` for `attention`: it fills hidden scores, even in empty rows."""

    def weigh(scores, mask):
        return (scores if mask is None else scores.masked_fill(~mask, number)).softmax(-1)

    return weigh


def mask_late(scores, mask):
    """Return weights to which the mask is applied after the softmax."""
    return scores.softmax(-1) * (1 if mask is None else mask)


def mask_turned(scores, mask):
    """Return weights for a mask in which True is misread as "hidden"."""
    return masked_softmax(scores, None if mask is None else ~mask)


def mask_added(scores, mask):
    """Return the softmax of scores to which the boolean mask is added."""
    return (scores if mask is None else scores + mask).softmax(-1)


def cut_and_divided(scores, mask):
    """Return weights masked after the softmax, each row then divided by its sum."""
    cut = mask_late(scores, mask)
    return cut / cut.sum(-1, keepdim=True)


def split_into_heads(tensor, heads):
    """Split (batch, len, dim) into (batch, heads, len, head_dim)."""
    return tensor.unflatten(-1, (heads, -1)).transpose(1, 2)


def joined_heads(tensor):
    """Join heads (batch, heads, len, head_dim) into (batch, len, dim)."""
    return tensor.transpose(1, 2).flatten(2)


def joined_without_turning(tensor):
    """Reshape heads into (batch, len, dim) without transposing, which mixes up words and heads."""
    batch, _, length, _ = tensor.shape
    return tensor.reshape(batch, length, -1)


def joined_times(parts, matrix):
    """Concatenate vectors (batch, …), and multiply them by a matrix (sum of their widths, out)."""
    return torch.cat(parts, dim=1).matmul(matrix)


def wrong_choices(
    right: Mapping[str, str], mistakes: Mapping[tuple[str, str], tuple[str, str, str, str]]
) -> dict[str, WrongAnswer]:
    """Return wrong answers by name, each with one wrong choice among right ones.

    Args:
        right: key → right choice.
        mistakes: (key, wrong choice) → name, explanation, hint and misconception.
    """
    return {
        name: WrongAnswer(right | {key: choice}, *words)
        for (key, choice), (name, *words) in mistakes.items()
    }


def in_other_styles(right: Mapping[str, str], note: str) -> list[Callable[[], dict[str, str]]]:
    """Return functions that return the right choices, each written in another way.

    One writes them in capitals, one in another order, one with spaces and an entry for `note`.
    """

    def in_capitals():
        return {key: choice.capitalize() for key, choice in right.items()}

    def in_another_order():
        return dict(reversed(right.items()))

    def with_spaces_and_a_note():
        return {key: f" {choice} " for key, choice in right.items()} | {"note": note}

    return [in_capitals, in_another_order, with_spaces_and_a_note]
