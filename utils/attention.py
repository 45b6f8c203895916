"""Every attention mechanism of the course, behind one interface.

Attention is one idea in three steps: **score** each key against the query, turn the scores into
weights with a **masked softmax**, and take the **weighted sum** of the values. The mechanisms
differ above all in how they score.

    context, weights = mechanism(query, keys, values=None, mask=None)

| tensor | shape |
|---|---|
| query | (batch, tgt_len, query_dim), or (batch, query_dim) for a decoder's single state |
| keys | (batch, src_len, key_dim) |
| values | (batch, src_len, value_dim); the keys, where not given |
| mask | boolean, True = may be attended to, broadcastable to the weights |
| context | (batch, tgt_len, value_dim) |
| weights | (batch, tgt_len, src_len) |

A single state has no tgt_len axis, nor do its context and weights. A decoder that goes step by step
calls `remember` once per sequence and `attend` once per step, so keys are projected only once.
"""

import math
from typing import Literal, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from utils.masks import check_mask, masked_softmax, window_mask

Method = Literal["dot", "general", "concat"]  # Luong's three scores


class Memory(NamedTuple):
    """All that attention needs of the source, made once per sequence by `Attention.remember`."""

    keys: Float[Tensor, "batch src_len attention_dim"]  # projected
    values: Float[Tensor, "batch src_len value_dim"]  # projected
    mask: Bool[Tensor, "..."] | None


class Attention(nn.Module):
    """Score, masked softmax, weighted sum: what all mechanisms have in common.

    A mechanism says in `compare` how it scores. It may also override how it projects
    (`project_queries`, `project_keys`, `project_values`), how scores become weights (`weigh`), and
    what the weights retrieve (`look_up`). One that looks around a position overrides `_attend`, and
    takes the positions of its queries from `target_positions`.

    Args:
        query_dim, key_dim: widths of the queries and of the keys.
        value_dim: width of the values; any, where not given.
    """

    def __init__(self, query_dim: int, key_dim: int, value_dim: int | None = None):
        super().__init__()
        self.query_dim = query_dim
        self.key_dim = key_dim
        self.value_dim = value_dim

    def project_queries(self, query: Tensor, position: int | None = 0) -> Tensor:
        """Return what `compare` compares with the projected keys, by default the queries."""
        return query

    def project_keys(self, keys: Float[Tensor, "batch src_len key_dim"]) -> Tensor:
        """Return the part of the score that depends on the keys alone, by default the keys."""
        return keys

    def project_values(self, values: Float[Tensor, "batch src_len value_dim"]) -> Tensor:
        """Return what `look_up` takes the weighted sum of, by default the values."""
        return values

    def compare(self, query: Tensor, projected_keys: Tensor) -> Tensor:
        """Score projected queries against projected keys: (batch, tgt_len, src_len)."""
        raise NotImplementedError

    def weigh(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        """Turn scores into weights: each row sums to 1, or to 0 where it is fully masked."""
        return masked_softmax(scores, mask)

    def look_up(self, weights: Tensor, projected_values: Tensor) -> Tensor:
        """Sum the values by their weights to the context (batch, tgt_len, context_dim)."""
        return weights @ projected_values

    def target_positions(self, queries: Tensor, position: int | None) -> Int[Tensor, " tgt_len"]:
        """Return the positions of queries from the first on; where it is unknown, raise."""
        if position is None:
            raise ValueError("a single query needs its target position: pass position=step")
        return torch.arange(position, position + queries.shape[-2], device=queries.device)

    @property
    def context_dim(self) -> int:
        """Width of the context when the values are the keys, as they are in a decoder.

        Attending to an empty batch shows it, so no mechanism can declare a wrong one.
        """
        like = next(self.parameters(), torch.empty(0))  # for the dtype and the device
        query, keys = like.new_empty(0, 1, self.query_dim), like.new_empty(0, 1, self.key_dim)
        return self.attend(query, self.remember(keys))[0].shape[-1]

    def score(self, query: Tensor, keys: Tensor) -> Float[Tensor, "batch tgt_len src_len"]:
        """Return how well each key fits each query: any real number, before mask and softmax."""
        check_shape("query", query, batch=None, tgt_len=None, query_dim=self.query_dim)
        check_shape("keys", keys, batch=len(query), src_len=None, key_dim=self.key_dim)
        return self.compare(self.project_queries(query), self.project_keys(keys))

    def remember(
        self, keys: Tensor, values: Tensor | None = None, mask: Tensor | None = None
    ) -> Memory:
        """Project keys and values, once per sequence, for any number of calls of `attend`."""
        check_shape("keys", keys, batch=None, src_len=None, key_dim=self.key_dim)
        values = keys if values is None else values
        check_shape("values", values, len(keys), src_len=keys.shape[1], value_dim=self.value_dim)
        return Memory(self.project_keys(keys), self.project_values(values), mask)

    def attend(
        self, query: Tensor, memory: Memory, position: int | None = None, **options
    ) -> tuple[Tensor, Tensor]:
        """Return context and weights of one query, or of many at once, over a remembered source.

        Many queries stand at the target positions from `position` on, by default from 0. A single
        state (batch, query_dim) needs its position wherever the mechanism depends on it.

        Raises:
            ValueError: it depends on the position, which is missing; or a shape does not fit.
        """
        single = query.dim() == 2
        queries = query.unsqueeze(1) if single else query  # (batch, tgt_len, query_dim)
        check_shape("query", queries, len(memory.values), tgt_len=None, query_dim=self.query_dim)
        position = 0 if position is None and not single else position
        context, weights = self._attend(queries, memory, position=position, **options)
        if single:
            return context.squeeze(1), None if weights is None else weights.squeeze(-2)
        return context, weights

    def _attend(self, query, memory, position=0):
        """Score, weigh and look up, for queries (batch, tgt_len, query_dim)."""
        scores = self.compare(self.project_queries(query, position), memory.keys)
        weights = self.weigh(scores, memory.mask)
        return self.look_up(weights, memory.values), weights

    def forward(
        self,
        query: Float[Tensor, "batch tgt_len query_dim"] | Float[Tensor, "batch query_dim"],
        keys: Float[Tensor, "batch src_len key_dim"],
        values: Float[Tensor, "batch src_len value_dim"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
        **options,
    ) -> tuple[Tensor, Tensor]:
        """Return context (batch, tgt_len, context_dim) and weights (batch, tgt_len, src_len).

        Raises:
            ValueError: a shape does not fit; the message names the argument.
            TypeError: the mask is not boolean.
        """
        return self.attend(query, self.remember(keys, values, mask), **options)


class DotProductAttention(Attention):
    """The dot product of query and key as the score, e = s · h. Nothing is learned.

    Source: Luong et al. 2015, section 3.1, "dot".

    Args:
        dim: width of the queries and of the keys; a dot product needs them equal.
    """

    def __init__(self, dim: int):
        super().__init__(dim, dim)

    def compare(self, query, projected_keys):
        return query @ projected_keys.transpose(-2, -1)  # (batch, tgt_len, src_len)


class AdditiveAttention(Attention):
    """A small network as the score of each pair: e = v · tanh(W s + U h), the split form.

    Source: Bahdanau et al. 2015, section 3.1 and appendix A.1.2.

    Args:
        query_dim, key_dim: widths of the queries s and of the keys h.
        attention_dim: width of the hidden layer, where queries and keys meet.
    """

    def __init__(self, query_dim: int, key_dim: int, attention_dim: int):
        super().__init__(query_dim, key_dim)
        self.W = nn.Linear(query_dim, attention_dim, bias=False)
        self.U = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def project_keys(self, keys):
        return self.U(keys)  # (batch, src_len, attention_dim)

    def compare(self, query, projected_keys):
        pairs = self.W(query).unsqueeze(2) + projected_keys.unsqueeze(1)
        # (batch, tgt_len, src_len, attention_dim): by far the largest tensor, so tanh is in place
        return self.v(pairs.tanh_()).squeeze(-1)  # (batch, tgt_len, src_len)


class ConcatenatedAdditiveAttention(Attention):
    """The additive score as it is often written: e = v · tanh(W [s; h]).

    The same function as `AdditiveAttention` (see `split`), but the query is repeated for each key
    and the keys are projected again for each query. To read, and to measure against.
    Source: Luong et al. 2015, section 3.1, "concat".
    """

    def __init__(self, query_dim: int, key_dim: int, attention_dim: int):
        super().__init__(query_dim, key_dim)
        self.W = nn.Linear(query_dim + key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def compare(self, query, projected_keys):
        tgt_len, src_len = query.shape[1], projected_keys.shape[1]
        queries = query.unsqueeze(2).expand(-1, -1, src_len, -1)
        keys = projected_keys.unsqueeze(1).expand(-1, tgt_len, -1, -1)
        pairs = torch.cat([queries, keys], dim=-1)  # (batch, tgt_len, src_len, query_dim + key_dim)
        return self.v(self.W(pairs).tanh()).squeeze(-1)  # (batch, tgt_len, src_len)

    def split(self) -> AdditiveAttention:
        """Return the same function in the split form, with copies of these weights."""
        twin = AdditiveAttention(self.query_dim, self.key_dim, self.W.out_features)
        of_query, of_key = self.W.weight.split([self.query_dim, self.key_dim], dim=1)
        twin.to(self.W.weight).load_state_dict(
            {"W.weight": of_query, "U.weight": of_key, "v.weight": self.v.weight}
        )
        return twin


class MultiplicativeAttention(Attention):
    """Luong's three scores of a decoder state s and an encoder state h.

    - "dot": s · h, nothing learned, widths must be equal
    - "general": s · (W h), a learned matrix between the two
    - "concat": v · tanh(W [s; h]), computed in the split form of `AdditiveAttention`

    Source: Luong et al. 2015, section 3.1.

    Args:
        query_dim, key_dim: widths of the queries and of the keys.
        method: "dot", "general" or "concat".

    Raises:
        ValueError: the method is unknown, or it is "dot" and the widths differ.
    """

    def __init__(self, query_dim: int, key_dim: int, method: Method = "general"):
        super().__init__(query_dim, key_dim)
        if method not in ("dot", "general", "concat"):
            raise ValueError(f'method must be "dot", "general" or "concat", got {method!r}')
        if method == "dot" and query_dim != key_dim:
            raise ValueError(
                f"a dot product needs query_dim == key_dim, got {query_dim} and {key_dim}; "
                'method="general" learns a matrix between the two'
            )
        if method == "concat":
            self.scorer = AdditiveAttention(query_dim, key_dim, attention_dim=query_dim)
        else:
            self.scorer = DotProductAttention(query_dim)
        if method == "general":
            self.W = nn.Linear(key_dim, query_dim, bias=False)
        self.method = method

    def project_keys(self, keys):
        return self.W(keys) if self.method == "general" else self.scorer.project_keys(keys)

    def compare(self, query, projected_keys):
        return self.scorer.compare(query, projected_keys)


class LocalAttention(Attention):
    """Attention inside a window of 2D + 1 source positions around a centre.

    - "monotonic" (local-m): the centre is the target position, at most the last source position.
    - "predicted" (local-p): the centre p = S · sigmoid(v · tanh(W s)) is learned, where S is the
      length of that source without its padding. The window is placed around the nearest position.
      After the softmax, the weights are multiplied by a Gaussian of standard deviation D/2 around p
      itself, through which p gets its gradient. Such rows sum to less than 1.

    Source: Luong et al. 2015, section 3.2, equations 9 and 10. Self-attention in a sliding window
    needs no class: any mechanism does it with the mask that `utils.masks.window_mask` shows.

    Args:
        query_dim, key_dim: widths of the queries and of the keys.
        half_width: D, how far the window reaches on each side, at least 1.
        centres: "monotonic" or "predicted".
        method: the score inside the window, as for `MultiplicativeAttention`.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        half_width: int,
        centres: Literal["monotonic", "predicted"] = "monotonic",
        method: Method = "general",
    ):
        super().__init__(query_dim, key_dim)
        if half_width < 1:
            raise ValueError(f"half_width must be 1 or more, got {half_width}")
        if centres not in ("monotonic", "predicted"):
            raise ValueError(f'centres must be "monotonic" or "predicted", got {centres!r}')
        self.scorer = MultiplicativeAttention(query_dim, key_dim, method)
        self.half_width = half_width
        self.predicts = centres == "predicted"
        if self.predicts:
            self.W_p = nn.Linear(query_dim, query_dim, bias=False)
            self.v_p = nn.Linear(query_dim, 1, bias=False)

    def project_keys(self, keys):
        return self.scorer.project_keys(keys)

    def compare(self, query, projected_keys):
        return self.scorer.compare(query, projected_keys)

    def find_centres(self, query: Tensor, lengths: Tensor, position: int | None = 0) -> Tensor:
        """Return the middle of each window, (batch, tgt_len), in sources of these `lengths`."""
        if self.predicts:
            return lengths * self.v_p(self.W_p(query).tanh()).squeeze(-1).sigmoid()
        positions = self.target_positions(query, position)  # (tgt_len,)
        # A target longer than its source would run off the end and look at nothing.
        return positions.minimum((lengths - 1).clamp(min=0)).to(query)

    def _attend(self, query, memory, position=0):
        scores = self.compare(self.project_queries(query, position), memory.keys)
        src_len = scores.shape[-1]  # scores: (batch, tgt_len, src_len)
        sources = torch.arange(src_len, device=query.device)
        mask = torch.ones_like(scores, dtype=torch.bool)
        if memory.mask is not None:
            check_mask(memory.mask, scores.shape)
            mask = mask & memory.mask
        lengths = (mask * (sources + 1)).amax(-1)  # (batch, tgt_len): one past the last allowed
        centres = self.find_centres(query, lengths, position)  # (batch, tgt_len)
        window = window_mask(centres.round().long(), src_len, self.half_width)
        weights = self.weigh(scores, mask & window)  # (batch, tgt_len, src_len)
        if self.predicts:
            distances = sources - centres.unsqueeze(-1)  # (batch, tgt_len, src_len)
            weights = weights * (-(distances**2) / (2 * (self.half_width / 2) ** 2)).exp()
        return self.look_up(weights, memory.values), weights


class ScaledDotProductAttention(Attention):
    """The dot product divided by √dim, so that scores keep a variance near 1 at every width.

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.

    Args:
        dim: width of the queries and of the keys.
        dropout: share of the weights set to 0 in training; the others are scaled up by
            1 / (1 - dropout), so rows sum to 1 only on average. Those are returned.
        temperature: divides the scores once more; below 1 sharpens the weights, above 1 flattens.

    Raises:
        ValueError: the temperature is 0 or negative.
    """

    def __init__(self, dim: int, dropout: float = 0.0, temperature: float = 1.0):
        super().__init__(dim, dim)
        if temperature <= 0:
            raise ValueError(f"temperature must be more than 0, got {temperature}")
        self.dropout = nn.Dropout(dropout)
        self.scale = 1 / (math.sqrt(dim) * temperature)

    def compare(self, query, projected_keys):
        # Scaling the query is cheaper than scaling the scores, which are the larger tensor.
        return (query * self.scale) @ projected_keys.transpose(-2, -1)

    def weigh(self, scores, mask):
        return self.dropout(masked_softmax(scores, mask))


class MultiHeadAttention(Attention):
    """Several scaled dot-product attentions side by side, each on its own slice of the width.

    Queries, keys and values are projected to `dim` and split into heads of width dim / heads. Each
    head attends by itself; the contexts are joined and projected once more. The number of
    parameters does not depend on the number of heads. Source: Vaswani et al. 2017, section 3.2.2.

    `forward` and `attend` also take `return_weights`: "mean" of the heads, (batch, tgt_len,
    src_len); "heads", (batch, heads, tgt_len, src_len); None gives none, which is fastest.

    Args:
        dim: width of the queries and of the context.
        heads: number of heads; must divide `dim`.
        key_dim, value_dim: widths of the keys and of the values, `dim` where not given.
        dropout: as for `ScaledDotProductAttention`.
        bias: whether the four projections have one.
        kv_heads: number of key and value heads, each shared by a group of query heads; `heads`
            where not given. Grouped-query attention, multi-query at 1: Ainslie et al. 2023.

    Raises:
        ValueError: `heads` does not divide `dim`, or `kv_heads` does not divide `heads`.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int | None = None,
        value_dim: int | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        kv_heads: int | None = None,
    ):
        super().__init__(dim, key_dim or dim, value_dim or dim)
        if heads < 1 or dim % heads:
            raise ValueError(f"heads must divide dim: {dim} / {heads} leaves {dim % max(heads, 1)}")
        self.heads, self.head_dim = heads, dim // heads
        self.kv_heads = heads if kv_heads is None else kv_heads
        if self.kv_heads < 1 or heads % self.kv_heads:
            raise ValueError(f"kv_heads must divide heads, got {kv_heads} for {heads} heads")
        self.W_q = nn.Linear(dim, dim, bias)
        self.W_k = nn.Linear(self.key_dim, self.kv_heads * self.head_dim, bias)
        self.W_v = nn.Linear(self.value_dim, self.kv_heads * self.head_dim, bias)
        self.W_o = nn.Linear(dim, dim, bias)
        self.attention = ScaledDotProductAttention(self.head_dim, dropout)

    def split_heads(self, tensor: Float[Tensor, "batch len dim"]) -> Tensor:
        """Cut the width into heads, and move them next to the batch: (batch, heads, len, …)."""
        return tensor.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)

    def join_heads(self, tensor: Float[Tensor, "batch heads len head_dim"]) -> Tensor:
        """Undo `split_heads`: (batch, len, dim)."""
        return tensor.transpose(1, 2).flatten(2)

    def project_queries(self, query, position=0):
        return self.split_heads(self.W_q(query))  # (batch, heads, tgt_len, head_dim)

    def project_keys(self, keys):
        return self.split_heads(self.W_k(keys))  # (batch, kv_heads, src_len, head_dim)

    def project_values(self, values):
        return self.split_heads(self.W_v(values))  # (batch, kv_heads, src_len, head_dim)

    def share(self, tensor: Tensor) -> Tensor:
        """Repeat keys or values (batch, kv_heads, …) for the query heads (batch, heads, …)."""
        group = self.heads // self.kv_heads
        shared = tensor.unsqueeze(2).expand(-1, -1, group, -1, -1)  # (batch, kv_heads, group, …)
        return shared.flatten(1, 2)  # (batch, heads, src_len, head_dim)

    def compare(self, query, projected_keys):
        return self.attention.compare(query, self.share(projected_keys))

    def weigh(self, scores, mask):
        return self.attention.weigh(scores, mask)

    def look_up(self, weights, projected_values):
        return weights @ self.share(projected_values)

    def _attend(self, query, memory, position=0, return_weights="mean"):
        if return_weights not in ("mean", "heads", None):
            raise ValueError(
                f'return_weights must be "mean", "heads" or None, got {return_weights!r}'
            )
        keys, values, mask = memory  # (batch, kv_heads, src_len, head_dim), both
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (batch, 1, tgt_len, src_len): the same for all heads
        queries = self.project_queries(query, position)  # (batch, heads, tgt_len, head_dim)
        if return_weights is None and self._is_fusible():
            weights, contexts = None, self._fuse(queries, keys, values, mask)
        else:
            weights = self.weigh(self.compare(queries, keys), mask)  # (…, heads, tgt_len, src_len)
            contexts = self.look_up(weights, values)  # (batch, heads, tgt_len, head_dim)
        context = self.W_o(self.join_heads(contexts))  # (batch, tgt_len, dim)
        if return_weights == "mean":
            weights = weights.mean(1)  # (batch, tgt_len, src_len)
        return context, None if return_weights is None else weights

    def _is_fusible(self) -> bool:
        """Return whether score, softmax and sum are those of this class, which PyTorch can fuse."""
        return type(self.attention) is ScaledDotProductAttention and all(
            getattr(getattr(self, step), "__func__", None) is getattr(MultiHeadAttention, step)
            for step in ("share", "compare", "weigh", "look_up")
        )

    def _fuse(self, queries, keys, values, mask) -> Tensor:
        """Return the contexts of all heads from one kernel, which never stores the weights."""
        if mask is not None:
            check_mask(mask, (*queries.shape[:3], keys.shape[2]))
        dropout = self.attention.dropout.p if self.training else 0.0
        settings = {"scale": self.attention.scale, "enable_gqa": self.kv_heads < self.heads}
        return F.scaled_dot_product_attention(queries, keys, values, mask, dropout, **settings)

    @classmethod
    def from_torch(cls, reference: nn.MultiheadAttention) -> "MultiHeadAttention":
        """Return the same function as PyTorch's module, with copies of its weights.

        A subclass with fewer `kv_heads` gets the mean over each group: Ainslie et al., section 2.1.

        Raises:
            ValueError: the reference uses `add_bias_kv` or `add_zero_attn`.
        """
        if reference.bias_k is not None or reference.add_zero_attn:
            raise ValueError("add_bias_kv and add_zero_attn have no counterpart here")
        sizes = (reference.embed_dim, reference.num_heads, reference.kdim, reference.vdim)
        twin = cls(*sizes, reference.dropout, bias=reference.in_proj_bias is not None)
        twin.to(reference.out_proj.weight)
        with torch.no_grad():
            for ours, theirs in zip(twin._parts(), _torch_parts(reference), strict=True):
                heads = theirs.unflatten(0, (len(ours) // twin.head_dim, -1, twin.head_dim))
                ours.copy_(heads.mean(1).flatten(0, 1))
        return twin

    def to_torch(self) -> nn.MultiheadAttention:
        """Return PyTorch's own module (batch first) with copies of these weights for each head."""
        settings = {"dropout": self.attention.dropout.p, "bias": self.W_o.bias is not None}
        shapes = {"kdim": self.key_dim, "vdim": self.value_dim, "batch_first": True}
        twin = nn.MultiheadAttention(self.query_dim, self.heads, **settings, **shapes)
        twin.to(self.W_o.weight)
        with torch.no_grad():
            for theirs, ours in zip(_torch_parts(twin), self._parts(), strict=True):
                heads = ours.unflatten(0, (-1, self.head_dim))
                theirs.copy_(heads.repeat_interleave(len(theirs) // len(ours), dim=0).flatten(0, 1))
        return twin

    def _parts(self) -> list[Tensor]:
        layers = [self.W_q, self.W_k, self.W_v, self.W_o]
        biases = [layer.bias for layer in layers if layer.bias is not None]
        return [*(layer.weight for layer in layers), *biases]


def _torch_parts(mha: nn.MultiheadAttention) -> list[Tensor]:
    """Return weights, then biases, of query, key, value and output projections, as views."""
    separate = [mha.q_proj_weight, mha.k_proj_weight, mha.v_proj_weight]
    weights = separate if mha.in_proj_weight is None else mha.in_proj_weight.chunk(3)
    biases = [] if mha.in_proj_bias is None else [*mha.in_proj_bias.chunk(3), mha.out_proj.bias]
    return [*weights, mha.out_proj.weight, *biases]


def check_shape(name: str, tensor: Tensor, batch: int | None, **axes: int | None) -> None:
    """Raise a `ValueError` that names the argument, the expected shape and the actual one.

    `batch` and `axes` are the expected sizes of the axes in their order; None accepts any.
    """
    axes = {"batch": batch, **axes}
    fits = tensor.dim() == len(axes) and all(
        size in (None, actual) for size, actual in zip(axes.values(), tensor.shape, strict=True)
    )
    if not fits:
        expected = ", ".join(key if size is None else f"{key}={size}" for key, size in axes.items())
        raise ValueError(f"{name} must be ({expected}), got {tuple(tensor.shape)}")
