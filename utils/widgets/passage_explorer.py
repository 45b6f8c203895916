"""Follow one token through a whole language model, from its embedding to the next token."""

from collections.abc import Sequence

import torch
import traitlets
from torch import nn

from utils.corpora import SOS, Vocabulary
from utils.masks import causal_mask
from utils.plots import head_grid
from utils.widgets.pictured import Pictured

LIKELIEST = 5  # next tokens that are shown
DIGITS = 2


class PassageExplorer(Pictured):
    """A widget that shows the way of a token through a language model, with its own numbers.

    All stops of the way stand below each other and stay there: the embedding, the position that is
    added, norm, heads, norm and feed-forward network of each block, the last norm, the next token.

    Args:
        model: a language model as in notebook 08, with pre-norm: `embedding`, `embed`, `blocks`
            (each an `EncoderBlock`), `norm` and `output`.
        words: the words that it has read.
        vocabulary: the model's vocabulary.

    Raises:
        ValueError: there are no words.
    """

    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    # What each stop does (`part`), its block, and for each token its vector, as it is afterwards;
    # heads also have weights, (heads, len, len).
    stops = traitlets.List().tag(sync=True)
    chances = traitlets.List().tag(
        sync=True
    )  # for each token, [next token, probability], best first
    step = traitlets.Int(0).tag(sync=True)
    token = traitlets.Int(0).tag(sync=True)

    def __init__(self, model: nn.Module, words: Sequence[str], vocabulary: Vocabulary):
        if not words:
            raise ValueError("there is no way to follow: give the model at least one word to read")
        ids = torch.tensor([[SOS, *vocabulary.encode(words)]])  # (1, len)
        with torch.no_grad():
            stops, last = _way(model, ids)
            likeliest = model.output(last).softmax(-1)[0].topk(LIKELIEST)  # (len, LIKELIEST)
        chances = [
            [
                [vocabulary.words[place], round(chance, 3)]
                for place, chance in zip(*pair, strict=True)
            ]
            for pair in zip(likeliest.indices.tolist(), likeliest.values.tolist(), strict=True)
        ]
        tokens = [vocabulary.words[place] for place in ids[0].tolist()]
        super().__init__(tokens=tokens, stops=stops, chances=chances, token=len(tokens) - 1)

    def picture(self) -> str:
        heads = [stop for stop in self.stops if stop["part"] == "heads"]
        names = [
            f"block {stop['block']}, head {n}"
            for stop in heads
            for n in range(1, len(stop["weights"]) + 1)
        ]
        maps = [torch.tensor(weights) for stop in heads for weights in stop["weights"]]
        last, (word, chance) = self.tokens[-1], self.chances[-1][0]
        alt = (
            f"Weights of all heads. After “{last}”, “{word}” is the likeliest next token: "
            f"{chance:.2f}."
        )
        return head_grid(maps, self.tokens, self.tokens, names, alt=alt, within=True).to_html()


def _way(model: nn.Module, ids: torch.Tensor) -> tuple[list[dict], torch.Tensor]:
    """Return the stops of all tokens through a model, and their vectors at the end."""
    stops = []

    def stop(part: str, x: torch.Tensor, block: int = 0, **more) -> torch.Tensor:
        stops.append({"part": part, "block": block, "vectors": _rounded(x[0]), **more})
        return x

    stop("embedding", model.embedding(ids) * model.embedding.embedding_dim**0.5)  # (1, len, dim)
    x = stop("position", model.embed(ids))
    mask = causal_mask(ids.shape[1])
    for number, block in enumerate(model.blocks, start=1):
        first, second = block.norms
        y = stop("norm", first(x), number)
        found, weights = block.attention(y, y, mask=mask, return_weights="heads")
        x = stop("heads", x + found, number, weights=_rounded(weights[0]))
        x = stop("feed-forward", x + block.feed_forward(stop("norm", second(x), number)), number)
    return stops, stop("last norm", model.norm(x))


def _rounded(x: torch.Tensor) -> list:
    return x.double().round(decimals=DIGITS).tolist()
