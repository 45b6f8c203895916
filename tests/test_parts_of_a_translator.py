"""Which part of a translator is at fault: each is found, alone or among others."""

from functools import partial

import pytest
import torch

from utils.parts import translator
from utils.parts.translator import Parts, find_fault

COURSE = Parts()


class MyTranslator(translator.Assembled):
    """A learner's assembly, right in all; its parameters were made in another order."""

    def __init__(self, *given):
        super().__init__(*given)
        bias = self.bias
        del self.bias
        self.bias = bias


def said(part_or_class=MyTranslator, **parts):
    return repr(find_fault(part_or_class, Parts(**parts)))


def reads_padding(embedded, lengths, *matrices):
    return COURSE.masked_encoder(embedded, torch.full_like(lengths, embedded.shape[1]), *matrices)


def looks_at_padding(embedded, state, memory, mask, *matrices):
    return COURSE.decoder_step(embedded, state, memory, torch.ones_like(mask), *matrices)


def mask_without_an_axis(*given):
    states, mask = COURSE.masked_encoder(*given)
    return states, mask.squeeze(1)


def always_in_training_mode(model, *given):
    model.eval = model.train
    return COURSE.train(model, *given)


def never_in_training_mode(model, *given):
    model.train = lambda mode=True: model
    model.training = False
    return COURSE.train(model, *given)


def never_clips(model, optimizer, batches, held_out):
    losses = []
    for batch in batches:
        loss = translator._loss(model, *batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append((loss.detach(), translator._loss(model, *held_out).detach()))
    return tuple(map(torch.stack, zip(*losses, strict=True)))


def keeps_the_state(step, state, limit):
    return COURSE.greedy(lambda words, _: step(words, state), state, limit)


def revives(scores, log_probs, finished):
    return COURSE.beam_step(scores, log_probs, torch.zeros_like(finished))


def unwritten(*_):
    return ...


WRONG = {
    "masked_encoder": (reads_padding, "which shows first in the encoder's states"),
    "decoder_step": (looks_at_padding, "which shows first in the scores of one step"),
    "train": (never_clips, "which shows first in the losses of three training steps"),
    "greedy": (keeps_the_state, "which shows first in the words that greedy search writes"),
    "beam_step": (revives, "which shows first in what four steps of a beam search keep"),
}


def test_the_courses_own_parts_are_all_right():
    assert said().startswith("✓ No fault found")
    own = {name: partial(getattr(COURSE, name)) for name in WRONG}
    assert said(**own).count(": gives what the course's gives here.") == len(own) + 1


@pytest.mark.parametrize(
    ("name", "part", "where"),
    [
        *((name, *rest) for name, rest in WRONG.items()),
        ("masked_encoder", mask_without_an_axis, "shape (3, 4), and not (3, 1, 4), of the mask"),
        ("train", always_in_training_mode, "which shows first in the held-out losses"),
        ("train", never_in_training_mode, "which shows first in the losses of three"),
    ],
)
def test_a_wrong_part_is_named_and_no_other(name, part, where):
    told = said(**{name: part})
    assert told.startswith(f"✗ At fault: {name}\n")
    assert f"`{name}`: wrong" in told
    assert where in told
    assert "`MyTranslator`: gives what the course's gives here." in told
    assert f"The check of its task says more. Until then you can leave `{name}` out" in told


def test_several_wrong_parts_are_all_named():
    told = said(**{name: part for name, (part, _) in WRONG.items()})
    assert told.startswith(f"✗ At fault: {', '.join(WRONG)}\n")


@pytest.mark.parametrize("name", WRONG)
def test_a_part_that_is_not_written_is_called_so(name):
    assert f"`{name}`: not written yet." in said(**{name: unwritten})


def test_the_assembly_is_a_part_like_the_others():
    class Untold(MyTranslator):
        def forward(self, read, given):
            return super().forward(read.roll(1, 1), given)

    class Unfinished(MyTranslator):
        def encode(self, source, lengths):
            _, _ = ...

    told = "wrong, which shows first in the scores of a whole batch"
    assert f"`Untold`: {told}" in said(Untold)
    assert "`Unfinished`: not written yet." in said(Unfinished)
    assert "out of `Parts`" not in said(Unfinished)  # it is no part: no other takes its place
    both = said(Unfinished, greedy=keeps_the_state)
    assert both.startswith("✗ At fault: greedy, Unfinished")
    assert "you can leave `greedy` out of `Parts`" in both


def test_an_error_is_quoted_with_the_stage_that_it_stopped():
    def fails(*_):
        raise IndexError("too many indices")

    told = said(greedy=fails)
    assert "`greedy`: IndexError on the way to the words that greedy search writes" in told


def test_a_search_without_an_end_is_stopped(monkeypatch):
    def endless(step, state, limit):
        while True:
            _, state = step(torch.zeros(len(state), dtype=torch.long), state)

    monkeypatch.setattr(translator, "SECONDS", 1)
    told = said(greedy=endless)
    assert told.startswith("✗ At fault: greedy\n")
    assert "still running after 1 seconds, on the way to the words that greedy search" in told


def test_a_wrong_shape_is_told():
    def other_way(*given):
        losses, held_out = COURSE.train(*given)
        return losses.unsqueeze(0), held_out

    assert "`train`: wrong: shape (1, 3), and not (3,)" in said(train=other_way)
