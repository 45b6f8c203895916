# %% softmax_with_temperature · wrong · times-tau-first-axis
# source: written from the task's text, 2026-11
# mistake: multiplies by the temperature instead of dividing, and takes the softmax along the first axis
import torch

def softmax_with_temperature(scores, temperature):
    return torch.softmax(scores * temperature, dim=0)


# %% softmax_with_temperature · wrong · raw-exp-no-keepdim
# source: written from the task's text, 2026-11
# mistake: exp without subtracting the maximum overflows for scores in the thousands, and the sum lacks keepdim, so rows are divided by other rows' sums
import torch

def softmax_with_temperature(scores, temperature):
    scaled = scores / temperature
    e = torch.exp(scaled)
    total = e.sum(dim=-1)
    return e / total


# %% softmax_with_temperature · wrong · divided-after-axis-one
# source: written from the task's text, 2026-11
# mistake: the temperature divides the weights after the softmax (rows no longer sum to 1), and the softmax is taken along axis 1 whatever the shape
import torch

def softmax_with_temperature(scores, temperature):
    """Softmax with a temperature: normalise, then temper."""
    weights = torch.softmax(scores, dim=1)
    return weights / temperature


# %% softmax_with_temperature · right · powers-of-two
# source: written from the task's text, 2026-11
import math

import torch

def softmax_with_temperature(scores, temperature):
    z = scores / temperature
    z = z - z.max(dim=-1, keepdim=True)[0]
    p = torch.exp2(z * math.log2(math.e))
    return p / p.sum(dim=-1, keepdim=True)


# %% entropy · wrong · bits-and-nan
# source: written from the task's text, 2026-11
# mistake: logarithm to base 2 in place of the natural one, and a weight of 0 gives NaN
import torch

def entropy(weights):
    return -(weights * torch.log2(weights)).sum(dim=-1)


# %% entropy · wrong · no-minus-mean
# source: written from the task's text, 2026-11
# mistake: the minus sign is missing, and the mean over the keys is taken in place of the sum
import torch

def entropy(weights):
    terms = torch.special.xlogy(weights, weights)
    return terms.mean(-1)


# %% entropy · wrong · big-epsilon-first-axis
# source: written from the task's text, 2026-11
# mistake: adds 0.001 inside the logarithm, which changes the result visibly, and sums along the first axis
import torch

def entropy(weights):
    eps = 1e-3
    H = 0
    for row in weights:          # go through the rows and add up
        H = H - row * torch.log(row + eps)
    return H


# %% entropy · wrong · one-number-in-bits
# source: written from the task's text, 2026-11
# mistake: throws the zeros out of the whole tensor and so returns one number for all rows together, and counts in bits
import torch

def entropy(weights):
    w = weights[weights > 0]
    return -(w * w.log2()).sum()


# %% entropy · right · row-by-row
# source: written from the task's text, 2026-11
import torch

def entropy(weights):
    rows = weights.reshape(-1, weights.shape[-1])
    out = []
    for row in rows:
        alive = row[row > 0]
        out.append(-(alive * alive.log()).sum())
    return torch.stack(out).reshape(weights.shape[:-1])


# %% four_patterns · wrong · next-word-unshared
# source: written from the task's text, 2026-11
# mistake: before looks at the next word (the last one at itself), and so_far is not divided, so its rows do not sum to 1
import torch

def four_patterns(length):
    itself = torch.eye(length)
    before = torch.zeros(length, length)
    for i in range(length):
        before[i, min(i + 1, length - 1)] = 1.0
    ends = torch.zeros(length, length)
    ends[:, 0] += 0.5
    ends[:, -1] += 0.5
    so_far = torch.tril(torch.ones(length, length))
    return itself, before, ends, so_far


# %% four_patterns · wrong · edge-cases-forgotten
# source: written from the task's text, 2026-11
# mistake: the first row of before is all zeros, and for one word ends gives it only a half
import torch

def four_patterns(length):
    itself = torch.eye(length)
    before = torch.diag(torch.ones(length - 1), -1)
    ends = torch.zeros(length, length)
    ends[:, 0] = 0.5
    ends[:, length - 1] = 0.5
    ones = torch.tril(torch.ones(length, length))
    so_far = ones / ones.sum(1, keepdim=True)
    return itself, before, ends, so_far


# %% four_patterns · wrong · ends-in-rows-columns-shared
# source: written from the task's text, 2026-11
# mistake: ends fills the first and the last row in place of the columns, and so_far is divided by the sums of its columns
import torch

def four_patterns(length):
    n = length
    itself = torch.eye(n)
    before = torch.eye(n).roll(1, dims=0)
    before[0] = itself[0]
    ends = torch.zeros(n, n)
    ends[0, :] += 0.5
    ends[-1, :] += 0.5
    tri = torch.ones(n, n).tril()
    so_far = tri / tri.sum(0)
    return itself, before, ends, so_far


# %% four_patterns · wrong · wraps-round-softmax-of-zeros
# source: written from the task's text, 2026-11
# mistake: before wraps round, so the first word looks at the last, and so_far is a softmax over zeros and ones, so that later words get a share
import torch

def four_patterns(length):
    eye = torch.eye(length)
    first_and_last = (eye[0] + eye[-1]) / 2
    return (
        eye,
        eye.roll(-1, dims=1),
        first_and_last.expand(length, length).clone(),
        eye.cumsum(0).T.tril().add(torch.ones(length, length).tril(-1)).clamp(max=1).softmax(-1),
    )


# %% four_patterns · right · lists-only
# source: written from the task's text, 2026-11
import torch

def four_patterns(length):
    n = range(length)
    itself = torch.tensor([[float(i == j) for j in n] for i in n])
    before = torch.tensor([[float(j == max(i - 1, 0)) for j in n] for i in n])
    ends = torch.tensor([[((j == 0) + (j == length - 1)) / 2 for j in n] for i in n])
    so_far = torch.tensor([[1 / (i + 1) if j <= i else 0.0 for j in n] for i in n])
    return itself, before, ends, so_far


# %% read_alignment · wrong · columns-and-inverted
# source: written from the task's text, 2026-11
# mistake: argmax runs down the columns in place of along the rows, and unread marks the words that are chosen
import torch

def read_alignment(weights):
    best = weights.argmax(dim=0)
    unread = torch.isin(torch.arange(weights.shape[1]), best)
    return best, unread


# %% read_alignment · wrong · from-one-and-threshold
# source: written from the task's text, 2026-11
# mistake: positions count from 1, and unread asks for a column without a weight above 0.5 in place of a column that is nobody's best
import torch

def read_alignment(weights):
    best = weights.max(dim=1).indices + 1
    highest_in_column = weights.max(dim=0).values
    unread = highest_in_column < 0.5
    return best, unread


# %% read_alignment · wrong · swapped-and-target-length
# source: written from the task's text, 2026-11
# mistake: returns the two results in the wrong order, and unread has one entry for each target word in place of each source word
import torch

def read_alignment(weights):
    best = torch.argmax(weights, dim=-1)
    taken = set(best.tolist())
    unread = torch.tensor([j not in taken for j in range(len(weights))])
    return unread, best


# %% read_alignment · right · plain-python
# source: written from the task's text, 2026-11
import torch

def read_alignment(weights):
    rows = weights.tolist()
    positions = [max(range(len(row)), key=row.__getitem__) for row in rows]
    best = torch.tensor(positions)
    unread = torch.ones(weights.shape[1], dtype=torch.bool)
    for p in positions:
        unread[p] = False
    return best, unread


# %% normalised_heatmap · wrong · still-columns-by-maximum
# source: written from the task's text, 2026-11
# mistake: the softmax still runs along the columns, and each row is divided by its maximum in place of nothing, so rows do not sum to 1
import torch

def normalised_heatmap(scores):
    weights = scores.softmax(dim=0)
    weights = weights / weights.max(dim=-1, keepdim=True).values
    return weights


# %% normalised_heatmap · wrong · scaled-and-column-division
# source: written from the task's text, 2026-11
# mistake: scores are divided by a square root that nobody asked for, and after the right softmax a division by the column sums is left
import torch

def normalised_heatmap(scores):
    scaled = scores / scores.shape[-1] ** 0.5
    weights = scaled.softmax(dim=-1)
    return weights / weights.sum(dim=0, keepdim=True)


# %% normalised_heatmap · wrong · relu-without-exp
# source: written from the task's text, 2026-11
# mistake: no exponential, only the scores divided by their sum, and negative scores are cut to 0
import torch

def normalised_heatmap(scores):
    positive = torch.relu(scores)
    return positive / positive.sum(dim=-1, keepdim=True)


# %% normalised_heatmap · right · rows-one-at-a-time
# source: written from the task's text, 2026-11
import torch

def normalised_heatmap(scores):
    weights = torch.empty_like(scores)
    for t in range(scores.shape[0]):
        e = (scores[t] - scores[t].max()).exp()
        weights[t] = e / e.sum()
    return weights


# %% temperature_for · wrong · all-rows-together-in-bits
# source: written from the task's text, 2026-11
# mistake: one temperature for all rows from their mean entropy, and exp is taken of an entropy in bits
import torch

def temperature_for(scores, words):
    s = scores.double()
    low, high = 1e-6, 1e6
    for _ in range(200):
        middle = (low * high) ** 0.5
        w = torch.softmax(s / middle, -1)
        h = -(w * torch.log2(w.clamp(min=1e-300))).sum(-1).mean()
        if h.exp() < words:
            low = middle
        else:
            high = middle
    return torch.full(s.shape[:-1], middle)


# %% temperature_for · wrong · entropy-itself-small-bracket
# source: written from the task's text, 2026-11
# mistake: compares the entropy itself with the number of words in place of its exponential, and searches only between 0.01 and 10
import torch

def temperature_for(scores, words):
    low = torch.full(scores.shape[:-1], 0.01)
    high = torch.full(scores.shape[:-1], 10.0)
    for _ in range(60):
        mid = (low + high) / 2
        p = (scores / mid.unsqueeze(-1)).softmax(-1)
        H = -torch.xlogy(p, p).sum(-1)
        too_sharp = H < words
        low = torch.where(too_sharp, mid, low)
        high = torch.where(too_sharp, high, mid)
    return (low + high) / 2


# %% temperature_for · wrong · inverse-and-normalised-entropy
# source: written from the task's text, 2026-11
# mistake: returns the factor on the scores, one over the temperature, and divides the entropy by log(src_len) before the exponential
import math

import torch

def temperature_for(scores, words):
    s = scores.double()
    s = s - s.amax(-1, keepdim=True)
    n = s.shape[-1]
    lo = torch.full(s.shape[:-1], -20.0, dtype=torch.float64)
    hi = torch.full(s.shape[:-1], 20.0, dtype=torch.float64)
    for _ in range(100):
        log_beta = 0.5 * (lo + hi)
        w = torch.softmax(s * log_beta.exp()[..., None], dim=-1)
        h = -torch.xlogy(w, w).sum(-1) / math.log(n)
        flat = h.exp() > words
        lo = torch.where(flat, log_beta, lo)
        hi = torch.where(flat, hi, log_beta)
    return log_beta.exp()


# %% temperature_for · right · zooming-grid
# source: written from the task's text, 2026-11
import torch

def temperature_for(scores, words):
    s = scores.double()
    s = s - s.max(dim=-1, keepdim=True).values
    spread = -s.min(dim=-1).values
    low, high = spread.log() - 20, spread.log() + 20
    ticks = torch.linspace(0, 1, 33, dtype=torch.float64)
    for _ in range(8):  # each round looks at 33 temperatures, and keeps the gap with the answer
        grid = low[..., None] + (high - low)[..., None] * ticks
        w = (s[..., None, :] / grid.exp()[..., None]).softmax(-1)
        seen = (-torch.special.xlogy(w, w).sum(-1)).exp()
        below = (seen < words).sum(-1).clamp(1, 32)
        step = (high - low) / 32
        low, high = low + (below - 1) * step, low + below * step
    return ((low + high) / 2).exp()


# %% softmax_by_hand · wrong · base-two-by-maximum
# source: written from the task's text, 2026-11
# mistake: powers of 2 in place of e, and divided by the largest one in place of the sum
import torch

def softmax_by_hand(scores):  # (src_len,) -> (src_len,)
    powers = 2 ** scores
    return powers / powers.max()


# %% softmax_by_hand · wrong · minus-and-mean
# source: written from the task's text, 2026-11
# mistake: exp of minus the scores, so that the lowest wins, and divided by the mean in place of the sum
import torch

def softmax_by_hand(scores):
    e = torch.exp(-scores)
    return e / e.mean()


# %% softmax_by_hand · wrong · sum-of-scores-rounded
# source: written from the task's text, 2026-11
# mistake: divides by the sum of the scores in place of the sum of their exponentials, and rounds to one decimal
import torch

def softmax_by_hand(scores):
    exps = scores.exp()
    return (exps / scores.sum()).round(decimals=1)


# %% soft_lookup · wrong · axis-zero-and-scale
# source: written from the task's text, 2026-11
# mistake: softmax down the columns in place of along each row, and the scores divided by the square root of dim, which this formula does not have
import torch

def soft_lookup(query, keys, values):
    scores = query @ keys.T / keys.shape[-1] ** 0.5
    weights = scores.softmax(0)
    return weights @ values, weights


# %% soft_lookup · wrong · keys-mixed-wrong-order
# source: written from the task's text, 2026-11
# mistake: mixes the keys in place of the values, and returns weights before context
import torch

def soft_lookup(query, keys, values):
    weights = torch.softmax(torch.matmul(query, keys.transpose(0, 1)), dim=1)
    context = torch.matmul(weights, keys)
    return weights, context


# %% soft_lookup · wrong · no-exp-weights-transposed
# source: written from the task's text, 2026-11
# mistake: divides the scores by their sum in place of a softmax, and returns the weights transposed
import torch

def soft_lookup(query, keys, values):
    S = torch.einsum("td,sd->ts", query, keys)
    A = S / S.sum(dim=1, keepdim=True)
    return torch.einsum("ts,sv->tv", A, values), A.T


# %% soft_lookup · wrong · keys-ask
# source: written from the task's text, 2026-11
# mistake: the softmax runs over the queries because the scores are keys times queries, and the weights come back as (src_len, tgt_len)
import torch

def soft_lookup(query, keys, values):
    scores = keys @ query.T
    weights = torch.softmax(scores, dim=-1)
    context = weights.T @ values
    return context, weights


# %% soft_lookup · right · two-loops
# source: written from the task's text, 2026-11
import torch

def soft_lookup(query, keys, values):
    contexts, rows = [], []
    for q in query:
        row = torch.stack([torch.dot(q, k) for k in keys]).softmax(0)
        contexts.append(sum(a * v for a, v in zip(row, values)))
        rows.append(row)
    return torch.stack(contexts), torch.stack(rows)


# %% additive_scores_loop · wrong · key-first-and-item
# source: written from the task's text, 2026-11
# mistake: joins key and state in the wrong order, and .item() cuts the gradient
import torch

def additive_scores_loop(states, keys, W_joined, v):
    scores = torch.zeros(len(states), len(keys))
    for t, s in enumerate(states):
        for j, h in enumerate(keys):
            pair = torch.cat([h, s])
            scores[t, j] = (v @ torch.tanh(W_joined @ pair)).item()
    return scores


# %% additive_scores_loop · wrong · no-tanh-transposed
# source: written from the task's text, 2026-11
# mistake: the tanh is forgotten, and the result is (src_len, tgt_len)
import torch

def additive_scores_loop(states, keys, W_joined, v):
    rows = []
    for key in keys:
        rows.append(torch.stack([v @ (W_joined @ torch.cat([state, key])) for state in states]))
    return torch.stack(rows)


# %% additive_scores_loop · wrong · tanh-outside-mean
# source: written from the task's text, 2026-11
# mistake: tanh around the finished score in place of around the hidden vector, and the mean in place of the sum in the product with v
import torch

def additive_scores_loop(states, keys, W_joined, v):
    tgt_len, src_len = states.shape[0], keys.shape[0]
    out = []
    for t in range(tgt_len):
        for j in range(src_len):
            hidden = W_joined @ torch.cat((states[t], keys[j]), dim=0)
            out.append(torch.tanh((v * hidden).mean()))
    return torch.stack(out).view(tgt_len, src_len)


# %% additive_scores_loop · right · split-matrix
# source: written from the task's text, 2026-11
import torch

def additive_scores_loop(states, keys, W_joined, v):
    cut = states.shape[1]
    for_states, for_keys = W_joined[:, :cut], W_joined[:, cut:]
    total = (states @ for_states.T)[:, None, :] + (keys @ for_keys.T)[None, :, :]
    return torch.einsum("tja,a->tj", total.tanh(), v)


# %% masked_softmax · wrong · inverted-and-nan
# source: written from the task's text, 2026-11
# mistake: the mask is inverted (True is closed), and a row that ends up without an open place is NaN
import torch

def masked_softmax(scores, mask):
    return scores.masked_fill(mask, float("-inf")).softmax(dim=-1)


# %% masked_softmax · wrong · after-softmax-other-axis
# source: written from the task's text, 2026-11
# mistake: the mask is applied after the softmax without new normalising, and the softmax runs over the queries
import torch

def masked_softmax(scores, mask):
    weights = torch.softmax(scores, dim=-2)
    return weights * mask


# %% masked_softmax · wrong · small-penalty-empty-rows
# source: written from the task's text, 2026-11
# mistake: fills with only -20, so closed places get weight if the scores lie far apart, and rows masked whole get shares in place of zeros
import torch

def masked_softmax(scores, mask):
    penalty = (~mask).to(scores.dtype) * -20.0
    return torch.softmax(scores + penalty, dim=-1)


# %% masked_softmax · wrong · overflow-and-epsilon
# source: written from the task's text, 2026-11
# mistake: exp without subtracting the maximum overflows, and an epsilon of 0.01 in the divisor keeps rows from summing to 1
import torch

def masked_softmax(scores, mask):
    e = torch.exp(scores) * mask
    return e / (e.sum(-1, keepdim=True) + 0.01)


# %% masked_softmax · right · only-the-open-ones
# source: written from the task's text, 2026-11
import torch

def masked_softmax(scores, mask):
    width = scores.shape[-1]
    flat_scores = scores.reshape(-1, width)
    flat_mask = mask.expand(scores.shape).reshape(-1, width)
    rows = []
    for row, is_open in zip(flat_scores, flat_mask):
        weights = row * 0.0 if torch.isfinite(row).all() else torch.zeros_like(row)
        if is_open.any():
            weights = torch.zeros_like(row).masked_scatter(is_open, row[is_open].softmax(0))
        rows.append(weights)
    return torch.stack(rows).reshape(scores.shape)


# %% MyAdditiveAttention · wrong · inverted-and-keys-mixed
# source: written from the task's text, 2026-11
# mistake: the mask closes the words that may be attended to, and the context mixes the keys even where values are given
import torch
from torch import nn

class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        q = self.W_query(query).unsqueeze(2)
        k = self.W_key(keys).unsqueeze(1)
        scores = self.v(torch.tanh(q + k)).squeeze(-1)
        if mask is None:
            weights = scores.softmax(-1)
        else:
            closed = mask.expand(scores.shape)
            weights = scores.masked_fill(closed, -1e30).softmax(-1).masked_fill(closed, 0.0)
        return weights @ keys, weights


# %% MyAdditiveAttention · wrong · tanh-too-early-nan
# source: written from the task's text, 2026-11
# mistake: tanh of each projection before they are added, and a sentence that is masked whole gives NaN
import torch
from torch import nn

class MyAdditiveAttention(nn.Module):
    """Bahdanau attention."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query, self.W_key = (nn.Linear(d, attention_dim, bias=False) for d in (query_dim, key_dim))
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        energy = self.W_query(query).tanh()[:, :, None] + self.W_key(keys).tanh()[:, None]
        scores = self.v(energy)[..., 0]
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return weights @ values, weights


# %% MyAdditiveAttention · wrong · order-scale-empty
# source: written from the task's text, 2026-11
# mistake: returns weights before context, divides the scores by the square root of attention_dim, and gives equal shares where a row is masked whole
import torch
from torch import nn

class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        if values is None:
            values = keys
        hidden = torch.tanh(self.W_query(query)[:, :, None, :] + self.W_key(keys)[:, None, :, :])
        scores = self.v(hidden).squeeze(-1) / self.v.in_features ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == False, -1e9)
        weights = torch.softmax(scores, dim=-1)
        return weights, torch.bmm(weights, values)


# %% MyAdditiveAttention · right · one-query-at-a-time
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
        shape = (query.shape[0], query.shape[1], keys.shape[1])
        allowed = torch.ones(shape, dtype=torch.bool) if mask is None else mask.expand(shape)
        remembered = self.W_key(keys)
        contexts, all_weights = [], []
        for t in range(query.shape[1]):
            asked = self.W_query(query[:, t : t + 1])
            scores = self.v(torch.tanh(asked + remembered)).squeeze(-1)
            hidden = ~allowed[:, t]
            weights = scores.masked_fill(hidden, -1e30).softmax(-1).masked_fill(hidden, 0.0)
            contexts.append((weights.unsqueeze(-1) * values).sum(1))
            all_weights.append(weights)
        return torch.stack(contexts, 1), torch.stack(all_weights, 1)


# %% PrecomputedKeys · wrong · projects-each-step-batch-softmax
# source: written from the task's text, 2026-11
# mistake: projects the keys again at each step, and the softmax runs over the batch
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
        projected = self.W_key(memory)
        scores = self.v((self.W_query(state)[:, None] + projected).tanh()).squeeze(-1)
        weights = scores.softmax(0)
        return (weights[..., None] * memory).sum(1), weights


# %% PrecomputedKeys · wrong · stale-and-projected-context
# source: written from the task's text, 2026-11
# mistake: keeps the first batch's projections for all later batches, and mixes the projected keys in place of the keys
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
        query = self.W_query(state).unsqueeze(1)
        scores = self.v(torch.tanh(query + memory)).squeeze(2)
        weights = torch.softmax(scores, dim=1)
        context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        return context, weights


# %% PrecomputedKeys · wrong · no-gradient-no-tanh
# source: written from the task's text, 2026-11
# mistake: the projected keys are detached, so nothing is learned through them, and the tanh is forgotten
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
        return keys, projected

    def attend(self, state, memory):
        keys, projected = memory
        weights = self.v(self.W_query(state)[:, None, :] + projected)[..., 0].softmax(-1)
        return torch.einsum("bs,bsk->bk", weights, keys), weights


# %% PrecomputedKeys · right · a-function-as-memory
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
        projected = [self.W_key(key) for key in keys.unbind(1)]  # src_len times (batch, attention_dim)

        def look(query):
            scores = torch.cat([self.v(torch.tanh(query + one)) for one in projected], dim=1)
            weights = scores.softmax(1)
            return sum(weights[:, j, None] * keys[:, j] for j in range(keys.shape[1])), weights

        return look

    def attend(self, state, memory):
        return memory(self.W_query(state))


# %% BahdanauStep · wrong · context-first-old-state
# source: written from the task's text, 2026-11
# mistake: the network reads [c; y] in place of [y; c], and the logits are made of the old state in place of the new one
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
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
        context = (weights.unsqueeze(-1) * keys).sum(1)
        new_state = self.rnn(torch.cat([context, embedded], -1), state)
        logits = self.output(torch.cat([state, context, embedded], -1))
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · logits-order-and-nan
# source: written from the task's text, 2026-11
# mistake: the output reads [c; s; y] in place of [s; c; y], and a sentence that is masked whole gives NaN
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
        # 1. attention
        query = self.W_query(state)[:, None]
        energies = self.v(torch.tanh(query + self.W_key(keys)))[..., 0]
        energies = energies.masked_fill(mask.logical_not(), float("-inf"))
        weights = torch.softmax(energies, dim=1)
        context = torch.bmm(weights[:, None], keys)[:, 0]
        # 2. recurrent step
        new_state = self.rnn(torch.cat((embedded, context), dim=1), state)
        # 3. readout
        logits = self.output(torch.cat((context, new_state, embedded), dim=1))
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · inverted-and-results-swapped
# source: written from the task's text, 2026-11
# mistake: the mask hides the words and shows the padding, and logits come back before the new state
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
        e = self.v((self.W_query(state).unsqueeze(1) + self.W_key(keys)).tanh()).squeeze(2)
        e = torch.where(mask, torch.full_like(e, -1e30), e)
        a = e.softmax(1) * ~mask
        c = torch.einsum("bs,bsk->bk", a, keys)
        s = self.rnn(torch.cat([embedded, c], 1), state)
        return c, a, self.output(torch.cat([s, c, embedded], 1)), s


# %% BahdanauStep · wrong · detached-state-mask-late
# source: written from the task's text, 2026-11
# mistake: the mask is multiplied in after the softmax, so weights do not sum to 1, and the new state is detached before the logits
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
        scores = self.v(torch.tanh(self.W_query(state)[:, None, :] + self.W_key(keys))).squeeze(-1)
        weights = scores.softmax(dim=-1) * mask.float()
        context = torch.matmul(weights.unsqueeze(1), keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=-1), state).detach()
        logits = self.output(torch.cat([new_state, context, embedded], dim=-1))
        return context, weights, new_state, logits


# %% BahdanauStep · right · weights-by-hand
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
        asked = self.W_query(state)
        scores = torch.cat([self.v((asked + self.W_key(h)).tanh()) for h in keys.unbind(1)], dim=1)
        scores = torch.where(mask, scores, torch.full_like(scores, -1e30))
        powers = (scores - scores.max(dim=1, keepdim=True).values).exp() * mask
        weights = powers / powers.sum(1, keepdim=True).clamp(min=0.5)
        context = torch.zeros_like(keys[:, 0])
        for j in range(keys.shape[1]):
            context = context + weights[:, j : j + 1] * keys[:, j]
        new_state = self.rnn(torch.cat([embedded, context], dim=1), state)
        logits = self.output(torch.cat([new_state, context, embedded], dim=1))
        return context, weights, new_state, logits


# %% additive_scores · wrong · no-tanh-and-transposed
# source: written from the task's text, 2026-11
# mistake: the tanh is forgotten, and the result is (batch, src_len, tgt_len)
import torch

def additive_scores(query, keys, W_query, W_key, v):
    q = query @ W_query.T
    k = keys @ W_key.T
    return (k[:, :, None] + q[:, None]) @ v


# %% additive_scores · wrong · sigmoid-and-mean
# source: written from the task's text, 2026-11
# mistake: a sigmoid in place of the tanh, and the mean over attention_dim in place of the sum
import torch

def additive_scores(query, keys, W_query, W_key, v):
    hidden = torch.sigmoid((query @ W_query.T).unsqueeze(2) + (keys @ W_key.T).unsqueeze(1))
    return (hidden * v).mean(dim=-1)


# %% additive_scores · wrong · v-left-out-and-softmax
# source: written from the task's text, 2026-11
# mistake: v is left out, the hidden numbers are only added up, and a softmax is taken although scores are asked for
import torch

def additive_scores(query, keys, W_query, W_key, v):
    s = torch.einsum("btq,aq->bta", query, W_query)
    h = torch.einsum("bsk,ak->bsa", keys, W_key)
    e = torch.tanh(s.unsqueeze(2) + h.unsqueeze(1)).sum(-1)
    return e.softmax(-1)


# %% additive_scores · right · one-key-at-a-time
# source: written from the task's text, 2026-11
import torch

def additive_scores(query, keys, W_query, W_key, v):
    projected = torch.einsum("ad,btd->bta", W_query, query)
    columns = []
    for j in range(keys.shape[1]):
        h = keys[:, j] @ W_key.T
        columns.append(torch.tanh(projected + h[:, None]) @ v)
    return torch.stack(columns, dim=-1)


# %% weights_without_padding · wrong · one-pad-open-mask-late
# source: written from the task's text, 2026-11
# mistake: one padded place too many is left open, and the mask is applied after the softmax without new normalising
import torch

def weights_without_padding(scores, lengths):
    mask = torch.arange(scores.shape[-1]) <= lengths[:, None]
    return scores.softmax(-1).masked_fill(~mask[:, None, :], 0.0)


# %% weights_without_padding · wrong · inverted-over-queries
# source: written from the task's text, 2026-11
# mistake: the real words are closed in place of the padding, and the softmax runs over the queries
import torch

def weights_without_padding(scores, lengths):
    mask = torch.arange(scores.shape[-1])[None, :] < lengths[:, None]
    return scores.masked_fill(mask[:, None, :], -1e9).softmax(dim=1)


# %% weights_without_padding · wrong · pads-in-front-filled-with-zero
# source: written from the task's text, 2026-11
# mistake: takes the padding to stand in front, and fills with 0 in place of minus infinity
import torch

def weights_without_padding(scores, lengths):
    src_len = scores.size(2)
    places = torch.arange(src_len).view(1, 1, src_len)
    mask = places >= src_len - lengths.view(-1, 1, 1)
    scores = scores.masked_fill(~mask, 0)
    return torch.softmax(scores, dim=2)


# %% weights_without_padding · right · cut-and-pad
# source: written from the task's text, 2026-11
import torch

def weights_without_padding(scores, lengths):
    weights = torch.zeros_like(scores)
    for b, n in enumerate(lengths.tolist()):
        weights[b, :, :n] = scores[b, :, :n].softmax(-1)
    return weights


# %% compare_scores · wrong · gain-on-scores-rows-swapped
# source: written from the task's text, 2026-11
# mistake: multiplies the scores by the gain in place of the query, and concat comes in the first row, general in the second
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
    table = torch.zeros(2, len(gains))
    for g, gain in enumerate(gains):
        table[0, g] = (concat * gain).softmax(-1).max(-1).values.mean()
        table[1, g] = (general * gain).softmax(-1).max(-1).values.mean()
    return table


# %% compare_scores · wrong · largest-of-the-mean-wrong-axis
# source: written from the task's text, 2026-11
# mistake: takes the largest of the mean row in place of the mean of the largest weights, and the softmax runs over the queries
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
    columns = []
    for gain in gains:
        scores = both_scores(gain * query, keys, W, W_joined, v)
        columns.append(torch.stack([s.softmax(1).mean(dim=(0, 1)).max() for s in scores]))
    return torch.stack(columns, dim=1)


# %% compare_scores · wrong · in-place-gains-first-sentence
# source: written from the task's text, 2026-11
# mistake: multiplies the query in place, so the gains pile up and the caller's query is changed, and reads only the first sentence
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
    first, second = [], []
    for gain in gains:
        query *= gain
        general, concat = both_scores(query, keys, W, W_joined, v)
        first.append(general[0].softmax(-1).amax(-1).mean())
        second.append(concat[0].softmax(-1).amax(-1).mean())
    return torch.stack([torch.stack(first), torch.stack(second)])


# %% compare_scores · wrong · no-softmax-transposed
# source: written from the task's text, 2026-11
# mistake: the softmax is forgotten, the largest score is taken, and the table is (gains, 2)
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
    return torch.stack([
        torch.stack([s.max(dim=-1).values.mean() for s in both_scores(query * g, keys, W, W_joined, v)])
        for g in gains
    ])


# %% compare_scores · right · gains-in-the-batch
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
    many = len(gains)
    loud = (gains[:, None, None, None] * query[None]).reshape(-1, *query.shape[1:])
    again = keys.repeat(many, 1, 1)
    both = torch.stack(both_scores(loud, again, W, W_joined, v))  # (2, many * batch, tgt_len, src_len)
    return both.softmax(-1).amax(-1).reshape(2, many, -1).mean(-1)


# %% luong_step · wrong · old-state-asks-update-order
# source: written from the task's text, 2026-11
# mistake: the state before asks the keys in place of the new one, and the update reads [y; s; fed] in place of [y; fed; s]
import torch
from utils.masks import masked_softmax

def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    new_state = torch.tanh(torch.cat([word, state, fed], dim=-1) @ W_update.T)
    scores = ((encoder_states @ W.T) * state.unsqueeze(1)).sum(-1)
    weights = masked_softmax(scores, mask)
    context = (weights.unsqueeze(-1) * encoder_states).sum(1)
    attentional = torch.tanh(torch.cat([context, new_state], dim=-1) @ W_c.T)
    return attentional @ W_out.T, new_state, attentional, weights


# %% luong_step · wrong · no-tanh-results-swapped
# source: written from the task's text, 2026-11
# mistake: the attentional vector lacks its tanh, and the new state and the attentional vector come back in each other's place
import torch
from utils.masks import masked_softmax

def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, fed, state], -1) @ W_update.mT)
    e = torch.einsum("bd,dk,bsk->bs", s, W, encoder_states)
    a = masked_softmax(e, mask)
    c = torch.einsum("bs,bsk->bk", a, encoder_states)
    h = torch.cat([c, s], -1) @ W_c.mT
    return h @ W_out.mT, h, s, a


# %% luong_step · wrong · no-mask-state-first
# source: written from the task's text, 2026-11
# mistake: the mask is forgotten, and W_c reads [s; c] in place of [c; s]
import torch

def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    step_input = torch.cat((word, fed, state), dim=1)
    new_state = torch.tanh(torch.matmul(step_input, W_update.t()))
    projected = torch.matmul(encoder_states, W.t())
    scores = torch.bmm(projected, new_state.unsqueeze(2)).squeeze(2)
    weights = torch.softmax(scores, dim=1)
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
    attentional = torch.tanh(torch.matmul(torch.cat((new_state, context), dim=1), W_c.t()))
    logits = torch.matmul(attentional, W_out.t())
    return logits, new_state, attentional, weights


# %% luong_step · right · column-vectors
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F
from utils.masks import masked_softmax

def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    d, k = W.shape
    y_dim = word.shape[-1]
    from_word, from_fed, from_state = W_update.split([y_dim, d, d], dim=1)
    new_state = (F.linear(word, from_word) + F.linear(fed, from_fed) + F.linear(state, from_state)).tanh()
    question = new_state @ W  # (batch, key_dim): s·(W h) = (Wᵀs)·h
    scores = question[:, None, :] @ encoder_states.mT  # (batch, 1, src_len)
    weights = masked_softmax(scores, mask[:, None, :])
    context = (weights @ encoder_states)[:, 0]
    attentional = (context @ W_c[:, :k].T + new_state @ W_c[:, k:].T).tanh()
    return F.linear(attentional, W_out), new_state, attentional, weights[:, 0]


# %% hard_window · wrong · strict-and-centre-runs-on
# source: written from the task's text, 2026-11
# mistake: less than D in place of at most D, and the centre does not stop at the last word
import torch

def hard_window(lengths, tgt_len, src_len, half_width):
    t = torch.arange(tgt_len)[None, :, None]
    j = torch.arange(src_len)[None, None, :]
    return ((j - t).abs() < half_width) & (j < lengths[:, None, None])


# %% hard_window · wrong · source-end-padding-open
# source: written from the task's text, 2026-11
# mistake: the centre stops at the end of the padded source in place of the sentence's last word, and padding is not closed
import torch

def hard_window(lengths, tgt_len, src_len, half_width):
    centre = torch.arange(tgt_len).clamp(max=src_len - 1)
    window = (torch.arange(src_len) - centre[:, None]).abs() <= half_width
    return window.expand(len(lengths), tgt_len, src_len)


# %% hard_window · wrong · inverted-only-backwards
# source: written from the task's text, 2026-11
# mistake: the window reaches only back and not forward, and the mask is inverted
import torch

def hard_window(lengths, tgt_len, src_len, half_width):
    mask = torch.ones(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b in range(len(lengths)):
        n = int(lengths[b])
        for t in range(tgt_len):
            c = min(t, n - 1)
            for j in range(max(0, c - half_width), min(n, c + 1)):
                mask[b, t, j] = False
    return mask


# %% hard_window · right · slices
# source: written from the task's text, 2026-11
import torch

def hard_window(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        if n == 0:
            continue
        for t in range(tgt_len):
            centre = min(t, n - 1)
            mask[b, t, max(0, centre - half_width) : min(n, centre + half_width + 1)] = True
    return mask


# %% gaussian_window · wrong · sigma-is-d-around-the-word
# source: written from the task's text, 2026-11
# mistake: sigma is D in place of D/2, and the Gaussian stands around the rounded centre, so no gradient reaches the centres
import torch

def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.shape[-1])
    distance = j - centres.round().unsqueeze(-1)
    inside = distance.abs() <= half_width
    weights = scores.masked_fill(~inside, float("-inf")).softmax(-1)
    return weights * torch.exp(-(distance**2) / (2 * half_width**2))


# %% gaussian_window · wrong · floor-and-no-two
# source: written from the task's text, 2026-11
# mistake: the window stands around the centre rounded down in place of the nearest word, and the 2 in the Gaussian's divisor is missing
import torch

def gaussian_window(scores, centres, half_width):
    sigma = half_width / 2
    places = torch.arange(scores.shape[-1], dtype=scores.dtype)
    middle = centres.detach().floor()[..., None]
    open_cells = (places - middle).abs() <= half_width
    local = torch.softmax(torch.where(open_cells, scores, torch.tensor(-1e30, dtype=scores.dtype)), dim=-1)
    bell = torch.exp(-((places - centres[..., None]) ** 2) / sigma**2)
    return local * bell * open_cells


# %% gaussian_window · wrong · softmax-over-all-detached
# source: written from the task's text, 2026-11
# mistake: the softmax runs over the whole sentence and is only cut to the window afterwards, and the centres are detached
import torch

def gaussian_window(scores, centres, half_width):
    p = centres.detach().unsqueeze(-1)
    j = torch.arange(scores.size(-1))
    weights = scores.softmax(dim=-1)
    weights = weights * torch.exp(-2 * (j - p) ** 2 / half_width**2)
    return weights * ((j - p.round()).abs() <= half_width)


# %% gaussian_window · wrong · bell-before-softmax-one-short
# source: written from the task's text, 2026-11
# mistake: the Gaussian is added to the scores and goes through the softmax, so rows sum to 1, and the window lacks its outermost word on each side
import torch

def gaussian_window(scores, centres, half_width):
    src = torch.arange(scores.shape[2]).view(1, 1, -1)
    d = src - centres.unsqueeze(2)
    scores = scores - d.pow(2) / (2 * (half_width / 2) ** 2)
    far = (src - centres.round().unsqueeze(2)).abs() >= half_width
    return scores.masked_fill(far, float("-inf")).softmax(2)


# %% gaussian_window · right · cell-windows
# source: written from the task's text, 2026-11
import torch

def gaussian_window(scores, centres, half_width):
    src_len = scores.shape[-1]
    out = torch.zeros_like(scores)
    for b in range(scores.shape[0]):
        for t in range(scores.shape[1]):
            p = centres[b, t]
            nearest = int(p.detach().round())
            window = torch.arange(max(0, nearest - half_width), min(src_len, nearest + half_width + 1))
            inside = torch.softmax(scores[b, t, window], dim=0)
            out[b, t, window] = inside * torch.exp(-2 * (window - p) ** 2 / half_width**2)
    return out


# %% general_scores · wrong · scaled-and-transposed
# source: written from the task's text, 2026-11
# mistake: divides by the square root of query_dim, which general does not have, and returns (batch, src_len, tgt_len)
import torch

def general_scores(query, keys, W):
    scores = query @ W @ keys.mT / query.shape[-1] ** 0.5
    return scores.mT


# %% general_scores · wrong · transposed-matrix-and-tanh
# source: written from the task's text, 2026-11
# mistake: the transpose of W stands where W should, and a tanh is put around the scores
import torch

def general_scores(query, keys, W):
    left = torch.matmul(query, W.mT)
    return torch.tanh(torch.matmul(left, keys.mT))


# %% general_scores · wrong · softmax-from-the-keys
# source: written from the task's text, 2026-11
# mistake: the keys ask, so the result is (batch, src_len, tgt_len), and a softmax is taken although scores are asked for
import torch

def general_scores(query, keys, W):
    return (keys @ W.T @ query.mT).softmax(-1)


# %% general_scores · right · sentence-by-sentence
# source: written from the task's text, 2026-11
import torch

def general_scores(query, keys, W):
    out = []
    for s, h in zip(query, keys):
        images = torch.mm(W, h.T)  # column j is W h_j
        out.append(torch.mm(s, images))
    return torch.stack(out)


# %% projected_attention · wrong · scaled-results-swapped
# source: written from the task's text, 2026-11
# mistake: the scores are divided by the square root of the width, which is not asked for here, and weights come back before context
import torch

def projected_attention(query, keys, W_Q, W_K, W_V):
    q, k, v = query @ W_Q.T, keys @ W_K.T, keys @ W_V.T
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    return weights, weights @ v


# %% projected_attention · wrong · raw-values-over-queries
# source: written from the task's text, 2026-11
# mistake: the values are not projected, the keys are mixed as they came, and the softmax runs over the queries
import torch

def projected_attention(query, keys, W_Q, W_K, W_V):
    projected_queries = torch.einsum("btq,wq->btw", query, W_Q)
    projected_keys = torch.einsum("bsk,wk->bsw", keys, W_K)
    scores = torch.einsum("btw,bsw->bts", projected_queries, projected_keys)
    weights = torch.softmax(scores, dim=1)
    context = torch.einsum("bts,bsk->btk", weights, keys)
    return context, weights


# %% projected_attention · wrong · wrong-values-no-exp
# source: written from the task's text, 2026-11
# mistake: mixes the keys projected by W_K in place of W_V, and divides the scores by their sum in place of a softmax
import torch

def projected_attention(query, keys, W_Q, W_K, W_V):
    Q = query @ W_Q.mT
    K = keys @ W_K.mT
    scores = Q @ K.mT
    weights = scores / scores.sum(dim=-1, keepdim=True)
    return weights @ K, weights


# %% projected_attention · right · general-first-project-last
# source: written from the task's text, 2026-11
import torch

def projected_attention(query, keys, W_Q, W_K, W_V):
    W = W_Q.T @ W_K  # (query_dim, key_dim)
    weights = torch.softmax(query @ W @ keys.transpose(1, 2), dim=2)
    mixture = torch.bmm(weights, keys)
    return mixture @ W_V.T, weights


# %% scaled_attention · wrong · divided-by-dim-nan
# source: written from the task's text, 2026-11
# mistake: divides by dim in place of its square root, and rows without an open cell are NaN
import torch

def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.mT / query.shape[-1]
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ values, weights


# %% scaled_attention · wrong · inverted-value-width
# source: written from the task's text, 2026-11
# mistake: the mask is inverted, and the scale comes from the width of the values in place of the keys
import math

import torch

def scaled_attention(query, keys, values, mask=None):
    d = values.size(-1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(d)
    if mask is not None:
        mask = mask.expand(scores.shape)
        scores = scores.masked_fill(mask, -1e30)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask, 0.0)
    context = torch.bmm(weights, values)
    return context, weights


# %% scaled_attention · wrong · mask-late-order-no-scale
# source: written from the task's text, 2026-11
# mistake: no scale, the mask multiplies the finished weights so that rows no longer sum to 1, and weights come back before context
import torch

def scaled_attention(query, keys, values, mask=None):
    w = torch.einsum("btd,bsd->bts", query, keys).softmax(dim=-1)
    if mask is not None:
        w = w * mask
    return w, torch.einsum("bts,bsv->btv", w, values)


# %% scaled_attention · right · each-sentence-alone
# source: written from the task's text, 2026-11
import torch

def scaled_attention(query, keys, values, mask=None):
    batch, tgt_len, dim = query.shape
    src_len = keys.shape[1]
    if mask is None:
        mask = torch.ones(1, 1, 1, dtype=torch.bool)
    mask = torch.broadcast_to(mask, (batch, tgt_len, src_len))
    contexts, tables = [], []
    for q, k, v, is_open in zip(query, keys, values, mask):
        scores = (q / dim**0.5) @ k.T
        scores = scores.masked_fill(~is_open, torch.finfo(scores.dtype).min)
        table = scores.softmax(-1).masked_fill(~is_open, 0.0)
        tables.append(table)
        contexts.append(table @ v)
    return torch.stack(contexts), torch.stack(tables)


# %% score_variance · wrong · one-less-and-variance-by-root
# source: written from the task's text, 2026-11
# mistake: divides by the number of pairs less one, and divides the variance by the square root of d in place of the dot products
import torch

def score_variance(queries, keys, widths):
    plain = torch.stack([(queries[:, :d] * keys[:, :d]).sum(-1).var() for d in widths])
    scaled = plain / torch.tensor(widths).sqrt()
    return plain, scaled


# %% score_variance · wrong · mean-square-last-numbers
# source: written from the task's text, 2026-11
# mistake: the mean is not subtracted, and the last d numbers of each vector are used in place of the first d
import torch

def score_variance(queries, keys, widths):
    plain, scaled = [], []
    for d in widths:
        dots = (queries[:, -d:] * keys[:, -d:]).sum(dim=1)
        plain.append((dots ** 2).mean())
        scaled.append(((dots / d ** 0.5) ** 2).mean())
    return torch.stack(plain), torch.stack(scaled)


# %% score_variance · wrong · all-pairs-full-width-scale
# source: written from the task's text, 2026-11
# mistake: scores every query with every key in place of pair by pair, and scales by the full width in place of d
import torch

def score_variance(queries, keys, widths):
    full = queries.shape[1]
    plain = []
    for d in widths:
        scores = queries[:, :d] @ keys[:, :d].T
        plain.append(scores.var(unbiased=False).item())
    plain = torch.tensor(plain)
    scaled = plain / full
    return plain, scaled


# %% score_variance · wrong · spread-sorted
# source: written from the task's text, 2026-11
# mistake: the standard deviation in place of the variance, and the widths are sorted, so the results stand in another order than asked
import torch

def score_variance(queries, keys, widths):
    rows = []
    for d in sorted(widths):
        s = torch.einsum("nd,nd->n", queries[:, :d], keys[:, :d])
        rows.append([s.std(unbiased=False), (s / d**0.5).std(unbiased=False)])
    table = torch.tensor(rows)
    return table[:, 0], table[:, 1]


# %% score_variance · right · running-sums
# source: written from the task's text, 2026-11
import torch

def score_variance(queries, keys, widths):
    running = (queries.double() * keys.double()).cumsum(dim=1)  # column d - 1: the dot product at width d
    d = torch.tensor(widths)
    dots = running[:, d - 1]  # (pairs, widths)
    away = dots - dots.mean(dim=0)
    plain = away.square().mean(dim=0)
    scaled = plain / d  # a constant factor leaves a variance squared
    return plain.to(queries.dtype), scaled.to(queries.dtype)


# %% combined_mask · wrong · strict-and-one-pad
# source: written from the task's text, 2026-11
# mistake: a query may not look at its own place, and the first padded place is open
import torch

def combined_mask(lengths, positions, src_len):
    keys = torch.arange(src_len)
    causal = keys[None, None, :] < positions[None, :, None]
    real = keys[None, None, :] <= lengths[:, None, None]
    return causal & real


# %% combined_mask · wrong · positions-ignored-or
# source: written from the task's text, 2026-11
# mistake: the queries are taken to begin at place 0 whatever positions says, and the two masks are joined by or in place of and
import torch

def combined_mask(lengths, positions, src_len):
    tgt_len = len(positions)
    causal = torch.ones(tgt_len, src_len, dtype=torch.bool).tril()
    padding = torch.arange(src_len) < lengths.unsqueeze(1)
    return padding.unsqueeze(1) | causal.unsqueeze(0)


# %% combined_mask · wrong · closed-is-true-transposed
# source: written from the task's text, 2026-11
# mistake: True marks the closed cells, and the result is (batch, src_len, tgt_len)
import torch

def combined_mask(lengths, positions, src_len):
    B, T = len(lengths), len(positions)
    closed = torch.zeros(B, src_len, T, dtype=torch.bool)
    for b in range(B):
        for j in range(src_len):
            for i in range(T):
                if j >= lengths[b] or j > positions[i]:
                    closed[b, j, i] = True
    return closed


# %% combined_mask · right · fill-up-to-the-nearer-end
# source: written from the task's text, 2026-11
import torch

def combined_mask(lengths, positions, src_len):
    mask = torch.zeros(len(lengths), len(positions), src_len, dtype=torch.bool)
    for b, real in enumerate(lengths.tolist()):
        for i, place in enumerate(positions.tolist()):
            mask[b, i, : min(real, place + 1)] = True
    return mask


# %% attend_with_mask · wrong · inverted-no-scale
# source: written from the task's text, 2026-11
# mistake: the open cells are closed, and the division by the square root of the width was lost
import torch
from utils.masks import masked_softmax

def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys)
    weights = masked_softmax(scores, ~mask)
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · wrong · multiplied-after-mixes-keys
# source: written from the task's text, 2026-11
# mistake: the mask multiplies the weights after the softmax, so rows do not sum to 1, and the context mixes keys in place of values
import torch

def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = scores.softmax(-1) * mask
    context = torch.einsum("bts,bsd->btd", weights, keys)
    return context, weights


# %% attend_with_mask · wrong · small-penalty-empty-rows
# source: written from the task's text, 2026-11
# mistake: closed cells lose only 5 points and keep some weight, and rows that may look at nothing do not get zeros
import torch

def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    penalty = torch.where(mask, 0.0, -5.0)   # open: nothing, closed: a penalty
    weights = (scores + penalty).softmax(-1)
    context = torch.bmm(weights, values)
    return context, weights


# %% attend_with_mask · right · powers-by-hand
# source: written from the task's text, 2026-11
import torch

def attend_with_mask(query, keys, values, mask):
    scores = (query * query.shape[-1] ** -0.5) @ keys.mT
    scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    powers = (scores - scores.detach().amax(-1, keepdim=True)).exp() * mask
    total = powers.sum(-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, torch.ones_like(total))
    return weights @ values, weights


# %% packed_mask · wrong · not-oneself-padding-empty
# source: written from the task's text, 2026-11
# mistake: a word may not look at itself, and places of padding may look at nothing, not even at themselves
import torch

def packed_mask(documents):
    length = documents.shape[1]
    same = documents[:, :, None] == documents[:, None, :]
    real = (documents != 0)[:, :, None]
    mask = same & real & torch.ones(length, length, dtype=torch.bool).tril(-1)
    positions = (same & torch.ones(length, length, dtype=torch.bool).tril(-1)).sum(-1) * (documents != 0)
    return mask, positions


# %% packed_mask · wrong · sees-ahead-counts-from-one
# source: written from the task's text, 2026-11
# mistake: no causal triangle, so words see the rest of their document, and positions count from 1
import torch

def packed_mask(documents):
    B, L = documents.shape
    mask = torch.zeros(B, L, L, dtype=torch.bool)
    positions = torch.zeros(B, L, dtype=torch.long)
    for b in range(B):
        seen = {}
        for i in range(L):
            d = documents[b, i].item()
            if d == 0:
                mask[b, i, i] = True
                continue
            mask[b, i] = documents[b] == d
            seen[d] = seen.get(d, 0) + 1
            positions[b, i] = seen[d]
    return mask, positions


# %% packed_mask · wrong · padding-as-document-running-positions
# source: written from the task's text, 2026-11
# mistake: padding is treated like one more document and looks at earlier padding, and positions run on through the whole row
import torch

def packed_mask(documents):
    batch, length = documents.shape
    places = torch.arange(length)
    same = documents.unsqueeze(2) == documents.unsqueeze(1)
    mask = same & (places[None, :] <= places[:, None])
    positions = places.expand(batch, length).clone()
    positions[documents == 0] = 0
    return mask, positions


# %% packed_mask · wrong · later-words-and-results-swapped
# source: written from the task's text, 2026-11
# mistake: a word sees itself and the words after it in place of those before, and positions come back before the mask
import torch

def packed_mask(documents):
    length = documents.shape[1]
    eye = torch.eye(length, dtype=torch.bool)
    same = (documents[:, :, None] == documents[:, None, :]) & (documents > 0)[:, None, :]
    mask = same.triu() | eye
    positions = same.tril(-1).sum(-1)
    return positions, mask


# %% packed_mask · right · note-where-each-begins
# source: written from the task's text, 2026-11
import torch

def packed_mask(documents):
    batch, length = documents.shape
    mask = torch.eye(length, dtype=torch.bool).repeat(batch, 1, 1)
    positions = torch.zeros(batch, length, dtype=torch.long)
    for b, row in enumerate(documents.tolist()):
        begins = {}
        for i, name in enumerate(row):
            if name != 0:
                start = begins.setdefault(name, i)
                mask[b, i, start : i + 1] = True
                positions[b, i] = i - start
    return mask, positions


# %% streaming_attention · wrong · context-not-rescaled-no-scale
# source: written from the task's text, 2026-11
# mistake: when the largest score rises only the sum is shrunk and the context so far is not, and the scores are not divided by the square root of dim
import torch

def streaming_attention(query, keys, values, mask, block):
    batch, tgt_len, _ = query.shape
    largest = torch.full((batch, tgt_len, 1), -1e30)
    total = torch.zeros(batch, tgt_len, 1)
    context = torch.zeros(batch, tgt_len, values.shape[-1])
    for start in range(0, keys.shape[1], block):
        part = slice(start, start + block)
        scores = query @ keys[:, part].mT
        scores = scores.masked_fill(~mask[:, :, part], -1e30)
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        e = torch.exp(scores - new) * mask[:, :, part]
        total = total * torch.exp(largest - new) + e.sum(-1, keepdim=True)
        context = context + e @ values[:, part]
        largest = new
    return context / total.clamp(min=1e-9), total.squeeze(-1)


# %% streaming_attention · wrong · last-block-lost-log-total
# source: written from the task's text, 2026-11
# mistake: a last block that is shorter is never read, and total is returned as its logarithm
import torch

def streaming_attention(query, keys, values, mask, block):
    b, t, d = query.shape
    top = torch.full((b, t), float("-inf"))
    total = torch.zeros(b, t)
    acc = torch.zeros(b, t, values.size(-1))
    for n in range(keys.size(1) // block):
        lo, hi = n * block, (n + 1) * block
        s = torch.einsum("btd,bsd->bts", query, keys[:, lo:hi]) / d ** 0.5
        s = s.masked_fill(~mask[..., lo:hi], float("-inf"))
        new_top = torch.maximum(top, s.max(-1).values)
        safe = torch.where(new_top.isinf(), torch.zeros_like(new_top), new_top)
        shrink = (top - safe).exp()
        p = (s - safe[..., None]).exp()
        total = total * shrink + p.sum(-1)
        acc = acc * shrink[..., None] + p @ values[:, lo:hi]
        top = new_top
    context = acc / torch.where(total > 0, total, torch.ones_like(total))[..., None]
    return context, total.log()


# %% streaming_attention · wrong · no-largest-nan
# source: written from the task's text, 2026-11
# mistake: no largest score is subtracted, so exp overflows and total is another number, and rows that may look at nothing are 0/0 = NaN
import torch

def streaming_attention(query, keys, values, mask, block):
    total, context = 0, 0
    blocks = zip(keys.split(block, 1), values.split(block, 1), mask.split(block, 2))
    for k, v, m in blocks:
        e = (query @ k.mT / query.shape[-1] ** 0.5).exp() * m
        total = total + e.sum(-1)
        context = context + e @ v
    return context / total[..., None], total


# %% streaming_attention · wrong · starts-at-zero-mean-of-blocks
# source: written from the task's text, 2026-11
# mistake: the largest score starts at 0, which is wrong for rows of negative scores, and each block's own context is averaged without regard to its share
import torch

def streaming_attention(query, keys, values, mask, block):
    scale = query.shape[-1] ** 0.5
    largest = torch.zeros(query.shape[:2])
    total = torch.zeros(query.shape[:2])
    contexts = []
    for i in range(0, keys.shape[1], block):
        is_open = mask[:, :, i:i + block]
        s = (query @ keys[:, i:i + block].mT / scale).masked_fill(~is_open, -1e30)
        new = torch.maximum(largest, s.amax(-1))
        total = total * (largest - new).exp() + ((s - new[..., None]).exp() * is_open).sum(-1)
        largest = new
        w = s.softmax(-1) * is_open
        contexts.append(w @ values[:, i:i + block])
    return torch.stack(contexts).mean(0), total


# %% streaming_attention · right · from-the-last-block
# source: written from the task's text, 2026-11
import torch

def streaming_attention(query, keys, values, mask, block):
    nothing = float("-inf")
    question = query / query.shape[-1] ** 0.5
    mixed = query.new_zeros(*query.shape[:2], values.shape[-1])
    total = query.new_zeros(query.shape[:2])
    largest = torch.full_like(total, nothing)
    for start in reversed(range(0, keys.shape[1], block)):
        here = slice(start, start + block)
        scores = torch.where(mask[:, :, here], question @ keys[:, here].mT, nothing)
        higher = torch.maximum(largest, scores.amax(-1))
        level = higher.masked_fill(higher == nothing, 0.0)  # a row that has seen nothing yet
        shrink = (largest - level).exp()
        powers = (scores - level.unsqueeze(-1)).exp()
        total = total * shrink + powers.sum(-1)
        mixed = mixed * shrink.unsqueeze(-1) + powers @ values[:, here]
        largest = higher
    return mixed / total.clamp(min=1).unsqueeze(-1), total  # an open row's total is at least 1


# %% look_back · wrong · not-oneself-floats
# source: written from the task's text, 2026-11
# mistake: the diagonal is closed, and the table holds floats in place of booleans
import torch

def look_back(length):
    return torch.tril(torch.ones(length, length), diagonal=-1)


# %% look_back · wrong · forward-and-whole-numbers
# source: written from the task's text, 2026-11
# mistake: the triangle is the upper one, so words look ahead, and it holds whole numbers in place of booleans
import torch

def look_back(length):
    table = torch.zeros(length, length, dtype=torch.long)
    for i in range(length):
        for j in range(i, length):
            table[i, j] = 1
    return table


# %% look_back · wrong · one-ahead-inverted
# source: written from the task's text, 2026-11
# mistake: True marks what is closed, and one word ahead counts as open
import torch

def look_back(length):
    i = torch.arange(length).unsqueeze(1)
    j = torch.arange(length).unsqueeze(0)
    return ~(j <= i + 1)


# %% look_back · right · growing-rows
# source: written from the task's text, 2026-11
import torch

def look_back(length):
    return torch.tensor([[True] * (i + 1) + [False] * (length - i - 1) for i in range(length)])


# %% masked_weights · wrong · no-scale-columns
# source: written from the task's text, 2026-11
# mistake: the scale is missing, and the softmax runs over the queries
import torch

def masked_weights(queries, keys, mask):
    return (queries @ keys.T).masked_fill(~mask, -1e9).softmax(dim=0)


# %% masked_weights · wrong · inverted-by-dim
# source: written from the task's text, 2026-11
# mistake: the open cells are closed, and the scores are divided by dim in place of its square root
import torch

def masked_weights(queries, keys, mask):
    scores = queries @ keys.T / queries.shape[1]
    scores[mask] = -1e9
    return torch.softmax(scores, dim=1)


# %% masked_weights · wrong · late-mask-multiplied-scale
# source: written from the task's text, 2026-11
# mistake: the mask comes after the softmax, so rows do not sum to 1, and the scores are multiplied by the square root of dim in place of divided
import math

import torch

def masked_weights(queries, keys, mask):
    d = keys.shape[-1]
    scores = torch.matmul(queries, keys.transpose(0, 1)) * math.sqrt(d)
    weights = torch.softmax(scores, dim=-1)
    return torch.where(mask, weights, torch.zeros_like(weights))


# %% masked_weights · right · row-by-row-open-only
# source: written from the task's text, 2026-11
import torch

def masked_weights(queries, keys, mask):
    rows = []
    for query, is_open in zip(queries, mask):
        found = keys[is_open] @ query / len(query) ** 0.5
        rows.append(torch.zeros(len(keys), dtype=found.dtype).masked_scatter(is_open, found.softmax(0)))
    return torch.stack(rows)


# %% MultiHead · wrong · order-of-parts-and-dim-scale
# source: written from the task's text, 2026-11
# mistake: the joint matrix is read as queries, values, keys, and the scores are divided by the square root of dim in place of head_dim
import torch
import torch.nn.functional as F
from torch import nn
from utils.masks import masked_softmax

class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, query, keys, values, mask=None):
        w_q, w_v, w_k = self.in_proj_weight.chunk(3)
        b_q, b_v, b_k = self.in_proj_bias.chunk(3)
        q, k, v = self.split(F.linear(query, w_q, b_q)), self.split(F.linear(keys, w_k, b_k)), self.split(F.linear(values, w_v, b_v))
        scores = q @ k.mT / query.shape[-1] ** 0.5
        weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask.unsqueeze(1))
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


# %% MultiHead · wrong · view-without-transpose-mean-weights
# source: written from the task's text, 2026-11
# mistake: the heads are cut with one view that mixes places and heads, and the weights are averaged over the heads
import math

import torch
import torch.nn.functional as F
from torch import nn
from utils.masks import masked_softmax

class MultiHead(nn.Module):
    """Multi-head attention with PyTorch's parameter names."""

    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads, self.head_dim = dim, heads, dim // heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        nn.init.xavier_uniform_(self.in_proj_weight)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        batch = query.shape[0]
        projected = []
        for n, x in enumerate((query, keys, values)):
            part = slice(n * self.dim, (n + 1) * self.dim)
            y = F.linear(x, self.in_proj_weight[part], self.in_proj_bias[part])
            projected.append(y.view(batch, self.heads, -1, self.head_dim))
        q, k, v = projected
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        if mask is None:
            mask = torch.ones(1, 1, 1, dtype=torch.bool)
        weights = masked_softmax(scores, mask[:, None])
        joined = (weights @ v).reshape(batch, -1, self.dim)
        return self.out_proj(joined), weights.mean(dim=1)


# %% MultiHead · wrong · inverted-and-biases-forgotten
# source: written from the task's text, 2026-11
# mistake: the mask is inverted, and all biases are forgotten
import torch
from torch import nn
from utils.masks import masked_softmax

class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        b, t, dim = query.shape
        s, h = keys.shape[1], self.heads
        w_q, w_k, w_v = self.in_proj_weight.split(dim)
        q = (query @ w_q.T).view(b, t, h, dim // h)
        k = (keys @ w_k.T).view(b, s, h, dim // h)
        v = (values @ w_v.T).view(b, s, h, dim // h)
        scores = torch.einsum("bthd,bshd->bhts", q, k) / (dim // h) ** 0.5
        if mask is None:
            weights = scores.softmax(-1)
        else:
            weights = masked_softmax(scores, ~mask[:, None])
        context = torch.einsum("bhts,bshd->bthd", weights, v).reshape(b, t, dim)
        return context @ self.out_proj.weight.T, weights


# %% MultiHead · wrong · no-scale-joined-crooked
# source: written from the task's text, 2026-11
# mistake: the scores are not scaled, and the heads are joined without moving them back behind the places
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
        parts = zip((query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3))
        q, k, v = (F.linear(x, w, b).unflatten(2, (self.heads, -1)).transpose(1, 2) for x, w, b in parts)
        scores = q @ k.mT
        weights = torch.softmax(scores, -1) if mask is None else masked_softmax(scores, mask[:, None])
        context = (weights @ v).reshape(query.shape)
        return self.out_proj(context), weights


# %% MultiHead · right · sum-of-heads
# source: written from the task's text, 2026-11
import torch
from torch import nn
from utils.masks import masked_softmax

class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        dim = query.shape[-1]
        width = dim // self.heads
        output, all_weights = self.out_proj.bias, []
        for h in range(self.heads):
            rows = [slice(part * dim + h * width, part * dim + (h + 1) * width) for part in range(3)]
            q, k, v = (
                x @ self.in_proj_weight[r].T + self.in_proj_bias[r]
                for x, r in zip((query, keys, values), rows)
            )
            scores = q @ k.mT / width**0.5
            weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
            all_weights.append(weights)
            output = output + weights @ v @ self.out_proj.weight[:, h * width : (h + 1) * width].T
        return output, torch.stack(all_weights, dim=1)


# %% encode_positions · wrong · halves-and-single-exponent
# source: written from the task's text, 2026-11
# mistake: all sines first and then all cosines in place of by turns, and the exponent is i/dim in place of 2i/dim
import torch

def encode_positions(positions, dim, base):
    i = torch.arange(dim // 2)
    angles = positions[..., None] / base ** (i / dim)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


# %% encode_positions · wrong · cosine-first-fixed-base
# source: written from the task's text, 2026-11
# mistake: cosines stand in the even places and sines in the odd ones, and the base is always 10000
import math

import torch

def encode_positions(positions, dim, base):
    frequencies = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    angles = positions.unsqueeze(-1) * frequencies
    codes = torch.zeros(*positions.shape, dim)
    codes[..., 0::2] = torch.cos(angles)
    codes[..., 1::2] = torch.sin(angles)
    return codes


# %% encode_positions · wrong · whole-places-multiplied
# source: written from the task's text, 2026-11
# mistake: places between places are cut to whole numbers, and the position is multiplied by the power of the base in place of divided
import torch

def encode_positions(positions, dim, base):
    p = positions.long().unsqueeze(-1)
    two_i = torch.arange(0, dim, 2)
    angle = p * base ** (two_i / dim)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)


# %% encode_positions · right · hands-of-clocks
# source: written from the task's text, 2026-11
import torch

def encode_positions(positions, dim, base):
    exponents = torch.arange(0, dim, 2, dtype=torch.float64) / dim
    angles = positions.double().unsqueeze(-1) * float(base) ** -exponents
    hands = torch.polar(torch.ones_like(angles), angles)  # cos + i sin
    codes = torch.view_as_real(hands).flip(-1).flatten(-2)
    return codes.to(positions.dtype if positions.is_floating_point() else torch.get_default_dtype())


# %% head_ablation · wrong · only-this-head-squared
# source: written from the task's text, 2026-11
# mistake: keeps only head h in place of taking it away, and moved is the mean squared difference in place of its length
import torch

def head_ablation(contexts, w_o, b_o):
    def project(c):
        return c.transpose(1, 2).flatten(2) @ w_o.T + b_o

    whole = project(contexts)
    outputs = []
    for h in range(contexts.shape[1]):
        alone = torch.zeros_like(contexts)
        alone[:, h] = contexts[:, h]
        outputs.append(project(alone))
    outputs = torch.stack(outputs)
    moved = ((outputs - whole) ** 2).mean(dim=(1, 2, 3))
    return outputs, moved


# %% head_ablation · wrong · no-bias-one-length
# source: written from the task's text, 2026-11
# mistake: the outputs lack the bias, and moved is the length of the whole difference in place of the mean of each word's
import torch

def head_ablation(contexts, w_o, b_o):
    heads = contexts.shape[1]
    keep = 1 - torch.eye(heads)
    kept = contexts * keep[:, None, :, None, None]
    outputs = kept.transpose(2, 3).flatten(3) @ w_o.T
    whole = contexts.transpose(1, 2).flatten(2) @ w_o.T
    moved = (outputs - whole).flatten(1).norm(dim=1)
    return outputs, moved


# %% head_ablation · wrong · heads-pile-up-in-place
# source: written from the task's text, 2026-11
# mistake: heads are zeroed in the caller's contexts without a copy, so each output lacks all heads so far, and moved is the mean absolute difference in place of a length
import torch
import torch.nn.functional as F

def head_ablation(contexts, w_o, b_o):
    batch, heads, tgt_len, head_dim = contexts.shape
    full = F.linear(contexts.transpose(1, 2).reshape(batch, tgt_len, -1), w_o, b_o)
    outputs, moved = [], []
    for h in range(heads):
        without = contexts
        without[:, h] = 0
        out = F.linear(without.transpose(1, 2).reshape(batch, tgt_len, -1), w_o, b_o)
        outputs.append(out)
        moved.append((out - full).abs().mean())
    return torch.stack(outputs), torch.stack(moved)


# %% head_ablation · wrong · joined-crooked-batch-first
# source: written from the task's text, 2026-11
# mistake: the heads are joined without moving them back behind the places, and outputs is (batch, heads, …) in place of (heads, batch, …)
import torch

def head_ablation(contexts, w_o, b_o):
    B, H, T, d = contexts.shape
    whole = contexts.reshape(B, T, H * d) @ w_o.T + b_o
    results = []
    for h in range(H):
        c = contexts.clone()
        c[:, h] = 0
        results.append(c.reshape(B, T, H * d) @ w_o.T + b_o)
    outputs = torch.stack(results, dim=1)
    moved = (outputs - whole[:, None]).norm(dim=-1).mean(dim=(0, 2))
    return outputs, moved


# %% head_ablation · right · subtract-each-term
# source: written from the task's text, 2026-11
import torch

def head_ablation(contexts, w_o, b_o):
    heads, head_dim = contexts.shape[1], contexts.shape[3]
    per_head = w_o.unflatten(1, (heads, head_dim))  # (dim, heads, head_dim)
    terms = torch.einsum("bhtk,ohk->hbto", contexts, per_head)
    outputs = terms.sum(0) + b_o - terms
    moved = terms.square().sum(-1).sqrt().flatten(1).mean(1)
    return outputs, moved


# %% split_heads · wrong · interleaved-heads-first
# source: written from the task's text, 2026-11
# mistake: each head takes every so-many-th number in place of a piece in a row, and the heads come before the batch
import torch

def split_heads(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.view(batch, length, dim // heads, heads).permute(3, 0, 1, 2)


# %% split_heads · wrong · no-transpose-head-dim-mixed-up
# source: written from the task's text, 2026-11
# mistake: the heads are not moved in front of the places, and the number of heads is taken for the width of one
import torch

def split_heads(tensor, heads):
    return tensor.unflatten(-1, (-1, heads))


# %% split_heads · wrong · one-view-last-axes-swapped
# source: written from the task's text, 2026-11
# mistake: one view cuts places and width together, so heads mix the words, and the last two axes are swapped
import torch

def split_heads(tensor, heads):
    b, n, dim = tensor.size()
    head_dim = dim // heads
    cut = tensor.reshape(b, heads, n, head_dim)
    return cut.transpose(-1, -2)


# %% split_heads · right · chunks
# source: written from the task's text, 2026-11
import torch

def split_heads(tensor, heads):
    return torch.stack(tensor.chunk(heads, dim=-1), dim=1)


# %% join_heads · wrong · no-transpose-back-to-front
# source: written from the task's text, 2026-11
# mistake: the heads are not moved back behind the places before the reshape, and they stand in reverse order
import torch

def join_heads(tensor):
    batch, heads, length, head_dim = tensor.shape
    return tensor.flip(1).reshape(batch, length, heads * head_dim)


# %% join_heads · wrong · interleaved-and-dim-first
# source: written from the task's text, 2026-11
# mistake: the numbers of the heads are interleaved in place of end to end, and the result is (batch, dim, len)
import torch

def join_heads(tensor):
    return tensor.permute(0, 3, 1, 2).flatten(1, 2)


# %% join_heads · wrong · mean-and-axes-swapped
# source: written from the task's text, 2026-11
# mistake: the heads are averaged in place of joined, and the places and the numbers are swapped
import torch

def join_heads(tensor):
    mixed = tensor.mean(dim=1)        # (batch, len, head_dim)
    return mixed.transpose(1, 2)


# %% join_heads · right · end-to-end
# source: written from the task's text, 2026-11
import torch

def join_heads(tensor):
    return torch.cat([tensor[:, h] for h in range(tensor.shape[1])], dim=2)


# %% small_step · wrong · sum-and-no-tanh
# source: written from the task's text, 2026-11
# mistake: the readout is the sum of context and state instead of their mean, and the tanh is missing
import torch


def small_step(state, keys, words):
    weights = torch.softmax(keys @ state, dim=0)
    readout = weights @ keys + state
    return weights, words @ readout


# %% small_step · wrong · scaled-and-stateless
# source: written from the task's text, 2026-11
# mistake: scores divided by the root of dim, though this look-up is not scaled; the readout is made of the context alone, without the state
import torch


def small_step(state, keys, words):
    dim = state.shape[0]
    scores = keys @ state / dim**0.5
    weights = scores.softmax(-1)
    context = weights @ keys
    readout = torch.tanh(context)
    return weights, words @ readout


# %% small_step · wrong · swapped-and-normalised
# source: written from the task's text, 2026-11
# mistake: the two results come in the wrong order, and the word scores go through a softmax
import torch


def small_step(state, keys, words):
    w = (keys @ state).softmax(-1)
    r = ((w @ keys + state) / 2).tanh()
    return (words @ r).softmax(-1), w


# %% masked_loss · right · gather-and-divide
# source: written from the task's text, 2026-11
import torch

from utils.corpora import PAD


def masked_loss(logits, target):
    labels = target[:, 1:]
    log_p = logits - logits.logsumexp(-1, keepdim=True)
    picked = log_p.gather(2, labels.unsqueeze(2)).squeeze(2)
    real = (labels != PAD).to(log_p.dtype)
    return -(picked * real).sum() / real.sum()


# %% masked_loss · wrong · unshifted-and-padding
# source: written from the task's text, 2026-11
# mistake: compares with the words that were read (no shift) and takes the mean over the padding too
import torch
from torch.nn.functional import cross_entropy


def masked_loss(logits, target):
    labels = target[:, :-1]
    return cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))


# %% masked_loss · wrong · no-eos-mean-of-means
# source: written from the task's text, 2026-11
# mistake: <eos> is left out like padding, and the mean is taken per sentence first and then over the sentences
import torch
import torch.nn.functional as F

from utils.corpora import EOS, PAD


def masked_loss(logits, target):
    labels = target[:, 1:]
    per_sentence = []
    for scores, row in zip(logits, labels):
        keep = (row != PAD) & (row != EOS)
        loss = F.cross_entropy(scores[keep], row[keep], reduction="sum")
        per_sentence.append(loss / keep.sum().clamp(min=1))
    return torch.stack(per_sentence).mean()


# %% masked_loss · wrong · double-softmax-sum
# source: written from the task's text, 2026-11
# mistake: cross_entropy gets probabilities instead of logits, and the loss is the sum instead of the mean
from torch.nn.functional import cross_entropy

from utils.corpora import PAD


def masked_loss(logits, target):
    probs = logits.softmax(-1)
    return cross_entropy(probs.transpose(1, 2), target[:, 1:], ignore_index=PAD, reduction="sum")


# %% next_words · wrong · forgets-both
# source: written from the task's text, 2026-11
# mistake: finished sentences go on writing (no PAD), and those that finished earlier count as unfinished again
import torch

from utils.corpora import EOS


def next_words(logits, finished):
    words = logits.argmax(dim=-1)
    return words, words == EOS


# %% next_words · wrong · pads-eos-and-swaps
# source: written from the task's text, 2026-11
# mistake: <eos> itself is replaced by PAD in the step in which a sentence finishes, and the two results are swapped
import torch

from utils.corpora import EOS, PAD


def next_words(logits, finished):
    words = logits.argmax(-1)
    done = torch.logical_or(finished, words == EOS)
    words = torch.where(done, torch.full_like(words, PAD), words)
    return done, words


# %% next_words · wrong · and-plus-inverted
# source: written from the task's text, 2026-11
# mistake: PAD is written for the sentences that are NOT finished (mask inverted), and finished is combined by and instead of or
from utils.corpora import EOS, PAD


def next_words(logits, finished):
    best = logits.max(dim=1).indices
    words = best.masked_fill(~finished, PAD)
    return words, finished & (best == EOS)


# %% decoder_step · right · split-matrices-einsum
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    # instead of joining the vectors, the matrices are cut
    n_word, n_mem = embedded.shape[1], memory.shape[2]
    query = torch.einsum("bs,sm->bm", state, w_score)
    weights = masked_softmax(torch.einsum("blm,bm->bl", memory, query), mask)
    context = (weights[:, :, None] * memory).sum(1)
    from_word, from_context, from_state = w_state.split([n_word, n_mem, state.shape[1]])
    new_state = (embedded @ from_word + context @ from_context + state @ from_state).tanh()
    readout = (context @ w_readout[:n_mem] + new_state @ w_readout[n_mem:]).tanh()
    return context, weights, new_state, readout


# %% decoder_step · wrong · late-mask-old-state
# source: written from the task's text, 2026-11
# mistake: the mask comes after the softmax, without sharing out anew, and the readout uses the old state
import torch


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    query = state @ w_score
    scores = (memory @ query.unsqueeze(2)).squeeze(2)
    weights = scores.softmax(1) * mask
    context = (weights.unsqueeze(1) @ memory).squeeze(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], 1) @ w_state)
    readout = torch.tanh(torch.cat([context, state], 1) @ w_readout)
    return context, weights, new_state, readout


# %% decoder_step · wrong · order-and-tanh
# source: written from the task's text, 2026-11
# mistake: [c; y; s] instead of [y; c; s] before w_state, and the readout has no tanh
import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    weights = masked_softmax(torch.einsum("bd,dm,bsm->bs", state, w_score, memory), mask)
    context = torch.einsum("bs,bsm->bm", weights, memory)
    new_state = torch.cat((context, embedded, state), dim=-1).matmul(w_state).tanh()
    readout = torch.cat((context, new_state), dim=-1).matmul(w_readout)
    return context, weights, new_state, readout


# %% decoder_step · wrong · scaled-swapped-results
# source: written from the task's text, 2026-11
# mistake: the scores are divided by the root of the width, the readout joins [s; c] instead of [c; s], and the new state stands last instead of third
import math

import torch

from utils.masks import masked_softmax


def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    q = state @ w_score
    scores = (q.unsqueeze(1) * memory).sum(-1) / math.sqrt(memory.size(-1))
    weights = masked_softmax(scores, mask)
    context = (weights.unsqueeze(-1) * memory).sum(1)
    new_state = torch.tanh(torch.cat([embedded, context, state], -1) @ w_state)
    readout = torch.tanh(torch.cat([new_state, context], -1) @ w_readout)
    return context, weights, readout, new_state


# %% decode_loop · right · recursion
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def luong_step(word, state, memory, embedding, w_state, w_output):
    """Logits (batch, vocab), weights (batch, src_len), new state, from words (batch,)."""
    state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)  # (batch, state_dim)
    weights = torch.einsum("bd, bsd -> bs", state, memory).softmax(1)  # (batch, src_len)
    context = torch.einsum("bs, bsd -> bd", weights, memory)  # (batch, state_dim)
    return torch.cat((context, state), 1) @ w_output, weights, state



def decode_loop(target, state, memory, embedding, w_state, w_output):
    def go(t, state):
        if t == target.size(1) - 1:
            return []
        logits, weights, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        return [(logits, weights)] + go(t + 1, state)

    logits, weights = zip(*go(0, state))
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    labels = target[:, 1:]
    real = labels != PAD
    log_p = logits.log_softmax(-1)[real]
    loss = -log_p[torch.arange(len(log_p)), labels[real]].mean()
    return logits, weights, loss


# %% decode_loop · wrong · off-by-one-padding
# source: written from the task's text, 2026-11
# mistake: reads the words without <sos>, as many as it is to write, and compares with the same words (no shift); padding counts in the loss
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def luong_step(word, state, memory, embedding, w_state, w_output):
    """Logits (batch, vocab), weights (batch, src_len), new state, from words (batch,)."""
    state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)  # (batch, state_dim)
    weights = torch.einsum("bd, bsd -> bs", state, memory).softmax(1)  # (batch, src_len)
    context = torch.einsum("bs, bsd -> bd", weights, memory)  # (batch, state_dim)
    return torch.cat((context, state), 1) @ w_output, weights, state



def decode_loop(target, state, memory, embedding, w_state, w_output):
    all_logits, all_weights = [], []
    for t in range(1, target.shape[1]):
        logits, weights, state = luong_step(target[:, t], state, memory, embedding, w_state, w_output)
        all_logits.append(logits)
        all_weights.append(weights)
    logits = torch.stack(all_logits, dim=1)
    weights = torch.stack(all_weights, dim=1)
    loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
    return logits, weights, loss


# %% decode_loop · wrong · lost-state-sentence-means
# source: written from the task's text, 2026-11
# mistake: the new state is thrown away, so each step starts from the first one; the loss is the mean of the sentences' means
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def luong_step(word, state, memory, embedding, w_state, w_output):
    """Logits (batch, vocab), weights (batch, src_len), new state, from words (batch,)."""
    state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)  # (batch, state_dim)
    weights = torch.einsum("bd, bsd -> bs", state, memory).softmax(1)  # (batch, src_len)
    context = torch.einsum("bs, bsd -> bd", weights, memory)  # (batch, state_dim)
    return torch.cat((context, state), 1) @ w_output, weights, state



def decode_loop(target, state, memory, embedding, w_state, w_output):
    steps = [
        luong_step(word, state, memory, embedding, w_state, w_output)[:2]
        for word in target[:, :-1].unbind(1)
    ]
    logits = torch.stack([one for one, _ in steps], 1)
    weights = torch.stack([two for _, two in steps], 1)
    losses = F.cross_entropy(logits.mT, target[:, 1:], reduction="none", ignore_index=PAD)
    loss = (losses.sum(1) / (target[:, 1:] != PAD).sum(1)).mean()
    return logits, weights, loss


# %% decode_loop · wrong · free-running-sum
# source: written from the task's text, 2026-11
# mistake: after the first step the decoder reads its own likeliest word instead of the right one, and the loss is a sum
import torch
import torch.nn.functional as F

from utils.corpora import PAD


def luong_step(word, state, memory, embedding, w_state, w_output):
    """Logits (batch, vocab), weights (batch, src_len), new state, from words (batch,)."""
    state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)  # (batch, state_dim)
    weights = torch.einsum("bd, bsd -> bs", state, memory).softmax(1)  # (batch, src_len)
    context = torch.einsum("bs, bsd -> bd", weights, memory)  # (batch, state_dim)
    return torch.cat((context, state), 1) @ w_output, weights, state



def decode_loop(target, state, memory, embedding, w_state, w_output):
    word = target[:, 0]
    logits, weights = [], []
    for _ in range(target.shape[1] - 1):
        out, alpha, state = luong_step(word, state, memory, embedding, w_state, w_output)
        logits += [out]
        weights += [alpha]
        word = out.argmax(-1)
    logits, weights = torch.stack(logits, 1), torch.stack(weights, 1)
    loss = F.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, reduction="sum"
    )
    return logits, weights, loss


# %% training_loop · right · gradients-by-hand
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

from utils.corpora import PAD


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


def loss_of(model, batch):
    target, given = batch
    wanted = target[:, 1:]
    real = wanted != PAD
    return F.cross_entropy(model(target[:, :-1], given)[real], wanted[real])


def train(model, optimizer, batches, held_out):
    history = []
    parameters = list(model.parameters())
    for batch in batches:
        model.train(True)
        loss = loss_of(model, batch)
        gradients = torch.autograd.grad(loss, parameters)
        length = sum(g.square().sum() for g in gradients) ** 0.5
        shrink = (1 / (length + 1e-6)).clamp(max=1)
        for parameter, g in zip(parameters, gradients):
            parameter.grad = g * shrink
        optimizer.step()
        model.train(False)
        with torch.no_grad():
            history.append((loss.detach(), loss_of(model, held_out)))
    losses, validation = zip(*history)
    return torch.stack(losses), torch.stack(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):  # the check calls this
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]  # the last is held out
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% training_loop · wrong · piling-up-and-never-eval
# source: written from the task's text, 2026-11
# mistake: the gradients are never set to zero and pile up; the held-out loss is measured in training mode
import torch
import torch.nn.functional as F

from utils.corpora import PAD


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
    def loss_of(target, given):
        logits = model(target[:, :-1], given)
        return F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)

    losses, validation = [], []
    model.train()
    for target, given in batches:
        loss = loss_of(target, given)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        with torch.no_grad():
            validation.append(loss_of(*held_out).item())
    return torch.tensor(losses), torch.tensor(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):  # the check calls this
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]  # the last is held out
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% training_loop · wrong · own-clip-and-early-look
# source: written from the task's text, 2026-11
# mistake: each parameter is clipped by itself instead of all together, and the held-out loss is measured before the step instead of after it
import torch
import torch.nn.functional as F

from utils.corpora import PAD


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
    losses, validation = [], []
    for target, given in batches:
        model.eval()
        with torch.no_grad():
            seen, other = held_out
            logits = model(seen[:, :-1], other)
            validation.append(F.cross_entropy(logits.flatten(0, 1), seen[:, 1:].flatten(), ignore_index=PAD))
        model.train()
        logits = model(target[:, :-1], given)
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        for p in model.parameters():
            torch.nn.utils.clip_grad_norm_([p], 1.0)
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):  # the check calls this
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]  # the last is held out
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% training_loop · wrong · train-once-padding-no-clip
# source: written from the task's text, 2026-11
# mistake: model.train() stands before the loop only, so from the second step on it learns without dropout; padding counts in the loss; nothing is clipped
import torch
import torch.nn.functional as F

from utils.corpora import PAD


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
    def loss_of(batch):
        read, wanted = batch[0][:, :-1], batch[0][:, 1:]
        return F.cross_entropy(model(read, batch[1]).flatten(0, 1), wanted.flatten())

    model.train()
    losses, validation = [], []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            validation.append(loss_of(held_out))
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation)


def training_loop(targets, states, embedding, w_state, w_output, rate):  # the check calls this
    model = Tiny(embedding, w_state, w_output)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    batches = [*zip(targets, states, strict=True)]  # the last is held out
    losses, validation = train(model, optimizer, batches[:-1], batches[-1])
    return losses, validation, model.embedding.detach()


# %% masked_encoder · right · reader-of-its-own
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
    # from the right: as long as only padding has been met, the state stays 0
    mask = torch.arange(embedded.shape[1]) < lengths.unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    state = embedded.new_zeros(len(embedded), len(bias))
    backwards = []
    for t in reversed(range(embedded.shape[1])):
        new = (torch.cat([embedded[:, t], state], 1) @ w_backward + bias).tanh()
        state = new * mask[:, t : t + 1]
        backwards.insert(0, state)
    states = torch.cat([forwards, torch.stack(backwards, 1)], dim=-1)
    return states * mask.unsqueeze(2), mask.unsqueeze(1)


# %% masked_encoder · wrong · zeroed-input-flat-mask
# source: written from the task's text, 2026-11
# mistake: padding is set to 0 before reading, but the backward reader still goes through it (the bias moves its state); the states at padding are not 0; the mask lacks its middle axis
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
    embedded = embedded * mask.unsqueeze(-1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded.flip(1), w_backward, bias).flip(1)
    states = torch.cat([forwards, backwards], dim=-1)
    return states, mask


# %% masked_encoder · wrong · only-output-and-inverted
# source: written from the task's text, 2026-11
# mistake: only the output is set to 0 and the backward reader still begins in the padding; the mask returned is inverted
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
    padding = torch.arange(embedded.shape[1]) >= lengths[:, None]
    both = [
        read(embedded, w_forward, bias),
        read(embedded.flip(1), w_backward, bias).flip(1),
    ]
    states = torch.cat(both, -1).masked_fill(padding[:, :, None], 0.0)
    return states, padding[:, None]


# %% masked_encoder · wrong · not-turned-back
# source: written from the task's text, 2026-11
# mistake: the words are reversed within their length, but the backward states are not put back in place; the two directions are joined in the wrong order
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
    turned = embedded.clone()
    for b, n in enumerate(lengths.tolist()):
        turned[b, :n] = embedded[b, :n].flip(0)
    forwards = read(embedded, w_forward, bias)
    backwards = read(turned, w_backward, bias)
    states = torch.cat([backwards, forwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask.unsqueeze(1)


# %% greedy_decoding · right · write-all-then-cut
# source: written from the task's text, 2026-11
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    words = torch.full((len(state),), SOS)
    written = []
    for _ in range(limit):
        scores, state = step(words, state)
        words = scores.max(1).indices
        written.append(words)
    raw = torch.stack(written, 1)
    over = (raw == EOS).cumsum(1) > 0
    return raw.masked_fill(over, PAD), limit - over.sum(1)


def greedy_decoding(table, limit):  # the check calls this
    steps = []

    def step(words, state):  # a state says which table is whose, and how many steps were taken
        rows, taken = state.unbind(1)  # (batch,) each
        assert (taken == len(steps)).all(), "this step was given an old state"
        steps.append(words)
        return table[rows, words], state + torch.tensor([0, 1])

    rows = torch.arange(len(table))
    return greedy(step, torch.stack([rows, 0 * rows], dim=1), limit)


# %% greedy_decoding · wrong · keeps-eos-not-sticky
# source: written from the task's text, 2026-11
# mistake: <eos> stays in the ids and counts as a word, and nothing ends: the noise after it is written too
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    words = torch.full((len(state),), SOS)
    ids = []
    for _ in range(limit):
        scores, state = step(words, state)
        words = scores.argmax(-1)
        ids.append(words)
    ids = torch.stack(ids, dim=1)
    lengths = (ids != PAD).sum(1)
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


# %% greedy_decoding · wrong · any-and-counts-eos
# source: written from the task's text, 2026-11
# mistake: the loop stops as soon as any sentence has ended, and the length counts <eos>
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    batch = len(state)
    ids = torch.full((batch, limit), PAD)
    lengths = torch.zeros(batch, dtype=torch.long)
    done = torch.zeros(batch, dtype=torch.bool)
    word = torch.full((batch,), SOS)
    for t in range(limit):
        scores, state = step(word, state)
        word = scores.argmax(1)
        lengths += (~done).long()
        done = done | (word == EOS)
        ids[:, t] = torch.where(done, PAD, word)
        if done.any():
            break
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


# %% greedy_decoding · wrong · one-step-short-and-eos-padding
# source: written from the task's text, 2026-11
# mistake: one step too few, so the ids have limit - 1 columns, and the rest is filled with EOS instead of PAD
import torch

from utils.corpora import EOS, PAD, SOS


def greedy(step, state, limit):
    words = torch.full((len(state),), SOS)
    finished = torch.zeros(len(state), dtype=torch.bool)
    columns = []
    for _ in range(1, limit):
        scores, state = step(words, state)
        words = scores.argmax(-1)
        finished |= words == EOS
        words = words.masked_fill(finished, EOS)
        columns.append(words)
    ids = torch.stack(columns, 1)
    return ids, (ids != EOS).sum(1)


def greedy_decoding(table, limit):  # the check calls this
    steps = []

    def step(words, state):  # a state says which table is whose, and how many steps were taken
        rows, taken = state.unbind(1)  # (batch,) each
        assert (taken == len(steps)).all(), "this step was given an old state"
        steps.append(words)
        return table[rows, words], state + torch.tensor([0, 1])

    rows = torch.arange(len(table))
    return greedy(step, torch.stack([rows, 0 * rows], dim=1), limit)


# %% beam_step · right · sorted-python-list
# source: written from the task's text, 2026-11
import torch

from utils.corpora import EOS


def beam_step(scores, log_probs, finished):
    candidates = []
    for b, (score, row, over) in enumerate(zip(scores, log_probs, finished)):
        if over:
            candidates.append((score, b, EOS))
        else:
            candidates += [(score + cost, b, w) for w, cost in enumerate(row)]
    candidates.sort(key=lambda one: -float(one[0]))
    best, parents, words = zip(*candidates[: len(scores)])
    return torch.stack(best), torch.tensor(parents), torch.tensor(words)


# %% beam_step · wrong · free-finished-and-swapped-divmod
# source: written from the task's text, 2026-11
# mistake: a finished hypothesis may go on with any word at no cost, and parents and words are swapped (% and // the wrong way round)
import torch

from utils.corpora import EOS


def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    costs = log_probs.masked_fill(finished.unsqueeze(1), 0.0)
    best, flat = (scores.unsqueeze(1) + costs).flatten().topk(beam)
    return best, flat % vocab, flat // vocab


# %% beam_step · wrong · each-its-own-unsorted
# source: written from the task's text, 2026-11
# mistake: each hypothesis keeps only its own best word, so none can take two places, and the results are not sorted
import torch

from utils.corpora import EOS


def beam_step(scores, log_probs, finished):
    best, parents, words = [], [], []
    for b in range(len(scores)):
        if finished[b]:
            best.append(scores[b])
            words.append(EOS)
        else:
            best.append(scores[b] + log_probs[b].max())
            words.append(int(log_probs[b].argmax()))
        parents.append(b)
    return torch.stack(best), torch.tensor(parents), torch.tensor(words)


# %% beam_step · wrong · no-past-and-costly-eos
# source: written from the task's text, 2026-11
# mistake: the old scores are not added, and the EOS of a finished hypothesis costs its log-probability
from utils.corpora import EOS

import torch


def beam_step(scores, log_probs, finished):
    others = torch.ones(log_probs.shape[1], dtype=torch.bool)
    others[EOS] = False
    table = log_probs.masked_fill(finished[:, None] & others, -torch.inf)
    best, flat = table.view(-1).topk(len(scores))
    return best, flat // log_probs.shape[1], flat % log_probs.shape[1]


# %% alignment_picture · right · slices-and-one-hot
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F


def alignment_picture(weights, source, target):
    first = 1 if source[0] == "<sos>" else 0
    last = first
    while last < len(source) and source[last] not in ("<eos>", "<pad>"):
        last += 1
    trimmed = weights[: target.index("<eos>") - 1, first:last]
    links = F.one_hot(trimmed.argmax(1), last - first).bool()
    return trimmed, links


# %% alignment_picture · wrong · unshifted-column-links
# source: written from the task's text, 2026-11
# mistake: row t is taken for target[t] instead of target[t + 1], so the first word's row is lost; the links are the largest of each column
import torch

SPECIAL = {"<sos>", "<eos>", "<pad>"}


def alignment_picture(weights, source, target):
    rows = [t for t, word in enumerate(target[:-1]) if word not in SPECIAL]
    columns = [s for s, word in enumerate(source) if word not in SPECIAL]
    trimmed = weights[rows][:, columns]
    links = trimmed == trimmed.max(dim=0, keepdim=True).values
    return trimmed, links


# %% alignment_picture · wrong · renormalised-no-unk
# source: written from the task's text, 2026-11
# mistake: the rows are divided by their sums, though the numbers should stay, and <unk> is thrown out
import torch


def alignment_picture(weights, source, target):
    special = ("<sos>", "<eos>", "<pad>", "<unk>")
    keep_rows = torch.tensor([w not in special for w in target[1:]])
    keep_cols = torch.tensor([w not in special for w in source])
    trimmed = weights[keep_rows][:, keep_cols]
    trimmed = trimmed / trimmed.sum(1, keepdim=True)
    return trimmed, trimmed == trimmed.amax(1, keepdim=True)


# %% alignment_picture · wrong · transposed-with-marks
# source: written from the task's text, 2026-11
# mistake: the picture is transposed (source words in the rows), and <sos> and <eos> of the source stay in it
import torch


def alignment_picture(weights, source, target):
    t = target.index("<eos>") - 1
    s = len([w for w in source if w != "<pad>"])
    trimmed = weights[:t, :s]
    links = torch.zeros(t, s, dtype=torch.bool)
    links[torch.arange(t), trimmed.argmax(1)] = True
    return trimmed.T, links.T


# %% clip_together · wrong · apart-and-length-after
# source: written from the task's text, 2026-11
# mistake: each gradient is clipped by itself, and the length returned is that after clipping
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    def clip(g):
        return g * min(1.0, limit / max(g.norm().item(), 1e-12))

    keys, queries = clip(of_keys), clip(of_queries)
    length = (keys.norm() ** 2 + queries.norm() ** 2).sqrt()
    return keys, queries, length


# %% clip_together · wrong · no-root-and-max
# source: written from the task's text, 2026-11
# mistake: the length lacks its square root, and the factor is at least 1 instead of at most 1
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = of_keys.norm() ** 2 + of_queries.norm() ** 2
    shrink = (limit / length).clamp(min=1.0)
    return of_keys * shrink, of_queries * shrink, length


# %% clip_together · wrong · upside-down-swapped
# source: written from the task's text, 2026-11
# mistake: the factor is upside down (length / limit), and the gradients are returned in the wrong order
import torch


@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.hypot(of_keys.norm(), of_queries.norm())
    shrink = length / limit if length > limit else 1.0
    return of_queries * shrink, of_keys * shrink, length


# %% invoice_check · wrong · signs-swapped-unsure-only-if-right
# source: written from the task's text, 2026-11
# mistake: the decimal signs of the two languages are swapped, and a wrong number is never marked unsure
import torch


def number(word, decimal):
    """What a word is worth as a number, or None; `decimal` is the sign before the cents."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None



def invoice_check(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        value = number(word, ".")
        if value is None:
            wrong.append(False)
            unsure.append(False)
            continue
        bad = number(source[int(row.argmax())], ",") != value
        wrong.append(bad)
        unsure.append(not bad and bool(row.max() < least))
    return torch.tensor(wrong), torch.tensor(unsure)


# %% invoice_check · wrong · anywhere-and-inverted
# source: written from the task's text, 2026-11
# mistake: a number passes if it stands anywhere in the source, not where the row looks, and unsure is inverted (weight above least)
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
    wrong = torch.tensor([v is not None and v not in known for v in values])
    unsure = torch.tensor([v is not None for v in values]) & (weights.max(-1).values > least)
    return wrong, unsure


# %% invoice_check · wrong · text-compared-unsure-for-all
# source: written from the task's text, 2026-11
# mistake: the words are compared as texts, a source word that is no number counts as right, and words that are no numbers can be unsure
import torch


def number(word, decimal):
    """What a word is worth as a number, or None; `decimal` is the sign before the cents."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None



def invoice_check(weights, source, target, least):
    unsure = weights.amax(dim=1) < least
    wrong = torch.zeros(len(target), dtype=torch.bool)
    for t, place in enumerate(weights.argmax(dim=1)):
        if number(target[t], ",") is not None and number(source[place], ".") is not None:
            wrong[t] = target[t] != source[place]
    return wrong, unsure


# %% sickness · right · map-by-map
# source: written from the task's text, 2026-11
import torch


def diagnose(weights, mask):
    whole = mask.any(1).to(weights.dtype)
    if (weights < 0).any() or ((weights.sum(1) - whole).abs() > 0.01).any():
        return 1
    if (weights[~mask] != 0).any():
        return 2
    choice = [row for row in range(len(mask)) if mask[row].sum() > 1]
    if not choice:
        return 0
    if weights[choice].amin(0).max() > 0.9:
        return 3
    flat = True
    for row in choice:
        seen = weights[row][mask[row]]
        flat = flat and bool(seen.max() - seen.min() < 0.01)
    return 4 if flat else 0


def sickness(weights, mask):
    return torch.tensor([diagnose(w, m) for w, m in zip(weights, mask)])


# %% sickness · wrong · masked-rows-and-no-choice
# source: written from the task's text, 2026-11
# mistake: a row that is masked whole is expected to sum to 1, and rows with one open word count in the tests for 3 and 4
import torch


def sickness(weights, mask):
    sums = weights.sum(-1)
    broken = (weights < 0).flatten(1).any(1) | ((sums - 1).abs() > 0.01).any(1)
    leaks = ((weights != 0) & ~mask).flatten(1).any(1)
    one = (weights > 0.9).all(1).any(1)
    high = weights.masked_fill(~mask, -torch.inf).amax(-1)
    low = weights.masked_fill(~mask, torch.inf).amin(-1)
    uniform = (high - low < 0.01).all(1)
    code = torch.zeros(len(weights), dtype=torch.long)
    code[uniform] = 4
    code[one] = 3
    code[leaks] = 2
    code[broken] = 1
    return code


# %% sickness · wrong · tolerant-and-blind
# source: written from the task's text, 2026-11
# mistake: a leak counts only from 0.0001 on, and negative weights are not looked for
import torch


def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        choice = m.sum(-1) >= 2
        spread = torch.stack([
            row[keep].max() - row[keep].min() if keep.any() else row.new_zeros(())
            for row, keep in zip(w, m)
        ])
        if not torch.allclose(w.sum(-1), m.any(-1).to(w.dtype), rtol=0, atol=0.01):
            codes.append(1)
        elif (w.masked_fill(m, 0) > 1e-4).any():
            codes.append(2)
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            codes.append(3)
        elif choice.any() and (spread[choice] < 0.01).all():
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)


# %% sickness · wrong · diagonal-blamed-and-order
# source: written from the task's text, 2026-11
# mistake: one token: it suffices that each row has a weight above 0.9, on whatever word; leaks are reported before broken
import torch


def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        rows = m.sum(1) > 1
        if (w[~m] != 0).any():
            code = 2
        elif (w < 0).any() or ((w.sum(1) - m.any(1).float()).abs() > 0.01).any():
            code = 1
        elif rows.any() and (w[rows].max(1).values > 0.9).all():
            code = 3
        elif rows.any() and all(float(r[k].max() - r[k].min()) < 0.01 for r, k in zip(w[rows], m[rows])):
            code = 4
        else:
            code = 0
        codes.append(code)
    return torch.tensor(codes)


# %% both_ways · right · sentence-by-sentence
# source: written from the task's text, 2026-11
import torch

from utils.masks import masked_softmax



def both_ways(left, right, left_mask, right_mask):
    forth, back = [], []
    for l, r, l_open, r_open in zip(left, right, left_mask, right_mask):
        table = (l / l.shape[-1] ** 0.5) @ r.T
        forth.append(masked_softmax(table, r_open.expand(len(l), -1)))
        back.append(masked_softmax(table.T, l_open.expand(len(r), -1)))
    forth, back = torch.stack(forth), torch.stack(back)
    return torch.bmm(forth, right), torch.bmm(back, left), forth, back


# %% both_ways · wrong · transposed-unscaled
# source: written from the task's text, 2026-11
# mistake: back is the transpose of forth, and the scores are not scaled
import torch

from utils.masks import masked_softmax



def both_ways(left, right, left_mask, right_mask):
    forth = masked_softmax(left @ right.mT, right_mask.unsqueeze(1))
    back = forth.mT
    left_reads = forth @ right
    right_reads = back @ left
    return left_reads, right_reads, forth, back


# %% both_ways · wrong · pair-mask-wrong-root
# source: written from the task's text, 2026-11
# mistake: both masks together close the cells, so padding that looks gets no weights; the scale is the root of right_len instead of dim
import torch

from utils.masks import masked_softmax



def both_ways(left, right, left_mask, right_mask):
    scores = torch.einsum("bld,brd->blr", left, right) / right.shape[1] ** 0.5
    pair = left_mask[:, :, None] & right_mask[:, None, :]
    forth = masked_softmax(scores, pair)
    back = masked_softmax(scores.transpose(1, 2), pair.transpose(1, 2))
    return forth @ right, back @ left, forth, back


# %% both_ways · wrong · detached-and-unordered
# source: written from the task's text, 2026-11
# mistake: back is made of detached scores, so no gradient passes, and the results come as left_reads, forth, right_reads, back
import torch

from utils.masks import masked_softmax



def both_ways(left, right, left_mask, right_mask):
    dim = left.shape[-1]
    scores = left @ right.transpose(-2, -1) / dim**0.5
    forth = masked_softmax(scores, right_mask[:, None])
    back = masked_softmax(scores.detach().transpose(-2, -1), left_mask[:, None])
    return forth @ right, forth, back @ left, back


# %% counterfactual · right · sentence-by-sentence
# source: written from the task's text, 2026-11
import torch


def counterfactual(start, states, other_start, other_states, out, place, word):
    falls = []
    for s, h, s2, h2, p, w in zip(start, states, other_start, other_states, place, word):
        def chance(s, h):
            weights = torch.softmax(h @ s / len(s) ** 0.5, 0)
            return (out @ torch.cat([weights @ h, s])).softmax(0)[w]

        changed = torch.cat([h[:p], h2[p : p + 1], h[p + 1 :]])
        fewer = torch.cat([h[:p], h[p + 1 :]])
        base = chance(s, h)
        falls.append(torch.stack([base - chance(s2, h), base - chance(s, changed), base - chance(s, fewer)]))
    return torch.stack(falls).unbind(1)


# %% counterfactual · wrong · rise-and-no-scale
# source: written from the task's text, 2026-11
# mistake: the differences have the wrong sign (a rise is positive), and the scores are not scaled
import torch


def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))

    def chance(s, h, shut=None):
        e = torch.einsum("bd,bsd->bs", s, h)
        if shut is not None:
            e = e.masked_fill(shut, -torch.inf)
        a = e.softmax(-1).nan_to_num(0.0)
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[rows, word]

    base = chance(start, states)
    swapped = states.clone()
    swapped[rows, place] = other_states[rows, place]
    shut = torch.arange(states.shape[1]) == place[:, None]
    return (
        chance(other_start, states) - base,
        chance(start, swapped) - base,
        chance(start, states, shut) - base,
    )


# %% counterfactual · wrong · half-splice-no-renorm
# source: written from the task's text, 2026-11
# mistake: the other start state only asks, but does not stand behind the context; a forbidden place loses its weight and the rest is not shared out anew
import torch


def counterfactual(start, states, other_start, other_states, out, place, word):
    dim = start.shape[-1]
    rows = torch.arange(len(start))

    def weights_of(s, h):
        return ((h @ s.unsqueeze(-1)).squeeze(-1) / dim**0.5).softmax(-1)

    def chance(weights, h):
        context = (weights.unsqueeze(1) @ h).squeeze(1)
        logits = torch.cat([context, start], -1) @ out.T
        return logits.softmax(-1)[rows, word]

    weights = weights_of(start, states)
    base = chance(weights, states)
    spliced = base - chance(weights_of(other_start, states), states)
    changed = states.clone()
    changed[rows, place] = other_states[rows, place]
    replaced = base - chance(weights_of(start, changed), changed)
    closed = weights.clone()
    closed[rows, place] = 0
    forbidden = base - chance(closed, states)
    return spliced, replaced, forbidden


# %% counterfactual · wrong · in-place-and-order
# source: written from the task's text, 2026-11
# mistake: the input states are overwritten, so that forbidden is measured on the replaced ones, and start state and context are joined in the wrong order
import torch


def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    scale = start.shape[-1] ** 0.5

    def chance(s, h, closed=None):
        e = (h * s[:, None]).sum(-1) / scale
        if closed is not None:
            e[rows, closed] = -torch.inf
        a = torch.nan_to_num(e.softmax(-1))
        c = (a[..., None] * h).sum(1)
        return (torch.cat([s, c], 1) @ out.T).softmax(1)[rows, word]

    p = chance(start, states)
    spliced = p - chance(other_start, states)
    states[rows, place] = other_states[rows, place]
    replaced = p - chance(start, states)
    forbidden = p - chance(start, states, place)
    return spliced, replaced, forbidden


# %% PatchClassifier · right · functional-unfold
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
        p = self.patch
        columns = nn.functional.unfold(images.unsqueeze(1), kernel_size=p, stride=p)
        states = torch.relu(self.embed(columns.mT) + self.places)
        weights = torch.einsum("bnd,d->bn", states, self.query * self.query.numel() ** -0.5).softmax(-1)
        return self.answer(torch.einsum("bn,bnd->bd", weights, states)), weights


# %% PatchClassifier · wrong · straight-reshape-unscaled
# source: written from the task's text, 2026-11
# mistake: the image is cut by a plain reshape, so a patch is a strip of rows instead of a square, and the scores are not scaled
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
        batch = images.shape[0]
        pixels = images.reshape(batch, -1, self.patch * self.patch)
        states = torch.relu(self.embed(pixels) + self.places)
        weights = (states @ self.query).softmax(-1)
        context = (weights.unsqueeze(1) @ states).squeeze(1)
        return self.answer(context), weights


# %% PatchClassifier · wrong · places-outside-columns-first
# source: written from the task's text, 2026-11
# mistake: the places are added after the ReLU instead of before it, and the patches are counted column by column
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
        p = self.patch
        cut = images.unfold(1, p, p).unfold(2, p, p)  # (batch, rows, columns, p, p)
        pixels = cut.transpose(1, 2).flatten(3).flatten(1, 2)
        states = self.embed(pixels).relu() + self.places
        scores = states @ self.query / self.query.shape[0] ** 0.5
        weights = scores.softmax(dim=-1)
        return self.answer((weights[..., None] * states).sum(1)), weights


# %% PatchClassifier · wrong · softmax-over-batch-by-pixels
# source: written from the task's text, 2026-11
# mistake: the softmax runs over the batch instead of the patches, and the scale is the root of the pixels of a patch instead of dim
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
        p = self.patch
        b, h, w = images.shape
        x = images.view(b, h // p, p, w // p, p).permute(0, 1, 3, 2, 4).reshape(b, -1, p * p)
        x = torch.relu(self.embed(x) + self.places)
        weights = torch.softmax(x @ self.query / (p * p) ** 0.5, dim=0)
        context = torch.einsum("bn,bnd->bd", weights, x)
        return self.answer(context), weights


# %% words_looked_at · wrong · exp-too-late-wrong-axis
# source: written from the task's text, 2026-11
# mistake: the mean of the entropies is taken before exp, and the mean row is the mean over the columns
import torch

from utils.metrics import attention_entropy



def words_looked_at(weights):
    row_words = attention_entropy(weights).mean().exp()
    all_words = attention_entropy(weights.mean(1)).exp()
    return row_words, all_words


# %% words_looked_at · wrong · no-exp-swapped
# source: written from the task's text, 2026-11
# mistake: both numbers are entropies without exp, and they stand in the wrong order
import torch

from utils.metrics import attention_entropy



def words_looked_at(weights):
    mean_row = weights.mean(dim=0)
    return attention_entropy(mean_row), attention_entropy(weights).mean()


# %% neighbour_mask · wrong · one-way-deaf
# source: written from the task's text, 2026-11
# mistake: an edge leads one way only, and no node hears itself
import torch


def neighbour_mask(nodes, edges):
    mask = torch.zeros(nodes, nodes, dtype=torch.bool)
    mask[edges[:, 0], edges[:, 1]] = True
    return mask


# %% neighbour_mask · wrong · inverted-and-numbers
# source: written from the task's text, 2026-11
# mistake: True and False are exchanged, and the mask holds floats instead of booleans
import torch


def neighbour_mask(nodes, edges):
    closed = torch.ones(nodes, nodes)
    closed.fill_diagonal_(0)
    for a, b in edges.tolist():
        closed[a, b] = 0
        closed[b, a] = 0
    return closed


# %% layer_norm · right · rms-of-centred
# source: written from the task's text, 2026-11
import torch


def layer_norm(x, gamma, beta):
    centred = x - x.sum(-1, keepdim=True) / x.size(-1)
    variance = torch.einsum("bld,bld->bl", centred, centred) / x.size(-1)
    return torch.addcmul(beta, centred * (variance + 1e-5).rsqrt().unsqueeze(-1), gamma)


# %% layer_norm · wrong · unbiased-and-eps-outside
# source: written from the task's text, 2026-11
# mistake: the variance is divided by dim - 1, and epsilon is added outside the root
import torch


def layer_norm(x, gamma, beta):
    mu = x.mean(-1, keepdim=True)
    sigma = x.std(-1, keepdim=True)
    return gamma * (x - mu) / (sigma + 1e-5) + beta


# %% layer_norm · wrong · over-words-shift-scaled
# source: written from the task's text, 2026-11
# mistake: mean and variance are taken over the words of the sentence, and beta is added before the multiplication with gamma
import torch


def layer_norm(x, gamma, beta):
    mean = x.mean(dim=1, keepdim=True)
    var = x.var(dim=1, keepdim=True, unbiased=False)
    normed = (x - mean) / torch.sqrt(var + 1e-5)
    return gamma * (normed + beta)


# %% layer_norm · wrong · detached-swapped
# source: written from the task's text, 2026-11
# mistake: mean and variance carry no gradient, and gamma and beta have changed places
import torch


def layer_norm(x, gamma, beta):
    with torch.no_grad():
        mu = x.mean(-1, keepdim=True)
        var = (x - mu).pow(2).mean(-1, keepdim=True)
    return beta * ((x - mu) / (var + 1e-5).sqrt()) + gamma


# %% block_parameters · right · small-functions
# source: written from the task's text, 2026-11
def linear(n, m):
    return (n + 1) * m


def block_parameters(dim, heads, hidden, layers, words):
    attention = sum(linear(dim, dim) for _ in ("query", "key", "value", "output"))
    network = linear(dim, hidden) + linear(hidden, dim)
    norm = dim + dim
    encoder_block = attention + norm + network + norm
    decoder_block = encoder_block + attention + norm
    table = words * dim  # input and output share it, the output adds a bias for each word
    language_model = table + words + norm
    for _ in range(layers):
        language_model = language_model + encoder_block
    return encoder_block, decoder_block, language_model


# %% block_parameters · wrong · no-output-no-shift
# source: written from the task's text, 2026-11
# mistake: attention is counted without its output projection, and a norm without its shift
def block_parameters(dim, heads, hidden, layers, words):
    attention = 3 * (dim * dim + dim)
    ff = dim * hidden + hidden + hidden * dim + dim
    encoder_block = attention + ff + 2 * dim
    decoder_block = 2 * attention + ff + 3 * dim
    language_model = layers * encoder_block + words * dim + words + dim
    return encoder_block, decoder_block, language_model


# %% block_parameters · wrong · per-head-no-last-norm
# source: written from the task's text, 2026-11
# mistake: every head gets matrices of the full width, and the last norm of the language model is forgotten
def block_parameters(dim, heads, hidden, layers, words):
    attention = 3 * heads * (dim**2 + dim) + dim**2 + dim
    ff = 2 * dim * hidden + hidden + dim
    norm = 2 * dim
    encoder_block = attention + ff + 2 * norm
    decoder_block = 2 * attention + ff + 3 * norm
    return encoder_block, decoder_block, layers * encoder_block + words * dim + words


# %% block_parameters · wrong · two-norms-untied
# source: written from the task's text, 2026-11
# mistake: the decoder block has two norms instead of three, and the output matrix is counted beside the embedding, though the two are one
def block_parameters(dim, heads, hidden, layers, words):
    projection = dim * dim + dim
    encoder_block = 4 * projection + 2 * dim * hidden + hidden + dim + 4 * dim
    decoder_block = encoder_block + 4 * projection
    embedding = words * dim
    output = dim * words + words
    return encoder_block, decoder_block, embedding + layers * encoder_block + 2 * dim + output


# %% next_word · right · sorted-then-scattered
# source: written from the task's text, 2026-11
import torch


def next_word(logits, temperature, k, uniform):
    values, ids = (logits / temperature).topk(k, dim=-1)
    chances = torch.zeros_like(logits).scatter(1, ids, values.softmax(-1))
    words = []
    for row, dart in zip(chances, uniform):
        ends = row.cumsum(0)
        hit = (ends > dart).nonzero().flatten()
        words.append(int(hit[0]) if len(hit) else int(row.nonzero().max()))
    return chances, torch.tensor(words)


# %% next_word · wrong · no-new-softmax-times
# source: written from the task's text, 2026-11
# mistake: the logits are multiplied with the temperature, and the chances of the k words are not shared out anew
import torch


def next_word(logits, temperature, k, uniform):
    chances = (logits * temperature).softmax(-1)
    kth = chances.topk(k, dim=-1).values[:, -1:]
    chances = torch.where(chances >= kth, chances, 0.0)
    word = (chances.cumsum(-1) <= uniform[:, None]).sum(-1).clamp(max=logits.shape[1] - 1)
    return chances, word


# %% next_word · wrong · likeliest-first-right-end
# source: written from the task's text, 2026-11
# mistake: the pieces lie in the order of the chances instead of the ids, and a piece includes its right end instead of its left one
import torch


def next_word(logits, temperature, k, uniform):
    top, ids = (logits / temperature).topk(k)
    shares = top.softmax(-1)
    chances = torch.zeros_like(logits)
    chances.scatter_(1, ids, shares)
    place = (shares.cumsum(-1) < uniform.unsqueeze(1)).sum(-1).clamp(max=k - 1)
    word = ids[torch.arange(len(ids)), place]
    return chances, word


# %% next_word · wrong · no-dice-swapped
# source: written from the task's text, 2026-11
# mistake: always the likeliest word, whatever the uniform number, and the two results are in the wrong order
import torch


def next_word(logits, temperature, k, uniform):
    scaled = logits / temperature
    border = scaled.sort(-1, descending=True).values[:, k - 1 : k]
    chances = scaled.masked_fill(scaled < border, -torch.inf).softmax(-1)
    return chances.argmax(-1), chances


# %% cached_step · right · running-sum-over-places
# source: written from the task's text, 2026-11
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat((past_keys, (x @ w_k).unsqueeze(1)), 1)
    values = torch.cat((past_values, (x @ w_v).unsqueeze(1)), 1)
    q = x @ w_q / w_q.shape[1] ** 0.5
    scores = torch.stack([(q * k).sum(-1) for k in keys.unbind(1)])  # (written + 1, batch)
    shares = torch.exp(scores - scores.logsumexp(0))
    context = torch.zeros_like(values[:, 0])
    for share, v in zip(shares, values.unbind(1)):
        context = context + share.unsqueeze(1) * v
    return context, keys, values


# %% cached_step · wrong · front-and-unscaled
# source: written from the task's text, 2026-11
# mistake: the new key and value are put in front of the old ones, and the scores are not scaled
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    keys = torch.cat([k[:, None], past_keys], dim=1)
    values = torch.cat([v[:, None], past_values], dim=1)
    weights = (keys @ q[:, :, None]).squeeze(2).softmax(1)
    context = (weights[:, None] @ values).squeeze(1)
    return context, keys, values


# %% cached_step · wrong · not-itself-wrong-root
# source: written from the task's text, 2026-11
# mistake: the new word does not look at itself, and the scale is the root of dim instead of key_dim
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    scores = torch.einsum("bk,btk->bt", x @ w_q, past_keys) / x.shape[-1] ** 0.5
    context = torch.einsum("bt,btv->bv", scores.softmax(-1), past_values)
    keys = torch.cat([past_keys, (x @ w_k).unsqueeze(1)], dim=1)
    values = torch.cat([past_values, (x @ w_v).unsqueeze(1)], dim=1)
    return context, keys, values


# %% cached_step · wrong · key-asks-order
# source: written from the task's text, 2026-11
# mistake: the query is made with w_k, and the context comes last instead of first
import torch


def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    key = x @ w_k
    keys = torch.cat([past_keys, key.unsqueeze(1)], dim=1)
    values = torch.cat([past_values, (x @ w_v).unsqueeze(1)], dim=1)
    scores = (key.unsqueeze(1) @ keys.mT) / key.shape[-1] ** 0.5
    context = (scores.softmax(-1) @ values).squeeze(1)
    return keys, values, context


# %% DecoderBlock · right · list-of-layers
# source: written from the task's text, 2026-11
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
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        layers = [
            lambda y: self.attention(y, y, mask=causal)[0],
            lambda y: self.cross(y, source, mask=source_mask)[0],
            self.feed_forward,
        ]
        for norm, layer in zip(self.norms, layers):
            x = x + layer(norm(x))
        return x


# %% DecoderBlock · wrong · sees-ahead-norms-source
# source: written from the task's text, 2026-11
# mistake: there is no causal mask, and the source is normalised again
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
        first, second, third = self.norms
        y = first(x)
        x = x + self.attention(y, y)[0]
        x = x + self.cross(second(x), second(source), mask=source_mask)[0]
        return x + self.feed_forward(third(x))


# %% DecoderBlock · wrong · post-norm-cross-first
# source: written from the task's text, 2026-11
# mistake: post-norm instead of pre-norm, and cross-attention comes before self-attention
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
        mask = causal_mask(x.shape[1])
        context, _ = self.cross(x, source, mask=source_mask)
        x = self.norms[0](x + context)
        context, _ = self.attention(x, x, mask=mask)
        x = self.norms[1](x + context)
        return self.norms[2](x + self.feed_forward(x))


# %% DecoderBlock · wrong · residual-of-norm-no-source-mask
# source: written from the task's text, 2026-11
# mistake: what is added to is the normalised x instead of x, and the source mask is forgotten
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
        x = y + self.attention(y, y, mask=causal_mask(y.shape[1]))[0]
        y = self.norms[1](x)
        x = y + self.cross(y, source)[0]
        y = self.norms[2](x)
        return y + self.feed_forward(y)


# %% PreNormBlock · wrong · post-norm-unmasked
# source: written from the task's text, 2026-11
# mistake: post-norm instead of pre-norm, and the mask is not handed on
import torch
from torch import nn

from utils.attention import MultiHeadAttention


def feed_forward(dim, hidden):
    return nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))


class PreNormBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = feed_forward(dim, hidden)
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, mask):
        context, _ = self.attention(x, x)
        x = self.norms[0](x + context)
        return self.norms[1](x + self.feed_forward(x))


# %% PreNormBlock · wrong · feed-forward-first-raw-keys
# source: written from the task's text, 2026-11
# mistake: the feed-forward network comes before attention, and attention gets keys that are not normalised
import torch
from torch import nn

from utils.attention import MultiHeadAttention


def feed_forward(dim, hidden):
    return nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))


class PreNormBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = feed_forward(dim, hidden)
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, mask):
        x = x + self.feed_forward(self.norms[1](x))
        context, weights = self.attention(self.norms[0](x), x, mask=mask)
        return x + context


# %% PreNormBlock · wrong · no-second-norm-and-lost-x
# source: written from the task's text, 2026-11
# mistake: the feed-forward network reads x without a norm, and the first addition adds to norm(x)
import torch
from torch import nn

from utils.attention import MultiHeadAttention


def feed_forward(dim, hidden):
    return nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))


class PreNormBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = feed_forward(dim, hidden)
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, mask):
        y = self.norms[0](x)
        y = y + self.attention(y, y, mask=mask)[0]
        return y + self.feed_forward(y)


# %% next_token_loss · right · logsumexp-minus-picked
# source: written from the task's text, 2026-11
import torch


def next_token_loss(logits, tokens):
    total, count = 0.0, 0
    for t in range(tokens.shape[1] - 1):
        scores, wanted = logits[:, t], tokens[:, t + 1]
        picked = scores[torch.arange(len(wanted)), wanted]
        total = total + (scores.logsumexp(-1) - picked).sum()
        count += len(wanted)
    return total / count


# %% next_token_loss · wrong · backwards-and-sum
# source: written from the task's text, 2026-11
# mistake: shifted the wrong way (each position has to guess the token before it), and summed instead of the mean
import torch.nn.functional as F


def next_token_loss(logits, tokens):
    scores, targets = logits[:, 1:], tokens[:, :-1]
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten(), reduction="sum")


# %% next_token_loss · wrong · no-shift-softmax-twice
# source: written from the task's text, 2026-11
# mistake: no shift, and cross_entropy gets probabilities instead of logits
import torch.nn.functional as F


def next_token_loss(logits, tokens):
    vocab = logits.shape[-1]
    return F.cross_entropy(logits.softmax(-1).reshape(-1, vocab), tokens.reshape(-1))


# %% next_token_loss · wrong · wrong-divisor-ignores-zero
# source: written from the task's text, 2026-11
# mistake: token 0 is ignored as if it were padding, and the sum is divided by all positions, the last one included
import torch.nn.functional as F


def next_token_loss(logits, tokens):
    each = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), tokens[:, 1:], ignore_index=0, reduction="none"
    )
    return each.sum() / tokens.numel()


# %% cache_bytes · right · layer-by-layer
# source: written from the task's text, 2026-11
import json

import torch


def cache_bytes(config, tokens):
    card = json.loads(config)
    layers = card["num_hidden_layers"]
    if "kv_lora_rank" in card:
        per_token = card["kv_lora_rank"] + card["qk_rope_head_dim"]
        return tokens * (2 * layers * per_token)
    heads = card["num_attention_heads"]
    width = card["head_dim"] if "head_dim" in card else card["hidden_size"] // heads
    kept = 2 * width * card.get("num_key_value_heads", heads)
    window = card.get("sliding_window")
    if card.get("use_sliding_window", True) is False:
        window = None
    total = torch.zeros_like(tokens)
    for layer in range(layers):
        short = window is not None
        if short and "layer_types" in card:
            short = card["layer_types"][layer] == "sliding_attention"
        total = total + (tokens.clamp(max=window) if short else tokens) * kept * 2
    return total


# %% cache_bytes · wrong · keys-only-window-always
# source: written from the task's text, 2026-11
# mistake: only the keys are counted (the factor 2 for the values is missing), and use_sliding_window is ignored
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    n = c["num_hidden_layers"]
    if "kv_lora_rank" in c:
        return 2 * n * (c["kv_lora_rank"] + c["qk_rope_head_dim"]) * tokens
    heads = c["num_attention_heads"]
    size = c.get("num_key_value_heads", heads) * c.get("head_dim", c["hidden_size"] // heads)
    types = c.get("layer_types", ["sliding_attention"] * n)
    total = 0
    for kind in types:
        if "sliding_window" in c and kind == "sliding_attention":
            total = total + tokens.clamp(max=c["sliding_window"])
        else:
            total = total + tokens
    return 2 * size * total


# %% cache_bytes · wrong · all-heads-own-width
# source: written from the task's text, 2026-11
# mistake: all query heads are counted instead of the heads with keys, and head_dim is ignored
import json

import torch


def cache_bytes(config, tokens):
    card = json.loads(config)
    layers, heads = card["num_hidden_layers"], card["num_attention_heads"]
    head_dim = card["hidden_size"] // heads
    if card.get("kv_lora_rank"):
        return tokens * layers * 2 * (card["kv_lora_rank"] + card["qk_rope_head_dim"])
    window = card.get("sliding_window") if card.get("use_sliding_window", True) else None
    if window is None:
        kept = tokens * layers
    else:
        types = card.get("layer_types") or ["sliding_attention"] * layers
        short = types.count("sliding_attention")
        kept = short * torch.minimum(tokens, torch.tensor(window)) + (layers - short) * tokens
    return kept * 2 * 2 * heads * head_dim


# %% cache_bytes · wrong · latent-per-head-window-everywhere
# source: written from the task's text, 2026-11
# mistake: the latent vector is counted once for each head with keys, and layer_types is ignored: with a window, every layer has it
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    layers = c["num_hidden_layers"]
    kv = c.get("num_key_value_heads", c["num_attention_heads"])
    if "kv_lora_rank" in c:
        numbers = kv * (c["kv_lora_rank"] + c["qk_rope_head_dim"])
    else:
        numbers = 2 * kv * c.get("head_dim", c["hidden_size"] // c["num_attention_heads"])
    if "sliding_window" in c and c.get("use_sliding_window", True):
        tokens = tokens.clamp(max=c["sliding_window"])
    return tokens * layers * numbers * 2


# %% grouped_step · right · head-by-head
# source: written from the task's text, 2026-11
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    kv_heads, width = past_keys.shape[1], past_keys.shape[3]
    heads = w_q.shape[1] // width
    keys, values = [], []
    for h in range(kv_heads):
        own = slice(h * width, (h + 1) * width)
        keys.append(torch.cat([past_keys[:, h], (x @ w_k[:, own])[:, None]], 1))
        values.append(torch.cat([past_values[:, h], (x @ w_v[:, own])[:, None]], 1))
    contexts = []
    for h in range(heads):
        q = x @ w_q[:, h * width : (h + 1) * width]
        k, v = keys[h * kv_heads // heads], values[h * kv_heads // heads]
        weights = ((k @ q[:, :, None])[:, :, 0] / width**0.5).softmax(1)
        contexts.append((weights[:, None] @ v)[:, 0])
    return torch.cat(contexts, 1), torch.stack(keys, 1), torch.stack(values, 1)


# %% grouped_step · wrong · dealt-out-unscaled
# source: written from the task's text, 2026-11
# mistake: the heads with keys are dealt out in turn (repeat) instead of in groups of neighbours, and the scores are not scaled
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv, _, width = past_keys.shape
    keys = torch.cat([past_keys, (x @ w_k).view(batch, kv, 1, width)], dim=2)
    values = torch.cat([past_values, (x @ w_v).view(batch, kv, 1, width)], dim=2)
    q = (x @ w_q).view(batch, -1, 1, width)
    times = q.shape[1] // kv
    k, v = keys.repeat(1, times, 1, 1), values.repeat(1, times, 1, 1)
    weights = (q @ k.mT).softmax(-1)
    context = (weights @ v).flatten(1)
    return context, keys, values


# %% grouped_step · wrong · strided-heads-wrong-root
# source: written from the task's text, 2026-11
# mistake: the query's columns are dealt out to the heads in turn instead of in pieces of width, and the scale is the root of dim
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    b, kv, _, width = past_keys.shape
    heads = w_q.shape[1] // width
    q = (x @ w_q).reshape(b, width, heads).transpose(1, 2)  # (b, heads, width)
    keys = torch.cat([past_keys, (x @ w_k).reshape(b, kv, 1, width)], 2)
    values = torch.cat([past_values, (x @ w_v).reshape(b, kv, 1, width)], 2)
    k = keys.repeat_interleave(heads // kv, dim=1)
    v = values.repeat_interleave(heads // kv, dim=1)
    scores = torch.einsum("bhw,bhtw->bht", q, k) / x.shape[1] ** 0.5
    context = torch.einsum("bht,bhtw->bhw", scores.softmax(-1), v).reshape(b, -1)
    return context, keys, values


# %% grouped_step · wrong · in-front-and-copied-cache
# source: written from the task's text, 2026-11
# mistake: the new key and value are put in front, and the returned cache holds the copies for all query heads
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    kv, width = past_keys.shape[1], past_keys.shape[-1]
    split = lambda y: y.unflatten(-1, (-1, width)).unsqueeze(2)
    q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)
    group = q.shape[1] // kv
    keys = torch.cat([k, past_keys], 2).repeat_interleave(group, 1)
    values = torch.cat([v, past_values], 2).repeat_interleave(group, 1)
    weights = (q @ keys.mT / width**0.5).softmax(-1)
    return (weights @ values).squeeze(2).flatten(1), keys, values


# %% ring_step · right · where-and-closed-places
# source: written from the task's text, 2026-11
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    places = torch.arange(ring_keys.shape[1])
    here = (places == read % len(places))[None, :, None]
    keys = torch.where(here, key[:, None], ring_keys)
    values = torch.where(here, value[:, None], ring_values)
    scores = torch.einsum("bd,bwd->bw", query, keys) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(places > read, -torch.inf).softmax(-1)
    return torch.einsum("bw,bwd->bd", weights, values), keys, values


# %% ring_step · wrong · in-place-and-open
# source: written from the task's text, 2026-11
# mistake: the ring that came in is overwritten, and places without a word are looked at
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    place = read % ring_keys.shape[1]
    ring_keys[:, place] = key
    ring_values[:, place] = value
    scores = (ring_keys @ query.unsqueeze(-1)).squeeze(-1) / query.shape[-1] ** 0.5
    context = (scores.softmax(-1).unsqueeze(1) @ ring_values).squeeze(1)
    return context, ring_keys, ring_values


# %% ring_step · wrong · next-place-unscaled
# source: written from the task's text, 2026-11
# mistake: the new word goes one place too far, and the scores are not scaled
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    size = ring_keys.shape[1]
    keys, values = ring_keys.clone(), ring_values.clone()
    keys[:, (read + 1) % size] = key
    values[:, (read + 1) % size] = value
    n = min(read + 1, size)
    scores = torch.einsum("bd,bwd->bw", query, keys[:, :n])
    context = torch.einsum("bw,bwd->bd", scores.softmax(-1), values[:, :n])
    return context, keys, values


# %% ring_step · wrong · shifted-and-root-of-window
# source: written from the task's text, 2026-11
# mistake: all words move up one place instead of staying where they are, and the scale is the root of the window
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    keys = torch.cat([ring_keys[:, 1:], key.unsqueeze(1)], dim=1)
    values = torch.cat([ring_values[:, 1:], value.unsqueeze(1)], dim=1)
    size = keys.shape[1]
    held = torch.arange(size) >= size - 1 - read
    scores = (keys @ query.unsqueeze(2)).squeeze(2) / size**0.5
    weights = scores.masked_fill(~held, -torch.inf).softmax(1)
    return (weights.unsqueeze(1) @ values).squeeze(1), keys, values


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
        y = self.norms[0](x)
        fresh = self.attention.remember(y)
        keys = torch.cat((past_keys, fresh.keys), dim=-2)
        values = torch.cat((past_values, fresh.values), dim=-2)
        all_places = torch.arange(keys.shape[2])
        own_places = all_places[past_keys.shape[2] :]
        mask = all_places <= own_places.unsqueeze(1)
        x = x + self.attention.attend(y, Memory(keys, values, mask))[0]
        return self.feed_forward(self.norms[1](x)) + x, keys, values


# %% CachedBlock · wrong · no-mask-raw-memory
# source: written from the task's text, 2026-11
# mistake: no mask, so the new words see later ones, and what is remembered is x without its norm
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
        new = self.attention.remember(x)
        keys = torch.cat([past_keys, new.keys], dim=2)
        values = torch.cat([past_values, new.values], dim=2)
        context, _ = self.attention.attend(y, Memory(keys, values, None))
        x = x + context
        return x + self.feed_forward(self.norms[1](x)), keys, values


# %% CachedBlock · wrong · mask-from-zero-residual-of-norm
# source: written from the task's text, 2026-11
# mistake: the mask counts the new words from place 0 instead of behind those written, and attention is added to norm(x) instead of x
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
        memory = self.attention.remember(y)
        keys = torch.cat([past_keys, memory.keys], 2)
        values = torch.cat([past_values, memory.values], 2)
        mask = torch.ones(x.shape[1], keys.shape[2], dtype=torch.bool).tril()
        states = y + self.attention.attend(y, Memory(keys, values, mask))[0]
        states = states + self.feed_forward(self.norms[1](states))
        return states, keys, values


# %% CachedBlock · wrong · new-only-and-one-norm
# source: written from the task's text, 2026-11
# mistake: only the new keys and values are returned, and the feed-forward network reads without its norm
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
        new = self.attention.remember(y)
        keys = torch.cat([past_keys, new.keys], dim=2)
        values = torch.cat([past_values, new.values], dim=2)
        written = past_keys.shape[2]
        mask = torch.ones(x.shape[1], keys.shape[2], dtype=torch.bool).tril(written)
        h = x + self.attention.attend(y, Memory(keys, values, mask))[0]
        return h + self.feed_forward(h), new.keys, new.values


# %% share_heads · wrong · too-many-in-turn
# source: written from the task's text, 2026-11
# mistake: the heads are repeated in turn instead of side by side, and heads times instead of heads / kv_heads times
import torch


def share_heads(keys, heads):
    return keys.repeat(1, heads, 1, 1)


# %% share_heads · wrong · copied-words-forced-shape
# source: written from the task's text, 2026-11
# mistake: the words are copied instead of the heads, and a reshape forces the result into the right shape
import torch


def share_heads(keys, heads):
    batch, kv_heads, length, width = keys.shape
    copied = torch.repeat_interleave(keys, heads // kv_heads, dim=2)
    return copied.reshape(batch, length, heads, width).transpose(1, 2)


# %% sliding_mask · right · tril-and-triu
# source: written from the task's text, 2026-11
import torch


def sliding_mask(length, window):
    return torch.ones(length, length, dtype=torch.bool).tril().triu(1 - window)


# %% sliding_mask · wrong · both-sides-one-too-many
# source: written from the task's text, 2026-11
# mistake: words after the present one are open too, and there are window words before it instead of window - 1
import torch


def sliding_mask(length, window):
    i = torch.arange(length)
    return (i[:, None] - i[None, :]).abs() <= window


# %% sliding_mask · wrong · transposed-not-itself
# source: written from the task's text, 2026-11
# mistake: rows and columns are swapped, and a word does not see itself
import torch


def sliding_mask(length, window):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        for j in range(length):
            if 0 < i - j < window:
                mask[j, i] = True
    return mask


# %% sliding_mask · wrong · inverted-and-short
# source: written from the task's text, 2026-11
# mistake: True and False are exchanged, and the window is one word too short
import torch


def sliding_mask(length, window):
    whole = torch.ones(length, length, dtype=torch.bool).tril()
    too_old = whole.tril(1 - window)
    return ~(whole & ~too_old)


# %% turn · right · complex-numbers
# source: written from the task's text, 2026-11
import torch


def turn(x, places):
    half = x.shape[1] // 2
    clocks = 10000.0 ** (-2 * torch.arange(half, dtype=x.dtype) / x.shape[1])
    angles = torch.outer(places.to(x.dtype), clocks)
    z = torch.complex(x[:, :half].contiguous(), x[:, half:].contiguous())
    z = z * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([z.real, z.imag], dim=1)


# %% turn · wrong · backwards-half-exponent
# source: written from the task's text, 2026-11
# mistake: turned the other way round (the signs of the sines are swapped), and the exponent lacks its factor 2
import torch


def turn(x, places):
    d = x.shape[-1]
    half = d // 2
    omega = 10_000.0 ** (-torch.arange(half) / d)
    angles = places[:, None] * omega
    cos, sin = angles.cos(), angles.sin()
    a, b = x[:, :half], x[:, half:]
    return torch.cat([a * cos + b * sin, b * cos - a * sin], dim=-1)


# %% turn · wrong · neighbours-and-arange
# source: written from the task's text, 2026-11
# mistake: neighbouring entries are turned as pairs instead of halves, and the places are counted from 0 instead of read from `places`
import torch


def turn(x, places):
    length, dim = x.shape
    out = torch.empty_like(x)
    for i in range(dim // 2):
        angle = torch.arange(length) * 10000.0 ** (-2 * i / dim)
        a, b = x[:, 2 * i], x[:, 2 * i + 1]
        out[:, 2 * i] = a * torch.cos(angle) - b * torch.sin(angle)
        out[:, 2 * i + 1] = a * torch.sin(angle) + b * torch.cos(angle)
    return out


# %% turn · wrong · degrees-and-swapped-halves
# source: written from the task's text, 2026-11
# mistake: the angles are read as degrees, and the two halves come out in the wrong order
import torch


def turn(x, places):
    half = x.shape[-1] // 2
    angles = torch.deg2rad(places[:, None] * 10_000.0 ** (-torch.arange(half) / half))
    a, b = x.chunk(2, dim=-1)
    new_a = a * angles.cos() - b * angles.sin()
    new_b = a * angles.sin() + b * angles.cos()
    return torch.cat([new_b, new_a], dim=-1)


# %% delta_step · right · as-a-projection
# source: written from the task's text, 2026-11
import torch


def delta_step(state, key, value, beta):
    k, v = key.unsqueeze(1), value.unsqueeze(0)
    forget = torch.eye(len(key), dtype=state.dtype) - beta * (k @ k.T)
    return forget @ state + beta * (k @ v)


# %% delta_step · wrong · beta-on-value-in-place
# source: written from the task's text, 2026-11
# mistake: beta multiplies only the value and not what is taken away, and the state that came in is changed in place
import torch


def delta_step(state, key, value, beta):
    old = key @ state
    state += torch.outer(key, beta * value - old)
    return state


# %% delta_step · wrong · adds-what-it-read-no-rate
# source: written from the task's text, 2026-11
# mistake: what the state says is added to the value instead of subtracted, and the rate beta is forgotten
import torch


def delta_step(state, key, value, beta):
    said = state.T @ key
    return state + key[:, None] * (value + said)[None, :]


# %% delta_step · wrong · only-the-change-wrong-sign
# source: written from the task's text, 2026-11
# mistake: only the change is returned, without the old state, and its sign is wrong
import torch


def delta_step(state, key, value, beta):
    error = torch.einsum("dw,d->w", state, key) - value
    return beta * torch.einsum("d,w->dw", key, error)


# %% turn_from · right · view-as-complex
# source: written from the task's text, 2026-11
import torch


def turn_from(x, start, base):
    dim = x.shape[-1]
    clocks = base ** (-torch.arange(0, dim, 2, dtype=x.dtype) / dim)
    places = torch.arange(start, start + x.shape[2], dtype=x.dtype)
    angles = places[:, None] * clocks
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    turned = pairs * torch.complex(angles.cos(), angles.sin())
    return torch.view_as_real(turned).flatten(-2)


# %% turn_from · wrong · halves-and-no-start
# source: written from the task's text, 2026-11
# mistake: entry i turns with entry i + d/2 instead of its neighbour, and start is ignored
import torch


def turn_from(x, start, base):
    half = x.shape[-1] // 2
    omega = float(base) ** (-torch.arange(half) / half)
    theta = torch.arange(x.shape[-2])[:, None] * omega
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()], -1)


# %% turn_from · wrong · sorted-out-half-exponent
# source: written from the task's text, 2026-11
# mistake: the turned entries are not put back where they were (all a first, then all b), and the exponent lacks its factor 2
import torch


def turn_from(x, start, base):
    d = x.shape[-1]
    places = torch.arange(start, start + x.shape[2])
    freqs = float(base) ** -(torch.arange(d // 2) / d)
    theta = torch.outer(places, freqs)
    cos, sin = torch.cos(theta), torch.sin(theta)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.cat((even * cos - odd * sin, even * sin + odd * cos), dim=-1)


# %% turn_from · wrong · from-one-backwards
# source: written from the task's text, 2026-11
# mistake: the first word stands at start + 1, and the pairs are turned backwards
import torch


def turn_from(x, start, base):
    _, _, length, dim = x.shape
    out = torch.zeros_like(x)
    for t in range(length):
        for i in range(dim // 2):
            theta = torch.tensor((start + t + 1) * base ** (-2 * i / dim))
            a, b = x[:, :, t, 2 * i], x[:, :, t, 2 * i + 1]
            out[:, :, t, 2 * i] = a * theta.cos() + b * theta.sin()
            out[:, :, t, 2 * i + 1] = -a * theta.sin() + b * theta.cos()
    return out


# %% slower_clocks · right · clock-by-clock
# source: written from the task's text, 2026-11
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    linear, ntk, yarn = [], [], []
    wider = base * factor ** (head_dim / (head_dim - 2))
    for i in range(head_dim // 2):
        old = base ** (-2 * i / head_dim)
        turns = length * old / math.tau
        if turns >= 32:
            share = 1.0
        elif turns <= 1:
            share = 0.0
        else:
            share = (turns - 1) / (32 - 1)
        linear.append(old / factor)
        ntk.append(wider ** (-2 * i / head_dim))
        yarn.append(old * share + old / factor * (1 - share))
    return torch.tensor(linear), torch.tensor(ntk), torch.tensor(yarn)


# %% slower_clocks · wrong · radians-and-times
# source: written from the task's text, 2026-11
# mistake: a turn is counted as one radian (no 2 pi), and linear multiplies by the factor instead of dividing
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    omega = float(base) ** (-torch.arange(0, head_dim, 2) / head_dim)
    linear = omega * factor
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** (-torch.arange(0, head_dim, 2) / head_dim)
    turns = length * omega
    share = ((turns - 1) / 31).clamp(0, 1)
    yarn = share * omega + (1 - share) * omega / factor
    return linear, ntk, yarn


# %% slower_clocks · wrong · share-inverted-exponent-flipped
# source: written from the task's text, 2026-11
# mistake: the share is that of the slowed frequency instead of the old one, and the exponent of the ntk base is upside down
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    exponent = -torch.arange(head_dim // 2) * 2 / head_dim
    omega = base**exponent
    linear = omega / factor
    ntk = (base * factor ** ((head_dim - 2) / head_dim)) ** exponent
    share = torch.clip((omega * length / (2 * math.pi) - 1) / 31, 0, 1)
    yarn = torch.lerp(omega, linear, share)
    return linear, ntk, yarn


# %% slower_clocks · wrong · longer-length-logarithm
# source: written from the task's text, 2026-11
# mistake: the turns are counted within the longer text instead of the trained length, and the share grows with their logarithm instead of evenly
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    i = torch.arange(head_dim // 2)
    omega = float(base) ** (-2 * i / head_dim)
    linear = omega / factor
    new_base = base * factor ** (head_dim / (head_dim - 2))
    ntk = float(new_base) ** (-2 * i / head_dim)
    turns = length * factor * omega / (2 * math.pi)
    share = (turns.log() / math.log(32)).clamp(0, 1)
    return linear, ntk, share * omega + (1 - share) * linear


# %% linear_read · right · all-at-once
# source: written from the task's text, 2026-11
import torch


def linear_read(queries, keys, values, state, total):
    near = (queries @ keys.mT).tril()  # (batch, len, len)
    above = near @ values + queries @ state
    below = near.sum(-1) + (queries @ total.unsqueeze(-1)).squeeze(-1)
    contexts = above / below.unsqueeze(-1)
    return contexts, state + keys.mT @ values, total + keys.sum(1)


# %% linear_read · wrong · reads-before-writing-no-old-total
# source: written from the task's text, 2026-11
# mistake: a word does not see itself in the state (it reads before it writes), and the divisor starts at 0 instead of `total`
import torch


def linear_read(queries, keys, values, state, total):
    contexts = []
    z = torch.zeros_like(total)
    for t in range(queries.shape[1]):
        q, k, v = queries[:, t], keys[:, t], values[:, t]
        z = z + k
        top = torch.einsum("bd,bdw->bw", q, state)
        contexts.append(top / (q * z).sum(-1, keepdim=True))
        state = state + torch.einsum("bd,bw->bdw", k, v)
    return torch.stack(contexts, 1), state, z


# %% linear_read · wrong · sees-ahead-this-piece-only
# source: written from the task's text, 2026-11
# mistake: all words of the piece are seen, later ones too, and the new state and total hold only this piece
import torch


def linear_read(queries, keys, values, state, total):
    new_state = keys.mT @ values
    new_total = keys.sum(1)
    above = queries @ (state + new_state)
    below = queries @ (total + new_total).unsqueeze(-1)
    return above / below, new_state, new_total


# %% linear_read · wrong · in-place-and-sum-of-total
# source: written from the task's text, 2026-11
# mistake: state and total that came in are changed in place, and the divisor is the sum of z instead of q times z
import torch


def linear_read(queries, keys, values, state, total):
    contexts = torch.zeros_like(values)
    for t in range(keys.shape[1]):
        state += keys[:, t, :, None] * values[:, t, None, :]
        total += keys[:, t]
        contexts[:, t] = (queries[:, t, None] @ state).squeeze(1) / total.sum(-1, keepdim=True)
    return contexts, state, total


# %% gated_delta · right · text-by-text
# source: written from the task's text, 2026-11
import torch


def gated_delta(state, key, value, alpha, beta):
    new = []
    for s, k, v, a, b in zip(state, key, value, alpha, beta):
        left = a * s
        new.append(left + b * torch.outer(k, v - k @ left))
    return torch.stack(new)


# %% gated_delta · wrong · error-of-the-old-detached
# source: written from the task's text, 2026-11
# mistake: the error is read from the state before its decay, and it is detached
import torch


def gated_delta(state, key, value, alpha, beta):
    error = (value - torch.einsum("bdw,bd->bw", state, key)).detach()
    write = torch.einsum("b,bd,bw->bdw", beta, key, error)
    return alpha[:, None, None] * state + write


# %% gated_delta · wrong · decays-last-in-place
# source: written from the task's text, 2026-11
# mistake: the decay comes after the writing, on the new pair too, and the state that came in is changed
import torch


def gated_delta(state, key, value, alpha, beta):
    said = (key.unsqueeze(1) @ state).squeeze(1)
    error = value - said
    with torch.no_grad():
        state.add_(beta[:, None, None] * key[:, :, None] * error[:, None, :])
    return state * alpha[:, None, None]


# %% gated_delta · wrong · rates-swapped-plus
# source: written from the task's text, 2026-11
# mistake: alpha and beta have changed places, and what was read is added instead of subtracted
import torch


def gated_delta(state, key, value, alpha, beta):
    a, b = alpha.view(-1, 1, 1), beta.view(-1, 1, 1)
    left = b * state
    said = left.mT @ key.unsqueeze(2)  # (batch, width, 1)
    return left + a * key.unsqueeze(2) @ (value.unsqueeze(2) + said).mT
