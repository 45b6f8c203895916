"""Train a model for a fixed number of steps; training can be interrupted and resumed exactly.

trainer = Trainer(model, batches, validation, steps=1500)
trainer.fit()      # Ctrl-C (or the notebook's stop button) stops it after the current step
trainer.fit()      # and this resumes, with the same result as if nothing had happened
"""

import math
import signal
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import torch
from torch import Tensor, nn
from tqdm import tqdm

from utils.corpora import Batch, Batches
from utils.metrics import teacher_forced_perplexity
from utils.seq2seq import Seq2Seq


def one_cycle(step: int, steps: int, peak: float, warmup: float) -> float:
    """Return the learning rate of a step: linear up to the peak, then a cosine down towards 0.

    The rate depends on the step alone, so an interrupted run needs no state of a schedule.
    Source: Smith and Topin 2018, in the form of Loshchilov and Hutter 2017, equation 5.

    Args:
        step: number of the step, from 0 to steps - 1.
        steps: number of steps of the whole training.
        peak: the largest rate.
        warmup: share of the steps during which the rate rises to its peak.
    """
    rising = max(1, round(warmup * steps))
    if step < rising:
        return peak * (step + 1) / rising
    return peak * (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2


class Trainer:
    """A training run of a fixed number of steps; it ends with the weights that validated best.

    The trainer holds everything that a step depends on (weights, optimiser, place in the data,
    random state), so a run that was interrupted ends with the same weights as an uninterrupted one.
    The global random state is left as it was.

    Args:
        model: the model, trained in place.
        batches: the training pairs, reshuffled for each epoch.
        validation: pairs that decide which weights are best, measured after each epoch and at the
            end; without them the last weights are kept.
        steps: number of training steps, each on one batch.
        learning_rate: the peak of the one-cycle schedule, for Adam.
        warmup: share of the steps during which the learning rate rises to its peak.
        label_smoothing: share of the target probability spread over all words.
            Source: Szegedy et al. 2016, section 7.
        teacher_forcing: share of the decoder's steps at which it reads the previous gold word.
        clip: largest norm of the gradient; a larger gradient is scaled down to it.
            Source: Pascanu et al. 2013.
        progress: whether to show a progress bar, on stderr: as text, it outlives the kernel.
        seed: fixes the order of the batches and the random numbers of dropout.

    Attributes:
        step: number of steps taken.
        losses: the training loss of each step, the mean over its target tokens.
        validations: (step, teacher-forced perplexity) of each validation.
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
        clip: float = 1.0,
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
        self.clip = clip
        self.progress = progress
        self.seed = seed

        # `fused` does the whole update in one pass, several times faster than PyTorch's default.
        self.optimizer = torch.optim.Adam(model.parameters(), fused=True)
        self.step = 0
        self.losses: list[float] = []
        self.validations: list[tuple[int, float]] = []
        self._usual_tokens = batches.target_tokens / len(batches)
        self._best_weights: dict[str, Tensor] | None = None
        self._random_state: list[Tensor] | None = None  # None before the first step

    @property
    def finished(self) -> bool:
        """Return whether all steps have been taken."""
        return self.step >= self.steps

    def fit(self) -> None:
        """Train until all steps are taken or Ctrl-C is pressed; another call resumes there.

        At the end the model has the weights of the best validation. After an interruption it has
        the latest weights, and can be used as it is.

        Raises:
            FloatingPointError: the loss or the gradient is no longer finite. The model keeps the
                weights from before that step.
        """
        tokens, started = 0, time.perf_counter()
        with (
            self._own_random_numbers(),
            _interrupts_deferred() as interrupted,
            tqdm(initial=self.step, total=self.steps, disable=not self.progress) as bar,
        ):
            while not (self.finished or interrupted.is_set()):
                for batch in self._rest_of_epoch():
                    tokens += self._take_step(batch)
                    rate = tokens / (time.perf_counter() - started)
                    loss = statistics.fmean(self.losses[-50:])
                    bar.set_postfix_str(f"loss {loss:.3f}, {rate:,.0f} tokens/s", refresh=False)
                    bar.update()
                    if self.step % len(self.batches) == 0 or self.finished:
                        self._validate()
                    if self.finished or interrupted.is_set():
                        break
        self.model.eval()
        if self.finished and self._best_weights is not None:
            self.model.load_state_dict(self._best_weights)
        if interrupted.is_set():
            print(
                f"Stopped after step {self.step:,} of {self.steps:,}. The model keeps what it has "
                "learned; call fit() again to resume.",
                file=sys.stderr,
            )

    def _rest_of_epoch(self) -> Iterator[Batch]:
        """Return the batches from the current step to the end of the epoch."""
        epoch, done = divmod(self.step, len(self.batches))
        return islice(self.batches.shuffled(self.seed * 10_007 + epoch), done, None)

    def _take_step(self, batch: Batch) -> int:
        """Take one step of gradient descent; return the number of target tokens in its batch."""
        self.model.train()
        self.optimizer.zero_grad()
        losses = self.model.losses(batch, self.teacher_forcing, self.label_smoothing)  # (tokens,)
        total = losses.sum()
        # Not the mean loss: a word counts the same whether its batch has many words or few.
        loss = total / self._usual_tokens
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        if not (loss.isfinite() and norm.isfinite()):
            raise FloatingPointError(
                f"the loss is {loss.item():.3g} and the norm of its gradient {norm.item():.3g} at "
                f"step {self.step + 1}; the weights are still those from before it. Try a lower "
                f"learning_rate (now {self.learning_rate:g}), a longer warmup (now "
                f"{self.warmup:g}) or a smaller clip (now {self.clip:g}). If this is the first "
                "step, look for inf or NaN in the weights"
            )
        for group in self.optimizer.param_groups:
            group["lr"] = one_cycle(self.step, self.steps, self.learning_rate, self.warmup)
        self.optimizer.step()
        self.step += 1
        self.losses.append(total.item() / len(losses))
        self._random_state = _get_random_state(self.model.device)
        return len(losses)

    def _validate(self) -> None:
        """Measure the perplexity on the validation pairs; keep the weights if it is the best."""
        if self.validation is None:
            return
        perplexity = teacher_forced_perplexity(self.model, self.validation)
        if all(perplexity < earlier for _, earlier in self.validations):
            self._best_weights = {
                name: tensor.clone() for name, tensor in self.model.state_dict().items()
            }
        self.validations.append((self.step, perplexity))

    @contextmanager
    def _own_random_numbers(self) -> Iterator[None]:
        """Draw from the trainer's own random state, and restore the global one afterwards."""
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
    """Return the random state of the CPU, and of the device if that is not the CPU."""
    states = [torch.get_rng_state()]
    if device.type != "cpu":
        states.append(torch.get_device_module(device).get_rng_state())
    return states


def _set_random_state(device: torch.device, states: list[Tensor]) -> None:
    """Restore the random states that `_get_random_state` returned."""
    torch.set_rng_state(states[0])
    if device.type != "cpu":
        torch.get_device_module(device).set_rng_state(states[1])


@contextmanager
def _interrupts_deferred() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C sets; inside the `with` block, it does not interrupt anything."""
    interrupted = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted  # only the main thread receives signals or may set their handlers
        return
    before = signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
