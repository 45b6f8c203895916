# %% softmax_by_hand · right · log-sum-exp
# source: written from the task's text, 2026-11
import torch


def softmax_by_hand(scores):
    return torch.exp(scores - torch.logsumexp(scores, 0))


# %% softmax_by_hand · wrong · two-for-e-and-mean
# source: written from the task's text, 2026-11
# mistake: 2 to the score in place of e, and divided by the mean
import torch


def softmax_by_hand(scores):
    parts = 2**scores
    return parts / parts.mean()


# %% softmax_by_hand · wrong · sum-of-scores-rounded
# source: written from the task's text, 2026-11
# mistake: divides by the sum of the scores, and rounds to two decimals
import torch


def softmax_by_hand(scores):
    parts = scores.exp()
    return (parts / scores.sum()).round(decimals=2)


# %% softmax_by_hand · wrong · norm-and-negative
# source: written from the task's text, 2026-11
# mistake: the minus of the scores, and divides by the length of the vector
import torch


def softmax_by_hand(scores):
    parts = (-scores).exp()
    return parts / parts.norm()


# %% soft_lookup · right · loops
# source: written from the task's text, 2026-11
import torch


def soft_lookup(query, keys, values):
    rows = []
    for q in query:
        rows.append(torch.stack([torch.dot(q, k) for k in keys]).softmax(0))
    weights = torch.stack(rows)
    context = sum(weights[:, j, None] * values[j] for j in range(len(keys)))
    return context, weights


# %% soft_lookup · wrong · scaled-and-keys-mixed
# source: written from the task's text, 2026-11
# mistake: divides by the root of the width, and mixes keys where the widths allow it
import torch


def soft_lookup(query, keys, values):
    scores = query @ keys.T / keys.shape[1] ** 0.5
    weights = scores.softmax(dim=-1)
    return weights @ (keys if keys.shape == values.shape else values), weights


# %% soft_lookup · wrong · targets-and-order
# source: written from the task's text, 2026-11
# mistake: softmax over the targets, and returned in the other order
import torch


def soft_lookup(query, keys, values):
    scores = query @ keys.T
    weights = scores.softmax(dim=0)
    return weights, weights @ values


# %% soft_lookup · wrong · hardest-only
# source: written from the task's text, 2026-11
# mistake: scores between values and queries by distance, and the mean in place of the sum
import torch


def soft_lookup(query, keys, values):
    scores = -torch.cdist(query, keys)
    weights = scores.softmax(dim=-1)
    return weights @ values / len(values), weights


# %% softmax_with_temperature · right · complex-detour
# source: written from the task's text, 2026-11
import torch


def softmax_with_temperature(scores, temperature):
    cold = scores.double().div(temperature)
    cold = cold.sub(cold.amax(-1, keepdim=True)).exp()
    return cold.div(cold.sum(-1, keepdim=True)).to(scores.dtype)


# %% softmax_with_temperature · wrong · times-and-axis
# source: written from the task's text, 2026-11
# mistake: multiplies by the temperature, and the sum runs over the wrong axis of a matrix
import torch


def softmax_with_temperature(scores, temperature):
    cold = scores.double().mul(temperature)
    cold = cold.sub(cold.amax(-1, keepdim=True)).exp()
    return cold.div(cold.sum(-2 if cold.dim() > 1 else -1, keepdim=True)).to(scores.dtype)


# %% softmax_with_temperature · wrong · after-and-global-max
# source: written from the task's text, 2026-11
# mistake: takes the largest score of all, and divides by the temperature after exp
import torch


def softmax_with_temperature(scores, temperature):
    cold = scores.double()
    cold = cold.sub(cold.max()).exp() / temperature
    return cold.div(cold.sum(-1, keepdim=True)).to(scores.dtype)


# %% softmax_with_temperature · wrong · root-and-no-max
# source: written from the task's text, 2026-11
# mistake: the root of the temperature, and exp without taking off the largest
import torch


def softmax_with_temperature(scores, temperature):
    cold = scores.double().div(temperature**0.5)
    cold = cold.exp()
    return cold.div(cold.sum(-1, keepdim=True)).to(scores.dtype)


# %% entropy · right · special-entr
# source: written from the task's text, 2026-11
import torch


def entropy(weights):
    return torch.special.entr(weights).sum(dim=-1)


# %% entropy · right · xlogy-matmul
# source: written from the task's text, 2026-11
import torch


def entropy(weights):
    parts = torch.special.xlogy(weights, weights)
    return -(parts @ torch.ones(weights.shape[-1], dtype=weights.dtype))


# %% entropy · wrong · log2-and-sign
# source: written from the task's text, 2026-11
# mistake: logarithm of base 2, and the sign forgotten
import torch


def entropy(weights):
    safe = torch.where(weights > 0, weights, torch.ones_like(weights))
    return (weights * safe.log2()).sum(dim=-1)


# %% entropy · wrong · mean-and-log10
# source: written from the task's text, 2026-11
# mistake: the mean over the words, and logarithm of base 10
import torch


def entropy(weights):
    safe = torch.where(weights > 0, weights, torch.ones_like(weights))
    return -(weights * safe.log10()).mean(dim=-1)


# %% entropy · wrong · epsilon-and-all
# source: written from the task's text, 2026-11
# mistake: a small number inside the logarithm, and the sum of everything
import torch


def entropy(weights):
    safe = torch.where(weights > 0, weights, torch.ones_like(weights))
    return -(weights * (weights + 0.01).log()).sum()


# %% entropy · wrong · zeros-to-half
# source: written from the task's text, 2026-11
# mistake: zeros are replaced by 0.5 inside and outside the logarithm
import torch


def entropy(weights):
    safe = torch.where(weights > 0, weights, torch.full_like(weights, 0.5))
    return -(safe * safe.log()).sum(dim=-1)


# %% four_patterns · right · comprehensions
# source: written from the task's text, 2026-11
import torch


def four_patterns(length):
    places = range(length)
    itself = torch.tensor([[float(i == j) for j in places] for i in places])
    before = torch.tensor([[float(j == max(i - 1, 0)) for j in places] for i in places])
    row = [0.0] * length
    row[0] += 0.5
    row[-1] += 0.5
    ends = torch.tensor([row] * length)
    so_far = torch.tensor([[(j <= i) / (i + 1) for j in places] for i in places])
    return itself, before, ends, so_far


# %% four_patterns · wrong · after-and-first-row
# source: written from the task's text, 2026-11
# mistake: the word behind in place of the one before, and the ends get one each
import torch


def four_patterns(length):
    places = range(length)
    itself = torch.tensor([[float(i == j) for j in places] for i in places])
    before = torch.tensor([[float(j == min(i + 1, length - 1)) for j in places] for i in places])
    row = [0.0] * length
    row[0] += 1.0
    row[-1] += 1.0
    ends = torch.tensor([row] * length)
    so_far = torch.tensor([[(j <= i) / (i + 1) for j in places] for i in places])
    return itself, before, ends, so_far


# %% four_patterns · wrong · strict-and-length
# source: written from the task's text, 2026-11
# mistake: so_far without oneself, shared among all words
import torch


def four_patterns(length):
    places = range(length)
    itself = torch.tensor([[float(i == j) for j in places] for i in places])
    before = torch.tensor([[float(j == max(i - 1, 0)) for j in places] for i in places])
    row = [0.0] * length
    row[0] += 0.5
    row[-1] += 0.5
    ends = torch.tensor([row] * length)
    so_far = torch.tensor([[(j < i) / length for j in places] for i in places])
    return itself, before, ends, so_far


# %% four_patterns · wrong · first-of-before-and-one-word
# source: written from the task's text, 2026-11
# mistake: first row of before is empty, ends of one word gets a half, so_far looks ahead
import torch


def four_patterns(length):
    places = range(length)
    itself = torch.tensor([[float(i == j) for j in places] for i in places])
    before = torch.tensor([[float(j == i - 1) for j in places] for i in places])
    row = [0.0] * length
    row[0] += 0.5
    row[-1] = 0.5
    ends = torch.tensor([row] * length)
    so_far = torch.tensor([[(j >= i) / (length - i) for j in places] for i in places])
    return itself, before, ends, so_far


# %% read_alignment · right · bincount
# source: written from the task's text, 2026-11
import torch


def read_alignment(weights):
    best = weights.topk(1, dim=-1).indices.flatten()
    unread = torch.bincount(best, minlength=weights.shape[1]).eq(0)
    return best, unread


# %% read_alignment · wrong · columns-and-read
# source: written from the task's text, 2026-11
# mistake: best target of each source, and marks what is read
import torch


def read_alignment(weights):
    best = weights.topk(1, dim=0).indices.flatten()
    unread = torch.bincount(best, minlength=weights.shape[1]).gt(0)
    return best, unread


# %% read_alignment · wrong · least-and-once
# source: written from the task's text, 2026-11
# mistake: the smallest weight, and words read at most once
import torch


def read_alignment(weights):
    best = weights.topk(1, dim=-1, largest=False).indices.flatten()
    unread = torch.bincount(best, minlength=weights.shape[1]).le(1)
    return best, unread


# %% read_alignment · wrong · by-sum
# source: written from the task's text, 2026-11
# mistake: positions from 1, and unread by a column sum below one half
import torch


def read_alignment(weights):
    best = weights.topk(1, dim=-1).indices.flatten() + 1
    unread = weights.sum(0) < 0.5
    return best, unread


# %% normalised_heatmap · right · logsumexp
# source: written from the task's text, 2026-11
import torch


def normalised_heatmap(scores):
    return scores.sub(scores.logsumexp(dim=1, keepdim=True)).exp()


# %% normalised_heatmap · wrong · mean-and-square
# source: written from the task's text, 2026-11
# mistake: takes off the mean of the column, and squares
import torch


def normalised_heatmap(scores):
    return scores.sub(scores.mean(dim=0, keepdim=True)).square()


# %% normalised_heatmap · wrong · all-cells-columns
# source: written from the task's text, 2026-11
# mistake: one softmax over all cells, then columns are made to sum to 1
import torch


def normalised_heatmap(scores):
    weights = scores.flatten().softmax(0).view_as(scores)
    weights = weights / weights.sum(dim=0, keepdim=True)
    return weights


# %% normalised_heatmap · wrong · both
# source: written from the task's text, 2026-11
# mistake: row softmax, then the old line along the wrong axis
import torch


def normalised_heatmap(scores):
    weights = scores.softmax(dim=-1)
    weights = weights / weights.sum(dim=0, keepdim=True)
    return weights


# %% temperature_for · right · newton-bisection-log
# source: written from the task's text, 2026-11
import torch


def temperature_for(scores, words):
    work = scores.double()
    low = torch.full(work.shape[:-1], -25.0, dtype=torch.float64)
    high = torch.full(work.shape[:-1], 25.0, dtype=torch.float64)
    for _ in range(90):
        middle = (low + high) / 2
        weights = (work / middle.exp().unsqueeze(-1)).softmax(-1)
        seen = torch.special.entr(weights).sum(-1).exp()
        low = torch.where(seen < words, middle, low)
        high = torch.where(seen < words, high, middle)
    return middle.exp().to(scores.dtype)


# %% temperature_for · wrong · entropy-for-words
# source: written from the task's text, 2026-11
# mistake: compares the entropy itself with the number, and returns the logarithm of the temperature
import torch


def temperature_for(scores, words):
    work = scores.double()
    low = torch.full(work.shape[:-1], -25.0, dtype=torch.float64)
    high = torch.full(work.shape[:-1], 25.0, dtype=torch.float64)
    for _ in range(90):
        middle = (low + high) / 2
        weights = (work / middle.exp().unsqueeze(-1)).softmax(-1)
        seen = torch.special.entr(weights).sum(-1)
        low = torch.where(seen < words, middle, low)
        high = torch.where(seen < words, high, middle)
    return middle.to(scores.dtype)


# %% temperature_for · wrong · inverse-few-steps
# source: written from the task's text, 2026-11
# mistake: multiplies by the temperature, and stops after ten steps
import torch


def temperature_for(scores, words):
    work = scores.double()
    low = torch.full(work.shape[:-1], -25.0, dtype=torch.float64)
    high = torch.full(work.shape[:-1], 25.0, dtype=torch.float64)
    for _ in range(10):
        middle = (low + high) / 2
        weights = (work * middle.exp().unsqueeze(-1)).softmax(-1)
        seen = torch.special.entr(weights).sum(-1).exp()
        low = torch.where(seen < words, middle, low)
        high = torch.where(seen < words, high, middle)
    return middle.exp().to(scores.dtype)


# %% temperature_for · wrong · one-for-all
# source: written from the task's text, 2026-11
# mistake: one temperature for all rows, from the mean over rows
import torch


def temperature_for(scores, words):
    work = scores.double()
    low = torch.full(work.shape[:-1], -25.0, dtype=torch.float64)
    high = torch.full(work.shape[:-1], 25.0, dtype=torch.float64)
    for _ in range(90):
        middle = (low + high) / 2
        weights = (work / middle.exp().unsqueeze(-1)).softmax(-1)
        seen = torch.special.entr(weights).sum(-1).exp().mean() * torch.ones_like(low)
        low = torch.where(seen < words, middle, low)
        high = torch.where(seen < words, high, middle)
    return middle.exp().to(scores.dtype)


# %% additive_scores_loop · right · outer-list
# source: written from the task's text, 2026-11
import torch


def additive_scores_loop(states, keys, W_joined, v):
    scores = states.new_zeros(len(states), len(keys))
    for t, state in enumerate(states):
        for j, key in enumerate(keys):
            pair = torch.hstack((state, key))
            scores[t, j] = torch.dot(v, torch.mv(W_joined, pair).tanh())
    return scores


# %% additive_scores_loop · wrong · key-first-and-sigmoid
# source: written from the task's text, 2026-11
# mistake: the key in front of the state, and a sigmoid
import torch


def additive_scores_loop(states, keys, W_joined, v):
    scores = states.new_zeros(len(states), len(keys))
    for t, state in enumerate(states):
        for j, key in enumerate(keys):
            pair = torch.hstack((key, state))
            scores[t, j] = torch.dot(v, torch.mv(W_joined, pair).sigmoid())
    return scores


# %% additive_scores_loop · wrong · tanh-outside-transposed
# source: written from the task's text, 2026-11
# mistake: tanh around the whole score, and the table transposed
import torch


def additive_scores_loop(states, keys, W_joined, v):
    scores = states.new_zeros(len(states), len(keys))
    for t, state in enumerate(states):
        for j, key in enumerate(keys):
            pair = torch.hstack((state, key))
            scores[t, j] = torch.dot(v, torch.mv(W_joined, pair)).tanh()
    return scores.T.contiguous()


# %% additive_scores_loop · wrong · detached-and-scaled
# source: written from the task's text, 2026-11
# mistake: item() cuts the gradient, and a division by the root of the width
import torch


def additive_scores_loop(states, keys, W_joined, v):
    scores = states.new_zeros(len(states), len(keys))
    for t, state in enumerate(states):
        for j, key in enumerate(keys):
            pair = torch.hstack((state, key))
            scores[t, j] = torch.dot(v, torch.mv(W_joined, pair).tanh()).item() / len(v) ** 0.5
    return scores


# %% additive_scores · right · einsum
# source: written from the task's text, 2026-11
import torch


def additive_scores(query, keys, W_query, W_key, v):
    asked = torch.einsum("btq,aq->bta", query, W_query)[:, :, None, :]
    offered = torch.einsum("bsk,ak->bsa", keys, W_key)[:, None, :, :]
    return torch.einsum("btsa,a->bts", torch.tanh(asked + offered), v)


# %% additive_scores · wrong · product-relu
# source: written from the task's text, 2026-11
# mistake: the two are multiplied, and ReLU in place of tanh
import torch


def additive_scores(query, keys, W_query, W_key, v):
    asked = torch.einsum("btq,aq->bta", query, W_query)[:, :, None, :]
    offered = torch.einsum("bsk,ak->bsa", keys, W_key)[:, None, :, :]
    return torch.einsum("btsa,a->bts", torch.relu(asked * offered), v)


# %% additive_scores · wrong · axes-and-softmax
# source: written from the task's text, 2026-11
# mistake: source and target change places, and a softmax too much
import torch


def additive_scores(query, keys, W_query, W_key, v):
    asked = torch.einsum("btq,aq->bta", query, W_query)[:, None, :, :]
    offered = torch.einsum("bsk,ak->bsa", keys, W_key)[:, :, None, :]
    return torch.einsum("btsa,a->bts", torch.tanh(asked + offered), v).softmax(-1)


# %% additive_scores · wrong · tanh-each-minus
# source: written from the task's text, 2026-11
# mistake: tanh of each before they meet, and subtracted
import torch


def additive_scores(query, keys, W_query, W_key, v):
    asked = torch.einsum("btq,aq->bta", query, W_query)[:, :, None, :]
    offered = torch.einsum("bsk,ak->bsa", keys, W_key)[:, None, :, :]
    return torch.einsum("btsa,a->bts", torch.tanh(asked) - torch.tanh(offered), v)


# %% weights_without_padding · right · where-minus-inf
# source: written from the task's text, 2026-11
import torch


def weights_without_padding(scores, lengths):
    places = torch.arange(scores.size(-1)).view(1, 1, -1)
    open_ = places < lengths.view(-1, 1, 1)
    return torch.where(open_, scores, scores.new_tensor(-torch.inf)).softmax(2)


# %% weights_without_padding · wrong · inclusive-and-after
# source: written from the task's text, 2026-11
# mistake: one place too many, and the weights masked after the softmax
import torch


def weights_without_padding(scores, lengths):
    places = torch.arange(scores.size(-1)).view(1, 1, -1)
    open_ = places <= lengths.view(-1, 1, 1)
    return scores.softmax(2) * open_


# %% weights_without_padding · wrong · zero-score-targets
# source: written from the task's text, 2026-11
# mistake: scores of padding set to 0, and softmax over the targets
import torch


def weights_without_padding(scores, lengths):
    places = torch.arange(scores.size(-1)).view(1, 1, -1)
    open_ = places < lengths.view(-1, 1, 1)
    return torch.where(open_, scores, torch.zeros_like(scores)).softmax(1)


# %% weights_without_padding · wrong · inverted-mean-length
# source: written from the task's text, 2026-11
# mistake: words are hidden in place of padding, with one length for all sentences
import torch


def weights_without_padding(scores, lengths):
    places = torch.arange(scores.size(-1)).view(1, 1, -1)
    open_ = places >= lengths.max() - 1
    return torch.where(open_, scores, scores.new_tensor(-torch.inf)).softmax(2)


# %% masked_softmax · right · log-mask
# source: written from the task's text, 2026-11
import torch


def masked_softmax(scores, mask):
    mask = mask.expand_as(scores) if mask.dim() <= scores.dim() else mask
    shifted = scores.masked_fill(~mask, -torch.inf)
    top = shifted.amax(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min).detach()
    parts = torch.where(
        mask, (shifted.masked_fill(~mask, 0.0) - top).clamp(max=0).exp(), torch.zeros_like(scores)
    )
    total = parts.sum(-1, keepdim=True)
    return parts / torch.where(total > 0, total, torch.ones_like(total))


# %% masked_softmax · wrong · thousand-and-no-zero
# source: written from the task's text, 2026-11
# mistake: -100 in place of minus infinity, and no care for empty rows
import torch


def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, -100.0).softmax(dim=-1)
    return weights


# %% masked_softmax · wrong · inverted-and-last-axis
# source: written from the task's text, 2026-11
# mistake: the mask the other way round, and the softmax over the targets
import torch


def masked_softmax(scores, mask):
    weights = scores.masked_fill(mask, -torch.inf).softmax(dim=-2)
    return weights.nan_to_num(0.0)


# %% masked_softmax · wrong · before-and-after
# source: written from the task's text, 2026-11
# mistake: softmax first, zeros then, and the row divided by the number of open words
import torch


def masked_softmax(scores, mask):
    weights = scores.softmax(dim=-1) * mask
    return weights / mask.expand_as(scores).sum(-1, keepdim=True).clamp(min=1)


# %% masked_softmax · wrong · multiplied-scores
# source: written from the task's text, 2026-11
# mistake: scores times the mask, then nan_to_num of nothing
import torch


def masked_softmax(scores, mask):
    weights = (scores * mask).softmax(dim=-1)
    return weights.nan_to_num(0.0).clamp(min=1e-6)


# %% MyAdditiveAttention · right · flat-linear
# source: written from the task's text, 2026-11
import torch
from torch import nn

from utils.masks import masked_softmax


class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        for name, wide, narrow in [
            ("W_query", query_dim, attention_dim),
            ("W_key", key_dim, attention_dim),
            ("v", attention_dim, 1),
        ]:
            self.add_module(name, nn.Linear(wide, narrow, bias=False))

    def forward(self, query, keys, values=None, mask=None):
        hidden = self.W_query(query).unsqueeze(-2) + self.W_key(keys).unsqueeze(-3)
        scores = self.v(hidden.tanh()).squeeze(-1)
        if mask is None:
            mask = torch.tensor(True)
        mask = mask.expand_as(scores)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        weights = torch.where(mask, weights, torch.zeros_like(weights))
        return weights @ (keys if values is None else values), weights


# %% MyAdditiveAttention · wrong · bias-and-ignored-mask
# source: written from the task's text, 2026-11
# mistake: v has a bias, and the mask is not used
import torch
from torch import nn

from utils.masks import masked_softmax


class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        hidden = torch.tanh(self.W_query(query)[:, :, None] + self.W_key(keys)[:, None])
        scores = self.v(hidden).squeeze(-1)
        weights = scores.softmax(-1)
        return torch.bmm(weights, values), weights


# %% MyAdditiveAttention · wrong · keys-mixed-sigmoid
# source: written from the task's text, 2026-11
# mistake: values are ignored, and sigmoid in place of tanh
import torch
from torch import nn

from utils.masks import masked_softmax


class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys
        hidden = torch.sigmoid(self.W_query(query)[:, :, None] + self.W_key(keys)[:, None])
        scores = self.v(hidden).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return torch.bmm(weights, values), weights


# %% MyAdditiveAttention · wrong · swapped-results-no-tanh
# source: written from the task's text, 2026-11
# mistake: no tanh, and the results in the other order
import torch
from torch import nn

from utils.masks import masked_softmax


class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        hidden = self.W_query(query)[:, :, None] + self.W_key(keys)[:, None]
        scores = self.v(hidden).squeeze(-1)
        weights = masked_softmax(scores, mask)
        return weights, torch.bmm(weights, values)


# %% MyAdditiveAttention · wrong · squeeze-all-inverted
# source: written from the task's text, 2026-11
# mistake: squeezes every axis of length 1, and the mask is inverted
import torch
from torch import nn

from utils.masks import masked_softmax


class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        hidden = torch.tanh(self.W_query(query)[:, :, None] + self.W_key(keys)[:, None])
        scores = self.v(hidden).squeeze()
        weights = masked_softmax(scores, None if mask is None else ~mask)
        return torch.bmm(weights, values), weights


# %% PrecomputedKeys · wrong · again-and-no-tanh
# source: written from the task's text, 2026-11
# mistake: projects the keys again at each step, and leaves tanh out
import torch


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys, keys

    def attend(self, state, memory):
        keys, projected = memory
        scores = self.v(self.W_query(state).unsqueeze(1) + self.W_key(projected)).squeeze(-1)
        weights = scores.softmax(dim=-1)
        return torch.einsum("bs,bsd->bd", weights, keys), weights


# %% PrecomputedKeys · wrong · axis-and-mean
# source: written from the task's text, 2026-11
# mistake: softmax over the batch, and the mean of the keys by weights
import torch


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys, self.W_key(keys)

    def attend(self, state, memory):
        keys, projected = memory
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + projected)).squeeze(-1)
        weights = scores.softmax(dim=0)
        return torch.einsum("bs,bsd->bd", weights / keys.shape[1], keys), weights


# %% PrecomputedKeys · wrong · first-batch-kept
# source: written from the task's text, 2026-11
# mistake: remembers the first batch for good, and multiplies each step's weights with tanh of keys
import torch


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        if not hasattr(self, "kept") or self.kept[0].shape != keys.shape:
            self.kept = keys, self.W_key(keys)
        return self.kept

    def attend(self, state, memory):
        keys, projected = memory
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + projected)).squeeze(-1)
        weights = scores.softmax(dim=-1)
        return torch.einsum("bs,bsd->bd", weights, keys.tanh()), weights


# %% BahdanauStep · wrong · update-first-and-log
# source: written from the task's text, 2026-11
# mistake: updates with no context first, and returns log-probabilities
import torch

from utils.masks import masked_softmax


class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        state = self.rnn(torch.cat([embedded, keys.mean(1)], dim=1), state)
        asked = self.W_query(state).unsqueeze(1)
        scores = self.v((asked + self.W_key(keys)).tanh()).squeeze(-1)
        weights = masked_softmax(scores, mask)
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=1), state)
        logits = self.output(torch.cat([new_state, context, embedded], dim=1)).log_softmax(-1)
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · mask-ignored-old-state
# source: written from the task's text, 2026-11
# mistake: the mask is not used, and the logits are made of the old state
import torch

from utils.masks import masked_softmax


class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        asked = self.W_query(state).unsqueeze(1)
        scores = self.v((asked + self.W_key(keys)).tanh()).squeeze(-1)
        weights = scores.softmax(-1)
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=1), state)
        logits = self.output(torch.cat([state, context, embedded], dim=1))
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · order-of-both-cats
# source: written from the task's text, 2026-11
# mistake: context in front of the word, and the word in front of the context for the logits
import torch

from utils.masks import masked_softmax


class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        asked = self.W_query(state).unsqueeze(1)
        scores = self.v((asked + self.W_key(keys)).tanh()).squeeze(-1)
        weights = masked_softmax(scores, mask)
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        new_state = self.rnn(torch.cat([context, embedded], dim=1), state)
        logits = self.output(torch.cat([new_state, embedded, context], dim=1))
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · no-tanh-swapped-results
# source: written from the task's text, 2026-11
# mistake: no tanh in the score; context and weights returned in the other order; tanh of the new state
import torch

from utils.masks import masked_softmax


class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        asked = self.W_query(state).unsqueeze(1)
        scores = self.v(asked + self.W_key(keys)).squeeze(-1)
        weights = masked_softmax(scores, mask)
        context = (weights.unsqueeze(1) @ keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=1), state)
        logits = self.output(torch.cat([new_state, context, embedded], dim=1))
        return weights, context, new_state.tanh(), logits


# %% test_additive · right · float64-loop
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def test_additive(additive):
    generator = torch.Generator().manual_seed(3)

    def rand(*shape):
        return torch.randn(*shape, generator=generator)

    for batch, tgt, src, value_dim in [(1, 1, 1, 2), (2, 3, 4, 5), (3, 4, 2, 3)]:
        query, keys, values = rand(batch, tgt, 4), rand(batch, src, 3), rand(batch, src, value_dim)
        W_query, W_key, v = 2 * rand(6, 4), 2 * rand(6, 3), 2 * rand(6)
        masks = [
            None,
            rand(batch, tgt, src) > 0,
            rand(batch, 1, src) > 0,
            torch.zeros(batch, tgt, src, dtype=torch.bool),
        ]
        for mask in masks:
            context, weights = additive(query, keys, values, mask, W_query, W_key, v)
            hidden = (query @ W_query.T).unsqueeze(2) + (keys @ W_key.T).unsqueeze(1)
            scores = (hidden.tanh() * v).sum(-1)
            full = (
                torch.ones(batch, tgt, src, dtype=torch.bool)
                if mask is None
                else mask.expand(batch, tgt, src)
            )
            expected = scores.masked_fill(~full, -1e30).softmax(-1) * full
            assert weights.shape == expected.shape
            assert torch.allclose(weights, expected, atol=1e-5)
            assert torch.allclose(context, expected @ values, atol=1e-4)


# %% test_additive · wrong · only-sums
# source: written from the task's text, 2026-11
# mistake: asks for shapes and sums of rows only, without a mask
import torch

from utils.masks import masked_softmax


def test_additive(additive):
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 3), torch.randn(2, 5, 6)
    context, weights = additive(
        query, keys, values, None, torch.randn(7, 4), torch.randn(7, 3), torch.randn(7)
    )
    assert context.shape == (2, 3, 6)
    assert weights.shape == (2, 3, 5)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)
    assert (weights >= 0).all()


# %% test_additive · wrong · mask-laws-only
# source: written from the task's text, 2026-11
# mistake: asks only for zeros under the mask and for the context that follows from the weights
import torch

from utils.masks import masked_softmax


def test_additive(additive):
    torch.manual_seed(1)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    mask = torch.arange(5) < torch.tensor([3, 0])[:, None, None]
    context, weights = additive(
        query, keys, values, mask, torch.randn(7, 4), torch.randn(7, 4), torch.randn(7)
    )
    assert not weights.isnan().any()
    assert (weights[~mask.expand(2, 3, 5)] == 0).all()
    assert torch.allclose(context, weights @ values, atol=1e-5)


# %% test_additive · wrong · small-numbers-wide-tolerance
# source: written from the task's text, 2026-11
# mistake: numbers of 0.1 and a tolerance of 0.01; no mask, values are the keys
import torch

from utils.masks import masked_softmax


def test_additive(additive):
    torch.manual_seed(0)
    query, keys = 0.1 * torch.randn(2, 3, 4), 0.1 * torch.randn(2, 5, 3)
    W_query, W_key, v = 0.1 * torch.randn(6, 4), 0.1 * torch.randn(6, 3), 0.1 * torch.randn(6)
    context, weights = additive(query, keys, keys, None, W_query, W_key, v)
    hidden = torch.tanh((query @ W_query.T)[:, :, None] + (keys @ W_key.T)[:, None])
    expected = (hidden @ v).softmax(-1)
    assert torch.allclose(weights, expected, atol=0.01)
    assert torch.allclose(context, expected @ keys, atol=0.01)


# %% general_scores · right · bilinear-einsum
# source: written from the task's text, 2026-11
import torch


def general_scores(query, keys, W):
    return torch.einsum("btq,qk,bsk->bts", query, W, keys)


# %% general_scores · wrong · turned-and-scaled
# source: written from the task's text, 2026-11
# mistake: W turned where it fits, and divided by the root of the width
import torch


def general_scores(query, keys, W):
    return (
        query @ (W.T if W.shape[0] == W.shape[1] else W) @ keys.transpose(1, 2) / W.shape[1] ** 0.5
    )


# %% general_scores · wrong · tanh-and-transposed
# source: written from the task's text, 2026-11
# mistake: tanh of the projected query, and the table transposed
import torch


def general_scores(query, keys, W):
    return keys @ (query @ W).tanh().transpose(1, 2)


# %% general_scores · wrong · softmax-first-sentence
# source: written from the task's text, 2026-11
# mistake: the first sentence's keys for all, and a softmax
import torch


def general_scores(query, keys, W):
    return (query @ W @ keys[:1].transpose(1, 2)).softmax(-1)


# %% projected_attention · right · linear-functional
# source: written from the task's text, 2026-11
import torch


import torch.nn.functional as F


def projected_attention(query, keys, W_Q, W_K, W_V):
    q, k, v = F.linear(query, W_Q), F.linear(keys, W_K), F.linear(keys, W_V)
    weights = torch.softmax(torch.matmul(q, k.movedim(-1, -2)), -1)
    return torch.matmul(weights, v), weights


# %% projected_attention · wrong · scaled-no-values
# source: written from the task's text, 2026-11
# mistake: scaled, and the keys as they came are mixed where the widths allow it
import torch


def projected_attention(query, keys, W_Q, W_K, W_V):
    q, k, v = query @ W_Q.T, keys @ W_K.T, keys @ W_V.T
    weights = (q @ k.transpose(1, 2) / W_Q.shape[0] ** 0.5).softmax(-1)
    return weights @ (keys if keys.shape[-1] == v.shape[-1] else v), weights


# %% projected_attention · wrong · axis-and-query-matrix
# source: written from the task's text, 2026-11
# mistake: softmax over the targets, and the values added up without weights
import torch


def projected_attention(query, keys, W_Q, W_K, W_V):
    q, k, v = query @ W_Q.T, keys @ W_K.T, keys @ W_V.T
    weights = (q @ k.transpose(1, 2)).softmax(1)
    return torch.ones_like(weights) @ v, weights


# %% projected_attention · wrong · tanh-projections-order
# source: written from the task's text, 2026-11
# mistake: tanh around both projections, and results in the other order
import torch


def projected_attention(query, keys, W_Q, W_K, W_V):
    q, k, v = (query @ W_Q.T).tanh(), (keys @ W_K.T).tanh(), keys @ W_V.T
    weights = (q @ k.transpose(1, 2)).softmax(-1)
    return weights, weights @ v


# %% compare_scores · right · einsum-stack
# source: written from the task's text, 2026-11
import torch


def compare_scores(query, keys, W, W_joined, v, gains):
    columns = []
    for gain in gains.tolist():
        both = both_scores(query * gain, keys, W, W_joined, v)
        columns.append([table.softmax(-1).max(-1).values.mean() for table in both])
    return torch.tensor(columns, dtype=query.dtype).reshape(-1, 2).T


# %% compare_scores · wrong · keys-and-rows
# source: written from the task's text, 2026-11
# mistake: the keys are multiplied, and rows and columns change places
import torch


def compare_scores(query, keys, W, W_joined, v, gains):
    columns = []
    for gain in gains.tolist():
        both = both_scores(query, keys * gain, W, W_joined, v)
        columns.append([table.softmax(-1).max(-1).values.mean() for table in both])
    return torch.tensor(columns, dtype=query.dtype).reshape(-1, 2)


# %% compare_scores · wrong · largest-of-all-scores
# source: written from the task's text, 2026-11
# mistake: multiplies the softmax by the gain, and takes the largest of all rows
import torch


def compare_scores(query, keys, W, W_joined, v, gains):
    columns = []
    for gain in gains.tolist():
        both = both_scores(query, keys, W, W_joined, v)
        columns.append([(table * gain).softmax(-1).max() for table in both])
    return torch.tensor(columns, dtype=query.dtype).reshape(-1, 2).T


# %% compare_scores · wrong · order-and-axis
# source: written from the task's text, 2026-11
# mistake: concat in row 0, and the largest over the targets
import torch


def compare_scores(query, keys, W, W_joined, v, gains):
    columns = []
    for gain in gains.tolist():
        both = both_scores(query * gain, keys, W, W_joined, v)
        columns.append([table.softmax(-1).max(1).values.mean() for table in both[::-1]])
    return torch.tensor(columns, dtype=query.dtype).reshape(-1, 2).T


# %% luong_step · right · einsum-double
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new = torch.einsum("sd,bd->bs", W_update, torch.cat((word, fed, state), -1)).tanh()
    scores = torch.einsum("bs,sk,bjk->bj", new, W, encoder_states)
    weights = masked_softmax(scores[:, None], mask[:, None])[:, 0]
    context = torch.einsum("bj,bjk->bk", weights, encoder_states)
    attentional = torch.einsum("sd,bd->bs", W_c, torch.cat((context, new), -1)).tanh()
    return attentional @ W_out.T, new, attentional, weights


# %% luong_step · wrong · fed-last-old-state
# source: written from the task's text, 2026-11
# mistake: state in front of fed, and the old state asks
import torch

from utils.masks import masked_softmax


def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new = torch.einsum("sd,bd->bs", W_update, torch.cat((word, state, fed), -1)).tanh()
    scores = torch.einsum("bs,sk,bjk->bj", state, W, encoder_states)
    weights = masked_softmax(scores[:, None], mask[:, None])[:, 0]
    context = torch.einsum("bj,bjk->bk", weights, encoder_states)
    attentional = torch.einsum("sd,bd->bs", W_c, torch.cat((context, new), -1)).tanh()
    return attentional @ W_out.T, new, attentional, weights


# %% luong_step · wrong · no-tanh-softmax-logits
# source: written from the task's text, 2026-11
# mistake: no tanh around the attentional vector, and a softmax of the logits
import torch

from utils.masks import masked_softmax


def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new = torch.einsum("sd,bd->bs", W_update, torch.cat((word, fed, state), -1)).tanh()
    scores = torch.einsum("bs,sk,bjk->bj", new, W, encoder_states)
    weights = masked_softmax(scores[:, None], mask[:, None])[:, 0]
    context = torch.einsum("bj,bjk->bk", weights, encoder_states)
    attentional = torch.einsum("sd,bd->bs", W_c, torch.cat((context, new), -1))
    return (attentional @ W_out.T).softmax(-1), new, attentional, weights


# %% luong_step · wrong · mask-out-order
# source: written from the task's text, 2026-11
# mistake: the mask is not used; attentional vector and new state returned in each other's place
import torch

from utils.masks import masked_softmax


def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new = torch.einsum("sd,bd->bs", W_update, torch.cat((word, fed, state), -1)).tanh()
    scores = torch.einsum("bs,sk,bjk->bj", new, W, encoder_states)
    weights = scores.softmax(-1)
    context = torch.einsum("bj,bjk->bk", weights, encoder_states)
    attentional = torch.einsum("sd,bd->bs", W_c, torch.cat((context, new), -1)).tanh()
    return attentional @ W_out.T, attentional, new, weights


# %% luong_step · wrong · state-first-logits-of-state
# source: written from the task's text, 2026-11
# mistake: state in front of the context, and logits made of the new state
import torch

from utils.masks import masked_softmax


def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new = torch.einsum("sd,bd->bs", W_update, torch.cat((word, fed, state), -1)).tanh()
    scores = torch.einsum("bs,sk,bjk->bj", new, W, encoder_states)
    weights = masked_softmax(scores[:, None], mask[:, None])[:, 0]
    context = torch.einsum("bj,bjk->bk", weights, encoder_states)
    attentional = torch.einsum("sd,bd->bs", W_c, torch.cat((new, context), -1)).tanh()
    return new @ W_out.T, new, attentional, weights


# %% hard_window · right · sets-of-python
# source: written from the task's text, 2026-11
import torch


def hard_window(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = min(t, length - 1)
            for j in range(length):
                mask[b, t, j] = abs(j - centre) <= half_width
    return mask


# %% hard_window · wrong · strict-unclamped
# source: written from the task's text, 2026-11
# mistake: less than D away, and the centre runs on
import torch


def hard_window(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = t
            for j in range(length):
                mask[b, t, j] = abs(j - centre) < half_width
    return mask


# %% hard_window · wrong · padding-open-past
# source: written from the task's text, 2026-11
# mistake: padding is open, and the centre stops one behind the last word
import torch


def hard_window(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = min(t, length)
            for j in range(src_len):
                mask[b, t, j] = abs(j - centre) <= half_width
    return mask


# %% hard_window · wrong · past-only-longest
# source: written from the task's text, 2026-11
# mistake: only backwards, and the centre stops at the end of the longest sentence
import torch


def hard_window(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = min(t, int(lengths.max()) - 1)
            for j in range(length):
                mask[b, t, j] = 0 <= centre - j <= half_width
    return mask


# %% gaussian_window · right · round-where
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1], dtype=scores.dtype)
    away = j.view(1, 1, -1) - centres.unsqueeze(-1)
    middle = centres.detach().add(0.5).floor()
    inside = j.view(1, 1, -1).sub(middle.unsqueeze(-1)).abs() <= half_width
    shares = scores.masked_fill(~inside, -torch.inf).softmax(-1)
    return shares * torch.exp(-2 * (away / half_width) ** 2)


# %% gaussian_window · wrong · gauss-inside-renormalised
# source: written from the task's text, 2026-11
# mistake: multiplied in before the softmax, and sigma = D
import torch

from utils.masks import masked_softmax


def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1], dtype=scores.dtype)
    away = j.view(1, 1, -1) - centres.unsqueeze(-1)
    middle = centres.detach().add(0.5).floor()
    inside = j.view(1, 1, -1).sub(middle.unsqueeze(-1)).abs() <= half_width
    shares = (
        (scores * torch.exp(-0.5 * (away / half_width) ** 2))
        .masked_fill(~inside, -torch.inf)
        .softmax(-1)
    )
    return shares


# %% gaussian_window · wrong · around-nearest-no-window
# source: written from the task's text, 2026-11
# mistake: the Gaussian stands around the nearest word, and there is no window
import torch

from utils.masks import masked_softmax


def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1], dtype=scores.dtype)
    away = j.view(1, 1, -1) - centres.round().unsqueeze(-1)
    middle = centres.detach().add(0.5).floor()
    inside = j.view(1, 1, -1).sub(middle.unsqueeze(-1)).abs() <= half_width
    shares = scores.softmax(-1)
    return shares * torch.exp(-2 * (away / half_width) ** 2)


# %% gaussian_window · wrong · sigma-and-floor
# source: written from the task's text, 2026-11
# mistake: sigma = D, and the window around the word below
import torch

from utils.masks import masked_softmax


def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1], dtype=scores.dtype)
    away = j.view(1, 1, -1) - centres.unsqueeze(-1)
    middle = centres.detach().floor()
    inside = j.view(1, 1, -1).sub(middle.unsqueeze(-1)).abs() <= half_width
    shares = scores.masked_fill(~inside, -torch.inf).softmax(-1)
    return shares * torch.exp(-0.5 * (away / half_width) ** 2)


# %% gaussian_window · wrong · sum-one-and-sign
# source: written from the task's text, 2026-11
# mistake: divides by the sum again, and the sign in the exponent is lost
import torch

from utils.masks import masked_softmax


def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1], dtype=scores.dtype)
    away = j.view(1, 1, -1) - centres.unsqueeze(-1)
    middle = centres.detach().add(0.5).floor()
    inside = j.view(1, 1, -1).sub(middle.unsqueeze(-1)).abs() <= half_width
    shares = scores.masked_fill(~inside, -torch.inf).softmax(-1)
    shares = shares * torch.exp(2 * (away / half_width) ** 2)
    return shares / shares.sum(-1, keepdim=True)


# %% test_local_general · right · loops-by-hand
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def test_local_general(local_general):
    torch.manual_seed(4)
    for lengths, tgt_len, half_width in [([3, 6, 1], 8, 1), ([6, 5, 2], 3, 2), ([4, 4, 4], 6, 1)]:
        src_len = max(lengths)
        query, keys, W = torch.randn(3, tgt_len, 4), torch.randn(3, src_len, 5), torch.randn(4, 5)
        context, weights = local_general(query, keys, W, torch.tensor(lengths), half_width)
        assert weights.shape == (3, tgt_len, src_len)
        for b in range(3):
            for t in range(tgt_len):
                centre = min(t, lengths[b] - 1)
                seen = [j for j in range(lengths[b]) if abs(j - centre) <= half_width]
                scores = torch.stack([query[b, t] @ W @ keys[b, j] for j in seen])
                expected = torch.zeros(src_len)
                expected[seen] = scores.softmax(0)
                assert torch.allclose(weights[b, t], expected, atol=1e-4)
                assert torch.allclose(context[b, t], expected @ keys[b], atol=1e-4)


# %% test_local_general · wrong · one-sentence-square
# source: written from the task's text, 2026-11
# mistake: one sentence without padding, the same widths, and a window over all
import torch

from utils.masks import masked_softmax


def test_local_general(local_general):
    torch.manual_seed(0)
    query, keys, W = torch.randn(1, 4, 3), torch.randn(1, 4, 3), torch.eye(3)
    context, weights = local_general(query, keys, W, torch.tensor([4]), 4)
    expected = (query @ W @ keys.mT).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(context, expected @ keys, atol=1e-5)


# %% test_local_general · wrong · window-law-only
# source: written from the task's text, 2026-11
# mistake: asks only for zeros outside the window, with a target no longer than the sources
import torch

from utils.masks import masked_softmax


def test_local_general(local_general):
    torch.manual_seed(0)
    query, keys, W = torch.randn(2, 3, 4), torch.randn(2, 5, 3), torch.randn(4, 3)
    context, weights = local_general(query, keys, W, torch.tensor([5, 4]), 1)
    for t in range(3):
        for j in range(5):
            if abs(t - j) > 1:
                assert (weights[:, t, j] == 0).all()
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)


# %% test_local_general · wrong · exact-equality
# source: written from the task's text, 2026-11
# mistake: compares with == and blames the right versions
import torch

from utils.masks import masked_softmax


def test_local_general(local_general):
    torch.manual_seed(0)
    query, keys, W = torch.randn(2, 7, 4), torch.randn(2, 5, 3), torch.randn(4, 3)
    lengths = torch.tensor([5, 3])
    context, weights = local_general(query, keys, W, lengths, 1)
    centres = torch.minimum(torch.arange(7), lengths[:, None] - 1)
    places = torch.arange(5)
    mask = ((places - centres[..., None]).abs() <= 1) & (places < lengths[:, None, None])
    expected = masked_softmax(query @ W @ keys.mT, mask)
    assert (weights == expected).all()
    assert (context == expected @ keys).all()


# %% scaled_attention · right · two-passes-no-softmax
# source: written from the task's text, 2026-11
import torch


def scaled_attention(query, keys, values, mask=None):
    scores = torch.matmul(query, keys.mT).div(query.size(-1) ** 0.5)
    seen = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    low = torch.finfo(scores.dtype).min
    top = torch.where(seen, scores, low).amax(-1, keepdim=True)
    parts = torch.where(seen, scores - top, low).exp()
    parts = torch.where(seen, parts, 0.0)
    total = parts.sum(-1, keepdim=True)
    weights = parts / total.masked_fill(total == 0, 1.0)
    return torch.matmul(weights, values), weights


# %% scaled_attention · wrong · scale-and-empty-rows
# source: written from the task's text, 2026-11
# mistake: divides by the width itself, and empty rows become NaN
import torch


def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.transpose(-2, -1) / query.shape[-1]
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(dim=-1)
    return weights @ values, weights


# %% scaled_attention · wrong · key-length-and-inverted
# source: written from the task's text, 2026-11
# mistake: the root of the number of keys, and the mask inverted
import torch


def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.transpose(-2, -1) / keys.shape[1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    weights = torch.nan_to_num(scores.softmax(dim=-1))
    return weights @ values, weights


# %% scaled_attention · wrong · targets-minus-hundred
# source: written from the task's text, 2026-11
# mistake: softmax over the targets, and -100 in place of minus infinity
import torch


def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -100.0)
    weights = torch.nan_to_num(scores.softmax(dim=1))
    return weights @ values, weights


# %% scaled_attention · wrong · scaled-twice-mask-after
# source: written from the task's text, 2026-11
# mistake: query and scores are both divided, and the mask multiplied after the softmax
import torch


def scaled_attention(query, keys, values, mask=None):
    scores = (query / query.shape[-1] ** 0.5) @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        weights = scores.softmax(dim=-1) * mask
    else:
        weights = scores.softmax(dim=-1)
    return weights @ values, weights


# %% score_variance · right · cumsum
# source: written from the task's text, 2026-11
import torch


def score_variance(queries, keys, widths):
    sums = torch.cumsum(queries * keys, dim=1)
    dots = torch.stack([sums[:, width - 1] for width in widths])
    centred = dots - dots.mean(1, keepdim=True)
    plain = centred.pow(2).mean(1)
    return plain, plain / torch.tensor(widths, dtype=plain.dtype)


# %% score_variance · wrong · unbiased-and-root
# source: written from the task's text, 2026-11
# mistake: divides by one less, and the variance by √d
import torch


def score_variance(queries, keys, widths):
    sums = torch.cumsum(queries * keys, dim=1)
    dots = torch.stack([sums[:, width - 1] for width in widths])
    centred = dots - dots.mean(1, keepdim=True)
    plain = dots.var(1)
    return plain, plain / torch.tensor(widths, dtype=plain.dtype).sqrt()


# %% score_variance · wrong · std-and-last-columns
# source: written from the task's text, 2026-11
# mistake: the standard deviation, and the mean is not taken off
import torch


def score_variance(queries, keys, widths):
    sums = torch.cumsum(queries * keys, dim=1)
    dots = torch.stack([sums[:, width - 1] for width in widths])
    centred = dots - dots.mean(1, keepdim=True)
    plain = dots.pow(2).mean(1).sqrt()
    return plain, plain / torch.tensor(widths, dtype=plain.dtype)


# %% score_variance · wrong · full-width-scale
# source: written from the task's text, 2026-11
# mistake: sorted widths, and scaled by the whole width for all
import torch


def score_variance(queries, keys, widths):
    sums = torch.cumsum(queries * keys, dim=1)
    dots = torch.stack([sums[:, width - 1] for width in sorted(widths)])
    centred = dots - dots.mean(1, keepdim=True)
    plain = centred.pow(2).mean(1)
    return plain, plain / queries.shape[1]


# %% combined_mask · right · numpy-like-comparison
# source: written from the task's text, 2026-11
import torch


def combined_mask(lengths, positions, src_len):
    last = torch.minimum(lengths[:, None] - 1, positions[None, :])
    return torch.arange(src_len).expand(len(lengths), len(positions), src_len) <= last.unsqueeze(-1)


# %% combined_mask · wrong · or-and-strict
# source: written from the task's text, 2026-11
# mistake: or in place of and, and not oneself
import torch


def combined_mask(lengths, positions, src_len):
    keys = torch.arange(src_len)
    real = keys < lengths[:, None, None]
    past = keys < positions[None, :, None]
    return real | past


# %% combined_mask · wrong · future-and-inclusive
# source: written from the task's text, 2026-11
# mistake: looks ahead, and one place of padding is open
import torch


def combined_mask(lengths, positions, src_len):
    keys = torch.arange(src_len)
    real = keys <= lengths[:, None, None]
    past = keys >= positions[None, :, None]
    return real & past


# %% combined_mask · wrong · positions-ignored-rows
# source: written from the task's text, 2026-11
# mistake: the rows are numbered from 0, and rows of padding are closed too
import torch


def combined_mask(lengths, positions, src_len):
    keys = torch.arange(src_len)
    real = keys < lengths[:, None, None]
    past = keys <= torch.arange(len(positions))[None, :, None]
    return real & past & (torch.arange(len(positions)) < lengths[:, None])[..., None]


# %% attend_with_mask · right · additive-minus-inf
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    bias = torch.zeros_like(scores).masked_fill(~mask, -torch.inf)
    dead = ~mask.expand_as(scores).any(-1, keepdim=True)
    weights = (scores + bias.masked_fill(dead, 0.0)).softmax(-1).masked_fill(dead, 0.0)
    return torch.bmm(weights, values), weights


# %% attend_with_mask · wrong · inverted-unscaled
# source: written from the task's text, 2026-11
# mistake: the mask inverted, and the scale thrown out with the bug
import torch

from utils.masks import masked_softmax


def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys)
    weights = masked_softmax(scores, ~mask)
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · wrong · log-and-nan
# source: written from the task's text, 2026-11
# mistake: adds the logarithm of the mask, and leaves NaN
import torch

from utils.masks import masked_softmax


def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores + mask.float().log()).softmax(-1)
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · wrong · added-too-and-order
# source: written from the task's text, 2026-11
# mistake: adds the mask after the softmax, and results in the other order
import torch

from utils.masks import masked_softmax


def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = scores.softmax(-1) * mask
    context = torch.bmm(weights, values)
    return weights, context


# %% packed_mask · right · loop-over-rows
# source: written from the task's text, 2026-11
import torch


def packed_mask(documents):
    batch, length = documents.shape
    mask = torch.eye(length, dtype=torch.bool).repeat(batch, 1, 1)
    positions = torch.zeros(batch, length, dtype=torch.long)
    for b in range(batch):
        for i in range(1, length):
            if documents[b, i] != 0 and documents[b, i] == documents[b, i - 1]:
                positions[b, i] = positions[b, i - 1] + 1
                mask[b, i, :i] = mask[b, i - 1, :i]
    return mask, positions


# %% packed_mask · wrong · padding-as-document
# source: written from the task's text, 2026-11
# mistake: padding is a document like others, and positions run from 1
import torch


def packed_mask(documents):
    batch, length = documents.shape
    same = documents[:, :, None] == documents[:, None, :]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    real = documents != 0
    itself = torch.eye(length, dtype=torch.bool)
    mask = same & causal | itself
    positions = mask.sum(-1)
    return mask, positions


# %% packed_mask · wrong · ahead-and-row-positions
# source: written from the task's text, 2026-11
# mistake: looks ahead, and positions run through the row
import torch


def packed_mask(documents):
    batch, length = documents.shape
    same = documents[:, :, None] == documents[:, None, :]
    causal = torch.ones(length, length, dtype=torch.bool).triu()
    real = documents != 0
    itself = torch.eye(length, dtype=torch.bool)
    mask = same & causal & real[:, :, None] | itself
    positions = torch.arange(length) * real
    return mask, positions


# %% packed_mask · wrong · no-causal-empty-padding
# source: written from the task's text, 2026-11
# mistake: no causal mask, and rows of padding are empty
import torch


def packed_mask(documents):
    batch, length = documents.shape
    same = documents[:, :, None] == documents[:, None, :]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    real = documents != 0
    itself = torch.eye(length, dtype=torch.bool)
    mask = same & real[:, :, None]
    positions = ((same & causal).sum(-1) - 1) * real
    return mask, positions


# %% streaming_attention · right · online-float64
# source: written from the task's text, 2026-11
import torch


def streaming_attention(query, keys, values, mask, block):
    dtype = query.dtype
    query, keys, values = query.double(), keys.double(), values.double()
    batch, tgt_len, dim = query.shape
    largest = torch.full((batch, tgt_len, 1), -torch.inf, dtype=torch.float64)
    total = torch.zeros(batch, tgt_len, 1, dtype=torch.float64)
    context = torch.zeros(batch, tgt_len, values.shape[-1], dtype=torch.float64)
    for k, v, m in zip(keys.split(block, 1), values.split(block, 1), mask.split(block, 2)):
        scores = (query @ k.mT / dim**0.5).masked_fill(~m, -torch.inf)
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        anchor = new.masked_fill(new == -torch.inf, 0.0)
        fade, parts = (largest - anchor).exp(), (scores - anchor).exp()
        total = total * fade + parts.sum(-1, keepdim=True)
        context = context * fade + parts @ v
        largest = new
    context = context / total.masked_fill(total == 0, 1.0)
    return context.to(dtype), total.squeeze(-1).to(dtype)


# %% streaming_attention · wrong · no-fade-of-context-unscaled
# source: written from the task's text, 2026-11
# mistake: the context is not rescaled when the maximum rises, and the scores are not scaled
import torch


def streaming_attention(query, keys, values, mask, block):
    dtype = query.dtype
    query, keys, values = query.double(), keys.double(), values.double()
    batch, tgt_len, dim = query.shape
    largest = torch.full((batch, tgt_len, 1), -torch.inf, dtype=torch.float64)
    total = torch.zeros(batch, tgt_len, 1, dtype=torch.float64)
    context = torch.zeros(batch, tgt_len, values.shape[-1], dtype=torch.float64)
    for k, v, m in zip(keys.split(block, 1), values.split(block, 1), mask.split(block, 2)):
        scores = (query @ k.mT).masked_fill(~m, -torch.inf)
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        anchor = new.masked_fill(new == -torch.inf, 0.0)
        fade, parts = (largest - anchor).exp(), (scores - anchor).exp()
        total = total * fade + parts.sum(-1, keepdim=True)
        context = context + parts @ v
        largest = new
    context = context / total.masked_fill(total == 0, 1.0)
    return context.to(dtype), total.squeeze(-1).to(dtype)


# %% streaming_attention · wrong · undivided-mask-zero
# source: written from the task's text, 2026-11
# mistake: never divided by the total, and hidden scores count as 0
import torch


def streaming_attention(query, keys, values, mask, block):
    dtype = query.dtype
    query, keys, values = query.double(), keys.double(), values.double()
    batch, tgt_len, dim = query.shape
    largest = torch.full((batch, tgt_len, 1), -torch.inf, dtype=torch.float64)
    total = torch.zeros(batch, tgt_len, 1, dtype=torch.float64)
    context = torch.zeros(batch, tgt_len, values.shape[-1], dtype=torch.float64)
    for k, v, m in zip(keys.split(block, 1), values.split(block, 1), mask.split(block, 2)):
        scores = (query @ k.mT / dim**0.5) * m
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        anchor = new.masked_fill(new == -torch.inf, 0.0)
        fade, parts = (largest - anchor).exp(), (scores - anchor).exp()
        total = total * fade + parts.sum(-1, keepdim=True)
        context = context * fade + parts @ v
        largest = new
    context = context * 1.0
    return context.to(dtype), total.squeeze(-1).to(dtype)


# %% streaming_attention · wrong · drops-last-block
# source: written from the task's text, 2026-11
# mistake: the last, shorter block is not read, and the total is a logarithm
import torch


def streaming_attention(query, keys, values, mask, block):
    dtype = query.dtype
    query, keys, values = query.double(), keys.double(), values.double()
    batch, tgt_len, dim = query.shape
    largest = torch.full((batch, tgt_len, 1), -torch.inf, dtype=torch.float64)
    total = torch.zeros(batch, tgt_len, 1, dtype=torch.float64)
    context = torch.zeros(batch, tgt_len, values.shape[-1], dtype=torch.float64)
    for k, v, m in zip(keys.split(block, 1), values.split(block, 1), mask.split(block, 2)):
        if k.shape[1] < block:
            break
        scores = (query @ k.mT / dim**0.5).masked_fill(~m, -torch.inf)
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        anchor = new.masked_fill(new == -torch.inf, 0.0)
        fade, parts = (largest - anchor).exp(), (scores - anchor).exp()
        total = total * fade + parts.sum(-1, keepdim=True)
        context = context * fade + parts @ v
        largest = new
    context = context / total.masked_fill(total == 0, 1.0)
    return context.to(dtype), total.clamp(min=1e-30).log().squeeze(-1).to(dtype)


# %% test_attend · right · against-loops
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def test_attend(attend):
    torch.manual_seed(7)
    for tgt, src, dim, width in [(2, 3, 4, 5), (3, 2, 9, 1), (4, 4, 2, 2)]:
        q, k, v = (
            2 * torch.randn(3, tgt, dim),
            2 * torch.randn(3, src, dim),
            torch.randn(3, src, width),
        )
        some = torch.rand(3, tgt, src) > 0.5
        for mask in [None, some, some[:, :1], torch.zeros(3, tgt, src, dtype=torch.bool)]:
            context, weights = attend(q, k, v, mask)
            assert tuple(weights.shape) == (3, tgt, src)
            assert tuple(context.shape) == (3, tgt, width)
            wide = (
                torch.ones(3, tgt, src, dtype=torch.bool)
                if mask is None
                else mask.expand(3, tgt, src)
            )
            for b in range(3):
                for t in range(tgt):
                    parts = [
                        torch.exp(q[b, t] @ k[b, s] / dim**0.5)
                        if wide[b, t, s]
                        else torch.tensor(0.0)
                        for s in range(src)
                    ]
                    total = sum(parts)
                    row = torch.stack(parts) / (total if total > 0 else 1.0)
                    assert torch.allclose(weights[b, t], row, atol=1e-4), "weights"
                    assert torch.allclose(context[b, t], row @ v[b], atol=1e-4), "context"


# %% test_attend · wrong · no-mask-same-width
# source: written from the task's text, 2026-11
# mistake: no mask, one size for everything, and only the weights
import torch

from utils.masks import masked_softmax


def test_attend(attend):
    torch.manual_seed(0)
    x = torch.randn(1, 4, 4)
    context, weights = attend(x, x, x)
    expected = (x @ x.mT / 2).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)


# %% test_attend · wrong · laws-with-padding-only
# source: written from the task's text, 2026-11
# mistake: a padding mask only, and laws instead of values
import torch

from utils.masks import masked_softmax


def test_attend(attend):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    mask = torch.arange(5) < torch.tensor([5, 3])[:, None, None]
    context, weights = attend(q, k, v, mask)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)
    assert (weights[1, :, 3:] == 0).all()
    assert torch.allclose(context, weights @ v, atol=1e-5)


# %% test_any_attention · wrong · many-laws
# source: written from the task's text, 2026-11
# mistake: a good test, which calls the function more than 20 times
import torch


def test_any_attention(attend):
    torch.manual_seed(11)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    mask = torch.rand(2, 3, 5) > 0.4
    mask[0, 0], mask[1, 2] = False, False
    mask[0, 1], mask[1, 0, :3] = True, True

    def close(a, b):
        assert a.shape == b.shape
        assert torch.allclose(a, b, atol=1e-4)

    for m in [None, mask, mask[:, 1:2], torch.ones(3, 5, dtype=torch.bool).tril(2)]:
        context, weights = attend(q, k, v, m)
        assert weights.shape == (2, 3, 5) and context.shape == (2, 3, 6)
        wide = torch.ones(2, 3, 5, dtype=torch.bool) if m is None else m.expand(2, 3, 5)
        assert (weights >= 0).all() and (weights[~wide] == 0).all()
        assert (weights[wide] > 0).all()
        close(weights.sum(-1), wide.any(-1).float())
        close(context, weights @ v)
        for t in range(3):
            one = None if m is None else m.expand(2, 3, 5)[:, t : t + 1]
            close(attend(q[:, t : t + 1], k, v, one)[1], weights[:, t : t + 1])
        for b in range(2):
            one = None if m is None else m.expand(2, 3, 5)[b : b + 1]
            close(attend(q[b : b + 1], k[b : b + 1], v[b : b + 1], one)[1], weights[b : b + 1])
    context, weights = attend(q, k, v, mask)
    order = torch.tensor([3, 1, 4, 0, 2])
    c2, w2 = attend(q, k[:, order], v[:, order], mask[:, :, order])
    close(w2, weights[:, :, order])
    close(c2, context)
    changed = k.clone()
    hidden = ~mask[:, 1:2].expand(2, 3, 5)
    changed[1, ~mask[1, 1]] += 30.0
    close(attend(q, changed, v, mask[:, 1:2])[1], attend(q, k, v, mask[:, 1:2])[1])
    close(attend(q, k, 2 * v + 1, mask)[1], weights)
    assert not torch.allclose(
        attend(q, 3 * k + torch.randn_like(k), v)[1], attend(q, k, v)[1], atol=1e-3
    )
    assert not torch.allclose(
        attend(q + torch.randn_like(q), k, v)[1], attend(q, k, v)[1], atol=1e-3
    )


# %% test_any_attention · wrong · rows-only
# source: written from the task's text, 2026-11
# mistake: asks for rows that sum to 1 and are not negative, without a mask
import torch


def test_any_attention(attend):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    context, weights = attend(q, k, v)
    assert (weights >= 0).all()
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)
    assert context.shape == (2, 3, 6)


# %% test_any_attention · wrong · scaled-dot-product
# source: written from the task's text, 2026-11
# mistake: compares with the scaled dot product, so blames all
import torch


def test_any_attention(attend):
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    context, weights = attend(q, k, v)
    expected = (q @ k.mT / 2).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-4)
    assert torch.allclose(context, expected @ v, atol=1e-4)


# %% test_any_attention · wrong · hidden-and-context
# source: written from the task's text, 2026-11
# mistake: asks for hidden cells and the context, with queries as many as keys only
import torch


def test_any_attention(attend):
    torch.manual_seed(0)
    x, v = torch.randn(2, 4, 4), torch.randn(2, 4, 3)
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    context, weights = attend(x, x, v, mask)
    assert (weights[:, ~mask] == 0).all()
    assert torch.allclose(context, weights @ v, atol=1e-5)
    other = x.clone()
    other[:, 3] += 1
    assert torch.allclose(attend(x, other, v, mask)[1][:, :3], weights[:, :3], atol=1e-5)


# %% look_back · right · outer-comparison
# source: written from the task's text, 2026-11
import torch


def look_back(length):
    places = torch.arange(length)
    return torch.ge.__call__(places.unsqueeze(1), places)


# %% look_back · wrong · strict-floats
# source: written from the task's text, 2026-11
# mistake: without oneself, and numbers in place of booleans
import torch


def look_back(length):
    return torch.tril(torch.ones(length, length), diagonal=-1)


# %% look_back · wrong · ahead-inverted
# source: written from the task's text, 2026-11
# mistake: the future with oneself, inverted twice to the wrong side
import torch


def look_back(length):
    return ~torch.tril(torch.ones(length, length)).bool() | torch.eye(length, dtype=torch.bool)


# %% masked_weights · right · multiply-exp
# source: written from the task's text, 2026-11
import math

import torch


def masked_weights(queries, keys, mask):
    scores = torch.einsum("td,sd->ts", queries, keys).mul(keys.shape[1] ** -0.5)
    return torch.where(mask, scores, torch.full_like(scores, -torch.inf)).softmax(1)


# %% masked_weights · wrong · unscaled-columns
# source: written from the task's text, 2026-11
# mistake: no scale, and softmax over the queries
import math

import torch


def masked_weights(queries, keys, mask):
    scores = queries @ keys.T
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=0)


# %% masked_weights · wrong · closed-mask-and-length
# source: written from the task's text, 2026-11
# mistake: the mask inverted, and the root of the number of keys
import math

import torch


def masked_weights(queries, keys, mask):
    scores = queries @ keys.T / math.sqrt(keys.shape[0])
    return scores.masked_fill(mask, float("-inf")).softmax(dim=-1)


# %% split_heads · right · chunks
# source: written from the task's text, 2026-11
import torch


def split_heads(tensor, heads):
    return torch.stack(tensor.chunk(heads, dim=-1), dim=1)


# %% split_heads · wrong · view-only-interleaved
# source: written from the task's text, 2026-11
# mistake: heads take every h-th number, by a view of (head_dim, heads)
import torch


def split_heads(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.view(batch, length, dim // heads, heads).permute(0, 3, 1, 2)


# %% split_heads · wrong · reshape-and-reversed
# source: written from the task's text, 2026-11
# mistake: reshape in place of the transpose, and the heads in reverse
import torch


def split_heads(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.reshape(batch, heads, length, dim // heads).flip(1)


# %% join_heads · right · cat-of-heads
# source: written from the task's text, 2026-11
import torch


def join_heads(tensor):
    return torch.cat(tensor.unbind(1), dim=-1)


# %% join_heads · wrong · other-transpose
# source: written from the task's text, 2026-11
# mistake: transposes the last axes too, so that heads interleave
import torch


def join_heads(tensor):
    batch, heads, length, width = tensor.shape
    return tensor.permute(0, 2, 3, 1).reshape(batch, length, heads * width)


# %% join_heads · wrong · reversed-no-transpose
# source: written from the task's text, 2026-11
# mistake: heads in reverse, and no transpose
import torch


def join_heads(tensor):
    batch, heads, length, width = tensor.shape
    return tensor.flip(1).reshape(batch, length, heads * width)


# %% MultiHead · right · loop-over-heads
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F
from torch import nn

from utils.masks import masked_softmax


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) * dim**-0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        inputs = zip(
            (query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        )
        projected = [(x @ w.T + b).chunk(self.heads, -1) for x, w, b in inputs]
        contexts, maps = [], []
        for q, k, v in zip(*projected):
            weights = masked_softmax(q @ k.mT / q.shape[-1] ** 0.5, mask)
            contexts.append(weights @ v)
            maps.append(weights)
        return self.out_proj(torch.cat(contexts, -1)), torch.stack(maps, 1)


# %% MultiHead · wrong · dim-scale-mean-weights
# source: written from the task's text, 2026-11
# mistake: divides by √dim, and the weights are the mean over heads
import torch
import torch.nn.functional as F
from torch import nn

from utils.masks import masked_softmax


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) * dim**-0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        inputs = zip(
            (query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        )
        projected = [(x @ w.T + b).chunk(self.heads, -1) for x, w, b in inputs]
        contexts, maps = [], []
        for q, k, v in zip(*projected):
            weights = masked_softmax(q @ k.mT / (q.shape[-1] * self.heads) ** 0.5, mask)
            contexts.append(weights @ v)
            maps.append(weights)
        return self.out_proj(torch.cat(contexts, -1)), torch.stack(maps, 1).mean(
            1, keepdim=True
        ).expand(-1, self.heads, -1, -1)


# %% MultiHead · wrong · matrices-order-inverted-mask
# source: written from the task's text, 2026-11
# mistake: keys and queries change their matrices, and the mask means what it does in PyTorch
import torch
import torch.nn.functional as F
from torch import nn

from utils.masks import masked_softmax


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) * dim**-0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        inputs = zip(
            (query, keys, values),
            [self.in_proj_weight.chunk(3)[i] for i in (1, 0, 2)],
            [self.in_proj_bias.chunk(3)[i] for i in (1, 0, 2)],
        )
        projected = [(x @ w.T + b).chunk(self.heads, -1) for x, w, b in inputs]
        contexts, maps = [], []
        for q, k, v in zip(*projected):
            weights = masked_softmax(q @ k.mT / q.shape[-1] ** 0.5, None if mask is None else ~mask)
            contexts.append(weights @ v)
            maps.append(weights)
        return self.out_proj(torch.cat(contexts, -1)), torch.stack(maps, 1)


# %% MultiHead · wrong · no-output-no-bias
# source: written from the task's text, 2026-11
# mistake: the output projection is left out, and so are the biases of the inputs
import torch
import torch.nn.functional as F
from torch import nn

from utils.masks import masked_softmax


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) * dim**-0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        inputs = zip(
            (query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        )
        projected = [(x @ w.T).chunk(self.heads, -1) for x, w, b in inputs]
        contexts, maps = [], []
        for q, k, v in zip(*projected):
            weights = masked_softmax(q @ k.mT / q.shape[-1] ** 0.5, mask)
            contexts.append(weights @ v)
            maps.append(weights)
        return torch.cat(contexts, -1), torch.stack(maps, 1)


# %% MultiHead · wrong · values-of-keys-unscaled
# source: written from the task's text, 2026-11
# mistake: values are made of the keys, and nothing is scaled
import torch
import torch.nn.functional as F
from torch import nn

from utils.masks import masked_softmax


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) * dim**-0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        inputs = zip((query, keys, keys), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3))
        projected = [(x @ w.T + b).chunk(self.heads, -1) for x, w, b in inputs]
        contexts, maps = [], []
        for q, k, v in zip(*projected):
            weights = masked_softmax(q @ k.mT, mask)
            contexts.append(weights @ v)
            maps.append(weights)
        return self.out_proj(torch.cat(contexts, -1)), torch.stack(maps, 1)


# %% encode_positions · right · complex-exponential
# source: written from the task's text, 2026-11
import torch


def encode_positions(positions, dim, base):
    i = torch.arange(dim // 2, dtype=torch.float64)
    angles = positions.double()[..., None] / float(base) ** (2 * i / dim)
    turned = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))
    return turned.flip(-1).flatten(-2).float()


# %% encode_positions · wrong · halves-and-2i-twice
# source: written from the task's text, 2026-11
# mistake: sines first and cosines behind, and the exponent doubled
import torch


def encode_positions(positions, dim, base):
    i = torch.arange(0, dim, 2)
    angles = positions.unsqueeze(-1) / base ** (2 * i / dim)
    return torch.stack([angles.sin(), angles.cos()], dim=-2).flatten(-2)


# %% encode_positions · wrong · exchanged-and-base
# source: written from the task's text, 2026-11
# mistake: cosine first, and the base is 10000 whatever is asked for
import torch


def encode_positions(positions, dim, base):
    i = torch.arange(0, dim, 2)
    angles = positions.unsqueeze(-1) / 10000 ** (i / dim)
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(-2)


# %% encode_positions · wrong · times-and-from-one
# source: written from the task's text, 2026-11
# mistake: multiplies in place of dividing, and places count from 1
import torch


def encode_positions(positions, dim, base):
    i = torch.arange(0, dim, 2)
    angles = (positions.unsqueeze(-1) + 1) * base ** (i / dim)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


# %% head_ablation · right · subtract-term
# source: written from the task's text, 2026-11
import torch


def head_ablation(contexts, w_o, b_o):
    batch, heads, tgt_len, width = contexts.shape
    parts = w_o.view(-1, heads, width)
    terms = torch.einsum("bhtd,ohd->hbto", contexts, parts)
    outputs = terms.sum(0) + b_o - terms
    moved = torch.linalg.vector_norm(terms, dim=-1).mean(dim=(1, 2))
    return outputs, moved


# %% head_ablation · wrong · only-that-head-no-bias
# source: written from the task's text, 2026-11
# mistake: the output of the head alone, without the bias
import torch


def head_ablation(contexts, w_o, b_o):
    batch, heads, tgt_len, width = contexts.shape
    parts = w_o.view(-1, heads, width)
    terms = torch.einsum("bhtd,ohd->hbto", contexts, parts)
    outputs = terms
    moved = torch.linalg.vector_norm(terms, dim=-1).mean(dim=(1, 2))
    return outputs, moved


# %% head_ablation · wrong · squared-and-over-words
# source: written from the task's text, 2026-11
# mistake: the bias once for each head, and the squared length
import torch


def head_ablation(contexts, w_o, b_o):
    batch, heads, tgt_len, width = contexts.shape
    parts = w_o.view(-1, heads, width)
    terms = torch.einsum("bhtd,ohd->hbto", contexts, parts)
    outputs = terms.sum(0) + heads * b_o - terms
    moved = terms.square().sum(-1).mean(dim=(1, 2))
    return outputs, moved


# %% head_ablation · wrong · absolute-mean-last-bias
# source: written from the task's text, 2026-11
# mistake: mean absolute difference in place of the length, and the bias left out
import torch


def head_ablation(contexts, w_o, b_o):
    batch, heads, tgt_len, width = contexts.shape
    parts = w_o.view(-1, heads, width)
    terms = torch.einsum("bhtd,ohd->hbto", contexts, parts)
    outputs = terms.sum(0) - terms
    moved = terms.abs().mean(-1).mean(dim=(1, 2))
    return outputs, moved


# %% head_ablation · wrong · interleaved-sum
# source: written from the task's text, 2026-11
# mistake: heads read in stripes of the matrix, and the sum in place of the mean
import torch


def head_ablation(contexts, w_o, b_o):
    batch, heads, tgt_len, width = contexts.shape
    parts = w_o.view(-1, width, heads).transpose(1, 2)
    terms = torch.einsum("bhtd,ohd->hbto", contexts, parts)
    outputs = terms.sum(0) + b_o - terms
    moved = torch.linalg.vector_norm(terms, dim=-1).sum(dim=(1, 2))
    return outputs, moved


# %% test_multi_head · right · against-torch
# source: written from the task's text, 2026-11
import torch


def test_multi_head(multi_head):
    torch.manual_seed(5)
    for dim, heads, length in [(6, 2, 3), (8, 4, 5), (4, 1, 2)]:
        x = torch.randn(2, length, dim)
        w_q, w_k, w_v, w_o = torch.randn(4, dim, dim)
        some = torch.rand(2, length, length) > 0.4
        for mask in [None, some, some[:, :1], torch.zeros(2, 1, length, dtype=torch.bool)]:
            out, weights = multi_head(x, w_q, w_k, w_v, w_o, heads, mask)
            assert weights.shape == (2, heads, length, length)
            joined = []
            for h in range(heads):
                part = slice(h * dim // heads, (h + 1) * dim // heads)
                scores = (x @ w_q[:, part]) @ (x @ w_k[:, part]).mT / (dim // heads) ** 0.5
                if mask is not None:
                    scores = scores.masked_fill(~mask, -torch.inf)
                expected = scores.softmax(-1).nan_to_num(0.0)
                assert torch.allclose(weights[:, h], expected, atol=1e-4)
                joined.append(expected @ (x @ w_v[:, part]))
            assert torch.allclose(out, torch.cat(joined, -1) @ w_o, atol=1e-3)


# %% test_multi_head · wrong · one-head-identity
# source: written from the task's text, 2026-11
# mistake: one head, identity matrices, and no mask
import torch


def test_multi_head(multi_head):
    torch.manual_seed(0)
    x, eye = torch.randn(1, 3, 4), torch.eye(4)
    out, weights = multi_head(x, eye, eye, eye, eye, 1)
    expected = (x @ x.mT / 2).softmax(-1)
    assert torch.allclose(weights[:, 0], expected, atol=1e-5)
    assert torch.allclose(out, expected @ x, atol=1e-5)


# %% test_multi_head · wrong · weights-only-two-heads
# source: written from the task's text, 2026-11
# mistake: looks at the weights only, and knows no empty row
import torch


def test_multi_head(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 4, 6)
    w_q, w_k, w_v, w_o = torch.randn(4, 6, 6)
    mask = torch.ones(4, 4, dtype=torch.bool).tril().expand(2, 4, 4)
    out, weights = multi_head(x, w_q, w_k, w_v, w_o, 2, mask)
    q, k = (x @ w_q).view(2, 4, 2, 3).transpose(1, 2), (x @ w_k).view(2, 4, 2, 3).transpose(1, 2)
    expected = (q @ k.mT / 3**0.5).masked_fill(~mask[:, None], -torch.inf).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)


# %% test_any_heads · right · laws-and-terms
# source: written from the task's text, 2026-11
import torch


def test_any_heads(multi_head):
    torch.manual_seed(6)
    dim, heads, length = 6, 3, 4
    x = torch.randn(2, length, dim)
    w_q, w_k, w_v, w_o = torch.randn(4, dim, dim)
    mask = torch.rand(2, length, length) > 0.4
    mask[0, 0], mask[1, 2], mask[0, 1] = False, True, True
    for m in [None, mask, mask[:, 2:3]]:
        out, weights = multi_head(x, w_q, w_k, w_v, w_o, heads, m)
        assert weights.shape == (2, heads, length, length)
        wide = (
            torch.ones(2, length, length, dtype=torch.bool)
            if m is None
            else m.expand(2, length, length)
        )
        wide = wide.unsqueeze(1).expand_as(weights)
        assert (weights >= 0).all() and (weights[~wide] == 0).all() and (weights[wide] > 0).all()
        assert torch.allclose(weights.sum(-1), wide.any(-1).float(), atol=1e-4)
        v = (x @ w_v).unflatten(-1, (heads, dim // heads)).transpose(1, 2)
        expected = (weights @ v).transpose(1, 2).flatten(2) @ w_o
        assert torch.allclose(out, expected, atol=1e-3)
        for b in range(2):
            one = None if m is None else m[b : b + 1]
            assert torch.allclose(
                multi_head(x[b : b + 1], w_q, w_k, w_v, w_o, heads, one)[1],
                weights[b : b + 1],
                atol=1e-4,
            )
    out, weights = multi_head(x, w_q, w_k, w_v, w_o, heads, mask)
    other_q, other_k = w_q.clone(), w_k.clone()
    other_q[:, :2] = torch.randn(dim, 2)
    other_k[:, :2] = torch.randn(dim, 2)
    changed = multi_head(x, other_q, other_k, w_v, w_o, heads, mask)[1]
    assert torch.allclose(changed[:, 1:], weights[:, 1:], atol=1e-4)
    assert not torch.allclose(changed[:, 0], weights[:, 0], atol=1e-3)
    order = torch.tensor([2, 0, 3, 1])
    moved = multi_head(x[:, order], w_q, w_k, w_v, w_o, heads, mask[:, order][:, :, order])[1]
    assert torch.allclose(moved, weights[:, :, order][..., order], atol=1e-4)
    far = x.clone()
    far[:, 3] += 20
    keep = torch.tensor([True, True, True, False]).view(1, 1, 4)
    one, two = (multi_head(z, w_q, w_k, w_v, w_o, heads, keep)[1][:, :, :3] for z in (x, far))
    assert torch.allclose(one, two, atol=1e-4)
    rest = multi_head(x, w_q, w_k, 2 * w_v, torch.randn(dim, dim), heads, mask)[1]
    assert torch.allclose(rest, weights, atol=1e-4)


# %% test_any_heads · wrong · sums-only-no-mask
# source: written from the task's text, 2026-11
# mistake: asks for row sums and shapes without a mask
import torch


def test_any_heads(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 4)
    out, weights = multi_head(x, *torch.randn(4, 4, 4), 2)
    assert out.shape == (2, 3, 4)
    assert weights.shape == (2, 2, 3, 3)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 2, 3), atol=1e-5)


# %% test_any_heads · wrong · all-heads-alike
# source: written from the task's text, 2026-11
# mistake: asks that the heads be alike, and so blames a right one
import torch


def test_any_heads(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 4)
    w = torch.randn(4, 4)
    out, weights = multi_head(x, w, w, w, w, 2)
    assert torch.allclose(weights[:, 0], weights[:, 1], atol=1e-5)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 2, 3), atol=1e-5)


# %% left_of_twin · wrong · by-the-rule
# source: written from the task's text, 2026-11
# mistake: no network: the rule of the game, written down
import torch


reader = torch.nn.Linear(1, 1)


def left_of_twin(colours, numbers):
    guesses = torch.zeros_like(numbers)
    for place in range(colours.shape[1]):
        same = (colours == colours[:, place : place + 1]).float()
        same[:, place] = 0
        twin = same.argmax(1)
        guesses[:, place] = numbers.roll(1, 1).gather(1, twin[:, None])[:, 0]
    return guesses


# %% small_step · right · one-row-batch
# source: written from the task's text, 2026-11
import torch


def small_step(state, keys, words):
    weights = torch.softmax((keys * state).sum(-1), 0)
    context = (weights[:, None] * keys).sum(0)
    readout = torch.tanh(torch.stack([context, state]).mean(0))
    return weights, torch.mv(words, readout)


# %% small_step · wrong · no-tanh-softmax
# source: written from the task's text, 2026-11
# mistake: no tanh, and a softmax over the words
import torch


def small_step(state, keys, words):
    weights = torch.softmax((keys * state).sum(-1), 0)
    context = (weights[:, None] * keys).sum(0)
    readout = torch.stack([context, state]).mean(0)
    return weights, torch.mv(words, readout).softmax(0)


# %% small_step · wrong · sum-and-scaled
# source: written from the task's text, 2026-11
# mistake: the sum in place of the half of it, and scaled scores
import torch


def small_step(state, keys, words):
    weights = torch.softmax((keys * state).sum(-1) / len(state) ** 0.5, 0)
    context = (weights[:, None] * keys).sum(0)
    readout = torch.tanh(torch.stack([context, state]).sum(0))
    return weights, torch.mv(words, readout)


# %% masked_loss · right · gather
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def masked_loss(logits, target):
    wanted = target[:, 1:]
    costs = -logits.log_softmax(-1).gather(-1, wanted.unsqueeze(-1)).squeeze(-1)
    real = wanted != PAD
    return torch.where(real, costs, torch.zeros_like(costs)).sum() / real.sum()


# %% masked_loss · wrong · unshifted-and-pads
# source: written from the task's text, 2026-11
# mistake: the words that were read in place of the next, and divided by all places
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def masked_loss(logits, target):
    wanted = target[:, :-1]
    costs = -logits.log_softmax(-1).gather(-1, wanted.unsqueeze(-1)).squeeze(-1)
    real = wanted != PAD
    return torch.where(real, costs, torch.zeros_like(costs)).sum() / real.numel()


# %% masked_loss · wrong · no-softmax-sum
# source: written from the task's text, 2026-11
# mistake: raw scores in place of log-probabilities, and the sum
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def masked_loss(logits, target):
    wanted = target[:, 1:]
    costs = -logits.gather(-1, wanted.unsqueeze(-1)).squeeze(-1)
    real = wanted != PAD
    return torch.where(real, costs, torch.zeros_like(costs)).sum()


# %% masked_loss · wrong · axis-of-steps-rows
# source: written from the task's text, 2026-11
# mistake: softmax over the steps, and a mean of the sentences' means
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def masked_loss(logits, target):
    wanted = target[:, 1:]
    costs = -logits.log_softmax(1).gather(-1, wanted.unsqueeze(-1)).squeeze(-1)
    real = wanted != PAD
    return ((costs * real).sum(1) / real.sum(1)).mean()


# %% next_words · right · where-max
# source: written from the task's text, 2026-11
import torch

from utils.corpora import EOS, PAD


def next_words(logits, finished):
    words = torch.where(finished, torch.tensor(PAD), logits.max(dim=-1).indices)
    return words, torch.logical_or(finished, words.eq(EOS))


# %% next_words · wrong · eos-kept-only-now
# source: written from the task's text, 2026-11
# mistake: finished ones write EOS again, and only those that end now are finished
import torch

from utils.corpora import EOS, PAD


def next_words(logits, finished):
    words = torch.where(finished, torch.tensor(EOS), logits.max(dim=-1).indices)
    return words, words.eq(EOS)


# %% next_words · wrong · pad-now-and-least
# source: written from the task's text, 2026-11
# mistake: the unlikeliest word, and a sentence that ends now gets PAD
import torch

from utils.corpora import EOS, PAD


def next_words(logits, finished):
    words = logits.argmin(-1)
    done = finished | (words == EOS)
    return words.masked_fill(done, PAD), done


# %% decoder_step · right · einsum-all
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = torch.einsum("bs,sm,bjm->bj", state, w_score, memory)
    weights = masked_softmax(scores.unsqueeze(1), mask.unsqueeze(1)).squeeze(1)
    context = torch.einsum("bj,bjm->bm", weights, memory)
    new_state = torch.tanh(torch.hstack([embedded, context, state]) @ w_state)
    readout = torch.tanh(torch.hstack([context, new_state]) @ w_readout)
    return context, weights, new_state, readout


# %% decoder_step · wrong · old-state-no-mask
# source: written from the task's text, 2026-11
# mistake: the old state goes into the readout, and the mask is not used
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = torch.einsum("bs,sm,bjm->bj", state, w_score, memory)
    weights = scores.softmax(1)
    context = torch.einsum("bj,bjm->bm", weights, memory)
    new_state = torch.tanh(torch.hstack([embedded, context, state]) @ w_state)
    readout = torch.tanh(torch.hstack([context, state]) @ w_readout)
    return context, weights, new_state, readout


# %% decoder_step · wrong · orders-exchanged
# source: written from the task's text, 2026-11
# mistake: context in front of the word, and state in front of the context
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = torch.einsum("bs,sm,bjm->bj", state, w_score, memory)
    weights = masked_softmax(scores.unsqueeze(1), mask.unsqueeze(1)).squeeze(1)
    context = torch.einsum("bj,bjm->bm", weights, memory)
    new_state = torch.tanh(torch.hstack([context, embedded, state]) @ w_state)
    readout = torch.tanh(torch.hstack([new_state, context]) @ w_readout)
    return context, weights, new_state, readout


# %% decoder_step · wrong · no-tanh-and-result-order
# source: written from the task's text, 2026-11
# mistake: no tanh at the readout; new state and readout returned in the other order
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = torch.einsum("bs,sm,bjm->bj", state, w_score, memory)
    weights = masked_softmax(scores.unsqueeze(1), mask.unsqueeze(1)).squeeze(1)
    context = torch.einsum("bj,bjm->bm", weights, memory)
    new_state = torch.tanh(torch.hstack([embedded, context, state]) @ w_state)
    readout = torch.hstack([context, new_state]) @ w_readout
    return context, weights, readout, new_state


# %% decoder_step · wrong · scaled-mean-context
# source: written from the task's text, 2026-11
# mistake: scaled scores, and a mean of the memory for the update
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = torch.einsum("bs,sm,bjm->bj", state, w_score, memory) / memory.shape[-1] ** 0.5
    weights = masked_softmax(scores.unsqueeze(1), mask.unsqueeze(1)).squeeze(1)
    context = torch.einsum("bj,bjm->bm", weights, memory)
    new_state = torch.tanh(torch.hstack([embedded, memory.mean(1), state]) @ w_state)
    readout = torch.tanh(torch.hstack([context, new_state]) @ w_readout)
    return context, weights, new_state, readout


# %% decode_loop · right · stack-cross-entropy-sum
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD, SOS


def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for word in target[:, :-1].T:
        now, look, state = luong_step(word, state, memory, embedding, w_state, w_output)
        logits += [now]
        weights += [look]
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    total = F.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, reduction="sum"
    )
    return logits, weights, total / (target[:, 1:] != PAD).sum()


# %% decode_loop · wrong · own-guesses-pads
# source: written from the task's text, 2026-11
# mistake: reads its own guess, and padding counts
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD, SOS


def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for word in target[:, :-1].T:
        word = guess if logits else word
        now, look, state = luong_step(word, state, memory, embedding, w_state, w_output)
        logits += [now]
        weights += [look]
        guess = now.argmax(-1)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    total = F.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, reduction="sum"
    )
    return logits, weights, total / target[:, 1:].numel()


# %% decode_loop · wrong · state-fixed-unshifted
# source: written from the task's text, 2026-11
# mistake: the state is not carried on, and the loss is taken against what was read
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD, SOS


def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for word in target[:, :-1].T:
        now, look, _ = luong_step(word, state, memory, embedding, w_state, w_output)
        logits += [now]
        weights += [look]
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    total = F.cross_entropy(
        logits.flatten(0, 1), target[:, :-1].flatten(), ignore_index=PAD, reduction="sum"
    )
    return logits, weights, total / (target[:, 1:] != PAD).sum()


# %% decode_loop · wrong · one-step-more-rows
# source: written from the task's text, 2026-11
# mistake: one step too many, and the loss is a mean of sentence means
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD, SOS


def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for word in target.T:
        now, look, state = luong_step(word, state, memory, embedding, w_state, w_output)
        logits += [now]
        weights += [look]
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    total = F.cross_entropy(
        logits[:, :-1].flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, reduction="sum"
    )
    return logits, weights, total / len(target)


# %% training_loop · wrong · no-zero-no-clip
# source: written from the task's text, 2026-11
# mistake: gradients pile up, and nothing is clipped
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def train(model, optimizer, batches, held_out):
    def loss_of(batch):
        target, given = batch
        logits = model(target[:, :-1], given)
        return F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)

    losses, validation = [], []
    for batch in batches:
        model.train()
        loss = loss_of(batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            validation.append(loss_of(held_out).item())
    return torch.tensor(losses), torch.tensor(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% training_loop · wrong · always-eval-before-step
# source: written from the task's text, 2026-11
# mistake: evaluation mode all the time, and the held-out loss before the step
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def train(model, optimizer, batches, held_out):
    def loss_of(batch):
        target, given = batch
        logits = model(target[:, :-1], given)
        return F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)

    losses, validation = [], []
    for batch in batches:
        model.eval()
        optimizer.zero_grad()
        with torch.no_grad():
            validation.append(loss_of(held_out).item())
        loss = loss_of(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses), torch.tensor(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% training_loop · wrong · clip-by-value-pads
# source: written from the task's text, 2026-11
# mistake: clips each number, and padding counts in the loss
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def train(model, optimizer, batches, held_out):
    def loss_of(batch):
        target, given = batch
        logits = model(target[:, :-1], given)
        return F.cross_entropy(logits.transpose(1, 2), target[:, 1:])

    losses, validation = [], []
    for batch in batches:
        model.train()
        optimizer.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            validation.append(loss_of(held_out).item())
    return torch.tensor(losses), torch.tensor(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% masked_encoder · right · sentence-by-sentence
# source: written from the task's text, 2026-11
import torch


def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    batch, src_len, _ = embedded.shape
    rows = []
    for vectors, length in zip(embedded, lengths.tolist()):
        if length == 0:
            rows.append(embedded.new_zeros(src_len, 2 * len(bias)))
            continue
        words = vectors[:length].unsqueeze(0)
        there = read(words, w_forward, bias)[0]
        back = read(words.flip(1), w_backward, bias).flip(1)[0]
        rows.append(
            torch.nn.functional.pad(torch.cat([there, back], -1), (0, 0, 0, src_len - length))
        )
    mask = torch.arange(src_len) < lengths[:, None]
    return torch.stack(rows), mask[:, None]


# %% masked_encoder · wrong · not-turned-back-inverted
# source: written from the task's text, 2026-11
# mistake: the backward states are not turned back, and the mask says where padding is
import torch


def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    places = torch.arange(embedded.shape[1])
    mask = places < lengths.unsqueeze(1)
    order = torch.where(mask, lengths.unsqueeze(1) - 1 - places, places)
    rows = torch.arange(len(embedded)).unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded[rows, order], w_backward, bias)
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, ~mask.unsqueeze(1)


# %% masked_encoder · wrong · only-zeroed-shape
# source: written from the task's text, 2026-11
# mistake: padding is set to 0 at the end only, and the mask has two axes
import torch


def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    places = torch.arange(embedded.shape[1])
    mask = places < lengths.unsqueeze(1)
    order = torch.where(mask, lengths.unsqueeze(1) - 1 - places, places)
    rows = torch.arange(len(embedded)).unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.flip(1), w_backward, bias).flip(1)
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask


# %% masked_encoder · wrong · halves-exchanged-padding-left
# source: written from the task's text, 2026-11
# mistake: backward states in front, and padding is not set to 0
import torch


def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    places = torch.arange(embedded.shape[1])
    mask = places < lengths.unsqueeze(1)
    order = torch.where(mask, lengths.unsqueeze(1) - 1 - places, places)
    rows = torch.arange(len(embedded)).unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded[rows, order], w_backward, bias)[rows, order]
    states = torch.cat([backwards, forwards], dim=-1)
    return states, mask.unsqueeze(1)


# %% greedy_decoding · right · count-open
# source: written from the task's text, 2026-11
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    size = len(state)
    ids = torch.full((size, limit), PAD)
    lengths = torch.zeros(size, dtype=torch.long)
    words = torch.full((size,), SOS)
    open_ = torch.ones(size, dtype=torch.bool)
    for place in range(limit):
        scores, state = step(words, state)
        words = scores.argmax(-1)
        open_ = open_ & (words != EOS)
        ids[open_, place] = words[open_]
        lengths += open_
    return ids, lengths


def greedy_decoding(table, limit):
    steps = []

    def step(words, state):
        rows, taken = state.unbind(1)
        assert (taken == len(steps)).all(), "this step was given an old state"
        steps.append(words)
        return table[rows, words], state + torch.tensor([0, 1])

    rows = torch.arange(len(table))
    return greedy(step, torch.stack([rows, 0 * rows], dim=1), limit)


# %% greedy_decoding · wrong · starts-with-pad-eos-kept
# source: written from the task's text, 2026-11
# mistake: begins after PAD, and EOS is written and counted
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    size = len(state)
    ids = torch.full((size, limit), PAD)
    lengths = torch.zeros(size, dtype=torch.long)
    words = torch.full((size,), PAD)
    open_ = torch.ones(size, dtype=torch.bool)
    for place in range(limit):
        scores, state = step(words, state)
        words = scores.argmax(-1)
        ids[open_, place] = words[open_]
        lengths += open_
        open_ = open_ & (words != EOS)
    return ids, lengths


def greedy_decoding(table, limit):
    steps = []

    def step(words, state):
        rows, taken = state.unbind(1)
        assert (taken == len(steps)).all(), "this step was given an old state"
        steps.append(words)
        return table[rows, words], state + torch.tensor([0, 1])

    rows = torch.arange(len(table))
    return greedy(step, torch.stack([rows, 0 * rows], dim=1), limit)


# %% greedy_decoding · wrong · revives-and-short
# source: written from the task's text, 2026-11
# mistake: a sentence that has ended goes on after EOS, and one step is missing
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    size = len(state)
    ids = torch.full((size, limit), PAD)
    lengths = torch.zeros(size, dtype=torch.long)
    words = torch.full((size,), SOS)
    open_ = torch.ones(size, dtype=torch.bool)
    for place in range(limit - 1):
        scores, state = step(words, state)
        words = scores.argmax(-1)
        open_ = words != EOS
        ids[open_, place] = words[open_]
        lengths += open_
    return ids, lengths


def greedy_decoding(table, limit):
    steps = []

    def step(words, state):
        rows, taken = state.unbind(1)
        assert (taken == len(steps)).all(), "this step was given an old state"
        steps.append(words)
        return table[rows, words], state + torch.tensor([0, 1])

    rows = torch.arange(len(table))
    return greedy(step, torch.stack([rows, 0 * rows], dim=1), limit)


# %% greedy_decoding · wrong · all-stop-together
# source: written from the task's text, 2026-11
# mistake: stops all when the first ends, and lengths are the limit
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    size = len(state)
    ids = torch.full((size, limit), PAD)
    lengths = torch.zeros(size, dtype=torch.long)
    words = torch.full((size,), SOS)
    open_ = torch.ones(size, dtype=torch.bool)
    for place in range(limit):
        scores, state = step(words, state)
        words = scores.argmax(-1)
        if (words == EOS).any():
            break
        ids[open_, place] = words[open_]
        lengths += open_
    return ids, torch.full((size,), limit)


def greedy_decoding(table, limit):
    steps = []

    def step(words, state):
        rows, taken = state.unbind(1)
        assert (taken == len(steps)).all(), "this step was given an old state"
        steps.append(words)
        return table[rows, words], state + torch.tensor([0, 1])

    rows = torch.arange(len(table))
    return greedy(step, torch.stack([rows, 0 * rows], dim=1), limit)


# %% beam_step · right · sort-flat
# source: written from the task's text, 2026-11
import torch

from utils.corpora import EOS


def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    frozen = torch.full((vocab,), -torch.inf, dtype=log_probs.dtype)
    frozen[EOS] = 0.0
    options = torch.where(finished.unsqueeze(1), frozen, log_probs) + scores.unsqueeze(1)
    ranked, order = options.reshape(-1).sort(descending=True, stable=True)
    return (
        ranked[:beam],
        order[:beam].div(vocab, rounding_mode="floor"),
        order[:beam].remainder(vocab),
    )


# %% beam_step · wrong · by-beam-and-finished-grow
# source: written from the task's text, 2026-11
# mistake: parents counted by the beam, and finished ones go on like others
import torch

from utils.corpora import EOS


def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    frozen = torch.full((vocab,), -torch.inf, dtype=log_probs.dtype)
    frozen[EOS] = 0.0
    options = log_probs + scores.unsqueeze(1)
    ranked, order = options.reshape(-1).sort(descending=True, stable=True)
    return (
        ranked[:beam],
        order[:beam].div(beam, rounding_mode="floor"),
        order[:beam].remainder(vocab),
    )


# %% beam_step · wrong · no-old-scores-order
# source: written from the task's text, 2026-11
# mistake: the scores so far are not added; parents and words exchanged
import torch

from utils.corpora import EOS


def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    frozen = torch.full((vocab,), -torch.inf, dtype=log_probs.dtype)
    frozen[EOS] = 0.0
    options = torch.where(finished.unsqueeze(1), frozen, log_probs)
    ranked, order = options.reshape(-1).sort(descending=True, stable=True)
    return (
        ranked[:beam],
        order[:beam].remainder(vocab),
        order[:beam].div(vocab, rounding_mode="floor"),
    )


# %% beam_step · wrong · best-of-each-finished-cost
# source: written from the task's text, 2026-11
# mistake: each hypothesis keeps its own best, and a finished one pays for EOS
import torch

from utils.corpora import EOS


def beam_step(scores, log_probs, finished):
    options = scores.unsqueeze(1) + log_probs
    best, words = options.max(dim=1)
    words = torch.where(finished, torch.full_like(words, EOS), words)
    best = torch.where(finished, scores + log_probs[:, EOS], best)
    best, parents = best.sort(descending=True)
    return best, parents, words[parents]


# %% test_luong_step · right · batch-of-three
# source: written from the task's text, 2026-11
import torch


def test_luong_step(step):
    torch.manual_seed(8)
    dim, vocab = 3, 5
    embedding, w_state, w_output = (
        torch.randn(vocab, 4),
        torch.randn(4 + dim, dim),
        torch.randn(2 * dim, vocab),
    )
    for src_len, lengths in [(4, [4, 2, 1]), (2, [2, 2, 1])]:
        word, state, memory = (
            torch.tensor([4, 0, 2]),
            torch.randn(3, dim),
            2 * torch.randn(3, src_len, dim),
        )
        mask = torch.arange(src_len) < torch.tensor(lengths)[:, None]
        for m in (mask, torch.ones_like(mask), mask.flip(1)):
            logits, weights, new = step(word, state, memory, m, embedding, w_state, w_output)
            expected = torch.tanh(torch.cat([embedding[word], state], 1) @ w_state)
            scores = (memory @ expected.unsqueeze(-1)).squeeze(-1).masked_fill(~m, -torch.inf)
            shares = scores.softmax(-1)
            context = (shares.unsqueeze(-1) * memory).sum(1)
            assert torch.allclose(new, expected, atol=1e-5)
            assert weights.shape == shares.shape
            assert torch.allclose(weights, shares, atol=1e-5)
            assert torch.allclose(logits, torch.cat([context, expected], 1) @ w_output, atol=1e-4)


# %% test_luong_step · wrong · all-open-weights
# source: written from the task's text, 2026-11
# mistake: all words are open, and only the weights' sums and the new state are looked at
import torch


def test_luong_step(step):
    torch.manual_seed(0)
    word, state, memory = torch.tensor([1, 2]), torch.randn(2, 3), torch.randn(2, 4, 3)
    embedding, w_state, w_output = torch.randn(5, 3), torch.randn(6, 3), torch.randn(6, 5)
    mask = torch.ones(2, 4, dtype=torch.bool)
    logits, weights, new = step(word, state, memory, mask, embedding, w_state, w_output)
    assert torch.allclose(weights.sum(1), torch.ones(2), atol=1e-5)
    assert torch.allclose(
        new, torch.tanh(torch.cat([embedding[word], state], 1) @ w_state), atol=1e-5
    )


# %% alignment_picture · right · list-indices
# source: written from the task's text, 2026-11
import torch


def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    columns = [n for n, word in enumerate(source) if word not in special]
    rows = [n - 1 for n, word in enumerate(target) if word not in special]
    trimmed = weights[rows][:, columns]
    links = torch.zeros(trimmed.shape, dtype=torch.bool)
    for n, row in enumerate(trimmed):
        links[n, int(row.argmax())] = True
    return trimmed, links


# %% alignment_picture · wrong · rows-shifted-normalised
# source: written from the task's text, 2026-11
# mistake: rows of the word before, and rows made to sum to 1
import torch


def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    columns = [n for n, word in enumerate(source) if word not in special]
    rows = [n - 2 if n > 1 else 0 for n, word in enumerate(target) if word not in special]
    trimmed = weights[rows][:, columns]
    links = torch.zeros(trimmed.shape, dtype=torch.bool)
    for n, row in enumerate(trimmed):
        links[n, int(row.argmax())] = True
    return trimmed / trimmed.sum(1, keepdim=True), links


# %% alignment_picture · wrong · unk-out-and-columns
# source: written from the task's text, 2026-11
# mistake: <unk> is taken out too, and links are the largest of each column
import torch


def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>", "<unk>")
    columns = [n for n, word in enumerate(source) if word not in special]
    rows = [n - 1 for n, word in enumerate(target) if word not in special]
    trimmed = weights[rows][:, columns]
    links = torch.zeros(trimmed.shape, dtype=torch.bool)
    for n in range(trimmed.shape[1]):
        links[int(trimmed[:, n].argmax()), n] = True
    return trimmed, links


# %% alignment_picture · wrong · eos-row-kept-threshold
# source: written from the task's text, 2026-11
# mistake: the row of <eos> stays, and links are all weights above one half
import torch


def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>")
    columns = [n for n, word in enumerate(source) if word not in special]
    rows = [n - 1 for n, word in enumerate(target) if word not in ("<sos>", "<pad>")]
    trimmed = weights[rows][:, columns]
    links = torch.zeros(trimmed.shape, dtype=torch.bool)
    return trimmed, trimmed > 0.5


# %% words_looked_at · right · entr
# source: written from the task's text, 2026-11
import torch

from utils.metrics import attention_entropy


def words_looked_at(weights):
    def words(shares):
        return torch.special.entr(shares).sum(-1).exp()

    return words(weights).mean(), words(weights.mean(dim=-2))


# %% words_looked_at · wrong · exp-of-mean-and-columns
# source: written from the task's text, 2026-11
# mistake: exp of the mean entropy, and the mean column in place of the mean row
import torch

from utils.metrics import attention_entropy


def words_looked_at(weights):
    def words(shares):
        return torch.special.entr(shares).sum(-1).exp()

    return words(weights).log().mean().exp(), words(weights.mean(dim=-1))


# %% words_looked_at · wrong · no-exp-exchanged
# source: written from the task's text, 2026-11
# mistake: entropies without exp, in the other order
import torch

from utils.metrics import attention_entropy


def words_looked_at(weights):
    def words(shares):
        return torch.special.entr(shares).sum(-1)

    return words(weights.mean(dim=-2)), words(weights).mean()


# %% neighbour_mask · right · loop-of-edges
# source: written from the task's text, 2026-11
import torch


def neighbour_mask(nodes, edges):
    mask = torch.eye(nodes) > 0
    for a, b in torch.as_tensor(edges).reshape(-1, 2).tolist():
        mask[a, b] = mask[b, a] = True
    return mask


# %% neighbour_mask · wrong · one-way-no-self
# source: written from the task's text, 2026-11
# mistake: one direction only, and nobody hears itself
import torch


def neighbour_mask(nodes, edges):
    mask = torch.zeros(nodes, nodes) > 0
    for a, b in torch.as_tensor(edges).reshape(-1, 2).tolist():
        mask[a, b] = True
    return mask


# %% neighbour_mask · wrong · inverted-from-one
# source: written from the task's text, 2026-11
# mistake: True where there is no edge, nodes counted from 1
import torch


def neighbour_mask(nodes, edges):
    mask = torch.eye(nodes) > 0
    for a, b in torch.as_tensor(edges).reshape(-1, 2).tolist():
        mask[a - 1, b - 1] = mask[b - 1, a - 1] = True
    return ~mask


# %% clip_together · right · cat-norm
# source: written from the task's text, 2026-11
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.cat([of_keys.flatten(), of_queries.flatten()]).norm()
    if length <= limit:
        return of_keys.clone(), of_queries.clone(), length
    return of_keys / length * limit, of_queries / length * limit, length


# %% clip_together · wrong · each-alone-inverse
# source: written from the task's text, 2026-11
# mistake: each is clipped by itself, and the length after clipping is returned
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    keys = of_keys * (limit / of_keys.norm()).clamp(max=1)
    queries = of_queries * (limit / of_queries.norm()).clamp(max=1)
    return keys, queries, (keys.norm() ** 2 + queries.norm() ** 2).sqrt()


# %% clip_together · wrong · one-bug-mended
# source: written from the task's text, 2026-11
# mistake: only shortens, but the lengths are still added
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = of_keys.norm() + of_queries.norm()
    shrink = min(1.0, limit / length)
    return of_keys * shrink, of_queries * shrink, length


# %% clip_together · wrong · no-root-max
# source: written from the task's text, 2026-11
# mistake: squares without the root, and made longer instead of shorter
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = of_keys.norm() ** 2 + of_queries.norm() ** 2
    shrink = max(1.0, limit / length)
    return of_keys * shrink, of_queries * shrink, length


# %% invoice_check · right · plain-lists
# source: written from the task's text, 2026-11
import torch


def invoice_check(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        value = number(word, ",")
        top = row.max()
        theirs = number(source[int(row.argmax())], ".")
        wrong.append(value is not None and value != theirs)
        unsure.append(value is not None and bool(top < least))
    return torch.tensor(wrong), torch.tensor(unsure)


# %% invoice_check · wrong · decimals-exchanged-above
# source: written from the task's text, 2026-11
# mistake: French is read like English, and unsure above the limit
import torch


def invoice_check(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        value = number(word, ".")
        top = row.max()
        theirs = number(source[int(row.argmax())], ".")
        wrong.append(value is not None and value != theirs)
        unsure.append(value is not None and bool(top > least))
    return torch.tensor(wrong), torch.tensor(unsure)


# %% invoice_check · wrong · none-is-right-and-all-words
# source: written from the task's text, 2026-11
# mistake: a source word that is no number counts as right, and other words may be unsure
import torch


def invoice_check(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        value = number(word, ",")
        top = row.max()
        theirs = number(source[int(row.argmax())], ".")
        wrong.append(value is not None and theirs is not None and value != theirs)
        unsure.append(bool(top < least))
    return torch.tensor(wrong), torch.tensor(unsure)


# %% invoice_check · wrong · text-compared-wrong-only
# source: written from the task's text, 2026-11
# mistake: texts are compared instead of numbers, and only wrong ones can be unsure
import torch


def invoice_check(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        value = number(word, ",")
        top = row.max()
        theirs = number(source[int(row.argmax())], ".")
        wrong.append(value is not None and word != source[int(row.argmax())])
        unsure.append(wrong[-1] and bool(top < least))
    return torch.tensor(wrong), torch.tensor(unsure)


# %% sickness · right · python-per-map
# source: written from the task's text, 2026-11
import torch


def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums = m.any(-1).to(w.dtype)
        choice = m.sum(-1) >= 2
        code = 0
        if (w < 0).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            code = 1
        elif (w[~m] != 0).any():
            code = 2
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            code = 3
        elif choice.any():
            high = w[choice].masked_fill(~m[choice], -torch.inf).amax(-1)
            low = w[choice].masked_fill(~m[choice], torch.inf).amin(-1)
            code = 4 if ((high - low) < 0.01).all() else 0
        codes.append(code)
    return torch.tensor(codes)


# %% sickness · wrong · sums-of-all-and-any-row
# source: written from the task's text, 2026-11
# mistake: empty rows should sum to 1 too, and one row is enough for one token
import torch


def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums = torch.ones(len(w), dtype=w.dtype)
        choice = m.sum(-1) >= 2
        code = 0
        if (w < 0).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            code = 1
        elif (w[~m] != 0).any():
            code = 2
        elif choice.any() and (w[choice] > 0.9).any():
            code = 3
        elif choice.any():
            high = w[choice].masked_fill(~m[choice], -torch.inf).amax(-1)
            low = w[choice].masked_fill(~m[choice], torch.inf).amin(-1)
            code = 4 if ((high - low) < 0.01).all() else 0
        codes.append(code)
    return torch.tensor(codes)


# %% sickness · wrong · order-and-hidden-in-uniform
# source: written from the task's text, 2026-11
# mistake: leaks are looked for first, and hidden words count for uniform
import torch


def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums = m.any(-1).to(w.dtype)
        choice = m.sum(-1) >= 2
        code = 0
        if (w[~m] != 0).any():
            code = 2
        elif (w < 0).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            code = 1
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            code = 3
        elif choice.any():
            high = w[choice].masked_fill(~m[choice], -torch.inf).amax(-1)
            low = w[choice].amin(-1)
            code = 4 if ((high - low) < 0.01).all() else 0
        codes.append(code)
    return torch.tensor(codes)


# %% sickness · wrong · tolerant-and-no-choice
# source: written from the task's text, 2026-11
# mistake: small negative weights pass, and rows without a choice count
import torch


def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums = m.any(-1).to(w.dtype)
        choice = m.sum(-1) >= 1
        code = 0
        if (w < -0.001).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            code = 1
        elif (w[~m] != 0).any():
            code = 2
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            code = 3
        elif choice.any():
            high = w[choice].masked_fill(~m[choice], -torch.inf).amax(-1)
            low = w[choice].masked_fill(~m[choice], torch.inf).amin(-1)
            code = 4 if ((high - low) < 0.01).all() else 0
        codes.append(code)
    return torch.tensor(codes)


# %% both_ways · right · einsum-both
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def both_ways(left, right, left_mask, right_mask):
    table = torch.einsum("bld,brd->blr", left, right) * left.shape[-1] ** -0.5
    forth = masked_softmax(table, right_mask.unsqueeze(1))
    back = masked_softmax(table.mT, left_mask.unsqueeze(1))
    return (
        torch.einsum("blr,brd->bld", forth, right),
        torch.einsum("brl,bld->brd", back, left),
        forth,
        back,
    )


# %% both_ways · wrong · transpose-and-own-mask
# source: written from the task's text, 2026-11
# mistake: back is the transpose, and the own mask hides rows too
import torch

from utils.masks import masked_softmax


def both_ways(left, right, left_mask, right_mask):
    table = torch.einsum("bld,brd->blr", left, right) * left.shape[-1] ** -0.5
    forth = masked_softmax(table, right_mask.unsqueeze(1) & left_mask.unsqueeze(2))
    back = forth.mT
    return (
        torch.einsum("blr,brd->bld", forth, right),
        torch.einsum("brl,bld->brd", back, left),
        forth,
        back,
    )


# %% both_ways · wrong · unscaled-exchanged-reads
# source: written from the task's text, 2026-11
# mistake: no scale, and the two reads returned in each other's place
import torch

from utils.masks import masked_softmax


def both_ways(left, right, left_mask, right_mask):
    table = torch.einsum("bld,brd->blr", left, right)
    forth = masked_softmax(table, right_mask.unsqueeze(1))
    back = masked_softmax(table.mT, left_mask.unsqueeze(1))
    return (
        torch.einsum("brl,bld->brd", back, left),
        torch.einsum("blr,brd->bld", forth, right),
        forth,
        back,
    )


# %% both_ways · wrong · masks-exchanged-maps
# source: written from the task's text, 2026-11
# mistake: no mask for the way back, and forth and back exchanged
import torch

from utils.masks import masked_softmax


def both_ways(left, right, left_mask, right_mask):
    table = torch.einsum("bld,brd->blr", left, right) * left.shape[-1] ** -0.5
    forth = masked_softmax(table, right_mask.unsqueeze(1))
    back = table.mT.softmax(-1)
    return (
        torch.einsum("blr,brd->bld", forth, right),
        torch.einsum("brl,bld->brd", back, left),
        back,
        forth,
    )


# %% counterfactual · right · helper-with-mask
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    everything = torch.ones(states.shape[:2], dtype=torch.bool)

    def chance(s, h, mask):
        scores = (h @ s.unsqueeze(-1)).squeeze(-1) / s.shape[-1] ** 0.5
        weights = masked_softmax(scores.unsqueeze(1), mask.unsqueeze(1))
        context = (weights @ h).squeeze(1)
        return (torch.cat([context, s], -1) @ out.T).softmax(-1)[rows, word]

    whole = chance(start, states, everything)
    swapped, hidden = states.clone(), everything.clone()
    swapped[rows, place] = other_states[rows, place]
    hidden[rows, place] = False
    return (
        whole - chance(other_start, states, everything),
        whole - chance(start, swapped, everything),
        whole - chance(start, states, hidden),
    )


# %% counterfactual · wrong · sign-and-zeroed
# source: written from the task's text, 2026-11
# mistake: a rise counts as positive, and the forbidden state is set to 0
import torch

from utils.masks import masked_softmax


def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    everything = torch.ones(states.shape[:2], dtype=torch.bool)

    def chance(s, h, mask):
        scores = (h @ s.unsqueeze(-1)).squeeze(-1) / s.shape[-1] ** 0.5
        weights = masked_softmax(scores.unsqueeze(1), mask.unsqueeze(1))
        context = (weights @ h).squeeze(1)
        return (torch.cat([context, s], -1) @ out.T).softmax(-1)[rows, word]

    whole = chance(start, states, everything)
    swapped, hidden = states.clone(), everything.clone()
    swapped[rows, place] = other_states[rows, place]
    hidden[rows, place] = False
    return (
        chance(other_start, states, everything) - whole,
        chance(start, swapped, everything) - whole,
        chance(start, states * hidden.unsqueeze(-1), everything) - whole,
    )


# %% counterfactual · wrong · unscaled-all-replaced
# source: written from the task's text, 2026-11
# mistake: no scale, and all states are those of the other sentence
import torch

from utils.masks import masked_softmax


def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    everything = torch.ones(states.shape[:2], dtype=torch.bool)

    def chance(s, h, mask):
        scores = (h @ s.unsqueeze(-1)).squeeze(-1)
        weights = masked_softmax(scores.unsqueeze(1), mask.unsqueeze(1))
        context = (weights @ h).squeeze(1)
        return (torch.cat([context, s], -1) @ out.T).softmax(-1)[rows, word]

    whole = chance(start, states, everything)
    swapped, hidden = states.clone(), everything.clone()
    swapped[rows, place] = other_states[rows, place]
    hidden[rows, place] = False
    return (
        whole - chance(other_start, states, everything),
        whole - chance(start, other_states, everything),
        whole - chance(start, states, hidden),
    )


# %% counterfactual · wrong · log-and-cat-order
# source: written from the task's text, 2026-11
# mistake: differences of logarithms, and the start state in front of the context
import torch

from utils.masks import masked_softmax


def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    everything = torch.ones(states.shape[:2], dtype=torch.bool)

    def chance(s, h, mask):
        scores = (h @ s.unsqueeze(-1)).squeeze(-1) / s.shape[-1] ** 0.5
        weights = masked_softmax(scores.unsqueeze(1), mask.unsqueeze(1))
        context = (weights @ h).squeeze(1)
        return (torch.cat([s, context], -1) @ out.T).log_softmax(-1)[rows, word]

    whole = chance(start, states, everything)
    swapped, hidden = states.clone(), everything.clone()
    swapped[rows, place] = other_states[rows, place]
    hidden[rows, place] = False
    return (
        whole - chance(other_start, states, everything),
        whole - chance(start, swapped, everything),
        whole - chance(start, states, hidden),
    )


# %% PatchClassifier · right · unfold
# source: written from the task's text, 2026-11
import torch
from torch import nn


class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        pixels = nn.functional.unfold(images.unsqueeze(1), self.patch, stride=self.patch).mT
        states = (self.embed(pixels) + self.places).relu()
        weights = (states @ self.query / len(self.query) ** 0.5).softmax(-1)
        return self.answer((weights.unsqueeze(-1) * states).sum(1)), weights


# %% PatchClassifier · wrong · column-order-unscaled
# source: written from the task's text, 2026-11
# mistake: patches are counted column by column, and nothing is scaled
import torch
from torch import nn


class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        pixels = nn.functional.unfold(images.mT.unsqueeze(1), self.patch, stride=self.patch).mT
        states = (self.embed(pixels) + self.places).relu()
        weights = (states @ self.query).softmax(-1)
        return self.answer((weights.unsqueeze(-1) * states).sum(1)), weights


# %% PatchClassifier · wrong · places-after-relu-mean
# source: written from the task's text, 2026-11
# mistake: places are added after ReLU, and the mean of the states is read
import torch
from torch import nn


class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        pixels = nn.functional.unfold(images.unsqueeze(1), self.patch, stride=self.patch).mT
        states = self.embed(pixels).relu() + self.places
        weights = (states @ self.query / len(self.query) ** 0.5).softmax(-1)
        return self.answer(states.mean(1)), weights


# %% PatchClassifier · wrong · reshape-softmax
# source: written from the task's text, 2026-11
# mistake: pixels are cut by a plain reshape, and the logits are chances
import torch
from torch import nn


class PatchClassifier(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def forward(self, images):
        pixels = images.reshape(len(images), -1, self.patch * self.patch)
        states = (self.embed(pixels) + self.places).relu()
        weights = (states @ self.query / len(self.query) ** 0.5).softmax(-1)
        return self.answer((weights.unsqueeze(-1) * states).sum(1)).softmax(-1), weights


# %% layer_norm · right · var-mean
# source: written from the task's text, 2026-11
import torch


def layer_norm(x, gamma, beta):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(beta, gamma, (x - mean) * torch.rsqrt(variance + 1e-5))


# %% layer_norm · wrong · unbiased-eps-outside
# source: written from the task's text, 2026-11
# mistake: divides by one less, and ε is added to the root
import torch


def layer_norm(x, gamma, beta):
    variance, mean = torch.var_mean(x, dim=-1, correction=1, keepdim=True)
    return torch.addcmul(beta, gamma, (x - mean) * 1 / (variance.sqrt() + 1e-5))


# %% layer_norm · wrong · axis-and-exchange
# source: written from the task's text, 2026-11
# mistake: over the words, and gamma and beta exchanged
import torch


def layer_norm(x, gamma, beta):
    variance, mean = torch.var_mean(x, dim=1, correction=0, keepdim=True)
    return torch.addcmul(gamma, beta, (x - mean) * torch.rsqrt(variance + 1e-5))


# %% layer_norm · wrong · no-root-no-beta
# source: written from the task's text, 2026-11
# mistake: divides by the variance itself, and beta is left out
import torch


def layer_norm(x, gamma, beta):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(0 * beta, gamma, (x - mean) * torch.reciprocal(variance + 1e-5))


# %% block_parameters · right · one-helper
# source: written from the task's text, 2026-11
import torch


def block_parameters(dim, heads, hidden, layers, words):
    def linear(wide, narrow):
        return wide * narrow + narrow

    norm = 2 * dim
    attention = 4 * linear(dim, dim)
    feed = linear(dim, hidden) + linear(hidden, dim)
    encoder_block = attention + feed + 2 * norm
    decoder_block = encoder_block + attention + norm
    language_model = layers * encoder_block + norm + words * dim + words
    return encoder_block, decoder_block, language_model


# %% block_parameters · wrong · heads-times-untied
# source: written from the task's text, 2026-11
# mistake: each head has four matrices, and the output has its own embedding
import torch


def block_parameters(dim, heads, hidden, layers, words):
    def linear(wide, narrow):
        return wide * narrow + narrow

    norm = 2 * dim
    attention = 4 * heads * linear(dim, dim)
    feed = linear(dim, hidden) + linear(hidden, dim)
    encoder_block = attention + feed + 2 * norm
    decoder_block = encoder_block + attention + norm
    language_model = layers * encoder_block + norm + 2 * words * dim + words
    return encoder_block, decoder_block, language_model


# %% block_parameters · wrong · no-biases-three-matrices
# source: written from the task's text, 2026-11
# mistake: no biases, and no output projection
import torch


def block_parameters(dim, heads, hidden, layers, words):
    def linear(wide, narrow):
        return wide * narrow

    norm = 2 * dim
    attention = 3 * linear(dim, dim)
    feed = linear(dim, hidden) + linear(hidden, dim)
    encoder_block = attention + feed + 2 * norm
    decoder_block = encoder_block + attention + norm
    language_model = layers * encoder_block + norm + words * dim + words
    return encoder_block, decoder_block, language_model


# %% block_parameters · wrong · norms-miscounted
# source: written from the task's text, 2026-11
# mistake: a norm too few in the decoder, no last norm, and no bias of the output
import torch


def block_parameters(dim, heads, hidden, layers, words):
    def linear(wide, narrow):
        return wide * narrow + narrow

    norm = 2 * dim
    attention = 4 * linear(dim, dim)
    feed = linear(dim, hidden) + linear(hidden, dim)
    encoder_block = attention + feed + 2 * norm
    decoder_block = encoder_block + attention
    language_model = layers * encoder_block + words * dim
    return encoder_block, decoder_block, language_model


# %% next_word · right · sorted-threshold
# source: written from the task's text, 2026-11
import torch


def next_word(logits, temperature, k, uniform):
    scores = logits / temperature
    kept = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, scores.topk(k, -1).indices, True)
    chances = scores.masked_fill(~kept, -torch.inf).softmax(-1)
    edges = chances.cumsum(-1)
    word = (edges <= uniform.unsqueeze(-1)).sum(-1).clamp(max=logits.shape[-1] - 1)
    last = torch.where(kept, torch.arange(logits.shape[-1]), -1).amax(-1)
    return chances, torch.minimum(word, last)


# %% next_word · wrong · after-softmax-no-renormalise
# source: written from the task's text, 2026-11
# mistake: top-k of the chances without sharing out again, and the right end belongs to the piece
import torch


def next_word(logits, temperature, k, uniform):
    scores = logits / temperature
    kept = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, scores.topk(k, -1).indices, True)
    chances = scores.softmax(-1) * kept
    edges = chances.cumsum(-1)
    word = (edges < uniform.unsqueeze(-1)).sum(-1).clamp(max=logits.shape[-1] - 1)
    last = torch.where(kept, torch.arange(logits.shape[-1]), -1).amax(-1)
    return chances, torch.minimum(word, last)


# %% next_word · wrong · times-temperature-sorted
# source: written from the task's text, 2026-11
# mistake: multiplied by the temperature, and the pieces lie in the order of the chances
import torch


def next_word(logits, temperature, k, uniform):
    scores = logits * temperature
    kept = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, scores.topk(k, -1).indices, True)
    chances = scores.masked_fill(~kept, -torch.inf).softmax(-1)
    ranked, order = chances.sort(-1, descending=True)
    place = (ranked.cumsum(-1) <= uniform.unsqueeze(-1)).sum(-1).clamp(max=logits.shape[-1] - 1)
    return chances, order.gather(-1, place.unsqueeze(-1)).squeeze(-1)


# %% next_word · wrong · argmax-smallest
# source: written from the task's text, 2026-11
# mistake: keeps the k unlikeliest, and takes the likeliest of them
import torch


def next_word(logits, temperature, k, uniform):
    scores = logits / temperature
    kept = torch.zeros_like(scores, dtype=torch.bool).scatter(
        -1, scores.topk(k, -1, largest=False).indices, True
    )
    chances = scores.masked_fill(~kept, -torch.inf).softmax(-1)
    edges = chances.cumsum(-1)
    word = (edges <= uniform.unsqueeze(-1)).sum(-1).clamp(max=logits.shape[-1] - 1)
    last = torch.where(kept, torch.arange(logits.shape[-1]), -1).amax(-1)
    return chances, chances.argmax(-1)


# %% cached_step · right · einsum-cat
# source: written from the task's text, 2026-11
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, torch.einsum("bd,dk->bk", x, w_k)[:, None]], 1)
    values = torch.cat([past_values, torch.einsum("bd,dk->bk", x, w_v)[:, None]], 1)
    scores = torch.einsum("bd,dk,bsk->bs", x, w_q, keys) / w_q.shape[1] ** 0.5
    return torch.einsum("bs,bsv->bv", scores.softmax(-1), values), keys, values


# %% cached_step · wrong · front-and-unscaled
# source: written from the task's text, 2026-11
# mistake: the new key is put in front, and nothing is scaled
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([torch.einsum("bd,dk->bk", x, w_k)[:, None], past_keys], 1)
    values = torch.cat([past_values, torch.einsum("bd,dk->bk", x, w_v)[:, None]], 1)
    scores = torch.einsum("bd,dk,bsk->bs", x, w_q, keys)
    return torch.einsum("bs,bsv->bv", scores.softmax(-1), values), keys, values


# %% cached_step · wrong · past-only-order
# source: written from the task's text, 2026-11
# mistake: looks at the past only where there is one, and returns values before keys
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, torch.einsum("bd,dk->bk", x, w_k)[:, None]], 1)
    values = torch.cat([past_values, torch.einsum("bd,dk->bk", x, w_v)[:, None]], 1)
    scores = torch.einsum("bd,dk,bsk->bs", x, w_q, keys) / w_q.shape[1] ** 0.5
    if past_keys.shape[1]:
        scores[:, -1] = -torch.inf
    return torch.einsum("bs,bsv->bv", scores.softmax(-1), values), values, keys


# %% cached_step · wrong · dim-scale-mean
# source: written from the task's text, 2026-11
# mistake: divides by the root of the width of x, and softmax over the batch
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, torch.einsum("bd,dk->bk", x, w_k)[:, None]], 1)
    values = torch.cat([past_values, torch.einsum("bd,dk->bk", x, w_v)[:, None]], 1)
    scores = torch.einsum("bd,dk,bsk->bs", x, w_q, keys) / x.shape[1] ** 0.5
    return torch.einsum("bs,bsv->bv", scores.softmax(0), values), keys, values


# %% DecoderBlock · wrong · no-causal-post-norm
# source: written from the task's text, 2026-11
# mistake: post-norm, and no causal mask
import torch
from torch import nn

from utils.attention import MultiHeadAttention
from utils.masks import causal_mask


class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        x = self.norms[0](x + self.attention(x, x)[0])
        x = self.norms[1](x + self.cross(x, source, mask=source_mask)[0])
        return self.norms[2](x + self.feed_forward(x))


# %% DecoderBlock · wrong · source-normed-cross-first
# source: written from the task's text, 2026-11
# mistake: cross-attention first, and the source normalised again
import torch
from torch import nn

from utils.attention import MultiHeadAttention
from utils.masks import causal_mask


class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        x = x + self.cross(self.norms[1](x), self.norms[1](source), mask=source_mask)[0]
        normed = self.norms[0](x)
        x = x + self.attention(normed, normed, mask=causal_mask(x.shape[1]))[0]
        return x + self.feed_forward(self.norms[2](x))


# %% DecoderBlock · wrong · no-residuals-mask
# source: written from the task's text, 2026-11
# mistake: no residual around cross-attention, and its mask forgotten
import torch
from torch import nn

from utils.attention import MultiHeadAttention
from utils.masks import causal_mask


class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        normed = self.norms[0](x)
        x = x + self.attention(normed, normed, mask=causal_mask(x.shape[1]))[0]
        x = self.cross(self.norms[1](x), source)[0]
        return x + self.feed_forward(self.norms[2](x))


# %% DecoderBlock · wrong · norms-and-strict-mask
# source: written from the task's text, 2026-11
# mistake: the last two norms exchanged, and the causal mask inverted
import torch
from torch import nn

from utils.attention import MultiHeadAttention
from utils.masks import causal_mask


class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention, self.cross = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, source, source_mask):
        normed = self.norms[0](x)
        x = x + self.attention(normed, normed, mask=~causal_mask(x.shape[1]))[0]
        x = x + self.cross(self.norms[2](x), source, mask=source_mask)[0]
        return x + self.feed_forward(self.norms[1](x))


# %% test_language_model · right · reference-float64
# source: written from the task's text, 2026-11
import torch


def test_language_model(language_model):
    torch.manual_seed(9)

    def norm(x):
        return (x - x.mean(-1, keepdim=True)) / (
            x.var(-1, correction=0, keepdim=True) + 1e-5
        ).sqrt()

    for batch, length, places in [(2, 4, 6), (1, 1, 1), (3, 3, 3)]:
        vocab, dim, key_dim, hidden = 7, 4, 3, 5
        words = torch.randint(vocab, (batch, length))
        embedding, table = torch.randn(vocab, dim), torch.randn(places, dim)
        w_q, w_k, w_v = torch.randn(dim, key_dim), torch.randn(dim, key_dim), torch.randn(dim, dim)
        w_1, w_2 = torch.randn(dim, hidden), torch.randn(hidden, dim)
        actual = language_model(words, embedding, table, w_q, w_k, w_v, w_1, w_2)
        x = embedding[words] + table[:length]
        y = norm(x)
        scores = (y @ w_q) @ (y @ w_k).mT / key_dim**0.5
        closed = torch.ones(length, length, dtype=torch.bool).triu(1)
        x = x + scores.masked_fill(closed, -torch.inf).softmax(-1) @ (y @ w_v)
        x = x + (norm(x) @ w_1).clamp(min=0) @ w_2
        expected = (norm(x) @ embedding.T).softmax(-1)
        assert actual.shape == expected.shape
        assert torch.allclose(actual, expected, atol=1e-4)


# %% test_language_model · wrong · sums-and-future
# source: written from the task's text, 2026-11
# mistake: asks only that rows sum to 1 and that the future does not matter
import torch


def test_language_model(language_model):
    torch.manual_seed(0)
    words = torch.tensor([[1, 2, 3, 4]])
    rest = (
        torch.randn(6, 4),
        torch.randn(5, 4),
        torch.randn(4, 3),
        torch.randn(4, 3),
        torch.randn(4, 4),
        torch.randn(4, 8),
        torch.randn(8, 4),
    )
    chances = language_model(words, *rest)
    assert torch.allclose(chances.sum(-1), torch.ones(1, 4), atol=1e-5)
    other = language_model(torch.tensor([[1, 2, 3, 5]]), *rest)
    assert torch.allclose(chances[:, :3], other[:, :3], atol=1e-5)


# %% test_language_model · wrong · one-word-zero-matrices
# source: written from the task's text, 2026-11
# mistake: one word, and matrices of zeros, so that attention and network do nothing
import torch


def test_language_model(language_model):
    torch.manual_seed(0)
    embedding, places = torch.randn(6, 4), torch.randn(5, 4)
    zeros = torch.zeros(4, 4)
    chances = language_model(
        torch.tensor([[3]]), embedding, places, zeros, zeros, zeros, zeros, zeros
    )
    x = embedding[3] + places[0]
    x = (x - x.mean()) / (x.var(correction=0) + 1e-5).sqrt()
    assert torch.allclose(chances[0, 0], (embedding @ x).softmax(-1), atol=1e-5)


# %% PreNormBlock · right · named-norms
# source: written from the task's text, 2026-11
from torch import nn


class PreNormBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = feed_forward(dim, hidden)
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, mask):
        first, second = self.norms
        y = first(x)
        after, _ = self.attention(y, y, mask=mask)
        after = after + x
        return after + self.feed_forward(second(after))


# %% PreNormBlock · wrong · post-norm-no-mask
# source: written from the task's text, 2026-11
# mistake: post-norm, and the mask not passed on
from torch import nn


class PreNormBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = feed_forward(dim, hidden)
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, mask):
        first, second = self.norms
        after = first(x + self.attention(x, x)[0])
        return second(after + self.feed_forward(after))


# %% PreNormBlock · wrong · keys-raw-no-residual
# source: written from the task's text, 2026-11
# mistake: the keys are not normalised, and the last addition is missing
from torch import nn


class PreNormBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = feed_forward(dim, hidden)
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, mask):
        first, second = self.norms
        y = first(x)
        after, _ = self.attention(y, x, mask=mask)
        after = after + x
        return self.feed_forward(second(after))


# %% PreNormBlock · wrong · adds-normed-same-norm
# source: written from the task's text, 2026-11
# mistake: adds to the normalised words, and uses the first norm twice
from torch import nn


class PreNormBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = feed_forward(dim, hidden)
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, mask):
        first, second = self.norms
        y = first(x)
        after, _ = self.attention(y, y, mask=mask)
        after = after + y
        return after + self.feed_forward(first(after))


# %% next_token_loss · right · log-softmax-gather
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F


def next_token_loss(logits, tokens):
    ahead = logits[:, :-1].log_softmax(-1)
    return -ahead.gather(2, tokens[:, 1:, None]).mean()


# %% next_token_loss · wrong · unshifted-softmaxed
# source: written from the task's text, 2026-11
# mistake: compares each place with its own word, and a softmax before
import torch
import torch.nn.functional as F


def next_token_loss(logits, tokens):
    ahead = logits.softmax(-1).log_softmax(-1)
    return -ahead.gather(2, tokens[:, :, None]).mean()


# %% next_token_loss · wrong · backwards-sum
# source: written from the task's text, 2026-11
# mistake: predicts the word before, and sums
import torch
import torch.nn.functional as F


def next_token_loss(logits, tokens):
    ahead = logits[:, 1:].log_softmax(-1)
    return -ahead.gather(2, tokens[:, :-1, None]).sum()


# %% next_letters · wrong · counts-of-two
# source: written from the task's text, 2026-11
# mistake: no network: counts what follows the last two characters
import torch


from collections import Counter, defaultdict


def next_letters(text, beginnings):
    follows = defaultdict(Counter)
    for a, b, c in zip(text, text[1:], text[2:]):
        follows[a + b][c] += 1
    return [
        follows[one[-2:]].most_common(1)[0][0] if follows[one[-2:]] else " " for one in beginnings
    ]


# %% next_letters · wrong · counts-of-five-back-off
# source: written from the task's text, 2026-11
# mistake: no network: counts with the longest known context, backing off
import torch


from collections import Counter, defaultdict


def next_letters(text, beginnings):
    follows = [defaultdict(Counter) for _ in range(7)]
    for place in range(1, len(text)):
        for width in range(min(7, place)):
            follows[width][text[place - width : place]][text[place]] += 1
    answers = []
    for one in beginnings:
        for width in range(6, -1, -1):
            seen = follows[width].get(one[len(one) - width :])
            if seen and sum(seen.values()) >= 2:
                answers.append(seen.most_common(1)[0][0])
                break
    return answers


# %% next_letter · wrong · sorted-by-rule
# source: written from the task's text, 2026-11
# mistake: no network: the next letter by plain comparison
import torch


def next_letter(words, written):
    later = torch.where(words > written[:, None], words, 27)
    return later.amin(1)
