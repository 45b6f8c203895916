"""Measure what notebook 11 tells of the real model: faults, sinks, heads, windows, memory."""

import copy
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F

from utils.pretrained import look, loss_of, losses_of, open_model, switched_off
from utils.pretrained.faults import FAULTS, twin, with_fault, with_first_values
from utils.pretrained.heads import (
    best,
    same_layers,
    share_behind_twin,
    share_on_first,
    share_one_back,
)
from utils.pretrained.store import gguf_file
from utils.pretrained.texts import CODE, LICENCE, PROSE, STORIES, said_twice

RESULTS = Path(__file__).parents[2] / "notebooks" / "results" / "real_model.json"
CAPITAL = "The capital of France is"
SPANS = ((0, 99), (99, 499), (499, 999))  # of predicted tokens
WINDOWS, SINKS, LENGTH, BEHIND = (16, 64, 128), (0, 1, 4), 600, 200
SEEDS = range(10)
DISTANCES = (50, 200, 800, 2_000, 4_000)
WORDINGS = ("As I said above, the number of the room is", "By the way, the number was")
NUMBERS = (4_187, 7_302, 2_965, 8_514, 6_071, 3_748, 9_226, 5_493, 1_830, 7_659)
FRONT = (
    *("The", "A", "Once", "My", "Dogs", "In", "If", "When", "Yes", "Paris"),
    *("Blue", "Green", "Jump", "HOW", "NOT", "1", "(", " banana", " the", " seven"),
)
SOLVED = "1 + 1 = 2\n5 + 2 = 7\n"
SUMS = ("2 + 3 =", "4 + 5 =", "7 + 2 =", "3 + 3 =", "8 + 6 =", "17 + 25 =")


def real_model(*parts: str) -> None:
    """What the real model does, right and wrong; measured once and kept in notebooks/results.

    A part is measured if it is named, or not kept yet: `make bench ONLY=real_model:faults`.
    """
    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    model, tokens = open_model()
    for name, measure in MEASURES.items():
        if name in parts or name not in kept:
            kept[name] = measure(model, tokens)
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        print(f"{name:10} {json.dumps(kept[name])[:400]}")


def texts_of(tokens, length: int) -> dict[str, torch.Tensor]:
    named = {f"prose {number}": text for number, text in enumerate(PROSE, 1)}
    named |= {"code": CODE, "licence": LICENCE}
    return {name: tokens.encode(text)[:, :length] for name, text in named.items()}


def faults(model, tokens) -> dict:
    """Return losses by fault, on all stories and on two passages, and what the model says."""
    stories = [tokens.encode(story) for story in STORIES]
    passages = [tokens.encode(text)[:, :1000] for text in PROSE[:2]]
    found = {}
    for name in ("none", *FAULTS):
        wrong = model if name == "none" else with_fault(model, name)
        by_token = [losses_of(wrong, passage)[0] for passage in passages]
        found[name] = {
            "stories": [rounded(loss_of(wrong, story)) for story in stories],
            "prose": [[rounded(one[a:b].mean()) for a, b in SPANS] for one in by_token],
            "says": say(wrong, tokens, CAPITAL, 8),
        }
    return found


def say(model, tokens, beginning: str, count: int) -> str:
    """Return what a model writes without a cache, so that faults in masks are in it."""
    ids = tokens.encode(beginning)
    start = ids.shape[1]
    with torch.inference_mode():
        for _ in range(count):
            ids = torch.cat([ids, model(ids)[:, -1:].argmax(-1)], dim=1)
    return tokens.decode(ids[0, start:])


def sinks(model, tokens) -> dict:
    """Return by text the share that queries 20 to 100 give to the first token."""
    texts = {f"story {number}": tokens.encode(text) for number, text in enumerate(STORIES, 1)}
    texts |= texts_of(tokens, 101)
    for front in ("banana", "\n", "<|endoftext|>"):
        texts[f"story 1 behind {front!r}"] = tokens.encode(front + STORIES[0])
    found = {}
    for name, text in texts.items():
        seen = look(model, text[:, :101])
        first = share_on_first(seen.weights)  # (layers, heads)
        norms = seen.values[:, :, 1:].norm(dim=-1).mean(-1)  # (layers, kv_heads)
        states = seen.states.norm(dim=-1)  # (layers + 1, len)
        found[name] = {
            "share": rounded(first.mean()),
            "second": rounded(seen.weights[..., 20:, 1].mean()),
            "more than half": int((first > 0.5).sum()),
            "by layer": [rounded(share) for share in first.mean(1)],
            "values": rounded((seen.values[:, :, 0].norm(dim=-1) / norms)[12:].median()),
            "state": [rounded(length, 0) for length in states[:, 0]],
            "other states": [rounded(length, 0) for length in states[:, 1:].mean(1)],
            "one back": [named(h, share_one_back(seen.weights)) for h in ONE_BACK],
        }
    return found


ONE_BACK = [(16, 0), (11, 1), (2, 1), (1, 2), (19, 3)]


def named(head: tuple[int, int], scores: torch.Tensor) -> tuple[str, float]:
    return f"{head[0]}.{head[1]}", rounded(scores[head])


def induction(model, tokens) -> dict:
    """Return scores by seed, and the losses with heads switched off, beside controls."""
    a = model.architecture
    texts = [said_twice(a.vocab_size, seed) for seed in SEEDS]
    scores = torch.stack([share_behind_twin(look(model, text).weights) for text in texts])
    chosen = best(scores[:5].mean(0), 8)  # on the first five seeds
    stories = [tokens.encode(story) for story in STORIES]

    def losses(off):
        with switched_off(model, off):
            return {
                "second half": [
                    rounded(losses_of(model, text)[0, text.shape[1] // 2 :].mean())
                    for text in texts[5:]
                ],
                "stories": [rounded(loss_of(model, story)) for story in stories],
            }

    generator = torch.Generator().manual_seed(0)
    others = [
        divmod(int(one), a.heads) for one in torch.randperm(a.layers * a.heads, generator=generator)
    ]
    anywhere = [[one for one in others if one not in chosen][8 * k : 8 * k + 8] for k in range(5)]
    return {
        "best": [(f"{h[0]}.{h[1]}", [rounded(one[h]) for one in scores]) for h in chosen],
        "first half": [
            rounded(losses_of(model, text)[0, : text.shape[1] // 2 - 1].mean()) for text in texts
        ],
        "none": losses([]),
        **{f"best {count}": losses(chosen[:count]) for count in (2, 4, 8)},
        "same layers": [losses(same_layers(chosen, a.heads, seed)) for seed in range(5)],
        "anywhere": [losses(heads) for heads in anywhere],
    }


def one_by_one(model, tokens) -> dict:
    """Return by story what each head is worth: the loss without it, less the loss with all."""
    found = {}
    for number in (1, 3):
        story = tokens.encode(STORIES[number - 1])
        full, worth = loss_of(model, story), {}
        for layer in range(model.architecture.layers):
            for head in range(model.architecture.heads):
                with switched_off(model, [(layer, head)]):
                    worth[f"{layer}.{head}"] = rounded(loss_of(model, story) - full, 4)
        found[f"story {number}"] = worth
    return found


def windows(model, tokens) -> dict:
    """Return by text and window the loss of tokens behind 200 of 600, with 0, 1 and 4 sinks."""
    found = {}
    for name, text in texts_of(tokens, LENGTH).items():
        behind = min(BEHIND, text.shape[1] // 2)
        losses = {"everything": rounded(losses_of(model, text)[0, behind:].mean())}
        for window in WINDOWS:
            for first in SINKS:
                losses[f"{window} + {first}"] = rounded(
                    windowed(model, text, window, first)[behind:].mean()
                )
        found[name] = losses
    return found


def windowed(model, text, window: int, first: int) -> torch.Tensor:
    """Return the losses of a model that sees a window and the first tokens."""
    places = torch.arange(text.shape[1])
    back = places[:, None] - places
    return masked(model, text, (back >= 0) & ((back < window) | (places < first)))


def masked(model, text, mask: torch.Tensor) -> torch.Tensor:
    """Return the losses of a model all of whose layers have this mask."""
    narrow = twin(model)
    narrow.masks = lambda length: [mask] * len(model.blocks)
    return losses_of(narrow, text)[0]


def controls(model, tokens) -> dict:
    """Return what else would be so if the notebook's reasons were wrong."""
    stories = [tokens.encode(story) for story in STORIES]
    passages = [tokens.encode(text) for text in PROSE]
    twice = [said_twice(model.architecture.vocab_size, seed) for seed in SEEDS]
    back = torch.stack([share_one_back(look(model, text).weights) for text in twice]).mean(0)
    unmasked = with_fault(model, "no mask")
    short = texts_of(tokens, stories[0].shape[1])
    return {
        "words in front": {word: shares(model, tokens, word) for word in FRONT},
        "the same word in front": [shares(model, tokens, " banana", n) for n in (1, 2, 5)],
        "first values": first_values(model, tokens, stories),
        "windows": [other_windows(model, passage[:, :LENGTH]) for passage in passages],
        "right, and without a mask": {
            name: [rounded(loss_of(one, text)) for one in (model, unmasked)]
            for name, text in short.items()
        },
        "targets not shifted": [rounded(own_loss(model, story)) for story in stories],
        "one back, random tokens": [named(head, back) for head in ONE_BACK],
        "extra loss without one head": without_one(model, twice, stories),
        "sums": {task: say(model, tokens, SOLVED + task, 3) for task in SUMS},
    }


def without_one(model, twice, stories) -> dict[str, list[list[float]]]:
    """Return what each of the best induction heads costs alone, and each of `ONE_BACK`'s layer.

    For each head: the extra loss of the copies of the last five seeds, and of the stories.
    """

    def losses() -> torch.Tensor:
        copies = [losses_of(model, text)[0, text.shape[1] // 2 :].mean() for text in twice[5:]]
        return torch.stack([*copies, *(torch.tensor(loss_of(model, story)) for story in stories)])

    scores = torch.stack([share_behind_twin(look(model, text).weights) for text in twice[:5]])
    whole, found = losses(), {}
    beside = [(ONE_BACK[0][0], head) for head in range(model.architecture.heads)]
    for layer, head in [*best(scores.mean(0), 8), *beside]:
        with switched_off(model, [(layer, head)]):
            extra = [rounded(one) for one in losses() - whole]
        found[f"{layer}.{head}"] = [extra[:5], extra[5:]]
    return found


def shares(model, tokens, word: str, count: int = 1) -> list[float]:
    """Return what later queries give to each word in front of story 1, and to the next token."""
    text = torch.cat([*[tokens.encode(word)[:, :1]] * count, tokens.encode(STORIES[0])], dim=1)
    weights = look(model, text[:, :101]).weights[..., 20:, : count + 1]
    return [rounded(share) for share in weights.mean((0, 1, 2))]


def first_values(model, tokens, stories) -> dict:
    """Return by story what it costs if the first token has no values, or those of another word."""
    banana = look(model, tokens.encode(" banana")).values[12:, :, 0]
    return {
        what: [rounded(loss_of(changed, text) - loss_of(model, text)) for text in stories]
        for what, changed in (
            ("none", with_first_values(model, torch.zeros_like(banana))),
            ("banana's", with_first_values(model, banana)),
        )
    }


def other_windows(model, text) -> dict:
    """Return losses with a window of 128, and with one token of two open beside it.

    They are those behind the 200th token; "muted" is a model whose first token has no values.
    """
    a = model.architecture
    muted = with_first_values(model, torch.zeros(a.layers - 12, a.kv_heads, a.head_dim))
    places = torch.arange(text.shape[1])
    back = places[:, None] - places
    window = (back >= 0) & (back < 128)
    masks = {"everything": back >= 0, "window": window}
    masks |= {f"token {n}": window | ((places == n) & (back >= 0)) for n in (0, 1, 50)}
    losses = {name: masked(model, text, mask) for name, mask in masks.items()}
    losses |= {f"{name}, muted": masked(muted, text, mask) for name, mask in masks.items()}
    return {name: rounded(loss[BEHIND:].mean()) for name, loss in losses.items()}


def own_loss(model, text) -> torch.Tensor:
    """Return the loss with each token as its own target, as if targets were not shifted."""
    with torch.inference_mode():
        return F.cross_entropy(model(text)[0], text[0])


def memory(model, tokens) -> dict:
    """Return by wording and distance how many of ten numbers, told once, are said again."""
    filler = tokens.encode(" ".join(PROSE))
    found = {wording: dict.fromkeys(map(str, DISTANCES), 0) for wording in WORDINGS}
    for number in NUMBERS:
        caches, read = model.caches(), 0
        new = tokens.encode(f"The number of the room is {number}. Remember it.\n\n")
        for distance in DISTANCES:
            new = torch.cat([new, filler[:, read:distance]], dim=1)
            with torch.inference_mode():
                model.last_logits(new, caches)
            read, new = distance, new[:, :0]
            for wording in WORDINGS:
                asked = tokens.encode(f"\n\n{wording} ")
                answer = say_on(model, tokens, asked, copy.deepcopy(caches), 4)
                found[wording][str(distance)] += answer.startswith(str(number))
    return found


def say_on(model, tokens, ids: torch.Tensor, caches: list, count: int) -> str:
    """Return the likeliest tokens behind others, with caches."""
    said = []
    with torch.inference_mode():
        for _ in range(count):
            ids = model.last_logits(ids, caches).argmax(-1, keepdim=True)
            said.append(int(ids))
    return tokens.decode(said)


def elsewhere(model, tokens) -> dict | None:
    """Return the logits that `transformers` gives to the tokens of a story, from the same file."""
    if importlib.util.find_spec("transformers") is None:
        return None  # nothing else here needs that library: pip install transformers
    transformers = importlib.import_module("transformers")
    file, story = gguf_file(), tokens.encode(STORIES[0])
    reference = transformers.AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    with torch.inference_mode():
        logits = reference(story).logits[0, :-1].gather(1, story[0, 1:, None]).squeeze(1)
    return {"version": transformers.__version__, "logits": [rounded(one, 5) for one in logits]}


def rounded(number: float | torch.Tensor, digits: int = 3) -> float:
    return round(float(number), digits)


MEASURES: dict[str, Callable] = {
    measure.__name__: measure
    for measure in (sinks, induction, faults, windows, memory, elsewhere, one_by_one, controls)
}
