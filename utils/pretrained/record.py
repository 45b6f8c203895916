"""Record what the heads of the real model look at, for readers without the model.

python -m utils.pretrained.record  # some minutes; writes recorded_heads.json

Weights and probabilities are kept in whole hundredths, one letter each, so that a page can hold a
dozen texts.
"""

import json
import string
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from tqdm import tqdm

from utils.pretrained.architecture import CausalLM
from utils.pretrained.heads import same_layers, share_behind_twin, share_on_first, share_one_back
from utils.pretrained.looking import look, switched_off
from utils.pretrained.store import NAME, open_model
from utils.pretrained.tokens import Tokens

FILE = Path(__file__).with_name("recorded_heads.json")
# For 0, 1, … 100 hundredths. None of them is escaped in JSON or HTML.
LETTERS = string.digits + string.ascii_letters + "!#$%()*+,-./:;=?@[]^_{|}~ÀÁÂÃÄÅÆÇÈÉÊËÌÍ"
BEST = 5  # next words
ENOUGH = 0.4  # mean weight from which a head counts as one of a kind
SETTLED = 4  # before this query there is little but the first tokens to look at
COMPARED = ("one back", "repeats")  # the layers of the others have too few heads besides
RANDOM, SEEDS = 30, 6  # tokens, said twice; how often they are drawn
TEXTS = {
    "a number, asked again": "My room is number 305. I told you: my room is number 3",
    "a capital": "The capital of France is",
    "the same, behind another word": "apple The capital of France is",
    "the cat and the dog": "The cat sat on the mat. The dog sat on the",
    "a list, said again": "Buy milk, eggs and tea. Again: buy milk, eggs and",
    "who gets the drink": "When Mary and John went to the store, John gave a drink to",
    "a pronoun": "Anna gave Tom her book, because he had lost",
    "code": "def add(a, b):\n    return a +",
    "three capitals": "Paris is in France. Rome is in Italy. Berlin is in",
    "counting": "one, two, three, four, five,",
    "a door": "The old man opened the door, looked at the snow outside, and closed the",
}
TWICE, OF_TWICE, DRAWN = "random tokens, said twice", 11, 2  # with seed 0 it says something else


def read_text(model: CausalLM, tokens: Tokens, ids: Int[Tensor, "1 len"]) -> dict[str, Any]:
    """Return a text as the explorer shows it.

    Returns:
        tokens: their texts; maps: for each head the weights of each token on itself and those
        before it, as letters; best: as `likeliest`, with all heads on.
    """
    chances = next_chances(model, ids)
    weights = look(model, ids).weights.flatten(0, 1)  # (heads, len, len)
    row, column = torch.tril_indices(ids.shape[1], ids.shape[1])
    return {
        "tokens": tokens.pieces(ids),
        "maps": _letters(weights[:, row, column]),
        "best": likeliest(tokens, chances, chances),
    }


@torch.inference_mode()
def next_chances(
    model: CausalLM, ids: Int[Tensor, "1 len"], off: Collection[int] = ()
) -> Float[Tensor, "vocab"]:
    """Return the probabilities of the next token, with some heads off.

    Args:
        off: numbers of heads: layer · heads + head.
    """
    with switched_off(model, [divmod(head, model.architecture.heads) for head in sorted(off)]):
        return model(ids)[0, -1].softmax(-1)


@torch.inference_mode()
def chances_without_each(
    model: CausalLM, ids: Int[Tensor, "1 len"]
) -> Float[Tensor, "heads_of_all_layers vocab"]:
    """Return what `next_chances` returns without each head alone; this is four times as fast.

    A batch holds a layer's heads, each without one of them, and begins at that layer.
    """
    a, states, masks = model.architecture, look(model, ids).states, model.masks(ids.shape[1])

    def silence_one_each(_module, inputs):
        contexts = inputs[0].unflatten(-1, (a.heads, a.head_dim)).clone()
        each = torch.arange(a.heads)
        contexts[each, :, each] = 0  # (heads, len, heads, head_dim)
        return (contexts.flatten(-2),)

    chances = []
    for layer in range(a.layers):
        x = states[layer].expand(a.heads, -1, -1)  # (heads, len, dim)
        hook = model.blocks[layer].attention.W_o.register_forward_pre_hook(silence_one_each)
        for number in range(layer, a.layers):
            x = model.blocks[number](x, masks[number])
            hook.remove()
        chances.append(model.output(model.norm(x[:, -1])).softmax(-1))
    return torch.cat(chances)


def likeliest(
    tokens: Tokens, now: Float[Tensor, "vocab"], before: Float[Tensor, "vocab"]
) -> list[list]:
    """Return the likeliest next tokens, and the one that was likeliest before.

    Returns:
        [text, probability now, probability before], likeliest first, five or six of them.
    """
    best = [*dict.fromkeys([*now.topk(BEST).indices.tolist(), int(before.argmax())])]
    return [[tokens.decode([n]), round(now[n].item(), 4), round(before[n].item(), 4)] for n in best]


def _letters(shares: Float[Tensor, "..."]) -> str:
    """Return numbers from 0 to 1 as letters, one for each."""
    return "".join(map(LETTERS.__getitem__, (100 * shares).round().int().flatten().tolist()))


def unpack(sentence: dict[str, Any]) -> Float[Tensor, "heads len len"]:
    """Return the weights of all heads in a text that `read_text` has read."""
    shares = torch.tensor([LETTERS.index(letter) for letter in sentence["maps"]]) / 100
    size = len(sentence["tokens"])
    row, column = torch.tril_indices(size, size)
    weights = torch.zeros(len(shares) // len(row), size, size)
    weights[:, row, column] = shares.view(len(weights), -1)
    return weights


def said_twice(model: CausalLM, length: int, seed: int) -> Int[Tensor, "1 len2"]:
    """Return random tokens, and the same tokens again."""
    drawn = torch.Generator().manual_seed(seed)
    once = torch.randint(model.architecture.vocab_size, (length,), generator=drawn)
    return torch.cat([once, once])[None]  # (1, 2 · length)


def measure_kinds(model: CausalLM, texts: Collection[Int[Tensor, "1 len"]]) -> list[dict[str, Any]]:
    """Return the kinds of heads, with the score of every head and the heads that belong to each."""
    seen = [look(model, ids).weights for ids in texts]
    twice = [look(model, said_twice(model, RANDOM, seed)).weights for seed in range(SEEDS)]
    scores = torch.stack(
        [
            _mean(share_on_first(weights, SETTLED) for weights in seen),
            _mean(map(share_one_back, seen)),
            _mean(map(share_behind_twin, twice)),
        ]
    ).flatten(1)  # (kinds, heads of all layers)
    highest = scores.max(0).values
    kind = torch.full((len(highest),), len(scores))
    for number, score in enumerate(scores):  # the last counts: while nothing repeats, its heads
        kind[score >= ENOUGH] = number  # look at the first word
    names = {
        "first word": "They look at the first token, whatever it is (an attention sink). The score "
        f"is the weight on it, on average over {len(texts)} texts; in texts as short as these most "
        "heads do.",
        "one back": "They look at the token before. The score is the weight on it, on average over "
        f"{len(texts)} texts.",
        "repeats": "They find the same token earlier in the text, and look at what came after it "
        "(induction heads); while nothing comes again, many look at the first. The score is that "
        f"weight in {RANDOM} random tokens, said twice.",
        "the rest": f"None of the three kinds has a score of {ENOUGH:.2f} here. First come those "
        "that are least like any.",
    }
    return [
        {
            "name": name,
            "says": says,
            "heads": (kind == number).nonzero().flatten().tolist(),
            "scores": (100 * score).round().int().tolist(),
        }
        for number, ((name, says), score) in enumerate(
            zip(names.items(), [*scores, 1 - highest], strict=True)
        )
    ]


def _mean(scores: Iterable[Float[Tensor, "layers heads"]]) -> Float[Tensor, "layers heads"]:
    return torch.stack([*scores]).mean(0)


def groups_of(kinds: list[dict[str, Any]], heads: int) -> list[dict[str, Any]]:
    """Return sets of heads to switch off together: each kind, and as many others for comparison.

    Args:
        heads: number of heads of each layer.
    """
    groups = []
    for number, kind in enumerate(kinds):
        own = [divmod(head, heads) for head in kind["heads"]]
        sets = {f"all {len(own)}": own}
        if kind["name"] in COMPARED:
            sets[f"{len(own)} others of the same layers"] = same_layers(own, heads, seed=0)
        groups += [
            {
                "kind": number,
                "name": name,
                "heads": sorted(layer * heads + head for layer, head in chosen),
            }
            for name, chosen in sets.items()
        ]
    return groups


def record(model: CausalLM, tokens: Tokens) -> dict[str, Any]:
    """Return all that the explorer shows without the model."""
    a = model.architecture
    texts = {label: tokens.encode(text) for label, text in TEXTS.items()}
    kinds = measure_kinds(model, texts.values())
    groups = groups_of(kinds, a.heads)
    texts[TWICE] = said_twice(model, OF_TWICE, DRAWN)[:, :-1]
    sentences = []
    for label, ids in tqdm(texts.items()):
        sentence = read_text(model, tokens, ids)
        chances = next_chances(model, ids)
        together = [next_chances(model, ids, group["heads"]) for group in groups]
        without = [chances, *chances_without_each(model, ids), *together]
        answers = [likeliest(tokens, now, chances) for now in without]
        before = {word: share for answer in answers for word, _, share in answer}
        words = [*before]
        best = sentence.pop("best")[0][0]
        sentences.append(
            {
                "label": label,
                "text": tokens.decode(ids),
                **sentence,
                "words": words,
                "before": _letters(torch.tensor([*before.values()])),
                "answers": "".join(_coded(answer, words, best) for answer in answers),
            }
        )
    return {
        "model": NAME,
        "layers": a.layers,
        "heads": a.heads,
        "letters": LETTERS,
        "kinds": kinds,
        "groups": groups,
        "sentences": sentences,
    }


def _coded(answer: list[list], words: list[str], best: str) -> str:
    """Return six words and their probabilities, a letter each; the last is what all heads say."""
    shares = {word: share for word, share, _ in answer}
    six = [*[*shares][:BEST], best]
    return "".join(LETTERS[words.index(w)] + _letters(torch.tensor(shares[w])) for w in six)


def read_recorded() -> dict[str, Any]:
    """Return what `record` has recorded."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def main() -> None:
    """Record the course's real model."""
    model, tokens = open_model()
    text = json.dumps(record(model, tokens), ensure_ascii=False, indent=0)
    FILE.write_text(text + "\n", encoding="utf-8")
    print(f"{FILE}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
