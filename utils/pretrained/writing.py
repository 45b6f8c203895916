"""Write on from a beginning, token by token, with the keys and values of all tokens kept."""

from collections.abc import Iterator

import torch
from torch import Tensor

from utils.pretrained.architecture import CausalLM
from utils.pretrained.tokens import Tokens


def next_tokens(model: CausalLM, tokens: Tokens, text: str, count: int = 5) -> dict[str, float]:
    """Return the likeliest next tokens behind a text, with their probabilities, likeliest first."""
    with torch.inference_mode():
        logits = model(tokens.encode(text))[0, -1]  # (vocab,)
    best = logits.softmax(-1).topk(count)
    return dict(zip(tokens.pieces(best.indices), best.values.tolist(), strict=True))


def write(
    model: CausalLM,
    tokens: Tokens,
    beginning: str,
    count: int,
    temperature: float = 0.0,
    seed: int = 0,
) -> str:
    """Return a beginning with up to `count` tokens written behind it; see `write_on`."""
    written = [token for token, _ in write_on(model, tokens, beginning, count, temperature, seed)]
    return beginning + tokens.decode(written)


def write_on(
    model: CausalLM,
    tokens: Tokens,
    beginning: str,
    count: int,
    temperature: float = 0.0,
    seed: int = 0,
) -> Iterator[tuple[int, Tensor]]:
    """Yield token after token, each with the probabilities (vocab,) from which it was taken.

    Args:
        beginning: the text to go on from, at least one token long.
        count: the most tokens; a token that ends the text ends it earlier.
        temperature: 0 takes the likeliest token, 1 draws from the probabilities, other numbers
            divide the logits first.
        seed: of the draws.

    Raises:
        ValueError: the beginning is empty, or the temperature negative.
    """
    if not beginning or temperature < 0:
        raise ValueError(
            "write a beginning, of one character or more, and a temperature of 0 or more; got "
            f"{beginning!r} and {temperature}"
        )
    generator = torch.Generator().manual_seed(seed)
    ends = {number for number in map(tokens.id_of, ENDS) if number is not None}
    caches, new = model.caches(), tokens.encode(beginning)
    for _ in range(count):
        with torch.inference_mode():
            logits = model.last_logits(new, caches)[0].float()  # (vocab,)
            chances = (logits / (temperature or 1.0)).softmax(-1)
            best = (
                chances.argmax() if not temperature else chances.multinomial(1, generator=generator)
            )
        token = int(best)
        if token in ends:
            return
        yield token, chances
        new = torch.tensor([[token]])


ENDS = ("<|endoftext|>", "<|im_end|>", "</s>", "<|end_of_text|>", "<|eot_id|>")
