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
    "beam_step": (revives, "which shows first in what three steps of a beam search keep"),
}


def test_the_courses_own_parts_are_all_right():
    assert said().startswith("✓ Nothing at fault")
    own = {name: partial(getattr(COURSE, name)) for name in WRONG}
    assert said(**own).count(": right.") == len(own) + 1


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_part_is_named_and_no_other(name):
    part, where = WRONG[name]
    told = said(**{name: part})
    assert told.startswith(f"✗ At fault: {name}\n")
    assert f"`{name}`: wrong, {where}" in told
    assert "`MyTranslator`: right." in told


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
    assert said(Unfinished, greedy=keeps_the_state).startswith("✗ At fault: greedy, Unfinished")


def test_an_error_is_quoted_with_the_stage_that_it_stopped():
    def fails(*_):
        raise IndexError("too many indices")

    told = said(greedy=fails)
    assert "`greedy`: IndexError on the way to the words that greedy search writes" in told


def test_a_wrong_shape_is_told():
    def other_way(*given):
        losses, held_out = COURSE.train(*given)
        return losses.unsqueeze(0), held_out

    assert "`train`: wrong: shape (1, 3), and not (3,)" in said(train=other_way)
