"""One step of Luong's decoder: `step(word, state, memory, mask, embedding, w_state, w_output)`."""

from functools import partial

import torch

from utils.attention import DotProductAttention
from utils.checks.implementations import Implementations
from utils.masks import masked_softmax


def step(word, state, memory, mask, embedding, w_state, w_output):
    """Compute a decoder's step with the course's own attention."""
    state = torch.tanh(torch.hstack([embedding[word], state]) @ w_state)  # (batch, state_dim)
    attention = DotProductAttention(state.shape[-1])
    context, weights = attention(state.unsqueeze(1), memory, mask=mask.unsqueeze(1))
    return torch.hstack([context[:, 0], state]) @ w_output, weights[:, 0], state


def decoder(
    opened=lambda mask: mask,
    weigh=masked_softmax,
    asks="new",
    heard=lambda context: context,
    returned="new",
    read=lambda word: word,
):
    """Return a decoder's step written line by line, in which a bug can replace a part."""

    def step(word, state, memory, mask, embedding, w_state, w_output):
        states = {"old": state}
        states["new"] = (torch.cat([embedding[read(word)], state], -1) @ w_state).tanh()
        scores = (memory @ states[asks].unsqueeze(-1)).squeeze(-1)  # (batch, src_len)
        weights = weigh(scores, opened(mask))
        context = heard((weights.unsqueeze(1) @ memory).squeeze(1))  # (batch, state_dim)
        return torch.cat([context, states["new"]], -1) @ w_output, weights, states[returned]

    return step


IMPLEMENTATIONS = Implementations(
    right=[step, decoder()],
    broken={
        "padding-is-harmless": decoder(opened=torch.ones_like),
        "one-for-all": decoder(opened=lambda mask: mask[:1].expand_as(mask)),
        "mask-upside-down": decoder(opened=torch.logical_not),
        "softmax-over-batch": decoder(weigh=partial(masked_softmax, dim=0)),
        "input-unused": decoder(heard=torch.zeros_like),  # the context is replaced by zeros
        "steps-in-any-order": decoder(asks="old"),  # attends before the state is updated
        "stale-value": decoder(returned="old"),
        "row-is-word": decoder(read=lambda word: word.flip(0)),
    },
)
