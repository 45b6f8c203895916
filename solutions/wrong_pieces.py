"""Parts of answers, right and wrong, that several exercises share.

A wrong implementation is mostly a right one with one part replaced. Parts that need no words have
a comment in place of a docstring: made-up learners (`grading.classroom`) copy them as they are.
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
    """Write out every pair [s; h]: (..., tgt_len, src_len, state_dim + key_dim)."""
    tgt_len, src_len = states.shape[-2], keys.shape[-2]
    repeated = states.unsqueeze(-2).expand(*states.shape[:-1], src_len, -1)
    others = keys.unsqueeze(-3).expand(*keys.shape[:-2], tgt_len, -1, -1)
    return torch.cat([repeated, others], dim=-1)


def filled(scores, mask, filling, dim=-1):
    """Take a softmax of scores whose hidden cells are filled with one number."""
    return scores.masked_fill(~mask, filling).softmax(dim)


def safe_softmax(scores, mask):
    """Take the right masked softmax: hidden cells get 0, also where a whole row is hidden."""
    if mask is None:
        return scores.softmax(-1)
    return filled(scores, mask, torch.finfo(scores.dtype).min).masked_fill(~mask, 0.0)


class Additive(nn.Module):
    """Additive attention in methods that wrong answers replace."""

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
    """Return a subclass with some of its methods replaced."""

    class Changed(base):
        pass

    for name, method in instead.items():
        setattr(Changed, name, method)
    return Changed


def reshaped(keys):
    """Reshape keys to what `.mT` would give: the right shape, with the numbers mixed up."""
    return keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1])


def general(query, keys, W):
    """Return Luong's general score (batch, tgt_len, src_len)."""
    return torch.einsum("btq,qk,bsk->bts", query, W, keys)


def root_of_width(query, keys, values):
    """Return the right scale."""
    return query.shape[-1] ** 0.5


def attention(scale=root_of_width, weigh=masked_softmax, handed_out=lambda keys, values: values):
    """Return scaled dot-product attention with some parts replaced.

    Args:
        scale: what the scores are divided by, from query, keys and values.
        weigh: weights from scores and mask.
        handed_out: what the weights mix, from keys and values.
    """

    def attend(query, keys, values, mask=None):
        weights = weigh(query @ keys.mT / scale(query, keys, values), mask)
        return weights @ handed_out(keys, values), weights

    return attend


def fill_with(number):
    """Return a way to weigh that fills hidden scores with a number and forgets empty rows."""

    def weigh(scores, mask):
        return (scores if mask is None else scores.masked_fill(~mask, number)).softmax(-1)

    return weigh


def mask_late(scores, mask):
    """Apply the mask after the softmax."""
    return scores.softmax(-1) * (1 if mask is None else mask)


def mask_turned(scores, mask):
    """Take True for "hidden"."""
    return masked_softmax(scores, None if mask is None else ~mask)


def mask_added(scores, mask):
    """Add the boolean mask to the scores."""
    return (scores if mask is None else scores + mask).softmax(-1)


def cut_and_divided(scores, mask):
    """Apply the mask after the softmax, and divide the rows by their sums again."""
    cut = mask_late(scores, mask)
    return cut / cut.sum(-1, keepdim=True)


def split_into_heads(tensor, heads):
    """Split (batch, len, dim) into (batch, heads, len, head_dim)."""
    return tensor.unflatten(-1, (heads, -1)).transpose(1, 2)


def joined_heads(tensor):
    """Join (batch, heads, len, head_dim) to (batch, len, dim)."""
    return tensor.transpose(1, 2).flatten(2)


def joined_without_turning(tensor):
    """Reshape heads to the right shape, which mixes up words and heads."""
    batch, _, length, _ = tensor.shape
    return tensor.reshape(batch, length, -1)


def joined_times(parts, matrix):
    """Multiply several vectors side by side, (batch, …), with a matrix (sum of …, out)."""
    return torch.cat(parts, dim=1).matmul(matrix)


def wrong_choices(
    right: Mapping[str, str], mistakes: Mapping[tuple[str, str], tuple[str, str, str, str]]
) -> dict[str, WrongAnswer]:
    """Return a wrong answer by name for each wrong choice.

    Args:
        right: the right choices.
        mistakes: (key, wrong choice) → name, explanation, hint and misconception.
    """
    return {
        name: WrongAnswer(right | {key: choice}, *words)
        for (key, choice), (name, *words) in mistakes.items()
    }


def in_other_styles(right: Mapping[str, str], note: str) -> list[Callable[[], dict[str, str]]]:
    """Return functions that write the right choices in other ways, one with a note beside them."""

    def in_capitals():
        return {key: choice.capitalize() for key, choice in right.items()}

    def in_another_order():
        return dict(reversed(right.items()))

    def with_spaces_and_a_note():
        return {key: f" {choice} " for key, choice in right.items()} | {"note": note}

    return [in_capitals, in_another_order, with_spaces_and_a_note]
