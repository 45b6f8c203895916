# %% cache_bytes · right · python-ints-layer-by-layer
# source: written from the task's text, 2026-11
import json

import torch


def cache_bytes(config, tokens):
    """The bytes kept of texts of `tokens` tokens (n,), from the text of a configuration."""
    card = json.loads(config)
    heads = card["num_attention_heads"]
    if card.get("kv_lora_rank") is not None:
        per_layer = card["kv_lora_rank"] + card["qk_rope_head_dim"]  # one vector, no factor 2
    else:
        kv_heads = card.get("num_key_value_heads")
        if kv_heads is None:
            kv_heads = heads
        width = card.get("head_dim")
        if width is None:
            width = card["hidden_size"] // heads
        per_layer = 2 * kv_heads * width  # keys and values

    window = card.get("sliding_window")
    if card.get("use_sliding_window") is False:
        window = None
    kinds = card.get("layer_types")
    if kinds is None:
        kinds = ["sliding_attention"] * card["num_hidden_layers"]

    result = []
    for n in tokens.tolist():
        total = 0
        for kind in kinds:
            kept = int(n)
            if window is not None and kind == "sliding_attention":
                kept = min(kept, window)
            total += 2 * per_layer * kept
        result.append(total)
    return torch.tensor(result)


# %% cache_bytes · right · count-then-clamp
# source: written from the task's text, 2026-11
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    n = tokens.long()
    layers = c["num_hidden_layers"]

    # how many layers are short, and how short
    window = None if c.get("use_sliding_window") is False else c.get("sliding_window")
    if window is None:
        short = 0
        window = 1  # not used
    elif c.get("layer_types"):
        short = sum(kind == "sliding_attention" for kind in c["layer_types"])
    else:
        short = layers
    kept = short * n.clamp(max=window) + (layers - short) * n  # tokens, over all layers

    if c.get("kv_lora_rank"):
        numbers = c["kv_lora_rank"] + c["qk_rope_head_dim"]
    else:
        width = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
        numbers = 2 * width * (c.get("num_key_value_heads") or c["num_attention_heads"])
    return 2 * numbers * kept


# %% cache_bytes · wrong · head-dim-always-divided
# source: written from the task's text, 2026-11
# mistake: the width of a head is always hidden_size / num_attention_heads, a head_dim in the file is ignored
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    layers = c["num_hidden_layers"]
    heads = c["num_attention_heads"]
    kv_heads = c.get("num_key_value_heads") or heads
    head_dim = c["hidden_size"] // heads
    if c.get("kv_lora_rank"):
        numbers = c["kv_lora_rank"] + c["qk_rope_head_dim"]
    else:
        numbers = 2 * kv_heads * head_dim
    window = c.get("sliding_window")
    if c.get("use_sliding_window") is False:
        window = None
    types = c.get("layer_types") or ["sliding_attention"] * layers
    total = torch.zeros_like(tokens, dtype=torch.long)
    for kind in types:
        kept = tokens.long()
        if window is not None and kind == "sliding_attention":
            kept = kept.clamp(max=window)
        total = total + 2 * numbers * kept
    return total


# %% cache_bytes · wrong · switch-must-be-there
# source: written from the task's text, 2026-11
# mistake: a missing use_sliding_window is taken for false, so a window counts only if the switch is in the file
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    layers = c["num_hidden_layers"]
    heads = c["num_attention_heads"]
    kv_heads = c.get("num_key_value_heads") or heads
    head_dim = c.get("head_dim") or c["hidden_size"] // heads
    numbers = 2 * kv_heads * head_dim
    if c.get("kv_lora_rank"):
        numbers = c["kv_lora_rank"] + c["qk_rope_head_dim"]

    window = None
    if c.get("use_sliding_window", False):
        window = c.get("sliding_window")

    types = c.get("layer_types") or ["sliding_attention"] * layers
    total = torch.zeros_like(tokens, dtype=torch.long)
    for kind in types:
        if window is not None and kind == "sliding_attention":
            total += tokens.long().clamp(max=window)
        else:
            total += tokens.long()
    return total * numbers * 2


# %% cache_bytes · wrong · latent-twice
# source: written from the task's text, 2026-11
# mistake: the latent vector and the rotary part are counted twice, as if there were keys and values
import json

import torch


def cache_bytes(config, tokens):
    cfg = json.loads(config)
    n_layers, n_heads = cfg["num_hidden_layers"], cfg["num_attention_heads"]
    if cfg.get("kv_lora_rank") is not None:
        per_token = cfg["kv_lora_rank"] + cfg["qk_rope_head_dim"]
    else:
        kv_heads = cfg.get("num_key_value_heads") or n_heads
        per_token = kv_heads * (cfg.get("head_dim") or cfg["hidden_size"] // n_heads)
    per_token = 2 * per_token  # K and V
    bytes_per_layer = 2 * per_token  # bf16

    window = cfg.get("sliding_window")
    if cfg.get("use_sliding_window") is False:
        window = None
    layer_types = cfg.get("layer_types")
    if layer_types is None:
        layer_types = ["sliding_attention" if window else "full_attention"] * n_layers

    out = torch.zeros(len(tokens), dtype=torch.long)
    for t in layer_types:
        if t == "sliding_attention" and window:
            out += torch.clamp(tokens.long(), max=window) * bytes_per_layer
        else:
            out += tokens.long() * bytes_per_layer
    return out


# %% cache_bytes · wrong · window-in-every-layer
# source: written from the task's text, 2026-11
# mistake: layer_types is never read, a window counts for all layers
import json

import torch


def cache_bytes(config, tokens):
    card = json.loads(config)
    heads = card["num_attention_heads"]
    width = card.get("head_dim") or card["hidden_size"] // heads
    kv_heads = card.get("num_key_value_heads") or heads
    if card.get("kv_lora_rank"):
        numbers = card["kv_lora_rank"] + card["qk_rope_head_dim"]
    else:
        numbers = 2 * kv_heads * width
    tokens = tokens.long()
    if card.get("sliding_window") and card.get("use_sliding_window") is not False:
        tokens = tokens.clamp(max=card["sliding_window"])
    return 2 * card["num_hidden_layers"] * numbers * tokens


# %% cache_bytes · wrong · window-minus-one
# source: written from the task's text, 2026-11
# mistake: layers with a window keep one token too few, sliding_window - 1 in place of sliding_window
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    heads = c["num_attention_heads"]
    if c.get("kv_lora_rank"):
        numbers = c["kv_lora_rank"] + c["qk_rope_head_dim"]
    else:
        kv = c.get("num_key_value_heads") or heads
        numbers = 2 * kv * (c.get("head_dim") or c["hidden_size"] // heads)
    window = c.get("sliding_window")
    if c.get("use_sliding_window") is False:
        window = None
    layers = c["num_hidden_layers"]
    result = []
    for n in tokens.tolist():
        kept = 0
        for layer in range(layers):
            slides = window is not None
            if slides and c.get("layer_types"):
                slides = c["layer_types"][layer] == "sliding_attention"
            # the present token is in the window but was not kept before
            kept += min(n, window - 1) if slides else n
        result.append(2 * numbers * kept)
    return torch.tensor(result)


# %% cache_bytes · wrong · without-kv-heads-one
# source: written from the task's text, 2026-11
# mistake: without num_key_value_heads one head has keys, in place of all
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    kv_heads = c.get("num_key_value_heads") or 1
    width = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    numbers = 2 * kv_heads * width
    if c.get("kv_lora_rank"):
        numbers = c["kv_lora_rank"] + c["qk_rope_head_dim"]
    full = tokens.long()
    short = full
    if c.get("sliding_window") is not None and c.get("use_sliding_window") is not False:
        short = full.clamp(max=c["sliding_window"])
    kinds = c.get("layer_types") or ["sliding_attention"] * c["num_hidden_layers"]
    kept = sum(short if kind == "sliding_attention" else full for kind in kinds)
    return 2 * numbers * kept


# %% which_runs_out · right · pencil-and-paper
# source: written from the task's text, 2026-11
which_runs_out = dict(
    tiny_or_giant="qwen3-0.6b",
    window_or_groups="llama-3.2-1b",
    old_or_new="olmo-3-7b",
    window_in_the_file="qwen2.5-72b",
    half_a_window="gpt-oss-20b",
    three_quarters="llama-3.2-1b",
)


# %% which_runs_out · right · computed
# source: written from the task's text, 2026-11
N = 32_768
kept = {  # numbers of one layer and token, times the tokens summed over the layers
    "qwen3-0.6b": 2 * 8 * 128 * 28 * N,
    "deepseek-v3": (512 + 64) * 61 * N,
    "mistral-7b": 2 * 8 * 128 * 32 * 4096,
    "llama-3.2-1b": 2 * 8 * 64 * 16 * N,
    "llama-3.1-8b": 2 * 8 * 128 * 32 * N,
    "olmo-3-7b": 2 * 32 * 128 * (24 * 4096 + 8 * N),
    "qwen2.5-72b": 2 * 8 * 128 * 80 * N,
    "gpt-oss-20b": 2 * 8 * 64 * (12 * 128 + 12 * N),
    "tiny-aya": 2 * 4 * 128 * (27 * 4096 + 9 * N),
}
rivals = {
    "tiny_or_giant": ("qwen3-0.6b", "deepseek-v3"),
    "window_or_groups": ("mistral-7b", "llama-3.2-1b"),
    "old_or_new": ("olmo-3-7b", "llama-3.1-8b"),
    "window_in_the_file": ("olmo-3-7b", "qwen2.5-72b"),
    "half_a_window": ("gpt-oss-20b", "mistral-7b"),
    "three_quarters": ("tiny-aya", "llama-3.2-1b"),
}
which_runs_out = {name: max(pair, key=kept.get) for name, pair in rivals.items()}


# %% which_runs_out · wrong · giant
# source: written from the task's text, 2026-11
# mistake: tiny_or_giant says deepseek-v3, its latent vector taken for 128 heads with keys
which_runs_out = {
    "tiny_or_giant": "deepseek-v3",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · wrong · windows-forgotten-in-mistral
# source: written from the task's text, 2026-11
# mistake: window_or_groups says mistral-7b, as if it kept all 32,768 tokens
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "mistral-7b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · wrong · windows-must-win
# source: written from the task's text, 2026-11
# mistake: old_or_new says llama-3.1-8b, the 8 full layers and 32 heads with keys of OLMo are overlooked
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "llama-3.1-8b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · wrong · short-window-of-gpt-oss
# source: written from the task's text, 2026-11
# mistake: half_a_window says mistral-7b, the 12 layers of gpt-oss that keep everything are overlooked
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "mistral-7b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · wrong · aya-without-windows
# source: written from the task's text, 2026-11
# mistake: three_quarters says tiny-aya, the windows of its 27 layers are not taken into account
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "tiny-aya",
}


# %% grouped_step · right · einsum-by-groups
# source: written from the task's text, 2026-11
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    _, kv_heads, _, width = past_keys.shape
    dim = x.shape[1]
    new_key = torch.einsum("bd,dgw->bgw", x, w_k.reshape(dim, kv_heads, width))
    new_value = torch.einsum("bd,dgw->bgw", x, w_v.reshape(dim, kv_heads, width))
    keys = torch.cat([past_keys, new_key.unsqueeze(2)], dim=2)
    values = torch.cat([past_values, new_value.unsqueeze(2)], dim=2)

    # (batch, kv_heads, heads of the group, width): nothing is copied
    query = torch.einsum("bd,dgsw->bgsw", x, w_q.reshape(dim, kv_heads, -1, width))
    scores = torch.einsum("bgsw,bglw->bgsl", query, keys) / width**0.5
    context = torch.einsum("bgsl,bglw->bgsw", scores.softmax(-1), values)
    return context.flatten(1), keys, values


# %% grouped_step · right · head-after-head
# source: written from the task's text, 2026-11
import math

import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    kv_heads, width = past_keys.shape[1], past_keys.shape[3]
    heads = w_q.shape[1] // width
    in_group = heads // kv_heads

    all_keys, all_values = [], []
    for g in range(kv_heads):
        columns = slice(g * width, (g + 1) * width)
        key = (x @ w_k[:, columns]).unsqueeze(1)  # (batch, 1, width)
        value = (x @ w_v[:, columns]).unsqueeze(1)
        all_keys.append(torch.cat([past_keys[:, g], key], dim=1))
        all_values.append(torch.cat([past_values[:, g], value], dim=1))
    keys = torch.stack(all_keys, dim=1)
    values = torch.stack(all_values, dim=1)

    contexts = []
    for h in range(heads):
        g = h // in_group
        q = x @ w_q[:, h * width : (h + 1) * width]  # (batch, width)
        scores = (keys[:, g] * q[:, None, :]).sum(-1) / math.sqrt(width)  # (batch, all)
        weights = torch.softmax(scores, dim=1)
        contexts.append((weights[:, :, None] * values[:, g]).sum(1))
    context = torch.cat(contexts, dim=1)
    return context, keys, values


# %% grouped_step · wrong · repeat
# source: written from the task's text, 2026-11
# mistake: the heads with keys are copied with repeat, so heads 0 and 1 do not share the first
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, _, width = past_keys.shape
    keys = torch.cat([past_keys, (x @ w_k).view(batch, kv_heads, 1, width)], dim=2)
    values = torch.cat([past_values, (x @ w_v).view(batch, kv_heads, 1, width)], dim=2)
    queries = (x @ w_q).view(batch, -1, 1, width)
    times = queries.shape[1] // kv_heads
    k = keys.repeat(1, times, 1, 1)
    v = values.repeat(1, times, 1, 1)
    scores = queries @ k.transpose(2, 3) / width**0.5
    context = (scores.softmax(-1) @ v).flatten(1)
    return context, keys, values


# %% grouped_step · wrong · scale-of-all-heads
# source: written from the task's text, 2026-11
# mistake: the scores are divided by the root of heads · width in place of the root of width
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, _, width = past_keys.shape
    key = (x @ w_k).reshape(batch, kv_heads, 1, width)
    value = (x @ w_v).reshape(batch, kv_heads, 1, width)
    keys = torch.cat((past_keys, key), 2)
    values = torch.cat((past_values, value), 2)
    q = x @ w_q
    d_k = q.shape[-1]
    heads = d_k // width
    q = q.reshape(batch, heads, 1, width)
    k = keys.repeat_interleave(heads // kv_heads, dim=1)
    v = values.repeat_interleave(heads // kv_heads, dim=1)
    scores = q @ k.mT / d_k**0.5
    context = (torch.softmax(scores, dim=-1) @ v).reshape(batch, -1)
    return context, keys, values


# %% grouped_step · wrong · new-word-first
# source: written from the task's text, 2026-11
# mistake: the new key and value are put in front of the cache in place of behind it
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, written, width = past_keys.shape
    new_k = (x @ w_k).unflatten(-1, (kv_heads, width)).unsqueeze(2)
    new_v = (x @ w_v).unflatten(-1, (kv_heads, width)).unsqueeze(2)
    keys = torch.cat([new_k, past_keys], dim=2)
    values = torch.cat([new_v, past_values], dim=2)
    q = (x @ w_q).unflatten(-1, (-1, width)).unsqueeze(2)
    group = q.shape[1] // kv_heads
    weights = (q @ keys.repeat_interleave(group, 1).transpose(-2, -1) / width**0.5).softmax(-1)
    context = (weights @ values.repeat_interleave(group, 1)).squeeze(2).flatten(1)
    return context, keys, values


# %% grouped_step · wrong · only-the-past
# source: written from the task's text, 2026-11
# mistake: the new word looks at the words before it only, and not at itself
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, written, width = past_keys.shape
    heads = w_q.shape[1] // width
    q = (x @ w_q).view(batch, heads, 1, width)
    k = past_keys.repeat_interleave(heads // kv_heads, dim=1)
    v = past_values.repeat_interleave(heads // kv_heads, dim=1)
    weights = torch.softmax(q @ k.transpose(-1, -2) / width**0.5, dim=-1)
    context = (weights @ v).view(batch, heads * width)
    # and now remember the new word
    keys = torch.cat([past_keys, (x @ w_k).view(batch, kv_heads, 1, width)], dim=2)
    values = torch.cat([past_values, (x @ w_v).view(batch, kv_heads, 1, width)], dim=2)
    return context, keys, values


# %% grouped_step · wrong · copies-in-the-cache
# source: written from the task's text, 2026-11
# mistake: the returned cache holds the copied heads, (batch, heads, ...) in place of (batch, kv_heads, ...)
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, written, width = past_keys.shape
    heads = w_q.shape[1] // width
    query = (x @ w_q).view(batch, heads, 1, width)
    keys = torch.cat([past_keys, (x @ w_k).view(batch, kv_heads, 1, width)], dim=2)
    values = torch.cat([past_values, (x @ w_v).view(batch, kv_heads, 1, width)], dim=2)
    keys = keys.repeat_interleave(heads // kv_heads, dim=1)
    values = values.repeat_interleave(heads // kv_heads, dim=1)
    scores = query @ keys.transpose(2, 3) / width**0.5
    context = (scores.softmax(dim=-1) @ values).flatten(1)
    return context, keys, values


# %% grouped_step · wrong · columns-dealt-out
# source: written from the task's text, 2026-11
# mistake: the query's columns are dealt out to the heads in turn, in place of the first width columns for head 0
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, written, width = past_keys.shape
    keys = torch.cat([past_keys, (x @ w_k).view(batch, kv_heads, 1, width)], dim=2)
    values = torch.cat([past_values, (x @ w_v).view(batch, kv_heads, 1, width)], dim=2)
    q = (x @ w_q).view(batch, width, -1).transpose(1, 2)  # (batch, heads, width)
    heads = q.shape[1]
    k = keys.repeat_interleave(heads // kv_heads, dim=1)
    v = values.repeat_interleave(heads // kv_heads, dim=1)
    scores = torch.einsum("bhw,bhlw->bhl", q, k) / width**0.5
    context = torch.einsum("bhl,bhlw->bhw", scores.softmax(-1), v).reshape(batch, -1)
    return context, keys, values


# %% ring_step · right · pieces-and-a-loop
# source: written from the task's text, 2026-11
import math

import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    """`context`, `keys` and `values`: see the table."""
    window = ring_keys.shape[1]
    place = read % window
    keys = torch.cat([ring_keys[:, :place], key[:, None], ring_keys[:, place + 1 :]], dim=1)
    values = torch.cat([ring_values[:, :place], value[:, None], ring_values[:, place + 1 :]], dim=1)

    there = window if read >= window else read + 1  # places that hold a word
    scores = []
    for j in range(there):
        scores.append((query * keys[:, j]).sum(dim=-1) / math.sqrt(query.shape[-1]))
    weights = torch.stack(scores, dim=1).softmax(dim=1)  # (batch, there)
    context = 0
    for j in range(there):
        context = context + weights[:, j : j + 1] * values[:, j]
    return context, keys, values


# %% ring_step · right · where-and-pytorch
# source: written from the task's text, 2026-11
import torch
from torch.nn import functional as F


def ring_step(query, key, value, ring_keys, ring_values, read):
    size = ring_keys.shape[1]
    here = (torch.arange(size) == read % size)[:, None]  # (W, 1)
    keys = torch.where(here, key[:, None], ring_keys)
    values = torch.where(here, value[:, None], ring_values)
    filled = min(read + 1, size)
    context = F.scaled_dot_product_attention(
        query[:, None], keys[:, :filled], values[:, :filled]
    )
    return context[:, 0], keys, values


# %% ring_step · wrong · in-the-old-ring
# source: written from the task's text, 2026-11
# mistake: writes into the ring that came in, which was to be left as it is
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    W = ring_keys.shape[1]
    keys = ring_keys
    values = ring_values
    keys[:, read % W] = key
    values[:, read % W] = value
    n = min(read + 1, W)
    scores = (keys[:, :n] @ query.unsqueeze(-1)).squeeze(-1) / query.shape[-1] ** 0.5
    context = (scores.softmax(-1).unsqueeze(1) @ values[:, :n]).squeeze(1)
    return context, keys, values


# %% ring_step · wrong · empty-places-count
# source: written from the task's text, 2026-11
# mistake: looks at all W places, also at those that hold no word yet
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    keys, values = ring_keys.clone(), ring_values.clone()
    place = read % keys.size(1)
    keys[:, place] = key
    values[:, place] = value
    scores = torch.einsum("bd,bwd->bw", query, keys) / query.size(-1) ** 0.5
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bw,bwd->bd", weights, values)
    return context, keys, values


# %% ring_step · wrong · moves-up
# source: written from the task's text, 2026-11
# mistake: shifts all words by one place and writes the new one at the end, in place of going round
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    window = ring_keys.shape[1]
    keys = torch.cat([ring_keys[:, 1:], key.unsqueeze(1)], dim=1)
    values = torch.cat([ring_values[:, 1:], value.unsqueeze(1)], dim=1)
    filled = min(read + 1, window)
    k, v = keys[:, window - filled :], values[:, window - filled :]
    scores = (k @ query.unsqueeze(-1)).squeeze(-1) / query.shape[-1] ** 0.5
    context = (scores.softmax(-1).unsqueeze(1) @ v).squeeze(1)
    return context, keys, values


# %% ring_step · wrong · last-place-again
# source: written from the task's text, 2026-11
# mistake: when the ring is full each new word goes to the last place, in place of the oldest word's
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    W = ring_keys.shape[1]
    place = min(read, W - 1)
    keys = ring_keys.clone()
    values = ring_values.clone()
    keys[:, place] = key
    values[:, place] = value
    filled = place + 1
    scores = torch.bmm(keys[:, :filled], query[:, :, None])[:, :, 0]
    weights = torch.softmax(scores / query.shape[1] ** 0.5, dim=1)
    context = torch.bmm(weights[:, None, :], values[:, :filled])[:, 0]
    return context, keys, values


# %% ring_step · right · masked-but-not-clean
# source: written from the task's text, 2026-11
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    window = ring_keys.shape[1]
    keys = ring_keys.clone()
    values = ring_values.clone()
    keys[:, read % window] = key
    values[:, read % window] = value
    open_places = torch.arange(window) <= read
    scores = torch.einsum("bd,bwd->bw", query, keys) / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~open_places, float("-inf"))
    weights = scores.softmax(dim=-1)
    context = torch.einsum("bw,bwd->bd", weights, values)
    return context, keys, values


# %% ring_step · wrong · root-of-the-window
# source: written from the task's text, 2026-11
# mistake: the scores are divided by the root of W in place of the root of the width
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    batch, d, width = ring_keys.shape
    slot = read % d
    keys = ring_keys.clone()
    keys[:, slot, :] = key
    values = ring_values.clone()
    values[:, slot, :] = value
    valid = min(read + 1, d)
    scores = torch.einsum("bd,bwd->bw", query, keys[:, :valid]) / d**0.5
    context = torch.einsum("bw,bwd->bd", scores.softmax(-1), values[:, :valid])
    return context, keys, values


# %% test_tiles · right · four-kinds-of-numbers
# source: written from the task's text, 2026-11
import torch


def test_tiles(tiles):
    """Fails if `tiles` has a bug, and only then."""
    dice = torch.Generator().manual_seed(7)

    def draw(*shape):
        return torch.randn(*shape, generator=dice)

    def expected(query, keys, values, mask):
        scores = query.double() @ keys.double().transpose(1, 2) / query.shape[-1] ** 0.5
        scores = scores.masked_fill(~mask, -torch.inf)
        top = scores.amax(-1, keepdim=True)
        top = top.masked_fill(top == -torch.inf, 0.0)  # rows that are masked whole
        parts = (scores - top).exp()
        return parts @ values.double() / parts.sum(-1, keepdim=True).clamp(min=1e-300)

    def compare(query, keys, values, mask, block, atol):
        right = expected(query, keys, values, mask)
        found = tiles(query, keys, values, mask, block)
        torch.testing.assert_close(found.double(), right, atol=atol, rtol=0)

    mask = torch.rand(2, 5, 7, generator=dice) < 0.6
    mask[0, 0] = True
    mask[0, 1] = False  # whole
    mask[1, 2] = torch.arange(7) >= 4  # the first tiles are empty
    mask[1, 3] = torch.arange(7) < 3  # the last ones
    mask[1, 4] = torch.arange(7) == 6

    values = draw(2, 7, 3)
    up, side = 12 + draw(2, 5, 4).abs(), 12 + draw(2, 7, 4).abs()
    inputs = [
        (draw(2, 5, 4), draw(2, 7, 4), 1e-4),
        (12 * draw(2, 5, 4), 12 * draw(2, 7, 4), 3e-3),
        (up, side, 3e-3),  # all scores about +300
        (up, -side, 3e-3),  # all about -300
    ]
    for query, keys, atol in inputs:
        for block in (1, 3, 7, 30):
            compare(query, keys, values, mask, block, atol)

    # a key that is shut and would have won by far: scores -300, -299, 300, -298, -300, -299.5
    query = torch.zeros(1, 2, 4)
    query[..., 0] = 20
    keys = torch.zeros(1, 6, 4)
    keys[0, :, 0] = torch.tensor([-30.0, -29.9, 30.0, -29.8, -30.0, -29.95])
    mask = torch.ones(1, 2, 6, dtype=torch.bool)
    mask[0, 0, 2] = False
    values = draw(1, 6, 3)
    for block in (2, 4):
        compare(query, keys, values, mask, block, 3e-3)


# %% test_tiles · right · against-pytorch
# source: written from the task's text, 2026-11
import torch
from torch.nn import functional as F


def test_tiles(tiles):
    gen = torch.Generator().manual_seed(123)
    batch, tgt, src, dim, width = 3, 4, 9, 6, 2

    def inputs(kind):
        if kind in ("small", "large"):
            size = 0.7 if kind == "small" else 10.0
            q = size * torch.randn(batch, tgt, dim, generator=gen)
            k = size * torch.randn(batch, src, dim, generator=gen)
        else:
            sign = 16.0 if kind == "high" else -16.0
            q = 10 + torch.rand(batch, tgt, dim, generator=gen)
            k = sign + torch.rand(batch, src, dim, generator=gen)
        v = 1 + torch.randn(batch, src, width, generator=gen)
        mask = torch.rand(batch, tgt, src, generator=gen) > 0.45
        mask[0, 0] = True
        mask[1, 1] = False
        mask[1, 2, :6] = False
        mask[1, 2, 6:] = True
        mask[0, 3, :3] = True
        mask[0, 3, 3:] = False
        lowest = (q[2, 3] @ k[2].T).argmin()
        mask[2, 3] = torch.arange(src) == lowest  # all the better ones are shut
        return q, k, v, mask

    for kind in ("small", "large", "high", "low"):
        q, k, v, mask = inputs(kind)
        wanted = F.scaled_dot_product_attention(q.double(), k.double(), v.double(), attn_mask=mask)
        wanted = torch.where(mask.any(-1, keepdim=True), wanted, torch.zeros_like(wanted))
        slack = 1e-4 if kind == "small" else 5e-3
        for block in (1, 2, 4, 9, 16):
            got = tiles(q, k, v, mask, block)
            assert got.shape == wanted.shape
            assert torch.isfinite(got).all()
            assert (got.double() - wanted).abs().max() < slack


# %% test_tiles · wrong · small-numbers-only
# source: written from the task's text, 2026-11
# mistake: small random numbers alone, no large scores and no row that is masked whole
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    for block in (1, 2, 3, 5, 8):
        q = torch.randn(2, 4, 3)
        k = torch.randn(2, 5, 3)
        v = torch.randn(2, 5, 6)
        mask = torch.rand(2, 4, 5) > 0.3
        mask[..., 0] = True
        scores = q @ k.transpose(1, 2) / 3**0.5
        scores = scores.masked_fill(~mask, float("-inf"))
        expected = scores.softmax(-1) @ v
        assert torch.allclose(tiles(q, k, v, mask, block), expected, atol=1e-5)


# %% test_tiles · wrong · to-the-last-bit
# source: written from the task's text, 2026-11
# mistake: demands equality to the last bit, and so blames the right version
import torch


def test_tiles(tiles):
    torch.manual_seed(1)
    mask = torch.rand(2, 6, 11) > 0.4
    mask[0, 0] = False
    mask[1, 1, :8] = False
    mask[1, 1, 8:] = True
    for size in (1.0, 12.0):
        q, k, v = size * torch.randn(2, 6, 4), size * torch.randn(2, 11, 4), torch.randn(2, 11, 5)
        scores = (q @ k.transpose(1, 2) / 2).masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1).nan_to_num(0.0)
        expected = weights @ v
        for block in (1, 2, 4, 11, 20):
            assert torch.equal(tiles(q, k, v, mask, block), expected)


# %% test_tiles · wrong · nan-expected
# source: written from the task's text, 2026-11
# mistake: its own result of a row that is masked whole is nan in place of 0, and so it blames the right version
import torch


def test_tiles(tiles):
    torch.manual_seed(3)

    def reference(q, k, v, mask):
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1) @ v

    mask = torch.rand(2, 5, 7) > 0.4
    mask[0, 2] = False
    mask[1, 0, :4] = False
    mask[1, 0, 4:] = True
    for size in (1, 10):
        for sign in (-1, 1):
            q = size * torch.randn(2, 5, 4).abs()
            k = sign * size * torch.randn(2, 7, 4).abs()
            v = torch.randn(2, 7, 3)
            for block in (1, 3, 7, 12):
                torch.testing.assert_close(
                    tiles(q, k, v, mask, block), reference(q, k, v, mask), atol=1e-3, rtol=1e-3
                )


# %% test_tiles · wrong · a-single-tile
# source: written from the task's text, 2026-11
# mistake: all keys always fit into one tile, so nothing is ever carried from tile to tile
import torch


def test_tiles(tiles):
    torch.manual_seed(5)
    src = 8
    for size, shift in ((1.0, 0.0), (12.0, 0.0), (1.0, 14.0), (1.0, -14.0)):
        q = size * torch.randn(2, 5, 4) + abs(shift)
        k = size * torch.randn(2, src, 4) + shift
        v = torch.randn(2, src, 3)
        mask = torch.rand(2, 5, src) > 0.4
        mask[0, 0] = False
        mask[1, 1] = True
        scores = q.double() @ k.double().transpose(1, 2) / 2
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        weights = torch.where(mask.any(-1, keepdim=True), weights, torch.zeros_like(weights))
        expected = weights @ v.double()
        for block in (src, src + 5):
            found = tiles(q, k, v, mask, block).double()
            torch.testing.assert_close(found, expected, atol=5e-3, rtol=0)


# %% test_tiles · wrong · shapes-and-finite
# source: written from the task's text, 2026-11
# mistake: asserts the shape, that all numbers are finite and that a whole masked row is 0, and never the contexts
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    for block in (1, 2, 4, 6, 10):
        for size in (1.0, 15.0):
            query = size * torch.randn(2, 3, 4)
            keys = size * torch.randn(2, 6, 4)
            values = torch.randn(2, 6, 5)
            mask = torch.rand(2, 3, 6) > 0.5
            mask[0, 1] = False
            context = tiles(query, keys, values, mask, block)
            assert context.shape == (2, 3, 5)
            assert torch.isfinite(context).all()
            assert (context[0, 1] == 0).all()


# %% test_tiles · wrong · too-many-numbers
# source: written from the task's text, 2026-11
# mistake: the inputs are larger than allowed, keys alone have 8,192 numbers
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    for size in (0.5, 8.0):
        q = size * torch.randn(4, 32, 16)
        k = size * torch.randn(4, 128, 16)
        v = torch.randn(4, 128, 16)
        mask = torch.rand(4, 32, 128) > 0.5
        mask[0, 0] = False
        mask[1, 1, :64] = False
        scores = (q.double() @ k.double().mT / 4).masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1).masked_fill(~mask, 0.0)
        expected = weights @ v.double()
        for block in (1, 16, 50, 128, 200):
            found = tiles(q, k, v, mask, block)
            torch.testing.assert_close(found.double(), expected, atol=5e-3, rtol=0)


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
        own_place = written + torch.arange(new)
        mask = torch.arange(written + new) <= own_place[:, None]  # (new, written + new)
        context, _ = self.attention.attend(y, Memory(keys, values, mask))
        x = x + context
        states = x + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% CachedBlock · right · word-by-word-inside
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
        new_keys, new_values, _ = self.attention.remember(y)
        keys = torch.cat((past_keys, new_keys), dim=2)
        values = torch.cat((past_values, new_values), dim=2)
        found = []
        for i in range(x.shape[1]):
            upto = past_keys.shape[2] + i + 1
            seen = Memory(keys[:, :, :upto], values[:, :, :upto], None)  # no mask: no future in it
            context, _ = self.attention.attend(y[:, i : i + 1], seen)
            found.append(context)
        after = x + torch.cat(found, dim=1)
        states = after + self.feed_forward(self.norms[1](after))
        return states, keys, values


# %% CachedBlock · wrong · no-mask
# source: written from the task's text, 2026-11
# mistake: no mask, so the new words of one piece see the ones after them
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
        context, _ = self.attention.attend(y, Memory(keys, values, None))
        x = x + context
        states = x + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% CachedBlock · wrong · upper-rows
# source: written from the task's text, 2026-11
# mistake: takes the first rows of the large causal mask in place of the last ones
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
        new_keys, new_values, _ = self.attention.remember(y)
        keys = torch.cat([past_keys, new_keys], dim=2)
        values = torch.cat([past_values, new_values], dim=2)
        mask = causal_mask(keys.shape[2])[: x.shape[1]]
        context, _ = self.attention.attend(y, Memory(keys, values, mask))
        x = x + context
        states = x + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% CachedBlock · wrong · keys-of-raw-words
# source: written from the task's text, 2026-11
# mistake: keys and values are made of the words before the norm, only the queries of the normalised ones
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
        k, v, _ = self.attention.remember(x)
        keys = torch.cat([past_keys, k], dim=2)
        values = torch.cat([past_values, v], dim=2)
        mask = causal_mask(keys.shape[2])[-x.shape[1] :]
        context, _ = self.attention.attend(self.norms[0](x), Memory(keys, values, mask))
        x = x + context
        states = x + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% CachedBlock · wrong · post-norm
# source: written from the task's text, 2026-11
# mistake: the norms stand behind the residuals (post-norm) in place of before the layers
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
        memory = self.attention.remember(x)
        keys = torch.cat([past_keys, memory.keys], dim=2)
        values = torch.cat([past_values, memory.values], dim=2)
        mask = causal_mask(keys.shape[2])[-x.shape[1] :]
        context, _ = self.attention.attend(x, Memory(keys, values, mask))
        x = self.norms[0](x + context)
        states = self.norms[1](x + self.feed_forward(x))
        return states, keys, values


# %% CachedBlock · wrong · residual-of-the-norm
# source: written from the task's text, 2026-11
# mistake: the context is added to the normalised words in place of the words themselves
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
        x = self.norms[0](x)
        new_keys, new_values, _ = self.attention.remember(x)
        keys = torch.cat([past_keys, new_keys], dim=2)
        values = torch.cat([past_values, new_values], dim=2)
        mask = causal_mask(keys.shape[2])[-x.shape[1] :]
        x = x + self.attention.attend(x, Memory(keys, values, mask))[0]
        states = x + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% CachedBlock · wrong · cache-does-not-grow
# source: written from the task's text, 2026-11
# mistake: returns the keys and values of the new words alone in place of those of all words so far
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
        mask = causal_mask(all_keys.shape[2])[-x.shape[1] :]
        x = x + self.attention.attend(y, Memory(all_keys, all_values, mask))[0]
        states = x + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% turn_from · right · complex-numbers
# source: written from the task's text, 2026-11
import torch


def turn_from(x, start, base):
    """The turned vectors, (batch, heads, len, head_dim)."""
    length, head_dim = x.shape[-2:]
    places = start + torch.arange(length, dtype=torch.float64)
    speeds = base ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    angles = torch.outer(places, speeds)  # (len, head_dim / 2)
    hands = torch.polar(torch.ones_like(angles), angles)
    numbers = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(numbers * hands).flatten(-2).to(x.dtype)


# %% turn_from · right · word-by-word-small-matrices
# source: written from the task's text, 2026-11
import math

import torch


def turn_from(x, start, base):
    d = x.shape[3]
    words = []
    for t in range(x.shape[2]):
        entries = []
        for i in range(d // 2):
            theta = (start + t) * base ** (-2 * i / d)
            a = x[:, :, t, 2 * i]
            b = x[:, :, t, 2 * i + 1]
            entries.append(a * math.cos(theta) - b * math.sin(theta))
            entries.append(a * math.sin(theta) + b * math.cos(theta))
        words.append(torch.stack(entries, dim=-1))  # (batch, heads, head_dim)
    return torch.stack(words, dim=2)


# %% turn_from · wrong · halves
# source: written from the task's text, 2026-11
# mistake: turns entries i and i + d/2 together (halves) in place of neighbours
import torch


def turn_from(x, start, base):
    d = x.shape[-1]
    half = d // 2
    freq = base ** (-2 * torch.arange(half) / d)
    angles = (start + torch.arange(x.shape[-2]))[:, None] * freq
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


# %% turn_from · wrong · sorted-afterwards
# source: written from the task's text, 2026-11
# mistake: the pairs are turned rightly, but all first entries are put before all second ones
import torch


def turn_from(x, start, base):
    dim = x.shape[-1]
    omega = base ** (-torch.arange(0, dim, 2) / dim)
    theta = torch.arange(start, start + x.shape[2]).unsqueeze(1) * omega
    a, b = x[..., 0::2], x[..., 1::2]
    turned_a = a * theta.cos() - b * theta.sin()
    turned_b = a * theta.sin() + b * theta.cos()
    return torch.cat([turned_a, turned_b], dim=-1)


# %% turn_from · wrong · overwritten-too-early
# source: written from the task's text, 2026-11
# mistake: the second entry is computed from the first one after it has been overwritten
import torch


def turn_from(x, start, base):
    d = x.shape[-1]
    out = x.clone()
    for i in range(d // 2):
        angle = (start + torch.arange(x.shape[2])) * base ** (-2 * i / d)  # (len,)
        cos, sin = angle.cos(), angle.sin()
        out[..., 2 * i] = out[..., 2 * i] * cos - out[..., 2 * i + 1] * sin
        out[..., 2 * i + 1] = out[..., 2 * i] * sin + out[..., 2 * i + 1] * cos
    return out


# %% turn_from · wrong · through-numpy
# source: written from the task's text, 2026-11
# mistake: goes through numpy, so no gradient reaches x
import numpy as np
import torch


def turn_from(x, start, base):
    arr = x.detach().numpy()
    d = arr.shape[-1]
    theta = np.arange(start, start + arr.shape[2])[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
    out = np.empty_like(arr)
    out[..., 0::2] = arr[..., 0::2] * np.cos(theta) - arr[..., 1::2] * np.sin(theta)
    out[..., 1::2] = arr[..., 0::2] * np.sin(theta) + arr[..., 1::2] * np.cos(theta)
    return torch.from_numpy(out)


# %% turn_from · wrong · half-the-exponent
# source: written from the task's text, 2026-11
# mistake: the exponent is -i/d in place of -2i/d
import torch


def turn_from(x, start, base):
    head_dim = x.shape[-1]
    i = torch.arange(head_dim // 2, dtype=x.dtype)
    frequencies = base ** (-i / head_dim)
    positions = torch.arange(start, start + x.shape[-2], dtype=x.dtype)
    angles = positions[:, None] * frequencies[None, :]
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    cos, sin = torch.cos(angles), torch.sin(angles)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


# %% turn_from · wrong · places-of-heads
# source: written from the task's text, 2026-11
# mistake: takes x for (batch, len, heads, head_dim), so the place depends on the head in place of the word
import torch


def turn_from(x, start, base):
    batch, length, heads, d = x.shape
    inv_freq = 1.0 / base ** (torch.arange(0, d, 2, dtype=x.dtype) / d)
    pos = torch.arange(length, dtype=x.dtype) + start
    theta = (pos[:, None] * inv_freq)[:, None, :]  # (len, 1, d / 2)
    x1, x2 = x[..., ::2], x[..., 1::2]
    out = torch.stack((x1 * theta.cos() - x2 * theta.sin(), x1 * theta.sin() + x2 * theta.cos()), -1)
    return out.reshape(x.shape)


# %% test_rotary_step · right · complex-reference
# source: written from the task's text, 2026-11
import math

import torch


def test_rotary_step(rotary_step):
    """Fails if `rotary_step` has a bug, and only then."""
    dice = torch.Generator().manual_seed(11)

    def turn(x, first):
        half = x.shape[1] // 2
        speed = 10_000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
        angle = (first + torch.arange(len(x), dtype=torch.float64))[:, None] * speed
        hand = torch.polar(torch.ones_like(angle), angle)
        pair = torch.complex(x[:, :half], x[:, half:]) * hand
        return torch.cat([pair.real, pair.imag], dim=1)

    def expected(queries, keys, values, start):
        q, k = turn(queries.double(), start), turn(keys.double(), 0)
        scores = q @ k.T / math.sqrt(queries.shape[1])
        own = start + torch.arange(len(queries))
        later = torch.arange(len(keys)) > own[:, None]
        return scores.masked_fill(later, -torch.inf).softmax(-1) @ values.double()

    sizes = [  # start, new, dim, width
        (0, 1, 4, 3),
        (0, 6, 8, 5),
        (1, 1, 2, 2),
        (5, 3, 8, 4),
        (9, 1, 6, 2),
        (3, 4, 4, 4),
        (4, 7, 6, 6),
        (20, 10, 16, 7),
        (40, 1, 12, 12),
        (60, 5, 8, 8),
        (300, 4, 4, 2),
        (300, 1, 4, 2),
        (500, 2, 2, 1),
    ]
    for start, new, dim, width in sizes:
        queries = 4 * torch.randn(new, dim, generator=dice)
        keys = torch.randn(start + new, dim, generator=dice)
        values = torch.randn(start + new, width, generator=dice)
        right = expected(queries, keys, values, start)
        found = rotary_step(queries, keys, values, start)
        torch.testing.assert_close(found.double(), right, atol=1e-4, rtol=0)


# %% test_rotary_step · right · plain-python-reference
# source: written from the task's text, 2026-11
import math

import torch


def test_rotary_step(rotary_step):
    def turned(vector, place):
        half = len(vector) // 2
        out = [0.0] * len(vector)
        for i in range(half):
            angle = place * 10_000 ** (-2 * i / len(vector))
            a, b = vector[i], vector[i + half]
            out[i] = a * math.cos(angle) - b * math.sin(angle)
            out[i + half] = a * math.sin(angle) + b * math.cos(angle)
        return out

    def by_hand(queries, keys, values, start):
        k = [turned(key, j) for j, key in enumerate(keys.tolist())]
        v = values.tolist()
        rows = []
        for t, query in enumerate(queries.tolist()):
            q = turned(query, start + t)
            scores = [
                sum(a * b for a, b in zip(q, k[j])) / math.sqrt(len(q)) for j in range(start + t + 1)
            ]
            top = max(scores)
            parts = [math.exp(score - top) for score in scores]
            total = sum(parts)
            row = [sum(p * v[j][c] for j, p in enumerate(parts)) / total for c in range(len(v[0]))]
            rows.append(row)
        return torch.tensor(rows, dtype=torch.float64)

    torch.manual_seed(2)
    for start, new in [(0, 1), (0, 5), (1, 2), (6, 1), (7, 5), (30, 3)]:
        for dim, width in [(4, 6), (10, 3)]:
            q, k, v = 3 * torch.randn(new, dim), torch.randn(start + new, dim), torch.randn(start + new, width)
            found = rotary_step(q, k, v, start)
            assert found.shape == (new, width)
            assert (found.double() - by_hand(q, k, v, start)).abs().max() < 1e-4
    # far from the beginning
    for start, new, dim, width in [(290, 3, 4, 2), (120, 2, 8, 6), (450, 1, 2, 2)]:
        q, k, v = 3 * torch.randn(new, dim), torch.randn(start + new, dim), torch.randn(start + new, width)
        found = rotary_step(q, k, v, start)
        assert (found.double() - by_hand(q, k, v, start)).abs().max() < 1e-4


# %% test_rotary_step · wrong · always-from-zero
# source: written from the task's text, 2026-11
# mistake: start is 0 in every call, so nothing that goes wrong with earlier words is seen
import torch


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    for n, dim, width in [(1, 4, 3), (5, 8, 4), (12, 6, 6), (60, 8, 8)]:
        q, k, v = 3 * torch.randn(n, dim), torch.randn(n, dim), torch.randn(n, width)
        half = dim // 2
        freq = 10_000.0 ** (-torch.arange(half) / half)
        angles = torch.arange(n)[:, None] * freq

        def turn(x):
            a, b = x[:, :half], x[:, half:]
            return torch.cat(
                [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], dim=1
            )

        scores = turn(q) @ turn(k).T / dim**0.5
        scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
        expected = scores.softmax(-1) @ v
        assert torch.allclose(rotary_step(q, k, v, 0), expected, atol=1e-3)


# %% test_rotary_step · wrong · neighbours-turned
# source: written from the task's text, 2026-11
# mistake: its own result pairs neighbours as the paper does, in place of halves, and so it blames the right version
import torch


def test_rotary_step(rotary_step):
    def turn(x, first):
        d = x.shape[1]
        freq = 10_000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        theta = (first + torch.arange(len(x)))[:, None] * freq
        a, b = x[:, 0::2], x[:, 1::2]
        pair = [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()]
        return torch.stack(pair, dim=-1).flatten(1)

    torch.manual_seed(0)
    for start, new, dim, width in [(0, 4, 8, 3), (5, 3, 8, 6), (9, 1, 6, 2), (200, 3, 6, 2)]:
        q, k, v = 3 * torch.randn(new, dim), torch.randn(start + new, dim), torch.randn(start + new, width)
        scores = turn(q.double(), start) @ turn(k.double(), 0).T / dim**0.5
        seen = torch.arange(start + new) <= (start + torch.arange(new))[:, None]
        expected = scores.masked_fill(~seen, -torch.inf).softmax(-1) @ v.double()
        torch.testing.assert_close(
            rotary_step(q, k, v, start).double(), expected, atol=1e-3, rtol=0
        )


# %% test_rotary_step · wrong · triangle-at-the-top
# source: written from the task's text, 2026-11
# mistake: its own mask starts at the top left whatever start is, and so it blames the right version
import torch


def test_rotary_step(rotary_step):
    def turn(x, places):
        half = x.shape[1] // 2
        freq = 10_000.0 ** (-torch.arange(half) / half)
        angles = places[:, None] * freq
        a, b = x[:, :half], x[:, half:]
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

    torch.manual_seed(42)
    for start, new in [(0, 5), (3, 4), (10, 1), (100, 6)]:
        q = torch.randn(new, 8)
        k = torch.randn(start + new, 8)
        v = torch.randn(start + new, 5)
        q_turned = turn(q, start + torch.arange(new))
        k_turned = turn(k, torch.arange(start + new))
        mask = torch.ones(new, start + new).tril().bool()
        scores = (q_turned @ k_turned.T / 8**0.5).masked_fill(~mask, float("-inf"))
        expected = scores.softmax(dim=-1) @ v
        assert torch.allclose(rotary_step(q, k, v, start), expected, atol=1e-3)


# %% test_rotary_step · wrong · values-all-ones
# source: written from the task's text, 2026-11
# mistake: all values are 1, so every set of weights gives the same context
import torch


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    for start, new in [(0, 1), (0, 5), (4, 1), (7, 3), (50, 4)]:
        queries = torch.randn(new, 8)
        keys = torch.randn(start + new, 8)
        values = torch.ones(start + new, 3)
        context = rotary_step(queries, keys, values, start)
        # the weights sum to 1
        assert context.shape == (new, 3)
        assert torch.allclose(context, torch.ones(new, 3), atol=1e-5)


# %% test_rotary_step · wrong · root-of-the-width
# source: written from the task's text, 2026-11
# mistake: its own result divides by the root of the values' width in place of dim, and so it blames the right version
import torch


def test_rotary_step(rotary_step):
    def turn(x, first):
        half = x.shape[-1] // 2
        places = torch.arange(first, first + x.shape[0], dtype=torch.float64)
        theta = places[:, None] * 10_000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
        a, b = x.double().chunk(2, dim=-1)
        return torch.cat((a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()), -1)

    gen = torch.Generator().manual_seed(1)
    for start, new, dim, width in [(0, 6, 8, 3), (6, 4, 4, 12), (30, 1, 8, 2), (150, 4, 6, 4)]:
        q = 2 * torch.randn(new, dim, generator=gen)
        k = torch.randn(start + new, dim, generator=gen)
        v = torch.randn(start + new, width, generator=gen)
        scores = turn(q, start) @ turn(k, 0).T / v.shape[-1] ** 0.5
        later = torch.ones(new, start + new).triu(start + 1).bool()
        expected = scores.masked_fill(later, -torch.inf).softmax(-1) @ v.double()
        assert (rotary_step(q, k, v, start).double() - expected).abs().max() < 1e-3


# %% test_rotary_step · wrong · prints-in-place-of-asserting
# source: written from the task's text, 2026-11
# mistake: computes whether the results agree and prints it, but asserts nothing
import torch


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    for start, new, dim, width in [(0, 4, 8, 3), (5, 3, 8, 6), (9, 1, 6, 2), (200, 3, 6, 2)]:
        q, k, v = torch.randn(new, dim), torch.randn(start + new, dim), torch.randn(start + new, width)
        half = dim // 2
        freq = 10_000.0 ** (-torch.arange(half) / half)
        angles = torch.arange(start + new)[:, None] * freq
        cos, sin = angles.cos(), angles.sin()
        a, b = k[:, :half], k[:, half:]
        keys = torch.cat([a * cos - b * sin, a * sin + b * cos], dim=1)
        cos, sin = cos[start:], sin[start:]
        a, b = q[:, :half], q[:, half:]
        queries = torch.cat([a * cos - b * sin, a * sin + b * cos], dim=1)
        later = torch.ones(new, start + new).triu(start + 1).bool()
        scores = (queries @ keys.T / dim**0.5).masked_fill(later, -torch.inf)
        expected = scores.softmax(-1) @ v
        ok = torch.allclose(rotary_step(q, k, v, start), expected, atol=1e-3)
        print(start, new, "ok" if ok else "WRONG")


# %% slower_clocks · right · clock-by-clock
# source: written from the task's text, 2026-11
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    """The frequencies `linear`, `ntk` and `yarn`, (head_dim / 2,) each."""
    linear, ntk, yarn = [], [], []
    higher = base * factor ** (head_dim / (head_dim - 2))
    for i in range(head_dim // 2):
        speed = base ** (-2 * i / head_dim)
        linear.append(speed / factor)
        ntk.append(higher ** (-2 * i / head_dim))
        turns = length * speed / (2 * math.pi)
        if turns >= 32:
            yarn.append(speed)
        elif turns <= 1:
            yarn.append(speed / factor)
        else:
            share = (turns - 1) / 31
            yarn.append(share * speed + (1 - share) * speed / factor)
    return torch.tensor(linear), torch.tensor(ntk), torch.tensor(yarn)


# %% slower_clocks · right · ntk-from-the-old-speeds
# source: written from the task's text, 2026-11
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    i = torch.arange(head_dim // 2, dtype=torch.float64)
    plain = torch.exp(-2 * i / head_dim * math.log(base))
    linear = plain / factor
    # (factor^(d/(d-2)))^(-2i/d) = factor^(-2i/(d-2)): nothing for the first clock, all for the last
    ntk = plain * torch.exp(-2 * i / (head_dim - 2) * math.log(factor))
    turns = plain * length / math.tau
    share = ((turns - 1) / (32 - 1)).clamp(0, 1)
    yarn = torch.lerp(linear, plain, share)
    return linear.float(), ntk.float(), yarn.float()


# %% slower_clocks · wrong · turns-in-radians
# source: written from the task's text, 2026-11
# mistake: the number of turns is length times frequency, without the division by 2π
import torch


def slower_clocks(head_dim, base, length, factor):
    omega = base ** (-2 * torch.arange(head_dim // 2) / head_dim)
    linear = omega / factor
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** (-2 * torch.arange(head_dim // 2) / head_dim)
    turns = length * omega
    share = ((turns - 1) / 31).clamp(0, 1)
    yarn = share * omega + (1 - share) * linear
    return linear, ntk, yarn


# %% slower_clocks · wrong · turns-of-the-long-text
# source: written from the task's text, 2026-11
# mistake: the turns are counted within the stretched length, length times factor, in place of the trained one
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    exponents = torch.arange(0, head_dim, 2) / head_dim
    freq = 1.0 / base**exponents
    linear = freq / factor
    new_base = base * factor ** (head_dim / (head_dim - 2))
    ntk = 1.0 / new_base**exponents
    rotations = length * factor * freq / (2 * math.pi)
    keep = torch.clamp((rotations - 1) / (32 - 1), 0.0, 1.0)
    yarn = freq * keep + linear * (1 - keep)
    return linear, ntk, yarn


# %% slower_clocks · wrong · shares-swapped
# source: written from the task's text, 2026-11
# mistake: the shares are swapped, fast clocks are slowed down and slow ones are left as they were
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    def clocks(base):
        return base ** (-torch.arange(0, head_dim, 2) / head_dim)

    old = clocks(base)
    linear = old / factor
    ntk = clocks(base * factor ** (head_dim / (head_dim - 2)))
    turns = length * old / (2 * math.pi)
    ramp = ((turns - 1) / 31).clamp(min=0, max=1)
    yarn = ramp * linear + (1 - ramp) * old
    return linear, ntk, yarn


# %% slower_clocks · wrong · base-times-factor
# source: written from the task's text, 2026-11
# mistake: the NTK-aware base is base · factor, without the exponent d/(d-2)
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    i = torch.arange(head_dim // 2)
    w = base ** (-2 * i / head_dim)
    linear = w / factor
    ntk = (base * factor) ** (-2 * i / head_dim)
    n_turns = length * w / (2 * math.pi)
    share = torch.clip((n_turns - 1) / 31, 0, 1)
    yarn = share * w + (1 - share) * w / factor
    return linear, ntk, yarn


# %% slower_clocks · wrong · mixes-periods
# source: written from the task's text, 2026-11
# mistake: between 1 and 32 turns it mixes the lengths of a turn in place of the frequencies
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    i = torch.arange(head_dim // 2)
    period = 2 * math.pi * base ** (2 * i / head_dim)  # words for one turn
    linear = 2 * math.pi / (period * factor)
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** (-2 * i / head_dim)
    turns = length / period
    share = ((turns - 1) / 31).clamp(0, 1)
    new_period = share * period + (1 - share) * period * factor
    yarn = 2 * math.pi / new_period
    return linear, ntk, yarn


# %% slower_clocks · wrong · ramp-not-cut-off
# source: written from the task's text, 2026-11
# mistake: the share of the old frequency is not held between 0 and 1
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    d = head_dim
    freq = base ** (-2 * torch.arange(d // 2) / d)
    linear = freq / factor
    ntk = (base * factor ** (d / (d - 2))) ** (-2 * torch.arange(d // 2) / d)
    turns = length * freq / (2 * math.pi)
    share = (turns - 1) / (32 - 1)
    yarn = share * freq + (1 - share) * freq / factor
    return linear, ntk, yarn


# %% linear_read · right · running-sums
# source: written from the task's text, 2026-11
import torch


def linear_read(queries, keys, values, state, total):
    """`contexts` (batch, len, width), and the new `state` and `total`."""
    written = keys.unsqueeze(-1) * values.unsqueeze(-2)  # (batch, len, dim, width)
    states = torch.cat([state.unsqueeze(1), written], dim=1).cumsum(1)  # one more than words
    totals = torch.cat([total.unsqueeze(1), keys], dim=1).cumsum(1)
    above = torch.einsum("btd,btdw->btw", queries, states[:, 1:])
    below = (queries * totals[:, 1:]).sum(-1, keepdim=True)
    return above / below, states[:, -1], totals[:, -1]


# %% linear_read · right · table-and-past
# source: written from the task's text, 2026-11
import torch


def linear_read(queries, keys, values, state, total):
    table = (queries @ keys.transpose(1, 2)).tril()  # this piece, itself included
    above = table @ values + queries @ state
    below = table.sum(dim=2) + (queries @ total.unsqueeze(2)).squeeze(2)
    contexts = above / below.unsqueeze(2)
    new_state = state + keys.transpose(1, 2) @ values
    new_total = total + keys.sum(dim=1)
    return contexts, new_state, new_total


# %% linear_read · wrong · itself-too-late
# source: written from the task's text, 2026-11
# mistake: a word is read before its own key and value are written, so it does not see itself
import torch


def linear_read(queries, keys, values, state, total):
    contexts = []
    for t in range(queries.shape[1]):
        q, k, v = queries[:, t], keys[:, t], values[:, t]
        above = (q.unsqueeze(1) @ state).squeeze(1)
        below = (q * total).sum(-1, keepdim=True)
        contexts.append(above / below)
        state = state + k.unsqueeze(2) * v.unsqueeze(1)
        total = total + k
    return torch.stack(contexts, dim=1), state, total


# %% linear_read · wrong · piece-without-past
# source: written from the task's text, 2026-11
# mistake: the divisor is the sum over this piece alone, total is not added to it
import torch


def linear_read(queries, keys, values, state, total):
    table = torch.einsum("btd,bsd->bts", queries, keys).tril()
    numerator = table @ values + queries @ state
    contexts = numerator / table.sum(-1, keepdim=True)
    state = state + torch.einsum("bsd,bsw->bdw", keys, values)
    total = total + keys.sum(1)
    return contexts, state, total


# %% linear_read · wrong · sees-the-future
# source: written from the task's text, 2026-11
# mistake: no causal mask, every word of the piece sees the ones after it
import torch


def linear_read(queries, keys, values, state, total):
    new_state = state + keys.transpose(1, 2) @ values
    new_total = total + keys.sum(dim=1)
    numerator = queries @ new_state
    denominator = torch.einsum("bld,bd->bl", queries, new_total)
    contexts = numerator / denominator.unsqueeze(-1)
    return contexts, new_state, new_total


# %% linear_read · wrong · forgets-earlier-pieces
# source: written from the task's text, 2026-11
# mistake: the returned state and total hold the sums of this piece alone, those of earlier pieces are dropped
import torch


def linear_read(queries, keys, values, state, total):
    S = torch.cumsum(torch.einsum("btd,btw->btdw", keys, values), dim=1)
    z = torch.cumsum(keys, dim=1)
    num = torch.einsum("btd,btdw->btw", queries, S + state[:, None])
    den = torch.einsum("btd,btd->bt", queries, z + total[:, None])
    contexts = num / den[..., None]
    return contexts, S[:, -1], z[:, -1]


# %% linear_read · wrong · scaled-table
# source: written from the task's text, 2026-11
# mistake: divides the products within the piece by the root of dim, as softmax attention does, and those with the state not
import torch


def linear_read(queries, keys, values, state, total):
    dim = queries.shape[-1]
    scores = queries @ keys.mT / dim**0.5
    mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    scores = scores.masked_fill(~mask, 0.0)
    contexts = scores @ values + queries @ state
    norm = scores.sum(-1) + torch.einsum("btd,bd->bt", queries, total)
    contexts = contexts / norm.unsqueeze(-1)
    return contexts, state + keys.mT @ values, total + keys.sum(1)


# %% linear_read · wrong · divided-by-the-count
# source: written from the task's text, 2026-11
# mistake: divides by the number of words seen in this piece in place of q · z
import torch


def linear_read(queries, keys, values, state, total):
    outputs = []
    for t in range(queries.shape[1]):
        state = state + torch.einsum("bd,bw->bdw", keys[:, t], values[:, t])
        total = total + keys[:, t]
        y = torch.einsum("bd,bdw->bw", queries[:, t], state) / (t + 1)
        outputs.append(y)
    return torch.stack(outputs, dim=1), state, total


# %% gated_delta · right · one-matrix
# source: written from the task's text, 2026-11
import torch


def gated_delta(state, key, value, alpha, beta):
    """The new state, (batch, dim, width)."""
    a, b = alpha[:, None, None], beta[:, None, None]
    k, v = key[:, :, None], value[:, None, :]  # a column and a row
    one = torch.eye(key.shape[1], dtype=key.dtype, device=key.device)
    return (one - b * (k @ k.transpose(1, 2))) @ (a * state) + b * (k @ v)


# %% gated_delta · right · text-after-text
# source: written from the task's text, 2026-11
import torch


def gated_delta(state, key, value, alpha, beta):
    states = []
    for S, k, v, a, b in zip(state, key, value, alpha, beta):
        left = a * S
        error = v - left.T @ k
        states.append(left + torch.outer(b * k, error))
    return torch.stack(states)


# %% gated_delta · wrong · error-before-decay
# source: written from the task's text, 2026-11
# mistake: the error is computed on the state before the decay
import torch


def gated_delta(state, key, value, alpha, beta):
    alpha = alpha[:, None, None]
    beta = beta[:, None, None]
    read = torch.einsum("bdw,bd->bw", state, key)
    error = value - read
    return alpha * state + beta * key[:, :, None] * error[:, None, :]


# %% gated_delta · wrong · state-not-decayed
# source: written from the task's text, 2026-11
# mistake: α is used in the error alone, the state itself does not decay
import torch


def gated_delta(state, key, value, alpha, beta):
    read = alpha.unsqueeze(-1) * torch.einsum("bdw,bd->bw", state, key)
    error = beta.unsqueeze(-1) * (value - read)
    return state + torch.einsum("bd,bw->bdw", key, error)


# %% gated_delta · wrong · decay-at-the-end
# source: written from the task's text, 2026-11
# mistake: corrects first and lets the whole result decay afterwards, the new pair included
import torch


def gated_delta(state, key, value, alpha, beta):
    error = value - (key.unsqueeze(1) @ state).squeeze(1)
    state = state + beta.view(-1, 1, 1) * key.unsqueeze(2) * error.unsqueeze(1)
    return alpha.view(-1, 1, 1) * state


# %% gated_delta · wrong · numbers-along-the-wrong-axis
# source: written from the task's text, 2026-11
# mistake: α gets one axis too few, so it meets the rows of the state in place of the texts
import torch


def gated_delta(state, key, value, alpha, beta):
    decayed = alpha.unsqueeze(-1) * state
    error = value - torch.einsum("bdw,bd->bw", decayed, key)
    return decayed + torch.einsum("b,bd,bw->bdw", beta, key, error)


# %% gated_delta · wrong · no-gradient
# source: written from the task's text, 2026-11
# mistake: computed under no_grad, so a network cannot learn through it
import torch


@torch.no_grad()
def gated_delta(state, key, value, alpha, beta):
    decayed = torch.einsum("b,bdw->bdw", alpha, state)
    error = value - torch.einsum("bdw,bd->bw", decayed, key)
    return decayed + torch.einsum("b,bd,bw->bdw", beta, key, error)


# %% gated_delta · wrong · sign-of-the-error
# source: written from the task's text, 2026-11
# mistake: the error has the wrong sign, what is read minus the value
import torch


def gated_delta(state, key, value, alpha, beta):
    batch = state.shape[0]
    left = state * alpha.reshape(batch, 1, 1)
    error = torch.bmm(key.unsqueeze(1), left) - value.unsqueeze(1)  # (batch, 1, width)
    return left + beta.reshape(batch, 1, 1) * torch.bmm(key.unsqueeze(2), error)


# %% what_was_shown · right · as-a-list
# source: written from the task's text, 2026-11
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "contradicted here",
    "d": "not shown either way",
    "e": "contradicted here",
    "f": "shown here",
}


# %% what_was_shown · right · sorted-into-three
# source: written from the task's text, 2026-11
verdicts = {"shown here": "af", "contradicted here": "ce", "not shown either way": "bd"}
what_was_shown = {letter: verdict for verdict, letters in verdicts.items() for letter in letters}


# %% what_was_shown · wrong · flat-so-it-looks-far
# source: written from the task's text, 2026-11
# mistake: b is taken for shown, because the perplexity of ALiBi stays flat
what_was_shown = {
    "a": "shown here",
    "b": "shown here",
    "c": "contradicted here",
    "d": "not shown either way",
    "e": "contradicted here",
    "f": "shown here",
}


# %% what_was_shown · wrong · relative-so-any-length
# source: written from the task's text, 2026-11
# mistake: c is taken for shown, although rotary goes from 10.1 to 15.6
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "shown here",
    "d": "not shown either way",
    "e": "contradicted here",
    "f": "shown here",
}


# %% what_was_shown · wrong · did-not-so-cannot
# source: written from the task's text, 2026-11
# mistake: d is taken for shown, although one seed and 400 steps do not say that it cannot
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "contradicted here",
    "d": "shown here",
    "e": "contradicted here",
    "f": "shown here",
}


# %% what_was_shown · wrong · three-point-five-is-less
# source: written from the task's text, 2026-11
# mistake: e is taken for shown, although the loss of rotary on halves of 48 is 3.5, near guessing
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "contradicted here",
    "d": "not shown either way",
    "e": "shown here",
    "f": "shown here",
}


# %% what_was_shown · wrong · one-seed-shows-nothing
# source: written from the task's text, 2026-11
# mistake: f is taken for open, although it speaks of this size, seed and number of steps only
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "contradicted here",
    "d": "not shown either way",
    "e": "contradicted here",
    "f": "not shown either way",
}


# %% cache_bytes · right · layer-by-layer-b
# source: written from the task's text, 2026-11
import json

import torch


def cache_bytes(config, tokens):
    """The bytes kept of texts of `tokens` tokens (n,), from the text of a configuration."""
    c = json.loads(config)
    layers = c["num_hidden_layers"]
    if "kv_lora_rank" in c:
        return 2 * layers * (c["kv_lora_rank"] + c["qk_rope_head_dim"]) * tokens
    heads = c.get("num_key_value_heads", c["num_attention_heads"])
    width = c.get("head_dim", c["hidden_size"] // c["num_attention_heads"])
    window = c.get("sliding_window")
    if c.get("use_sliding_window") is False:
        window = None
    kinds = ["full_attention"] * layers
    if window is not None:
        kinds = c.get("layer_types", ["sliding_attention"] * layers)
    kept = torch.zeros_like(tokens)
    for kind in kinds:
        if kind == "sliding_attention":
            kept = kept + tokens.clamp(max=window)
        else:
            kept = kept + tokens
    return kept * (2 * heads * width * 2)


# %% cache_bytes · right · text-by-text-in-python-b
# source: written from the task's text, 2026-11
import json

import torch


def cache_bytes(config, tokens):
    """The bytes kept of texts of `tokens` tokens (n,), from the text of a configuration."""
    card = json.loads(config)
    n_layers = card["num_hidden_layers"]
    n_windowed, window = 0, 0
    if "kv_lora_rank" in card:
        per_layer = card["kv_lora_rank"] + card["qk_rope_head_dim"]
    else:
        if "head_dim" in card:
            width = card["head_dim"]
        else:
            width = card["hidden_size"] // card["num_attention_heads"]
        kv_heads = card["num_attention_heads"]
        if "num_key_value_heads" in card:
            kv_heads = card["num_key_value_heads"]
        per_layer = 2 * kv_heads * width
        if "sliding_window" in card and card.get("use_sliding_window", True):
            window = card["sliding_window"]
            if "layer_types" in card:
                n_windowed = card["layer_types"].count("sliding_attention")
            else:
                n_windowed = n_layers
    out = []
    for n in tokens.tolist():
        n = int(n)
        words = (n_layers - n_windowed) * n + n_windowed * min(n, window)
        out.append(2 * per_layer * words)
    return torch.tensor(out)


# %% cache_bytes · wrong · latent-kept-twice-b
# source: written from the task's text, 2026-11
# mistake: the latent vector is counted twice, as if there were keys and values of it
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    layers = c["num_hidden_layers"]
    heads = c.get("num_key_value_heads", c["num_attention_heads"])
    width = c.get("head_dim", c["hidden_size"] // c["num_attention_heads"])
    per_layer = heads * width
    if "kv_lora_rank" in c:
        per_layer = c["kv_lora_rank"] + c["qk_rope_head_dim"]
    windowed = 0
    if "sliding_window" in c and c.get("use_sliding_window", True):
        windowed = c.get("layer_types", ["sliding_attention"] * layers).count("sliding_attention")
    kept = (layers - windowed) * tokens
    if windowed:
        kept = kept + windowed * tokens.clamp(max=c["sliding_window"])
    return 2 * 2 * per_layer * kept


# %% cache_bytes · wrong · rotary-part-forgotten-b
# source: written from the task's text, 2026-11
# mistake: of a latent cache only kv_lora_rank is counted, the rotary part is left out
import json

import torch


def cache_bytes(config, tokens):
    conf = json.loads(config)
    L = conf["num_hidden_layers"]
    if "kv_lora_rank" in conf:
        return tokens * L * conf["kv_lora_rank"] * 2
    kv = conf.get("num_key_value_heads", conf["num_attention_heads"])
    hd = conf.get("head_dim", conf["hidden_size"] // conf["num_attention_heads"])
    one = 2 * kv * hd * 2
    if "sliding_window" not in conf or conf.get("use_sliding_window") is False:
        return tokens * L * one
    near = torch.minimum(tokens, torch.full_like(tokens, conf["sliding_window"]))
    types = conf.get("layer_types", ["sliding_attention"] * L)
    return sum((near if t == "sliding_attention" else tokens) * one for t in types)


# %% cache_bytes · wrong · head-dim-always-divided-b
# source: written from the task's text, 2026-11
# mistake: head_dim in the file is ignored, the width is always hidden_size / num_attention_heads
import json

import torch


def cache_bytes(config, tokens):
    config = json.loads(config)
    layers = config["num_hidden_layers"]
    if "kv_lora_rank" in config:
        return 2 * layers * (config["kv_lora_rank"] + config["qk_rope_head_dim"]) * tokens
    heads = config["num_attention_heads"]
    width = config["hidden_size"] // heads
    kv_heads = config.get("num_key_value_heads", heads)
    types = ["full_attention"] * layers
    if "sliding_window" in config and config.get("use_sliding_window", True):
        types = config.get("layer_types") or ["sliding_attention"] * layers
    total = torch.zeros_like(tokens)
    for t in types:
        seen = tokens.clamp(max=config["sliding_window"]) if t == "sliding_attention" else tokens
        total = total + 2 * 2 * kv_heads * width * seen
    return total


# %% cache_bytes · wrong · switch-not-read-b
# source: written from the task's text, 2026-11
# mistake: use_sliding_window false is not looked at, the window is applied all the same
import json

import torch


def cache_bytes(config, tokens):
    cfg = json.loads(config)
    layers = cfg["num_hidden_layers"]
    if cfg.get("kv_lora_rank"):
        return 2 * layers * (cfg["kv_lora_rank"] + cfg["qk_rope_head_dim"]) * tokens
    kv_heads = cfg.get("num_key_value_heads", cfg["num_attention_heads"])
    head_dim = cfg.get("head_dim", cfg["hidden_size"] // cfg["num_attention_heads"])
    window = cfg.get("sliding_window")
    bytes_per_token = 2 * kv_heads * head_dim * 2
    if window is None:
        return layers * bytes_per_token * tokens
    layer_types = cfg.get("layer_types", ["sliding_attention"] * layers)
    sliding = sum(t == "sliding_attention" for t in layer_types)
    full = layers - sliding
    return bytes_per_token * (full * tokens + sliding * tokens.clamp(max=window))


# %% cache_bytes · wrong · window-in-every-layer-b
# source: written from the task's text, 2026-11
# mistake: layer_types is not read, so a window is taken to be in all layers
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    layers = c["num_hidden_layers"]
    if "kv_lora_rank" in c:
        numbers = c["kv_lora_rank"] + c["qk_rope_head_dim"]
    else:
        heads = c.get("num_key_value_heads", c["num_attention_heads"])
        numbers = 2 * heads * c.get("head_dim", c["hidden_size"] // c["num_attention_heads"])
    kept = tokens
    if "sliding_window" in c and c.get("use_sliding_window", True):
        kept = tokens.clamp(max=c["sliding_window"])
    return 2 * layers * numbers * kept


# %% which_runs_out · right · read-off-by-hand-b
# source: written from the task's text, 2026-11
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",  # 28 * 2048 = 57,344 against 61 * 576 = 35,136 a token
    "window_or_groups": "llama-3.2-1b",  # a quarter as much a token, 8 times as many tokens
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · right · computed-from-the-table-b
# source: written from the task's text, 2026-11
N = 32_768
kept = {
    "qwen3-0.6b": 28 * 2 * 8 * 128 * N,
    "deepseek-v3": 61 * (512 + 64) * N,
    "mistral-7b": 32 * 2 * 8 * 128 * 4096,
    "llama-3.2-1b": 16 * 2 * 8 * 64 * N,
    "llama-3.1-8b": 32 * 2 * 8 * 128 * N,
    "olmo-3-7b": 2 * 32 * 128 * (24 * 4096 + 8 * N),
    "qwen2.5-72b": 80 * 2 * 8 * 128 * N,
    "gpt-oss-20b": 2 * 8 * 64 * (12 * 128 + 12 * N),
    "tiny-aya": 2 * 4 * 128 * (27 * 4096 + 9 * N),
}
pairs = {
    "tiny_or_giant": ("qwen3-0.6b", "deepseek-v3"),
    "window_or_groups": ("mistral-7b", "llama-3.2-1b"),
    "old_or_new": ("olmo-3-7b", "llama-3.1-8b"),
    "window_in_the_file": ("olmo-3-7b", "qwen2.5-72b"),
    "half_a_window": ("gpt-oss-20b", "mistral-7b"),
    "three_quarters": ("tiny-aya", "llama-3.2-1b"),
}
which_runs_out = {name: max(pair, key=kept.get) for name, pair in pairs.items()}


# %% which_runs_out · wrong · giant-by-its-parameters-b
# source: written from the task's text, 2026-11
# mistake: DeepSeek-V3 is priced with 128 heads of keys (or by its size), not with its latent vector
which_runs_out = {
    "tiny_or_giant": "deepseek-v3",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · wrong · larger-model-larger-cache-b
# source: written from the task's text, 2026-11
# mistake: Mistral is priced without its window, so it seems to keep more than Llama 3.2 1B
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "mistral-7b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · wrong · olmo-with-eight-heads-b
# source: written from the task's text, 2026-11
# mistake: OLMo 3 is taken for a model with 8 heads of keys like Llama, so its windows seem to win
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "llama-3.1-8b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · wrong · three-quarters-do-not-count-b
# source: written from the task's text, 2026-11
# mistake: the windows of Tiny Aya are left out (all of its 36 layers priced in full)
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "tiny-aya",
}


# %% grouped_step · right · one-head-after-the-other-b
# source: written from the task's text, 2026-11
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    kv_heads, width = past_keys.shape[1], past_keys.shape[3]
    heads = w_q.shape[1] // width
    group = heads // kv_heads
    new_keys = torch.stack([x @ w_k[:, h * width : (h + 1) * width] for h in range(kv_heads)], dim=1)
    new_values = torch.stack(
        [x @ w_v[:, h * width : (h + 1) * width] for h in range(kv_heads)], dim=1
    )
    keys = torch.cat([past_keys, new_keys[:, :, None]], dim=2)
    values = torch.cat([past_values, new_values[:, :, None]], dim=2)
    parts = []
    for head in range(heads):
        q = x @ w_q[:, head * width : (head + 1) * width]  # (batch, width)
        k, v = keys[:, head // group], values[:, head // group]  # (batch, written + 1, width)
        scores = (k @ q[:, :, None])[:, :, 0] / width**0.5
        weights = torch.softmax(scores, dim=1)
        parts.append((weights[:, :, None] * v).sum(1))
    context = torch.cat(parts, dim=1)
    return context, keys, values


# %% grouped_step · right · einsum-no-copies-b
# source: written from the task's text, 2026-11
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    batch, kv_heads, _, width = past_keys.shape
    keys = torch.cat([past_keys, (x @ w_k).reshape(batch, kv_heads, 1, width)], dim=-2)
    values = torch.cat([past_values, (x @ w_v).reshape(batch, kv_heads, 1, width)], dim=-2)
    q = (x @ w_q).reshape(batch, kv_heads, -1, width)  # (batch, kv_heads, group, width)
    scores = torch.einsum("bhgd,bhtd->bhgt", q * width**-0.5, keys)
    context = torch.einsum("bhgt,bhtd->bhgd", scores.softmax(-1), values)
    context = context.reshape(batch, -1)
    return context, keys, values


# %% grouped_step · wrong · repeat-deals-out-b
# source: written from the task's text, 2026-11
# mistake: repeat instead of repeat_interleave, so heads 0 and 1 get different keys
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    b, kv_heads, written, width = past_keys.shape
    heads = w_q.shape[1] // width
    keys = torch.cat([past_keys, (x @ w_k).view(b, kv_heads, 1, width)], dim=2)
    values = torch.cat([past_values, (x @ w_v).view(b, kv_heads, 1, width)], dim=2)
    q = (x @ w_q).view(b, heads, 1, width)
    k = keys.repeat(1, heads // kv_heads, 1, 1)
    v = values.repeat(1, heads // kv_heads, 1, 1)
    weights = (q @ k.transpose(-2, -1) / width**0.5).softmax(-1)
    context = (weights @ v).reshape(b, heads * width)
    return context, keys, values


# %% grouped_step · wrong · scaled-by-all-heads-b
# source: written from the task's text, 2026-11
# mistake: the scores are divided by the root of heads * width, not of width
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, written, width = past_keys.shape
    query = x @ w_q
    scale = query.shape[-1] ** 0.5
    key = (x @ w_k).unflatten(-1, (kv_heads, width)).unsqueeze(2)
    value = (x @ w_v).unflatten(-1, (kv_heads, width)).unsqueeze(2)
    keys = torch.cat((past_keys, key), 2)
    values = torch.cat((past_values, value), 2)
    query = query.unflatten(-1, (-1, width)).unsqueeze(2)  # (batch, heads, 1, width)
    share = query.shape[1] // kv_heads
    scores = query @ keys.repeat_interleave(share, 1).mT / scale
    context = scores.softmax(-1) @ values.repeat_interleave(share, 1)
    context = context.flatten(1)
    return context, keys, values


# %% grouped_step · wrong · new-word-in-front-b
# source: written from the task's text, 2026-11
# mistake: the new key and value are put before the old ones in the cache
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, written, width = past_keys.shape
    heads = w_q.shape[1] // width
    keys = torch.cat([(x @ w_k).view(batch, kv_heads, 1, width), past_keys], dim=2)
    values = torch.cat([(x @ w_v).view(batch, kv_heads, 1, width), past_values], dim=2)
    q = (x @ w_q).view(batch, heads, 1, width)
    k = keys.repeat_interleave(heads // kv_heads, dim=1)
    v = values.repeat_interleave(heads // kv_heads, dim=1)
    scores = (q * k).sum(-1) / width**0.5  # (batch, heads, written + 1)
    weights = scores.softmax(-1)
    context = (weights.unsqueeze(-1) * v).sum(2).reshape(batch, -1)
    return context, keys, values


# %% grouped_step · wrong · columns-dealt-to-heads-b
# source: written from the task's text, 2026-11
# mistake: the query's columns are cut as (width, heads), so neighbouring columns go to different heads
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, _, width = past_keys.shape
    heads = w_q.shape[1] // width
    q = (x @ w_q).view(batch, width, heads).transpose(1, 2)  # (batch, heads, width)
    keys = torch.cat([past_keys, (x @ w_k).view(batch, kv_heads, 1, width)], dim=2)
    values = torch.cat([past_values, (x @ w_v).view(batch, kv_heads, 1, width)], dim=2)
    k = keys.repeat_interleave(heads // kv_heads, dim=1)
    v = values.repeat_interleave(heads // kv_heads, dim=1)
    scores = torch.einsum("bhd,bhtd->bht", q, k) / width**0.5
    context = torch.einsum("bht,bhtd->bhd", scores.softmax(-1), v).reshape(batch, heads * width)
    return context, keys, values


# %% grouped_step · wrong · widened-cache-returned-b
# source: written from the task's text, 2026-11
# mistake: the copies for all query heads are returned as the cache, (batch, heads, …) in place of kv_heads
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, written, width = past_keys.shape
    heads = w_q.shape[1] // width
    group = heads // kv_heads
    q = (x @ w_q).reshape(batch, heads, 1, width)
    keys = torch.cat([past_keys, (x @ w_k).reshape(batch, kv_heads, 1, width)], dim=2)
    values = torch.cat([past_values, (x @ w_v).reshape(batch, kv_heads, 1, width)], dim=2)
    keys = keys.repeat_interleave(group, dim=1)
    values = values.repeat_interleave(group, dim=1)
    weights = torch.softmax(q @ keys.transpose(2, 3) / width**0.5, dim=-1)
    context = (weights @ values).squeeze(2).reshape(batch, heads * width)
    return context, keys, values


# %% ring_step · right · slice-of-what-is-filled-b
# source: written from the task's text, 2026-11
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    """`context`, `keys` and `values`: see the table."""
    places = ring_keys.shape[1]
    keys, values = ring_keys.clone(), ring_values.clone()
    keys[:, read % places] = key
    values[:, read % places] = value
    filled = min(read + 1, places)
    scores = (keys[:, :filled] @ query.unsqueeze(-1)).squeeze(-1) / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)  # (batch, filled)
    context = (weights.unsqueeze(1) @ values[:, :filled]).squeeze(1)
    return context, keys, values


# %% ring_step · right · where-and-minus-infinity-b
# source: written from the task's text, 2026-11
import math

import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    """`context`, `keys` and `values`: see the table."""
    W = ring_keys.shape[1]
    number = torch.arange(W, device=query.device)
    here = (number == read % W)[None, :, None]  # (1, W, 1)
    keys = torch.where(here, key[:, None, :], ring_keys)
    values = torch.where(here, value[:, None, :], ring_values)
    scores = torch.einsum("bd,bwd->bw", query, keys) / math.sqrt(query.size(1))
    scores = scores.masked_fill((number > read)[None], -math.inf)  # not yet written
    context = torch.einsum("bw,bwd->bd", scores.softmax(1), values)
    return context, keys, values


# %% ring_step · wrong · empty-places-join-in-b
# source: written from the task's text, 2026-11
# mistake: places that hold no word yet take part in the softmax
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    W = ring_keys.shape[1]
    keys = ring_keys.clone()
    values = ring_values.clone()
    keys[:, read % W] = key
    values[:, read % W] = value
    scores = torch.einsum("bd,bwd->bw", query, keys) / query.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("bw,bwd->bd", weights, values)
    return context, keys, values


# %% ring_step · wrong · written-into-the-old-ring-b
# source: written from the task's text, 2026-11
# mistake: the ring that came in is changed in place and returned
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    W = ring_keys.shape[1]
    keys, values = ring_keys, ring_values
    keys[:, read % W] = key
    values[:, read % W] = value
    n = min(read + 1, W)
    scores = (keys[:, :n] * query[:, None]).sum(-1) / query.shape[-1] ** 0.5
    context = (scores.softmax(-1)[..., None] * values[:, :n]).sum(1)
    return context, keys, values


# %% ring_step · wrong · shifted-like-a-queue-b
# source: written from the task's text, 2026-11
# mistake: the ring is shifted and the new word goes to the last place, not to place read mod W
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    width, W = query.shape[-1], ring_keys.shape[1]
    keys = torch.cat([ring_keys[:, 1:], key[:, None]], dim=1)
    values = torch.cat([ring_values[:, 1:], value[:, None]], dim=1)
    n = min(read + 1, W)
    scores = torch.einsum("bd,bwd->bw", query, keys[:, W - n :]) / width**0.5
    context = torch.einsum("bw,bwd->bd", scores.softmax(-1), values[:, W - n :])
    return context, keys, values


# %% ring_step · wrong · one-place-too-late-b
# source: written from the task's text, 2026-11
# mistake: only the first `read` places are open, so the new word does not see itself until the ring is full
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    W = ring_keys.shape[1]
    keys, values = ring_keys.clone(), ring_values.clone()
    keys[:, read % W] = key
    values[:, read % W] = value
    open_ = torch.arange(W) < max(read, 1)
    scores = torch.einsum("bd,bwd->bw", query, keys) / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~open_, float("-inf"))
    context = torch.einsum("bw,bwd->bd", scores.softmax(-1), values)
    return context, keys, values


# %% ring_step · wrong · empty-places-wiped-b
# source: written from the task's text, 2026-11
# mistake: places without a word are set to zero in the returned ring, where they should keep their numbers
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    size = ring_keys.shape[1]
    filled = min(read + 1, size)
    keys = torch.zeros_like(ring_keys)
    values = torch.zeros_like(ring_values)
    keys[:, :filled] = ring_keys[:, :filled]
    values[:, :filled] = ring_values[:, :filled]
    keys[:, read % size] = key
    values[:, read % size] = value
    scores = (keys[:, :filled] @ query[:, :, None])[:, :, 0] / query.shape[1] ** 0.5
    context = (scores.softmax(1)[:, None] @ values[:, :filled])[:, 0]
    return context, keys, values


# %% test_tiles · right · four-inputs-five-blocks-b
# source: written from the task's text, 2026-11
import torch


def plain(query, keys, values, mask):
    query, keys, values = query.double(), keys.double(), values.double()
    scores = query @ keys.transpose(1, 2) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return torch.nan_to_num(weights) @ values


def test_tiles(tiles):
    """Fails if `tiles` has a bug, and only then."""
    g = torch.Generator().manual_seed(7)
    batch, tgt, src, dim, wide = 3, 6, 7, 4, 3
    values = torch.randn(batch, src, wide, generator=g)
    cases = []
    # small numbers
    mask = torch.rand(batch, tgt, src, generator=g) < 0.6
    mask[0, 1] = False
    q = torch.randn(batch, tgt, dim, generator=g)
    cases.append((q, torch.randn(batch, src, dim, generator=g), mask))
    # whole numbers, so that the scores are exact, up to 1,000 on either side of 0
    mask = torch.rand(batch, tgt, src, generator=g) < 0.5
    mask[1, 2] = mask[2, 5] = False
    q = torch.randint(-20, 21, (batch, tgt, dim), generator=g).float()
    cases.append((q, torch.randint(-25, 26, (batch, src, dim), generator=g).float(), mask))
    # all scores far below 0, many of them equal, the first words shut
    mask = torch.rand(batch, tgt, src, generator=g) < 0.5
    mask[:, :3, :4] = False
    mask[0, 0] = False
    q = torch.full((batch, tgt, dim), 20.0)
    k = torch.full((batch, src, dim), -25.0)
    k[:, 2::3, 0] = -24.9
    cases.append((q, k, mask))
    # nothing masked, scores rise far above 0 from word to word
    mask = torch.ones(batch, tgt, src, dtype=torch.bool)
    k = torch.full((batch, src, dim), 25.0) - torch.arange(src).flip(0)[None, :, None] / 40
    cases.append((torch.full((batch, tgt, dim), 20.0), k, mask))
    for q, k, mask in cases:
        expected = plain(q, k, values, mask)
        for block in (1, 2, 3, 7, 12):
            found = tiles(q.clone(), k.clone(), values.clone(), mask.clone(), block)
            assert found.shape == expected.shape
            assert torch.allclose(found.double(), expected, rtol=1e-3, atol=2e-3)


# %% test_tiles · right · row-by-row-in-python-b
# source: written from the task's text, 2026-11
import math

import torch


def one_row(q, keys, values, allowed):
    context = [0.0] * len(values[0])
    scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)) for k in keys]
    seen = [j for j in range(len(keys)) if allowed[j]]
    if not seen:
        return context
    top = max(scores[j] for j in seen)
    parts = [math.exp(scores[j] - top) for j in seen]
    for part, j in zip(parts, seen):
        for n, v in enumerate(values[j]):
            context[n] += part / sum(parts) * v
    return context


def test_tiles(tiles):
    """Fails if `tiles` has a bug, and only then."""
    torch.manual_seed(1)
    b, t, s, d, w = 2, 5, 8, 4, 6
    for kind in ("small", "large", "below", "above"):
        for block in (1, 3, 4, 8, 11):
            query, keys = torch.randn(b, t, d), torch.randn(b, s, d)
            if kind != "small":  # whole numbers: scores of a multiple of 0.5
                query = torch.randint(-20, 21, (b, t, d)).float()
                keys = torch.randint(-25, 26, (b, s, d)).float()
            if kind == "below":  # every score from -1,000 to -900 or so
                query, keys = torch.full((b, t, d), 20.0), torch.randint(-25, -22, (b, s, d)).float()
            if kind == "above":
                query, keys = torch.full((b, t, d), 20.0), torch.randint(23, 26, (b, s, d)).float()
            values = torch.randn(b, s, w)
            mask = torch.rand(b, t, s) < 0.5
            mask[0, 0] = True
            mask[1, 1] = False
            mask[0, 2, :4], mask[0, 2, 4:] = False, True
            mask[1, 3, :4], mask[1, 3, 4:] = True, False
            expected = torch.tensor(
                [
                    [
                        one_row(query[i, r].tolist(), keys[i].tolist(), values[i].tolist(), mask[i, r])
                        for r in range(t)
                    ]
                    for i in range(b)
                ]
            )
            found = tiles(query, keys, values, mask, block)
            assert tuple(found.shape) == (b, t, w), "shape"
            assert not found.isnan().any(), "nan"
            assert (found - expected).abs().max() < 0.005, (kind, block)


# %% test_tiles · wrong · small-numbers-only-b
# source: written from the task's text, 2026-11
# mistake: the inputs are small random numbers only, so overflow and the like are never seen
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    for block in (1, 2, 3, 5, 9):
        query, keys, values = torch.randn(2, 4, 8), torch.randn(2, 5, 8), torch.randn(2, 5, 8)
        mask = torch.rand(2, 4, 5) < 0.7
        mask[:, :, 0] = True
        scores = query @ keys.mT / 8**0.5
        expected = scores.masked_fill(~mask, -torch.inf).softmax(-1) @ values
        assert torch.allclose(tiles(query, keys, values, mask, block), expected, atol=1e-5)


# %% test_tiles · wrong · nothing-is-masked-b
# source: written from the task's text, 2026-11
# mistake: the mask is True everywhere in every call, so no bug of the mask can show
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    for size in (1, 5, 15):
        query = size * torch.randn(2, 4, 4)
        keys = size * torch.randn(2, 7, 4)
        values = torch.randn(2, 7, 3)
        mask = torch.ones(2, 4, 7, dtype=torch.bool)
        expected = (query @ keys.mT / 2).softmax(-1) @ values
        for block in (1, 2, 3, 7, 10):
            context = tiles(query, keys, values, mask, block)
            assert context.shape == (2, 4, 3)
            torch.testing.assert_close(context, expected, rtol=1e-3, atol=1e-3)


# %% test_tiles · wrong · equal-to-the-last-digit-b
# source: written from the task's text, 2026-11
# mistake: asks for exactly equal numbers, and so blames the right version for its last digits
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    for scale in (1, 10):
        for block in (1, 2, 3, 5, 20):
            q = scale * torch.randn(2, 6, 16)
            k = scale * torch.randn(2, 11, 16)
            v = torch.randn(2, 11, 16)
            mask = torch.rand(2, 6, 11) < 0.6
            scores = (q @ k.transpose(1, 2)) / 4
            weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), -1).nan_to_num()
            assert torch.equal(tiles(q, k, v, mask, block), weights @ v)


# %% test_tiles · wrong · expects-nan-for-a-shut-row-b
# source: written from the task's text, 2026-11
# mistake: for a row that is masked whole the reference is nan, not 0, so the right version is blamed
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    for block in (1, 2, 4, 9):
        q = torch.randint(-20, 21, (2, 5, 4)).float()
        k = torch.randint(-25, 26, (2, 6, 4)).float()
        v = torch.randn(2, 6, 3)
        mask = torch.rand(2, 5, 6) < 0.5
        mask[0, 0] = False
        expected = (q @ k.mT / 2).masked_fill(~mask, float("-inf")).softmax(-1) @ v
        assert torch.allclose(tiles(q, k, v, mask, block), expected, atol=1e-3, equal_nan=True)


# %% test_tiles · wrong · returns-and-asserts-nothing-b
# source: written from the task's text, 2026-11
# mistake: the comparison is returned, never asserted, so a version with wrong numbers is accepted
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    ok = True
    for scale in (1, 10, 20):
        for block in (1, 2, 3, 7, 12):
            query = scale * torch.randn(2, 5, 4)
            keys = scale * torch.randn(2, 7, 4)
            values = torch.randn(2, 7, 3)
            mask = torch.rand(2, 5, 7) < 0.5
            mask[1, 1] = False
            scores = (query @ keys.mT / 2).masked_fill(~mask, float("-inf"))
            expected = scores.softmax(-1).nan_to_num() @ values
            found = tiles(query, keys, values, mask, block)
            ok = ok and torch.allclose(found, expected, atol=1e-3)
    return ok


# %% CachedBlock · right · last-rows-of-the-triangle-b
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
        y = self.norms[0](x)
        fresh = self.attention.remember(y)
        keys = torch.cat([past_keys, fresh.keys], dim=2)
        values = torch.cat([past_values, fresh.values], dim=2)
        mask = causal_mask(keys.shape[2])[-x.shape[1] :]
        context, _ = self.attention.attend(y, Memory(keys, values, mask))
        states = x + context
        states = states + self.feed_forward(self.norms[1](states))
        return states, keys, values


# %% CachedBlock · right · places-compared-none-for-one-word-b
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
        before, behind = self.norms
        written, new = past_keys.size(-2), x.size(1)
        normed = before(x)
        new_keys, new_values, _ = self.attention.remember(normed)
        keys = torch.cat((past_keys, new_keys), dim=-2)
        values = torch.cat((past_values, new_values), dim=-2)
        mask = None
        if new > 1:
            own = torch.arange(written, written + new, device=x.device)
            mask = torch.arange(written + new, device=x.device)[None, :] <= own[:, None]
        looked_up = self.attention.attend(normed, Memory(keys, values, mask))[0]
        middle = x + looked_up
        states = middle + self.feed_forward(behind(middle))
        return states, keys, values


# %% CachedBlock · wrong · triangle-top-left-b
# source: written from the task's text, 2026-11
# mistake: takes the first rows of the large mask, not the last, so later pieces see almost nothing
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
        k, v, _ = self.attention.remember(y)
        keys = torch.cat([past_keys, k], dim=2)
        values = torch.cat([past_values, v], dim=2)
        mask = causal_mask(keys.shape[2])[: x.shape[1]]
        x = x + self.attention.attend(y, Memory(keys, values, mask))[0]
        states = x + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% CachedBlock · wrong · never-a-mask-b
# source: written from the task's text, 2026-11
# mistake: no mask at all, so with several new words the earlier ones see the later ones
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
        keys = torch.cat([past_keys, keys], dim=2)
        values = torch.cat([past_values, values], dim=2)
        x = x + self.attention.attend(y, Memory(keys, values, None))[0]
        x = x + self.feed_forward(self.norms[1](x))
        return x, keys, values


# %% CachedBlock · wrong · keys-of-raw-words-b
# source: written from the task's text, 2026-11
# mistake: remembers x and not the normalised words, so keys and values come from the wrong vectors
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
        written, new = past_keys.shape[2], x.shape[1]
        memory = self.attention.remember(x)
        keys = torch.cat([past_keys, memory.keys], dim=2)
        values = torch.cat([past_values, memory.values], dim=2)
        mask = causal_mask(written + new)[written:]
        context, _ = self.attention.attend(self.norms[0](x), Memory(keys, values, mask))
        x = x + context
        states = x + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% CachedBlock · wrong · post-norm-b
# source: written from the task's text, 2026-11
# mistake: the norms stand behind the additions (post-norm), the task asks for pre-norm
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
        new = self.attention.remember(x)
        keys = torch.cat([past_keys, new.keys], dim=2)
        values = torch.cat([past_values, new.values], dim=2)
        mask = causal_mask(keys.shape[2])[past_keys.shape[2] :]
        context, _ = self.attention.attend(x, Memory(keys, values, mask))
        x = self.norms[0](x + context)
        states = self.norms[1](x + self.feed_forward(x))
        return states, keys, values


# %% CachedBlock · wrong · added-to-the-normalised-b
# source: written from the task's text, 2026-11
# mistake: the context is added to the normalised words, not to x (y overwrote x)
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
        x = self.norms[0](x)
        k, v, _ = self.attention.remember(x)
        keys, values = torch.cat([past_keys, k], dim=2), torch.cat([past_values, v], dim=2)
        mask = causal_mask(keys.shape[2])[-x.shape[1] :]
        x = x + self.attention.attend(x, Memory(keys, values, mask))[0]
        x = x + self.feed_forward(self.norms[1](x))
        return x, keys, values


# %% turn_from · right · stacked-and-flattened-b
# source: written from the task's text, 2026-11
import math

import torch


def turn_from(x, start, base):
    """The turned vectors, (batch, heads, len, head_dim)."""
    length, head_dim = x.shape[-2:]
    places = start + torch.arange(length, device=x.device)
    omega = [base ** (-2 * i / head_dim) for i in range(head_dim // 2)]
    theta = places[:, None] * torch.tensor(omega, dtype=x.dtype, device=x.device)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    first = a * theta.cos() - b * theta.sin()
    second = a * theta.sin() + b * theta.cos()
    return torch.stack([first, second], dim=-1).flatten(-2)


# %% turn_from · right · complex-numbers-b
# source: written from the task's text, 2026-11
import torch


def turn_from(x, start, base):
    """The turned vectors, (batch, heads, len, head_dim)."""
    *outer, length, dim = x.shape
    pairs = x.reshape(*outer, length, dim // 2, 2).contiguous()
    hands = torch.view_as_complex(pairs)  # a + ib
    places = torch.arange(start, start + length, dtype=x.dtype, device=x.device)
    omega = base ** (-torch.arange(0, dim, 2, dtype=x.dtype, device=x.device) / dim)
    angles = torch.outer(places, omega)
    turned = hands * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).reshape(x.shape)


# %% turn_from · wrong · in-halves-b
# source: written from the task's text, 2026-11
# mistake: pairs entry i with entry i + d/2 (the notebook's layout), not neighbours
import torch


def turn_from(x, start, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    places = start + torch.arange(x.shape[-2])
    angles = places[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


# %% turn_from · wrong · result-sorted-into-halves-b
# source: written from the task's text, 2026-11
# mistake: the right pairs are turned, but the results are put side by side in halves
import torch


def turn_from(x, start, base):
    head_dim = x.shape[-1]
    freqs = base ** (-torch.arange(0, head_dim, 2) / head_dim)
    angles = torch.outer(torch.arange(start, start + x.shape[2]).float(), freqs)
    a, b = x[..., 0::2], x[..., 1::2]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


# %% turn_from · wrong · always-from-zero-b
# source: written from the task's text, 2026-11
# mistake: start is never used, the words are numbered from 0
import torch


def turn_from(x, start, base):
    d = x.shape[-1]
    places = torch.arange(x.shape[-2]).unsqueeze(1)
    theta = places * base ** (-2 * torch.arange(d // 2) / d)
    out = torch.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * theta.cos() - x[..., 1::2] * theta.sin()
    out[..., 1::2] = x[..., 0::2] * theta.sin() + x[..., 1::2] * theta.cos()
    return out


# %% turn_from · wrong · the-two-forgotten-b
# source: written from the task's text, 2026-11
# mistake: the exponent is -i / head_dim, the factor 2 is missing
import torch


def turn_from(x, start, base):
    batch, heads, length, head_dim = x.shape
    i = torch.arange(head_dim // 2)
    p = torch.arange(length) + start
    theta = p[:, None] * base ** (-i / head_dim)[None, :]
    a = x[:, :, :, ::2]
    b = x[:, :, :, 1::2]
    turned = torch.stack(
        [a * torch.cos(theta) - b * torch.sin(theta), a * torch.sin(theta) + b * torch.cos(theta)],
        dim=-1,
    )
    return turned.reshape(batch, heads, length, head_dim)


# %% turn_from · wrong · a-overwritten-before-b-b
# source: written from the task's text, 2026-11
# mistake: a is a view that is overwritten first, so the second line uses the turned a
import torch


def turn_from(x, start, base):
    x = x.clone()
    d = x.shape[-1]
    theta = (start + torch.arange(x.shape[2]))[:, None] * base ** (-torch.arange(0, d, 2) / d)
    cos, sin = theta.cos(), theta.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    x[..., 0::2] = a * cos - b * sin
    x[..., 1::2] = a * sin + b * cos
    return x


# %% test_rotary_step · right · reference-in-float64-b
# source: written from the task's text, 2026-11
import torch


def turned(x, first):
    half = x.shape[1] // 2
    omega = 10_000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = (first + torch.arange(x.shape[0], dtype=torch.float64))[:, None] * omega
    a, b = x.double().split(half, dim=1)
    return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], 1)


def test_rotary_step(rotary_step):
    """Fails if `rotary_step` has a bug, and only then."""
    torch.manual_seed(3)
    # new, start, dim, width, size of the queries
    cases = [(1, 0, 8, 5, 1), (5, 0, 8, 5, 3), (1, 7, 8, 5, 3), (4, 3, 8, 5, 3), (3, 9, 4, 6, 3)]
    cases += [(6, 40, 8, 3, 3), (2, 1, 16, 2, 3), (5, 30, 2, 4, 3), (4, 3, 8, 8, 60)]
    cases += [(3, 300, 4, 1, 4), (4, 640, 2, 1, 4), (2, 90, 12, 4, 3), (1, 7, 8, 5, 3)]
    for new, start, dim, width, size in cases:
        queries = size * torch.randn(new, dim)
        keys, values = torch.randn(start + new, dim), torch.randn(start + new, width)
        scores = turned(queries, start) @ turned(keys, 0).T / dim**0.5
        later = torch.arange(start + new) > start + torch.arange(new)[:, None]
        expected = scores.masked_fill(later, float("-inf")).softmax(-1) @ values.double()
        before = keys.clone()
        found = rotary_step(queries, keys, values, start)
        assert torch.equal(keys, before)
        assert found.shape == (new, width)
        assert torch.allclose(found.double(), expected, rtol=1e-3, atol=3e-3)


# %% test_rotary_step · right · word-by-word-complex-b
# source: written from the task's text, 2026-11
import cmath
import math

import torch


def clock_hands(vector, place):
    half = len(vector) // 2
    return [
        complex(vector[i], vector[i + half]) * cmath.exp(1j * place * 10_000 ** (-i / half))
        for i in range(half)
    ]


def slow_step(queries, keys, values, start):
    rows = []
    keys = [clock_hands(k, p) for p, k in enumerate(keys.tolist())]
    values = values.tolist()
    for n, query in enumerate(queries.tolist()):
        place = start + n
        hands = clock_hands(query, place)
        scores = []
        for key in keys[: place + 1]:
            dot = sum((a.conjugate() * b).real for a, b in zip(hands, key))
            scores.append(dot / math.sqrt(len(query)))
        top = max(scores)
        parts = [math.exp(s - top) for s in scores]
        total = sum(parts)
        rows.append(
            [sum(p * v[w] for p, v in zip(parts, values)) / total for w in range(len(values[0]))]
        )
    return torch.tensor(rows)


def test_rotary_step(rotary_step):
    """Fails if `rotary_step` has a bug, and only then."""
    torch.manual_seed(11)
    for dim, width in ((2, 3), (6, 4), (8, 8)):
        for start, new in ((0, 1), (0, 6), (1, 2), (5, 1), (8, 4)):
            q, k = 3 * torch.randn(new, dim), torch.randn(start + new, dim)
            v = torch.randn(start + new, width)
            wanted = slow_step(q, k, v, start)
            kept = k.clone()
            got = rotary_step(q, k, v, start)
            assert torch.equal(k, kept), "the keys that came in were changed"
            assert got.shape == wanted.shape
            assert (got - wanted).abs().max() < 2e-3, (dim, start, new)
    # far from the beginning, and with scores that overflow without care
    for dim, start, new, size in ((4, 350, 3, 4), (2, 600, 5, 4), (4, 6, 3, 100)):
        q, k = size * torch.randn(new, dim), torch.randn(start + new, dim)
        v = torch.randn(start + new, 1)
        got = rotary_step(q, k, v, start)
        assert (got - slow_step(q, k, v, start)).abs().max() < 5e-3, (dim, start)


# %% test_rotary_step · wrong · nobody-comes-later-b
# source: written from the task's text, 2026-11
# mistake: start is 0 in every call, so wrong numbering of a step with a cache is never seen
import torch

from utils.positions import RotaryPositions


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    for new in (1, 2, 5, 12):
        for dim in (4, 8):
            q, k, v = 3 * torch.randn(new, dim), torch.randn(new, dim), torch.randn(new, 3)
            turn, places = RotaryPositions(dim).turn, torch.arange(new)
            scores = turn(q, places) @ turn(k, places).T / dim**0.5
            open_ = torch.ones(new, new).tril().bool()
            expected = scores.masked_fill(~open_, float("-inf")).softmax(-1) @ v
            assert torch.allclose(rotary_step(q, k, v, 0), expected, atol=1e-3)


# %% test_rotary_step · wrong · in-pairs-as-in-the-paper-b
# source: written from the task's text, 2026-11
# mistake: the reference turns neighbouring entries, so the right version (halves) is blamed
import torch


def turn(x, places):
    d = x.shape[1]
    angles = places[:, None] * 10_000.0 ** (-torch.arange(0, d, 2) / d)
    a, b = x[:, 0::2], x[:, 1::2]
    both = [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()]
    return torch.stack(both, -1).flatten(1)


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    for start, new in ((0, 1), (0, 5), (3, 1), (6, 4), (40, 2)):
        q, k, v = torch.randn(new, 8), torch.randn(start + new, 8), torch.randn(start + new, 3)
        everyone = torch.arange(start + new)
        scores = turn(q, everyone[start:]) @ turn(k, everyone).T / 8**0.5
        scores = scores.masked_fill(everyone > everyone[start:, None], float("-inf"))
        assert torch.allclose(rotary_step(q, k, v, start), scores.softmax(-1) @ v, atol=1e-3)


# %% test_rotary_step · wrong · equal-to-the-last-digit-b
# source: written from the task's text, 2026-11
# mistake: asks for exactly equal numbers and so blames the right version
import math

import torch


def turn(x, places):
    half = x.shape[-1] // 2
    angles = places[:, None] * torch.exp(-math.log(10_000) * torch.arange(half) / half)
    a, b = x[:, :half], x[:, half:]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    for start, new, dim in ((0, 4, 8), (5, 1, 8), (5, 3, 6), (60, 4, 8), (300, 3, 4)):
        q, k = 2 * torch.randn(new, dim), torch.randn(start + new, dim)
        v = torch.randn(start + new, 2)
        p = torch.arange(start + new)
        scores = turn(q, p[start:]) @ turn(k, p).T / dim**0.5
        scores[p[None] > p[start:, None]] = -torch.inf
        expected = (scores.exp() / scores.exp().sum(-1, keepdim=True)) @ v
        assert (rotary_step(q, k, v, start) == expected).all()


# %% test_rotary_step · wrong · shape-and-no-nan-b
# source: written from the task's text, 2026-11
# mistake: looks at the shape and for nan only, wrong contexts pass
import torch


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    for start, new, dim, width in ((0, 1, 4, 2), (0, 6, 8, 3), (9, 1, 8, 8), (20, 5, 16, 4)):
        queries = torch.randn(new, dim)
        keys = torch.randn(start + new, dim)
        values = torch.randn(start + new, width)
        contexts = rotary_step(queries, keys, values, start)
        assert contexts.shape == (new, width)
        assert torch.isfinite(contexts).all()


# %% test_rotary_step · wrong · queries-numbered-from-zero-b
# source: written from the task's text, 2026-11
# mistake: the reference turns the new queries by 0, 1, … and not by start, start + 1, …
import torch

from utils.positions import RotaryPositions


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    for start, new in ((0, 1), (0, 6), (4, 1), (7, 3), (50, 4)):
        q, k = 2 * torch.randn(new, 8), torch.randn(start + new, 8)
        v = torch.randn(start + new, 5)
        turn = RotaryPositions(8).turn
        scores = turn(q, torch.arange(new)) @ turn(k, torch.arange(start + new)).T / 8**0.5
        for row in range(new):
            scores[row, start + row + 1 :] = float("-inf")
        expected = scores.softmax(dim=-1) @ v
        assert torch.allclose(rotary_step(q, k, v, start), expected, rtol=1e-3, atol=1e-3)


# %% slower_clocks · right · clamp-and-lerp-b
# source: written from the task's text, 2026-11
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    """The frequencies `linear`, `ntk` and `yarn`, (head_dim / 2,) each."""
    exponents = -torch.arange(0, head_dim, 2) / head_dim
    trained = float(base) ** exponents
    linear = trained / factor
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** exponents
    turns = length * trained / (2 * math.pi)
    share = ((turns - 1) / (32 - 1)).clamp(0, 1)
    yarn = torch.lerp(linear, trained, share)
    return linear, ntk, yarn


# %% slower_clocks · right · clock-by-clock-b
# source: written from the task's text, 2026-11
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    """The frequencies `linear`, `ntk` and `yarn`, (head_dim / 2,) each."""
    linear, ntk, yarn = [], [], []
    new_base = base * factor ** (head_dim / (head_dim - 2))
    for i in range(head_dim // 2):
        w = base ** (-2 * i / head_dim)
        linear.append(w / factor)
        ntk.append(new_base ** (-2 * i / head_dim))
        turns = w * length / math.tau
        if turns >= 32:
            yarn.append(w)
        elif turns <= 1:
            yarn.append(w / factor)
        else:
            old = (turns - 1) / 31
            yarn.append(old * w + (1 - old) * w / factor)
    return torch.tensor(linear), torch.tensor(ntk), torch.tensor(yarn)


# %% slower_clocks · wrong · ramp-upside-down-b
# source: written from the task's text, 2026-11
# mistake: the share is that of the divided frequency: fast clocks are slowed down, slow ones left alone
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    i = torch.arange(head_dim // 2)
    omega = base ** (-2 * i / head_dim)
    linear = omega / factor
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** (-2 * i / head_dim)
    turns = length * omega / (2 * math.pi)
    ramp = ((turns - 1) / 31).clamp(0, 1)
    yarn = ramp * linear + (1 - ramp) * omega
    return linear, ntk, yarn


# %% slower_clocks · wrong · radians-for-turns-b
# source: written from the task's text, 2026-11
# mistake: length * frequency is taken for the number of turns, without dividing by 2 pi
import torch


def slower_clocks(head_dim, base, length, factor):
    powers = torch.arange(0, head_dim, 2).float() / head_dim
    freqs = 1.0 / base**powers
    linear = freqs / factor
    ntk = 1.0 / (base * factor ** (head_dim / (head_dim - 2))) ** powers
    turns = length * freqs
    keep = torch.clip((turns - 1) / (32 - 1), 0, 1)
    yarn = keep * freqs + (1 - keep) * freqs / factor
    return linear, ntk, yarn


# %% slower_clocks · wrong · ntk-without-the-exponent-b
# source: written from the task's text, 2026-11
# mistake: the new base is base * factor, the exponent d / (d - 2) is left out
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    exponent = -2 * torch.arange(head_dim // 2) / head_dim
    old = base**exponent
    linear = old / factor
    ntk = (base * factor) ** exponent
    turns = length * old / (2 * math.pi)
    share = ((turns - 1) / 31).clamp(min=0, max=1)
    yarn = share * old + (1 - share) * linear
    return linear, ntk, yarn


# %% slower_clocks · wrong · turns-within-the-new-length-b
# source: written from the task's text, 2026-11
# mistake: counts the turns within length * factor words, not within the trained length
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    exponents = torch.arange(0, head_dim, 2) / head_dim
    omega = base**-exponents
    linear = omega / factor
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** -exponents
    turns = length * factor * omega / (2 * math.pi)
    share = ((turns - 1) / 31).clamp(0, 1)
    yarn = omega * share + linear * (1 - share)
    return linear, ntk, yarn


# %% slower_clocks · wrong · all-or-nothing-b
# source: written from the task's text, 2026-11
# mistake: there is no ramp: every clock with less than 32 turns is divided by the whole factor
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    w = base ** (-torch.arange(0, head_dim, 2) / head_dim)
    linear = w / factor
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** (-torch.arange(0, head_dim, 2) / head_dim)
    turns = length * w / (2 * math.pi)
    yarn = torch.where(turns >= 32, w, w / factor)
    return linear, ntk, yarn


# %% linear_read · right · word-by-word-b
# source: written from the task's text, 2026-11
import torch


def linear_read(queries, keys, values, state, total):
    """`contexts` (batch, len, width), and the new `state` and `total`."""
    contexts = []
    for t in range(queries.shape[1]):
        q, k, v = queries[:, t], keys[:, t], values[:, t]
        state = state + k.unsqueeze(2) * v.unsqueeze(1)
        total = total + k
        above = (q.unsqueeze(1) @ state).squeeze(1)  # (batch, width)
        contexts.append(above / (q * total).sum(1, keepdim=True))
    return torch.stack(contexts, dim=1), state, total


# %% linear_read · right · table-plus-state-b
# source: written from the task's text, 2026-11
import torch


def linear_read(queries, keys, values, state, total):
    """`contexts` (batch, len, width), and the new `state` and `total`."""
    table = torch.tril(queries @ keys.transpose(1, 2))  # (batch, len, len): this piece
    top = table @ values + queries @ state
    bottom = table.sum(-1) + torch.einsum("btd,bd->bt", queries, total)
    contexts = top / bottom[..., None]
    return contexts, state + keys.transpose(1, 2) @ values, total + keys.sum(1)


# %% linear_read · wrong · asked-before-written-b
# source: written from the task's text, 2026-11
# mistake: each word reads the state before its own pair is added, so it does not see itself
import torch


def linear_read(queries, keys, values, state, total):
    contexts = []
    for t in range(queries.shape[1]):
        q, k, v = queries[:, t], keys[:, t], values[:, t]
        over = torch.einsum("bd,bdw->bw", q, state)
        under = (q * total).sum(-1, keepdim=True)
        contexts.append(over / under)
        state = state + torch.einsum("bd,bw->bdw", k, v)
        total = total + k
    return torch.stack(contexts, 1), state, total


# %% linear_read · wrong · divisor-of-this-piece-only-b
# source: written from the task's text, 2026-11
# mistake: the incoming total is missing in the divisor, which counts this piece alone
import torch


def linear_read(queries, keys, values, state, total):
    length = queries.shape[1]
    mask = torch.ones(length, length).tril()
    table = (queries @ keys.mT) * mask
    above = table @ values + queries @ state
    below = table.sum(-1, keepdim=True)
    new_state = state + keys.mT @ values
    new_total = total + keys.sum(1)
    return above / below, new_state, new_total


# %% linear_read · wrong · everybody-sees-the-end-b
# source: written from the task's text, 2026-11
# mistake: all words of the piece are summed first, so every word also sees the later ones
import torch


def linear_read(queries, keys, values, state, total):
    state = state + torch.einsum("btd,btw->bdw", keys, values)
    total = total + keys.sum(dim=1)
    numerator = torch.einsum("btd,bdw->btw", queries, state)
    denominator = torch.einsum("btd,bd->bt", queries, total).unsqueeze(-1)
    return numerator / denominator, state, total


# %% linear_read · wrong · summed-in-place-b
# source: written from the task's text, 2026-11
# mistake: += changes the state and the total that came in, where new tensors are asked for
import torch


def linear_read(queries, keys, values, state, total):
    batch, length, dim = queries.shape
    contexts = torch.zeros(batch, length, values.shape[-1])
    for t in range(length):
        state += keys[:, t, :, None] * values[:, t, None, :]
        total += keys[:, t]
        z = (queries[:, t] * total).sum(-1)
        contexts[:, t] = (queries[:, t, None] @ state)[:, 0] / z[:, None]
    return contexts, state, total


# %% linear_read · wrong · starts-from-nothing-b
# source: written from the task's text, 2026-11
# mistake: the contexts leave out the earlier pieces: the running sums begin at 0 and are added at the end only
import torch


def linear_read(queries, keys, values, state, total):
    outer = keys.unsqueeze(-1) * values.unsqueeze(-2)  # (batch, len, dim, width)
    states = outer.cumsum(dim=1)
    totals = keys.cumsum(dim=1)
    above = torch.einsum("btd,btdw->btw", queries, states)
    below = (queries * totals).sum(-1, keepdim=True)
    contexts = above / below
    return contexts, state + states[:, -1], total + totals[:, -1]


# %% gated_delta · right · einsum-b
# source: written from the task's text, 2026-11
import torch


def gated_delta(state, key, value, alpha, beta):
    """The new state, (batch, dim, width)."""
    left = torch.einsum("b,bdw->bdw", alpha, state)
    error = value - torch.einsum("bdw,bd->bw", left, key)
    return left + torch.einsum("b,bd,bw->bdw", beta, key, error)


# %% gated_delta · right · one-matrix-from-the-left-b
# source: written from the task's text, 2026-11
import torch


def gated_delta(state, key, value, alpha, beta):
    """The new state, (batch, dim, width)."""
    # S = alpha (1 - beta k k^T) S + beta k v^T
    k = key.unsqueeze(2)  # (batch, dim, 1)
    b = beta.view(-1, 1, 1)
    eye = torch.eye(key.shape[1], dtype=key.dtype, device=key.device)
    keep = alpha.view(-1, 1, 1) * (eye - b * (k @ k.transpose(1, 2)))
    return keep @ state + b * (k @ value.unsqueeze(1))


# %% gated_delta · wrong · error-on-the-whole-state-b
# source: written from the task's text, 2026-11
# mistake: the error is computed on the state before it has decayed
import torch


def gated_delta(state, key, value, alpha, beta):
    a, b = alpha[:, None, None], beta[:, None, None]
    error = value - (key[:, None] @ state)[:, 0]
    return a * state + b * key[:, :, None] * error[:, None, :]


# %% gated_delta · wrong · decay-comes-last-b
# source: written from the task's text, 2026-11
# mistake: first the delta rule and then the decay, so the new pair is weakened too
import torch


def gated_delta(state, key, value, alpha, beta):
    read = torch.einsum("bd,bdw->bw", key, state)
    written = torch.einsum("bd,bw->bdw", key, value - read)
    return alpha.view(-1, 1, 1) * (state + beta.view(-1, 1, 1) * written)


# %% gated_delta · wrong · beta-on-the-value-alone-b
# source: written from the task's text, 2026-11
# mistake: beta multiplies the value and not the whole error
import torch


def gated_delta(state, key, value, alpha, beta):
    left = state * alpha[:, None, None]
    old = (key.unsqueeze(1) @ left).squeeze(1)
    error = beta[:, None] * value - old
    return left + key.unsqueeze(2) @ error.unsqueeze(1)


# %% gated_delta · wrong · decayed-in-place-b
# source: written from the task's text, 2026-11
# mistake: the state that came in is changed (mul_), where a new tensor is asked for
import torch


def gated_delta(state, key, value, alpha, beta):
    state.mul_(alpha[:, None, None])
    error = value - (state * key[:, :, None]).sum(1)
    return state + beta[:, None, None] * key[:, :, None] * error[:, None, :]


# %% gated_delta · wrong · read-without-a-gradient-b
# source: written from the task's text, 2026-11
# mistake: what the state says is read under no_grad, so gradients through the error are missing
import torch


def gated_delta(state, key, value, alpha, beta):
    with torch.no_grad():
        left = alpha[:, None, None] * state
        error = value - torch.einsum("bd,bdw->bw", key, left)
        update = torch.einsum("bd,bw->bdw", key, error)
    return alpha[:, None, None] * state + beta[:, None, None] * update


# %% what_was_shown · right · from-the-table-b
# source: written from the task's text, 2026-11
what_was_shown = {
    "a": "shown here",  # 9.9 against 10.2
    "b": "not shown either way",  # flat, but nobody measured where it looks
    "c": "contradicted here",  # 10.1 to 15.6
    "d": "not shown either way",  # 400 steps, one seed
    "e": "contradicted here",  # rotary: 0.3 and 3.5
    "f": "shown here",
}


# %% what_was_shown · right · sorted-by-verdict-b
# source: written from the task's text, 2026-11
verdicts = {"shown here": "af", "contradicted here": "ce", "not shown either way": "bd"}
what_was_shown = {letter: verdict for verdict, letters in verdicts.items() for letter in letters}


# %% what_was_shown · wrong · flat-means-used-b
# source: written from the task's text, 2026-11
# mistake: b: a perplexity that stays flat is taken for proof that far words are used
what_was_shown = {
    "a": "shown here",
    "b": "shown here",
    "c": "contradicted here",
    "d": "not shown either way",
    "e": "contradicted here",
    "f": "shown here",
}


# %% what_was_shown · wrong · did-not-so-cannot-b
# source: written from the task's text, 2026-11
# mistake: d: from one run of 400 steps that did not learn it is concluded that it cannot be learned
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "contradicted here",
    "d": "shown here",
    "e": "contradicted here",
    "f": "shown here",
}


# %% what_was_shown · wrong · one-example-does-not-count-b
# source: written from the task's text, 2026-11
# mistake: e: "any" is not taken as refuted by the one counterexample, rotary
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "contradicted here",
    "d": "not shown either way",
    "e": "not shown either way",
    "f": "shown here",
}


# %% what_was_shown · wrong · one-seed-shows-nothing-b
# source: written from the task's text, 2026-11
# mistake: f: not accepted because of the one seed, although the statement speaks of this seed alone
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "contradicted here",
    "d": "not shown either way",
    "e": "contradicted here",
    "f": "not shown either way",
}


# %% cache_bytes · right · layer-by-layer-in-python-c
# source: written from the task's text, 2026-11
import json

import torch


def cache_bytes(config, tokens):
    """The bytes kept of texts of `tokens` tokens (n,), from the text of a configuration."""
    fields = json.loads(config)
    layers = fields["num_hidden_layers"]
    unlimited = float("inf")

    # what one layer keeps of one token, and how many tokens it keeps at most
    if "kv_lora_rank" in fields:
        numbers = fields["kv_lora_rank"] + fields["qk_rope_head_dim"]
        limits = [unlimited] * layers
    else:
        query_heads = fields["num_attention_heads"]
        width = fields.get("head_dim", fields["hidden_size"] // query_heads)
        numbers = 2 * fields.get("num_key_value_heads", query_heads) * width
        if "sliding_window" not in fields or fields.get("use_sliding_window") is False:
            limits = [unlimited] * layers
        else:
            kinds = fields.get("layer_types", ["sliding_attention"] * layers)
            limits = [
                fields["sliding_window"] if kind == "sliding_attention" else unlimited
                for kind in kinds
            ]

    totals = []
    for length in tokens.tolist():
        kept = 0
        for limit in limits:
            kept += int(min(length, limit))
        totals.append(2 * numbers * kept)
    return torch.tensor(totals, dtype=torch.long)


# %% cache_bytes · wrong · latent-counted-twice-c
# source: written from the task's text, 2026-11
# mistake: the latent vector and the rotary part are counted twice, as if they were keys and values
import json

import torch


def cache_bytes(config, tokens):
    c = json.loads(config)
    n_layers = c["num_hidden_layers"]
    if "kv_lora_rank" in c:
        per_token = c["kv_lora_rank"] + c["qk_rope_head_dim"]
    else:
        n_kv = c.get("num_key_value_heads", c["num_attention_heads"])
        per_token = n_kv * c.get("head_dim", c["hidden_size"] // c["num_attention_heads"])
    window = c.get("sliding_window")
    if not c.get("use_sliding_window", True):
        window = None
    kinds = c.get("layer_types", ["sliding_attention"] * n_layers)
    seen = torch.zeros_like(tokens)
    for i in range(n_layers):
        if window is not None and kinds[i] == "sliding_attention":
            seen = seen + tokens.clamp(max=window)
        else:
            seen = seen + tokens
    return 2 * 2 * per_token * seen


# %% cache_bytes · wrong · window-without-the-present-token-c
# source: written from the task's text, 2026-11
# mistake: a layer with a window keeps sliding_window - 1 tokens, the present one is not counted
import json

import torch


def cache_bytes(config, tokens):
    """The bytes kept of texts of `tokens` tokens (n,), from the text of a configuration."""
    cfg = json.loads(config)
    layers, heads = cfg["num_hidden_layers"], cfg["num_attention_heads"]

    if "kv_lora_rank" in cfg:
        return 2 * layers * (cfg["kv_lora_rank"] + cfg["qk_rope_head_dim"]) * tokens

    kv_heads = cfg.get("num_key_value_heads", heads)
    head_dim = cfg.get("head_dim", cfg["hidden_size"] // heads)
    per_layer = 2 * 2 * kv_heads * head_dim

    if "sliding_window" in cfg and cfg.get("use_sliding_window", True):
        short = torch.minimum(tokens, torch.full_like(tokens, cfg["sliding_window"] - 1))
        types = cfg.get("layer_types", ["sliding_attention"] * layers)
        n_sliding = types.count("sliding_attention")
        return per_layer * (n_sliding * short + (layers - n_sliding) * tokens)
    return per_layer * layers * tokens


# %% cache_bytes · wrong · window-only-if-switched-on-c
# source: written from the task's text, 2026-11
# mistake: without the field use_sliding_window the window is taken to be switched off
import json


def cache_bytes(config, tokens):
    data = json.loads(config)
    L = data["num_hidden_layers"]
    H = data["num_attention_heads"]
    if "kv_lora_rank" in data:
        return tokens * L * (data["kv_lora_rank"] + data["qk_rope_head_dim"]) * 2
    kv = data["num_key_value_heads"] if "num_key_value_heads" in data else H
    w = data["head_dim"] if "head_dim" in data else data["hidden_size"] // H
    full = L
    sliding = 0
    if data.get("use_sliding_window") and "sliding_window" in data:
        if "layer_types" in data:
            sliding = sum(t == "sliding_attention" for t in data["layer_types"])
        else:
            sliding = L
        full = L - sliding
    kept = full * tokens
    if sliding:
        kept = kept + sliding * tokens.clamp(max=data["sliding_window"])
    return kept * kv * w * 2 * 2


# %% cache_bytes · wrong · head-width-always-divided-c
# source: written from the task's text, 2026-11
# mistake: the field head_dim is never read, the width is always hidden_size / num_attention_heads
import json


def cache_bytes(config, tokens):
    """The bytes kept of texts of `tokens` tokens (n,), from the text of a configuration."""
    config = json.loads(config)
    layers = config["num_hidden_layers"]
    heads = config["num_attention_heads"]
    head_width = config["hidden_size"] // heads

    if "kv_lora_rank" in config:
        numbers = config["kv_lora_rank"] + config["qk_rope_head_dim"]
    else:
        numbers = 2 * config.get("num_key_value_heads", heads) * head_width

    windowed = 0
    if "sliding_window" in config and config.get("use_sliding_window", True):
        windowed = config.get("layer_types", ["sliding_attention"] * layers).count(
            "sliding_attention"
        )
    result = (layers - windowed) * numbers * tokens
    if windowed > 0:
        result = result + windowed * numbers * tokens.clamp(max=config["sliding_window"])
    return 2 * result


# %% cache_bytes · wrong · short-texts-fill-the-window-c
# source: written from the task's text, 2026-11
# mistake: a layer with a window is charged the whole window even if the text is shorter than it
import json

import torch


def cache_bytes(config, tokens):
    cfg = json.loads(config)
    layers = cfg["num_hidden_layers"]
    if "kv_lora_rank" in cfg:
        return 2 * layers * (cfg["kv_lora_rank"] + cfg["qk_rope_head_dim"]) * tokens
    heads = cfg["num_attention_heads"]
    one = 2 * cfg.get("num_key_value_heads", heads) * cfg.get("head_dim", cfg["hidden_size"] // heads)
    if not cfg.get("use_sliding_window", True) or "sliding_window" not in cfg:
        types = ["full_attention"] * layers
    else:
        types = cfg.get("layer_types", ["sliding_attention"] * layers)
    total = torch.zeros_like(tokens)
    for t in types:
        if t == "sliding_attention":
            total = total + one * cfg["sliding_window"]
        else:
            total = total + one * tokens
    return 2 * total


# %% which_runs_out · right · the-table-as-a-program-c
# source: written from the task's text, 2026-11
LENGTH = 32_768

# numbers kept of a text of LENGTH tokens
numbers = {
    "qwen3-0.6b": 28 * 2 * 8 * 128 * LENGTH,
    "deepseek-v3": 61 * (512 + 64) * LENGTH,
    "mistral-7b": 32 * 2 * 8 * 128 * min(4_096, LENGTH),
    "llama-3.2-1b": 16 * 2 * 8 * 64 * LENGTH,
    "llama-3.1-8b": 32 * 2 * 8 * 128 * LENGTH,
    "olmo-3-7b": 2 * 32 * 128 * (24 * 4_096 + 8 * LENGTH),
    "qwen2.5-72b": 80 * 2 * 8 * 128 * LENGTH,
    "gpt-oss-20b": 2 * 8 * 64 * (12 * 128 + 12 * LENGTH),
    "tiny-aya": 2 * 4 * 128 * (27 * 4_096 + 9 * LENGTH),
}
pairs = {
    "tiny_or_giant": ("qwen3-0.6b", "deepseek-v3"),
    "window_or_groups": ("mistral-7b", "llama-3.2-1b"),
    "old_or_new": ("olmo-3-7b", "llama-3.1-8b"),
    "window_in_the_file": ("olmo-3-7b", "qwen2.5-72b"),
    "half_a_window": ("gpt-oss-20b", "mistral-7b"),
    "three_quarters": ("tiny-aya", "llama-3.2-1b"),
}
which_runs_out = {question: max(pair, key=numbers.get) for question, pair in pairs.items()}


# %% which_runs_out · wrong · latent-taken-for-heads-c
# source: written from the task's text, 2026-11
# mistake: DeepSeek-V3 is counted with its 128 heads with keys, so the giant is named
which_runs_out = {
    "tiny_or_giant": "deepseek-v3",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "llama-3.2-1b",
}


# %% which_runs_out · wrong · bytes-of-a-token-only-c
# source: written from the task's text, 2026-11
# mistake: only what one token costs is compared, the windows are left out
per_token = {
    "qwen3-0.6b": 28 * 8 * 128 * 2,
    "deepseek-v3": 61 * (512 + 64),
    "mistral-7b": 32 * 8 * 128 * 2,
    "llama-3.2-1b": 16 * 8 * 64 * 2,
    "llama-3.1-8b": 32 * 8 * 128 * 2,
    "olmo-3-7b": 32 * 32 * 128 * 2,
    "qwen2.5-72b": 80 * 8 * 128 * 2,
    "gpt-oss-20b": 24 * 8 * 64 * 2,
    "tiny-aya": 36 * 4 * 128 * 2,
}


def more(a, b):
    return a if per_token[a] > per_token[b] else b


which_runs_out = {
    "tiny_or_giant": more("qwen3-0.6b", "deepseek-v3"),
    "window_or_groups": more("mistral-7b", "llama-3.2-1b"),
    "old_or_new": more("olmo-3-7b", "llama-3.1-8b"),
    "window_in_the_file": more("olmo-3-7b", "qwen2.5-72b"),
    "half_a_window": more("gpt-oss-20b", "mistral-7b"),
    "three_quarters": more("tiny-aya", "llama-3.2-1b"),
}


# %% which_runs_out · wrong · window-in-all-layers-c
# source: written from the task's text, 2026-11
# mistake: the window of OLMo, gpt-oss and Tiny Aya is taken to be in all layers, also in those that keep all
n = 32_768
olmo = 32 * 2 * 32 * 128 * 4_096
gpt_oss = 24 * 2 * 8 * 64 * 128
aya = 36 * 2 * 4 * 128 * 4_096
mistral = 32 * 2 * 8 * 128 * 4_096
llama1b = 16 * 2 * 8 * 64 * n
llama8b = 32 * 2 * 8 * 128 * n
qwen72b = 80 * 2 * 8 * 128 * n

which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b" if 28 * 2 * 8 * 128 > 61 * 576 else "deepseek-v3",
    "window_or_groups": "mistral-7b" if mistral > llama1b else "llama-3.2-1b",
    "old_or_new": "olmo-3-7b" if olmo > llama8b else "llama-3.1-8b",
    "window_in_the_file": "olmo-3-7b" if olmo > qwen72b else "qwen2.5-72b",
    "half_a_window": "gpt-oss-20b" if gpt_oss > mistral else "mistral-7b",
    "three_quarters": "tiny-aya" if aya > llama1b else "llama-3.2-1b",
}


# %% which_runs_out · wrong · shares-of-layers-swapped-c
# source: written from the task's text, 2026-11
# mistake: OLMo and Tiny Aya are counted with the numbers of their two kinds of layers swapped (the many keep all)
# OLMo: 8192 * (8 * 4096 + 24 * 32768) = 6.7e9     Qwen2.5: 163840 * 32768 = 5.4e9
# Aya:  1024 * (9 * 4096 + 27 * 32768) = 0.94e9    Llama 1B: 16384 * 32768 = 0.54e9
which_runs_out = {
    "tiny_or_giant": "qwen3-0.6b",
    "window_or_groups": "llama-3.2-1b",
    "old_or_new": "olmo-3-7b",
    "window_in_the_file": "olmo-3-7b",
    "half_a_window": "gpt-oss-20b",
    "three_quarters": "tiny-aya",
}


# %% grouped_step · right · head-after-head-c
# source: written from the task's text, 2026-11
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    batch, kv_heads, _, width = past_keys.shape
    heads = w_q.shape[1] // width
    share = heads // kv_heads  # so many query heads in a group

    new_keys, new_values = [], []
    for g in range(kv_heads):
        columns = slice(g * width, (g + 1) * width)
        new_keys.append(x @ w_k[:, columns])  # (batch, width)
        new_values.append(x @ w_v[:, columns])
    keys = torch.cat([past_keys, torch.stack(new_keys, dim=1)[:, :, None, :]], dim=2)
    values = torch.cat([past_values, torch.stack(new_values, dim=1)[:, :, None, :]], dim=2)

    pieces = []
    for h in range(heads):
        query = x @ w_q[:, h * width : (h + 1) * width]  # (batch, width)
        scores = (keys[:, h // share] * query[:, None, :]).sum(dim=-1) / width**0.5
        weights = torch.softmax(scores, dim=-1)  # (batch, written + 1)
        pieces.append((weights[:, :, None] * values[:, h // share]).sum(dim=1))
    context = torch.cat(pieces, dim=-1)
    return context, keys, values


# %% grouped_step · wrong · heads-dealt-out-in-turn-c
# source: written from the task's text, 2026-11
# mistake: repeat in place of repeat_interleave, so neighbouring query heads get different heads of keys
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    batch, kv_heads, written, width = past_keys.shape
    heads = w_q.shape[1] // width
    q = (x @ w_q).view(batch, heads, 1, width)
    k = (x @ w_k).view(batch, kv_heads, 1, width)
    v = (x @ w_v).view(batch, kv_heads, 1, width)
    keys = torch.cat([past_keys, k], dim=2)
    values = torch.cat([past_values, v], dim=2)
    many_keys = keys.repeat(1, heads // kv_heads, 1, 1)
    many_values = values.repeat(1, heads // kv_heads, 1, 1)
    scores = q @ many_keys.transpose(-2, -1) / width**0.5
    context = (scores.softmax(-1) @ many_values).reshape(batch, heads * width)
    return context, keys, values


# %% grouped_step · wrong · scaled-by-the-word-width-c
# source: written from the task's text, 2026-11
# mistake: scores are divided by the root of dim, the width of x, in place of the width of a head
import math

import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    batch, dim = x.shape
    groups, width = past_keys.shape[1], past_keys.shape[3]
    queries = (x @ w_q).reshape(batch, groups, -1, width)  # (batch, groups, members, width)
    keys = torch.cat([past_keys, (x @ w_k).reshape(batch, groups, 1, width)], dim=2)
    values = torch.cat([past_values, (x @ w_v).reshape(batch, groups, 1, width)], dim=2)
    scores = torch.einsum("bgmw,bgnw->bgmn", queries, keys) / math.sqrt(dim)
    weights = scores.softmax(dim=-1)
    context = torch.einsum("bgmn,bgnw->bgmw", weights, values).reshape(batch, -1)
    return context, keys, values


# %% grouped_step · wrong · does-not-see-itself-c
# source: written from the task's text, 2026-11
# mistake: the new word looks at the past keys and values only, not at its own
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    B, G, T, D = past_keys.shape
    H = w_q.size(1) // D

    new_k = (x @ w_k).view(B, G, 1, D)
    new_v = (x @ w_v).view(B, G, 1, D)
    keys = torch.cat((past_keys, new_k), dim=-2)
    values = torch.cat((past_values, new_v), dim=-2)

    q = (x @ w_q).view(B, H, 1, D)
    k = past_keys.repeat_interleave(H // G, dim=1)
    v = past_values.repeat_interleave(H // G, dim=1)
    att = torch.softmax(q @ k.transpose(2, 3) / D**0.5, dim=-1)
    context = (att @ v).view(B, H * D)
    return context, keys, values


# %% grouped_step · wrong · head-and-width-mixed-up-in-the-projection-c
# source: written from the task's text, 2026-11
# mistake: the columns of w_k are cut as (width, kv_heads), so each head gets every kv_heads-th column and not its block
import torch


def grouped_step(x, past_keys, past_values, w_q, w_k, w_v):
    """`context`, `keys` and `values`: see the table."""
    batch = x.shape[0]
    kv_heads, width = past_keys.shape[1], past_keys.shape[-1]
    heads = w_q.shape[-1] // width

    key = (x @ w_k).view(batch, width, kv_heads).transpose(1, 2)
    value = (x @ w_v).view(batch, kv_heads, width)
    keys = torch.cat([past_keys, key.unsqueeze(2)], dim=2)
    values = torch.cat([past_values, value.unsqueeze(2)], dim=2)

    query = (x @ w_q).view(batch, heads, width).unsqueeze(2)
    k = keys.repeat_interleave(heads // kv_heads, dim=1)
    v = values.repeat_interleave(heads // kv_heads, dim=1)
    weights = (query @ k.mT / width**0.5).softmax(dim=-1)
    context = (weights @ v).squeeze(2).flatten(1)
    return context, keys, values


# %% ring_step · right · youngest-first-c
# source: written from the task's text, 2026-11
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    """`context`, `keys` and `values`: see the table."""
    size = ring_keys.shape[1]
    here = torch.tensor([read % size], device=ring_keys.device)
    keys = ring_keys.index_copy(1, here, key.unsqueeze(1))  # not index_copy_: a new tensor
    values = ring_values.index_copy(1, here, value.unsqueeze(1))

    # the places of the words that can be seen: the new one, the one before it, ...
    seen = [(read - back) % size for back in range(min(read + 1, size))]
    scores = torch.einsum("bw,bnw->bn", query, keys[:, seen]) * query.shape[-1] ** -0.5
    context = torch.einsum("bn,bnw->bw", scores.softmax(dim=1), values[:, seen])
    return context, keys, values


# %% ring_step · wrong · writes-into-the-ring-c
# source: written from the task's text, 2026-11
# mistake: the ring that came in is changed in place
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    keys = ring_keys
    values = ring_values
    window = keys.shape[1]
    keys[:, read % window] = key
    values[:, read % window] = value
    filled = min(read + 1, window)
    scores = keys[:, :filled] @ query.unsqueeze(-1) / query.shape[-1] ** 0.5  # (batch, filled, 1)
    context = (torch.softmax(scores, dim=1) * values[:, :filled]).sum(dim=1)
    return context, keys, values


# %% ring_step · wrong · zero-score-for-empty-places-c
# source: written from the task's text, 2026-11
# mistake: empty places get the score 0 in place of minus infinity and so keep a weight
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    """`context`, `keys` and `values`: see the table."""
    W = ring_keys.shape[1]
    keys, values = ring_keys.clone(), ring_values.clone()
    keys[:, read % W] = key
    values[:, read % W] = value

    scores = torch.einsum("bd,bwd->bw", query, keys) / query.shape[1] ** 0.5
    is_filled = torch.arange(W) <= read
    scores = scores * is_filled
    weights = scores.softmax(dim=-1)
    context = torch.einsum("bw,bwd->bd", weights, values)
    return context, keys, values


# %% ring_step · wrong · one-place-too-far-c
# source: written from the task's text, 2026-11
# mistake: the new word is written to place (read + 1) mod W, so the first word goes to place 1
import math

import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    window = ring_keys.size(1)
    slot = (read + 1) % window
    keys = ring_keys.clone()
    values = ring_values.clone()
    keys[:, slot, :] = key
    values[:, slot, :] = value

    n = min(read + 1, window)
    scores = (keys @ query[:, :, None]).squeeze(-1) / math.sqrt(query.size(-1))
    # open: the last n places written
    slots = [(slot - i) % window for i in range(n)]
    mask = torch.zeros(window, dtype=torch.bool)
    mask[slots] = True
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    context = (weights[:, None, :] @ values).squeeze(1)
    return context, keys, values


# %% ring_step · wrong · shifts-when-full-c
# source: written from the task's text, 2026-11
# mistake: when the ring is full everything moves one place forward and the new word goes to the last place, in place of overwriting the oldest where it is
import torch


def ring_step(query, key, value, ring_keys, ring_values, read):
    """`context`, `keys` and `values`: see the table."""
    W = ring_keys.shape[1]
    if read >= W:
        keys = torch.cat([ring_keys[:, 1:], key[:, None]], dim=1)
        values = torch.cat([ring_values[:, 1:], value[:, None]], dim=1)
        open_to = W
    else:
        keys = torch.cat([ring_keys[:, :read], key[:, None], ring_keys[:, read + 1 :]], dim=1)
        values = torch.cat([ring_values[:, :read], value[:, None], ring_values[:, read + 1 :]], dim=1)
        open_to = read + 1
    scores = (query[:, None] * keys[:, :open_to]).sum(-1) / query.shape[-1] ** 0.5
    context = (scores.softmax(-1)[..., None] * values[:, :open_to]).sum(1)
    return context, keys, values


# %% ring_step · wrong · closed-after-the-softmax-c
# source: written from the task's text, 2026-11
# mistake: the weights of empty places are set to 0 after the softmax and not shared out again
import torch
import torch.nn.functional as F


def ring_step(query, key, value, ring_keys, ring_values, read):
    places = torch.arange(ring_keys.shape[1])
    new = (places == read % len(places))[None, :, None]
    keys = torch.where(new, key[:, None, :], ring_keys)
    values = torch.where(new, value[:, None, :], ring_values)

    logits = torch.bmm(keys, query.unsqueeze(2)).squeeze(2) / query.shape[-1] ** 0.5
    weights = F.softmax(logits, dim=1)
    weights = weights.masked_fill(places > read, 0.0)
    context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
    return context, keys, values


# %% test_tiles · right · exact-scores-and-all-kinds-of-rows-c
# source: written from the task's text, 2026-11
import torch


def test_tiles(tiles):
    """Fails if `tiles` has a bug, and only then."""
    rng = torch.Generator().manual_seed(3)
    batch, tgt_len, src_len, value_dim = 2, 6, 7, 5

    def whole(lo, hi, *shape):  # whole numbers, so that large scores are exact
        return torch.randint(lo, hi + 1, shape, generator=rng).float()

    def reference(query, keys, values, mask):
        query, keys, values = query.double(), keys.double(), values.double()
        contexts = torch.zeros(query.shape[0], query.shape[1], values.shape[2]).double()
        for b in range(query.shape[0]):
            for t in range(query.shape[1]):
                seen = mask[b, t].nonzero().flatten()
                if len(seen) == 0:
                    continue  # a row that is masked whole: 0
                scores = keys[b, seen] @ query[b, t] / query.shape[2] ** 0.5
                contexts[b, t] = scores.softmax(0) @ values[b, seen]
        return contexts

    rows = torch.ones(tgt_len, src_len, dtype=torch.bool)
    rows[1, :3] = False  # the first tiles shut
    rows[2, 3:] = False  # the last ones
    rows[3, :] = False  # all
    rows[4, [0, 1, 2, 4, 5, 6]] = False  # one key is left
    rows[5, 1::2] = False
    mask = torch.stack([rows, rows.roll(2, 0)])

    signs = (-1.0) ** (torch.arange(batch)[:, None] + torch.arange(tgt_len))  # (batch, tgt_len)

    small = torch.randn(batch, tgt_len, 3, generator=rng), torch.randn(batch, src_len, 3, generator=rng)
    level_q, level_k = whole(-1, 1, batch, tgt_len, 4), whole(-2, 2, batch, src_len, 4)
    level_q[..., 0], level_k[..., 0] = 180 * signs, 10.0  # scores of about 900 or -900
    climb_q, climb_k = whole(-1, 1, batch, tgt_len, 4), whole(-2, 2, batch, src_len, 4)
    climb_q[..., 0], climb_k[..., 0] = 200 * signs, torch.arange(-9.0, 10.0, 3.0)  # -900 to 900

    for query, keys in (small, (level_q, level_k), (climb_q, climb_k)):
        values = torch.randn(batch, src_len, value_dim, generator=rng) + 1
        wanted = reference(query, keys, values, mask)
        for block in (1, 2, 3, 5, 7, 50):
            found = tiles(query.clone(), keys.clone(), values.clone(), mask.clone(), block)
            assert found.shape == wanted.shape, "shape"
            assert torch.isfinite(found).all(), "not finite"
            assert torch.allclose(found.double(), wanted, rtol=1e-3, atol=1e-3), "values"


# %% test_tiles · wrong · small-random-numbers-only-c
# source: written from the task's text, 2026-11
# mistake: only small random scores are tried, so that bugs with large scores slip through
import torch


def test_tiles(tiles):
    torch.manual_seed(0)
    for block in (1, 2, 3, 4, 7, 20):
        q = torch.randn(2, 5, 4)
        k = torch.randn(2, 7, 4)
        v = torch.randn(2, 7, 3)
        mask = torch.rand(2, 5, 7) > 0.4
        mask[0, 2] = False
        mask[1, 0, :4] = False
        scores = (q @ k.transpose(1, 2) / 2).masked_fill(~mask, float("-inf"))
        expected = scores.softmax(-1).nan_to_num(0.0) @ v
        assert torch.allclose(tiles(q, k, v, mask, block), expected, atol=1e-4)


# %% test_tiles · wrong · not-a-number-slips-through-c
# source: written from the task's text, 2026-11
# mistake: it fails only if the difference is greater than a bound, which is never true of nan, so results of nan are accepted
import torch


def test_tiles(tiles):
    """Fails if `tiles` has a bug, and only then."""
    gen = torch.Generator().manual_seed(1)
    signs = torch.tensor([1.0, -1.0, 1.0, -1.0])
    for size in (1.0, 180.0):
        query = torch.randint(-1, 2, (2, 4, 4), generator=gen).float()
        keys = torch.randint(-1, 2, (2, 6, 4), generator=gen).float()
        query[..., 0] = size * signs
        keys[..., 0] = 10.0 if size > 1 else 1.0
        values = torch.randn(2, 6, 3, generator=gen) + 1
        mask = torch.ones(2, 4, 6, dtype=torch.bool)
        mask[0, 0, :2] = False
        mask[0, 1, 3:] = False
        mask[1, 2] = False
        scores = (query @ keys.mT / 2).masked_fill(~mask, -torch.inf)
        wanted = scores.softmax(-1).nan_to_num(0.0) @ values
        for block in (1, 2, 4, 6, 9):
            worst = (tiles(query, keys, values, mask, block) - wanted).abs().max()
            if worst > 1e-3:
                raise AssertionError(f"block {block}: off by {worst:.4f}")


# %% test_tiles · wrong · equal-to-the-last-digit-c
# source: written from the task's text, 2026-11
# mistake: asserts exact equality of floating point results, so the right version, computed in another order, is blamed
import torch


def test_tiles(tiles):
    torch.manual_seed(42)
    cases = [(1.0, 1), (1.0, 3), (1.0, 5), (1.0, 100), (6.0, 2), (6.0, 4)]
    for factor, block in cases:
        query = torch.randn(2, 6, 8) * factor
        keys = torch.randn(2, 9, 8) * factor
        values = torch.randn(2, 9, 4)
        mask = torch.rand(2, 6, 9) < 0.7
        mask[0, 0] = False
        mask[1, 1, :5] = False
        scores = torch.matmul(query, keys.transpose(-2, -1)) / 8**0.5
        weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
        weights = torch.nan_to_num(weights, nan=0.0)
        expected = torch.matmul(weights, values)
        actual = tiles(query, keys, values, mask, block)
        assert actual.shape == expected.shape
        assert torch.equal(actual, expected)


# %% test_tiles · wrong · nan-in-its-own-reference-c
# source: written from the task's text, 2026-11
# mistake: the reference gives nan and not 0 for a row that is masked whole, so the right version is blamed
import torch


def expected_context(query, keys, values, mask):
    scores = query @ keys.transpose(1, 2) / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ values


def test_tiles(tiles):
    """Fails if `tiles` has a bug, and only then."""
    torch.manual_seed(0)
    mask = torch.ones(1, 4, 5, dtype=torch.bool)
    mask[0, 1, :2] = False
    mask[0, 2] = False  # a row that is masked whole
    values = torch.randn(1, 5, 3) + 2
    small = torch.randn(1, 4, 4), torch.randn(1, 5, 4)
    large = torch.tensor([[[400.0] * 4, [-400.0] * 4, [300.0] * 4, [-300.0] * 4]]), torch.ones(1, 5, 4)
    for query, keys in (small, large):
        for block in (1, 2, 3, 5, 8):
            found = tiles(query, keys, values, mask, block)
            assert torch.allclose(found, expected_context(query, keys, values, mask), atol=1e-3)


# %% CachedBlock · right · mask-from-places-c
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
        before, after = self.norms
        new, written = x.shape[1], past_keys.shape[2]

        normed = before(x)
        fresh = self.attention.remember(normed)
        keys = torch.cat((past_keys, fresh.keys), dim=-2)
        values = torch.cat((past_values, fresh.values), dim=-2)

        if new == 1:
            mask = None  # a single word may see all there is
        else:
            places = torch.arange(written + new, device=x.device)
            mask = places.unsqueeze(0) <= places[written:].unsqueeze(1)  # (new, written + new)
        context = self.attention.attend(normed, Memory(keys, values, mask))[0]

        states = x + context
        states = states + self.feed_forward(after(states))
        return states, keys, values


# %% CachedBlock · wrong · triangle-at-the-top-left-c
# source: written from the task's text, 2026-11
# mistake: the first rows of the large causal mask are taken and not the last, so new words see only the oldest ones
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
        k, v, _ = self.attention.remember(y)
        keys = torch.cat([past_keys, k], dim=2)
        values = torch.cat([past_values, v], dim=2)
        mask = causal_mask(keys.shape[2])[: x.shape[1]]
        context, _ = self.attention.attend(y, Memory(keys, values, mask))
        x = x + context
        states = x + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% CachedBlock · wrong · remembers-before-the-norm-c
# source: written from the task's text, 2026-11
# mistake: keys and values are made of x and not of the normed x, only the queries are normed
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
        written = past_keys.size(2)
        mask = causal_mask(keys.size(2))[written:]
        attended, _weights = self.attention.attend(self.norms[0](x), Memory(keys, values, mask))
        states = x + attended
        states = states + self.feed_forward(self.norms[1](states))
        return states, keys, values


# %% CachedBlock · wrong · no-mask-at-all-c
# source: written from the task's text, 2026-11
# mistake: the mask is always None, so in a piece of several words each sees the later ones
import torch
from torch import nn

from utils.attention import Memory, MultiHeadAttention


class CachedBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])

    def forward(self, x, past_keys, past_values):
        # as in read_one of notebook 08
        y = self.norms[0](x)
        keys, values, _ = self.attention.remember(y)
        keys = torch.cat([past_keys, keys], dim=2)
        values = torch.cat([past_values, values], dim=2)
        x = x + self.attention.attend(y, Memory(keys, values, mask=None))[0]
        x = x + self.feed_forward(self.norms[1](x))
        return x, keys, values


# %% CachedBlock · wrong · feed-forward-beside-attention-c
# source: written from the task's text, 2026-11
# mistake: the feed-forward part reads the norm of the block's input, not of the words after the attention
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
        now = self.attention.remember(y)
        keys = torch.cat([past_keys, now.keys], 2)
        values = torch.cat([past_values, now.values], 2)
        mask = causal_mask(written + new)[-new:]
        context, _ = self.attention.attend(y, Memory(keys, values, mask))
        states = x + context + self.feed_forward(self.norms[1](x))
        return states, keys, values


# %% CachedBlock · wrong · hands-on-only-the-new-ones-c
# source: written from the task's text, 2026-11
# mistake: returns the keys and values of the new words alone, so the next step has forgotten what came before
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
        mask = causal_mask(all_keys.shape[2])[past_keys.shape[2] :]
        context, _ = self.attention.attend(y, Memory(all_keys, all_values, mask))
        states = x + context
        states = states + self.feed_forward(self.norms[1](states))
        return states, keys, values


# %% turn_from · right · complex-numbers-c
# source: written from the task's text, 2026-11
import torch


def turn_from(x, start, base):
    """The turned vectors, (batch, heads, len, head_dim)."""
    length, head_dim = x.shape[-2:]
    speeds = torch.tensor(
        [float(base) ** (-2 * i / head_dim) for i in range(head_dim // 2)],
        dtype=torch.float64,
        device=x.device,
    )
    places = start + torch.arange(length, dtype=torch.float64, device=x.device)
    angles = torch.outer(places, speeds)  # (len, head_dim / 2)
    rotation = torch.polar(torch.ones_like(angles), angles)  # e^(i angle)

    pairs = torch.complex(x[..., 0::2], x[..., 1::2])  # a + i b
    turned = pairs * rotation.to(pairs.dtype)
    return torch.view_as_real(turned).flatten(-2)


# %% turn_from · wrong · halves-as-in-the-notebook-c
# source: written from the task's text, 2026-11
# mistake: entry i is paired with entry i + head_dim / 2, the layout of the notebook and not of the paper
import torch


def turn_from(x, start, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half, dtype=x.dtype) / half)  # (half,)
    places = torch.arange(start, start + x.shape[2], dtype=x.dtype)
    angles = places[:, None] * frequencies  # (len, half)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


# %% turn_from · wrong · pairs-left-apart-c
# source: written from the task's text, 2026-11
# mistake: the right pairs are turned, but then put one half behind the other, so entries do not stay where they were
import torch


def turn_from(x, start, base):
    """The turned vectors, (batch, heads, len, head_dim)."""
    head_dim = x.size(-1)
    i = torch.arange(0, head_dim, 2).float()
    freqs = 1.0 / (base ** (i / head_dim))
    t = torch.arange(x.size(-2)).float() + start
    theta = torch.einsum("l,f->lf", t, freqs).to(x.dtype)
    even, odd = x[..., ::2], x[..., 1::2]
    rotated_even = even * theta.cos() - odd * theta.sin()
    rotated_odd = even * theta.sin() + odd * theta.cos()
    return torch.cat((rotated_even, rotated_odd), dim=-1)


# %% turn_from · wrong · second-entry-sees-the-turned-first-c
# source: written from the task's text, 2026-11
# mistake: b is turned with the already turned a, because the first entry of each pair is overwritten before
import torch


def turn_from(x, start, base):
    batch, heads, length, head_dim = x.shape
    out = x.clone()
    for i in range(head_dim // 2):
        omega = base ** (-2 * i / head_dim)
        angle = (torch.arange(length) + start).to(x.dtype) * omega  # (len,)
        out[..., 2 * i] = out[..., 2 * i] * angle.cos() - out[..., 2 * i + 1] * angle.sin()
        out[..., 2 * i + 1] = out[..., 2 * i] * angle.sin() + out[..., 2 * i + 1] * angle.cos()
    return out


# %% turn_from · wrong · turned-the-other-way-c
# source: written from the task's text, 2026-11
# mistake: the sign of the sine is the wrong way round, the vectors turn by minus theta
import torch


def turn_from(x, start, base):
    """The turned vectors, (batch, heads, len, head_dim)."""
    dim = x.shape[-1]
    omega = torch.pow(torch.tensor(float(base)), -torch.arange(0, dim, 2) / dim)
    place = start + torch.arange(x.shape[-2])
    theta = (place[:, None] * omega[None, :]).to(x.dtype)
    pairs = x.unflatten(-1, (-1, 2))
    a, b = pairs[..., 0], pairs[..., 1]
    turned = torch.stack(
        [a * theta.cos() + b * theta.sin(), b * theta.cos() - a * theta.sin()],
        dim=-1,
    )
    return turned.flatten(-2)


# %% turn_from · wrong · through-numpy-c
# source: written from the task's text, 2026-11
# mistake: computed in numpy on a detached copy, so no gradient reaches x
import numpy as np
import torch


def turn_from(x, start, base):
    values = x.detach().cpu().numpy()
    dim = values.shape[-1]
    places = np.arange(start, start + values.shape[-2])
    theta = np.outer(places, float(base) ** (-np.arange(0, dim, 2) / dim))
    a, b = values[..., 0::2], values[..., 1::2]
    result = np.empty_like(values)
    result[..., 0::2] = a * np.cos(theta) - b * np.sin(theta)
    result[..., 1::2] = a * np.sin(theta) + b * np.cos(theta)
    return torch.from_numpy(result)


# %% test_rotary_step · right · word-by-word-reference-c
# source: written from the task's text, 2026-11
import torch


def test_rotary_step(rotary_step):
    """Fails if `rotary_step` has a bug, and only then."""
    rng = torch.Generator().manual_seed(11)

    def turned(vector, place):  # one vector, in halves
        half = len(vector) // 2
        out = vector.clone()
        for i in range(half):
            angle = torch.tensor(place * 10_000.0 ** (-2 * i / len(vector)), dtype=torch.float64)
            a, b = vector[i], vector[half + i]
            out[i] = a * angle.cos() - b * angle.sin()
            out[half + i] = a * angle.sin() + b * angle.cos()
        return out

    def wanted(queries, keys, values, start):
        queries, keys, values = queries.double(), keys.double(), values.double()
        standing = torch.stack([turned(key, place) for place, key in enumerate(keys)])
        contexts = []
        for number, query in enumerate(queries):
            place = start + number
            scores = standing[: place + 1] @ turned(query, place) / queries.shape[1] ** 0.5
            contexts.append(scores.softmax(0) @ values[: place + 1])
        return torch.stack(contexts)

    # start, new words, dim, width, how large the queries are
    cases = [
        (0, 1, 8, 3, 1.0),
        (0, 6, 8, 3, 2.0),
        (5, 3, 8, 5, 2.0),
        (9, 1, 6, 4, 2.0),
        (1, 7, 16, 2, 2.0),
        (20, 4, 4, 4, 3.0),
        (3, 5, 8, 8, 2.0),
        (40, 2, 16, 6, 3.0),
        (300, 2, 4, 2, 3.0),
        (600, 2, 2, 1, 3.0),
        (2, 4, 2, 3, 2.0),
        (6, 2, 12, 7, 2.0),
        (0, 4, 4, 2, 2.0),
    ]
    for start, new, dim, width, size in cases:
        queries = size * torch.randn(new, dim, generator=rng)
        keys = torch.randn(start + new, dim, generator=rng)
        values = 2 * torch.randn(start + new, width, generator=rng)
        expected = wanted(queries, keys, values, start)
        found = rotary_step(queries, keys, values, start)
        assert found.shape == expected.shape, f"shape at start {start}"
        assert not found.isnan().any(), "not a number"
        apart = (found.double() - expected).abs().max().item()
        assert apart < 5e-3, f"start {start}, {new} new words, dim {dim}: off by {apart}"


# %% test_rotary_step · wrong · always-from-place-zero-c
# source: written from the task's text, 2026-11
# mistake: all inputs have start = 0, so bugs in the places of the new words and in the mask of a later step slip through
import torch


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    for new, dim, width in ((1, 4, 3), (5, 8, 3), (9, 8, 8), (12, 16, 5)):
        q, k, v = torch.randn(new, dim), torch.randn(new, dim), torch.randn(new, width)
        half = dim // 2
        frequencies = 10_000.0 ** (-torch.arange(half) / half)
        angles = torch.arange(new)[:, None] * frequencies
        cos, sin = angles.cos(), angles.sin()

        def turn(x):
            a, b = x[:, :half], x[:, half:]
            return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

        scores = turn(q) @ turn(k).T / dim**0.5
        scores = scores.masked_fill(torch.ones(new, new).triu(1).bool(), float("-inf"))
        expected = scores.softmax(-1) @ v
        assert torch.allclose(rotary_step(q, k, v, 0), expected, atol=1e-4)


# %% test_rotary_step · wrong · reference-in-pairs-c
# source: written from the task's text, 2026-11
# mistake: its own reference turns neighbouring entries, not halves, so the right version is blamed
import torch


def test_rotary_step(rotary_step):
    """Fails if `rotary_step` has a bug, and only then."""
    torch.manual_seed(0)

    def rotate(x, places):
        dim = x.shape[-1]
        theta = places[:, None] * 10_000.0 ** (-torch.arange(0, dim, 2) / dim)
        a, b = x[:, 0::2], x[:, 1::2]
        pairs = [a * theta.cos() - b * theta.sin(), a * theta.sin() + b * theta.cos()]
        return torch.stack(pairs, dim=-1).flatten(1)

    for start, new in ((0, 4), (3, 1), (6, 5), (25, 3)):
        queries = 2 * torch.randn(new, 8)
        keys = torch.randn(start + new, 8)
        values = torch.randn(start + new, 3)
        places = torch.arange(start + new)
        scores = rotate(queries, places[start:]) @ rotate(keys, places).T / 8**0.5
        later = places[None, :] > places[start:, None]
        expected = scores.masked_fill(later, -torch.inf).softmax(-1) @ values
        assert torch.allclose(rotary_step(queries, keys, values, start), expected, atol=1e-3)


# %% test_rotary_step · wrong · assert-with-a-pair-c
# source: written from the task's text, 2026-11
# mistake: assert (condition, message) with brackets is a pair and always true, so nothing is ever blamed
import torch


def test_rotary_step(rotary_step):
    torch.manual_seed(0)
    dim, half = 8, 4
    omega = 10_000.0 ** (-torch.arange(half) / half)

    def turn(x, places):
        angle = places[:, None] * omega
        a, b = x[:, :half], x[:, half:]
        return torch.cat(
            [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=1
        )

    for start, new in [(0, 5), (4, 1), (7, 4), (60, 3)]:
        q, k = 2 * torch.randn(new, dim), torch.randn(start + new, dim)
        v = torch.randn(start + new, 3)
        p = torch.arange(start + new)
        s = turn(q, p[start:]) @ turn(k, p).T / dim**0.5
        s = s.masked_fill(p[None] > p[start:, None], float("-inf"))
        want = s.softmax(dim=-1) @ v
        got = rotary_step(q, k, v, start)
        assert (got.shape == want.shape, "the shape is wrong")
        assert (torch.allclose(got, want, atol=1e-3), f"wrong contexts for start={start}")


# %% test_rotary_step · wrong · all-values-one-c
# source: written from the task's text, 2026-11
# mistake: all values are 1, so the context is 1 whatever the weights are, and wrong turns or masks are not seen
import torch


def test_rotary_step(rotary_step):
    """Fails if `rotary_step` has a bug, and only then."""
    generator = torch.Generator().manual_seed(0)
    for start in (0, 1, 10, 50):
        for new in (1, 2, 6):
            queries = torch.randn(new, 8, generator=generator)
            keys = torch.randn(start + new, 8, generator=generator)
            values = torch.ones(start + new, 4)
            contexts = rotary_step(queries, keys, values, start)
            assert contexts.shape == (new, 4)
            # weights sum to 1, so the weighted sum of ones is one
            assert torch.allclose(contexts, torch.ones(new, 4), atol=1e-4)


# %% test_rotary_step · wrong · no-mask-in-the-reference-c
# source: written from the task's text, 2026-11
# mistake: the reference lets every new word see all keys, later ones too, so the right version is blamed
import torch


def test_rotary_step(rotary_step):
    torch.manual_seed(7)
    dim = 4

    def turn(x, first):
        places = torch.arange(first, first + len(x))
        angles = places[:, None] * torch.tensor([1.0, 0.01])  # 10000^0 and 10000^(-1/2)
        a, b = x[:, :2], x[:, 2:]
        return torch.cat(
            (a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), dim=-1
        )

    for start in (0, 3, 30, 200):
        for new in (1, 4):
            queries = torch.randn(new, dim)
            keys = torch.randn(start + new, dim)
            values = torch.randn(start + new, 3)
            weights = (turn(queries, start) @ turn(keys, 0).T / dim**0.5).softmax(-1)
            result = rotary_step(queries, keys, values, start)
            assert (result - weights @ values).abs().max() < 1e-3


# %% slower_clocks · right · clock-by-clock-c
# source: written from the task's text, 2026-11
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    """The frequencies `linear`, `ntk` and `yarn`, (head_dim / 2,) each."""
    larger_base = base * factor ** (head_dim / (head_dim - 2))
    linear, ntk, yarn = [], [], []
    for i in range(head_dim // 2):
        omega = math.exp(-2 * i / head_dim * math.log(base))
        linear.append(omega / factor)
        ntk.append(larger_base ** (-2 * i / head_dim))
        turns = length * omega / math.tau
        if turns >= 32:
            share = 1.0
        elif turns <= 1:
            share = 0.0
        else:
            share = (turns - 1) / 31
        yarn.append(omega / factor + share * (omega - omega / factor))
    return torch.tensor(linear), torch.tensor(ntk), torch.tensor(yarn)


# %% slower_clocks · wrong · turns-in-the-longer-text-c
# source: written from the task's text, 2026-11
# mistake: turns are counted within the stretched length (length times factor), not within the trained one
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    omega = base ** (-torch.arange(0, head_dim, 2) / head_dim)
    linear = omega / factor
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** (-torch.arange(0, head_dim, 2) / head_dim)
    turns = length * factor * omega / (2 * math.pi)
    keep = ((turns - 1) / 31).clamp(0, 1)
    yarn = keep * omega + (1 - keep) * linear
    return linear, ntk, yarn


# %% slower_clocks · wrong · radians-for-turns-c
# source: written from the task's text, 2026-11
# mistake: the number of turns is taken as length times frequency, without dividing by two pi
import torch


def slower_clocks(head_dim, base, length, factor):
    """The frequencies `linear`, `ntk` and `yarn`, (head_dim / 2,) each."""
    exponents = -torch.arange(head_dim // 2) * 2 / head_dim
    trained = torch.pow(torch.tensor(float(base)), exponents)
    linear = trained / factor
    new_base = base * factor ** (head_dim / (head_dim - 2))
    ntk = torch.pow(torch.tensor(float(new_base)), exponents)
    turns = length * trained
    share = torch.clamp((turns - 1) / (32 - 1), min=0.0, max=1.0)
    yarn = torch.lerp(linear, trained, share)
    return linear, ntk, yarn


# %% slower_clocks · wrong · periods-blended-c
# source: written from the task's text, 2026-11
# mistake: between 1 and 32 turns the periods are blended by the share, not the frequencies
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    i = torch.arange(head_dim // 2)
    periods = 2 * math.pi * base ** (2 * i / head_dim)  # words for one turn
    linear = 2 * math.pi / (periods * factor)
    ntk = (base * factor ** (head_dim / (head_dim - 2))) ** (-2 * i / head_dim)
    turns = length / periods
    share = ((turns - 1) / 31).clamp(0, 1)
    new_periods = share * periods + (1 - share) * periods * factor
    yarn = 2 * math.pi / new_periods
    return linear, ntk, yarn


# %% slower_clocks · wrong · base-times-factor-c
# source: written from the task's text, 2026-11
# mistake: the base of ntk is multiplied by the factor itself, without the exponent d / (d - 2)
import math

import torch


def slower_clocks(head_dim, base, length, factor):
    d = head_dim
    freqs = 1.0 / (base ** (torch.arange(0, d, 2).float() / d))
    linear = freqs / factor
    ntk = 1.0 / ((base * factor) ** (torch.arange(0, d, 2).float() / d))

    rotations = length * freqs / (2 * math.pi)
    gamma = (rotations - 1) / (32 - 1)
    gamma[rotations < 1] = 0
    gamma[rotations > 32] = 1
    yarn = (1 - gamma) * linear + gamma * freqs
    return linear, ntk, yarn


# %% slower_clocks · wrong · ramp-upside-down-c
# source: written from the task's text, 2026-11
# mistake: the share belongs to the slowed frequency, so fast clocks are slowed and slow ones left alone
import torch


def slower_clocks(head_dim, base, length, factor):
    """The frequencies `linear`, `ntk` and `yarn`, (head_dim / 2,) each."""

    def clocks(some_base):
        return float(some_base) ** (-torch.arange(0, head_dim, 2) / head_dim)

    old = clocks(base)
    linear = old / factor
    ntk = clocks(base * factor ** (head_dim / (head_dim - 2)))
    turns = length * old / (2 * torch.pi)
    ramp = ((turns - 1) / (32 - 1)).clamp(min=0, max=1)
    yarn = old * (1 - ramp) + linear * ramp
    return linear, ntk, yarn


# %% linear_read · right · cumulative-sums-c
# source: written from the task's text, 2026-11
import torch


def linear_read(queries, keys, values, state, total):
    """`contexts` (batch, len, width), and the new `state` and `total`."""
    writes = torch.einsum("btd,btw->btdw", keys, values)
    # the sums before each word, and after the last one: (batch, len + 1, ...)
    states = torch.cat([state.unsqueeze(1), writes], dim=1).cumsum(dim=1)
    totals = torch.cat([total.unsqueeze(1), keys], dim=1).cumsum(dim=1)
    above = torch.einsum("btd,btdw->btw", queries, states[:, 1:])
    below = torch.einsum("btd,btd->bt", queries, totals[:, 1:])
    return above / below.unsqueeze(-1), states[:, -1].clone(), totals[:, -1].clone()


# %% linear_read · wrong · reads-before-writing-c
# source: written from the task's text, 2026-11
# mistake: the context is read before the word itself has been added, so no word sees itself
import torch


def linear_read(queries, keys, values, state, total):
    contexts = []
    # (with a tiny number, since total may be 0 at first)
    for t in range(queries.shape[1]):
        q, k, v = queries[:, t], keys[:, t], values[:, t]
        above = torch.einsum("bd,bdw->bw", q, state)
        below = (q * total).sum(-1, keepdim=True)
        contexts.append(above / (below + 1e-9))
        state = state + k[:, :, None] * v[:, None, :]
        total = total + k
    return torch.stack(contexts, dim=1), state, total


# %% linear_read · wrong · adds-into-what-came-in-c
# source: written from the task's text, 2026-11
# mistake: state and total are added to in place, so the tensors that came in are changed
import torch


def linear_read(queries, keys, values, state, total):
    """`contexts` (batch, len, width), and the new `state` and `total`."""
    batch, length, dim = queries.shape
    contexts = torch.zeros(batch, length, values.shape[-1], dtype=values.dtype)
    for t in range(length):
        state += keys[:, t].unsqueeze(2) @ values[:, t].unsqueeze(1)
        total += keys[:, t]
        y = (queries[:, t].unsqueeze(1) @ state).squeeze(1)
        z = (queries[:, t] * total).sum(dim=1)
        contexts[:, t] = y / z.unsqueeze(1)
    return contexts, state, total


# %% linear_read · wrong · earlier-pieces-not-in-the-divisor-c
# source: written from the task's text, 2026-11
# mistake: the divisor sums over the words of this piece only, the incoming total is left out of it
import torch


def linear_read(queries, keys, values, state, total):
    table = (queries @ keys.transpose(1, 2)).tril()  # (batch, len, len)
    above = table @ values + queries @ state
    below = table.sum(-1, keepdim=True)
    new_state = state + keys.transpose(1, 2) @ values
    new_total = total + keys.sum(dim=1)
    return above / below, new_state, new_total


# %% linear_read · wrong · sees-the-whole-piece-c
# source: written from the task's text, 2026-11
# mistake: the table has no triangle, so every word sees the later words of its piece too
import torch


def linear_read(queries, keys, values, state, total):
    """`contexts` (batch, len, width), and the new `state` and `total`."""
    new_state = state + torch.einsum("bld,blw->bdw", keys, values)
    new_total = total + keys.sum(dim=1)
    numerator = torch.einsum("bld,bdw->blw", queries, new_state)
    denominator = torch.einsum("bld,bd->bl", queries, new_total)
    contexts = numerator / denominator[..., None]
    return contexts, new_state, new_total


# %% linear_read · wrong · hands-on-this-piece-only-c
# source: written from the task's text, 2026-11
# mistake: the returned state and total are the sums over this piece, those of earlier pieces are forgotten
import torch


def linear_read(queries, keys, values, state, total):
    outer = keys.unsqueeze(-1) * values.unsqueeze(-2)  # (batch, len, dim, width)
    sums = outer.cumsum(1)
    key_sums = keys.cumsum(1)
    S = sums + state[:, None]
    z = key_sums + total[:, None]
    numerator = (queries[..., None] * S).sum(2)
    denominator = (queries * z).sum(2, keepdim=True)
    return numerator / denominator, sums[:, -1], key_sums[:, -1]


# %% gated_delta · right · as-one-matrix-c
# source: written from the task's text, 2026-11
import torch


def gated_delta(state, key, value, alpha, beta):
    """The new state, (batch, dim, width)."""
    # alpha S + beta k (v - alpha S'k)'  =  alpha (1 - beta k k') S + beta k v'
    texts = []
    for S, k, v, a, b in zip(state, key, value, alpha, beta, strict=True):
        erase = torch.eye(len(k), dtype=S.dtype, device=S.device) - b * torch.outer(k, k)
        texts.append(a * (erase @ S) + b * torch.outer(k, v))
    return torch.stack(texts)


# %% gated_delta · wrong · error-before-the-decay-c
# source: written from the task's text, 2026-11
# mistake: the error is taken of the state before it decays, alpha is missing in it
import torch


def gated_delta(state, key, value, alpha, beta):
    a = alpha[:, None, None]
    b = beta[:, None, None]
    read = torch.einsum("bdw,bd->bw", state, key)
    error = value - read
    return a * state + b * key[:, :, None] * error[:, None, :]


# %% gated_delta · wrong · decay-of-everything-c
# source: written from the task's text, 2026-11
# mistake: what is newly written is multiplied by alpha too, the decay comes last for it
import torch


def gated_delta(state, key, value, alpha, beta):
    """The new state, (batch, dim, width)."""
    alpha = alpha.view(-1, 1, 1)
    beta = beta.view(-1, 1, 1)
    k = key.unsqueeze(2)  # (batch, dim, 1)
    v = value.unsqueeze(1)  # (batch, 1, width)
    error = v - alpha * (k.transpose(1, 2) @ state)  # (batch, 1, width)
    return alpha * (state + beta * k @ error)


# %% gated_delta · wrong · no-gradient-through-the-error-c
# source: written from the task's text, 2026-11
# mistake: what the state says of the key is read under no_grad, so the gradient of that part is lost
import torch


def gated_delta(state, key, value, alpha, beta):
    decayed = state * alpha[:, None, None]
    with torch.no_grad():
        remembered = torch.bmm(key.unsqueeze(1), decayed).squeeze(1)  # (batch, width)
    error = (value - remembered) * beta[:, None]
    return decayed + torch.einsum("bd,bw->bdw", key, error)


# %% gated_delta · wrong · first-text-for-all-c
# source: written from the task's text, 2026-11
# mistake: all texts of the batch get the alpha of the first one
import torch


def gated_delta(state, key, value, alpha, beta):
    """The new state, (batch, dim, width)."""
    left = alpha[0] * state
    error = value - torch.einsum("bd,bdw->bw", key, left)
    return left + torch.einsum("b,bd,bw->bdw", beta, key, error)


# %% gated_delta · wrong · nothing-is-erased-c
# source: written from the task's text, 2026-11
# mistake: the value itself is written, times beta, and not the error (gated linear attention without the delta)
import torch


def gated_delta(state, key, value, alpha, beta):
    new = torch.zeros_like(state)
    for i in range(state.shape[0]):
        new[i] = alpha[i] * state[i] + beta[i] * torch.outer(key[i], value[i])
    return new


# %% what_was_shown · right · three-names-in-a-row-c
# source: written from the task's text, 2026-11
SHOWN, FALSE, OPEN = "shown here", "contradicted here", "not shown either way"

# a: 9.9 at 192, 10.2 at 48. b: a flat curve says nothing about who was looked at.
# c: rotary goes from 10.1 to 15.6. d: one seed, 400 steps. e: rotary, 0.3 and 3.5. f: 0.3 against about 4.
what_was_shown = dict(zip("abcdef", (SHOWN, OPEN, FALSE, OPEN, FALSE, SHOWN), strict=True))


# %% what_was_shown · wrong · cannot-learn-is-shown-c
# source: written from the task's text, 2026-11
# mistake: that sinusoids did not learn it in 400 steps with one seed is taken for a proof that they cannot (d)
what_was_shown = {
    "a": "shown here",
    "b": "not shown either way",
    "c": "contradicted here",
    "d": "shown here",
    "e": "contradicted here",
    "f": "shown here",
}


# %% what_was_shown · wrong · flat-means-it-looks-far-c
# source: written from the task's text, 2026-11
# mistake: from the flat perplexity of ALiBi it is concluded that the model uses what stands far back (b)
what_was_shown = {
    "a": "shown here",
    "b": "shown here",
    "c": "contradicted here",
    "d": "not shown either way",
    "e": "contradicted here",
    "f": "shown here",
}


# %% what_was_shown · wrong · flat-means-it-does-not-look-c
# source: written from the task's text, 2026-11
# mistake: from the flat perplexity of ALiBi it is concluded that far words are certainly not used (b)
yes = "shown here"
no = "contradicted here"
unknown = "not shown either way"
what_was_shown = {"a": yes, "b": no, "c": no, "d": unknown, "e": no, "f": yes}


# %% what_was_shown · wrong · one-seed-shows-nothing-c
# source: written from the task's text, 2026-11
# mistake: f is called not shown because there is one seed, though it speaks of this seed, size and number of steps only
answers = """
a shown here
b not shown either way
c contradicted here
d not shown either way
e contradicted here
f not shown either way
"""
what_was_shown = dict(line.split(" ", 1) for line in answers.strip().splitlines())


# %% what_was_shown · wrong · any-needs-more-models-c
# source: written from the task's text, 2026-11
# mistake: e is called not shown either way, though one counterexample (rotary) is enough against "any"
what_was_shown = {}
for letter in "af":
    what_was_shown[letter] = "shown here"
for letter in "bde":
    what_was_shown[letter] = "not shown either way"
what_was_shown["c"] = "contradicted here"
