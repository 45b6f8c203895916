"""Every attention mechanism of the course, behind one interface.

Attention is one idea in three steps: **score** each key against the query, turn the scores into
weights by a **masked softmax**, and take the **weighted sum** of the values. `Attention` holds the
steps; the mechanisms differ in how they score.

    context, weights = mechanism(query, keys, values=None, mask=None)

| tensor | shape |
|---|---|
| query | (batch, tgt_len, query_dim), or (batch, query_dim) for a decoder's single state |
| keys | (batch, src_len, key_dim) |
| values | (batch, src_len, value_dim); the keys, where not given |
| mask | boolean, True = may be attended to, broadcastable to the weights |
| context | (batch, tgt_len, value_dim) |
| weights | (batch, tgt_len, src_len) |

A single state loses the tgt_len axis on the way out too. A decoder that attends step by step calls
`remember` once for the sequence, then `attend` once for each step, so that keys are projected once.
"""

import math
from typing import Literal, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from utils.masks import check_mask, masked_softmax, window_mask


class Memory(NamedTuple):
    """All that attention needs of the source, made once a sequence by `Attention.remember`."""

    keys: Float[Tensor, "batch src_len attention_dim"]  # as the mechanism projects them
    values: Float[Tensor, "batch src_len value_dim"]
    mask: Bool[Tensor, "..."] | None


class Attention(nn.Module):
    """Score, masked softmax, weighted sum. A mechanism says how to score, in `compare`.

    Args:
        query_dim: width of the queries.
        key_dim: width of the keys.
    """

    def __init__(self, query_dim: int, key_dim: int):
        super().__init__()
        self.query_dim = query_dim
        self.key_dim = key_dim

    def project_keys(self, keys: Float[Tensor, "batch src_len key_dim"]) -> Tensor:
        """The part of the score that depends on the keys alone."""
        return keys

    def compare(self, query: Tensor, projected_keys: Tensor) -> Tensor:
        """Scores (batch, tgt_len, src_len) of queries against projected keys."""
        raise NotImplementedError

    def score(self, query: Tensor, keys: Tensor) -> Float[Tensor, "batch tgt_len src_len"]:
        """How well each key fits each query: any real number, before mask and softmax."""
        check_shape("query", query, batch=None, tgt_len=None, query_dim=self.query_dim)
        check_shape("keys", keys, batch=len(query), src_len=None, key_dim=self.key_dim)
        return self.compare(query, self.project_keys(keys))

    def weigh(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        """Scores to weights: each row sums to 1, or to 0 where it is masked whole."""
        return masked_softmax(scores, mask)

    def remember(
        self,
        keys: Float[Tensor, "batch src_len key_dim"],
        values: Float[Tensor, "batch src_len value_dim"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Memory:
        """Project the keys, once a sequence, for any number of calls of `attend`."""
        check_shape("keys", keys, batch=None, src_len=None, key_dim=self.key_dim)
        values = keys if values is None else values
        check_shape("values", values, batch=len(keys), src_len=keys.shape[1], value_dim=None)
        return Memory(self.project_keys(keys), values, mask)

    def attend(self, query: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """Context and weights of one query, or of many at once, over a remembered source."""
        if query.dim() == 2:  # a decoder's single state: (batch, query_dim)
            context, weights = self.attend(query.unsqueeze(1), memory)
            return context.squeeze(1), weights.squeeze(1)
        batch = len(memory.values)
        check_shape("query", query, batch=batch, tgt_len=None, query_dim=self.query_dim)
        scores = self.compare(query, memory.keys)  # (batch, tgt_len, src_len)
        weights = self.weigh(scores, memory.mask)  # (batch, tgt_len, src_len)
        return weights @ memory.values, weights  # (batch, tgt_len, value_dim)

    def forward(
        self,
        query: Float[Tensor, "batch tgt_len query_dim"] | Float[Tensor, "batch query_dim"],
        keys: Float[Tensor, "batch src_len key_dim"],
        values: Float[Tensor, "batch src_len value_dim"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Context (batch, tgt_len, value_dim) and weights (batch, tgt_len, src_len).

        Raises:
            ValueError: a shape does not fit; the message names the argument.
            TypeError: the mask is not boolean.
        """
        return self.attend(query, self.remember(keys, values, mask))


class DotProductAttention(Attention):
    """The score is the dot product of query and key, e = s · h. Nothing is learned.

    Source: Luong et al. 2015, section 3.1, "dot".

    Args:
        dim: width of the queries and of the keys; a dot product needs them equal.
    """

    def __init__(self, dim: int):
        super().__init__(dim, dim)

    def compare(self, query, projected_keys):
        return query @ projected_keys.transpose(-2, -1)  # (batch, tgt_len, src_len)


class AdditiveAttention(Attention):
    """A small network scores each pair: e = v · tanh(W s + U h), the split form.

    Source: Bahdanau et al. 2015, section 3.1 and appendix A.1.2.

    Args:
        query_dim: width of the queries s.
        key_dim: width of the keys h.
        attention_dim: width of the hidden layer, in which queries and keys meet.
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
    and the keys are multiplied anew for each query. For reading, and for measuring against.
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
        """The same function in the split form, with copies of these weights."""
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
        query_dim: width of the queries.
        key_dim: width of the keys.
        method: "dot", "general" or "concat".

    Raises:
        ValueError: the method is unknown, or "dot" was asked for with different widths.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        method: Literal["dot", "general", "concat"] = "general",
    ):
        super().__init__(query_dim, key_dim)
        if method == "dot" and query_dim != key_dim:
            raise ValueError(
                f"a dot product needs query_dim == key_dim, got {query_dim} and {key_dim}; "
                'method="general" learns a matrix between the two'
            )
        if method == "dot":
            self.scorer = DotProductAttention(query_dim)
        elif method == "general":
            self.scorer = DotProductAttention(query_dim)
            self.W = nn.Linear(key_dim, query_dim, bias=False)
        elif method == "concat":
            self.scorer = AdditiveAttention(query_dim, key_dim, attention_dim=query_dim)
        else:
            raise ValueError(f'method must be "dot", "general" or "concat", got {method!r}')
        self.method = method

    def project_keys(self, keys):
        return self.W(keys) if self.method == "general" else self.scorer.project_keys(keys)

    def compare(self, query, projected_keys):
        return self.scorer.compare(query, projected_keys)


class LocalAttention(Attention):
    """Attention inside a window of 2D + 1 source positions around a centre.

    - "monotonic" (local-m): the centre is the target position, up to the last source position.
    - "predicted" (local-p): the centre p = S · sigmoid(v · tanh(W s)) is learned, where S is the
      length of that source without its padding. The window stands around the nearest position, and
      after the softmax a Gaussian of deviation D/2 around p itself multiplies the weights. That is
      what passes a gradient to p. Such rows sum to less than 1.

    Source: Luong et al. 2015, section 3.2, equations 9 and 10.

    Args:
        query_dim: width of the queries.
        key_dim: width of the keys.
        half_width: D, how far the window reaches to each side, at least 1.
        centres: "monotonic" or "predicted".
        method: the score inside the window, as for `MultiplicativeAttention`.
    """

    def __init__(
        self,
        query_dim: int,
        key_dim: int,
        half_width: int,
        centres: Literal["monotonic", "predicted"] = "monotonic",
        method: Literal["dot", "general", "concat"] = "general",
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

    def find_centres(
        self,
        query: Float[Tensor, "batch tgt_len query_dim"],
        lengths: Int[Tensor, "batch tgt_len"],
        positions: Int[Tensor, " tgt_len"] | Int[Tensor, "batch tgt_len"] | None = None,
    ) -> Float[Tensor, "batch tgt_len"]:
        """The middle of each window, in source positions: whole numbers where monotonic.

        Args:
            query: the decoder states.
            lengths: the source length that each target position may see.
            positions: the target position of each query; 0, 1, 2, … where not given.
        """
        if self.predicts:
            return lengths * self.v_p(self.W_p(query).tanh()).squeeze(-1).sigmoid()
        if positions is None:
            positions = torch.arange(query.shape[1], device=query.device)
        # A target longer than its source would walk off the end and look at nothing.
        return torch.minimum(positions.expand_as(lengths), (lengths - 1).clamp(min=0)).to(query)

    def attend(self, query, memory, positions=None):
        """As `Attention.attend`. `positions` says which target position each query stands at.

        Raises:
            ValueError: a single state came without its position, which local-m cannot do without.
        """
        if query.dim() == 2:
            if positions is None and not self.predicts:
                raise ValueError(
                    "a single query needs its target position: pass positions=torch.tensor([step])"
                )
            context, weights = self.attend(query.unsqueeze(1), memory, positions)
            return context.squeeze(1), weights.squeeze(1)
        check_shape("query", query, len(memory.values), tgt_len=None, query_dim=self.query_dim)
        scores = self.compare(query, memory.keys)  # (batch, tgt_len, src_len)
        src_len = scores.shape[-1]
        sources = torch.arange(src_len, device=query.device)
        mask = torch.ones_like(scores, dtype=torch.bool)
        if memory.mask is not None:
            check_mask(memory.mask, scores.shape)
            mask = mask & memory.mask
        lengths = (mask * (sources + 1)).amax(-1)  # (batch, tgt_len): one past the last allowed
        centres = self.find_centres(query, lengths, positions)  # (batch, tgt_len)
        window = window_mask(centres.round().long(), src_len, self.half_width)
        weights = masked_softmax(scores, mask & window)  # (batch, tgt_len, src_len)
        if self.predicts:
            distances = sources - centres.unsqueeze(-1)  # (batch, tgt_len, src_len)
            weights = weights * (-(distances**2) / (2 * (self.half_width / 2) ** 2)).exp()
        return weights @ memory.values, weights

    def forward(self, query, keys, values=None, mask=None, positions=None):
        """As `Attention.forward`, with the target `positions`, (tgt_len,) or (batch, tgt_len)."""
        return self.attend(query, self.remember(keys, values, mask), positions)


class ScaledDotProductAttention(Attention):
    """The dot product divided by √dim, so that scores keep a variance near 1 at every width.

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.

    Args:
        dim: width of the queries and of the keys.
        dropout: share of the weights set to 0 in training; the others grow by 1 / (1 - dropout), so
            rows then sum to 1 only on average. The weights returned are those used.
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
        # Scaling the query costs less than scaling the scores, which are the larger tensor.
        return (query * self.scale) @ projected_keys.transpose(-2, -1)

    def weigh(self, scores, mask):
        return self.dropout(masked_softmax(scores, mask))


class MultiHeadAttention(Attention):
    """Several scaled dot-product attentions side by side, each on its own slice of the width.

    Queries, keys and values are projected to `dim`, split into heads of dim / heads, attended to
    head by head, joined and projected once more. The number of parameters does not depend on the
    number of heads. Source: Vaswani et al. 2017, section 3.2.2.

    Args:
        dim: width of the queries and of the context.
        heads: number of heads; must divide `dim`.
        key_dim: width of the keys, `dim` where not given.
        value_dim: width of the values, `dim` where not given.
        dropout: as for `ScaledDotProductAttention`.
        bias: whether the four projections have one.

    Raises:
        ValueError: `heads` does not divide `dim`.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        key_dim: int | None = None,
        value_dim: int | None = None,
        dropout: float = 0.0,
        bias: bool = True,
    ):
        super().__init__(dim, key_dim or dim)
        if heads < 1 or dim % heads:
            raise ValueError(f"heads must divide dim: {dim} / {heads} leaves {dim % max(heads, 1)}")
        self.heads = heads
        self.value_dim = value_dim or dim
        self.W_q = nn.Linear(dim, dim, bias)
        self.W_k = nn.Linear(self.key_dim, dim, bias)
        self.W_v = nn.Linear(self.value_dim, dim, bias)
        self.W_o = nn.Linear(dim, dim, bias)
        self.attention = ScaledDotProductAttention(dim // heads, dropout)

    def split_heads(
        self, tensor: Float[Tensor, "batch len dim"]
    ) -> Float[Tensor, "batch heads len head_dim"]:
        """Cut the width into heads, and bring the heads beside the batch."""
        return tensor.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def join_heads(
        self, tensor: Float[Tensor, "batch heads len head_dim"]
    ) -> Float[Tensor, "batch len dim"]:
        """The inverse of `split_heads`."""
        return tensor.transpose(1, 2).flatten(2)

    def project_keys(self, keys):
        return self.split_heads(self.W_k(keys))  # (batch, heads, src_len, head_dim)

    def compare(self, query, projected_keys):
        """Scores by head: (batch, heads, tgt_len, src_len)."""
        return self.attention.compare(self.split_heads(self.W_q(query)), projected_keys)

    def remember(self, keys, values=None, mask=None):
        """As `Attention.remember`; the values are projected too.

        A mask of three axes, (batch, tgt_len, src_len), is the same for all heads.
        """
        check_shape("keys", keys, batch=None, src_len=None, key_dim=self.key_dim)
        values = keys if values is None else values
        check_shape("values", values, len(keys), src_len=keys.shape[1], value_dim=self.value_dim)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (batch, 1, tgt_len, src_len)
        return Memory(self.project_keys(keys), self.split_heads(self.W_v(values)), mask)

    def attend(self, query, memory, return_weights="mean"):
        """As `forward`, over a remembered source."""
        if query.dim() == 2:
            context, weights = self.attend(query.unsqueeze(1), memory, return_weights)
            return context.squeeze(1), None if weights is None else weights.squeeze(-2)
        check_shape("query", query, len(memory.values), tgt_len=None, query_dim=self.query_dim)
        if return_weights is None:  # nobody looks, so PyTorch may fuse the three steps into one
            if memory.mask is not None:
                batch, heads, src_len, _ = memory.keys.shape
                check_mask(memory.mask, (batch, heads, query.shape[1], src_len))
            context = F.scaled_dot_product_attention(
                self.split_heads(self.W_q(query)),
                memory.keys,
                memory.values,
                attn_mask=memory.mask,
                dropout_p=self.attention.dropout.p if self.training else 0.0,
            )
            return self.W_o(self.join_heads(context)), None
        scores = self.compare(query, memory.keys)  # (batch, heads, tgt_len, src_len)
        weights = self.attention.weigh(scores, memory.mask)
        context = self.W_o(self.join_heads(weights @ memory.values))  # (batch, tgt_len, dim)
        return context, weights.mean(1) if return_weights == "mean" else weights

    def forward(
        self,
        query: Float[Tensor, "batch tgt_len dim"] | Float[Tensor, "batch dim"],
        keys: Float[Tensor, "batch src_len key_dim"],
        values: Float[Tensor, "batch src_len value_dim"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
        return_weights: Literal["mean", "heads"] | None = "mean",
    ) -> tuple[Tensor, Tensor | None]:
        """Context (batch, tgt_len, dim) and weights.

        Args:
            return_weights: "mean" gives the mean over the heads, (batch, tgt_len, src_len); "heads"
                every head's own, (batch, heads, tgt_len, src_len); None gives no weights, and is
                the fastest.
        """
        return self.attend(query, self.remember(keys, values, mask), return_weights)

    @classmethod
    def from_torch(cls, reference: nn.MultiheadAttention) -> "MultiHeadAttention":
        """The same function as PyTorch's module, with copies of its weights.

        Raises:
            ValueError: the reference uses `add_bias_kv` or `add_zero_attn`, which this has not.
        """
        if reference.bias_k is not None or reference.add_zero_attn:
            raise ValueError("add_bias_kv and add_zero_attn have no counterpart here")
        twin = cls(
            reference.embed_dim,
            reference.num_heads,
            reference.kdim,
            reference.vdim,
            reference.dropout,
            bias=reference.in_proj_bias is not None,
        )
        twin.to(reference.out_proj.weight)
        with torch.no_grad():
            for ours, theirs in zip(twin._parts(), _torch_parts(reference), strict=True):
                ours.copy_(theirs)
        return twin

    def to_torch(self) -> nn.MultiheadAttention:
        """PyTorch's own module (batch first) with copies of these weights."""
        twin = nn.MultiheadAttention(
            self.query_dim,
            self.heads,
            self.attention.dropout.p,
            bias=self.W_o.bias is not None,
            kdim=self.key_dim,
            vdim=self.value_dim,
            batch_first=True,
        ).to(self.W_o.weight)
        with torch.no_grad():
            for theirs, ours in zip(_torch_parts(twin), self._parts(), strict=True):
                theirs.copy_(ours)
        return twin

    def _parts(self) -> list[Tensor]:
        layers = [self.W_q, self.W_k, self.W_v, self.W_o]
        return [layer.weight for layer in layers] + [
            layer.bias for layer in layers if layer.bias is not None
        ]


def _torch_parts(module: nn.MultiheadAttention) -> list[Tensor]:
    """Weights, then biases, of the query, key, value and output projections, as views."""
    if module.in_proj_weight is not None:
        weights = list(module.in_proj_weight.chunk(3))
    else:
        weights = [module.q_proj_weight, module.k_proj_weight, module.v_proj_weight]
    weights.append(module.out_proj.weight)
    if module.in_proj_bias is None:
        return weights
    return [*weights, *module.in_proj_bias.chunk(3), module.out_proj.bias]


def check_shape(name: str, tensor: Tensor, batch: int | None, **axes: int | None) -> None:
    """Raise a `ValueError` that names the argument, the shape expected and the shape it has.

    Args:
        name: the argument's name, for the message.
        tensor: what was given.
        batch: the expected size of the first axis; None where any will do.
        axes: the expected sizes of the other axes, by name; None where any will do.
    """
    axes = {"batch": batch, **axes}
    fits = tensor.dim() == len(axes) and all(
        size in (None, actual) for size, actual in zip(axes.values(), tensor.shape, strict=True)
    )
    if not fits:
        expected = ", ".join(key if size is None else f"{key}={size}" for key, size in axes.items())
        raise ValueError(f"{name} must be ({expected}), got {tuple(tensor.shape)}")
