"""A small model with as many heads as the course's real one, and with random weights."""

import torch

from utils.model_helpers import set_seed
from utils.pretrained import Architecture, CausalLM

LAYERS, HEADS = 30, 9


def small_model(layers: int = LAYERS) -> CausalLM:
    """Return a model with random weights, large enough that its heads look at different things."""
    set_seed(8)
    sizes = Architecture(
        vocab_size=128,
        dim=36,
        layers=layers,
        hidden=16,
        heads=HEADS,
        kv_heads=3,
        head_dim=4,
        eps=1e-5,
        base=10_000,
        rotary_dim=4,
        windows=(None,) * layers,
    )
    model = CausalLM(sizes).eval()
    model.embedding.weight.data.normal_(0, 0.3)  # no two tokens equally likely
    for block in model.blocks:
        block.attention.W_q.weight.data *= 8
    return model


class LettersAsTokens:
    """A tokeniser whose tokens are letters."""

    def encode(self, text: str) -> torch.Tensor:
        return torch.tensor([[*map(ord, text)]], dtype=torch.long)  # (1, len)

    def decode(self, ids) -> str:
        return "".join(map(chr, map(int, ids)))

    def pieces(self, ids) -> list[str]:
        return [chr(int(number)) for number in ids.flatten()]
