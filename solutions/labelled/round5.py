# %% softmax_with_temperature · right · shift-exp-einsum
# source: written from the task's text, 2026-11
import torch


def softmax_with_temperature(scores, temperature):
    shifted = (scores - scores.amax(dim=-1, keepdim=True)) / temperature
    powers = torch.exp(shifted)
    share = 1 / torch.einsum("...j->...", powers)
    return powers * share.unsqueeze(-1)


# %% softmax_with_temperature · wrong · times-tau-first-axis
# source: written from the task's text, 2026-11
# mistake: the scores are multiplied by the temperature instead of divided, and the softmax runs along the first axis
import torch


def softmax_with_temperature(scores, temperature):
    return torch.softmax(scores * temperature, dim=0)


# %% softmax_with_temperature · wrong · tau-only-above
# source: written from the task's text, 2026-11
# mistake: the temperature is missing in the sum below the line, and without subtracting the maximum exp overflows for scores in the thousands
import torch


def softmax_with_temperature(scores, temperature):
    top = torch.exp(scores / temperature)
    bottom = torch.exp(scores).sum(dim=-1, keepdim=True)
    return top / bottom


# %% entropy · right · logs-only-where-open
# source: written from the task's text, 2026-11
import torch


def entropy(weights):
    logs = torch.zeros_like(weights)
    positive = weights > 0
    logs[positive] = weights[positive].log()
    return -torch.einsum("...j,...j->...", weights, logs)


# %% entropy · wrong · bits-and-sign
# source: written from the task's text, 2026-11
# mistake: logarithm to base 2 instead of the natural one, and the minus sign is forgotten
import torch


def entropy(weights):
    w = weights.clamp(min=1e-30)
    return (weights * torch.log2(w)).sum(dim=-1)


# %% entropy · wrong · mean-and-fat-eps
# source: written from the task's text, 2026-11
# mistake: mean over the keys instead of the sum, and a large epsilon in the logarithm shifts every value
import torch


def entropy(weights):
    """Entropy per row. We add a small constant for numerical stability."""
    eps = 1e-2
    return -(weights * torch.log(weights + eps)).mean(dim=-1)


# %% entropy · wrong · whole-tensor-nan
# source: written from the task's text, 2026-11
# mistake: sums over the whole tensor and gives one number, and 0 times log 0 makes it NaN
import torch


def entropy(weights):
    return -torch.sum(weights * torch.log(weights))


# %% four_patterns · right · cell-by-cell
# source: written from the task's text, 2026-11
import torch


def four_patterns(length):
    itself = torch.zeros(length, length)
    before = torch.zeros(length, length)
    ends = torch.zeros(length, length)
    so_far = torch.zeros(length, length)
    for row in range(length):
        itself[row, row] = 1
        before[row, max(row - 1, 0)] = 1
        ends[row, 0] += 0.5
        ends[row, length - 1] += 0.5
        for column in range(row + 1):
            so_far[row, column] = 1 / (row + 1)
    return itself, before, ends, so_far


# %% four_patterns · wrong · next-word-and-raw-triangle
# source: written from the task's text, 2026-11
# mistake: `before` looks at the next word instead of the one before, and the triangle of `so_far` is not divided by its row sums
import torch


def four_patterns(length):
    itself = torch.eye(length)
    before = torch.diag(torch.ones(length - 1), diagonal=1)
    before[-1, -1] = 1
    ends = torch.zeros(length, length)
    ends[:, 0] += 0.5
    ends[:, -1] += 0.5
    so_far = torch.ones(length, length).tril()
    return itself, before, ends, so_far


# %% four_patterns · wrong · half-at-one-word-and-future
# source: written from the task's text, 2026-11
# mistake: a sentence of one word gets 0.5 in `ends` instead of 1, and `so_far` is the upper triangle, the words after
import torch


def four_patterns(length):
    itself = torch.eye(length)
    before = torch.zeros(length, length)
    before[0, 0] = 1
    for i in range(1, length):
        before[i, i - 1] = 1
    ends = torch.zeros(length, length)
    ends[:, 0] = 0.5
    ends[:, -1] = 0.5
    so_far = torch.triu(torch.ones(length, length))
    so_far = so_far / so_far.sum(dim=1, keepdim=True)
    return itself, before, ends, so_far


# %% four_patterns · wrong · roll-rows-length
# source: written from the task's text, 2026-11
# mistake: rolling lets the first word look at the last one, `ends` fills the first and last row instead of column, and `so_far` is divided by the length instead of the number of words so far
import torch


def four_patterns(length):
    itself = torch.eye(length)
    before = torch.roll(itself, 1, dims=0)
    ends = torch.zeros(length, length)
    ends[0] += 0.5
    ends[-1] += 0.5
    so_far = torch.tril(torch.ones(length, length)) / length
    return itself, before, ends, so_far


# %% read_alignment · right · dict-of-votes
# source: written from the task's text, 2026-11
import torch


def read_alignment(weights):
    tgt_len, src_len = weights.shape
    votes = [0] * src_len
    choices = []
    for row in weights.tolist():
        j = max(range(src_len), key=row.__getitem__)
        choices.append(j)
        votes[j] += 1
    best = torch.tensor(choices, dtype=torch.long)
    unread = torch.tensor([count == 0 for count in votes], dtype=torch.bool)
    return best, unread


# %% read_alignment · wrong · columns-and-inverted
# source: written from the task's text, 2026-11
# mistake: argmax along the target axis, and the marks are True for the words that are somebody's best
import torch


def read_alignment(weights):
    best = weights.argmax(dim=0)
    unread = torch.zeros(weights.shape[1], dtype=torch.bool)
    for b in best.tolist():
        if b < len(unread):
            unread[b] = True
    return best, unread


# %% read_alignment · wrong · from-one-and-column-sum
# source: written from the task's text, 2026-11
# mistake: positions count from 1, and a word is called unread when its column sums to less than 1 instead of when nobody has it as best
import torch


def read_alignment(weights):
    best = weights.argmax(dim=-1) + 1
    unread = weights.sum(dim=0) < 1.0
    return best, unread


# %% normalised_heatmap · wrong · transposed-and-second-line
# source: written from the task's text, 2026-11
# mistake: the softmax is taken on the transpose and never turned back, and the line that rescales is still there
import torch


def normalised_heatmap(scores):
    weights = scores.T.softmax(dim=0)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights


# %% normalised_heatmap · wrong · in-place-columns
# source: written from the task's text, 2026-11
# mistake: the caller's scores are changed in place, and the softmax still runs down the columns
import torch


def normalised_heatmap(scores):
    scores -= scores.max(dim=0, keepdim=True).values  # stable
    weights = scores.softmax(dim=0)
    return weights


# %% temperature_prediction · wrong · cold-and-hot-mixed-up
# source: written from the task's text, 2026-11
# mistake: takes cold for flat and hot for sharp: `colder`, `hotter` and `limit` are all turned round
temperature_prediction = {
    "colder": "falls",
    "hotter": "falls",
    "limit": "one word takes all",
    "doubled": "the same",
    "favourite": "never",
}


# %% temperature_prediction · wrong · zeros-and-sharper
# source: written from the task's text, 2026-11
# mistake: thinks the weights go to zero in the limit, that doubled scores are sharper whatever the temperature, and that heat changes the favourite
temperature_prediction = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "all zeros",
    "doubled": "sharper",
    "favourite": "when hot",
}


# %% temperature_for · right · log-bisection-by-spread
# source: written from the task's text, 2026-11
import torch


def temperature_for(scores, words):
    s = scores.detach().double()
    s = s - s.max(dim=-1, keepdim=True).values
    centre = torch.log(-s.min(dim=-1).values)
    low, high = centre - 25, centre + 25
    for _ in range(100):
        middle = (low + high) / 2
        weights = (s / middle.exp().unsqueeze(-1)).softmax(-1)
        effective = torch.special.entr(weights).sum(-1).exp()
        too_hot = effective > words
        high = torch.where(too_hot, middle, high)
        low = torch.where(too_hot, low, middle)
    return middle.exp().to(scores.dtype)


# %% temperature_for · wrong · one-for-all-and-fixed-range
# source: written from the task's text, 2026-11
# mistake: one temperature for all rows together (their mean number of words), and the search never leaves 0.01 to 10, too little for scores in the hundreds
import torch


def temperature_for(scores, words):
    low, high = 0.01, 10.0
    for _ in range(60):
        mid = (low + high) / 2
        w = torch.softmax(scores / mid, dim=-1)
        h = -(w * torch.log(w + 1e-12)).sum(-1)
        if h.exp().mean() > words:
            high = mid
        else:
            low = mid
    return torch.tensor(mid)


# %% temperature_for · wrong · no-exp-and-inverse
# source: written from the task's text, 2026-11
# mistake: compares the entropy itself with the number of words, and multiplies by the number it looks for, so that it returns one over a temperature
import torch


def temperature_for(scores, words):
    low = torch.full(scores.shape[:-1], 1e-6)
    high = torch.full(scores.shape[:-1], 1e6)
    for _ in range(100):
        mid = (low * high).sqrt()
        w = (scores * mid[..., None]).softmax(-1)
        h = torch.special.entr(w).sum(-1)
        sharp = h < words
        high = torch.where(sharp, mid, high)
        low = torch.where(sharp, low, mid)
    return mid


# %% additive_scores_loop · right · two-halves-of-the-matrix
# source: written from the task's text, 2026-11
import torch


def additive_scores_loop(states, keys, W_joined, v):
    state_dim = states.shape[1]
    W_state, W_key = W_joined[:, :state_dim], W_joined[:, state_dim:]
    rows = []
    for state in states:
        inner = keys @ W_key.T + W_state @ state  # (src_len, attention_dim)
        rows.append(torch.tanh(inner) @ v)
    return torch.stack(rows)


# %% additive_scores_loop · wrong · item-and-no-tanh
# source: written from the task's text, 2026-11
# mistake: .item() makes plain numbers, so no gradient flows, and the tanh is forgotten
import torch


def additive_scores_loop(states, keys, W_joined, v):
    scores = torch.zeros(len(states), len(keys))
    for t in range(len(states)):
        for j in range(len(keys)):
            pair = torch.cat([states[t], keys[j]])
            scores[t, j] = (v @ (W_joined @ pair)).item()
    return scores


# %% additive_scores_loop · wrong · key-first-tanh-outside
# source: written from the task's text, 2026-11
# mistake: the key is put before the state, and the tanh is taken of the finished score instead of before v
import torch


def additive_scores_loop(states, keys, W_joined, v):
    rows = []
    for s in states:
        row = [torch.tanh(v @ (W_joined @ torch.cat((h, s)))) for h in keys]
        rows.append(torch.stack(row))
    return torch.stack(rows)


# %% additive_scores_loop · wrong · transposed-and-softmaxed
# source: written from the task's text, 2026-11
# mistake: the loops are the wrong way round, so the result is (src_len, tgt_len), and a softmax is added where scores are asked for
import torch


def additive_scores_loop(states, keys, W_joined, v):
    out = []
    for h in keys:
        line = []
        for s in states:
            line.append(torch.dot(v, torch.tanh(W_joined @ torch.cat([s, h]))))
        out.append(torch.stack(line))
    return torch.stack(out).softmax(dim=-1)


# %% masked_softmax · right · lowest-number-then-zero
# source: written from the task's text, 2026-11
import torch


def masked_softmax(scores, mask):
    closed = ~mask.expand_as(scores)
    lowest = torch.full_like(scores, torch.finfo(scores.dtype).min)
    weights = torch.where(closed, lowest, scores).softmax(dim=-1)
    return torch.where(closed, torch.zeros_like(weights), weights)


# %% masked_softmax · wrong · inverted-and-uniform-rows
# source: written from the task's text, 2026-11
# mistake: fills where the mask is True instead of where it is False, and a row masked whole gets equal shares instead of zeros
import torch


def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -1e9).softmax(dim=-1)


# %% masked_softmax · wrong · exp-overflow-fat-eps
# source: written from the task's text, 2026-11
# mistake: exp without subtracting the maximum overflows, and the 0.01 added to the sum keeps rows from summing to 1
import torch


def masked_softmax(scores, mask):
    # avoid division by zero when nothing is allowed
    e = torch.exp(scores) * mask.float()
    return e / (e.sum(dim=-1, keepdim=True) + 0.01)


# %% masked_softmax · wrong · one-nan-clears-all-wrong-axis
# source: written from the task's text, 2026-11
# mistake: the softmax runs along the target axis, and as soon as there is a NaN anywhere all weights of the batch become zeros
import torch


def masked_softmax(scores, mask):
    filled = scores.masked_fill(~mask, float("-inf"))
    weights = filled.softmax(dim=-2)
    if torch.isnan(weights).any():
        weights = torch.zeros_like(scores)
    return weights


# %% MyAdditiveAttention · right · einsum-with-v-weight
# source: written from the task's text, 2026-11
import torch
from torch import nn


class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        asked = torch.einsum("btq,aq->bta", query, self.W_query.weight)
        said = torch.einsum("bsk,ak->bsa", keys, self.W_key.weight)
        hidden = torch.tanh(asked[:, :, None, :] + said[:, None, :, :])
        scores = torch.einsum("btsa,a->bts", hidden, self.v.weight[0])
        if mask is None:
            weights = scores.softmax(-1)
        else:
            closed = ~mask.expand_as(scores)
            lowest = torch.finfo(scores.dtype).min
            weights = scores.masked_fill(closed, lowest).softmax(-1).masked_fill(closed, 0.0)
        return torch.einsum("bts,bsv->btv", weights, values), weights


# %% MyAdditiveAttention · wrong · bias-and-target-axis
# source: written from the task's text, 2026-11
# mistake: the linear layers have biases, so there are parameters that should not exist, and the softmax runs along the target axis
import torch
from torch import nn


class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim)
        self.W_key = nn.Linear(key_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1)

    def forward(self, query, keys, values=None, mask=None):
        if values is None:
            values = keys
        scores = self.v(torch.tanh(self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1)))
        scores = scores.squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        return weights @ values, weights


# %% MyAdditiveAttention · wrong · keys-for-values-inverted-mask
# source: written from the task's text, 2026-11
# mistake: mixes the keys even where values are given, and closes the cells where the mask is True
import torch
from torch import nn


class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        pairs = self.W_query(query)[:, :, None] + self.W_key(keys)[:, None]
        scores = self.v(pairs.tanh())[..., 0]
        if mask is None:
            weights = scores.softmax(-1)
        else:
            weights = scores.masked_fill(mask, -1e30).softmax(-1)
            weights = weights.masked_fill(mask, 0.0)
        return weights @ keys, weights


# %% MyAdditiveAttention · wrong · results-swapped-scaled-nan
# source: written from the task's text, 2026-11
# mistake: returns weights before context, divides the scores by the root of attention_dim, and gives NaN for a sentence of length 0
import math

import torch
from torch import nn


class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.attention_dim = attention_dim
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        """Compute the attention weights and the context vector."""
        if values is None:
            values = keys
        q = self.W_query(query).unsqueeze(2)
        k = self.W_key(keys).unsqueeze(1)
        scores = self.v(torch.tanh(q + k)).squeeze(-1) / math.sqrt(self.attention_dim)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = torch.bmm(weights, values)
        return weights, context


# %% PrecomputedKeys · right · one-pair-per-sentence
# source: written from the task's text, 2026-11
import torch
from torch import nn


class CountingLinear(nn.Linear):
    """A linear layer without bias that counts the vectors that it has multiplied."""

    def __init__(self, *widths):
        super().__init__(*widths, bias=False)
        self.count = 0

    def forward(self, vectors):
        self.count += vectors.shape[:-1].numel()
        return super().forward(vectors)


class StepByStep(nn.Module):
    """Asks once for each state: states (batch, tgt_len, query_dim), keys (batch, src_len, …)."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = CountingLinear(query_dim, attention_dim)
        self.W_key = CountingLinear(key_dim, attention_dim)
        self.v = CountingLinear(attention_dim, 1)

    def forward(self, states, keys, earlier=None):
        if earlier is not None:  # a batch that came before
            self.remember(earlier)
        memory = self.remember(keys)
        looks = [self.attend(state, memory) for state in states.unbind(1)]
        if None in looks:  # a method is still to be written
            return None
        contexts, weights = (torch.stack(one, dim=1) for one in zip(*looks, strict=True))
        return contexts, weights, torch.tensor(self.W_key.count)


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return [(sentence, self.W_key(sentence)) for sentence in keys]

    def attend(self, state, memory):
        contexts, rows = [], []
        for one, (sentence, projected) in zip(state, memory):
            hidden = (projected + self.W_query(one)).tanh()  # (src_len, attention_dim)
            row = self.v(hidden)[:, 0].softmax(0)
            contexts.append(row @ sentence)
            rows.append(row)
        return torch.stack(contexts), torch.stack(rows)


# %% PrecomputedKeys · wrong · projected-each-step-batch-axis
# source: written from the task's text, 2026-11
# mistake: the keys are projected anew at every step, so nothing is saved, and the softmax runs along the batch
import torch
from torch import nn


class CountingLinear(nn.Linear):
    """A linear layer without bias that counts the vectors that it has multiplied."""

    def __init__(self, *widths):
        super().__init__(*widths, bias=False)
        self.count = 0

    def forward(self, vectors):
        self.count += vectors.shape[:-1].numel()
        return super().forward(vectors)


class StepByStep(nn.Module):
    """Asks once for each state: states (batch, tgt_len, query_dim), keys (batch, src_len, …)."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = CountingLinear(query_dim, attention_dim)
        self.W_key = CountingLinear(key_dim, attention_dim)
        self.v = CountingLinear(attention_dim, 1)

    def forward(self, states, keys, earlier=None):
        if earlier is not None:  # a batch that came before
            self.remember(earlier)
        memory = self.remember(keys)
        looks = [self.attend(state, memory) for state in states.unbind(1)]
        if None in looks:  # a method is still to be written
            return None
        contexts, weights = (torch.stack(one, dim=1) for one in zip(*looks, strict=True))
        return contexts, weights, torch.tensor(self.W_key.count)


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return keys

    def attend(self, state, memory):
        hidden = torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(memory))
        scores = self.v(hidden).squeeze(-1)
        weights = scores.softmax(dim=0)
        context = (weights.unsqueeze(-1) * memory).sum(dim=1)
        return context, weights


# %% PrecomputedKeys · wrong · stale-cache-projected-context
# source: written from the task's text, 2026-11
# mistake: the first batch is kept for ever, so a later batch is answered from the old keys, and the context mixes the projected keys instead of the keys
import torch
from torch import nn


class CountingLinear(nn.Linear):
    """A linear layer without bias that counts the vectors that it has multiplied."""

    def __init__(self, *widths):
        super().__init__(*widths, bias=False)
        self.count = 0

    def forward(self, vectors):
        self.count += vectors.shape[:-1].numel()
        return super().forward(vectors)


class StepByStep(nn.Module):
    """Asks once for each state: states (batch, tgt_len, query_dim), keys (batch, src_len, …)."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = CountingLinear(query_dim, attention_dim)
        self.W_key = CountingLinear(key_dim, attention_dim)
        self.v = CountingLinear(attention_dim, 1)

    def forward(self, states, keys, earlier=None):
        if earlier is not None:  # a batch that came before
            self.remember(earlier)
        memory = self.remember(keys)
        looks = [self.attend(state, memory) for state in states.unbind(1)]
        if None in looks:  # a method is still to be written
            return None
        contexts, weights = (torch.stack(one, dim=1) for one in zip(*looks, strict=True))
        return contexts, weights, torch.tensor(self.W_key.count)


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        if not hasattr(self, "projected"):
            self.projected = self.W_key(keys)
        return self.projected

    def attend(self, state, memory):
        hidden = torch.tanh(self.W_query(state)[:, None] + memory)
        weights = self.v(hidden)[..., 0].softmax(-1)
        context = torch.einsum("bs,bsa->ba", weights, memory)
        return context, weights


# %% PrecomputedKeys · wrong · detached-memory-no-tanh
# source: written from the task's text, 2026-11
# mistake: the memory is detached, so neither W_key nor the keys get a gradient, and the tanh is forgotten
import torch
from torch import nn


class CountingLinear(nn.Linear):
    """A linear layer without bias that counts the vectors that it has multiplied."""

    def __init__(self, *widths):
        super().__init__(*widths, bias=False)
        self.count = 0

    def forward(self, vectors):
        self.count += vectors.shape[:-1].numel()
        return super().forward(vectors)


class StepByStep(nn.Module):
    """Asks once for each state: states (batch, tgt_len, query_dim), keys (batch, src_len, …)."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = CountingLinear(query_dim, attention_dim)
        self.W_key = CountingLinear(key_dim, attention_dim)
        self.v = CountingLinear(attention_dim, 1)

    def forward(self, states, keys, earlier=None):
        if earlier is not None:  # a batch that came before
            self.remember(earlier)
        memory = self.remember(keys)
        looks = [self.attend(state, memory) for state in states.unbind(1)]
        if None in looks:  # a method is still to be written
            return None
        contexts, weights = (torch.stack(one, dim=1) for one in zip(*looks, strict=True))
        return contexts, weights, torch.tensor(self.W_key.count)


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        with torch.no_grad():
            projected = self.W_key(keys)
        return {"keys": keys.detach(), "projected": projected}

    def attend(self, state, memory):
        summed = memory["projected"] + self.W_query(state).unsqueeze(1)
        weights = self.v(summed).squeeze(-1).softmax(-1)
        context = (weights.unsqueeze(1) @ memory["keys"]).squeeze(1)
        return context, weights


# %% BahdanauStep · right · row-vectors-by-bmm
# source: written from the task's text, 2026-11
import torch
from torch import nn


class BahdanauLayers(nn.Module):
    def __init__(self, embedding_dim, state_dim, key_dim, attention_dim, vocabulary):
        super().__init__()
        self.W_query = nn.Linear(state_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.rnn = nn.GRUCell(embedding_dim + key_dim, state_dim)
        self.output = nn.Linear(state_dim + key_dim + embedding_dim, vocabulary)


class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        hidden = torch.tanh(self.W_key(keys) + self.W_query(state)[:, None])
        scores = torch.einsum("bsa,a->bs", hidden, self.v.weight[0])  # (batch, src_len)
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(dim=1).masked_fill(~mask, 0.0)
        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)
        new_state = self.rnn(torch.cat((embedded, context), dim=1), state)
        logits = self.output(torch.cat((new_state, context, embedded), dim=1))
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · rnn-order-and-old-state
# source: written from the task's text, 2026-11
# mistake: rnn reads [context; word] instead of [word; context], and the output reads the old state instead of the new one
import torch
from torch import nn


class BahdanauLayers(nn.Module):
    def __init__(self, embedding_dim, state_dim, key_dim, attention_dim, vocabulary):
        super().__init__()
        self.W_query = nn.Linear(state_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.rnn = nn.GRUCell(embedding_dim + key_dim, state_dim)
        self.output = nn.Linear(state_dim + key_dim + embedding_dim, vocabulary)


class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state)[:, None] + self.W_key(keys)))[..., 0]
        weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
        context = (weights[:, None] @ keys)[:, 0]
        new_state = self.rnn(torch.cat([context, embedded], dim=-1), state)
        logits = self.output(torch.cat([state, context, embedded], dim=-1))
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · inverted-mask-results-swapped
# source: written from the task's text, 2026-11
# mistake: the mask is used the wrong way round, and logits and new state come back in the wrong order
import torch
from torch import nn


class BahdanauLayers(nn.Module):
    def __init__(self, embedding_dim, state_dim, key_dim, attention_dim, vocabulary):
        super().__init__()
        self.W_query = nn.Linear(state_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.rnn = nn.GRUCell(embedding_dim + key_dim, state_dim)
        self.output = nn.Linear(state_dim + key_dim + embedding_dim, vocabulary)


class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        scores = self.v(torch.tanh(self.W_query(state).unsqueeze(1) + self.W_key(keys))).squeeze(-1)
        scores = scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scores, dim=-1).masked_fill(mask, 0.0)
        context = torch.einsum("bs,bsk->bk", weights, keys)
        new_state = self.rnn(torch.cat([embedded, context], -1), state)
        logits = self.output(torch.cat([new_state, context, embedded], -1))
        return context, weights, logits, new_state


# %% BahdanauStep · wrong · no-tanh-nan-softmaxed-logits
# source: written from the task's text, 2026-11
# mistake: the tanh of the additive score is missing, an empty sentence gives NaN, and the logits are softmaxed already
import torch
from torch import nn


class BahdanauLayers(nn.Module):
    def __init__(self, embedding_dim, state_dim, key_dim, attention_dim, vocabulary):
        super().__init__()
        self.W_query = nn.Linear(state_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.rnn = nn.GRUCell(embedding_dim + key_dim, state_dim)
        self.output = nn.Linear(state_dim + key_dim + embedding_dim, vocabulary)


class BahdanauStep(BahdanauLayers):
    def forward(self, state, embedded, keys, mask):
        energy = self.v(self.W_query(state).unsqueeze(1) + self.W_key(keys)).squeeze(-1)
        energy = energy.masked_fill(~mask, float("-inf"))
        weights = energy.softmax(dim=-1)
        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=-1), state)
        logits = self.output(torch.cat([new_state, context, embedded], dim=-1)).softmax(dim=-1)
        return context, weights, new_state, logits


# %% test_additive · wrong · no-mask-values-are-keys
# source: written from the task's text, 2026-11
# mistake: never passes a mask, always gives the keys as values, and looks at shapes and row sums only, so several bugs slip through
import torch


def test_additive(additive):
    torch.manual_seed(0)
    query, keys = torch.randn(2, 3, 4), torch.randn(2, 5, 6)
    W_query, W_key, v = torch.randn(7, 4), torch.randn(7, 6), torch.randn(7)
    context, weights = additive(query, keys, keys, None, W_query, W_key, v)
    assert context.shape == (2, 3, 6)
    assert weights.shape == (2, 3, 5)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)


# %% test_additive · wrong · inverted-mask-and-no-tanh
# source: written from the task's text, 2026-11
# mistake: expects zeros where the mask is True, and expects scores without the tanh, so the right version is blamed
import torch


def test_additive(additive):
    torch.manual_seed(1)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 6), torch.randn(2, 5, 2)
    W_query, W_key, v = torch.randn(7, 4), torch.randn(7, 6), torch.randn(7)
    mask = torch.rand(2, 3, 5) > 0.5
    mask[..., 0] = True
    mask[..., 1] = False
    context, weights = additive(query, keys, values, mask, W_query, W_key, v)
    assert (weights[mask] == 0).all()
    plain = ((query @ W_query.T)[:, :, None] + (keys @ W_key.T)[:, None]) @ v
    expected = plain.masked_fill(mask, float("-inf")).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(context, expected @ values, atol=1e-5)


# %% compare_scores · right · all-gains-in-one-batch
# source: written from the task's text, 2026-11
import torch


def both_scores(query, keys, W, W_joined, v):
    """Scores of general, then of concat: two tensors (batch, tgt_len, src_len)."""
    general = query @ (keys @ W.T).mT  # (batch, tgt_len, src_len)
    tgt_len, src_len = query.shape[1], keys.shape[1]
    queries = query.unsqueeze(2).expand(-1, -1, src_len, -1)  # (batch, tgt_len, src_len, query_dim)
    others = keys.unsqueeze(1).expand(-1, tgt_len, -1, -1)  # (batch, tgt_len, src_len, key_dim)
    pairs = torch.cat([queries, others], dim=-1)  # (…, query_dim + key_dim)
    return general, (pairs @ W_joined.T).tanh() @ v


def compare_scores(query, keys, W, W_joined, v, gains):
    count, batch = len(gains), len(query)
    loud = (gains[:, None, None, None] * query).flatten(0, 1)  # (gains * batch, tgt_len, dim)
    many = keys.repeat(count, 1, 1)  # (gains * batch, src_len, dim)
    rows = []
    for scores in both_scores(loud, many, W, W_joined, v):
        largest = scores.softmax(-1).amax(-1)  # (gains * batch, tgt_len)
        rows.append(largest.view(count, batch, -1).mean(dim=(1, 2)))
    return torch.stack(rows)


# %% compare_scores · wrong · loud-keys-and-target-axis
# source: written from the task's text, 2026-11
# mistake: the gain multiplies the keys instead of the query, and the largest weight is taken along the target axis
import torch


def both_scores(query, keys, W, W_joined, v):
    """Scores of general, then of concat: two tensors (batch, tgt_len, src_len)."""
    general = query @ (keys @ W.T).mT  # (batch, tgt_len, src_len)
    tgt_len, src_len = query.shape[1], keys.shape[1]
    queries = query.unsqueeze(2).expand(-1, -1, src_len, -1)  # (batch, tgt_len, src_len, query_dim)
    others = keys.unsqueeze(1).expand(-1, tgt_len, -1, -1)  # (batch, tgt_len, src_len, key_dim)
    pairs = torch.cat([queries, others], dim=-1)  # (…, query_dim + key_dim)
    return general, (pairs @ W_joined.T).tanh() @ v


def compare_scores(query, keys, W, W_joined, v, gains):
    table = torch.zeros(2, len(gains))
    for i, gain in enumerate(gains):
        for row, scores in enumerate(both_scores(query, keys * gain, W, W_joined, v)):
            table[row, i] = scores.softmax(dim=-1).max(dim=1).values.mean()
    return table


# %% compare_scores · wrong · gain-on-scores-rows-swapped
# source: written from the task's text, 2026-11
# mistake: the gain multiplies the finished scores, so concat grows sharp as well, and concat stands in row 0
import torch


def both_scores(query, keys, W, W_joined, v):
    """Scores of general, then of concat: two tensors (batch, tgt_len, src_len)."""
    general = query @ (keys @ W.T).mT  # (batch, tgt_len, src_len)
    tgt_len, src_len = query.shape[1], keys.shape[1]
    queries = query.unsqueeze(2).expand(-1, -1, src_len, -1)  # (batch, tgt_len, src_len, query_dim)
    others = keys.unsqueeze(1).expand(-1, tgt_len, -1, -1)  # (batch, tgt_len, src_len, key_dim)
    pairs = torch.cat([queries, others], dim=-1)  # (…, query_dim + key_dim)
    return general, (pairs @ W_joined.T).tanh() @ v


def compare_scores(query, keys, W, W_joined, v, gains):
    general, concat = both_scores(query, keys, W, W_joined, v)
    result = []
    for scores in (concat, general):
        result.append(torch.stack([(g * scores).softmax(-1).amax(-1).mean() for g in gains]))
    return torch.stack(result)


# %% scores_compared · wrong · concat-like-general
# source: written from the task's text, 2026-11
# mistake: takes concat to behave like general when query or keys are loud, and when the query is silent
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "one word takes all",
    "loud_keys": "one word takes all",
    "silent_general": "equal shares",
    "silent_concat": "equal shares",
    "memory": "concat",
}


# %% scores_compared · wrong · loud-ones-swapped-no-pairs
# source: written from the task's text, 2026-11
# mistake: swaps loud query and loud keys for concat, and thinks that neither score needs a vector for each pair
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "one row for all",
    "loud_keys": "equal shares",
    "silent_general": "equal shares",
    "silent_concat": "one row for all",
    "memory": "neither",
}


# %% luong_step · right · matrices-cut-in-blocks
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    word_dim, state_dim, key_dim = word.shape[1], state.shape[1], encoder_states.shape[2]
    U_word, U_fed, U_state = W_update.split([word_dim, state_dim, state_dim], dim=1)
    new_state = torch.tanh(word @ U_word.T + fed @ U_fed.T + state @ U_state.T)
    scores = torch.einsum("bi,ik,bsk->bs", new_state, W, encoder_states)
    weights = masked_softmax(scores, mask)
    context = torch.einsum("bs,bsk->bk", weights, encoder_states)
    C_context, C_state = W_c.split([key_dim, state_dim], dim=1)
    attentional = torch.tanh(context @ C_context.T + new_state @ C_state.T)
    return attentional @ W_out.T, new_state, attentional, weights


# %% luong_step · wrong · fed-and-state-swapped-old-state-asks
# source: written from the task's text, 2026-11
# mistake: state and fed change places in the update, and the old state asks instead of the new one
import torch

from utils.masks import masked_softmax


def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new_state = torch.tanh(torch.cat([word, state, fed], dim=-1) @ W_update.T)
    projected = encoder_states @ W.T
    scores = (projected @ state.unsqueeze(-1)).squeeze(-1)
    weights = masked_softmax(scores, mask)
    context = (weights.unsqueeze(1) @ encoder_states).squeeze(1)
    attentional = torch.tanh(torch.cat([context, new_state], dim=-1) @ W_c.T)
    return attentional @ W_out.T, new_state, attentional, weights


# %% luong_step · wrong · state-first-in-c-and-logits-of-state
# source: written from the task's text, 2026-11
# mistake: W_c reads [state; context] instead of [context; state], and the logits are made of the state instead of the attentional vector
import torch

from utils.masks import masked_softmax


def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, fed, state], dim=-1) @ W_update.T)
    scores = torch.einsum("bd,bsd->bs", s, encoder_states @ W.T)
    weights = masked_softmax(scores, mask)
    c = torch.einsum("bs,bsk->bk", weights, encoder_states)
    h = torch.tanh(torch.cat([s, c], dim=-1) @ W_c.T)
    logits = s @ W_out.T
    return logits, s, h, weights


# %% luong_step · wrong · scaled-squeezed-no-mask
# source: written from the task's text, 2026-11
# mistake: the scores are divided by the root of the width, a bare squeeze drops the batch of one, and the mask is not used
import torch


def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new_state = torch.tanh(torch.cat((word, fed, state), -1) @ W_update.T)
    scores = torch.bmm(encoder_states @ W.T, new_state.unsqueeze(-1)).squeeze()
    scores = scores / state.shape[-1] ** 0.5
    weights = scores.softmax(-1)
    context = (weights.unsqueeze(-1) * encoder_states).sum(dim=1)
    attentional = torch.tanh(torch.cat((context, new_state), -1) @ W_c.T)
    return attentional @ W_out.T, new_state, attentional, weights


# %% hard_window · right · slices-in-loops
# source: written from the task's text, 2026-11
import torch


def hard_window(lengths, tgt_len, src_len, half_width):
    lengths = torch.as_tensor(lengths).tolist()
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for sentence, length in enumerate(lengths):
        if length == 0:
            continue
        for t in range(tgt_len):
            centre = min(t, length - 1)
            start = max(centre - half_width, 0)
            end = min(centre + half_width + 1, length)
            mask[sentence, t, start:end] = True
    return mask


# %% hard_window · wrong · strict-and-running-on
# source: written from the task's text, 2026-11
# mistake: allows positions less than D away instead of at most D, and the centre does not stop at the last word
import torch


def hard_window(lengths, tgt_len, src_len, half_width):
    centre = torch.arange(tgt_len)[:, None]
    j = torch.arange(src_len)[None, :]
    window = (j - centre).abs() < half_width
    real = j < lengths[:, None]
    return window[None] & real[:, None, :]


# %% hard_window · wrong · off-by-one-length-twice
# source: written from the task's text, 2026-11
# mistake: the centre stops at the first padding instead of the last word, and the first padding counts as a word
import torch


def hard_window(lengths, tgt_len, src_len, half_width):
    t = torch.arange(tgt_len).view(1, -1, 1)
    j = torch.arange(src_len).view(1, 1, -1)
    n = lengths.view(-1, 1, 1)
    centre = torch.minimum(t, n)
    return ((j - centre).abs() <= half_width) & (j <= n)


# %% hard_window · wrong · stops-at-src-len-only-past-floats
# source: written from the task's text, 2026-11
# mistake: the centre stops at the end of the padded source, the window has only its left half, and the mask holds numbers instead of booleans
import torch


def hard_window(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len)
    for b in range(len(lengths)):
        for t in range(tgt_len):
            centre = min(t, src_len - 1)
            for j in range(centre - half_width, centre + 1):
                if 0 <= j < lengths[b]:
                    mask[b, t, j] = 1.0
    return mask


# %% gaussian_window · right · cut-out-and-pad
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F


def gaussian_window(scores, centres, half_width):
    batch, tgt_len, src_len = scores.shape
    sigma = half_width / 2
    sentences = []
    for b in range(batch):
        rows = []
        for t in range(tgt_len):
            nearest = int(centres[b, t].detach().round())
            start = max(nearest - half_width, 0)
            end = min(nearest + half_width + 1, src_len)
            places = torch.arange(start, end, dtype=scores.dtype)
            inside = scores[b, t, start:end].softmax(0)
            bell = torch.exp(-((places - centres[b, t]) ** 2) / (2 * sigma**2))
            rows.append(F.pad(inside * bell, (start, src_len - end)))
        sentences.append(torch.stack(rows))
    return torch.stack(sentences)


# %% gaussian_window · wrong · rounded-bell-sigma-d
# source: written from the task's text, 2026-11
# mistake: the Gaussian stands around the rounded centre, so no gradient reaches it, and sigma is D instead of D/2
import torch


def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    middle = centres.round().unsqueeze(-1)
    window = (j - middle).abs() <= half_width
    weights = scores.masked_fill(~window, float("-inf")).softmax(-1)
    sigma = half_width
    return weights * torch.exp(-((j - middle) ** 2) / (2 * sigma**2))


# %% gaussian_window · wrong · window-round-p-itself-no-two
# source: written from the task's text, 2026-11
# mistake: the window stands around the real centre instead of the nearest word, and the 2 below the line of the exponent is missing
import torch


def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    away = j - centres[..., None]
    inside = away.abs() <= half_width
    weights = scores.masked_fill(~inside, -1e9).softmax(dim=-1)
    weights = weights * inside
    return weights * torch.exp(-(away**2) / (half_width / 2) ** 2)


# %% gaussian_window · wrong · floor-softmax-over-all-normalised
# source: written from the task's text, 2026-11
# mistake: the window stands around the centre rounded down, the softmax runs over the whole row before the window is cut out, and the product is normalised again
import torch


def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    nearest = centres.long().unsqueeze(-1)
    window = (j >= nearest - half_width) & (j <= nearest + half_width)
    sigma = half_width / 2
    gauss = torch.exp(-((j - centres.unsqueeze(-1)) ** 2) / (2 * sigma**2))
    weights = scores.softmax(-1) * window * gauss
    return weights / weights.sum(-1, keepdim=True)


# %% test_local_general · wrong · full-lengths-wide-window
# source: written from the task's text, 2026-11
# mistake: all sentences are of full length, and the window is wider than the source, so bugs of padding, window and centre slip through
import torch


def test_local_general(local_general):
    torch.manual_seed(0)
    query, keys, W = torch.randn(2, 4, 3), torch.randn(2, 5, 6), torch.randn(3, 6)
    lengths = torch.tensor([5, 5])
    context, weights = local_general(query, keys, W, lengths, 10)
    expected = (query @ W @ keys.mT).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-4)
    assert torch.allclose(context, expected @ keys, atol=1e-4)


# %% test_local_general · wrong · expects-scale-and-no-clamp
# source: written from the task's text, 2026-11
# mistake: expects the scores to be divided by the root of the width, and a window that runs on past the last word, so right versions are blamed
import math

import torch


def test_local_general(local_general):
    torch.manual_seed(3)
    query, keys, W = torch.randn(2, 8, 3), torch.randn(2, 6, 5), torch.randn(3, 5)
    lengths = torch.tensor([6, 3])
    context, weights = local_general(query, keys, W, lengths, 1)
    scores = query @ W @ keys.mT / math.sqrt(5)
    j = torch.arange(6)
    t = torch.arange(8)[:, None]
    window = (j - t).abs() <= 1
    allowed = window[None] & (j < lengths[:, None])[:, None, :]
    expected = torch.nan_to_num(scores.masked_fill(~allowed, -math.inf).softmax(-1))
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(context, expected @ keys, atol=1e-5)


# %% next_letter · wrong · position-and-not-later
# source: written from the task's text, 2026-11
# mistake: returns the position in the word instead of the letter, counts the letter just written as the next one, and asks no network
import torch


def next_letter(words, written):
    later = words >= written[:, None]
    candidates = torch.where(later, words, 99)
    return candidates.argmin(dim=-1)


# %% scaled_attention · right · where-and-amax
# source: written from the task's text, 2026-11
import math

import torch


def scaled_attention(query, keys, values, mask=None):
    scores = torch.einsum("btd,bsd->bts", query, keys) / math.sqrt(query.shape[-1])
    if mask is None:
        allowed = torch.ones_like(scores, dtype=torch.bool)
    else:
        allowed = mask.expand_as(scores)
    lowest = torch.full_like(scores, torch.finfo(scores.dtype).min)
    top = torch.where(allowed, scores, lowest).amax(dim=-1, keepdim=True).detach()
    difference = torch.where(allowed, scores - top, torch.zeros_like(scores))
    powers = torch.where(allowed, difference.exp(), torch.zeros_like(scores))
    total = powers.sum(dim=-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, torch.ones_like(total))
    return torch.einsum("bts,bsv->btv", weights, values), weights


# %% scaled_attention · wrong · by-d-and-inverted
# source: written from the task's text, 2026-11
# mistake: divides by d instead of its root, and closes the cells where the mask is True
import torch


def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.transpose(-2, -1) / query.shape[-1]
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask, 0)
    return weights @ values, weights


# %% scaled_attention · wrong · root-of-length-uniform-empty-rows
# source: written from the task's text, 2026-11
# mistake: divides by the root of the number of keys instead of their width, and a row that may look at nothing gets equal shares instead of zeros
import math

import torch


def scaled_attention(query, keys, values, mask=None):
    """Standard scaled dot-product attention."""
    d_k = keys.size(1)
    scores = torch.matmul(query, keys.transpose(1, 2)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    context = torch.matmul(weights, values)
    return context, weights


# %% scaled_attention · wrong · mask-after-and-target-axis-and-order
# source: written from the task's text, 2026-11
# mistake: the softmax runs along the target axis, the mask is multiplied in afterwards without normalising, and weights come back before the context
import torch


def scaled_attention(query, keys, values, mask=None):
    scores = torch.bmm(query, keys.mT) / query.shape[-1] ** 0.5
    weights = scores.softmax(1)
    if mask is not None:
        weights = weights * mask
    context = torch.bmm(weights, values)
    return weights, context


# %% score_variance · right · running-sums
# source: written from the task's text, 2026-11
import torch


def score_variance(queries, keys, widths):
    running = (queries * keys).double().cumsum(dim=1)  # (pairs, dim)
    scores = running[:, [width - 1 for width in widths]]  # (pairs, widths)
    plain = ((scores - scores.mean(0)) ** 2).mean(0)
    scaled = plain / torch.tensor([float(width) for width in widths], dtype=torch.float64)
    return plain.to(queries.dtype), scaled.to(queries.dtype)


# %% score_variance · wrong · one-less-and-root-of-width
# source: written from the task's text, 2026-11
# mistake: divides by the number of pairs less one, and the scaled variance is the plain one over the root of d instead of over d
import torch


def score_variance(queries, keys, widths):
    plain = torch.stack([(queries[:, :d] * keys[:, :d]).sum(-1).var() for d in widths])
    scaled = plain / torch.tensor(widths).sqrt()
    return plain, scaled


# %% score_variance · wrong · not-centred-and-full-width
# source: written from the task's text, 2026-11
# mistake: takes the mean square without subtracting the mean, and scales by the root of the full width instead of the width in use
import torch


def score_variance(queries, keys, widths):
    plain, scaled = [], []
    for d in widths:
        dots = (queries[:, :d] * keys[:, :d]).sum(dim=-1)
        plain.append((dots**2).mean())
        scaled.append(((dots / queries.shape[-1] ** 0.5) ** 2).mean())
    return torch.stack(plain), torch.stack(scaled)


# %% score_variance · wrong · all-pairs-std-sorted
# source: written from the task's text, 2026-11
# mistake: scores every query against every key, gives standard deviations instead of variances, and sorts the widths
import torch


def score_variance(queries, keys, widths):
    plain, scaled = [], []
    for d in sorted(widths):
        s = queries[:, :d] @ keys[:, :d].T
        plain.append(s.std(correction=0))
        scaled.append((s / d**0.5).std(correction=0))
    return torch.stack(plain), torch.stack(scaled)


# %% combined_mask · right · smaller-of-two-ends
# source: written from the task's text, 2026-11
import torch


def combined_mask(lengths, positions, src_len):
    lengths = torch.as_tensor(lengths).tolist()
    positions = torch.as_tensor(positions).tolist()
    mask = torch.zeros(len(lengths), len(positions), src_len, dtype=torch.bool)
    for b, length in enumerate(lengths):
        for t, place in enumerate(positions):
            mask[b, t, : min(length, place + 1)] = True
    return mask


# %% combined_mask · wrong · strict-past-and-one-padding
# source: written from the task's text, 2026-11
# mistake: a query may not look at its own place, and the first padding counts as a word
import torch


def combined_mask(lengths, positions, src_len):
    j = torch.arange(src_len)
    causal = j[None, None, :] < positions[None, :, None]
    real = j[None, None, :] <= lengths[:, None, None]
    return causal & real


# %% combined_mask · wrong · row-numbers-and-closed-queries
# source: written from the task's text, 2026-11
# mistake: the triangle begins at the first row whatever the positions, and the padding closes the queries' rows instead of the keys' columns
import torch


def combined_mask(lengths, positions, src_len):
    tgt_len = len(positions)
    triangle = torch.ones(tgt_len, src_len, dtype=torch.bool).tril()
    real = positions[None, :] < lengths[:, None]  # (batch, tgt_len)
    return triangle[None] & real[:, :, None]


# %% combined_mask · wrong · or-and-future
# source: written from the task's text, 2026-11
# mistake: joins the two with or instead of and, and opens the keys that stand later instead of those that do not
import torch


def combined_mask(lengths, positions, src_len):
    keys = torch.arange(src_len)
    padding = keys.view(1, 1, -1) < lengths.view(-1, 1, 1)
    causal = keys.view(1, 1, -1) >= positions.view(1, -1, 1)
    return padding | causal


# %% attend_with_mask · right · sum-over-broadcast
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def attend_with_mask(query, keys, values, mask):
    scores = (query @ keys.mT) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    context = (weights.unsqueeze(-1) * values.unsqueeze(1)).sum(dim=2)
    return context, weights


# %% attend_with_mask · wrong · times-mask-and-target-axis
# source: written from the task's text, 2026-11
# mistake: multiplies the scores by the mask, so hidden cells still have a score of 0, and takes the softmax along the target axis
import torch


def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores * mask).softmax(1)
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · wrong · detached-and-scale-by-d
# source: written from the task's text, 2026-11
# mistake: the weights are detached, so queries and keys get no gradient, and the scores are divided by d instead of its root
import torch

from utils.masks import masked_softmax


def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1]
    weights = masked_softmax(scores, mask).detach()
    context = torch.bmm(weights, values)
    return context, weights


# %% packed_mask · right · counting-places-in-loops
# source: written from the task's text, 2026-11
import torch


def packed_mask(documents):
    batch, length = documents.shape
    mask = torch.zeros(batch, length, length, dtype=torch.bool)
    positions = torch.zeros(batch, length, dtype=torch.long)
    for b, row in enumerate(documents.tolist()):
        seen = {}
        for i, name in enumerate(row):
            if name == 0:
                mask[b, i, i] = True
                continue
            earlier = seen.setdefault(name, [])
            positions[b, i] = len(earlier)
            earlier.append(i)
            mask[b, i, earlier] = True
    return mask, positions


# %% packed_mask · wrong · padding-is-a-document-row-places
# source: written from the task's text, 2026-11
# mistake: padding looks at the padding before it, as if it were a document, and positions count from the beginning of the row
import torch


def packed_mask(documents):
    batch, length = documents.shape
    same = documents[:, :, None] == documents[:, None, :]
    mask = same & torch.ones(length, length, dtype=torch.bool).tril()
    positions = torch.arange(length).expand(batch, length) * (documents != 0)
    return mask, positions


# %% packed_mask · wrong · sees-ahead-and-counts-from-one
# source: written from the task's text, 2026-11
# mistake: a word sees all of its document, later words too, and positions count from 1
import torch


def packed_mask(documents):
    length = documents.shape[1]
    real = documents != 0
    same = (documents[:, :, None] == documents[:, None, :]) & real[:, :, None]
    mask = same | torch.eye(length, dtype=torch.bool)
    positions = (same & torch.ones(length, length, dtype=torch.bool).tril()).sum(-1)
    return mask, positions


# %% packed_mask · wrong · first-row-for-all-empty-padding-float
# source: written from the task's text, 2026-11
# mistake: the mask of the first row is used for the whole batch, rows of padding are empty, and the positions are not whole numbers
import torch


def packed_mask(documents):
    batch, length = documents.shape
    first = documents[0]
    one = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        for j in range(i + 1):
            one[i, j] = bool(first[i] == first[j]) and bool(first[i] != 0)
    mask = one.expand(batch, -1, -1)
    positions = torch.zeros(batch, length)
    for b in range(batch):
        for i in range(1, length):
            if documents[b, i] == documents[b, i - 1] and documents[b, i] != 0:
                positions[b, i] = positions[b, i - 1] + 1
    return mask, positions


# %% streaming_attention · right · from-the-last-block
# source: written from the task's text, 2026-11
import math

import torch


def streaming_attention(query, keys, values, mask, block):
    rows = query.shape[:2]
    largest = query.new_full(rows, -math.inf)
    total = query.new_zeros(rows)
    gathered = query.new_zeros(*rows, values.shape[-1])
    for start in reversed(range(0, keys.shape[1], block)):
        part = slice(start, start + block)
        scores = query @ keys[:, part].mT / math.sqrt(query.shape[-1])
        scores = scores.masked_fill(~mask[:, :, part], -math.inf)
        larger = torch.maximum(largest, scores.amax(-1))
        base = larger.masked_fill(larger == -math.inf, 0.0)  # a row that is closed so far
        shrink = torch.exp(largest - base)
        powers = torch.exp(scores - base.unsqueeze(-1))
        total = total * shrink + powers.sum(-1)
        gathered = gathered * shrink.unsqueeze(-1) + powers @ values[:, part]
        largest = larger
    return gathered / total.clamp(min=1.0).unsqueeze(-1), total


# %% streaming_attention · wrong · no-rescaling-and-short-block-lost
# source: written from the task's text, 2026-11
# mistake: what was gathered is not rescaled when a larger score turns up, and a last block that is shorter is left out
import math

import torch


def streaming_attention(query, keys, values, mask, block):
    largest = query.new_full((*query.shape[:2], 1), -1e30)
    total = query.new_zeros(*query.shape[:2], 1)
    context = query.new_zeros(*query.shape[:2], values.shape[-1])
    for i in range(keys.shape[1] // block):
        part = slice(i * block, (i + 1) * block)
        open_ = mask[:, :, part]
        scores = query @ keys[:, part].mT / math.sqrt(query.shape[-1])
        scores = scores.masked_fill(~open_, -1e30)
        largest = largest.maximum(scores.amax(-1, keepdim=True))
        powers = (scores - largest).exp() * open_
        total = total + powers.sum(-1, keepdim=True)
        context = context + powers @ values[:, part]
    safe = torch.where(total > 0, total, torch.ones_like(total))
    return context / safe, total.squeeze(-1)


# %% streaming_attention · wrong · unscaled-nan-on-closed-block
# source: written from the task's text, 2026-11
# mistake: the scores are not divided by the root of d, and a row whose first block is closed becomes NaN (minus infinity minus minus infinity)
import math

import torch


def streaming_attention(query, keys, values, mask, block):
    largest = query.new_full((*query.shape[:-1], 1), -math.inf)
    total = context = 0.0
    for start in range(0, keys.shape[1], block):
        part = slice(start, start + block)
        scores = (query @ keys[:, part].mT).masked_fill(~mask[..., part], -math.inf)
        larger = largest.maximum(scores.amax(-1, keepdim=True))
        shrink, powers = (largest - larger).exp(), (scores - larger).exp()
        total = total * shrink + powers.sum(-1, keepdim=True)
        context = context * shrink + powers @ values[:, part]
        largest = larger
    return context / total, total.squeeze(-1)


# %% streaming_attention · wrong · mean-of-blocks-sum-of-totals
# source: written from the task's text, 2026-11
# mistake: each block has a softmax of its own and their contexts are averaged, and the totals of the blocks are added although each is measured against its own largest score
import math

import torch

from utils.masks import masked_softmax


def streaming_attention(query, keys, values, mask, block):
    contexts = []
    total = 0
    for start in range(0, keys.shape[1], block):
        k = keys[:, start : start + block]
        v = values[:, start : start + block]
        m = mask[:, :, start : start + block]
        scores = query @ k.mT / math.sqrt(query.shape[-1])
        contexts.append(masked_softmax(scores, m) @ v)
        top = scores.masked_fill(~m, -1e30).amax(-1, keepdim=True)
        total = total + ((scores - top).clamp(max=0).exp() * m).sum(-1)
    return torch.stack(contexts).mean(0), total


# %% test_attend · wrong · no-mask-self-attention-only
# source: written from the task's text, 2026-11
# mistake: never tries a mask, and query, keys and values are the same tensor, so several bugs slip through
import math

import torch


def test_attend(attend):
    torch.manual_seed(0)
    x = torch.randn(2, 5, 4)
    context, weights = attend(x, x, x)
    expected = (x @ x.mT / math.sqrt(4)).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(context, expected @ x, atol=1e-5)


# %% test_attend · wrong · reference-unscaled-mask-inverted
# source: written from the task's text, 2026-11
# mistake: the reference forgets the scale and closes where the mask is True, so the right version is blamed
import torch


def test_attend(attend):
    torch.manual_seed(0)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    for mask in (None, torch.tensor([True, True, False, False, True]).expand(2, 3, 5)):
        context, weights = attend(query, keys, values, mask)
        scores = query @ keys.mT
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        expected = scores.softmax(-1)
        assert torch.allclose(weights, expected, atol=1e-5)
        assert torch.allclose(context, expected @ values, atol=1e-5)


# %% test_any_attention · wrong · works-the-weights-out
# source: written from the task's text, 2026-11
# mistake: compares with the scaled dot product although nobody knows the score, so right versions are blamed, and never tries a mask
import math

import torch


def test_any_attention(attend):
    torch.manual_seed(0)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    context, weights = attend(query, keys, values)
    expected = (query @ keys.mT / math.sqrt(4)).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(context, weights @ values, atol=1e-5)


# %% test_any_attention · wrong · empty-rows-sum-to-one-true-is-hidden
# source: written from the task's text, 2026-11
# mistake: demands a sum of 1 of a row that may look at nothing, and zeros where the mask is True, so right versions are blamed
import torch


def test_any_attention(attend):
    torch.manual_seed(0)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    mask = torch.rand(2, 3, 5) > 0.4
    mask[1, 2] = False
    mask[0, 0, 0] = True
    context, weights = attend(query, keys, values, mask)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)
    assert (weights[mask] == 0).all()
    assert torch.allclose(context, weights @ values, atol=1e-5)


# %% MultiHead · right · head-by-head-slices
# source: written from the task's text, 2026-11
import math

import torch
import torch.nn.functional as F
from torch import nn

from utils.masks import masked_softmax


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / math.sqrt(dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        head_dim = query.shape[-1] // self.heads
        w_q, w_k, w_v = self.in_proj_weight.chunk(3)
        b_q, b_k, b_v = self.in_proj_bias.chunk(3)
        if mask is None:
            mask = torch.ones(1, 1, keys.shape[1], dtype=torch.bool)
        output = self.out_proj.bias
        maps = []
        for h in range(self.heads):
            own = slice(h * head_dim, (h + 1) * head_dim)
            q = F.linear(query, w_q[own], b_q[own])
            k = F.linear(keys, w_k[own], b_k[own])
            v = F.linear(values, w_v[own], b_v[own])
            weights = masked_softmax(q @ k.mT / math.sqrt(head_dim), mask)
            output = output + (weights @ v) @ self.out_proj.weight[:, own].T
            maps.append(weights)
        return output, torch.stack(maps, dim=1)


# %% MultiHead · wrong · scale-of-dim-no-output-bias
# source: written from the task's text, 2026-11
# mistake: divides by the root of dim instead of the head's width, and leaves out the bias of the output projection
import math

import torch
import torch.nn.functional as F
from torch import nn

from utils.masks import masked_softmax


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads = dim, heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) * 0.1)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, query, keys, values, mask=None):
        w_q, w_k, w_v = self.in_proj_weight.chunk(3)
        b_q, b_k, b_v = self.in_proj_bias.chunk(3)
        q = self.split(F.linear(query, w_q, b_q))
        k = self.split(F.linear(keys, w_k, b_k))
        v = self.split(F.linear(values, w_v, b_v))
        scores = q @ k.mT / math.sqrt(self.dim)
        if mask is None:
            weights = scores.softmax(-1)
        else:
            weights = masked_softmax(scores, mask.unsqueeze(1))
        joined = (weights @ v).transpose(1, 2).flatten(2)
        return joined @ self.out_proj.weight.T, weights


# %% MultiHead · wrong · keys-first-and-view-without-transpose
# source: written from the task's text, 2026-11
# mistake: takes the first third of the projections for the keys and the second for the queries, and cuts the heads with a view without transposing, so words and heads get mixed
import math

import torch
import torch.nn.functional as F
from torch import nn

from utils.masks import masked_softmax


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) * 0.1)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        batch, tgt_len, dim = query.shape
        src_len = keys.shape[1]
        d = dim // self.heads
        w_k, w_q, w_v = self.in_proj_weight.chunk(3)
        b_k, b_q, b_v = self.in_proj_bias.chunk(3)
        q = F.linear(query, w_q, b_q).view(batch, self.heads, tgt_len, d)
        k = F.linear(keys, w_k, b_k).view(batch, self.heads, src_len, d)
        v = F.linear(values, w_v, b_v).view(batch, self.heads, src_len, d)
        scores = q @ k.mT / math.sqrt(d)
        if mask is None:
            mask = torch.ones(batch, 1, src_len, dtype=torch.bool)
        weights = masked_softmax(scores, mask.unsqueeze(1))
        context = (weights @ v).reshape(batch, tgt_len, dim)
        return self.out_proj(context), weights


# %% MultiHead · wrong · mean-weights-inverted-mask-swapped
# source: written from the task's text, 2026-11
# mistake: reads the mask as PyTorch does, True = hidden, gives back the mean over the heads' weights, and puts the weights before the output
import math

import torch
import torch.nn.functional as F
from torch import nn

from utils.masks import masked_softmax


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * dim, dim))
        nn.init.xavier_uniform_(self.in_proj_weight)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        w_q, w_k, w_v = self.in_proj_weight.chunk(3)
        b_q, b_k, b_v = self.in_proj_bias.chunk(3)
        q, k, v = (
            F.linear(x, w, b).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for x, w, b in ((query, w_q, b_q), (keys, w_k, b_k), (values, w_v, b_v))
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is None:
            weights = scores.softmax(-1)
        else:
            weights = masked_softmax(scores, ~mask.unsqueeze(1))
        output = self.out_proj((weights @ v).transpose(1, 2).flatten(2))
        return weights.mean(dim=1), output


# %% encode_positions · right · points-on-a-circle
# source: written from the task's text, 2026-11
import torch


def encode_positions(positions, dim, base):
    dtype = positions.dtype if positions.is_floating_point() else torch.get_default_dtype()
    exponents = torch.arange(0, dim, 2, dtype=torch.float64) / dim
    angles = positions.double().unsqueeze(-1) / float(base) ** exponents  # (..., dim / 2)
    circle = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))  # cos, sin
    return circle.flip(-1).flatten(-2).to(dtype)


# %% encode_positions · wrong · halves-and-half-exponent
# source: written from the task's text, 2026-11
# mistake: all sines stand before all cosines instead of taking turns, and the exponent is i/dim instead of 2i/dim
import torch


def encode_positions(positions, dim, base):
    i = torch.arange(dim // 2)
    angles = positions[..., None] / base ** (i / dim)
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=-1)


# %% encode_positions · wrong · swapped-waves-fixed-base-whole-places
# source: written from the task's text, 2026-11
# mistake: sine and cosine change places, the base is always 10000, and places between places are rounded down
import math

import torch


def encode_positions(positions, dim, base=10000):
    positions = positions.long().float()
    div_term = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    angles = positions.unsqueeze(-1) * div_term
    codes = torch.zeros(*positions.shape, dim)
    codes[..., 0::2] = torch.cos(angles)
    codes[..., 1::2] = torch.sin(angles)
    return codes


# %% head_ablation · right · whole-minus-the-term
# source: written from the task's text, 2026-11
import torch


def head_ablation(contexts, w_o, b_o):
    heads, head_dim = contexts.shape[1], contexts.shape[3]
    per_head = w_o.reshape(w_o.shape[0], heads, head_dim)
    terms = torch.einsum("bhtd,ohd->hbto", contexts, per_head)
    outputs = terms.sum(dim=0) + b_o - terms
    moved = terms.square().sum(-1).sqrt().mean(dim=(1, 2))
    return outputs, moved


# %% head_ablation · wrong · only-that-head-no-bias
# source: written from the task's text, 2026-11
# mistake: keeps only head h instead of taking it away, and leaves out the bias, in the whole output too
import torch


def head_ablation(contexts, w_o, b_o):
    def project(c):
        return c.transpose(1, 2).flatten(2) @ w_o.T

    whole = project(contexts)
    outputs = []
    for h in range(contexts.shape[1]):
        alone = torch.zeros_like(contexts)
        alone[:, h] = contexts[:, h]
        outputs.append(project(alone))
    outputs = torch.stack(outputs)
    moved = (outputs - whole).norm(dim=-1).mean(dim=(1, 2))
    return outputs, moved


# %% head_ablation · wrong · heads-stay-away-mean-square
# source: written from the task's text, 2026-11
# mistake: zeroes the caller's contexts in place, so heads that were taken away stay away, and moved is the mean square instead of the mean length
import torch


def head_ablation(contexts, w_o, b_o):
    whole = contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o
    outputs = []
    for h in range(contexts.shape[1]):
        contexts[:, h] = 0
        outputs.append(contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o)
    outputs = torch.stack(outputs)
    moved = ((outputs - whole) ** 2).mean(dim=(1, 2, 3))
    return outputs, moved


# %% head_ablation · wrong · joined-without-transpose-one-long-norm
# source: written from the task's text, 2026-11
# mistake: joins the heads with a reshape without transposing, and takes one length over all words together instead of the mean over words
import torch


def head_ablation(contexts, w_o, b_o):
    batch, heads, tgt_len, head_dim = contexts.shape

    def layer(c):
        return c.reshape(batch, tgt_len, heads * head_dim) @ w_o.T + b_o

    whole = layer(contexts)
    outputs, moved = [], []
    for h in range(heads):
        without = contexts.clone()
        without[:, h] = 0
        out = layer(without)
        outputs.append(out)
        moved.append(torch.norm(out - whole))
    return torch.stack(outputs), torch.stack(moved)


# %% test_multi_head · wrong · one-head-no-mask
# source: written from the task's text, 2026-11
# mistake: tries one head only, and no mask, so bugs of splitting, joining and masking slip through
import math

import torch


def test_multi_head(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 5, 4)
    w_q, w_k, w_v, w_o = torch.randn(4, 4, 4)
    output, weights = multi_head(x, w_q, w_k, w_v, w_o, 1)
    expected = ((x @ w_q) @ (x @ w_k).mT / math.sqrt(4)).softmax(-1)
    assert torch.allclose(weights[:, 0], expected, atol=1e-4)
    assert torch.allclose(output, expected @ (x @ w_v) @ w_o, atol=1e-3)


# %% test_multi_head · wrong · transposed-reference-scale-of-dim
# source: written from the task's text, 2026-11
# mistake: the reference puts the matrices on the left as nn.Linear does, and scales by the root of dim instead of the head's width, so right versions are blamed
import math

import torch
import torch.nn.functional as F


def test_multi_head(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 5, 8)
    w_q, w_k, w_v, w_o = torch.randn(4, 8, 8) / 3
    heads = 2

    def split(t):
        return t.view(2, 5, heads, 4).transpose(1, 2)

    q, k, v = split(F.linear(x, w_q)), split(F.linear(x, w_k)), split(F.linear(x, w_v))
    expected = (q @ k.mT / math.sqrt(8)).softmax(-1)
    joined = (expected @ v).transpose(1, 2).reshape(2, 5, 8)
    output, weights = multi_head(x, w_q, w_k, w_v, w_o, heads)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(output, F.linear(joined, w_o), atol=1e-5)


# %% test_any_heads · wrong · sums-along-heads-and-mean-map
# source: written from the task's text, 2026-11
# mistake: demands that the weights of the heads sum to 1 for each cell, and that the output follows from the mean of the maps, so right versions are blamed
import torch


def test_any_heads(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 5, 8)
    w_q, w_k, w_v, w_o = torch.randn(4, 8, 8) / 3
    output, weights = multi_head(x, w_q, w_k, w_v, w_o, 4)
    assert weights.shape == (2, 4, 5, 5)
    assert torch.allclose(weights.sum(dim=1), torch.ones(2, 5, 5), atol=1e-5)
    assert torch.allclose(output, weights.mean(1) @ x @ w_v @ w_o, atol=1e-4)


# %% test_any_heads · wrong · works-out-the-score-no-mask
# source: written from the task's text, 2026-11
# mistake: compares the weights with the scaled dot product although the score is a secret, so right versions are blamed, and never tries a mask
import math

import torch


def test_any_heads(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 6, 8)
    w_q, w_k, w_v, w_o = torch.randn(4, 8, 8) / 3
    output, weights = multi_head(x, w_q, w_k, w_v, w_o, 2)
    q = (x @ w_q).unflatten(-1, (2, 4)).transpose(1, 2)
    k = (x @ w_k).unflatten(-1, (2, 4)).transpose(1, 2)
    v = (x @ w_v).unflatten(-1, (2, 4)).transpose(1, 2)
    assert torch.allclose(weights, (q @ k.mT / math.sqrt(4)).softmax(-1), atol=1e-5)
    assert torch.allclose(output, (weights @ v).transpose(1, 2).flatten(2) @ w_o, atol=1e-4)


# %% left_of_twin · wrong · right-neighbour-and-own-card
# source: written from the task's text, 2026-11
# mistake: looks at the right neighbour instead of the left one, adds the own card's neighbour too, and asks no network
import torch


def left_of_twin(colours, numbers):
    neighbour = numbers.roll(-1, dims=1)
    same = colours[:, :, None] == colours[:, None, :]
    return (same * neighbour[:, None, :]).sum(-1)




# %% decoder_step · right · sentence-by-sentence
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    """Context, weights, the new state and the readout, in this order."""
    asked = state @ w_score  # (batch, memory_dim)
    contexts, rows = [], []
    for b in range(memory.shape[0]):
        row_scores = (memory[b] @ asked[b]).unsqueeze(0)  # (1, src_len)
        row = masked_softmax(row_scores, mask[b].unsqueeze(0))[0]
        rows.append(row)
        contexts.append(row @ memory[b])
    weights = torch.stack(rows)
    context = torch.stack(contexts)
    e, m = embedded.shape[1], memory.shape[2]
    new_state = torch.tanh(
        embedded @ w_state[:e] + context @ w_state[e : e + m] + state @ w_state[e + m :]
    )
    readout = torch.tanh(context @ w_readout[:m] + new_state @ w_readout[m:])
    return context, weights, new_state, readout


# %% decoder_step · wrong · scaled-and-linear-readout
# source: written from the task's text, 2026-11
# mistake: the scores are divided by the root of memory_dim, and the readout has no tanh
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    """Context, weights, the new state and the readout, in this order."""
    query = (state @ w_score).unsqueeze(1)
    scores = (query @ memory.transpose(1, 2)).squeeze(1) / memory.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    context = (weights.unsqueeze(1) @ memory).squeeze(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], dim=1) @ w_state)
    readout = torch.cat([context, new_state], dim=1) @ w_readout
    return context, weights, new_state, readout


# %% decoder_step · wrong · both-concatenations-mixed
# source: written from the task's text, 2026-11
# mistake: the state is made from [c; y; s] instead of [y; c; s], and the readout from [s; c] instead of [c; s]
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = torch.einsum("bm,bsm->bs", state @ w_score, memory)
    weights = masked_softmax(scores, mask)
    context = torch.einsum("bs,bsm->bm", weights, memory)
    new_state = torch.tanh(torch.cat((context, embedded, state), -1) @ w_state)
    readout = torch.tanh(torch.cat((new_state, context), -1) @ w_readout)
    return context, weights, new_state, readout


# %% decoder_step · wrong · mask-late-and-old-state-read-out
# source: written from the task's text, 2026-11
# mistake: the mask comes after the softmax, without sharing out again, and the readout takes the old state
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    """Context, weights, the new state and the readout, in this order."""
    scores = ((state @ w_score)[:, None, :] * memory).sum(-1)
    weights = torch.softmax(scores, dim=-1) * mask
    context = (weights[..., None] * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], 1) @ w_state)
    readout = torch.tanh(torch.cat([context, state], 1) @ w_readout)
    return context, weights, new_state, readout


# %% decode_loop · right · sum-by-hand
# source: written from the task's text, 2026-11
import torch

from utils.corpora import EOS, PAD, SOS


def luong_step(word, state, memory, embedding, w_state, w_output):
    """Logits (batch, vocab), weights (batch, src_len), new state, from words (batch,)."""
    state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)  # (batch, state_dim)
    weights = torch.einsum("bd, bsd -> bs", state, memory).softmax(1)  # (batch, src_len)
    context = torch.einsum("bs, bsd -> bd", weights, memory)  # (batch, state_dim)
    return torch.cat((context, state), 1) @ w_output, weights, state


def decode_loop(target, state, memory, embedding, w_state, w_output):
    """Logits, weights and loss; the matrices are handed on to `luong_step`."""
    all_logits, all_weights = [], []
    cost, counted = 0.0, 0
    for t in range(1, target.shape[1]):
        guess, look, state = luong_step(
            target[:, t - 1], state, memory, embedding, w_state, w_output
        )
        all_logits.append(guess)
        all_weights.append(look)
        real = target[:, t] != PAD
        log_p = guess.log_softmax(-1).gather(1, target[:, t : t + 1]).squeeze(1)
        cost = cost - torch.where(real, log_p, torch.zeros_like(log_p)).sum()
        counted = counted + real.sum()
    return torch.stack(all_logits, 1), torch.stack(all_weights, 1), cost / counted


# %% decode_loop · wrong · padding-counts-state-stays
# source: written from the task's text, 2026-11
# mistake: the loss is the mean over padding too, and every step starts from the first state, since the new one is dropped
import torch
import torch.nn.functional as F


def luong_step(word, state, memory, embedding, w_state, w_output):
    """Logits (batch, vocab), weights (batch, src_len), new state, from words (batch,)."""
    state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)  # (batch, state_dim)
    weights = torch.einsum("bd, bsd -> bs", state, memory).softmax(1)  # (batch, src_len)
    context = torch.einsum("bs, bsd -> bd", weights, memory)  # (batch, state_dim)
    return torch.cat((context, state), 1) @ w_output, weights, state


def decode_loop(target, state, memory, embedding, w_state, w_output):
    """Logits, weights and loss; the matrices are handed on to `luong_step`."""
    logits, weights = [], []
    for word in target[:, :-1].unbind(1):
        guess, look, _ = luong_step(word, state, memory, embedding, w_state, w_output)
        logits.append(guess)
        weights.append(look)
    logits = torch.stack(logits, dim=1)
    weights = torch.stack(weights, dim=1)
    loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
    return logits, weights, loss


# %% decode_loop · wrong · own-words-and-sum
# source: written from the task's text, 2026-11
# mistake: the decoder reads its own likeliest word instead of the right one, and the loss is the sum instead of the mean
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD, SOS


def luong_step(word, state, memory, embedding, w_state, w_output):
    """Logits (batch, vocab), weights (batch, src_len), new state, from words (batch,)."""
    state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)  # (batch, state_dim)
    weights = torch.einsum("bd, bsd -> bs", state, memory).softmax(1)  # (batch, src_len)
    context = torch.einsum("bs, bsd -> bd", weights, memory)  # (batch, state_dim)
    return torch.cat((context, state), 1) @ w_output, weights, state


def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits_list = []
    weights_list = []
    word = target[:, 0]
    for _ in range(target.size(1) - 1):
        out, attn, state = luong_step(word, state, memory, embedding, w_state, w_output)
        logits_list.append(out)
        weights_list.append(attn)
        word = out.argmax(dim=-1)
    logits = torch.stack(logits_list, dim=1)
    weights = torch.stack(weights_list, dim=1)
    loss = F.cross_entropy(
        logits.reshape(-1, logits.size(-1)),
        target[:, 1:].reshape(-1),
        ignore_index=PAD,
        reduction="sum",
    )
    return logits, weights, loss


# %% decode_loop · wrong · not-shifted-mean-of-means
# source: written from the task's text, 2026-11
# mistake: there is one step too many, each word is to guess itself instead of the next one, and the loss is a mean of the sentences' means
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD, SOS


def luong_step(word, state, memory, embedding, w_state, w_output):
    """Logits (batch, vocab), weights (batch, src_len), new state, from words (batch,)."""
    state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)  # (batch, state_dim)
    weights = torch.einsum("bd, bsd -> bs", state, memory).softmax(1)  # (batch, src_len)
    context = torch.einsum("bs, bsd -> bd", weights, memory)  # (batch, state_dim)
    return torch.cat((context, state), 1) @ w_output, weights, state


def decode_loop(target, state, memory, embedding, w_state, w_output):
    logits, weights = [], []
    for t in range(target.shape[1]):
        l, w, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        logits.append(l)
        weights.append(w)
    logits = torch.stack(logits, 1)
    weights = torch.stack(weights, 1)
    each = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    real = (target != PAD).float()
    loss = ((each * real).sum(1) / real.sum(1)).mean()
    return logits, weights, loss


# %% training_loop · right · clipped-by-hand
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD, SOS


class Tiny(torch.nn.Module):
    """Logits (batch, steps, vocab) from words (batch, steps) and a first state (batch, dim)."""

    def __init__(self, embedding, w_state, w_output):
        super().__init__()
        self.embedding = torch.nn.Parameter(embedding.clone())  # (vocab, dim)
        self.w_state = torch.nn.Parameter(w_state.clone())  # (2 * dim, dim)
        self.w_output = torch.nn.Parameter(w_output.clone())  # (dim, vocab)

    def forward(self, read, state):
        kept = torch.arange(self.embedding.shape[1]) % 2 == 0  # (dim,)
        logits = []
        for word in read.unbind(1):  # (batch,)
            vectors = self.embedding[word]  # (batch, dim)
            vectors = 2 * vectors * kept if self.training else vectors
            state = (torch.cat([vectors, state], dim=-1) @ self.w_state).tanh()
            logits.append(state @ self.w_output)
        return torch.stack(logits, dim=1)


def word_loss(model, batch):
    target, given = batch
    log_p = model(target[:, :-1], given).log_softmax(-1)
    real = target[:, 1:] != PAD
    right = log_p.gather(2, target[:, 1:].unsqueeze(2)).squeeze(2)
    return -right[real].mean()


def train(model, optimizer, batches, held_out):
    """The loss of each batch (steps,), and the held-out loss after each step (steps,)."""
    losses, validation = [], []
    for batch in batches:
        model.train()
        optimizer.zero_grad()
        loss = word_loss(model, batch)
        loss.backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        length = torch.sqrt(sum((g**2).sum() for g in grads))
        if length > 1:
            for g in grads:
                g.div_(length)
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            validation.append(word_loss(model, held_out).item())
    return torch.tensor(losses), torch.tensor(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):  # the check calls this
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]  # the last is held out
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% training_loop · wrong · gradients-pile-up-dropout-stays
# source: written from the task's text, 2026-11
# mistake: the gradients are never set to zero, and the held-out loss is measured in training mode, with dropout
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD, SOS


class Tiny(torch.nn.Module):
    """Logits (batch, steps, vocab) from words (batch, steps) and a first state (batch, dim)."""

    def __init__(self, embedding, w_state, w_output):
        super().__init__()
        self.embedding = torch.nn.Parameter(embedding.clone())  # (vocab, dim)
        self.w_state = torch.nn.Parameter(w_state.clone())  # (2 * dim, dim)
        self.w_output = torch.nn.Parameter(w_output.clone())  # (dim, vocab)

    def forward(self, read, state):
        kept = torch.arange(self.embedding.shape[1]) % 2 == 0  # (dim,)
        logits = []
        for word in read.unbind(1):  # (batch,)
            vectors = self.embedding[word]  # (batch, dim)
            vectors = 2 * vectors * kept if self.training else vectors
            state = (torch.cat([vectors, state], dim=-1) @ self.w_state).tanh()
            logits.append(state @ self.w_output)
        return torch.stack(logits, dim=1)


def train(model, optimizer, batches, held_out):
    """The loss of each batch (steps,), and the held-out loss after each step (steps,)."""
    losses, validation = [], []
    model.train()
    for target, given in batches:
        logits = model(target[:, :-1], given)
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
        with torch.no_grad():
            logits = model(held_out[0][:, :-1], held_out[1])
            validation.append(
                F.cross_entropy(
                    logits.flatten(0, 1), held_out[0][:, 1:].flatten(), ignore_index=PAD
                )
            )
    return torch.stack(losses), torch.stack(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):  # the check calls this
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]  # the last is held out
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% training_loop · wrong · stays-in-eval-clips-each
# source: written from the task's text, 2026-11
# mistake: after the first validation the model stays in evaluation mode, each parameter is clipped by itself, and padding counts in the loss
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD, SOS


class Tiny(torch.nn.Module):
    """Logits (batch, steps, vocab) from words (batch, steps) and a first state (batch, dim)."""

    def __init__(self, embedding, w_state, w_output):
        super().__init__()
        self.embedding = torch.nn.Parameter(embedding.clone())  # (vocab, dim)
        self.w_state = torch.nn.Parameter(w_state.clone())  # (2 * dim, dim)
        self.w_output = torch.nn.Parameter(w_output.clone())  # (dim, vocab)

    def forward(self, read, state):
        kept = torch.arange(self.embedding.shape[1]) % 2 == 0  # (dim,)
        logits = []
        for word in read.unbind(1):  # (batch,)
            vectors = self.embedding[word]  # (batch, dim)
            vectors = 2 * vectors * kept if self.training else vectors
            state = (torch.cat([vectors, state], dim=-1) @ self.w_state).tanh()
            logits.append(state @ self.w_output)
        return torch.stack(logits, dim=1)


def train(model, optimizer, batches, held_out):
    losses = []
    validation = []
    model.train()
    for target, given in batches:
        optimizer.zero_grad()
        logits = model(target[:, :-1], given)
        loss = F.cross_entropy(logits.transpose(1, 2), target[:, 1:])
        loss.backward()
        for p in model.parameters():
            torch.nn.utils.clip_grad_norm_([p], 1.0)
        optimizer.step()
        losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            v_target, v_given = held_out
            v_logits = model(v_target[:, :-1], v_given)
            validation.append(F.cross_entropy(v_logits.transpose(1, 2), v_target[:, 1:]).item())
    return torch.tensor(losses), torch.tensor(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):  # the check calls this
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]  # the last is held out
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% masked_encoder · right · reversed-by-gather
# source: written from the task's text, 2026-11
import torch


def read(vectors, matrix, bias):
    """States (batch, length, hidden_dim) of vectors (batch, length, embedding_dim)."""
    state = vectors.new_zeros(len(vectors), len(bias))  # (batch, hidden_dim)
    states = []
    for vector in vectors.unbind(1):  # (batch, embedding_dim)
        state = (torch.cat([vector, state], 1) @ matrix + bias).tanh()
        states += [state]
    return torch.stack(states, 1)


def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    """States and mask of a padded batch (batch, src_len, embedding_dim)."""
    place = torch.arange(embedded.shape[1]).expand(embedded.shape[:2])  # (batch, src_len)
    mask = place < lengths.unsqueeze(1)
    turned = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place)
    rows = torch.arange(len(embedded)).unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded[rows, turned], w_backward, bias)[rows, turned]
    states = torch.cat([forwards, backwards], dim=-1)
    return torch.where(mask.unsqueeze(2), states, torch.zeros_like(states)), mask.unsqueeze(1)


# %% masked_encoder · wrong · zeroed-inputs-flat-mask
# source: written from the task's text, 2026-11
# mistake: only the vectors at padding are set to 0, so that the bias still moves the backward state, and the mask is (batch, src_len)
import torch


def read(vectors, matrix, bias):
    """States (batch, length, hidden_dim) of vectors (batch, length, embedding_dim)."""
    state = vectors.new_zeros(len(vectors), len(bias))  # (batch, hidden_dim)
    states = []
    for vector in vectors.unbind(1):  # (batch, embedding_dim)
        state = (torch.cat([vector, state], 1) @ matrix + bias).tanh()
        states += [state]
    return torch.stack(states, 1)


def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    """States and mask of a padded batch (batch, src_len, embedding_dim)."""
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)  # (batch, src_len)
    embedded = embedded * mask.unsqueeze(-1)
    forwards = read(embedded, w_forward, bias)  # (batch, src_len, hidden_dim)
    backwards = read(embedded.flip(1), w_backward, bias).flip(1)
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask


# %% masked_encoder · wrong · not-turned-back
# source: written from the task's text, 2026-11
# mistake: the backward states are left in the order in which they were read, and the states at padding are not set to 0
import torch


def read(vectors, matrix, bias):
    """States (batch, length, hidden_dim) of vectors (batch, length, embedding_dim)."""
    state = vectors.new_zeros(len(vectors), len(bias))  # (batch, hidden_dim)
    states = []
    for vector in vectors.unbind(1):  # (batch, embedding_dim)
        state = (torch.cat([vector, state], 1) @ matrix + bias).tanh()
        states += [state]
    return torch.stack(states, 1)


def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)
    reversed_rows = []
    for row, n in zip(embedded, lengths.tolist()):
        reversed_rows.append(torch.cat([row[:n].flip(0), row[n:]]))
    forwards = read(embedded, w_forward, bias)
    backwards = read(torch.stack(reversed_rows), w_backward, bias)
    states = torch.cat([forwards, backwards], dim=-1)
    return states, mask.unsqueeze(1)


# %% greedy_decoding · right · done-flag
# source: written from the task's text, 2026-11
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    """Ids (batch, limit) and lengths (batch,)."""
    batch = len(state)
    ids = torch.full((batch, limit), PAD)
    lengths = torch.zeros(batch, dtype=torch.long)
    writing = torch.ones(batch, dtype=torch.bool)
    word = torch.full((batch,), SOS)
    for t in range(limit):
        scores, state = step(word, state)
        word = scores.argmax(1)
        writing = writing & (word != EOS)
        ids[writing, t] = word[writing]
        lengths += writing
    return ids, lengths


def greedy_decoding(table, limit):  # the check calls this
    steps = []

    def step(words, state):  # a state says which table is whose, and how many steps were taken
        rows, taken = state.unbind(1)  # (batch,) each
        assert (taken == len(steps)).all(), "this step was given an old state"
        steps.append(words)
        return table[rows, words], state + torch.tensor([0, 1])

    rows = torch.arange(len(table))
    return greedy(step, torch.stack([rows, 0 * rows], dim=1), limit)


# %% greedy_decoding · wrong · eos-kept-and-one-short
# source: written from the task's text, 2026-11
# mistake: the <eos> stays among the words and counts in the length, and the <sos> takes the first of the limit places
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    """Ids (batch, limit) and lengths (batch,)."""
    n = len(state)
    ids = torch.full((n, limit), PAD)
    ids[:, 0] = SOS
    lengths = torch.zeros(n, dtype=torch.long)
    finished = torch.zeros(n, dtype=torch.bool)
    for t in range(1, limit):
        scores, state = step(ids[:, t - 1], state)
        best = scores.argmax(dim=-1)
        ids[:, t] = torch.where(finished, torch.full_like(best, PAD), best)
        lengths += (~finished).long()
        finished |= best == EOS
    return ids, lengths


def greedy_decoding(table, limit):  # the check calls this
    steps = []

    def step(words, state):  # a state says which table is whose, and how many steps were taken
        rows, taken = state.unbind(1)  # (batch,) each
        assert (taken == len(steps)).all(), "this step was given an old state"
        steps.append(words)
        return table[rows, words], state + torch.tensor([0, 1])

    rows = torch.arange(len(table))
    return greedy(step, torch.stack([rows, 0 * rows], dim=1), limit)


# %% greedy_decoding · wrong · stops-at-the-first-end
# source: written from the task's text, 2026-11
# mistake: the loop stops as soon as any sentence has ended, and the lengths are counted as the number of steps for all
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    words = torch.full((len(state),), SOS)
    ids = torch.full((len(state), limit), PAD)
    count = 0
    for t in range(limit):
        scores, state = step(words, state)
        words = scores.argmax(-1)
        if (words == EOS).any():
            break
        ids[:, t] = words
        count = count + 1
    lengths = torch.full((len(state),), count)
    return ids, lengths


def greedy_decoding(table, limit):  # the check calls this
    steps = []

    def step(words, state):  # a state says which table is whose, and how many steps were taken
        rows, taken = state.unbind(1)  # (batch,) each
        assert (taken == len(steps)).all(), "this step was given an old state"
        steps.append(words)
        return table[rows, words], state + torch.tensor([0, 1])

    rows = torch.arange(len(table))
    return greedy(step, torch.stack([rows, 0 * rows], dim=1), limit)


# %% beam_step · right · only-the-candidates-listed
# source: written from the task's text, 2026-11
import torch

from utils.corpora import EOS, PAD, SOS


def beam_step(scores, log_probs, finished):
    """Scores, parents and words of the best `beam` continuations."""
    candidates = []
    for parent in range(len(scores)):
        if finished[parent]:
            candidates.append((scores[parent], parent, EOS))
        else:
            for word in range(log_probs.shape[1]):
                candidates.append((scores[parent] + log_probs[parent, word], parent, word))
    candidates.sort(key=lambda one: one[0].item(), reverse=True)
    candidates = candidates[: len(scores)]
    best = torch.stack([one[0] for one in candidates])
    parents = torch.tensor([one[1] for one in candidates])
    words = torch.tensor([one[2] for one in candidates])
    return best, parents, words


# %% beam_step · wrong · finished-goes-on-and-swapped
# source: written from the task's text, 2026-11
# mistake: a finished hypothesis may go on with any word at its price, and parents and words are swapped
import torch


def beam_step(scores, log_probs, finished):
    """Scores, parents and words of the best `beam` continuations."""
    beam, vocab = log_probs.shape
    total = (scores[:, None] + log_probs).reshape(-1)
    best, index = total.topk(beam)
    parents = index % vocab
    words = index // vocab
    return best, parents, words


# %% beam_step · wrong · free-eos-only-and-no-old-scores
# source: written from the task's text, 2026-11
# mistake: for a finished hypothesis EOS is free but the other words stay allowed, and the scores so far are left out of the result
import torch

from utils.corpora import EOS


def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    log_probs = log_probs.clone()
    log_probs[finished, EOS] = 0.0
    total = scores.unsqueeze(1) + log_probs
    order = total.flatten().argsort(descending=True)[:beam]
    parents = torch.div(order, vocab, rounding_mode="floor")
    words = order % vocab
    best = log_probs[parents, words]
    return best, parents, words


# %% beam_step · wrong · one-child-each-worst-first
# source: written from the task's text, 2026-11
# mistake: each hypothesis keeps its single best continuation, and the result is sorted with the worst first
import torch

from utils.corpora import EOS


def beam_step(scores, log_probs, finished):
    """Scores, parents and words of the best `beam` continuations."""
    top, words = log_probs.max(dim=-1)
    top = torch.where(finished, torch.zeros_like(top), top)
    words = torch.where(finished, torch.full_like(words, EOS), words)
    best, parents = (scores + top).sort()
    return best, parents, words[parents]


# %% test_luong_step · wrong · full-mask-shapes-and-sums
# source: written from the task's text, 2026-11
# mistake: the mask of every case is full, so no bug with padding shows, and only the sums of the weights and the shapes are tested
import torch


def test_luong_step(step):
    """Fails if `step` has a bug, and only then."""
    torch.manual_seed(0)
    word = torch.tensor([1, 2])
    state = torch.randn(2, 4)
    memory = torch.randn(2, 5, 4)
    mask = torch.ones(2, 5, dtype=torch.bool)
    embedding = torch.randn(6, 3)
    w_state = torch.randn(7, 4)
    w_output = torch.randn(8, 6)
    logits, weights, new_state = step(word, state, memory, mask, embedding, w_state, w_output)
    assert logits.shape == (2, 6)
    assert weights.shape == (2, 5)
    assert new_state.shape == (2, 4)
    assert torch.allclose(weights.sum(1), torch.ones(2), atol=1e-4)


# %% test_luong_step · wrong · sums-over-the-batch-old-state
# source: written from the task's text, 2026-11
# mistake: the weights are to sum to 1 over the batch instead of over the words, and the state is to be the one that came in, so that the right version is blamed
import torch


def test_luong_step(step):
    word = torch.tensor([0, 1, 2])
    state = torch.randn(3, 4)
    memory = torch.randn(3, 4, 4)
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=torch.bool)
    embedding, w_state, w_output = torch.randn(5, 2), torch.randn(6, 4), torch.randn(8, 5)
    logits, weights, new_state = step(word, state, memory, mask, embedding, w_state, w_output)
    assert (weights[~mask] == 0).all()
    assert torch.allclose(weights.sum(0), torch.ones(4), atol=1e-5)
    assert torch.allclose(new_state, state, atol=1e-5)


# %% alignment_picture · right · index-lists
# source: written from the task's text, 2026-11
import torch


def alignment_picture(weights, source, target):
    """Trimmed weights (target words, source words) and links of the same shape."""
    extra = {"<sos>", "<eos>", "<pad>"}
    columns = [j for j, word in enumerate(source) if word not in extra]
    rows = [i for i, word in enumerate(target[1:]) if word not in extra]
    trimmed = weights[rows][:, columns]
    links = torch.zeros(trimmed.shape, dtype=torch.bool)
    for i in range(trimmed.shape[0]):
        if trimmed.shape[1]:
            links[i, trimmed[i].argmax()] = True
    return trimmed, links


# %% alignment_picture · wrong · not-shifted-and-normalised
# source: written from the task's text, 2026-11
# mistake: the row of a word is taken one too late (its place in the target instead of its step), and the rows are made to sum to 1 again
import torch


def alignment_picture(weights, source, target):
    """Trimmed weights (target words, source words) and links of the same shape."""
    special = ["<sos>", "<eos>", "<pad>"]
    cols = torch.tensor([w not in special for w in source])
    rows = torch.tensor([w not in special for w in target[:-1]])
    trimmed = weights[rows][:, cols]
    trimmed = trimmed / trimmed.sum(dim=-1, keepdim=True)
    links = trimmed == trimmed.max(dim=-1, keepdim=True).values
    return trimmed, links


# %% alignment_picture · wrong · eos-row-kept-links-by-column
# source: written from the task's text, 2026-11
# mistake: the row of <eos> stays, and the links mark the largest entry of each column instead of each row
import torch


def alignment_picture(weights, source, target):
    columns = [j for j, w in enumerate(source) if w not in ("<sos>", "<eos>", "<pad>")]
    rows = [i for i, w in enumerate(target[1:]) if w != "<pad>"]
    trimmed = weights[rows][:, columns]
    links = torch.zeros_like(trimmed, dtype=torch.bool)
    links[trimmed.argmax(dim=0), torch.arange(trimmed.shape[1])] = True
    return trimmed, links


# %% alignment_picture · wrong · unknown-dropped-float-links
# source: written from the task's text, 2026-11
# mistake: <unk> is thrown out with the special words, only as many columns as the source has padding are cut off (special words at the ends stay), and the links are numbers instead of booleans
import torch
import torch.nn.functional as F


def alignment_picture(weights, source, target):
    """Trimmed weights (target words, source words) and links of the same shape."""
    n_source = len([w for w in source if w != "<pad>" and w != "<unk>"])
    n_target = len([w for w in target if not w.startswith("<")])
    trimmed = weights[:n_target, :n_source]
    links = F.one_hot(trimmed.argmax(-1), trimmed.shape[-1]).float()
    return trimmed, links


# %% four_sick_maps · wrong · one-token-and-frozen-exchanged
# source: written from the task's text, 2026-11
# mistake: the map with one bright column (a) and the one with scattered hard choices (c) are exchanged
four_sick_maps = {
    "a": "frozen",
    "b": "future",
    "c": "one token",
    "d": "padding",
    "numbers": "healthy",
}


# %% four_sick_maps · wrong · mask-illnesses-exchanged-and-numbers
# source: written from the task's text, 2026-11
# mistake: future and padding are exchanged, and the fifth model, whose rows look at one word each, is called uniform
four_sick_maps = {
    "a": "one token",
    "b": "padding",
    "c": "frozen",
    "d": "future",
    "numbers": "uniform",
}


# %% clip_together · right · one-long-vector
# source: written from the task's text, 2026-11
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    """The two gradients, clipped together, and their length before."""
    together = torch.cat([of_keys.reshape(-1), of_queries.reshape(-1)])
    length = together.pow(2).sum().sqrt()
    if length > limit:
        return of_keys / length * limit, of_queries / length * limit, length
    return of_keys.clone(), of_queries.clone(), length


# %% clip_together · wrong · length-of-the-longer-and-after
# source: written from the task's text, 2026-11
# mistake: the length is that of the longer of the two, and the one that is returned is the length after clipping
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    """The two gradients, clipped together, and their length before."""
    length = torch.maximum(of_keys.norm(), of_queries.norm())
    shrink = (limit / length).clamp(max=1.0)
    return of_keys * shrink, of_queries * shrink, length * shrink


# %% clip_together · wrong · each-by-itself-no-root
# source: written from the task's text, 2026-11
# mistake: each gradient is clipped by itself, and the length has no square root
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    def clip(gradient):
        size = gradient.norm()
        return gradient * min(1.0, (limit / size).item()) if size > 0 else gradient

    length = (of_keys**2).sum() + (of_queries**2).sum()
    return clip(of_keys), clip(of_queries), length


# %% clip_together · wrong · max-for-min-and-in-place
# source: written from the task's text, 2026-11
# mistake: the factor is at least 1 instead of at most 1, so that short gradients grow and long ones stay; and the inputs are changed in place
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    """The two gradients, clipped together, and their length before."""
    length = torch.sqrt(of_keys.norm() ** 2 + of_queries.norm() ** 2)
    shrink = max(1.0, (limit / length).item())
    of_keys *= shrink
    of_queries *= shrink
    return of_keys, of_queries, length


# %% sick_run · wrong · leak-taken-for-overfitting
# source: written from the task's text, 2026-11
# mistake: d learns at once and writes nothing right, which is a leak and not overfitting; c saws with the epochs, which is the order and not the rate; so e is left with the clipping
sick_run = {
    "a": "padding counted",
    "b": "not shuffled",
    "c": "rate too high",
    "d": "overfits",
    "e": "no clipping",
}


# %% sick_run · wrong · first-two-exchanged
# source: written from the task's text, 2026-11
# mistake: a (a training loss far below the validation loss from the start) is taken for a leak, and d for counted padding
sick_run = {
    "a": "sees the answer",
    "b": "no clipping",
    "c": "not shuffled",
    "d": "padding counted",
    "e": "rate too high",
}


# %% invoice_check · right · row-by-row
# source: written from the task's text, 2026-11
import torch


def number(word, decimal):
    """What a word is worth as a number, or None; `decimal` is the sign before the cents."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None


def invoice_check(weights, source, target, least):
    """Marks `wrong` and `unsure`, each (tgt_len,), from weights (tgt_len, src_len)."""
    wrong = torch.zeros(len(target), dtype=torch.bool)
    unsure = torch.zeros(len(target), dtype=torch.bool)
    for i, word in enumerate(target):
        here = number(word, ",")
        if here is None:
            continue
        largest, place = weights[i].max(dim=0)
        wrong[i] = number(source[int(place)], ".") != here
        unsure[i] = bool(largest < least)
    return wrong, unsure


# %% invoice_check · wrong · english-signs-and-no-number-passes
# source: written from the task's text, 2026-11
# mistake: the French words are read with the English decimal point, and a number whose source word is no number at all is not marked
import torch


def number(word, decimal):
    """What a word is worth as a number, or None; `decimal` is the sign before the cents."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None


def invoice_check(weights, source, target, least):
    """Marks `wrong` and `unsure`, each (tgt_len,), from weights (tgt_len, src_len)."""
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        value = number(word, ".")
        found = number(source[row.argmax()], ".")
        wrong.append(value is not None and found is not None and value != found)
        unsure.append(value is not None and row.max().item() < least)
    return torch.tensor(wrong), torch.tensor(unsure)


# %% invoice_check · wrong · words-marked-unsure-wrong-only
# source: written from the task's text, 2026-11
# mistake: words that are no numbers are marked wrong too where they look at a number, and unsure is only set where the number is wrong
import torch


def number(word, decimal):
    """What a word is worth as a number, or None; `decimal` is the sign before the cents."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None


def invoice_check(weights, source, target, least):
    best, place = weights.max(-1)
    wrong = torch.tensor(
        [number(t, ",") != number(source[p], ".") for t, p in zip(target, place.tolist())]
    )
    unsure = wrong & (best < least)
    return wrong, unsure


# %% invoice_check · wrong · column-and-swapped
# source: written from the task's text, 2026-11
# mistake: any source word with that number counts as right, wherever the weight is, and the two results come in the wrong order
import torch


def number(word, decimal):
    """What a word is worth as a number, or None; `decimal` is the sign before the cents."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None


def invoice_check(weights, source, target, least):
    known = {number(w, ".") for w in source}
    values = [number(w, ",") for w in target]
    is_number = torch.tensor([v is not None for v in values])
    wrong = torch.tensor([v is not None and v not in known for v in values])
    unsure = is_number & (weights.max(dim=1).values < least)
    return unsure, wrong


# %% sickness · right · one-map-at-a-time
# source: written from the task's text, 2026-11
import torch


def one_code(weights, mask):
    sums = weights.sum(-1)
    should_be = mask.any(-1).to(weights.dtype)
    if (weights < 0).any() or ((sums - should_be).abs() > 0.01).any():
        return 1
    if (weights[~mask] != 0).any():
        return 2
    choice = [i for i in range(len(mask)) if int(mask[i].sum()) >= 2]
    if not choice:
        return 0
    if (weights[choice] > 0.9).all(dim=0).any():
        return 3
    spreads = [weights[i][mask[i]].max() - weights[i][mask[i]].min() for i in choice]
    return 4 if max(spreads) < 0.01 else 0


def sickness(weights, mask):
    """Codes (batch,), whole numbers, from weights and mask, both (batch, tgt_len, src_len)."""
    return torch.tensor([one_code(w, m) for w, m in zip(weights, mask)])


# %% sickness · wrong · last-line-wins-small-leaks-pass
# source: written from the task's text, 2026-11
# mistake: of several illnesses the last one in the table wins instead of the first, and leaks below 0.000001 are not seen
import torch


def sickness(weights, mask):
    """Codes (batch,), whole numbers, from weights and mask, both (batch, tgt_len, src_len)."""
    codes = torch.zeros(len(weights), dtype=torch.long)
    sums = weights.sum(-1)
    broken = (weights < 0).any(-1).any(-1) | ((sums - mask.any(-1).float()).abs() > 0.01).any(-1)
    leaks = (weights.masked_fill(mask, 0).abs() > 1e-6).any(-1).any(-1)
    choice = mask.sum(-1) >= 2
    some = choice.any(-1)
    one = ((weights > 0.9) | ~choice.unsqueeze(-1)).all(1).any(-1) & some
    big = weights.masked_fill(~mask, -torch.inf).amax(-1)
    small = weights.masked_fill(~mask, torch.inf).amin(-1)
    uniform = ((big - small < 0.01) | ~choice).all(-1) & some
    codes[broken] = 1
    codes[leaks] = 2
    codes[one] = 3
    codes[uniform] = 4
    return codes


# %% sickness · wrong · all-rows-count-sum-must-be-one
# source: written from the task's text, 2026-11
# mistake: rows without a choice count for 3 and 4, and a row that is masked whole is called broken, since its sum is not 1
import torch


def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        if (w < 0).any() or ((w.sum(-1) - 1).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m] != 0).any():
            codes.append(2)
        elif (w > 0.9).all(0).any():
            codes.append(3)
        elif (
            w.masked_fill(~m, -1.0).max(-1).values - w.masked_fill(~m, 2.0).min(-1).values < 0.01
        ).all():
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)


# %% sickness · wrong · any-row-any-token
# source: written from the task's text, 2026-11
# mistake: "one token" needs every row to be sharp, on whatever word, negative weights are not looked for, and the spread of a uniform row includes the masked zeros
import torch


def sickness(weights, mask):
    """Codes (batch,), whole numbers, from weights and mask, both (batch, tgt_len, src_len)."""
    want = mask.any(-1).float()
    broken = ((weights.sum(-1) - want).abs() > 0.01).any(-1)
    leaks = ((weights != 0) & ~mask).flatten(1).any(1)
    choice = mask.sum(-1) > 1
    sharp = ((weights.max(-1).values > 0.9) | ~choice).all(-1) & choice.any(-1)
    spread = weights.max(-1).values - weights.min(-1).values
    uniform = ((spread < 0.01) | ~choice).all(-1) & choice.any(-1)
    zero = torch.zeros(len(weights), dtype=torch.long)
    codes = torch.where(uniform, zero + 4, zero)
    codes = torch.where(sharp, zero + 3, codes)
    codes = torch.where(leaks, zero + 2, codes)
    return torch.where(broken, zero + 1, codes)


# %% both_ways · right · two-einsums
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def both_ways(left, right, left_mask, right_mask):
    """`left_reads`, `right_reads`, `forth` and `back`: see the table."""
    root = left.shape[-1] ** 0.25
    scores = torch.einsum("bld,brd->blr", left / root, right / root)
    over_right = right_mask.unsqueeze(1).expand(scores.shape)
    over_left = left_mask.unsqueeze(1).expand(scores.transpose(1, 2).shape)
    forth = masked_softmax(scores, over_right)
    back = masked_softmax(scores.transpose(1, 2), over_left)
    left_reads = torch.einsum("blr,brd->bld", forth, right)
    right_reads = torch.einsum("brl,bld->brd", back, left)
    return left_reads, right_reads, forth, back


# %% both_ways · wrong · back-is-the-transpose-unscaled
# source: written from the task's text, 2026-11
# mistake: the scores are not divided by the root of dim, and back is the transpose of forth instead of a softmax of its own
import torch

from utils.masks import masked_softmax


def both_ways(left, right, left_mask, right_mask):
    """`left_reads`, `right_reads`, `forth` and `back`: see the table."""
    scores = left @ right.transpose(-2, -1)
    forth = masked_softmax(scores, right_mask.unsqueeze(1))
    back = forth.transpose(-2, -1)
    left_reads = forth @ right
    right_reads = back @ left
    return left_reads, right_reads, forth, back


# %% both_ways · wrong · lookers-masked-weights-first
# source: written from the task's text, 2026-11
# mistake: the rows that look are masked as well, and the weights are returned before what is read
import torch

from utils.masks import masked_softmax


def both_ways(left, right, left_mask, right_mask):
    scores = torch.matmul(left, right.mT) / left.size(-1) ** 0.5
    both = left_mask[:, :, None] & right_mask[:, None, :]
    forth = masked_softmax(scores, both)
    back = masked_softmax(scores.mT, both.mT)
    left_reads = forth @ right
    right_reads = back @ left
    return forth, back, left_reads, right_reads


# %% both_ways · wrong · back-over-the-wrong-axis-scaled-by-dim
# source: written from the task's text, 2026-11
# mistake: the scores are divided by dim instead of its root, the weights of back are normalised over the right words, and back has no mask
import torch

from utils.masks import masked_softmax


def both_ways(left, right, left_mask, right_mask):
    """`left_reads`, `right_reads`, `forth` and `back`: see the table."""
    dim = left.shape[-1]
    scores = torch.einsum("bld,brd->blr", left, right) / dim
    forth = masked_softmax(scores, right_mask.unsqueeze(1))
    back = torch.softmax(scores.transpose(1, 2), dim=1)
    left_reads = torch.bmm(forth, right)
    right_reads = torch.bmm(back, left)
    return left_reads, right_reads, forth, back


# %% counterfactual · right · one-sentence-at-a-time
# source: written from the task's text, 2026-11
import torch


def probability(s, h, out, word, allowed):
    scores = (h @ s) / s.shape[0] ** 0.5
    kept = h[allowed]
    if len(kept):
        context = scores[allowed].softmax(0) @ kept
    else:
        context = torch.zeros_like(s)
    return (out @ torch.cat([context, s])).softmax(0)[word]


def counterfactual(start, states, other_start, other_states, out, place, word):
    """`spliced`, `replaced` and `forbidden`, each (batch,)."""
    falls = []
    for b in range(len(start)):
        every = torch.ones(states.shape[1], dtype=torch.bool)
        before = probability(start[b], states[b], out, word[b], every)
        one = before - probability(other_start[b], states[b], out, word[b], every)
        changed = states[b].clone()
        changed[place[b]] = other_states[b, place[b]]
        two = before - probability(start[b], changed, out, word[b], every)
        without = every.clone()
        without[place[b]] = False
        three = before - probability(start[b], states[b], out, word[b], without)
        falls.append(torch.stack([one, two, three]))
    spliced, replaced, forbidden = torch.stack(falls).unbind(1)
    return spliced, replaced, forbidden


# %% counterfactual · wrong · rise-and-no-new-softmax
# source: written from the task's text, 2026-11
# mistake: the rises are returned instead of the falls, and the forbidden weight is set to 0 without sharing it out among the others
import torch


def counterfactual(start, states, other_start, other_states, out, place, word):
    """`spliced`, `replaced` and `forbidden`, each (batch,)."""
    rows = torch.arange(len(start))

    def p(s, h, forbid=False):
        scores = torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5
        weights = scores.softmax(-1)
        if forbid:
            weights = weights.clone()
            weights[rows, place] = 0
        context = torch.einsum("bs,bsd->bd", weights, h)
        return (torch.cat([context, s], -1) @ out.T).softmax(-1)[rows, word]

    base = p(start, states)
    changed = states.clone()
    changed[rows, place] = other_states[rows, place]
    return p(other_start, states) - base, p(start, changed) - base, p(start, states, True) - base


# %% counterfactual · wrong · half-spliced-all-replaced
# source: written from the task's text, 2026-11
# mistake: the other start state is used in the scores only and not behind the context, and all states are replaced instead of the one at place
import torch


def counterfactual(start, states, other_start, other_states, out, place, word):
    n = len(start)
    rows = torch.arange(n)
    dim = start.shape[1]

    def run(query, s, h, allowed):
        scores = (h @ query.unsqueeze(2)).squeeze(2) / dim**0.5
        weights = scores.masked_fill(~allowed, -1e9).softmax(1) * allowed
        context = (weights.unsqueeze(2) * h).sum(1)
        return (torch.cat((context, s), 1) @ out.T).softmax(1)[rows, word]

    every = torch.ones(states.shape[:2], dtype=torch.bool)
    without = every.clone()
    without[rows, place] = False
    base = run(start, start, states, every)
    spliced = base - run(other_start, start, states, every)
    replaced = base - run(start, start, other_states, every)
    forbidden = base - run(start, start, states, without)
    return spliced, replaced, forbidden


# %% counterfactual · wrong · unscaled-and-state-first
# source: written from the task's text, 2026-11
# mistake: the scores are not divided by the root of dim, and the start state stands before the context instead of behind it
import torch

from utils.masks import masked_softmax


def counterfactual(start, states, other_start, other_states, out, place, word):
    """`spliced`, `replaced` and `forbidden`, each (batch,)."""
    here = torch.nn.functional.one_hot(place, states.shape[1]).bool()

    def p(s, h, mask):
        e = torch.einsum("bd,bsd->bs", s, h)
        a = masked_softmax(e, mask)
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([s, c], dim=1) @ out.T).softmax(1).gather(1, word[:, None])[:, 0]

    everything = torch.ones_like(here)
    base = p(start, states, everything)
    spliced = base - p(other_start, states, everything)
    replaced = base - p(start, torch.where(here[:, :, None], other_states, states), everything)
    forbidden = base - p(start, states, ~here)
    return spliced, replaced, forbidden


# %% PatchClassifier · right · cut-by-two-loops
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
        """Logits (batch, classes) and weights (batch, patches) of images (batch, height, width)."""
        p = self.patch
        pieces = []
        for top in range(0, images.shape[1] - p + 1, p):
            for left in range(0, images.shape[2] - p + 1, p):
                pieces.append(images[:, top : top + p, left : left + p].flatten(1))
        states = torch.relu(self.embed(torch.stack(pieces, 1)) + self.places)
        scores = (states * self.query).sum(-1) / len(self.query) ** 0.5
        weights = torch.exp(scores - scores.amax(1, keepdim=True))
        weights = weights / weights.sum(1, keepdim=True)
        return self.answer((weights.unsqueeze(-1) * states).sum(1)), weights


# %% PatchClassifier · wrong · cut-by-view-unscaled
# source: written from the task's text, 2026-11
# mistake: the pixels are only put into a new shape, so that the pieces are strips of rows and no squares, and the scores are not scaled
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
        """Logits (batch, classes) and weights (batch, patches) of images (batch, height, width)."""
        pixels = images.reshape(len(images), -1, self.patch * self.patch)
        states = torch.relu(self.embed(pixels) + self.places)
        weights = (states @ self.query).softmax(-1)
        logits = self.answer((weights.unsqueeze(1) @ states).squeeze(1))
        return logits, weights


# %% PatchClassifier · wrong · columns-first-relu-too-early
# source: written from the task's text, 2026-11
# mistake: the patches are counted column by column, and the places are added after the ReLU
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
        batch, height, width = images.shape
        p = self.patch
        cut = images.view(batch, height // p, p, width // p, p)
        cut = cut.permute(0, 3, 1, 2, 4).reshape(batch, -1, p * p)
        states = self.embed(cut).relu() + self.places
        scores = states @ self.query / self.query.shape[0] ** 0.5
        weights = torch.softmax(scores, dim=1)
        context = torch.einsum("bp,bpd->bd", weights, states)
        return self.answer(context), weights


# %% PatchClassifier · wrong · pixels-turned-probabilities-returned
# source: written from the task's text, 2026-11
# mistake: the pixels inside a patch are read column by column, the result is a softmax instead of logits, and the scores are returned instead of the weights
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
        """Logits (batch, classes) and weights (batch, patches) of images (batch, height, width)."""
        p = self.patch
        tiles = images.unfold(1, p, p).unfold(2, p, p)  # (batch, rows, columns, p, p)
        tiles = tiles.transpose(-1, -2).flatten(3).flatten(1, 2)
        states = torch.relu(self.embed(tiles) + self.places)
        scores = states @ self.query / self.query.numel() ** 0.5
        weights = scores.softmax(dim=-1)
        read = torch.einsum("bp,bpd->bd", weights, states)
        return self.answer(read).softmax(-1), scores


# %% layer_norm · right · three-einsums
# source: written from the task's text, 2026-11
import torch


def layer_norm(x, gamma, beta):
    """Normalised words (batch, len, dim), from x (batch, len, dim)."""
    dim = x.shape[2]
    centred = x - torch.einsum("bld->bl", x).unsqueeze(2) / dim
    variance = torch.einsum("bld,bld->bl", centred, centred) / dim
    return torch.einsum("bld,bl,d->bld", centred, torch.rsqrt(variance + 1e-5), gamma) + beta


# %% layer_norm · wrong · unbiased-and-epsilon-outside
# source: written from the task's text, 2026-11
# mistake: the variance is divided by dim - 1, and epsilon is added to the root instead of under it
import torch


def layer_norm(x, gamma, beta):
    """Normalised words (batch, len, dim), from x (batch, len, dim)."""
    mu = x.mean(-1, keepdim=True)
    sigma = x.std(-1, keepdim=True)
    return gamma * (x - mu) / (sigma + 1e-5) + beta


# %% layer_norm · wrong · over-the-words-shift-first
# source: written from the task's text, 2026-11
# mistake: mean and variance are taken over the words of the sentence, and beta is added before gamma is multiplied
import torch


def layer_norm(x, gamma, beta):
    mu = x.mean(dim=1, keepdim=True)
    var = ((x - mu) ** 2).mean(dim=1, keepdim=True)
    return gamma * ((x - mu) / torch.sqrt(var + 1e-5) + beta)


# %% layer_norm · wrong · whole-sentence-no-root
# source: written from the task's text, 2026-11
# mistake: mean and variance are taken over words and dimensions together, and it divides by the variance without the root
import torch


def layer_norm(x, gamma, beta):
    """Normalised words (batch, len, dim), from x (batch, len, dim)."""
    mean = x.mean(dim=(1, 2), keepdim=True)
    variance = x.var(dim=(1, 2), keepdim=True, unbiased=False)
    normalised = (x - mean) / (variance + 1e-5)
    return normalised * gamma + beta


# %% block_parameters · right · part-by-part
# source: written from the task's text, 2026-11
import torch


def block_parameters(dim, heads, hidden, layers, words):
    """The numbers of parameters `encoder_block`, `decoder_block` and `language_model`."""
    square_layer = dim * (dim + 1)
    norm = dim + dim
    attention = square_layer + square_layer + square_layer + square_layer
    up = (dim + 1) * hidden
    down = (hidden + 1) * dim
    encoder_block = attention + up + down + norm + norm
    decoder_block = encoder_block + attention + norm
    # the output shares its matrix with the embedding, and has a bias of its own
    language_model = words * (dim + 1) + layers * encoder_block + norm
    return encoder_block, decoder_block, language_model


# %% block_parameters · wrong · heads-multiply-and-no-biases
# source: written from the task's text, 2026-11
# mistake: the projections are counted once for each head at full width, and the biases of the feed-forward network are left out
import torch


def block_parameters(dim, heads, hidden, layers, words):
    """The numbers of parameters `encoder_block`, `decoder_block` and `language_model`."""
    attention = heads * 3 * (dim**2 + dim) + dim**2 + dim
    feed_forward = 2 * dim * hidden
    encoder_block = attention + feed_forward + 2 * 2 * dim
    decoder_block = encoder_block + attention + 2 * dim
    language_model = layers * encoder_block + words * dim + words + 2 * dim
    return encoder_block, decoder_block, language_model


# %% block_parameters · wrong · two-norms-in-the-decoder-untied-output
# source: written from the task's text, 2026-11
# mistake: the decoder's third norm is forgotten, and the output matrix is counted besides the embedding, though they are one
import torch


def block_parameters(dim, heads, hidden, layers, words):
    attention = 4 * dim * dim + 4 * dim
    ffn = dim * hidden + hidden + hidden * dim + dim
    norms = 4 * dim
    encoder_block = attention + ffn + norms
    decoder_block = 2 * attention + ffn + norms
    embedding = words * dim
    output = dim * words + words
    language_model = embedding + layers * encoder_block + 2 * dim + output
    return encoder_block, decoder_block, language_model


# %% block_parameters · wrong · no-output-projection-no-last-norm
# source: written from the task's text, 2026-11
# mistake: attention is counted without its output layer, norms have a scale only, and the model lacks its last norm
import torch


def block_parameters(dim, heads, hidden, layers, words):
    """The numbers of parameters `encoder_block`, `decoder_block` and `language_model`."""
    attention = 3 * (dim * dim + dim)
    feed_forward = dim * hidden + hidden + hidden * dim + dim
    encoder_block = attention + feed_forward + 2 * dim
    decoder_block = 2 * attention + feed_forward + 3 * dim
    language_model = words * dim + words + layers * encoder_block
    return encoder_block, decoder_block, language_model


# %% next_word · right · searchsorted-by-row
# source: written from the task's text, 2026-11
import torch


def next_word(logits, temperature, k, uniform):
    """`chances` (batch, vocab) and `word` (batch,)."""
    cooled = logits / temperature
    top = cooled.topk(min(k, logits.shape[1]), dim=1)
    chances = torch.zeros_like(cooled)
    drawn = []
    for b in range(len(cooled)):
        chances[b, top.indices[b]] = top.values[b].softmax(0)
        ends = chances[b].cumsum(0)
        found = int(torch.searchsorted(ends, uniform[b].reshape(1).to(ends.dtype), right=True)[0])
        last = int(chances[b].nonzero().max())  # for sums that round to less than 1
        drawn.append(min(found, last))
    return chances, torch.tensor(drawn)


# %% next_word · wrong · not-shared-out-again-times-temperature
# source: written from the task's text, 2026-11
# mistake: the softmax goes over all words and is only cut afterwards, so the chances do not sum to 1, and the logits are multiplied by the temperature
import torch


def next_word(logits, temperature, k, uniform):
    """`chances` (batch, vocab) and `word` (batch,)."""
    p = (logits * temperature).softmax(dim=-1)
    values, indices = p.topk(k, dim=-1)
    chances = torch.zeros_like(p).scatter(-1, indices, values)
    word = (chances.cumsum(-1) <= uniform.unsqueeze(-1)).sum(-1)
    return chances, word


# %% next_word · wrong · likeliest-first-right-end
# source: written from the task's text, 2026-11
# mistake: the pieces lie in the order of the chances instead of the ids, and a piece includes its right end instead of its left one
import torch


def next_word(logits, temperature, k, uniform):
    values, indices = torch.topk(logits / temperature, k, dim=-1)
    probs = torch.softmax(values, dim=-1)
    chances = torch.zeros_like(logits).scatter_(1, indices, probs)
    position = (probs.cumsum(dim=-1) < uniform[:, None]).sum(dim=-1).clamp(max=k - 1)
    word = indices.gather(1, position[:, None]).squeeze(1)
    return chances, word


# %% next_word · wrong · one-word-too-many-and-likeliest
# source: written from the task's text, 2026-11
# mistake: k + 1 words are kept, and the word is the likeliest one whatever the dice say
import torch


def next_word(logits, temperature, k, uniform):
    """`chances` (batch, vocab) and `word` (batch,)."""
    logits = logits / temperature
    order = logits.sort(dim=1, descending=True).values
    border = order[:, min(k, logits.shape[1] - 1)].unsqueeze(1)
    chances = logits.masked_fill(logits < border, -torch.inf).softmax(1)
    word = chances.argmax(1)
    return chances, word


# %% cached_step · right · einsum-by-hand
# source: written from the task's text, 2026-11
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    batch, written, key_dim = past_keys.shape
    keys = past_keys.new_empty(batch, written + 1, key_dim)
    values = past_values.new_empty(batch, written + 1, past_values.shape[2])
    keys[:, :written], keys[:, written] = past_keys, x @ w_k
    values[:, :written], values[:, written] = past_values, x @ w_v
    scores = torch.einsum("bk,bwk->bw", x @ w_q, keys) / key_dim**0.5
    context = torch.einsum("bw,bwv->bv", scores.softmax(1), values)
    return context, keys, values


# %% cached_step · wrong · new-word-first-unscaled
# source: written from the task's text, 2026-11
# mistake: the new key and value are put before the old ones, and the scores are not scaled
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    x = x.unsqueeze(1)
    keys = torch.cat([x @ w_k, past_keys], dim=1)
    values = torch.cat([x @ w_v, past_values], dim=1)
    weights = (x @ w_q @ keys.transpose(1, 2)).softmax(-1)
    context = (weights @ values).squeeze(1)
    return context, keys, values


# %% cached_step · wrong · not-itself-scaled-by-length
# source: written from the task's text, 2026-11
# mistake: the new word reads the words before only and not itself, and the scores are divided by the root of the number of words
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k)[:, None]], dim=1)
    values = torch.cat([past_values, (x @ w_v)[:, None]], dim=1)
    q = (x @ w_q)[:, None]
    scores = q @ past_keys.transpose(1, 2) / keys.shape[1] ** 0.5
    context = (torch.softmax(scores, dim=-1) @ past_values)[:, 0]
    return context, keys, values


# %% cached_step · wrong · query-not-projected-context-last
# source: written from the task's text, 2026-11
# mistake: the query is projected with the matrix of the keys, the softmax goes over the batch, and the context comes last
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    keys = torch.cat((past_keys, (x @ w_k).unsqueeze(1)), dim=1)
    values = torch.cat((past_values, (x @ w_v).unsqueeze(1)), dim=1)
    scores = torch.einsum("bk,bnk->bn", x @ w_k, keys) / w_k.shape[1] ** 0.5
    context = torch.einsum("bn,bnv->bv", scores.softmax(0), values)
    return keys, values, context


# %% DecoderBlock · wrong · post-norm-no-causal-mask
# source: written from the task's text, 2026-11
# mistake: the norms come after each layer instead of before it, and self-attention has no causal mask
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
        """The states (batch, tgt_len, dim) after the block."""
        context, _ = self.attention(x, x)
        x = self.norms[0](x + context)
        context, _ = self.cross(x, source, mask=source_mask)
        x = self.norms[1](x + context)
        return self.norms[2](x + self.feed_forward(x))


# %% DecoderBlock · wrong · source-normalised-and-residual-from-the-norm
# source: written from the task's text, 2026-11
# mistake: the source is normalised once more, and what cross-attention finds is added to the normalised states instead of to x
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
        y = self.norms[0](x)
        x = x + self.attention(y, y, mask=causal_mask(x.shape[1]))[0]
        y = self.norms[1](x)
        y = y + self.cross(y, self.norms[1](source), mask=source_mask)[0]
        return y + self.feed_forward(self.norms[2](y))


# %% DecoderBlock · wrong · raw-keys-cross-first
# source: written from the task's text, 2026-11
# mistake: cross-attention comes before self-attention (with its norm), and the keys of self-attention are not normalised
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
        """The states (batch, tgt_len, dim) after the block."""
        found, _ = self.cross(self.norms[1](x), source, mask=source_mask)
        x = x + found
        found, _ = self.attention(self.norms[0](x), x, mask=causal_mask(x.shape[1]))
        x = x + found
        return x + self.feed_forward(self.norms[2](x))


# %% test_language_model · wrong · sums-only-one-word
# source: written from the task's text, 2026-11
# mistake: the texts have one word only, so that causality, scale and places cannot show, and only the shape and the sums of the chances are tested
import torch


def test_language_model(language_model):
    """Fails if `language_model` has a bug, and only then."""
    torch.manual_seed(1)
    words = torch.tensor([[0], [3]])
    embedding, places = torch.randn(5, 4), torch.randn(1, 4)
    w_q, w_k, w_v = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4)
    w_1, w_2 = torch.randn(4, 6), torch.randn(6, 4)
    chances = language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2)
    assert chances.shape == (2, 1, 5)
    assert torch.allclose(chances.sum(-1), torch.ones(2, 1), atol=1e-4)


# %% test_language_model · wrong · reference-without-scale-and-first-residual
# source: written from the task's text, 2026-11
# mistake: the reference of the test does not scale the scores and forgets to add x to what attention finds, so the right version is blamed
import torch


def test_language_model(language_model):
    torch.manual_seed(0)

    def norm(x):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], eps=1e-5)

    words = torch.randint(0, 6, (2, 5))
    embedding, places = torch.randn(6, 4), torch.randn(5, 4)
    w_q, w_k, w_v = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4)
    w_1, w_2 = torch.randn(4, 6), torch.randn(6, 4)
    x = embedding[words] + places
    y = norm(x)
    scores = (y @ w_q) @ (y @ w_k).transpose(1, 2)
    scores = scores.masked_fill(~torch.tril(torch.ones(5, 5, dtype=torch.bool)), float("-inf"))
    x = scores.softmax(-1) @ (y @ w_v)
    x = x + torch.relu(norm(x) @ w_1) @ w_2
    expected = (norm(x) @ embedding.T).softmax(-1)
    out = language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2)
    assert torch.allclose(out, expected, atol=1e-4)


# %% cache_bytes · right · layer-by-layer
# source: written from the task's text, 2026-11
import json

import torch


def cache_bytes(config, tokens):
    """The bytes kept of texts of `tokens` tokens (n,), from the text of a configuration."""
    card = json.loads(config)
    layers = card["num_hidden_layers"]
    window = card.get("sliding_window")
    if card.get("use_sliding_window") is False:
        window = None
    kinds = card.get("layer_types") or ["sliding_attention"] * layers
    if card.get("kv_lora_rank") is not None:
        numbers = card["kv_lora_rank"] + card["qk_rope_head_dim"]
    else:
        heads = card.get("num_key_value_heads") or card["num_attention_heads"]
        width = card.get("head_dim") or card["hidden_size"] // card["num_attention_heads"]
        numbers = 2 * heads * width
    total = torch.zeros_like(tokens)
    for layer in range(layers):
        kept = tokens
        if window is not None and kinds[layer] == "sliding_attention":
            kept = tokens.clamp(max=window)
        total = total + 2 * numbers * kept
    return total


# %% cache_bytes · wrong · keys-only-and-window-switch-ignored
# source: written from the task's text, 2026-11
# mistake: only the keys are counted and not the values, and use_sliding_window false is not looked at
import json

import torch


def cache_bytes(config, tokens):
    """The bytes kept of texts of `tokens` tokens (n,), from the text of a configuration."""
    c = json.loads(config)
    n = c["num_hidden_layers"]
    types = c.get("layer_types", ["sliding_attention"] * n)
    window = c.get("sliding_window")
    if "kv_lora_rank" in c:
        per_token = c["kv_lora_rank"] + c["qk_rope_head_dim"]
    else:
        kv = c.get("num_key_value_heads", c["num_attention_heads"])
        per_token = kv * c.get("head_dim", c["hidden_size"] // c["num_attention_heads"])
    total = 0
    for kind in types:
        kept = tokens
        if kind == "sliding_attention" and window:
            kept = torch.minimum(tokens, torch.tensor(window))
        total = total + kept * per_token * 2
    return total


# %% cache_bytes · wrong · all-heads-and-latent-doubled
# source: written from the task's text, 2026-11
# mistake: all heads are counted although some share their keys, the latent vector is counted twice, and layer_types is ignored, so every layer has the window
import json

import torch


def cache_bytes(config, tokens):
    cfg = json.loads(config)
    window = cfg.get("sliding_window")
    if window and cfg.get("use_sliding_window", True):
        tokens = tokens.clamp(max=window)
    if cfg.get("kv_lora_rank"):
        width = cfg["kv_lora_rank"] + cfg["qk_rope_head_dim"]
    else:
        head = cfg.get("head_dim", cfg["hidden_size"] // cfg["num_attention_heads"])
        width = cfg["num_attention_heads"] * head
    return 2 * 2 * cfg["num_hidden_layers"] * width * tokens


# %% cache_bytes · wrong · window-in-full-layers-and-head-dim-ignored
# source: written from the task's text, 2026-11
# mistake: the two kinds of layers are exchanged (full ones get the window), and head_dim is never read
import json

import torch


def cache_bytes(config, tokens):
    """The bytes kept of texts of `tokens` tokens (n,), from the text of a configuration."""
    card = json.loads(config)
    layers = card["num_hidden_layers"]
    if "kv_lora_rank" in card:
        per_layer = card["kv_lora_rank"] + card["qk_rope_head_dim"]
    else:
        heads = card.get("num_key_value_heads", card["num_attention_heads"])
        per_layer = 2 * heads * (card["hidden_size"] // card["num_attention_heads"])
    window = card.get("sliding_window") if card.get("use_sliding_window", True) else None
    if window is None:
        return 2 * layers * per_layer * tokens
    kinds = card.get("layer_types", ["full_attention"] * layers)
    short = kinds.count("full_attention")
    return 2 * per_layer * (short * tokens.clamp(max=window) + (layers - short) * tokens)


# %% which_runs_out · wrong · size-decides-and-window-believed
# source: written from the task's text, 2026-11
# mistake: the giant is taken for the larger cache although it keeps a latent vector only, and the window of Qwen2.5 is believed although it is switched off
which_runs_out = {
    "tiny_or_giant": "deepseek-v3",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "olmo-3-7b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · wrong · windows-forgotten-at-one-place-overrated-at-another
# source: written from the task's text, 2026-11
# mistake: the window of Mistral is forgotten twice, and that of OLMo is taken to be in all layers
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "mistral-7b",
    "old_or_new": "llama-3.1-8b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "mistral-7b",
    "three_quarters": "llama-3.2-1b",
}


# %% grouped_step · right · head-by-head
# source: written from the task's text, 2026-11
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    batch, kv_heads, _, width = past_keys.shape
    group = w_q.shape[1] // (kv_heads * width)
    new_k = torch.stack([x @ w_k[:, i * width : (i + 1) * width] for i in range(kv_heads)], 1)
    new_v = torch.stack([x @ w_v[:, i * width : (i + 1) * width] for i in range(kv_heads)], 1)
    keys = torch.cat([past_keys, new_k.unsqueeze(2)], 2)
    values = torch.cat([past_values, new_v.unsqueeze(2)], 2)
    pieces = []
    for head in range(kv_heads * group):
        q = x @ w_q[:, head * width : (head + 1) * width]
        shared = head // group
        scores = (keys[:, shared] @ q.unsqueeze(2)).squeeze(2) / width**0.5
        pieces.append((scores.softmax(1).unsqueeze(1) @ values[:, shared]).squeeze(1))
    return torch.cat(pieces, 1), keys, values


# %% grouped_step · wrong · tiled-heads-unscaled
# source: written from the task's text, 2026-11
# mistake: the keys are repeated as 0, 1, 0, 1 instead of 0, 0, 1, 1, and the scores are not scaled
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    batch, kv_heads, written, width = past_keys.shape
    heads = w_q.shape[1] // width
    k = (x @ w_k).view(batch, kv_heads, 1, width)
    v = (x @ w_v).view(batch, kv_heads, 1, width)
    q = (x @ w_q).view(batch, heads, 1, width)
    keys = torch.cat([past_keys, k], dim=2)
    values = torch.cat([past_values, v], dim=2)
    n = heads // kv_heads
    weights = (q @ keys.repeat(1, n, 1, 1).transpose(2, 3)).softmax(-1)
    context = (weights @ values.repeat(1, n, 1, 1)).reshape(batch, -1)
    return context, keys, values


# %% grouped_step · wrong · columns-interleaved-scaled-by-all
# source: written from the task's text, 2026-11
# mistake: the columns of all matrices are read as width by heads instead of heads by width, and the scores are divided by the root of all heads' width together
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    b, kv, _, width = past_keys.shape
    h = w_q.shape[1] // width
    q = (x @ w_q).reshape(b, width, h).transpose(1, 2)
    k = (x @ w_k).reshape(b, width, kv).transpose(1, 2)
    v = (x @ w_v).reshape(b, width, kv).transpose(1, 2)
    keys = torch.cat([past_keys, k.unsqueeze(2)], dim=2)
    values = torch.cat([past_values, v.unsqueeze(2)], dim=2)
    full_k = keys.repeat_interleave(h // kv, dim=1)
    full_v = values.repeat_interleave(h // kv, dim=1)
    scores = torch.einsum("bhw,bhnw->bhn", q, full_k) / w_q.shape[1] ** 0.5
    context = torch.einsum("bhn,bhnw->bhw", scores.softmax(-1), full_v)
    return context.reshape(b, h * width), keys, values


# %% grouped_step · wrong · repeated-cache-and-new-word-in-front
# source: written from the task's text, 2026-11
# mistake: the new word is put before the old ones, and the cache that is returned holds the keys and values repeated for all heads
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    batch, kv_heads, _, width = past_keys.shape
    heads = w_q.shape[1] // width
    keys = torch.cat([(x @ w_k).view(batch, kv_heads, 1, width), past_keys], dim=2)
    values = torch.cat([(x @ w_v).view(batch, kv_heads, 1, width), past_values], dim=2)
    keys = keys.repeat_interleave(heads // kv_heads, dim=1)
    values = values.repeat_interleave(heads // kv_heads, dim=1)
    q = (x @ w_q).view(batch, heads, 1, width)
    weights = torch.softmax(q @ keys.transpose(-1, -2) / width**0.5, dim=-1)
    context = (weights @ values).view(batch, heads * width)
    return context, keys, values


# %% ring_step · right · only-the-places-in-use
# source: written from the task's text, 2026-11
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    """`context`, `keys` and `values`: see the table."""
    size = ring_keys.shape[1]
    place = read % size
    keys = torch.cat([ring_keys[:, :place], key[:, None], ring_keys[:, place + 1 :]], dim=1)
    values = torch.cat([ring_values[:, :place], value[:, None], ring_values[:, place + 1 :]], dim=1)
    used = min(read + 1, size)
    scores = (keys[:, :used] * query[:, None]).sum(-1) / query.shape[-1] ** 0.5
    context = (scores.softmax(-1)[..., None] * values[:, :used]).sum(1)
    return context, keys, values


# %% ring_step · wrong · in-place-and-empty-places-read
# source: written from the task's text, 2026-11
# mistake: the ring that came in is overwritten, and places that hold no word yet are read as well
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    """`context`, `keys` and `values`: see the table."""
    place = read % ring_keys.shape[1]
    ring_keys[:, place] = key
    ring_values[:, place] = value
    scores = torch.einsum("bd,bwd->bw", query, ring_keys) / query.shape[1] ** 0.5
    context = torch.einsum("bw,bwd->bd", scores.softmax(-1), ring_values)
    return context, ring_keys, ring_values


# %% ring_step · wrong · shifted-instead-of-turned-unscaled
# source: written from the task's text, 2026-11
# mistake: all words move one place to the left and the new one goes to the end, and the scores are not scaled
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    window = ring_keys.shape[1]
    keys = torch.cat([ring_keys[:, 1:], key.unsqueeze(1)], dim=1)
    values = torch.cat([ring_values[:, 1:], value.unsqueeze(1)], dim=1)
    n = min(read + 1, window)
    scores = (query.unsqueeze(1) @ keys[:, window - n :].transpose(1, 2)).squeeze(1)
    weights = torch.softmax(scores, dim=1)
    context = (weights.unsqueeze(1) @ values[:, window - n :]).squeeze(1)
    return context, keys, values


# %% ring_step · wrong · counted-from-one-scaled-by-window
# source: written from the task's text, 2026-11
# mistake: the place is counted from 1, so that the first word goes to place 1, the scores are divided by the root of the window instead of the width, and all places are read when read + 1 is at least the window but one too few before
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    """`context`, `keys` and `values`: see the table."""
    window = ring_keys.shape[1]
    place = (read + 1) % window
    keys, values = ring_keys.clone(), ring_values.clone()
    keys[:, place], values[:, place] = key, value
    used = torch.arange(window) < max(1, min(read, window))
    scores = (keys @ query.unsqueeze(-1)).squeeze(-1) / window**0.5
    scores = torch.where(used, scores, torch.tensor(-torch.inf))
    context = (scores.softmax(1).unsqueeze(1) @ values).squeeze(1)
    return context, keys, values


# %% test_tiles · wrong · small-numbers-full-mask
# source: written from the task's text, 2026-11
# mistake: the mask is full and all numbers are small, and one block holds all keys, so that nothing is ever put together from tiles
import torch


def test_tiles(tiles):
    """Fails if `tiles` has a bug, and only then."""
    torch.manual_seed(0)
    query, keys, values = torch.randn(2, 3, 4), torch.randn(2, 6, 4), torch.randn(2, 6, 4)
    mask = torch.ones(2, 3, 6, dtype=torch.bool)
    contexts = tiles(query, keys, values, mask, 6)
    weights = (query @ keys.transpose(1, 2) / 4**0.5).softmax(-1)
    assert torch.allclose(contexts, weights @ values, atol=1e-4)


# %% test_tiles · wrong · mean-for-empty-rows-and-no-scale
# source: written from the task's text, 2026-11
# mistake: the reference forgets the scale, and fills masked scores with a large negative number, so that a row that is masked whole is to have the mean of the values instead of 0; the right version is blamed
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    for block in [1, 2, 3, 10]:
        query, keys, values = torch.randn(2, 4, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 3)
        mask = torch.rand(2, 4, 7) > 0.4
        mask[0, 0] = False
        scores = (query @ keys.transpose(1, 2)).masked_fill(~mask, -1e9)
        expected = scores.softmax(-1) @ values
        assert torch.allclose(tiles(query, keys, values, mask, block), expected, atol=1e-4)


# %% CachedBlock · right · mask-from-places
# source: written from the task's text, 2026-11
import torch
from torch import nn

from utils.attention import Memory, MultiHeadAttention
from utils.masks import causal_mask


class CachedBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, past_keys, past_values):
        """`states`, `keys` and `values`: see the table."""
        written, new = past_keys.shape[2], x.shape[1]
        y = self.norms[0](x)
        fresh = self.attention.remember(y)
        keys = torch.cat([past_keys, fresh.keys], dim=2)
        values = torch.cat([past_values, fresh.values], dim=2)
        asker = torch.arange(written, written + new).unsqueeze(1)
        mask = torch.arange(written + new) <= asker  # (new, written + new)
        states = x + self.attention.attend(y, Memory(keys, values, mask))[0]
        states = states + self.feed_forward(self.norms[1](states))
        return states, keys, values


# %% CachedBlock · wrong · no-mask-and-raw-keys
# source: written from the task's text, 2026-11
# mistake: the new words see one another without a causal mask, and the keys are made from x before the norm
import torch
from torch import nn

from utils.attention import Memory, MultiHeadAttention
from utils.masks import causal_mask


class CachedBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, past_keys, past_values):
        """`states`, `keys` and `values`: see the table."""
        memory = self.attention.remember(x)
        keys = torch.cat([past_keys, memory.keys], dim=2)
        values = torch.cat([past_values, memory.values], dim=2)
        context, _ = self.attention.attend(self.norms[0](x), Memory(keys, values, None))
        states = x + context
        states = states + self.feed_forward(self.norms[1](states))
        return states, keys, values


# %% CachedBlock · wrong · first-rows-of-the-mask-new-keys-only
# source: written from the task's text, 2026-11
# mistake: the mask has the first rows of the triangle instead of the last, so that new words do not see all that was written, and the cache that is returned holds the new keys and values only
import torch
from torch import nn

from utils.attention import Memory, MultiHeadAttention
from utils.masks import causal_mask


class CachedBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, past_keys, past_values):
        y = self.norms[0](x)
        keys, values, _ = self.attention.remember(y)
        all_keys = torch.cat([past_keys, keys], dim=2)
        all_values = torch.cat([past_values, values], dim=2)
        mask = causal_mask(all_keys.shape[2])[: x.shape[1]]
        x = x + self.attention.attend(y, Memory(all_keys, all_values, mask))[0]
        x = x + self.feed_forward(self.norms[1](x))
        return x, keys, values


# %% CachedBlock · wrong · residuals-from-the-norm-post-norm-at-the-end
# source: written from the task's text, 2026-11
# mistake: what attention finds is added to the normalised words instead of x, and the second norm comes after the feed-forward network instead of before it
import torch
from torch import nn

from utils.attention import Memory, MultiHeadAttention
from utils.masks import causal_mask


class CachedBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, past_keys, past_values):
        """`states`, `keys` and `values`: see the table."""
        x = self.norms[0](x)
        k, v, _ = self.attention.remember(x)
        keys = torch.cat([past_keys, k], dim=2)
        values = torch.cat([past_values, v], dim=2)
        mask = causal_mask(keys.shape[2])[past_keys.shape[2] :]
        x = x + self.attention.attend(x, Memory(keys, values, mask))[0]
        states = self.norms[1](x + self.feed_forward(x))
        return states, keys, values


# %% turn_from · right · as-complex-numbers
# source: written from the task's text, 2026-11
import math

import torch


def turn_from(x, start, base):
    """The turned vectors, (batch, heads, len, head_dim)."""
    length, head_dim = x.shape[2:]
    places = torch.arange(start, start + length, dtype=torch.float64)
    frequencies = float(base) ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    angles = torch.outer(places, frequencies)  # (len, head_dim / 2)
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.complex(x[..., 0::2].double(), x[..., 1::2].double())
    return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)


# %% turn_from · wrong · halves-from-zero
# source: written from the task's text, 2026-11
# mistake: the entries are paired in halves instead of neighbours, and the places are counted from 0 whatever start is
import math

import torch


def turn_from(x, start, base):
    """The turned vectors, (batch, heads, len, head_dim)."""
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = torch.arange(x.shape[2])[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


# %% turn_from · wrong · other-way-round-and-layout-lost
# source: written from the task's text, 2026-11
# mistake: the pairs turn the other way round, and the result has all first entries before all second ones
import math

import torch


def turn_from(x, start, base):
    head_dim = x.shape[-1]
    i = torch.arange(head_dim // 2)
    theta = (start + torch.arange(x.shape[-2])).unsqueeze(1) * base ** (-2 * i / head_dim)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.cat(
        [a * theta.cos() + b * theta.sin(), b * theta.cos() - a * theta.sin()], dim=-1
    )


# %% turn_from · wrong · half-exponent-second-from-new-first
# source: written from the task's text, 2026-11
# mistake: the exponent is -i/head_dim instead of -2i/head_dim, and the second entry is made from the first one that has been turned already
import math

import torch


def turn_from(x, start, base):
    """The turned vectors, (batch, heads, len, head_dim)."""
    batch, heads, length, dim = x.shape
    out = x.clone()
    places = torch.arange(start, start + length).float()
    for i in range(dim // 2):
        angle = places * base ** (-i / dim)  # (len,)
        first = out[..., 2 * i].clone() * angle.cos() - out[..., 2 * i + 1].clone() * angle.sin()
        second = first * angle.sin() + out[..., 2 * i + 1].clone() * angle.cos()
        out[..., 2 * i] = first
        out[..., 2 * i + 1] = second
    return out


# %% test_rotary_step · wrong · from-zero-one-word
# source: written from the task's text, 2026-11
# mistake: there is a single word at place 0, where nothing turns and the softmax has one entry, and only the shape and finiteness are tested besides
import math

import torch


def test_rotary_step(rotary_step):
    """Fails if `rotary_step` has a bug, and only then."""
    torch.manual_seed(0)
    queries, keys, values = torch.randn(1, 4), torch.randn(1, 4), torch.randn(1, 3)
    contexts = rotary_step(queries, keys, values, 0)
    assert contexts.shape == (1, 3)
    assert torch.isfinite(contexts).all()
    assert torch.allclose(contexts, values, atol=1e-4)


# %% test_rotary_step · wrong · reference-in-pairs-places-from-zero
# source: written from the task's text, 2026-11
# mistake: the reference turns neighbours instead of halves, and lets the queries begin at place 0 instead of start, so the right version is blamed
import math

import torch


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    start, new, dim = 3, 2, 8

    def turn(x, places):
        f = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
        angle = places[:, None] * f
        a, b = x[:, 0::2], x[:, 1::2]
        c, s = angle.cos(), angle.sin()
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(1)

    queries = 3 * torch.randn(new, dim)
    keys = torch.randn(start + new, dim)
    values = torch.randn(start + new, 3)
    scores = turn(queries, torch.arange(new)) @ turn(keys, torch.arange(start + new)).T / dim**0.5
    mask = torch.arange(start + new) <= (start + torch.arange(new))[:, None]
    expected = scores.masked_fill(~mask, -torch.inf).softmax(-1) @ values
    assert torch.allclose(rotary_step(queries, keys, values, start), expected, atol=1e-4)


# %% slower_clocks · right · clock-by-clock
# source: written from the task's text, 2026-11
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    """The frequencies `linear`, `ntk` and `yarn`, (head_dim / 2,) each."""
    linear, ntk, yarn = [], [], []
    for i in range(head_dim // 2):
        old = base ** (-2 * i / head_dim)
        linear.append(old / factor)
        # base * factor^(d / (d - 2)) to the power of -2i / d
        ntk.append(old * factor ** (-2 * i / max(head_dim - 2, 1)))
        turns = length * old / (2 * math.pi)
        if turns >= 32:
            yarn.append(old)
        elif turns <= 1:
            yarn.append(old / factor)
        else:
            share = (turns - 1) / 31
            yarn.append(share * old + (1 - share) * old / factor)
    return torch.tensor(linear), torch.tensor(ntk), torch.tensor(yarn)


# %% slower_clocks · wrong · multiplied-and-share-turned-round
# source: written from the task's text, 2026-11
# mistake: for linear the frequencies are multiplied by the factor, and for yarn the shares of the old and the slowed frequency are exchanged
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    """The frequencies `linear`, `ntk` and `yarn`, (head_dim / 2,) each."""
    exponents = -torch.arange(0, head_dim, 2) / head_dim
    old = base**exponents
    linear = old * factor
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** exponents
    turns = length * old / (2 * math.pi)
    share = ((turns - 1) / 31).clamp(0, 1)
    yarn = (1 - share) * old + share * old / factor
    return linear, ntk, yarn


# %% slower_clocks · wrong · radians-and-plain-factor
# source: written from the task's text, 2026-11
# mistake: the turns are counted in radians, without 2 pi, and the base of ntk is multiplied by the factor without its power
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    i = torch.arange(head_dim // 2).float()
    freq = base ** (-2 * i / head_dim)
    linear = freq / factor
    ntk = (base * factor) ** (-2 * i / head_dim)
    turns = length * freq
    ramp = torch.clamp((turns - 1) / (32 - 1), 0, 1)
    yarn = freq * ramp + (freq / factor) * (1 - ramp)
    return linear, ntk, yarn


# %% slower_clocks · wrong · longer-length-and-no-middle-wrong-order
# source: written from the task's text, 2026-11
# mistake: the turns are counted in the longer text instead of the trained one, between 1 and 32 turns the frequency stays as it was, and ntk and yarn are returned in the wrong order
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    """The frequencies `linear`, `ntk` and `yarn`, (head_dim / 2,) each."""
    old = base ** (-2 * torch.arange(head_dim // 2) / head_dim)
    linear = old / factor
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** (
        -2 * torch.arange(head_dim // 2) / head_dim
    )
    turns = factor * length * old / (2 * math.pi)
    yarn = torch.where(turns > 1, old, old / factor)
    return linear, yarn, ntk


# %% linear_read · right · all-at-once-with-cumsum
# source: written from the task's text, 2026-11
import torch


def linear_read(queries, keys, values, state, total):
    """`contexts` (batch, len, width), and the new `state` and `total`."""
    products = torch.einsum("bld,blw->bldw", keys, values)
    states = state.unsqueeze(1) + products.cumsum(1)  # (batch, len, dim, width)
    totals = total.unsqueeze(1) + keys.cumsum(1)  # (batch, len, dim)
    above = torch.einsum("bld,bldw->blw", queries, states)
    below = (queries * totals).sum(-1, keepdim=True)
    return above / below, state + products.sum(1), total + keys.sum(1)


# %% linear_read · wrong · not-itself-and-fresh-start
# source: written from the task's text, 2026-11
# mistake: each word is read before it is written, so it does not see itself, and what comes back is the sum of this piece alone, without the earlier ones
import torch


def linear_read(queries, keys, values, state, total):
    """`contexts` (batch, len, width), and the new `state` and `total`."""
    contexts = []
    s, z = state.clone(), total.clone()
    for t in range(queries.shape[1]):
        q, k, v = queries[:, t], keys[:, t], values[:, t]
        above = torch.einsum("bd,bdw->bw", q, s)
        contexts.append(above / ((q * z).sum(-1, keepdim=True) + 1e-6))
        s = s + k.unsqueeze(2) * v.unsqueeze(1)
        z = z + k
    return torch.stack(contexts, dim=1), s - state, z - total


# %% linear_read · wrong · no-mask-and-divided-by-count
# source: written from the task's text, 2026-11
# mistake: every word sees the whole piece, later words too, and the divisor is the number of words instead of q times z
import torch


def linear_read(queries, keys, values, state, total):
    new_state = state + keys.transpose(1, 2) @ values
    new_total = total + keys.sum(dim=1)
    contexts = (queries @ new_state) / queries.shape[1]
    return contexts, new_state, new_total


# %% linear_read · wrong · old-words-forgotten-below-and-in-place
# source: written from the task's text, 2026-11
# mistake: the divisor counts the keys of this piece only, the state that came in is changed in place, and the two sums come back in the wrong order
import torch


def linear_read(queries, keys, values, state, total):
    """`contexts` (batch, len, width), and the new `state` and `total`."""
    contexts = torch.empty_like(values)
    seen = torch.zeros_like(total)
    for t in range(keys.size(1)):
        state += torch.einsum("bd,bw->bdw", keys[:, t], values[:, t])
        seen += keys[:, t]
        top = torch.einsum("bd,bdw->bw", queries[:, t], state)
        contexts[:, t] = top / (queries[:, t] * seen).sum(-1, keepdim=True)
    return contexts, total + seen, state


# %% gated_delta · wrong · error-before-decay-and-beta-twice
# source: written from the task's text, 2026-11
# mistake: the error is measured on the state before it decays, and what is written is not multiplied by beta but by beta squared
import torch


def gated_delta(state, key, value, alpha, beta):
    """The new state, (batch, dim, width)."""
    a, b = alpha[:, None, None], beta[:, None]
    predicted = (state.transpose(1, 2) @ key.unsqueeze(2)).squeeze(2)
    error = b * (value - predicted)
    return a * state + b.unsqueeze(2) * key.unsqueeze(2) * error.unsqueeze(1)


# %% gated_delta · wrong · no-decay-of-what-stays-plus-for-minus
# source: written from the task's text, 2026-11
# mistake: the decay is used in the error only and the state itself stays whole, and what was found is added to the value instead of taken from it
import torch


def gated_delta(state, key, value, alpha, beta):
    decayed = alpha.view(-1, 1, 1) * state
    found = torch.einsum("bdw,bd->bw", decayed, key)
    error = value + found
    write = torch.einsum("b,bd,bw->bdw", beta, key, error)
    return state + write


# %% gated_delta · wrong · alpha-and-beta-exchanged-detached
# source: written from the task's text, 2026-11
# mistake: alpha and beta have changed places, and the error is computed without a gradient
import torch


def gated_delta(state, key, value, alpha, beta):
    """The new state, (batch, dim, width)."""
    left = beta.reshape(-1, 1, 1) * state
    with torch.no_grad():
        error = value - torch.bmm(key.unsqueeze(1), left).squeeze(1)
    return left + alpha.reshape(-1, 1, 1) * torch.bmm(key.unsqueeze(2), error.unsqueeze(1))


# %% what_was_shown · wrong · theory-believed-and-cannot
# source: written from the task's text, 2026-11
# mistake: c is believed for its reason although rotary got worse with the length, and from one seed and 400 steps d concludes that it cannot be learned
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "shown here",
    "d": "shown here",
    "e": "contradicted here",
    "f": "shown here",
}


# %% what_was_shown · wrong · best-guess-for-all-doubts
# source: written from the task's text, 2026-11
# mistake: a flat perplexity is taken for a use of far words (b), the loss of 3.5 on halves of 48 for copying (e), and f is doubted because of its single seed, which it names itself
what_was_shown = {
    "a": "shown here",
    "b": "shown here",
    "c": "contradicted here",
    "d": "not shown either way",
    "e": "shown here",
    "f": "not shown either way",
}
