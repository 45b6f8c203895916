"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F


def _step(word, state, memory, embedding, w_state, w_output):
    state = (torch.cat([embedding[word], state], dim=-1) @ w_state).tanh()
    weights = (memory @ state.unsqueeze(-1)).squeeze(-1).softmax(-1)
    context = (weights.unsqueeze(1) @ memory).squeeze(1)
    return torch.cat([context, state], dim=-1) @ w_output, weights, state


def by_place(target, state, memory, *matrices):
    logits, weights = [], []
    for place in range(target.shape[1] - 1):
        one, alpha, state = _step(target[:, place], state, memory, *matrices)
        logits.append(one.unsqueeze(1))
        weights.append(alpha.unsqueeze(1))
    logits, weights = torch.cat(logits, 1), torch.cat(weights, 1)
    loss = F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=0)
    return logits, weights, loss


def loss_step_by_step(target, state, memory, *matrices):
    all_logits, all_weights, total, count = [], [], 0.0, 0
    for read, wanted in zip(target.T[:-1], target.T[1:], strict=True):
        logits, weights, state = _step(read, state, memory, *matrices)
        total = total + F.cross_entropy(logits, wanted, ignore_index=0, reduction="sum")
        count = count + (wanted != 0).sum()
        all_logits.append(logits)
        all_weights.append(weights)
    return torch.stack(all_logits, 1), torch.stack(all_weights, 1), total / count


def states_first(target, state, memory, embedding, w_state, w_output):
    """Luong's states need no context: all of them first, then one look for all."""
    states = []
    for vector in embedding[target[:, :-1]].unbind(1):
        state = torch.tanh(torch.hstack([vector, state]) @ w_state)
        states.append(state)
    states = torch.stack(states, dim=1)
    weights = torch.einsum("btd,bsd->bts", states, memory).softmax(-1)
    logits = torch.cat([weights @ memory, states], dim=-1) @ w_output
    real = target[:, 1:] != 0
    losses = -logits.log_softmax(-1)[real].gather(1, target[:, 1:][real].unsqueeze(1))
    return logits, weights, losses.mean()


def sentence_by_sentence(target, state, memory, *matrices):
    parts = [
        by_place(target[[row]], state[[row]], memory[[row]], *matrices)
        for row in range(len(target))
    ]
    logits, weights, losses = (list(column) for column in zip(*parts, strict=True))
    counts = (target[:, 1:] != 0).sum(1)
    loss = (torch.stack(losses) * counts).sum() / counts.sum()
    return torch.cat(logits), torch.cat(weights), loss
