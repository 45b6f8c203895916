"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F


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
    scores = torch.stack([(s @ w_score * one).sum() for one in h])
    powers = torch.where(words, (scores - scores.max()).exp(), 0.0)
    if words.any():
        powers = torch.where(words, (scores - scores[words].max()).exp(), 0.0)
    weights = powers / powers.sum().clamp(min=1e-30)
    context = sum(weight * one for weight, one in zip(weights, h, strict=True))
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
    wide = [one.double() if one.is_floating_point() else one for one in given]
    return with_einsum(*wide)
