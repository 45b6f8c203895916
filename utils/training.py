"""The training loop: a fixed number of steps, watched, interruptible, and resumed to the letter.

trainer = Trainer(model, batches, validation, steps=1500)
trainer.fit()          # Ctrl-C (or the stop button of a notebook) stops it after the step
trainer.fit()          # and this goes on, to the same result as if nothing had happened
"""

import math
import os
import signal
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from utils.corpora import UNK, Batch, Batches
from utils.metrics import teacher_forced_perplexity
from utils.seq2seq import Seq2Seq


def one_cycle(step: int, steps: int, peak: float, warmup: float) -> float:
    """The learning rate of a step: up to the peak on a line, and down to 0 on a cosine.

    A function of the step and of nothing else, so there is no schedule to save and restore.
    Source: Smith and Topin 2018, in the form of Loshchilov and Hutter 2017, equation 5.

    Args:
        step: from 0 to steps - 1.
        steps: length of the whole training.
        peak: the largest rate.
        warmup: share of the steps that lead up to it.
    """
    rising = max(1, round(warmup * steps))
    if step < rising:
        return peak * (step + 1) / rising
    return peak * (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2


def hide_copies(batch: Batch, share: float) -> Batch:
    """Make some of the words that are spelled alike on both sides `<unk>`, on both sides.

    A word in the source and in the target is most likely a name or a number. A model that has read
    such words as unknown, and learnt to answer with `<unk>`, can be given names and numbers that it
    has never seen: `translate` puts the source word in the place of the `<unk>`.
    Source: Luong, Sutskever et al. 2015, section 3.1, which marks copied words so.

    Args:
        batch: pairs as tensors.
        share: how many of these words are hidden.
    """
    source, target = batch.source.clone(), batch.target.clone()
    for row, pair in enumerate(batch.pairs):
        alike = {word for word in pair.source if word in pair.target and word[0].isalnum()}
        for word in sorted(alike):  # in an order that is the same in every process
            if torch.rand(()) < share:
                source[row, : len(pair.source)][[w == word for w in pair.source]] = UNK
                target[row, 1 : len(pair.target) + 1][[w == word for w in pair.target]] = UNK
    return replace(batch, source=source, target=target)


class Trainer:
    """Trains a model for a fixed number of steps; the weights with the best validation are kept.

    Everything that a step depends on (weights, optimiser, place in the data, random numbers) is
    held by the trainer, so a training that was interrupted, or saved and loaded in another process,
    ends where an uninterrupted one does. The random numbers of others are left alone.

    Args:
        model: trained in place.
        batches: the training pairs, shuffled anew for each epoch.
        validation: pairs to choose the best weights by; without them the last ones are kept.
        steps: the budget, in batches.
        learning_rate: the peak of the one-cycle schedule, for Adam.
        warmup: share of the steps that lead up to the peak.
        label_smoothing: share of the probability that the goal spreads over all words.
            Source: Szegedy et al. 2016, section 7.
        teacher_forcing: share of the steps at which the decoder reads the gold word before.
        copies_hidden: share of the words spelled alike on both sides that are made `<unk>`, anew in
            each epoch, so that the model learns to copy: see `hide_copies`.
        clip: gradients longer than this are shortened to it. Source: Pascanu et al. 2013.
        validate_every: steps between validations; an epoch where not given. The last step always
            validates.
        checkpoint: file to save to at each validation, at an interruption and at the end.
        progress: whether to show a bar (a widget in notebooks, elsewhere on stderr).
        seed: fixes order of the batches and dropout.

    Attributes:
        step: number of steps taken.
        losses: the training loss of every step, the mean over its target tokens.
        validations: (step, teacher-forced perplexity) of every validation.
    """

    def __init__(
        self,
        model: Seq2Seq,
        batches: Batches,
        validation: Batches | None = None,
        steps: int = 1500,
        learning_rate: float = 3e-3,
        warmup: float = 0.1,
        label_smoothing: float = 0.1,
        teacher_forcing: float = 1.0,
        copies_hidden: float = 0.0,
        clip: float = 1.0,
        validate_every: int | None = None,
        checkpoint: str | os.PathLike | None = None,
        progress: bool = True,
        seed: int = 0,
    ):
        self.model = model
        self.batches = batches
        self.validation = validation
        self.steps = steps
        self.learning_rate = learning_rate
        self.warmup = warmup
        self.label_smoothing = label_smoothing
        self.teacher_forcing = teacher_forcing
        self.copies_hidden = copies_hidden
        self.clip = clip
        self.validate_every = validate_every or len(batches)
        self.checkpoint = checkpoint
        self.progress = progress
        self.seed = seed

        # `fused` makes the whole update in one pass, several times faster than PyTorch's default.
        self.optimizer = torch.optim.Adam(model.parameters(), fused=True)
        self.step = 0
        self.losses: list[float] = []
        self.validations: list[tuple[int, float]] = []
        self._usual_tokens = batches.target_tokens / len(batches)
        self._best_weights: dict[str, Tensor] | None = None
        self._random_state: list[Tensor] | None = None  # None before the first step

    @property
    def finished(self) -> bool:
        return self.step >= self.steps

    def fit(self) -> None:
        """Train until the budget is spent, or until Ctrl-C; where it stopped, go on.

        At the end the model has the weights of the best validation. After an interruption it has
        the newest ones, and can be used as it is.

        Raises:
            FloatingPointError: the loss or the gradient is not a number any more. The model keeps
                the weights from before that step.
        """
        tokens, started = 0, time.perf_counter()
        with (
            self._own_random_numbers(),
            _interrupts_noted() as interrupted,
            tqdm(initial=self.step, total=self.steps, disable=not self.progress) as bar,
        ):
            while not (self.finished or interrupted.is_set()):
                for batch in self._rest_of_epoch():
                    tokens += self._take_step(batch)
                    rate = tokens / (time.perf_counter() - started)
                    loss = statistics.fmean(self.losses[-50:])
                    bar.set_postfix_str(f"loss {loss:.3f}, {rate:,.0f} tokens/s", refresh=False)
                    bar.update()
                    if self.step % self.validate_every == 0 or self.finished:
                        self._validate()
                    if self.finished or interrupted.is_set():
                        break
        self.model.eval()
        if self.finished and self._best_weights is not None:
            self.model.load_state_dict(self._best_weights)
        if self.checkpoint is not None:
            self.save(self.checkpoint)
        if interrupted.is_set():
            print(
                f"Stopped after step {self.step:,} of {self.steps:,}. The model keeps what it has "
                "learnt; fit() goes on from here.",
                file=sys.stderr,
            )

    def save(self, path: str | os.PathLike) -> None:
        """Write all that `load` needs to go on from here."""
        path = Path(path)
        unfinished = path.with_name(path.name + ".part")
        state = {
            "model": self.model.state_dict(),
            "best": self._best_weights,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "losses": self.losses,
            "validations": self.validations,
            "random_state": self._random_state,
        }
        torch.save(state, unfinished)
        unfinished.replace(path)  # in one go, so that a crash never leaves half a checkpoint

    def load(self, path: str | os.PathLike) -> None:
        """Take up the training that `save` wrote: same model, same batches, same settings.

        The file is read with `weights_only=True`, which runs no code that a stranger put into it.
        """
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step = state["step"]
        self.losses = state["losses"]
        self.validations = state["validations"]
        self._best_weights = state["best"]
        self._random_state = state["random_state"]

    def _rest_of_epoch(self) -> Iterator[Batch]:
        """The batches from here to the end of the epoch; the step says where that is."""
        epoch, done = divmod(self.step, len(self.batches))
        return islice(self.batches.shuffled(self.seed * 10_007 + epoch), done, None)

    def _take_step(self, batch: Batch) -> int:
        """One step of gradient descent; the number of target tokens it learnt from."""
        self.model.train()
        self.optimizer.zero_grad()
        if self.copies_hidden:
            batch = hide_copies(batch, self.copies_hidden)
        losses = self.model.losses(batch, self.teacher_forcing, self.label_smoothing)  # (tokens,)
        # Not their mean: a word counts the same in a batch of long sentences and in one of short.
        loss = losses.sum() / self._usual_tokens
        loss.backward()
        length = nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        if not (loss.isfinite() and length.isfinite()):
            raise FloatingPointError(
                f"the loss is {loss.item():.3g} and its gradient {length.item():.3g} long at step "
                f"{self.step + 1}; the weights are still those from before it. Try a lower "
                f"learning_rate (now {self.learning_rate:g}), a longer warmup (now "
                f"{self.warmup:g}) or a smaller clip (now {self.clip:g}). If it is the first step, "
                "look for inf or NaN in the weights"
            )
        for group in self.optimizer.param_groups:
            group["lr"] = one_cycle(self.step, self.steps, self.learning_rate, self.warmup)
        self.optimizer.step()
        self.step += 1
        self.losses.append(losses.mean().item())
        self._random_state = _get_random_state(self.model.device)
        return len(losses)

    def _validate(self) -> None:
        """Measure, and keep the weights where they are the best so far."""
        if self.validation is None:
            return
        perplexity = teacher_forced_perplexity(self.model, self.validation)
        if all(perplexity < earlier for _, earlier in self.validations):
            self._best_weights = {
                name: tensor.clone() for name, tensor in self.model.state_dict().items()
            }
        self.validations.append((self.step, perplexity))
        if self.checkpoint is not None:
            self.save(self.checkpoint)

    @contextmanager
    def _own_random_numbers(self) -> Iterator[None]:
        """Draw from the trainer's own stream of random numbers, and leave the others' alone."""
        device = self.model.device
        others = _get_random_state(device)
        if self._random_state is None:
            torch.manual_seed(self.seed)
        else:
            _set_random_state(device, self._random_state)
        try:
            yield
        finally:
            _set_random_state(device, others)


def _get_random_state(device: torch.device) -> list[Tensor]:
    """The state of the CPU's generator, and of the device's where it is another."""
    states = [torch.get_rng_state()]
    if device.type != "cpu":
        states.append(torch.get_device_module(device).get_rng_state())
    return states


def _set_random_state(device: torch.device, states: list[Tensor]) -> None:
    torch.set_rng_state(states[0])
    if device.type != "cpu":
        torch.get_device_module(device).set_rng_state(states[1])


@contextmanager
def _interrupts_noted() -> Iterator[threading.Event]:
    """Ctrl-C sets an event instead of breaking off in the middle of a step."""
    noted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield noted  # signals go to the main thread, and only it may ask for them
        return
    before = signal.signal(signal.SIGINT, lambda *_: noted.set())
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)
