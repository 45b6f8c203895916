"""A causal language model of one pre-norm block: words and parameters → probabilities.

`language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2)` takes words (batch, len) and
returns the probabilities of each next word (batch, len, vocab).
"""

import torch
import torch.nn.functional as F

from utils.attention import ScaledDotProductAttention
from utils.checks.implementations import Implementations
from utils.masks import causal_mask, masked_softmax


def as_in_the_course(words, embedding, places, w_q, w_k, w_v, w_1, w_2):
    """Compute the probabilities with the course's attention and PyTorch's norm."""
    x = embedding[words] + places[: words.shape[1]]  # (batch, len, dim)
    y = F.layer_norm(x, x.shape[-1:])
    look = ScaledDotProductAttention(w_q.shape[1])
    x = x + look(y @ w_q, y @ w_k, y @ w_v, causal_mask(words.shape[1]))[0]
    x = x + (F.layer_norm(x, x.shape[-1:]) @ w_1).relu() @ w_2
    return (F.layer_norm(x, x.shape[-1:]) @ embedding.T).softmax(-1)  # (batch, len, vocab)


def normalise(x, axis=-1):
    centred = x - x.mean(axis, keepdim=True)
    return centred / (centred.square().mean(axis, keepdim=True) + 1e-5).sqrt()


def model(
    norm=normalise,
    open_cells=causal_mask,
    scale=lambda width: width**0.5,
    with_places=True,
    residual=True,
    finish=lambda logits: logits.softmax(-1),
):
    """Return the model written line by line, in which a bug can replace a part."""

    def language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2):
        x = embedding[words]  # (batch, len, dim)
        if with_places:
            x = x + places[: words.shape[1]]
        y = norm(x)
        scores = (y @ w_q) @ (y @ w_k).mT / scale(w_q.shape[1])  # (batch, len, len)
        attended = masked_softmax(scores, open_cells(words.shape[1])) @ (y @ w_v)
        x = x + attended if residual else attended
        x = x + (norm(x) @ w_1).relu() @ w_2
        return finish(norm(x) @ embedding.T)  # (batch, len, vocab)

    return language_model


def all_open(length):
    return torch.ones(length, length, dtype=torch.bool)


def one_word_ahead(length):
    return all_open(length).tril(1)


IMPLEMENTATIONS = Implementations(
    right=[as_in_the_course, model()],
    broken={
        "future-open": model(open_cells=all_open),
        "off-by-one": model(open_cells=one_word_ahead),
        "averages-anywhere": model(norm=lambda x: normalise(x, axis=1)),
        "half-is-enough": model(residual=False),
        "attention-sees-order": model(with_places=False),
        "no-scale": model(scale=lambda width: 1.0),
        "softmax-twice": model(finish=lambda logits: logits.softmax(-1).softmax(-1)),
        "scores-as-weights": model(finish=lambda logits: logits),
    },
)
