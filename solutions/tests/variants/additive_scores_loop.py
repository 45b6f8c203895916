"""Right answers, written in other ways."""

import torch


def into_a_matrix(states, keys, W_joined, v):
    scores = states.new_zeros(len(states), len(keys))
    for t in range(len(states)):
        for j in range(len(keys)):
            hidden = torch.tanh(W_joined @ torch.cat((states[t], keys[j])))
            scores[t, j] = (v * hidden).sum()
    return scores


def split_inside(states, keys, W_joined, v):
    W, U = W_joined[:, : states.shape[1]], W_joined[:, states.shape[1] :]
    return torch.stack([torch.stack([v @ (W @ s + U @ h).tanh() for h in keys]) for s in states])


def one_list(s, h, W, v):
    pairs = [torch.cat([one, other]) for one in s for other in h]
    return ((torch.stack(pairs) @ W.T).tanh() @ v).view(len(s), len(h))


def with_einsum(states, keys, W_joined, v):
    wide = states.shape[1]
    bars = torch.einsum("aq,tq->ta", W_joined[:, :wide], states)
    said = torch.einsum("ak,sk->sa", W_joined[:, wide:], keys)
    return torch.einsum("a,tsa->ts", v, torch.tanh(bars[:, None] + said[None]))


def in_float64(states, keys, W_joined, v):
    states, keys, W_joined, v = (one.double() for one in (states, keys, W_joined, v))
    rows = []
    for state in states:
        joined = torch.cat([state.expand(len(keys), -1), keys], dim=1)
        rows.append(torch.nn.functional.linear(joined, W_joined).tanh().matmul(v))
    return torch.stack(rows)
