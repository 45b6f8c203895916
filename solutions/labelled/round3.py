# %% BahdanauStep · wrong · output-old-state
# source: written from the task's text, 2026-11
# mistake: the logits are made of the state that came in, not of the new one
import torch
from torch import nn
from utils.masks import masked_softmax

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
        scores = self.v(torch.tanh(self.W_query(state)[:, None] + self.W_key(keys))).squeeze(-1)
        weights = masked_softmax(scores, mask)
        context = torch.bmm(weights.unsqueeze(1), keys).squeeze(1)
        new_state = self.rnn(torch.cat([embedded, context], dim=-1), state)
        logits = self.output(torch.cat([state, context, embedded], dim=-1))
        return context, weights, new_state, logits


# %% BahdanauStep · wrong · rnn-without-state
# source: written from the task's text, 2026-11
# mistake: the GRU cell is called without the state before, so it starts from zeros
import torch
from torch import nn
from utils.masks import masked_softmax

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
        hidden = self.W_query(state).unsqueeze(1) + self.W_key(keys)
        scores = self.v(hidden.tanh())[:, :, 0]
        weights = masked_softmax(scores, mask)
        context = (weights.unsqueeze(-1) * keys).sum(dim=1)
        new_state = self.rnn(torch.cat((embedded, context), 1))
        logits = self.output(torch.cat((new_state, context, embedded), 1))
        return context, weights, new_state, logits


# %% DecoderBlock · wrong · keys-not-normed
# source: written from the task's text, 2026-11
# mistake: in self-attention only the queries are normed, the keys are x as it comes
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
        causal = causal_mask(x.shape[1])
        x = x + self.attention(self.norms[0](x), x, mask=causal)[0]
        x = x + self.cross(self.norms[1](x), source, mask=source_mask)[0]
        return x + self.feed_forward(self.norms[2](x))


# %% MultiHead · wrong · bias-order
# source: written from the task's text, 2026-11
# mistake: the biases of keys and values change places
import torch
import torch.nn.functional as F
from torch import nn
from utils.masks import masked_softmax

class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, query, keys, values, mask=None):
        wq, wk, wv = self.in_proj_weight.chunk(3)
        bq, bv, bk = self.in_proj_bias.chunk(3)
        q, k, v = F.linear(query, wq, bq), F.linear(keys, wk, bk), F.linear(values, wv, bv)
        q, k, v = (x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in (q, k, v))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = masked_softmax(scores, None if mask is None else mask.unsqueeze(1))
        out = (weights @ v).transpose(1, 2).flatten(2)
        return self.out_proj(out), weights


# %% MultiHead · wrong · mask-first-row
# source: written from the task's text, 2026-11
# mistake: only the first row of the mask is used, for all queries; right for masks (batch, 1, src_len) only
import torch
import torch.nn.functional as F
from torch import nn
from utils.masks import masked_softmax

class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) / dim**0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        b, t, d = query.shape
        parts = zip((query, keys, values), self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3))
        q, k, v = (F.linear(x, w, c).view(b, -1, self.heads, self.head_dim).transpose(1, 2) for x, w, c in parts)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / self.head_dim**0.5
        if mask is not None:
            mask = mask[:, :1].unsqueeze(1)
        weights = masked_softmax(scores, mask)
        out = torch.einsum("bhts,bhsd->bthd", weights, v).reshape(b, t, d)
        return self.out_proj(out), weights


# %% MyAdditiveAttention · wrong · squeeze-all
# source: written from the task's text, 2026-11
# mistake: squeeze() without an axis also drops axes of length 1 of the batch, the target or the source
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
        hidden = torch.tanh(self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1))
        scores = self.v(hidden).squeeze()
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights * mask
        return torch.matmul(weights, values), weights


# %% MyAdditiveAttention · wrong · values-are-projected-keys
# source: written from the task's text, 2026-11
# mistake: the context is made of the projected keys where no values are given
import torch
from torch import nn

class MyAdditiveAttention(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        keys = self.W_key(keys)
        if values is None:
            values = keys
        scores = self.v(torch.tanh(self.W_query(query)[:, :, None] + keys[:, None])).squeeze(-1)
        if mask is None:
            weights = scores.softmax(-1)
        else:
            weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
            weights = weights.masked_fill(~mask, 0.0)
        return weights @ values, weights


# %% PatchClassifier · right · f-unfold
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F
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
        cols = F.unfold(images.unsqueeze(1), kernel_size=self.patch, stride=self.patch)
        states = F.relu(self.embed(cols.transpose(1, 2)) + self.places)
        weights = F.softmax(torch.matmul(states, self.query) * self.query.size(0) ** -0.5, dim=1)
        read = torch.bmm(weights.unsqueeze(1), states).squeeze(1)
        return self.answer(read), weights


# %% PatchClassifier · wrong · places-outside-relu
# source: written from the task's text, 2026-11
# mistake: the places are added behind the ReLU
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
        patches = images.unfold(1, p, p).unfold(2, p, p).flatten(3).flatten(1, 2)
        states = self.embed(patches).relu() + self.places
        weights = torch.softmax(states @ self.query / self.query.numel() ** 0.5, dim=-1)
        return self.answer((weights.unsqueeze(-1) * states).sum(1)), weights


# %% PrecomputedKeys · wrong · in-place-tanh
# source: written from the task's text, 2026-11
# mistake: the remembered projection is added to in place, so each step finds the sum of all earlier ones
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
        if None in looks:  # still to be written
            return None
        contexts, weights = (torch.stack(one, dim=1) for one in zip(*looks, strict=True))
        return contexts, weights, torch.tensor(self.W_key.count)


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        return {"keys": keys, "projected": self.W_key(keys)}

    def attend(self, state, memory):
        memory["projected"] += self.W_query(state)[:, None]
        scores = self.v(memory["projected"].tanh())[..., 0]
        weights = torch.softmax(scores, dim=1)
        return (weights[..., None] * memory["keys"]).sum(1), weights


# %% PrecomputedKeys · wrong · remember-on-self
# source: written from the task's text, 2026-11
# mistake: the first sentence's projection is kept on the module and used again for every later batch
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
        if None in looks:  # still to be written
            return None
        contexts, weights = (torch.stack(one, dim=1) for one in zip(*looks, strict=True))
        return contexts, weights, torch.tensor(self.W_key.count)


class PrecomputedKeys(StepByStep):
    def remember(self, keys):
        if not hasattr(self, "projected"):
            self.projected = self.W_key(keys)
        return keys, self.projected

    def attend(self, state, memory):
        keys, projected = memory
        hidden = torch.tanh(self.W_query(state).unsqueeze(1) + projected)
        weights = self.v(hidden).squeeze(-1).softmax(-1)
        context = torch.einsum("bs,bsd->bd", weights, keys)
        return context, weights


# %% additive_scores · right · vmap
# source: written from the task's text, 2026-11
import torch

def additive_scores(query, keys, W_query, W_key, v):
    def one(q, k):
        return torch.tanh(W_query @ q + W_key @ k) @ v

    over_keys = torch.vmap(one, in_dims=(None, 0))
    over_queries = torch.vmap(over_keys, in_dims=(0, None))
    return torch.vmap(over_queries)(query, keys)


# %% additive_scores · wrong · view-transpose
# source: written from the task's text, 2026-11
# mistake: the scores come out (batch, src_len, tgt_len) and are reshaped, not transposed, to the wanted shape
import torch

def additive_scores(query, keys, W_query, W_key, v):
    q = torch.einsum("btd,ad->bta", query, W_query)
    k = torch.einsum("bsd,ad->bsa", keys, W_key)
    pairs = torch.tanh(k[:, :, None, :] + q[:, None, :, :])
    e = pairs @ v
    return e.reshape(query.shape[0], query.shape[1], keys.shape[1])


# %% additive_scores_loop · wrong · fill-no-grad
# source: written from the task's text, 2026-11
# mistake: the result is filled through .data, so no gradient finds its way back
import torch

def additive_scores_loop(states, keys, W_joined, v):
    scores = torch.zeros(len(states), len(keys))
    for t in range(len(states)):
        for j in range(len(keys)):
            pair = torch.cat([states[t], keys[j]])
            scores.data[t, j] = (v @ torch.tanh(W_joined @ pair)).data
    return scores


# %% alignment_picture · right · numpy-style
# source: written from the task's text, 2026-11
import torch

def alignment_picture(weights, source, target):
    words = {"<sos>", "<eos>", "<pad>"}.isdisjoint
    col = torch.tensor([words([w]) for w in source], dtype=torch.bool)
    row = torch.tensor([words([w]) for w in target[1:]], dtype=torch.bool)
    trimmed = weights[row][:, col]
    links = torch.zeros(trimmed.shape, dtype=torch.bool)
    if trimmed.numel():
        links.scatter_(1, trimmed.argmax(1, keepdim=True), True)
    return trimmed, links


# %% alignment_picture · wrong · links-before-trim
# source: written from the task's text, 2026-11
# mistake: the largest entry is looked for before trimming, so a row whose favourite is <eos> has no link
import torch

def alignment_picture(weights, source, target):
    special = {"<sos>", "<eos>", "<pad>"}
    columns = [j for j, w in enumerate(source) if w not in special]
    rows = [i for i, w in enumerate(target[1:]) if w not in special]
    links = torch.zeros_like(weights, dtype=torch.bool)
    links[torch.arange(len(weights)), weights.argmax(1)] = True
    return weights[rows][:, columns], links[rows][:, columns]


# %% attend_with_mask · wrong · nan-to-num-scores
# source: written from the task's text, 2026-11
# mistake: infinite scores are turned into finite ones by nan_to_num before the softmax, so empty rows come out uniform
import torch

def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    bias = torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(scores + bias).softmax(-1)
    context = torch.bmm(weights, values)
    return context, weights


# %% beam_step · right · heapq
# source: written from the task's text, 2026-11
import heapq
import torch
from utils.corpora import EOS

def beam_step(scores, log_probs, finished):
    candidates = []
    for b in range(len(scores)):
        if finished[b]:
            candidates.append((scores[b].item(), b, EOS))
        else:
            row = (scores[b] + log_probs[b]).tolist()
            candidates += [(s, b, w) for w, s in enumerate(row)]
    top = heapq.nlargest(len(scores), candidates, key=lambda c: c[0])
    best, parents, words = zip(*top)
    return torch.tensor(best, dtype=scores.dtype), torch.tensor(parents), torch.tensor(words)


# %% beam_step · wrong · finished-set-aside
# source: written from the task's text, 2026-11
# mistake: a finished hypothesis keeps its place whatever its score, and only the others compete
import torch
from utils.corpora import EOS

def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    total = scores[:, None] + log_probs
    total = total.masked_fill(finished[:, None], float("-inf"))
    done = finished.nonzero().flatten()
    best, flat = total.flatten().topk(beam - len(done))
    best = torch.cat([scores[done], best])
    parents = torch.cat([done, flat // vocab])
    words = torch.cat([torch.full_like(done, EOS), flat % vocab])
    order = best.argsort(descending=True)
    return best[order], parents[order], words[order]


# %% beam_step · wrong · flattened-turned
# source: written from the task's text, 2026-11
# mistake: the table is turned before it is flattened, but the index is taken apart as if it were not
import torch
from utils.corpora import EOS

def beam_step(scores, log_probs, finished):
    beam, vocab = log_probs.shape
    only_eos = torch.full((vocab,), float("-inf"))
    only_eos[EOS] = 0.0
    log_probs = torch.where(finished[:, None], only_eos, log_probs)
    total = (scores[:, None] + log_probs).T.reshape(-1)
    best, flat = total.topk(beam)
    parents = flat // vocab
    words = flat % vocab
    return best, parents, words


# %% block_parameters · wrong · heads-multiply
# source: written from the task's text, 2026-11
# mistake: every head is given projections of the full width
def block_parameters(dim, heads, hidden, layers, words):
    attention = heads * 3 * (dim * dim + dim) + dim * dim + dim
    feed_forward = 2 * dim * hidden + hidden + dim
    norm = 2 * dim
    encoder_block = attention + feed_forward + 2 * norm
    decoder_block = 2 * attention + feed_forward + 3 * norm
    language_model = layers * encoder_block + words * dim + words + norm
    return encoder_block, decoder_block, language_model


# %% both_ways · right · softmax-along-dim
# source: written from the task's text, 2026-11
import math
import torch
from utils.masks import masked_softmax

def both_ways(left, right, left_mask, right_mask):
    scores = torch.einsum("bld,brd->blr", left, right) / math.sqrt(right.shape[-1])
    forth = masked_softmax(scores, right_mask[:, None, :], dim=2)
    back = masked_softmax(scores, left_mask[:, :, None], dim=1)
    left_reads = torch.einsum("blr,brd->bld", forth, right)
    right_reads = torch.einsum("blr,bld->brd", back, left)
    return left_reads, right_reads, forth, back.permute(0, 2, 1)


# %% both_ways · wrong · back-is-forth-turned
# source: written from the task's text, 2026-11
# mistake: back is forth turned on its side
import torch
from utils.masks import masked_softmax

def both_ways(left, right, left_mask, right_mask):
    scores = torch.einsum("bld,brd->blr", left, right) / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, right_mask.unsqueeze(1))
    back = forth.transpose(1, 2) * left_mask.unsqueeze(1)
    left_reads = forth @ right
    right_reads = back @ left
    return left_reads, right_reads, forth, back


# %% cached_step · right · sdpa
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    new = x.unsqueeze(1)
    keys = torch.cat((past_keys, new @ w_k), dim=1)
    values = torch.cat((past_values, new @ w_v), dim=1)
    context = F.scaled_dot_product_attention(new @ w_q, keys, values).squeeze(1)
    return context, keys, values


# %% cached_step · wrong · window-of-cache
# source: written from the task's text, 2026-11
# mistake: the oldest word is thrown out of the cache when it has any, so its length stays
import torch

def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    all_keys = torch.cat([past_keys, (x @ w_k)[:, None]], 1)
    all_values = torch.cat([past_values, (x @ w_v)[:, None]], 1)
    scores = (all_keys @ (x @ w_q)[:, :, None]).squeeze(2) / w_k.shape[1] ** 0.5
    context = (scores.softmax(1)[:, None] @ all_values).squeeze(1)
    written = max(past_keys.shape[1], 1)
    return context, all_keys[:, -written:], all_values[:, -written:]


# %% clip_together · wrong · length-after
# source: written from the task's text, 2026-11
# mistake: the length returned for the log is the one after clipping
import torch

@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.cat([of_keys.flatten(), of_queries.flatten()]).norm()
    if length > limit:
        of_keys = of_keys * (limit / length)
        of_queries = of_queries * (limit / length)
        length = torch.as_tensor(float(limit))
    return of_keys, of_queries, length


# %% combined_mask · wrong · index-not-position
# source: written from the task's text, 2026-11
# mistake: the queries are taken to stand at 0, 1, 2, … and only the number of positions is used
import torch

def combined_mask(lengths, positions, src_len):
    j = torch.arange(src_len)
    t = torch.arange(len(positions))
    causal = j[None, :] <= t[:, None]
    real = j[None, :] < lengths[:, None]
    return causal[None] & real[:, None]


# %% compare_scores · right · broadcast
# source: written from the task's text, 2026-11
import torch

def compare_scores(query, keys, W, W_joined, v, gains):
    q = gains.to(query).view(-1, 1, 1, 1) * query
    k = keys.expand(len(gains), *keys.shape)
    general = torch.einsum("gbtq,qk,gbsk->gbts", q, W, k)
    split = query.shape[-1]
    left = q @ W_joined[:, :split].T
    right = k @ W_joined[:, split:].T
    concat = torch.tanh(left.unsqueeze(-2) + right.unsqueeze(-3)) @ v
    return torch.stack([s.softmax(-1).amax(-1).flatten(1).mean(-1) for s in (general, concat)])


# %% compare_scores · wrong · cumulative-gain
# source: written from the task's text, 2026-11
# mistake: the query is multiplied in place of a new name, so the gains pile up from column to column
import torch

def compare_scores(query, keys, W, W_joined, v, gains):
    t, s = query.shape[1], keys.shape[1]
    table = torch.zeros(2, len(gains))
    for i, gain in enumerate(gains):
        query = query * gain
        general = query @ W @ keys.mT
        pairs = torch.cat([query[:, :, None].expand(-1, -1, s, -1), keys[:, None].expand(-1, t, -1, -1)], -1)
        concat = torch.tanh(pairs @ W_joined.T) @ v
        table[0, i] = general.softmax(-1).amax(-1).mean()
        table[1, i] = concat.softmax(-1).amax(-1).mean()
    return table


# %% compare_scores · wrong · gain-on-scores
# source: written from the task's text, 2026-11
# mistake: the gain multiplies the scores; for general that is the same, for concat it is not
import torch

def compare_scores(query, keys, W, W_joined, v, gains):
    t, s = query.shape[1], keys.shape[1]
    general = query @ W @ keys.mT
    pairs = torch.cat([query[:, :, None].expand(-1, -1, s, -1), keys[:, None].expand(-1, t, -1, -1)], -1)
    concat = torch.tanh(pairs @ W_joined.T) @ v
    rows = []
    for scores in (general, concat):
        rows.append(torch.stack([(g * scores).softmax(-1).max(-1).values.mean() for g in gains]))
    return torch.stack(rows)


# %% counterfactual · right · states-overwritten
# source: written from the task's text, 2026-11
import torch

def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))

    def chance(s, h, mask=None):
        e = torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5
        if mask is not None:
            e = e.masked_fill(~mask, torch.finfo(e.dtype).min)
        a = e.softmax(-1)
        if mask is not None:
            a = a * mask
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[rows, word]

    states = states.clone()
    normal = chance(start, states)
    spliced = normal - chance(other_start, states)
    states[rows, place] = other_states[rows, place]
    replaced = normal - chance(start, states)
    mask = torch.ones(states.shape[:2], dtype=torch.bool)
    mask[rows, place] = False
    forbidden = normal - chance(start, states, mask)
    return spliced, replaced, forbidden


# %% counterfactual · wrong · splice-query-only
# source: written from the task's text, 2026-11
# mistake: the other start state only asks; the one behind the context in [c; s] stays the old one
import torch
from utils.masks import masked_softmax

def counterfactual(start, states, other_start, other_states, out, place, word):
    here = torch.nn.functional.one_hot(place, states.shape[1]).bool()

    def p(asks, h, allowed=None):
        scores = (h @ asks.unsqueeze(-1)).squeeze(-1) / asks.shape[-1] ** 0.5
        c = (masked_softmax(scores, allowed).unsqueeze(1) @ h).squeeze(1)
        logits = torch.cat([c, start], dim=-1) @ out.T
        return logits.softmax(-1).gather(1, word.unsqueeze(1)).squeeze(1)

    normal = p(start, states)
    spliced = normal - p(other_start, states)
    replaced = normal - p(start, torch.where(here.unsqueeze(-1), other_states, states))
    forbidden = normal - p(start, states, ~here)
    return spliced, replaced, forbidden


# %% decode_loop · wrong · mean-of-step-means
# source: written from the task's text, 2026-11
# mistake: each step's loss is averaged over its own real words first, so short sentences' steps weigh unevenly
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
    logits, weights, losses = [], [], []
    for i in range(target.shape[1] - 1):
        step, look, state = luong_step(target[:, i], state, memory, embedding, w_state, w_output)
        logits.append(step)
        weights.append(look)
        if (target[:, i + 1] != PAD).any():
            losses.append(F.cross_entropy(step, target[:, i + 1], ignore_index=PAD))
    return torch.stack(logits, 1), torch.stack(weights, 1), torch.stack(losses).mean()


# %% decoder_step · right · split-matrices
# source: written from the task's text, 2026-11
import torch
from utils.masks import masked_softmax

def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    n_word, n_mem, n_state = embedded.shape[-1], memory.shape[-1], state.shape[-1]
    weights = masked_softmax(torch.einsum("bi,ij,bsj->bs", state, w_score, memory), mask)
    context = (weights[:, None] @ memory)[:, 0]
    a, b, c = w_state.split([n_word, n_mem, n_state])
    new_state = (embedded @ a + context @ b + state @ c).tanh()
    r1, r2 = w_readout.split([n_mem, n_state])
    readout = (context @ r1 + new_state @ r2).tanh()
    return context, weights, new_state, readout


# %% decoder_step · wrong · new-state-asks
# source: written from the task's text, 2026-11
# mistake: Luong's order: the new state, made with a context of the old weights, asks again
import torch
from utils.masks import masked_softmax

def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    def look(s):
        scores = torch.einsum("bm,bsm->bs", s @ w_score, memory)
        weights = masked_softmax(scores, mask)
        return weights, torch.einsum("bs,bsm->bm", weights, memory)

    weights, context = look(state)
    new_state = torch.tanh(torch.cat([embedded, context, state], dim=1) @ w_state)
    weights, context = look(new_state)
    readout = torch.tanh(torch.cat([context, new_state], dim=1) @ w_readout)
    return context, weights, new_state, readout


# %% encode_positions · right · complex
# source: written from the task's text, 2026-11
import torch

def encode_positions(positions, dim, base):
    exponents = torch.arange(0, dim, 2, dtype=torch.float64) / dim
    angles = positions.to(torch.float64).unsqueeze(-1) * torch.pow(torch.tensor(float(base), dtype=torch.float64), -exponents)
    turns = torch.polar(torch.ones_like(angles), angles)
    codes = torch.stack((turns.imag, turns.real), dim=-1).flatten(-2)
    return codes.to(positions.dtype if positions.is_floating_point() else torch.float32)


# %% encode_positions · wrong · endpoint-frequencies
# source: written from the task's text, 2026-11
# mistake: the exponents run from 0 to 1 with both ends (i over half - 1), as in tensor2tensor, but 2i/dim never reaches 1
import math
import torch

def encode_positions(positions, dim, base):
    half = dim // 2
    step = math.log(base) / max(half - 1, 1)
    freqs = torch.exp(-step * torch.arange(half))
    angles = positions[..., None] * freqs
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


# %% entropy · wrong · binary-terms
# source: written from the task's text, 2026-11
# mistake: the term of the complement is added too, as in a binary cross-entropy
import torch

def entropy(weights):
    rest = 1 - weights
    return -(torch.xlogy(weights, weights) + torch.xlogy(rest, rest)).sum(-1)


# %% entropy · wrong · drop-zeros-flat
# source: written from the task's text, 2026-11
# mistake: boolean indexing drops the zeros and flattens the rows, so all rows share one sum
import torch

def entropy(weights):
    w = weights[weights > 0]
    h = -(w * torch.log(w)).sum()
    return h.expand(weights.shape[:-1])


# %% four_patterns · right · numpy
# source: written from the task's text, 2026-11
import numpy as np
import torch

def four_patterns(length):
    itself = np.eye(length, dtype=np.float32)
    before = np.eye(length, k=-1, dtype=np.float32)
    before[0, 0] = 1
    ends = np.zeros((length, length), dtype=np.float32)
    ends[:, 0] += 0.5
    ends[:, -1] += 0.5
    so_far = np.tri(length, dtype=np.float32) / np.arange(1, length + 1, dtype=np.float32)[:, None]
    return tuple(torch.from_numpy(m) for m in (itself, before, ends, so_far))


# %% four_patterns · wrong · so-far-softmax-of-tril
# source: written from the task's text, 2026-11
# mistake: the softmax of the 0/1 triangle leaves weight on later words
import torch

def four_patterns(length):
    itself = torch.eye(length)
    before = torch.zeros(length, length)
    for i in range(length):
        before[i, max(i - 1, 0)] = 1.0
    ends = torch.zeros(length, length)
    ends[:, 0] += 0.5
    ends[:, length - 1] += 0.5
    so_far = torch.tril(torch.ones(length, length)).softmax(dim=-1)
    return itself, before, ends, so_far


# %% gaussian_window · wrong · window-real-centre
# source: written from the task's text, 2026-11
# mistake: the window is measured from the real centre, so it holds 2D words where p lies between two
import torch

def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.size(-1))
    dist = j - centres[..., None]
    inside = dist.abs() <= half_width
    weights = torch.softmax(scores.masked_fill(~inside, -1e9), dim=-1) * inside
    return weights * torch.exp(-dist.pow(2) / (2 * (half_width / 2) ** 2))


# %% greedy_decoding · right · per-sentence
# source: written from the task's text, 2026-11
import torch
from utils.corpora import EOS, PAD, SOS

def greedy_decoding(table, limit):
    following = table.argmax(-1).tolist()
    sentences = []
    for nxt in following:
        out, w = [], nxt[SOS]
        while w != EOS and len(out) < limit:
            out.append(w)
            w = nxt[w]
        sentences.append(out)
    ids = torch.tensor([s + [PAD] * (limit - len(s)) for s in sentences], dtype=torch.long)
    ids = ids.reshape(len(table), limit)
    return ids, torch.tensor([len(s) for s in sentences], dtype=torch.long)


# %% greedy_decoding · wrong · stop-when-first-ends
# source: written from the task's text, 2026-11
# mistake: the loop stops as soon as one sentence has ended, and the others stay short
import torch
from utils.corpora import EOS, PAD, SOS

def greedy_decoding(table, limit):
    batch = len(table)
    ids = torch.full((batch, limit), PAD)
    lengths = torch.zeros(batch, dtype=torch.long)
    word = torch.full((batch,), SOS)
    rows = torch.arange(batch)
    for step in range(limit):
        word = table[rows, word].argmax(-1)
        if (word == EOS).any():
            break
        ids[:, step] = word
        lengths += 1
    return ids, lengths


# %% hard_window · right · numpy-loop
# source: written from the task's text, 2026-11
import numpy as np
import torch

def hard_window(lengths, tgt_len, src_len, half_width):
    out = np.zeros((len(lengths), tgt_len, src_len), dtype=bool)
    for b, n in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            c = min(t, max(n - 1, 0))
            out[b, t, max(0, c - half_width):min(n, c + half_width + 1)] = True
    return torch.from_numpy(out)


# %% hard_window · wrong · window-start-shifted
# source: written from the task's text, 2026-11
# mistake: it is the start of the window that is clamped to the sentence, not its centre, so the last windows keep full width
import torch

def hard_window(lengths, tgt_len, src_len, half_width):
    t = torch.arange(tgt_len).view(1, -1, 1)
    j = torch.arange(src_len).view(1, 1, -1)
    n = lengths.view(-1, 1, 1)
    start = torch.minimum(t - half_width, (n - 1 - 2 * half_width).clamp(min=0))
    return (j >= start) & (j <= start + 2 * half_width) & (j < n)


# %% head_ablation · right · terms
# source: written from the task's text, 2026-11
import torch

def head_ablation(contexts, w_o, b_o):
    heads, width = contexts.shape[1], contexts.shape[3]
    blocks = w_o.unflatten(1, (heads, width))
    terms = torch.einsum("bhtd,ohd->hbto", contexts, blocks)
    outputs = terms.sum(0) + b_o - terms
    moved = torch.linalg.vector_norm(terms, dim=-1).flatten(1).mean(1)
    return outputs, moved


# %% head_ablation · wrong · aliased-contexts
# source: written from the task's text, 2026-11
# mistake: the heads are zeroed one after another in the same copy, so the absences pile up
import torch
import torch.nn.functional as F

def head_ablation(contexts, w_o, b_o):
    def layer(c):
        return F.linear(c.transpose(1, 2).flatten(2), w_o, b_o)

    whole = layer(contexts)
    ablated = contexts.clone()
    outputs = []
    for h in range(contexts.shape[1]):
        ablated[:, h] = 0
        outputs.append(layer(ablated))
    outputs = torch.stack(outputs)
    moved = (outputs - whole).norm(dim=-1).mean(dim=(1, 2))
    return outputs, moved


# %% invoice_check · wrong · truthy-zero
# source: written from the task's text, 2026-11
# mistake: `if value` takes the number 0 for no number
import torch

def number(word, decimal):
    """What a word is worth as a number, or None; `decimal` is the sign before the cents."""
    other = "," if decimal == "." else "."
    try:
        return float(word.replace(other, "").replace(decimal, "."))
    except ValueError:
        return None

def invoice_check(weights, source, target, least):
    best = weights.argmax(dim=1).tolist()
    values = [number(w, ",") for w in target]
    wrong = torch.tensor([bool(v) and number(source[j], ".") != v for v, j in zip(values, best)])
    unsure = torch.tensor([bool(v) and bool(row.max() < least) for v, row in zip(values, weights)])
    return wrong, unsure


# %% join_heads · right · cat-unbind
# source: written from the task's text, 2026-11
import torch

def join_heads(tensor):
    return torch.cat(tensor.unbind(1), dim=-1)


# %% join_heads · wrong · permute-head-last
# source: written from the task's text, 2026-11
# mistake: the heads are interleaved number by number instead of end to end
def join_heads(tensor):
    b, h, n, d = tensor.shape
    return tensor.permute(0, 2, 3, 1).reshape(b, n, d * h)


# %% layer_norm · wrong · mean-square
# source: written from the task's text, 2026-11
# mistake: the variance is the mean square of x itself, as in RMS norm, though the mean is subtracted above
import torch

def layer_norm(x, gamma, beta):
    centred = x - x.mean(dim=-1, keepdim=True)
    rms = torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + 0.00001)
    return gamma * centred * rms + beta


# %% luong_step · wrong · state-and-fed-swapped
# source: written from the task's text, 2026-11
# mistake: the state before and the fed vector change places in the update
import torch
from utils.masks import masked_softmax

def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, state, fed], dim=-1) @ W_update.T)
    e = torch.einsum("bi,ij,bsj->bs", s, W, encoder_states)
    a = masked_softmax(e, mask)
    c = torch.einsum("bs,bsd->bd", a, encoder_states)
    h = torch.tanh(torch.cat([c, s], dim=-1) @ W_c.T)
    return h @ W_out.T, s, h, a


# %% masked_encoder · right · gather
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
    place = torch.arange(embedded.shape[1]).expand(len(embedded), -1)
    mask = place < lengths.unsqueeze(1)
    turn = torch.where(mask, lengths.unsqueeze(1) - 1 - place, place)
    rows = torch.arange(len(embedded)).unsqueeze(1)
    forwards = read(embedded, w_forward, bias)
    backwards = read(embedded[rows, turn], w_backward, bias)[rows, turn]
    states = torch.cat([forwards, backwards], dim=-1)
    return torch.where(mask.unsqueeze(-1), states, 0.0), mask.unsqueeze(1)


# %% masked_encoder · wrong · roll-one-shift
# source: written from the task's text, 2026-11
# mistake: the flipped batch is rolled by the longest padding for all sentences alike
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
    shift = embedded.shape[1] - int(lengths.min())
    forwards = read(embedded, w_forward, bias)
    turned = embedded.flip(1).roll(-shift, dims=1)
    backwards = read(turned, w_backward, bias).roll(shift, dims=1).flip(1)
    states = torch.cat([forwards, backwards], dim=-1) * mask.unsqueeze(-1)
    return states, mask.unsqueeze(1)


# %% masked_softmax · right · shift-to-open-max
# source: written from the task's text, 2026-11
import torch

def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    ninf = torch.full_like(scores, float("-inf"))
    top = torch.where(mask, scores, ninf).amax(-1, keepdim=True)
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top).detach()
    z = torch.where(mask, scores - top, torch.zeros_like(scores))
    e = torch.where(mask, z.exp(), torch.zeros_like(z))
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)


# %% masked_softmax · wrong · empty-rows-any-batch
# source: written from the task's text, 2026-11
# mistake: a row is zeroed only if the whole sentence is masked, other empty rows come out uniform
import torch

def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(filled, dim=-1)
    empty = ~mask.flatten(-2).any(dim=-1)
    return weights.masked_fill(empty[..., None, None], 0.0)


# %% masked_softmax · wrong · min-of-scores
# source: written from the task's text, 2026-11
# mistake: the masked cells get the smallest score of the tensor instead of the lowest number, and are zeroed afterwards without sharing out again
import torch

def masked_softmax(scores, mask):
    filled = torch.where(mask, scores, scores.min())
    weights = torch.softmax(filled, dim=-1)
    return weights * mask


# %% next_word · right · loop
# source: written from the task's text, 2026-11
import torch

def next_word(logits, temperature, k, uniform):
    chances = torch.zeros_like(logits)
    drawn = []
    for b, row in enumerate(logits / temperature):
        ids = sorted(range(len(row)), key=lambda i: -row[i].item())[:k]
        chances[b, ids] = torch.softmax(row[ids], dim=0)
        left, pick = 0.0, None
        for w in sorted(ids):
            p = chances[b, w].item()
            if p > 0:
                pick = w
            left += p
            if uniform[b].item() < left:
                break
        drawn.append(pick)
    return chances, torch.tensor(drawn)


# %% next_word · wrong · searchsorted-left
# source: written from the task's text, 2026-11
# mistake: searchsorted with its default side gives a number on a border to the piece that ends there
import torch

def next_word(logits, temperature, k, uniform):
    z = logits / temperature
    kept = torch.zeros_like(z, dtype=torch.bool).scatter(-1, z.topk(k, -1).indices, True)
    chances = torch.where(kept, z, -torch.inf).softmax(-1)
    word = torch.searchsorted(chances.cumsum(-1), uniform.unsqueeze(-1)).squeeze(-1)
    return chances, word.clamp(max=logits.shape[-1] - 1)


# %% normalised_heatmap · wrong · softmax-again
# source: written from the task's text, 2026-11
# mistake: the wrong softmax over the columns stays, and a second softmax over the rows replaces the division
import torch

def normalised_heatmap(scores):
    weights = scores.softmax(dim=0)
    weights = weights.softmax(dim=-1)
    return weights


# %% packed_mask · right · loop
# source: written from the task's text, 2026-11
import torch

def packed_mask(documents):
    batch, length = documents.shape
    mask = torch.zeros(batch, length, length, dtype=torch.bool)
    positions = torch.zeros(batch, length, dtype=torch.long)
    for b in range(batch):
        start = 0
        for i in range(length):
            d = documents[b, i].item()
            if d == 0:
                mask[b, i, i] = True
                continue
            if i == 0 or documents[b, i - 1].item() != d:
                start = i
            mask[b, i, start:i + 1] = True
            positions[b, i] = i - start
    return mask, positions


# %% packed_mask · wrong · order-of-numbers
# source: written from the task's text, 2026-11
# mistake: a document's number is compared with >= as if the numbers grew, so that later documents read earlier ones with smaller numbers
import torch

def packed_mask(documents):
    n = documents.shape[1]
    causal = torch.tril(torch.ones(n, n, dtype=torch.bool))
    real = documents > 0
    same = documents[:, :, None] == documents[:, None, :]
    allowed = (documents[:, :, None] >= documents[:, None, :]) & real[:, :, None] & real[:, None, :]
    mask = (allowed & causal) | torch.eye(n, dtype=torch.bool)
    positions = ((same & causal).sum(-1) - 1) * real
    return mask, positions


# %% read_alignment · right · one-hot
# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

def read_alignment(weights):
    best = torch.topk(weights, 1, dim=-1).indices[:, 0]
    unread = ~F.one_hot(best, weights.size(1)).bool().any(0)
    return best, unread


# %% read_alignment · wrong · unread-by-mean-weight
# source: written from the task's text, 2026-11
# mistake: unread means below the average column weight, not nobody's best
import torch

def read_alignment(weights):
    best = weights.argmax(dim=-1)
    attention_received = weights.sum(dim=0)
    unread = attention_received < attention_received.mean()
    return best, unread


# %% scaled_attention · right · tensorflow-manner
# source: written from the task's text, 2026-11
import math
import torch

def scaled_attention(query, keys, values, mask=None):
    depth = keys.size(-1)
    logits = torch.einsum("bqd,bkd->bqk", query, keys) / math.sqrt(depth)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool)
    mask = mask.broadcast_to(logits.shape)
    logits = torch.where(mask, logits, torch.tensor(torch.finfo(logits.dtype).min, dtype=logits.dtype))
    weights = torch.softmax(logits, dim=-1) * mask.to(logits.dtype)
    return torch.einsum("bqk,bkv->bqv", weights, values), weights


# %% scaled_attention · wrong · empty-context-only
# source: written from the task's text, 2026-11
# mistake: only the context of an empty row is zeroed, its weights stay uniform
import torch

def scaled_attention(query, keys, values, mask=None):
    scores = torch.bmm(query, keys.transpose(1, 2)) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    context = torch.bmm(weights, values)
    if mask is not None:
        some = mask.expand(scores.shape).any(-1, keepdim=True)
        context = context * some
    return context, weights


# %% scaled_attention · wrong · scale-value-dim
# source: written from the task's text, 2026-11
# mistake: the scale is the width of the values instead of that of the keys
import torch

def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.transpose(-2, -1) / values.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ values, weights


# %% score_variance · right · numpy
# source: written from the task's text, 2026-11
import numpy as np
import torch

def score_variance(queries, keys, widths):
    q, k = queries.double().numpy(), keys.double().numpy()
    plain = np.array([np.var(np.sum(q[:, :d] * k[:, :d], axis=1)) for d in widths])
    scaled = plain / np.array(widths)
    return torch.from_numpy(plain).to(queries.dtype), torch.from_numpy(scaled).to(queries.dtype)


# %% score_variance · wrong · all-pairs
# source: written from the task's text, 2026-11
# mistake: every query is scored against every key, not row against row
import torch

def score_variance(queries, keys, widths):
    plain = torch.stack([(queries[:, :d] @ keys[:, :d].T).var(correction=0) for d in widths])
    scaled = plain / torch.tensor(widths)
    return plain, scaled


# %% sickness · right · where-chain
# source: written from the task's text, 2026-11
import torch

def sickness(weights, mask):
    broken = (weights < 0).any(-1) | ((weights.sum(-1) - mask.any(-1).to(weights)).abs() > 0.01)
    broken = broken.any(-1)
    leaks = (weights.masked_fill(mask, 0) != 0).any(-1).any(-1)
    choice = mask.sum(-1) >= 2
    has = choice.any(-1)
    token = torch.where(choice[..., None], weights > 0.9, True).all(1).any(-1) & has
    inf = torch.tensor(torch.inf, dtype=weights.dtype)
    gap = torch.where(mask, weights, -inf).amax(-1) - torch.where(mask, weights, inf).amin(-1)
    uniform = torch.where(choice, gap < 0.01, True).all(-1) & has
    zero = torch.zeros(len(weights), dtype=torch.long)
    code = torch.where(uniform, 4, zero)
    code = torch.where(token, 3, code)
    code = torch.where(leaks, 2, code)
    return torch.where(broken, 1, code)


# %% sickness · wrong · row-specific-favourite
# source: written from the task's text, 2026-11
# mistake: "one token" asks for a weight over 0.9 in every row, not for the same word in all rows
import torch

def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums = w.sum(-1)
        should = m.any(-1).to(w.dtype)
        choice = m.sum(-1) >= 2
        if (w < 0).any() or ((sums - should).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m] != 0).any():
            codes.append(2)
        elif choice.any() and (w[choice].amax(-1) > 0.9).all():
            codes.append(3)
        else:
            high = w.masked_fill(~m, -torch.inf).amax(-1)
            low = w.masked_fill(~m, torch.inf).amin(-1)
            flat = (high - low < 0.01)[choice]
            codes.append(4 if choice.any() and flat.all() else 0)
    return torch.tensor(codes)


# %% soft_lookup · right · loop
# source: written from the task's text, 2026-11
import torch

def soft_lookup(query, keys, values):
    weights, context = [], []
    for q in query:
        scores = torch.mv(keys, q)
        w = torch.softmax(scores, dim=0)
        weights.append(w)
        context.append((w[:, None] * values).sum(0))
    return torch.stack(context), torch.stack(weights)


# %% soft_lookup · wrong · argmax-context
# source: written from the task's text, 2026-11
# mistake: the context is the value of the best key (a hard look-up), only the weights are soft
import torch

def soft_lookup(query, keys, values):
    scores = query @ keys.T
    weights = torch.softmax(scores, dim=-1)
    context = values[weights.argmax(dim=-1)]
    return context, weights


# %% softmax_with_temperature · wrong · inverse-after
# source: written from the task's text, 2026-11
# mistake: the temperature is applied to the finished weights as a power of tau, not of 1/tau
import torch

def softmax_with_temperature(scores, temperature):
    probs = torch.softmax(scores, dim=-1)
    probs = probs ** temperature
    return probs / probs.sum(dim=-1, keepdim=True)


# %% split_heads · right · chunk-stack
# source: written from the task's text, 2026-11
import torch

def split_heads(tensor, heads):
    return torch.stack(tensor.chunk(heads, dim=-1), dim=1)


# %% split_heads · wrong · interleaved-heads
# source: written from the task's text, 2026-11
# mistake: each head takes every heads-th number of the vector instead of a run of neighbours
def split_heads(tensor, heads):
    b, n, d = tensor.shape
    return tensor.reshape(b, n, d // heads, heads).permute(0, 3, 1, 2)


# %% streaming_attention · right · dict-of-running-state
# source: written from the task's text, 2026-11
import torch

def streaming_attention(query, keys, values, mask, block):
    batch, tgt, dim = query.shape
    m = torch.full((batch, tgt, 1), -torch.inf, dtype=query.dtype)
    l = torch.zeros(batch, tgt, 1, dtype=query.dtype)
    acc = torch.zeros(batch, tgt, values.shape[2], dtype=query.dtype)
    for k, v, open_ in zip(keys.split(block, 1), values.split(block, 1), mask.split(block, 2)):
        s = torch.bmm(query, k.transpose(1, 2)) / dim**0.5
        s = torch.where(open_, s, -torch.inf)
        m_new = torch.maximum(m, s.max(dim=2, keepdim=True).values)
        safe = torch.where(m_new == -torch.inf, 0.0, m_new)
        scale = torch.exp(m - safe)
        p = torch.exp(s - safe)
        l = l * scale + p.sum(2, keepdim=True)
        acc = acc * scale + torch.bmm(p, v)
        m = m_new
    return acc / torch.where(l > 0, l, 1.0), l.squeeze(2)


# %% streaming_attention · wrong · rescale-total-only
# source: written from the task's text, 2026-11
# mistake: the sum is rescaled when a larger score comes, the context gathered so far is not
import torch

def streaming_attention(query, keys, values, mask, block):
    b, t, d = query.shape
    top = query.new_full((b, t), torch.finfo(query.dtype).min)
    total = query.new_zeros(b, t)
    context = query.new_zeros(b, t, values.shape[-1])
    for i in range(0, keys.shape[1], block):
        open_ = mask[:, :, i:i + block]
        s = query @ keys[:, i:i + block].mT / d**0.5
        s = s.masked_fill(~open_, torch.finfo(s.dtype).min)
        new = torch.maximum(top, s.amax(-1))
        e = (s - new[..., None]).exp() * open_
        total = total * (top - new).exp() + e.sum(-1)
        context = context + e @ values[:, i:i + block]
        top = new
    return context / total.clamp(min=1e-30)[..., None], total


# %% temperature_for · right · newton-free-golden-bisect
# source: written from the task's text, 2026-11
import torch

def temperature_for(scores, words):
    s = scores.double()
    s = s - s.amax(-1, keepdim=True)
    spread = (s.amax(-1) - s.amin(-1)).clamp_min(1e-12)
    lo = (spread * 1e-9).log()
    hi = (spread * 1e9).log()
    for _ in range(200):
        mid = (lo + hi) / 2
        w = torch.softmax(s / mid.exp().unsqueeze(-1), -1)
        n = torch.special.entr(w).sum(-1).exp()
        lo = torch.where(n < words, mid, lo)
        hi = torch.where(n < words, hi, mid)
    return ((lo + hi) / 2).exp().to(scores.dtype)


# %% temperature_for · wrong · one-step-for-all
# source: written from the task's text, 2026-11
# mistake: one search runs for the mean entropy of all rows, so every row gets the same temperature
import math
import torch

def temperature_for(scores, words):
    s = scores.double()
    target = math.log(words)
    lo, hi = 1e-6, 1e6
    for _ in range(100):
        t = math.sqrt(lo * hi)
        p = torch.softmax(s / t, dim=-1)
        h = torch.special.entr(p).sum(-1).mean()
        if h < target:
            lo = t
        else:
            hi = t
    return torch.full(scores.shape[:-1], math.sqrt(lo * hi), dtype=scores.dtype)


# %% temperature_for · wrong · perplexity-base-two
# source: written from the task's text, 2026-11
# mistake: the search is for 2**H of an entropy in nats instead of exp(H)
import torch

def temperature_for(scores, words):
    s = (scores - scores.amax(-1, keepdim=True)).double()
    lo = torch.full(s.shape[:-1], -25.0, dtype=torch.float64)
    hi = torch.full(s.shape[:-1], 25.0, dtype=torch.float64)
    for _ in range(100):
        mid = (lo + hi) / 2
        p = torch.softmax(s / mid.exp()[..., None], dim=-1)
        perplexity = 2 ** torch.special.entr(p).sum(-1)
        small = perplexity < words
        lo, hi = torch.where(small, mid, lo), torch.where(small, hi, mid)
    return mid.exp().to(scores.dtype)


# %% test_additive · wrong · uniform-empty-row
# source: written from the task's text, 2026-11
# mistake: it demands that a row masked whole still sums to 1, and so blames the right version
import torch

def test_additive(additive):
    g = torch.Generator().manual_seed(1)
    q = torch.randn(2, 3, 4, generator=g)
    k = torch.randn(2, 5, 6, generator=g)
    val = torch.randn(2, 5, 7, generator=g)
    Wq, Wk, v = torch.randn(8, 4, generator=g), torch.randn(8, 6, generator=g), torch.randn(8, generator=g)
    mask = torch.rand(2, 3, 5, generator=g) > 0.4
    mask[1, 2] = False
    context, weights = additive(q, k, val, mask, Wq, Wk, v)
    assert weights.shape == (2, 3, 5) and context.shape == (2, 3, 7)
    assert not weights.isnan().any()
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3), atol=1e-5)
    assert torch.allclose(context, weights @ val, atol=1e-5)


# %% test_attend · wrong · mask-meaning
# source: written from the task's text, 2026-11
# mistake: the test expects True to mean hidden, and so blames the right version
import torch
import torch.nn.functional as F

def test_attend(attend):
    torch.manual_seed(3)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    context, weights = attend(q, k, v)
    assert torch.allclose(context, F.scaled_dot_product_attention(q, k, v), atol=1e-5)
    hidden = torch.zeros(2, 3, 5, dtype=torch.bool)
    hidden[:, :, 3:] = True
    context, weights = attend(q, k, v, hidden)
    assert (weights[:, :, 3:] == 0).all()
    assert torch.allclose(context, F.scaled_dot_product_attention(q, k[:, :3], v[:, :3]), atol=1e-5)


# %% test_language_model · wrong · sums-only
# source: written from the task's text, 2026-11
# mistake: only rows of one word and the sums of the chances are tested, so nearly every bug slips through
import torch

def test_language_model(language_model):
    torch.manual_seed(0)
    words = torch.tensor([[1], [3], [0]])
    embedding, places = torch.randn(5, 4), torch.randn(6, 4)
    w_q, w_k, w_v = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 4)
    w_1, w_2 = torch.randn(4, 8), torch.randn(8, 4)
    chances = language_model(words, embedding, places, w_q, w_k, w_v, w_1, w_2)
    assert chances.shape == (3, 1, 5)
    assert torch.allclose(chances.sum(-1), torch.ones(3, 1), atol=1e-5)


# %% test_local_general · wrong · identity-only
# source: written from the task's text, 2026-11
# mistake: all inputs have W as the identity, tgt_len = src_len and no padding, so most bugs slip through
import torch

def test_local_general(local_general):
    torch.manual_seed(0)
    x = torch.randn(2, 4, 4)
    W = torch.eye(4)
    lengths = torch.tensor([4, 4])
    context, weights = local_general(x, x, W, lengths, 1)
    i = torch.arange(4)
    mask = (i[:, None] - i[None]).abs() <= 1
    expected = (x @ x.transpose(1, 2)).masked_fill(~mask, float("-inf")).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(context, expected @ x, atol=1e-5)


# %% test_luong_step · wrong · old-state-looks
# source: written from the task's text, 2026-11
# mistake: the reference asks with the state before the update, and so blames the right version
import torch

def test_luong_step(step):
    torch.manual_seed(0)
    word = torch.tensor([1, 4, 2])
    state, memory = torch.randn(3, 5), torch.randn(3, 4, 5)
    embedding, w_state, w_output = torch.randn(6, 7), torch.randn(12, 5) / 3, torch.randn(10, 6)
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]]).bool()
    logits, weights, new = step(word, state, memory, mask, embedding, w_state, w_output)
    scores = torch.einsum("bd,bsd->bs", state, memory).masked_fill(~mask, float("-inf"))
    expected = scores.softmax(-1)
    expected_state = torch.tanh(torch.cat((embedding[word], state), 1) @ w_state)
    assert torch.allclose(new, expected_state, atol=1e-5)
    assert torch.allclose(weights, expected, atol=1e-5)


# %% test_multi_head · wrong · torch-orientation
# source: written from the task's text, 2026-11
# mistake: the reference multiplies by the transposed matrices, and so blames the right version
import torch
import torch.nn.functional as F

def test_multi_head(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 5, 6)
    wq, wk, wv, wo = torch.randn(4, 6, 6)
    out, weights = multi_head(x, wq, wk, wv, wo, 2)
    q, k, v = (F.linear(x, w).view(2, 5, 2, 3).transpose(1, 2) for w in (wq, wk, wv))
    expected = (q @ k.mT / 3**0.5).softmax(-1)
    assert torch.allclose(weights, expected, atol=1e-5)
    assert torch.allclose(out, F.linear((expected @ v).transpose(1, 2).flatten(2), wo), atol=1e-4)


# %% training_loop · wrong · clip-by-value
# source: written from the task's text, 2026-11
# mistake: the gradient is clipped number by number (clip_grad_value_) and not by its norm
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

def training_loop(targets, states, embedding, w_state, w_output, rate):
    model = Tiny(embedding, w_state, w_output)
    losses, validation = [], []
    for batch, state in zip(targets[:-1], states[:-1]):
        model.train()
        logits = model(batch[:, :-1], state)
        loss = F.cross_entropy(logits.transpose(1, 2), batch[:, 1:], ignore_index=PAD)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
        with torch.no_grad():
            for p in model.parameters():
                p -= rate * p.grad
            model.eval()
            held = model(targets[-1][:, :-1], states[-1])
            validation.append(F.cross_entropy(held.transpose(1, 2), targets[-1][:, 1:], ignore_index=PAD))
        losses.append(loss.detach())
    return torch.stack(losses), torch.stack(validation), model.embedding.detach()
