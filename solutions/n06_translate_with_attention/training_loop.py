"""The task “The training loop”: right answers and known mistakes."""

import torch
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.corpora import EOS, PAD, SOS

ONLY_NUMBERS = "what is returned is compared as numbers, with a gradient behind it or without"


def cases(draw: Draw) -> list[Case]:
    def inputs(lengths, size=(9, 4), rate=0.5, reach=2.0):
        vocab, dim = size
        longest = max(max(of) for of in lengths)
        targets = torch.full((len(lengths), len(lengths[0]), longest + 2), PAD)
        for batch, of in zip(targets, lengths, strict=True):
            for row, length in zip(batch, of, strict=True):
                row[0], row[length + 1] = SOS, EOS
                row[1 : length + 1] = draw.whole(4, vocab - 1, length)
        return {
            "targets": targets,
            "states": draw.numbers(*targets.shape[:2], dim, reach=1),
            "embedding": draw.numbers(vocab, dim, reach=1.5),
            "w_state": draw.numbers(2 * dim, dim, reach=1),
            "w_output": draw.numbers(dim, vocab, reach=reach),
            "rate": rate,
        }

    double = inputs([[1, 3], [2, 3], [3, 2]])
    return [
        Case("three batches of two sentences", inputs([[3, 1], [2, 3], [1, 2]])),
        Case("sentences of one length", inputs([[2, 2], [2, 2], [2, 2]], (7, 6))),
        Case(
            "five batches of three", inputs([[1, 4, 2], [3, 1, 1], [4, 4, 1], [2, 1, 3], [1, 3, 4]])
        ),
        Case("one step", inputs([[4, 1], [1, 3]], (8, 2), 0.25)),
        Case("small gradients", inputs([[3, 1], [1, 4], [2, 2]], reach=0.1)),
        Case("large gradients", inputs([[3, 1], [1, 4], [2, 2]], rate=0.1, reach=9.0)),
        Case("an empty sentence", inputs([[0, 3], [2, 0], [3, 1]], rate=0.1)),
        Case("float64", {n: v.double() if n[0] in "sew" else v for n, v in double.items()}),
    ]


class Tiny(torch.nn.Module):
    """The decoder of the notebook, whose dropout takes every second number of a word's vector."""

    def __init__(self, embedding, w_state, w_output):
        super().__init__()
        self.embedding, self.w_state, self.w_output = (
            torch.nn.Parameter(matrix.clone()) for matrix in (embedding, w_state, w_output)
        )

    def forward(self, read, state):
        kept = torch.arange(self.embedding.shape[1]) % 2 == 0
        rows = []
        for word in read.unbind(1):
            vectors = self.embedding[word]
            if self.training:
                vectors = 2 * vectors * kept
            state = (torch.cat([vectors, state], 1) @ self.w_state).tanh()
            rows.append(state @ self.w_output)
        return torch.stack(rows, 1)


def _masked_mean(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=PAD)


def _sum(logits, labels):
    return F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=PAD, reduction="sum"
    )


def _mean_of_all(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def _mean_over_places(logits, labels):
    each = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    return (each * (labels != PAD)).mean()


def _clip(model):
    clip_grad_norm_(model.parameters(), 1.0)


def _clip_each(model):
    for parameter in model.parameters():
        clip_grad_norm_([parameter], 1.0)


def _clip_values(model):
    torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)


def _normalise(model):
    norm = torch.cat([parameter.grad.flatten() for parameter in model.parameters()]).norm()
    for parameter in model.parameters():
        parameter.grad /= norm


def _loop(
    parts=lambda target: (target[:, :-1], target[:, 1:]),
    loss=_masked_mean,
    clip=_clip,
    modes=(True, False),
    back=True,
    forget=True,
    clip_first=False,
    learns_from_held_out=False,
    looks_first=False,
    forgets_late=False,
    measures_late=False,
):
    """Return the loop with some parts replaced."""

    def training_loop(targets, states, embedding, w_state, w_output, rate):
        model = Tiny(embedding, w_state, w_output)
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        losses, validation = [], []

        def loss_of(place):
            read, wanted = parts(targets[place])
            return loss(model(read, states[place]), wanted)

        def held_out():
            model.train(modes[1])
            value = loss_of(-1)
            if learns_from_held_out:
                optimizer.zero_grad()
                value.backward()
                optimizer.step()
            validation.append(value.detach())

        model.train(modes[0])
        for place in range(len(targets) - 1):
            if looks_first:
                held_out()
            if back or place == 0:
                model.train(modes[0])
            value = loss_of(place)
            if forget:
                optimizer.zero_grad()
            if clip_first and place:
                clip(model)
            value.backward()
            if not clip_first:
                clip(model)
            if forgets_late:
                optimizer.zero_grad()
            optimizer.step()
            losses.append((loss_of(place) if measures_late else value).detach())
            if not looks_first:
                held_out()
        return torch.stack(losses), torch.stack(validation), model.embedding.detach()

    return training_loop


def _smoothed(*inputs):
    losses, *others = _loop()(*inputs)
    return losses.cumsum(0) / (torch.arange(len(losses)) + 1), *others


def by_hand(targets, states, embedding, w_state, w_output, rate):
    """Train without an optimiser, and with clipping of its own."""
    model = Tiny(embedding, w_state, w_output)
    losses, validation = [], []
    for target, state in zip(targets[:-1], states[:-1], strict=True):
        logits = model.train()(target[:, :-1], state)
        words = target[:, 1:] != 0
        loss = F.cross_entropy(logits[words], target[:, 1:][words])
        gradients = torch.autograd.grad(loss, [*model.parameters()])
        length = sum((gradient**2).sum() for gradient in gradients).sqrt()
        with torch.no_grad():
            for parameter, gradient in zip(model.parameters(), gradients, strict=True):
                parameter -= rate * gradient / length.clamp(min=1)
            logits = model.eval()(targets[-1][:, :-1], states[-1])
        words = targets[-1][:, 1:] != 0
        losses.append(loss.item())
        validation.append(F.cross_entropy(logits[words], targets[-1][:, 1:][words]).item())
    return torch.tensor(losses), torch.tensor(validation), model.embedding.data


def with_a_function_for_the_loss(targets, states, *matrices_and_rate):
    *matrices, rate = matrices_and_rate
    model = Tiny(*matrices)
    optimizer = torch.optim.SGD(model.parameters(), rate)

    def loss_of(place):
        labels = targets[place, :, 1:]
        logits = model(targets[place, :, :-1], states[place])
        logs = logits.log_softmax(-1).gather(2, labels.unsqueeze(2)).squeeze(2)
        real = labels != PAD
        return -(logs * real).sum() / real.sum()

    losses, validation = torch.empty(len(targets) - 1), torch.empty(len(targets) - 1)
    for step in range(len(targets) - 1):
        model.train()
        optimizer.zero_grad(set_to_none=False)
        loss = loss_of(step)
        loss.backward()
        _clip(model)
        optimizer.step()
        model.eval()
        with torch.inference_mode():
            losses[step], validation[step] = loss.item(), loss_of(-1).item()
    return losses, validation, model.embedding


def validation_afterwards(targets, states, embedding, w_state, w_output, rate):
    """Keep the weights of each step, and compute the held-out losses at the end."""
    model, kept, losses = Tiny(embedding, w_state, w_output), [], []
    optimizer = torch.optim.SGD(list(model.parameters()), lr=rate)
    for n in range(targets.shape[0] - 1):
        logits = model(targets[n, :, :-1], states[n])
        loss = F.cross_entropy(logits.mT, targets[n, :, 1:], ignore_index=0)
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        kept.append({name: value.clone() for name, value in model.state_dict().items()})
        losses.append(loss.detach())
    model.eval()
    validation = []
    for weights in kept:
        model.load_state_dict(weights)
        logits = model(targets[-1, :, :-1], states[-1])
        validation.append(F.cross_entropy(logits.mT, targets[-1, :, 1:], ignore_index=0).detach())
    return torch.stack(losses), torch.stack(validation), kept[-1]["embedding"]


exercise = Exercise(
    id="training_loop",
    again=False,
    title="A training loop by hand",
    points=4,
    difficulty=3,
    minutes=30,
    section="06.4",
    outputs=["losses", "validation", "trained"],
    shortcuts=["assembly", "Parts"],
    cases=cases,
    equivalents={
        "losses.append(loss)": ONLY_NUMBERS,
    },
    hints=[
        "One step has six parts: forward, loss, forget the old gradients, backward, clip, update. "
        "Which of them must not happen on the batch that is held out?",
        "Read `target[:, :-1]`, ask for `target[:, 1:]`. Call `model.train()` before each step and "
        "`model.eval()` before each look at the held-out batch, and do that look under "
        "`torch.no_grad()`.",
        "`loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), "
        "ignore_index=PAD)`, then `optimizer.zero_grad()`, `loss.backward()`, "
        "`torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)`, `optimizer.step()`. "
        "Keep `loss.detach()`, and at the end `torch.stack` both lists.",
    ],
    mistakes={
        "labels not shifted": WrongAnswer(
            _loop(parts=lambda target: (target[:, :-1], target[:, :-1])),
            "Your loss compares each step with the word that the decoder has just *read*. It "
            "learns to repeat what it was told.",
            "After `<sos>` has been read, what is the right answer?",
            misconception="future-open",
            also={"to the last": _loop(parts=lambda target: (target, target))},
        ),
        "reads the answers": WrongAnswer(
            _loop(parts=lambda target: (target[:, 1:], target[:, 1:])),
            "Each step reads the very word that it is to guess. So the loss can fall to nearly "
            "nothing, and nothing is learnt of writing alone.",
            "What has the decoder read when it writes the first word?",
            misconception="teacher-forcing",
        ),
        "padding counted": WrongAnswer(
            _loop(loss=_mean_of_all),
            "Padding counts in your loss, so the model is trained to write `<pad>`.",
            "How does `F.cross_entropy` learn which labels to leave out?",
            misconception="padding-in-loss",
        ),
        "padding in the denominator": WrongAnswer(
            _loop(loss=_mean_over_places),
            "The losses of padding are 0 in your sum, and yet you divide by all places. The same "
            "sentence counts less beside a longer one.",
            "By how many should the sum be divided?",
            misconception="padding-in-loss",
        ),
        "sum for mean": WrongAnswer(
            _loop(loss=_sum),
            "Your losses are sums over the words: the more words a batch has, the more there is "
            "to add up. Asked is the mean.",
            "What does `F.cross_entropy` do by default, without `reduction`?",
            misconception="sum-and-mean",
        ),
        "gradients pile up": WrongAnswer(
            _loop(forget=False),
            "Your gradients pile up: each step still carries those of all steps before it. "
            "`backward` adds to what is there.",
            "When are the old gradients set back to nothing?",
            misconception="stale-value",
        ),
        "forgotten before the step": WrongAnswer(
            _loop(forgets_late=True),
            "Nothing is learned: after your steps all parameters are what they were before, as "
            "when `zero_grad` stands between `backward` and `step`, or when no step is taken.",
            "Which two lines must have no `zero_grad` between them?",
            misconception="stale-value",
        ),
        "loss measured after the step": WrongAnswer(
            _loop(measures_late=True),
            "You measure the loss of a batch again, when its step has been taken. Asked is the "
            "loss that the step was made from.",
            "Which of your losses has been handed to `backward`?",
            misconception="stale-value",
        ),
        "not clipped": WrongAnswer(
            _loop(clip=lambda model: None),
            "No gradient is clipped before the optimizer takes its step. Where one is longer than "
            "1, your step is too large.",
            "Which line belongs between `backward` and `step`?",
            misconception="clipping-reshapes",
        ),
        "clipped before there is a gradient": WrongAnswer(
            _loop(clip_first=True, forget=False),
            "You clip before `backward`, so the old gradient is shortened and the new one is not.",
            "At which moment does the gradient of this step exist?",
            misconception="stale-value",
        ),
        "clipped one by one": WrongAnswer(
            _loop(clip=_clip_each),
            "You clip the gradient of each matrix by itself. Together they are one vector, and it "
            "is that whose length may be 1 at most. Clipped in parts, it can change its direction.",
            "Over how many numbers is the norm taken?",
            misconception="clipping-reshapes",
        ),
        "clipped number by number": WrongAnswer(
            _loop(clip=_clip_values),
            "You cut each number of the gradient to between -1 and 1. Asked was clipping by norm, "
            "which makes the whole gradient shorter and leaves its direction.",
            "Of `clip_grad_norm_` and `clip_grad_value_`, which one was asked for?",
            misconception="clipping-reshapes",
        ),
        "every gradient made 1 long": WrongAnswer(
            _loop(clip=_normalise),
            "You bring every gradient to length 1, the short ones too. Clipping leaves those "
            "alone.",
            "What should happen to a gradient of length 0.2?",
            misconception="clipping-reshapes",
        ),
        "validated in training mode": WrongAnswer(
            _loop(modes=(True, True)),
            "You look at the held-out batch in training mode, with numbers dropped. What you "
            "measure is a model with half of each word vector missing.",
            "What does `model.eval()` change in `Tiny`?",
            misconception="one-mode-for-all",
        ),
        "never back to training mode": WrongAnswer(
            _loop(back=False),
            "After the first look at the held-out batch your model stays in evaluation mode, so "
            "from the second step on nothing is dropped any more.",
            "Which mode is the model in when the second step begins?",
            misconception="one-mode-for-all",
        ),
        "trained in evaluation mode": WrongAnswer(
            _loop(modes=(False, False)),
            "Your model trains in evaluation mode: nothing is dropped in any step.",
            "What does `model.train()` change in `Tiny`?",
            misconception="one-mode-for-all",
        ),
        "learns from the held-out batch": WrongAnswer(
            _loop(learns_from_held_out=True),
            "Your model takes a step on the held-out batch, too. What it is measured on it must "
            "never be trained on.",
            "Which lines belong to training, and not to measuring?",
            misconception="another-task",
        ),
        "validated before the step": WrongAnswer(
            _loop(looks_first=True),
            "You measure the held-out loss before each step. Asked was after it.",
            "What is the held-out loss of the model as it leaves your loop?",
            misconception="stale-value",
        ),
        "the mean so far": WrongAnswer(
            _smoothed,
            "Your losses are means of all batches so far. Asked is the loss of each batch by "
            "itself: smoothed, a sudden jump can hardly be seen.",
            "Which batches have a part in your third number, and which should?",
            misconception="averages-anywhere",
        ),
    },
    variants=[by_hand, with_a_function_for_the_loss, validation_afterwards],
)
