"""Every attention mechanism of the course, behind one interface.

Attention is one idea in three steps: **score** each key against the query, turn the scores into
weights with a **masked softmax**, and take the **weighted sum** of the values. The mechanisms
differ above all in how they score. `scaled_attention` is all three steps of the best known one, as
notebook 04 builds them; the classes share one way of being called:

    context, weights = mechanism(query, keys, values=None, mask=None)

| tensor | shape |
|---|---|
| query | (batch, tgt_len, query_dim), or (batch, query_dim) for a decoder's single state |
| keys | (batch, src_len, key_dim) |
| values | (batch, src_len, value_dim); the keys if not given |
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
from utils.positions import Positions

Method = Literal["dot", "general", "concat"]  # Luong's three scores


def scaled_attention(
    query: Float[Tensor, "... tgt_len dim"],
    keys: Float[Tensor, "... src_len dim"],
    values: Float[Tensor, "... src_len value_dim"],
    mask: Bool[Tensor, "..."] | None = None,
    scale: float | None = None,
    dropout: float = 0.0,
) -> tuple[Float[Tensor, "... tgt_len value_dim"], Float[Tensor, "... tgt_len src_len"]]:
    """Return context and weights of scaled dot-product attention.

    Notebook 04, sections 3 to 6. Source: Vaswani et al. 2017, section 3.2.1, equation 1.

    Args:
        query, keys, values: any number of equal axes in front, such as batch and heads.
        mask: True = may be attended to, broadcastable to the weights; None allows everything.
        scale: the scores' factor; 1 / √dim if not given.
        dropout: share of the weights set to 0; the others are scaled up by 1 / (1 - dropout).
    """
    scale = 1 / math.sqrt(keys.shape[-1]) if scale is None else scale
    # The query is scaled: it is smaller than the scores, which in float16 might overflow before.
    scores = (query * scale) @ keys.transpose(-2, -1)  # (..., tgt_len, src_len)
    weights = masked_softmax(scores, mask, inplace=True)  # (..., tgt_len, src_len)
    weights = F.dropout(weights, dropout)
    return weights @ values, weights  # (..., tgt_len, value_dim)


class Memory(NamedTuple):
    """The source of a batch as `Attention.remember` returns it, for any number of queries.

    Attributes:
        keys: projected keys (batch, src_len, attention_dim).
        values: projected values (batch, src_len, value_dim).
        mask: the mask given to `remember`, True = may be attended to, or None.
    """

    keys: Float[Tensor, "batch src_len attention_dim"]
    values: Float[Tensor, "batch src_len value_dim"]
    mask: Bool[Tensor, "..."] | None


class Attention(nn.Module):
    """Base class of all mechanisms: score, masked softmax, weighted sum.

    Notebook 03, section 6, builds a mechanism on it. A subclass defines its score in `compare`. It
    may also override how it projects (`project_queries`, `project_keys`, `project_values`), how
    scores become weights (`weigh`), and how the weights combine the values (`look_up`). A mechanism
    that attends around a position overrides `_attend`, and gets the positions of its queries from
    `target_positions`.

    Args:
        query_dim, key_dim: widths of the queries and of the keys.
        value_dim: width of the values; None accepts any width.
    """

    def __init__(self, query_dim: int, key_dim: int, value_dim: int | None = None):
        super().__init__()
        self.query_dim = query_dim
        self.key_dim = key_dim
        self.value_dim = value_dim

    def project_queries(self, query: Tensor, position: int | None = 0) -> Tensor:
        """Project the queries for `compare`; by default, return them unchanged."""
        return query

    def project_keys(self, keys: Float[Tensor, "batch src_len key_dim"]) -> Tensor:
        """Project the keys for `compare`; by default, return them unchanged."""
        return keys

    def project_values(self, values: Float[Tensor, "batch src_len value_dim"]) -> Tensor:
        """Project the values that `look_up` sums; by default, return them unchanged."""
        return values

    def compare(self, query: Tensor, projected_keys: Tensor) -> Tensor:
        """Return the score of each projected key for each query, (batch, tgt_len, src_len)."""
        raise NotImplementedError

    def weigh(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        """Turn scores into weights: each row sums to 1, or to 0 if it is fully masked."""
        return masked_softmax(scores, mask)

    def look_up(self, weights: Tensor, projected_values: Tensor) -> Tensor:
        """Return the contexts (batch, tgt_len, context_dim): weighted sums of the values."""
        return weights @ projected_values

    def target_positions(self, queries: Tensor, position: int | None) -> Int[Tensor, " tgt_len"]:
        """Return the target positions of queries (tgt_len,): `position`, `position` + 1, ….

        Raises:
            ValueError: `position` is None.
        """
        if position is None:
            raise ValueError("a single query needs its target position: pass position=step")
        return torch.arange(position, position + queries.shape[-2], device=queries.device)

    @property
    def context_dim(self) -> int:
        """Return the width of the context if the values are the keys, as in a decoder.

        It is measured by attending to an empty batch, so no subclass has to declare it.
        """
        like = next(self.parameters(), torch.empty(0))  # for the dtype and the device
        query, keys = like.new_empty(0, 1, self.query_dim), like.new_empty(0, 1, self.key_dim)
        return self.attend(query, self.remember(keys))[0].shape[-1]

    def score(self, query: Tensor, keys: Tensor) -> Float[Tensor, "batch tgt_len src_len"]:
        """Return the score of each key for each query, before mask and softmax."""
        check_shape("query", query, batch=None, tgt_len=None, query_dim=self.query_dim)
        check_shape("keys", keys, batch=len(query), src_len=None, key_dim=self.key_dim)
        return self.compare(self.project_queries(query), self.project_keys(keys))

    def remember(
        self, keys: Tensor, values: Tensor | None = None, mask: Tensor | None = None, **options
    ) -> Memory:
        """Return projected keys and values with their mask, for any number of calls of `attend`.

        Args:
            keys: (batch, src_len, key_dim).
            values: (batch, src_len, value_dim); the keys if not given.
            mask: boolean, True = may be attended to, broadcastable to the weights.
            options: what the mechanism's `project_keys` takes besides the keys.

        Raises:
            ValueError: a shape does not fit; the message names the argument.
        """
        check_shape("keys", keys, batch=None, src_len=None, key_dim=self.key_dim)
        values = keys if values is None else values
        check_shape("values", values, len(keys), src_len=keys.shape[1], value_dim=self.value_dim)
        return Memory(self.project_keys(keys, **options), self.project_values(values), mask)

    def attend(
        self, query: Tensor, memory: Memory, position: int | None = None, **options
    ) -> tuple[Tensor, Tensor]:
        """Return context and weights of one query, or of many at once, over a remembered source.

        Args:
            query: (batch, tgt_len, query_dim), or a decoder's single state (batch, query_dim).
            memory: the result of `remember`.
            position: target position of the first query, by default 0. With a single state, it has
                to be given if the mechanism depends on positions.

        Raises:
            ValueError: the mechanism needs `position` but got none, or a shape does not fit.
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
        """Return context and weights of queries (batch, tgt_len, query_dim)."""
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
    """Attention whose score is the dot product of query and key, e = s · h. Nothing is learned.

    Notebook 01, section 4. Source: Luong et al. 2015, section 3.1, "dot".

    Args:
        dim: width of both queries and keys, which a dot product needs to be equal.
    """

    def __init__(self, dim: int):
        super().__init__(dim, dim)

    def compare(self, query, projected_keys):
        return query @ projected_keys.transpose(-2, -1)  # (batch, tgt_len, src_len)


class AdditiveAttention(Attention):
    """Attention whose score is a small network: e = v · tanh(W s + U h).

    This form is called split: W s and U h are computed separately, so each key is projected once.
    Notebook 02, sections 3 and 5. Source: Bahdanau et al. 2015, section 3.1 and appendix A.1.2.

    Args:
        query_dim, key_dim: widths of the queries s and of the keys h.
        attention_dim: width of the hidden layer, where queries and keys meet.
        bias: whether W, U and v have a bias, which the paper leaves out and some code has. That of
            v changes no weight, since it is added to all scores alike. Where other code has one
            layer for [s; h], its matrix is cut into W and U, and either of them takes its bias.
    """

    def __init__(self, query_dim: int, key_dim: int, attention_dim: int, bias: bool = False):
        super().__init__(query_dim, key_dim)
        self.W = nn.Linear(query_dim, attention_dim, bias)
        self.U = nn.Linear(key_dim, attention_dim, bias)
        self.v = nn.Linear(attention_dim, 1, bias)

    def project_keys(self, keys):
        return self.U(keys)  # (batch, src_len, attention_dim)

    def compare(self, query, projected_keys):
        pairs = self.W(query).unsqueeze(2) + projected_keys.unsqueeze(1)
        # (batch, tgt_len, src_len, attention_dim): by far the largest tensor; tanh is in place
        return self.v(pairs.tanh_()).squeeze(-1)  # (batch, tgt_len, src_len)


class ConcatenatedAdditiveAttention(Attention):
    """Additive attention with its score as it is often written: e = v · tanh(W [s; h]).

    It computes the same function as `AdditiveAttention` (see `split`), but repeats the query for
    each key and projects the keys again for each query. It is there to be read and compared with.
    Notebook 02, section 5. Source: Luong et al. 2015, section 3.1, "concat".
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
        """Return an `AdditiveAttention` that computes the same, with copies of these weights."""
        twin = AdditiveAttention(self.query_dim, self.key_dim, self.W.out_features)
        of_query, of_key = self.W.weight.split([self.query_dim, self.key_dim], dim=1)
        twin.to(self.W.weight).load_state_dict(
            {"W.weight": of_query, "U.weight": of_key, "v.weight": self.v.weight}
        )
        return twin


class MultiplicativeAttention(Attention):
    """Attention with one of Luong's three scores of a decoder state s and an encoder state h.

    - "dot": s · h, nothing learned, widths must be equal
    - "general": s · (W h), a learned matrix between the two
    - "concat": v · tanh(W [s; h]), computed in the split form of `AdditiveAttention`

    Notebook 03, sections 1 to 3. Source: Luong et al. 2015, section 3.1.

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
      length of that source without its padding. The window is placed around the position nearest
      to p. After the softmax, the weights are multiplied by a Gaussian of standard deviation D/2
      around p itself, through which p gets its gradient; the rows then sum to less than 1.

    Notebook 03, section 5. Source: Luong et al. 2015, section 3.2, equations 9 and 10.
    Self-attention in a sliding window needs no class of its own: any mechanism does it with the
    mask given in the docstring of `utils.masks.window_mask`.

    Args:
        query_dim, key_dim: widths of the queries and of the keys.
        half_width: D, the number of positions on each side of the centre, at least 1.
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
        """Return the centre of each query's window, in sources of these `lengths`.

        Args:
            query: (batch, tgt_len, query_dim).
            lengths: length of each query's source, without padding, (batch, tgt_len).
            position: target position of the first query; predicted centres do not need it.

        Returns:
            Positions in the source, (batch, tgt_len); predicted ones are not whole numbers.
        """
        if self.predicts:
            return lengths * self.v_p(self.W_p(query).tanh()).squeeze(-1).sigmoid()
        positions = self.target_positions(query, position)  # (tgt_len,)
        # Without this limit, windows of a target longer than its source could be empty.
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
    """Attention whose score is the dot product divided by √dim.

    The division keeps the variance of the scores near 1 at every width. Without a class, it is
    `scaled_attention`.

    Notebook 04, section 3. Source: Vaswani et al. 2017, section 3.2.1, equation 1.

    Args:
        dim: width of the queries and of the keys.
        dropout: share of the weights set to 0 in training; the others are scaled up by
            1 / (1 - dropout), so rows of the returned weights sum to 1 only on average.
    """

    def __init__(self, dim: int, dropout: float = 0.0):
        super().__init__(dim, dim)
        self.dropout = nn.Dropout(dropout)
        self.scale = 1 / math.sqrt(dim)

    def compare(self, query, projected_keys):
        # Scaling the query is cheaper than scaling the scores, which are the larger tensor.
        return (query * self.scale) @ projected_keys.transpose(-2, -1)

    def weigh(self, scores, mask):
        return self.dropout(masked_softmax(scores, mask))


STEPS = ("share", "compare", "weigh", "look_up")  # of heads, which a subclass may change


class MultiHeadAttention(Attention):
    """Several scaled dot-product attentions side by side, each on its own slice of the width.

    Queries, keys and values are projected to `dim` and split into heads of width dim / heads. Each
    head attends by itself; the contexts are joined and projected once more. The number of
    parameters does not depend on the number of heads. Notebook 05, section 2. Source: Vaswani et
    al. 2017, section 3.2.2.

    `forward` and `attend` also take `return_weights`: "mean" of the heads, (batch, tgt_len,
    src_len); "heads", (batch, heads, tgt_len, src_len); None for no weights, which is fastest.

    Heads attend by `scaled_attention`, or by PyTorch's kernel, which computes the same and never
    stores weights. In a subclass that defines `share`, `compare`, `weigh` or `look_up`, and so
    changes one of these four steps, they are taken one by one.

    Args:
        dim: width of the queries and of the context.
        heads: number of heads; must divide `dim`.
        key_dim, value_dim: widths of the keys and of the values; `dim` if not given.
        dropout: as for `ScaledDotProductAttention`.
        bias: whether the four projections have a bias; "inputs" gives one to those of queries,
            keys and values alone, as in Qwen 2.
        kv_heads: number of key and value heads, each shared by a group of query heads; `heads` if
            not given. Fewer make grouped-query attention, 1 multi-query: Ainslie et al. 2023.
        positions: what turns queries and keys, or is added to the scores, by the places of the
            words; None for attention that compares contents alone. Keys stand at 0, 1, …, unless
            `remember` is told the `position` of the first.
        head_dim: width of a head; dim / heads if not given. With another one, the heads together
            are wider or narrower than `dim`, as in Qwen 3.
        qk_norm: ε of an RMS norm of each head's queries and keys, before they are turned; None for
            no norm. Source: Qwen Team 2025, section 2.

    Raises:
        ValueError: `heads` does not divide `dim` and no `head_dim` is given, `kv_heads` does not
            divide `heads`, or `head_dim`, `bias` or `qk_norm` cannot be.
    """

    fused = True

    def __init_subclass__(cls, **settings):
        super().__init_subclass__(**settings)
        cls.fused = cls.fused and vars(cls).keys().isdisjoint(STEPS)

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int | None = None,
        value_dim: int | None = None,
        dropout: float = 0.0,
        bias: bool | Literal["inputs"] = True,
        kv_heads: int | None = None,
        positions: Positions | None = None,
        head_dim: int | None = None,
        qk_norm: float | None = None,
    ):
        super().__init__(dim, key_dim or dim, value_dim or dim)
        if heads < 1 or (head_dim is None and dim % heads):
            raise ValueError(f"heads must divide dim: {dim} / {heads} leaves {dim % max(heads, 1)}")
        if head_dim is not None and head_dim < 1:
            raise ValueError(f"head_dim must be 1 or more, got {head_dim}")
        if bias not in (True, False, "inputs"):
            raise ValueError(f'bias must be True, False or "inputs", got {bias!r}')
        if qk_norm is not None and qk_norm < 0:
            raise ValueError(f"qk_norm must be None or an ε of 0 or more, got {qk_norm}")
        self.heads, self.head_dim = heads, head_dim or dim // heads
        self.kv_heads = heads if kv_heads is None else kv_heads
        if self.kv_heads < 1 or heads % self.kv_heads:
            raise ValueError(f"kv_heads must divide heads, got {kv_heads} for {heads} heads")
        self.W_q = nn.Linear(dim, heads * self.head_dim, bool(bias))
        self.W_k = nn.Linear(self.key_dim, self.kv_heads * self.head_dim, bool(bias))
        self.W_v = nn.Linear(self.value_dim, self.kv_heads * self.head_dim, bool(bias))
        self.W_o = nn.Linear(heads * self.head_dim, dim, bias is True)
        self.norm_q, self.norm_k = (
            nn.Identity() if qk_norm is None else nn.RMSNorm(self.head_dim, qk_norm)
            for _ in range(2)
        )
        self.attention = ScaledDotProductAttention(self.head_dim, dropout)
        self.positions = positions

    def project_queries(self, query, position=0):
        return self._turn(self.norm_q(self.split_heads(self.W_q(query))), position)

    def project_keys(self, keys, position=0):
        return self._turn(self.norm_k(self.split_heads(self.W_k(keys))), position)

    def project_values(self, values):
        return self.split_heads(self.W_v(values))  # (batch, kv_heads, src_len, head_dim)

    def _attend(self, query, memory, position=0, return_weights="mean"):
        if return_weights not in ("mean", "heads", None):
            raise ValueError(
                f'return_weights must be "mean", "heads" or None, got {return_weights!r}'
            )
        queries = self.project_queries(query, position)  # (batch, heads, tgt_len, head_dim)
        keys, values, mask = memory  # (batch, kv_heads, src_len, head_dim), both
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (batch, 1, tgt_len, src_len): the same for all heads
        bias = self._bias(query, keys.shape[2], position)  # (heads, tgt_len, src_len) or None
        weighted = return_weights is not None
        contexts, weights = self.attend_heads(queries, keys, values, mask, bias, weighted)
        context = self.W_o(self.join_heads(contexts))  # (batch, tgt_len, dim)
        if return_weights == "mean":
            weights = weights.mean(1)  # (batch, tgt_len, src_len)
        return context, weights if weighted else None

    def attend_heads(self, queries, keys, values, mask, bias=None, weighted=True):
        """Return contexts (batch, heads, tgt_len, head_dim), and weights unless not `weighted`."""
        if bias is not None or not self.fused:
            scores = self.compare(queries, keys)  # (batch, heads, tgt_len, src_len)
            weights = self.weigh(scores if bias is None else scores + bias, mask)
            return self.look_up(weights, values), weights
        scale = self.attention.scale
        dropout = self.attention.dropout.p if self.training else 0.0
        if weighted:
            keys, values = self.share(keys), self.share(values)
            return scaled_attention(queries, keys, values, mask, scale, dropout)
        if mask is not None:
            check_mask(mask, (*queries.shape[:3], keys.shape[2]))
        settings = {"scale": scale, "enable_gqa": self.kv_heads < self.heads}
        contexts = F.scaled_dot_product_attention(queries, keys, values, mask, dropout, **settings)
        return contexts, None

    def split_heads(self, tensor: Float[Tensor, "batch len dim"]) -> Tensor:
        """Split the width into heads, on an axis after the batch: (batch, heads, len, head_dim)."""
        return tensor.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)

    def join_heads(self, tensor: Float[Tensor, "batch heads len head_dim"]) -> Tensor:
        """Undo `split_heads`: join the heads to one width, (batch, len, dim)."""
        return tensor.transpose(1, 2).flatten(2)

    def share(self, tensor: Tensor) -> Tensor:
        """Repeat keys or values (batch, kv_heads, …) so that each query head has its own.

        Returns:
            (batch, heads, src_len, head_dim).
        """
        group = self.heads // self.kv_heads
        shared = tensor.unsqueeze(2).expand(-1, -1, group, -1, -1)  # (batch, kv_heads, group, …)
        return shared.flatten(1, 2)  # (batch, heads, src_len, head_dim)

    def compare(self, query, projected_keys):
        return self.attention.compare(query, self.share(projected_keys))

    def weigh(self, scores, mask):
        return self.attention.weigh(scores, mask)

    def look_up(self, weights, projected_values):
        return weights @ self.share(projected_values)

    def score(self, query, keys):
        scores = super().score(query, keys)  # (batch, heads, tgt_len, src_len)
        bias = self._bias(query, keys.shape[1], position=0)
        return scores if bias is None else scores + bias

    def _turn(self, vectors: Tensor, position: int | None) -> Tensor:
        """Turn queries or keys (batch, heads, len, head_dim), if positions turn them."""
        if self.positions is None:
            return vectors
        return self.positions.turn(vectors, self.target_positions(vectors, position))

    def _bias(self, query: Tensor, src_len: int, position: int | None) -> Tensor | None:
        """Return what positions add to the scores, (heads, tgt_len, src_len), or None."""
        if self.positions is None:
            return None
        places = self.target_positions(query, position)  # (tgt_len,)
        bias = self.positions.bias(self.heads, places, src_len)
        return None if bias is None else bias.to(query)


def check_shape(name: str, tensor: Tensor, batch: int | None, **axes: int | None) -> None:
    """Raise a `ValueError` if a tensor's shape is not the expected one; the message has both.

    Args:
        name: name of the argument, for the message.
        tensor: the argument.
        batch, axes: the expected size of each axis, in order; None accepts any size.
    """
    axes = {"batch": batch, **axes}
    fits = tensor.dim() == len(axes) and all(
        size in (None, actual) for size, actual in zip(axes.values(), tensor.shape, strict=True)
    )
    if not fits:
        expected = ", ".join(key if size is None else f"{key}={size}" for key, size in axes.items())
        raise ValueError(f"{name} must be ({expected}), got {tuple(tensor.shape)}")
