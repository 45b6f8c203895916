"""Parts of a small language model: the course's, and a look at a learner's.

    Block, draw = CourseBlock, course_next_word
    examine(DecoderBlock=Block, next_word=draw, …)

Each of the course's parts can stand in for a learner's of the same name.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import zip_longest
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from utils.checks.limits import OutOfTime, time_limit
from utils.masks import causal_mask
from utils.positions import sinusoidal_positions
from utils.transformer import DecoderBlock

SAMPLE = "the cat sat on the mat, and the hat sat on the cat. " * 4  # 208 characters
MIXED = "Then 3 cats, at 10:45, sat down.\n\n\tWho said “NO!”?  Nobody.\nThe cats sat on.\n" * 2
PIECE = 4_000  # characters of the learner's own text from which tokenisers are made
NEAR = 1e-4  # differences below it are rounding
SECONDS = 10  # for one part, which needs less than one: longer is a loop without an end
NOT_YET = "not written yet"
PLACES = 512  # the most tokens that the exercise's model has positions for


class CourseBlock(DecoderBlock):
    """The course's decoder block, called as in the exercise: its causal mask is inside.

    `norms` are in the order of the layers: self-attention, cross-attention, feed-forward.
    """

    def __init__(self, dim: int, heads: int, hidden: int):
        super().__init__(dim, heads, hidden)

    def forward(self, x: Tensor, source: Tensor, source_mask: Tensor) -> Tensor:
        """Return the states (batch, tgt_len, dim) after the block."""
        y, mask = self.norms[0](x), causal_mask(x.shape[1], x.device)
        x = x + self.look(y, mask)
        x = x + self.cross(self.norms[1](x), source, mask=source_mask, return_weights=None)[0]
        return x + self.feed_forward(self.norms[2](x))


class CourseModel(nn.Module):
    """The exercise's language model, put together of the course's blocks, under the same names.

    Args:
        tokens, dim, heads, layers: as in the exercise.
        hidden: hidden units of the feed-forward networks.
    """

    def __init__(self, tokens: int, dim: int, heads: int, layers: int, hidden: int):
        super().__init__()
        self.heads = heads
        self.embedding = nn.Embedding(tokens, dim)
        self.blocks = nn.ModuleList(CourseBlock(dim, heads, hidden) for _ in range(layers))
        self.norm = nn.LayerNorm(dim)
        self.register_buffer("places", sinusoidal_positions(PLACES, dim))

    def nothing(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return a source of one place, and the mask that closes it."""
        return x.new_zeros(len(x), 1, x.shape[2]), torch.zeros(len(x), 1, 1, dtype=torch.bool)

    def stages(self, ids: Tensor) -> Iterator[Tensor]:
        """Yield what each part makes of ids (batch, len): embedding, blocks, and the logits."""
        places = self.places[: ids.shape[1]]  # (len, dim)
        x = self.embedding(ids) * self.places.shape[1] ** 0.5 + places  # (batch, len, dim)
        yield x
        for block in self.blocks:
            x = block(x, *self.nothing(x))
            yield x
        yield self.norm(x) @ self.embedding.weight.T  # (batch, len, tokens)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits of the next token, (batch, len, tokens), after each of `ids`."""
        *_, logits = self.stages(ids)
        return logits


def course_next_word(
    logits: Tensor, temperature: float, k: int, uniform: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the probabilities among the `k` likeliest words, and the word at `uniform`."""
    best = (logits / temperature).topk(k)
    chances = torch.zeros_like(logits).scatter(-1, best.indices, best.values.softmax(-1))
    word = torch.searchsorted(chances.cumsum(-1), uniform.unsqueeze(-1), right=True).squeeze(-1)
    return chances, word.clamp(max=logits.shape[-1] - 1)


def yardsticks(text: str, held_out: str) -> dict[str, float]:
    """Return bits per character of a held-out text, as simpler models and compressors need them.

    A bigram model knows one character before, a trigram model two. A compressor's bits are those
    by which the compressed text grows if the held-out text is put behind it.
    """
    compressors = {"gzip": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}
    before, both = text.encode(), (text + held_out).encode()
    return {
        "bigram": _by_counting(text, held_out, 1),
        "trigram": _by_counting(text, held_out, 2),
        **{
            name: 8 * (len(compress(both)) - len(compress(before))) / len(held_out)
            for name, compress in compressors.items()
        },
    }


def _by_counting(text: str, held_out: str, known: int) -> float:
    """Return bits per character of a model that counts what follows `known` characters."""
    size = len({*text, *held_out})
    together = Counter(text[place - known : place + 1] for place in range(known, len(text)))
    contexts = Counter(text[place - known : place] for place in range(known, len(text)))
    bits, extra = 0.0, 0.03  # so that nothing has a probability of 0
    for place in range(known, len(held_out)):
        before, piece = held_out[place - known : place], held_out[place - known : place + 1]
        bits -= math.log2((together[piece] + extra) / (contexts[before] + extra * size))
    return bits / (len(held_out) - known)


def what_is_lost(tokens: Any, text: str, unseen: str) -> str:
    """Return where `decode(encode(unseen))` first differs from `unseen`; "" if it gives it back.

    A tokeniser that loses characters, capitals or line breaks makes a text easier to predict, so
    that its bits per character are too low.

    Args:
        tokens: a tokeniser, made from `text`, with `encode` and `decode`.
        text: the text to learn from. A character that it does not have is to come back as a space.
        unseen: the text to encode.
    """
    met = {*text}
    expected = "".join(character if character in met else " " for character in unseen)
    actual = tokens.decode(tokens.encode(unseen))
    if actual == expected:
        return ""
    pairs = enumerate(zip_longest(actual, expected))
    same = next(place for place, (one, other) in pairs if one != other)
    near = slice(max(0, same - 10), same + 10)
    return (
        f"decode(encode(text)) does not give the text back: {unseen[near]!r} becomes "
        f"{actual[near]!r}, and should become {expected[near]!r}"
    )


def examine(text: str = MIXED, **parts: Any) -> None:
    """Print for each part of a language model whether it works, and what it does instead.

    Each part is tried beside parts of the course, so that a fault is found where it is.

    Args:
        text: a text that the tokenisers have to give back, besides two of the course.
        parts: by these names, all or some: `DecoderBlock`, `next_word`, `Characters`,
            `join`, `BytePairs`, `LanguageModel`, `learn`, `write`.
    """
    for name, look in _LOOKS.items():
        if name in parts:
            print(f"{name:13} {_verdict(look, SimpleNamespace(text=text, **parts))}")


def _verdict(look: Callable, parts: SimpleNamespace) -> str:
    state = torch.get_rng_state()
    torch.manual_seed(0)
    try:
        # The end of the time may strike where gradients are off, and must not leave them so.
        with torch.enable_grad(), time_limit(SECONDS):
            complaint = look(parts)
    except OutOfTime:
        complaint = f"still running after {SECONDS} seconds: is there a loop that never ends?"
    except Exception as error:
        stub = "ellipsis" in str(error) or "NoneType" in str(error)
        complaint = (
            NOT_YET
            if stub
            else f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        )
    finally:
        torch.set_rng_state(state)
    return f"✗ {complaint}" if complaint else "✓"


def _block(parts) -> str | None:
    mine, ours = parts.DecoderBlock(16, 2, 32), CourseBlock(16, 2, 32)
    for parameter in mine.parameters():  # new norms are all alike, and so could be exchanged
        nn.init.normal_(parameter, std=0.3)
    ours.load_state_dict(mine.state_dict())
    x, source, mask = torch.randn(2, 6, 16), torch.randn(2, 3, 16), torch.ones(2, 1, 3) > 0
    mask[1, :, 2] = False
    other = x.clone()
    other[:, 4] = torch.randn(2, 16)
    given = x.clone(), source.clone(), mask.clone()
    with torch.no_grad():
        out, expected = mine(*given), ours(x, source, mask)
        if out is None:
            return NOT_YET
        out = out.clone()  # it may be the tensor that was given
        changed = mine(other.clone(), source.clone(), mask.clone()) - out
    if changed[:, :4].abs().max() > NEAR:
        return "a change of word 5 changes what comes out for words 1 to 4: the future is open"
    if (out - expected).abs().max() > NEAR:
        return "with the same weights, the course's block gives other states; its check says more"
    if not all(map(torch.equal, given, (x, source, mask))):
        return "what comes out is right, but it overwrites what it is given, as `x += …` does"
    return None


def _next_word(parts) -> str | None:
    logits, uniform = torch.randn(50, 9), torch.rand(50)
    logits[:, 0], uniform[0] = -9.0, 0.0  # word 0 has no chance, and its piece no length
    found = parts.next_word(logits, 0.7, 4, uniform)
    if found is None:
        return NOT_YET
    chances, word = found
    if chances.shape == uniform.shape and word.shape == logits.shape:
        return "the word comes first and the chances second: the other way round is asked for"
    for name, tensor, like in (("chances", chances, logits), ("word", word, uniform)):
        if tensor.shape != like.shape:
            return f"the shape of `{name}` is {tuple(tensor.shape)}, and not {tuple(like.shape)}"
    expected, drawn = course_next_word(logits, 0.7, 4, uniform)
    if (chances.sum(-1) - 1).abs().max() > NEAR:
        return f"the chances of a row sum to {chances[0].sum():.2f}"
    if (chances - expected).abs().max() > NEAR:
        return "the chances are not those of the 4 likeliest words at temperature 0.7"
    if (word != drawn)[1:].any():
        return "the chances are right, and the word drawn is not the one at the uniform number"
    if word[0] != drawn[0]:
        return "a uniform number of 0 draws a word without a chance: a piece includes its left end"
    return None


def _characters(parts) -> str | None:
    made = parts.Characters(SAMPLE)
    ids = made.encode(SAMPLE)
    if ids is None or made.decode(ids) is None:
        return NOT_YET
    if lost := _lost_by(parts.Characters, SAMPLE, MIXED, parts.text):
        return lost
    if len(ids) != len(SAMPLE):
        return f"{len(SAMPLE)} characters become {len(ids)} tokens"
    return None


def _lost_by(tokeniser: Callable, *texts: str) -> str:
    """Return what a tokeniser loses of the texts, and of characters that it has not met."""
    for text in texts:
        learned = text[:PIECE]
        if lost := what_is_lost(tokeniser(learned), learned, text[: 2 * PIECE] + " a☃b ☃ c"):
            return lost
    return ""


def _join(parts) -> str | None:
    for tokens, pair, expected in (
        (["a", "b", "c", "a", "b"], ("a", "b"), ["ab", "c", "ab"]),
        (["a", "a", "a"], ("a", "a"), ["aa", "a"]),
        (["b", "a"], ("a", "b"), ["b", "a"]),
    ):
        given = [*tokens]
        found = parts.join(given, pair)
        if found is None:
            return NOT_YET
        if list(found) != expected:
            return f"join({tokens}, {pair}) is {list(found)}, and should be {expected}"
        if given != tokens:
            return "the list that is passed in is changed"
    return None


def _byte_pairs(parts) -> str | None:
    text = "low low low low low low low newest newest widest widest"
    if _join(parts):
        return "cannot be tried as long as `join` is not right"
    made = parts.BytePairs(text, 4)
    if None in made.pairs:
        return NOT_YET
    if isinstance(made.pairs[0], str):
        return f"`commonest` returns {made.pairs[0]!r}, and should return a tuple of two tokens"
    pairs, expected = list(map(tuple, made.pairs)), [("o", "w"), ("l", "ow")]
    if pairs[:2] != expected:
        tie = ": of pairs that are equally common, the last in the order of Python comes first"
        often = ": in a word that stands in the text seven times, a pair counts seven times"
        rule = {("l", "o"): tie, ("s", "t"): often}.get(pairs[0], "")
        return f"the first two pairs are {pairs[:2]}, and should be {expected}{rule}"
    if lost := _lost_by(lambda text: parts.BytePairs(text, 4), text, MIXED, parts.text):
        return lost
    if len(made.encode(text)) >= len(text) - 15:
        return f"{len(text)} characters become {len(made.encode(text))} tokens: too many"
    return None


def _language_model(parts) -> str | None:
    model = parts.LanguageModel(11, CourseBlock, dim=16, heads=2)
    ids = torch.randint(11, (2, 8))
    with torch.no_grad():
        logits = model(ids)
        if logits is None:
            return NOT_YET
        if logits.shape != (2, 8, 11):
            return f"the logits are {tuple(logits.shape)}, and should be (batch, len, tokens)"
        other = ids.clone()
        other[:, 5] = (ids[:, 5] + 1) % 11
        changed = (model(other) - logits).abs().amax((0, 2)) > NEAR
        if changed[:5].any():
            return "a change of token 6 changes logits before it: the future is open"
        if not changed[6:].any():
            return "a change of token 6 changes nothing after it: does `forward` run the blocks?"
        states = model.embed(ids)
        for block in model.blocks:
            states = block(states, *model.nothing(states))
        expected = model.norm(states) @ model.embedding.weight.T
        model.places.zero_()
        if (model(ids) - logits).abs().max() < NEAR:
            return "the logits do not depend on the positions: does `forward` call `embed`?"
    if (logits.sum(-1) - 1).abs().max() < NEAR:
        return "each row sums to 1: chances, not logits. The loss takes the softmax itself"
    if (states @ model.embedding.weight.T - logits).abs().max() < NEAR:
        return "the last norm is missing"
    if (logits - expected).abs().max() > NEAR:
        return (
            "`embed`, each block on what the one before has made, the norm and the product with "
            "the embeddings give other logits"
        )
    return None


def _learn(parts) -> str | None:
    class Bigrams(nn.Module):  # sees one token, so that its loss tells which target it was given
        def __init__(self):
            super().__init__()
            self.table = nn.Parameter(torch.zeros(4, 4))
            self.counted, self.piled_up = torch.ones(1), False

        def forward(self, ids):
            logits = self.table[ids]  # (batch, len, 4)
            if logits.requires_grad:
                logits.register_hook(self.note)
            return logits

        def note(self, gradient):
            self.counted = gradient.abs().sum((0, 2)) > 0  # (len,), whether the loss depends on it
            old = self.table.grad  # what `backward` is about to add to
            self.piled_up = self.piled_up or (old is not None and bool(old.any()))

    ids, model = torch.arange(400) % 4, Bigrams()  # after each token comes the next one of 4
    with _silence():
        parts.learn(model, ids, steps=60, length=15, batch=4, peak=0.1)
    table = model.table.detach()
    if not table.abs().max() > 0:
        return NOT_YET
    if model.piled_up:
        return "gradients of earlier steps are added to the new ones: is `zero_grad` called?"
    log = table.log_softmax(-1)
    lost = [-log.roll(-ahead, 1).diagonal().mean().item() for ahead in range(4)]
    ahead = lost.index(min(lost))
    if ahead != 1 and lost[ahead] < 0.5:
        told = {0: "the token itself", 2: "the one after the next", 3: "the one before it"}[ahead]
        return f"the model learns to say {told}, not the next one: look at the shift"
    if lost[1] > 0.5:
        return f"60 steps leave a loss of {lost[1]:.2f} on a text that counts 0 1 2 3 0 1 2 3 …"
    if not model.counted.all():
        return (
            f"what is predicted after {int(model.counted.sum())} of {len(model.counted)} tokens "
            "counts in the loss, and it should after each"
        )
    return None


def _write(parts) -> str | None:
    if _language_model(parts) or _characters(parts):
        return "cannot be tried as long as `LanguageModel` or `Characters` is not right"
    tokens = parts.Characters(SAMPLE)
    model = parts.LanguageModel(len(tokens.tokens), CourseBlock, dim=16, heads=2)
    start, calls = tokens.encode("the cat").tolist(), []

    def draw(logits, temperature, k, uniform):  # whatever the logits, the next id in turn
        calls.append((logits, temperature, k, float(uniform)))
        return logits.softmax(-1), torch.tensor([len(calls) % len(tokens.tokens)])

    text = parts.write(model, tokens, "the cat", 12, 0.7, 5, draw)
    if text is None:
        return NOT_YET
    if not calls:
        return "no token is drawn by the function that is passed in as `draw`"
    drawn = [number % len(tokens.tokens) for number in range(1, 13)]
    expected = "the cat" + tokens.decode(drawn)
    if text != expected:
        return f"'the cat' and the 12 characters drawn become {text!r}, and should be {expected!r}"
    for number, (logits, temperature, k, _) in enumerate(calls[:12]):
        with torch.no_grad():
            at_once = model(torch.tensor([start + drawn[:number]]))[0, -1]
        if (logits[0] - at_once).abs().max() > NEAR:
            return (
                f"new token {number + 1} is drawn from other logits than the model has for the "
                "whole text before it: is each token read once, in its place, into one cache?"
            )
        if (temperature, k) != (0.7, 5):
            return f"`draw` is told {temperature} and {k}: not the temperature and the k passed in"
    thrown = [uniform for *_, uniform in calls]
    if len({*thrown}) < 12:
        return "the same uniform number is thrown again: `dice` is made once, and used each time"
    calls.clear()
    parts.write(model, tokens, "the cat", 12, 0.7, 5, draw)
    if [uniform for *_, uniform in calls] != thrown:
        return "another run throws other uniform numbers: they do not come from `dice`"
    return None


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        yield


_LOOKS = {
    "DecoderBlock": _block,
    "next_word": _next_word,
    "Characters": _characters,
    "join": _join,
    "BytePairs": _byte_pairs,
    "LanguageModel": _language_model,
    "learn": _learn,
    "write": _write,
}
