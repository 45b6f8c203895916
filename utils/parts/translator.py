"""A translator made of five parts that can be exchanged, and which of them is at fault.

    parts = Parts(masked_encoder=masked_encoder)  # the other four are the course's
    find_fault(MyTranslator, parts)

In exercise 06 learners write the parts one by one, and put them together. A fault in one of them
seldom raises an error. So each is put among the course's parts in turn, all else being equal, and
what comes out is compared with what the course's own parts give: stage by stage, without training.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from utils.checks.feedback import BAD, GOOD, Note
from utils.checks.limits import OutOfTime, Printed, isolated_side_effects, time_limit
from utils.corpora import EOS, PAD, SOS
from utils.masks import masked_softmax, padding_mask

TOLERANCE = 1e-4
SECONDS = 10  # for one part, which needs less than one: longer is a loop without an end
WIDTH, ENGLISH, FRENCH, BEAM, SEED = 6, 11, 13, 3, 21  # of the small translator that is tried
NOT_WRITTEN = "not written yet"
RIGHT = "gives what the course's gives here"
STAGES = {
    "states": "the encoder's states",
    "encoder's mask": "the mask that the encoder returns",
    "mask": "the mask of the source",
    "start": "the decoder's first state",
    "scores": "the scores of one step, in a batch with padding",
    "weights": "the attention weights of one step",
    "state": "the new state of one step",
    "logits": "the scores of a whole batch, told the right words",
    "written": "the words that greedy search writes",
    "lengths": "the number of words that greedy search counts",
    "beams": "what four steps of a beam search keep",
    "losses": "the losses of three training steps",
    "held out": "the held-out losses after each of them",
    "trained": "the weights after training",
}


def _encode(embedded, lengths, w_forward, w_backward, bias):
    mask = padding_mask(lengths, embedded.shape[1])  # (batch, 1, src_len)
    there = mask.squeeze(1).unsqueeze(-1)  # (batch, src_len, 1)
    states = []
    for matrix, order in ((w_forward, 1), (w_backward, -1)):
        state, own = embedded.new_zeros(len(embedded), len(bias)), {}
        for place in range(embedded.shape[1])[::order]:
            inputs = torch.cat([embedded[:, place], state], dim=-1)
            state = torch.where(there[:, place], (inputs @ matrix + bias).tanh(), 0.0)
            own[place] = state
        states.append(torch.stack([own[place] for place in sorted(own)], dim=1))
    return torch.cat(states, dim=-1), mask


def _step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = torch.einsum("bd, dm, bsm -> bs", state, w_score, memory)
    weights = masked_softmax(scores, mask)
    context = torch.einsum("bs, bsm -> bm", weights, memory)
    state = F.linear(torch.cat([embedded, context, state], dim=-1), w_state.T).tanh()
    return (
        context,
        weights,
        state,
        F.linear(torch.cat([context, state], dim=-1), w_readout.T).tanh(),
    )


def _loss(model, target, given):
    labels = target[:, 1:]  # (batch, tgt_len)
    return F.cross_entropy(model(target[:, :-1], given)[labels != PAD], labels[labels != PAD])


def _train(model, optimizer, batches, held_out):
    pairs = []
    for batch in batches:
        optimizer.zero_grad()
        loss = _loss(model.train(), *batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        with torch.no_grad():
            pairs.append((loss.detach(), _loss(model.eval(), *held_out)))
    losses, validation = zip(*pairs, strict=True)
    return torch.stack(losses), torch.stack(validation)


def _greedy(step, state, limit):
    last, columns = torch.full((len(state),), SOS), []
    for _ in range(limit):
        scores, state = step(last, state)
        last = scores.argmax(-1)  # (batch,)
        columns.append(last)
    ids = torch.stack(columns, dim=1)  # (batch, limit)
    open_ones = (ids == EOS).cumsum(1) == 0
    return ids * open_ones, open_ones.sum(1)


def _continue(scores, log_probs, finished):
    ended = log_probs.new_full(log_probs.shape[1:], -math.inf)
    ended[EOS] = 0.0
    totals = scores.unsqueeze(1) + torch.where(finished.unsqueeze(1), ended, log_probs)
    best, places = totals.flatten().topk(len(scores))
    return best, places // log_probs.shape[1], places % log_probs.shape[1]


@dataclass(frozen=True)
class Parts:
    """The five parts of a translator. A part that is not given is the course's own.

    Each does what exercises 1, 3, 4, 5 and 6 of notebook 06 ask for.
    """

    masked_encoder: Callable = _encode
    decoder_step: Callable = _step
    train: Callable = _train
    greedy: Callable = _greedy
    beam_step: Callable = _continue


class Assembled(nn.Module):
    """The course's own assembly, with the parameters of the learner's."""

    def __init__(self, english: Sequence, french: Sequence, parts: Parts, dim: int = 64):
        super().__init__()
        self.parts = parts
        generator = torch.Generator().manual_seed(0)
        for name, (rows, columns) in {
            "english_vectors": (len(english), dim),
            "french_vectors": (len(french), dim),
            "w_forward": (2 * dim, dim),
            "w_backward": (2 * dim, dim),
            "w_start": (2 * dim, 2 * dim),
            "w_score": (2 * dim, 2 * dim),
            "w_state": (5 * dim, 2 * dim),
            "w_readout": (4 * dim, dim),
            "bias": (1, dim),
            "word_bias": (1, len(french)),
        }.items():
            values = torch.randn(rows, columns, generator=generator) / columns**0.5
            setattr(self, name, nn.Parameter(values.squeeze(0)))

    def encode(self, source, lengths):
        memory, mask = self.parts.masked_encoder(
            self.english_vectors[source], lengths, self.w_forward, self.w_backward, self.bias
        )
        mean = memory.sum(1) / lengths.unsqueeze(1)  # (batch, 2 * dim)
        return memory, mask.squeeze(1), (mean @ self.w_start).tanh()

    def step(self, words, state, memory, mask):
        matrices = self.w_score, self.w_state, self.w_readout
        embedded = self.french_vectors[words]  # (batch, dim)
        _, weights, state, readout = self.parts.decoder_step(
            embedded, state, memory, mask, *matrices
        )
        return readout @ self.french_vectors.T + self.word_bias, weights, state

    def forward(self, read, given):
        memory, mask, state = self.encode(*given)
        rows = []
        for words in read.unbind(1):
            scores, _, state = self.step(words, state, memory, mask)
            rows.append(scores)
        return torch.stack(rows, dim=1)


class DoubledInTraining(nn.Module):
    """A model whose scores are doubled in training mode: like dropout it tells the modes apart."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, read, given):
        scores = self.model(read, given)
        return 2 * scores if self.training else scores


def find_fault(assembly: type[nn.Module], parts: Parts) -> Note:
    """Put each part, and the assembly, beside the course's own parts; say which is at fault.

    Args:
        assembly: a class that is made with two vocabularies, the parts and a width, and has
            `encode`, `step` and `forward`.
        parts: the parts that it is to be made of.
    """
    with isolated_side_effects(Printed()):
        expected = dict(_stages(Assembled, Parts()))
        faults = {
            part.name: _fault_of(Assembled, Parts(**{part.name: given}), expected)
            for part in fields(Parts)
            if (given := getattr(parts, part.name)) is not part.default
        }
        faults[assembly.__name__] = _fault_of(assembly, Parts(), expected)
    lines = [f"`{name}`: {fault or RIGHT}." for name, fault in faults.items()]
    own = [part.name for part in fields(Parts) if part.name not in faults]
    if own:
        lines.append(f"The course's own: {', '.join(f'`{name}`' for name in own)}.")
    wrong = [name for name, fault in faults.items() if fault]
    if not wrong:
        return Note("✓ No fault found: train it", lines, GOOD)
    lines.append("Mend what is at fault: run its cell again, then those from `Parts` to this one.")
    if exchangeable := [f"`{name}`" for name in wrong if name != assembly.__name__]:
        without = ", ".join(exchangeable)
        lines.append(
            "The check of its task says more. Until then you can leave "
            f"{without} out of `Parts`, and have the course's."
        )
    return Note(f"✗ At fault: {', '.join(wrong)}", lines, BAD)


def _fault_of(assembly: type[nn.Module], parts: Parts, expected: dict[str, Any]) -> str:
    """Return what is wrong first with what comes out, or "" if nothing is."""
    seen = set()
    try:
        # The end of the time may strike where gradients are off, and must not leave them so.
        with torch.enable_grad(), time_limit(SECONDS):
            for stage, actual in _stages(assembly, parts):
                if fault := _difference(stage, actual, expected[stage]):
                    return fault
                seen.add(stage)
    except OutOfTime:
        after = next(stage for stage in STAGES if stage not in seen)
        return f"still running after {SECONDS} seconds, on the way to {STAGES[after]}"
    except Exception as error:
        if "ellipsis" in str(error) or "NoneType" in str(error):
            return NOT_WRITTEN
        first_line = str(error).partition("\n")[0]
        after = next(stage for stage in STAGES if stage not in seen)
        return f"{type(error).__name__} on the way to {STAGES[after]}: {first_line}"
    return ""


def _difference(stage: str, actual: Any, expected: Tensor) -> str:
    if actual is ... or actual is None:
        return NOT_WRITTEN
    if not isinstance(actual, Tensor):
        return f"wrong: no tensor for {STAGES[stage]}, but {type(actual).__name__}"
    if actual.shape != expected.shape:
        shapes = tuple(expected.shape), tuple(actual.shape)
        return f"wrong: shape {shapes[1]}, and not {shapes[0]}, of {STAGES[stage]}"
    if not torch.allclose(actual.double(), expected.double(), atol=TOLERANCE):
        return f"wrong, which shows first in {STAGES[stage]}"
    return ""


def _stages(assembly: type[nn.Module], parts: Parts) -> Iterator[tuple[str, Any]]:
    """Yield what each stage of a small translator gives, with fixed weights, in `STAGES`' order."""
    torch.default_generator.manual_seed(0)
    model = assembly(range(ENGLISH), range(FRENCH), parts, WIDTH)
    model.load_state_dict(Assembled(range(ENGLISH), range(FRENCH), parts, WIDTH).state_dict())
    source = torch.tensor([[4, 5, 6, 7], [8, 9, PAD, PAD], [10, 4, 5, PAD]])
    given = source, torch.tensor([4, 2, 3])
    target = torch.tensor([[SOS, 4, 5, 6, EOS], [SOS, 7, EOS, PAD, PAD], [SOS, 8, 9, EOS, PAD]])
    memory, mask, state = model.encode(*given)
    yield "states", memory
    vectors, matrices = model.english_vectors[source], (model.w_forward, model.w_backward)
    yield "encoder's mask", parts.masked_encoder(vectors, given[1], *matrices, model.bias)[1]
    yield from {"mask": mask, "start": state}.items()
    scores, weights, after = model.step(torch.tensor([SOS, 4, 7]), state, memory, mask)
    yield from {"scores": scores, "weights": weights, "state": after}.items()
    yield "logits", model(target[:, :-1], given)

    # What training would teach, noise does here: sentences end, each at another place.
    rows, generator = torch.arange(len(source)), torch.Generator().manual_seed(SEED)
    bonus = 3 * torch.randn(len(source), FRENCH, FRENCH, generator=generator)
    bonus[:, :, [PAD, SOS]] = -50.0  # never written

    def next_scores(words, state):
        scores, _, state = model.step(words, state, memory, mask)
        return scores + bonus[rows, words], state

    with torch.no_grad():
        ids, lengths = parts.greedy(next_scores, state, 8)
        yield from {"written": ids, "lengths": lengths}.items()
        yield "beams", _beams(model.step, parts.beam_step, memory, mask, state, bonus[0])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    doubled = DoubledInTraining(model)
    losses, held_out = parts.train(doubled, optimizer, [(target, given)] * 3, (target, given))
    yield from {"losses": losses, "held out": held_out}.items()
    trained = [values.flatten() for _, values in sorted(model.named_parameters())]
    yield "trained", torch.cat(trained).detach()


def _beams(step, beam_step, memory, mask, state, bonus) -> Tensor:
    """Return scores, parents and words of a few steps of a beam search for the first sentence."""
    memory, mask, state = (each[:1].repeat_interleave(BEAM, 0) for each in (memory, mask, state))
    scores = torch.tensor([0.0, *[-math.inf] * (BEAM - 1)])
    words, finished, kept = torch.full((BEAM,), SOS), torch.zeros(BEAM, dtype=torch.bool), []
    for _ in range(4):
        logits, _, state = step(words, state, memory, mask)
        log_probs = (logits + bonus[words]).log_softmax(-1)  # (beam, vocab)
        scores, parents, words = beam_step(scores, log_probs, finished)
        state, finished = state[parents], finished[parents] | (words == EOS)
        kept.append(torch.stack([scores, parents, words]))
    return torch.stack(kept)  # (steps, 3, beam)
