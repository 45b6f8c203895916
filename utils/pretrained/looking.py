"""What all heads of a model look at in a text, and what is lost without some of them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from utils.pretrained.architecture import CausalLM


@dataclass(frozen=True)
class Looks:
    """What was seen while a model read one text.

    Attributes:
        weights: of all heads, (layers, heads, len, len).
        states: before the first block and behind each, (layers + 1, len, dim).
        values: of all heads with values, (layers, kv_heads, len, head_dim).
        logits: (len, vocab).
    """

    weights: Float[Tensor, "layers heads len len"]
    states: Float[Tensor, "layers1 len dim"]
    values: Float[Tensor, "layers kv_heads len head_dim"]
    logits: Float[Tensor, "len vocab"]


@torch.inference_mode()
def look(model: CausalLM, tokens: Int[Tensor, "1 len"]) -> Looks:
    """Read one text with all weights written down, which the model itself leaves to a kernel."""
    x = model.embedding(tokens)  # (1, len, dim)
    weights, states, values = [], [x[0]], []
    for block, mask in zip(model.blocks, model.masks(tokens.shape[1]), strict=True):
        y = block.norms[0](x)
        memory = block.attention.remember(y, mask=mask)
        context, of_heads = block.attention.attend(y, memory, return_weights="heads")
        x = x + context
        x = x + block.feed_forward(block.norms[1](x))
        weights.append(of_heads[0])
        values.append(memory.values[0])
        states.append(x[0])
    logits = model.output(model.norm(x))[0]
    return Looks(torch.stack(weights), torch.stack(states), torch.stack(values), logits)


@contextmanager
def switched_off(model: CausalLM, heads: Iterable[tuple[int, int]]) -> Iterator[None]:
    """Let some heads add nothing while the block of a `with` runs.

    Args:
        heads: (layer, head), both counted from 0.

    Raises:
        ValueError: there is no such head.
    """
    a, handles, off = model.architecture, [], {}
    for layer, head in heads:
        if not (0 <= layer < a.layers and 0 <= head < a.heads):
            raise ValueError(
                f"there is no head {layer}.{head}: layers go from 0 to {a.layers - 1}, heads from "
                f"0 to {a.heads - 1}"
            )
        off.setdefault(layer, []).append(head)

    def silence(its_heads):
        def hook(module, inputs):
            contexts = inputs[0].unflatten(-1, (a.heads, a.head_dim)).clone()
            contexts[..., its_heads, :] = 0  # (batch, len, heads, head_dim)
            return (contexts.flatten(-2),)

        return hook

    try:
        for layer, its_heads in off.items():
            join = model.blocks[layer].attention.W_o
            handles.append(join.register_forward_pre_hook(silence(its_heads)))
        yield
    finally:
        for handle in handles:
            handle.remove()


@torch.inference_mode()
def losses_of(model: CausalLM, tokens: Int[Tensor, "batch len"]) -> Float[Tensor, "batch len-1"]:
    """Return the loss in nats of each token but the first, given all before it."""
    logits = model(tokens)[:, :-1].float()
    return F.cross_entropy(logits.mT, tokens[:, 1:], reduction="none")


def loss_of(model: CausalLM, tokens: Int[Tensor, "batch len"]) -> float:
    """Return the mean loss in nats a token."""
    return losses_of(model, tokens).mean().item()
