"""The stub “The loss of a batch” of a notebook: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import far_down
from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case
from utils.corpora import EOS, PAD, SOS


def cases(draw: Draw) -> list[Case]:
    def inputs(lengths, vocab_size=9):
        width = max(lengths) + 2
        target = torch.full((len(lengths), width), PAD)
        for row, length in zip(target, lengths, strict=True):
            words = (4 + draw.order(vocab_size - 4)).repeat(3)[:length]
            row[: length + 2] = torch.tensor([SOS, *words.tolist(), EOS])
        return {"logits": draw.numbers(len(lengths), width - 1, vocab_size), "target": target}

    whole = inputs([3, 3])
    whole["logits"] = far_down(whole["logits"])
    return [
        Case("sentences of four words, one and two", inputs([4, 1, 2])),
        Case("no padding, some logits far below 0", whole),
        Case("an empty sentence beside one of five words", inputs([0, 5], 12)),
    ]


def _loss(
    wanted=lambda target: target[:, 1:],
    real=lambda wanted: wanted != PAD,
    reduce=lambda each, real: (each * real).sum() / real.sum(),
):
    """Return the right function with some parts replaced."""

    def loss(logits, target):
        labels = wanted(target)
        each = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
        return reduce(each, real(labels))

    return loss


def with_ignore_index(logits, target):
    return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)


def by_hand(logits, target):
    wanted = target[:, 1:].unsqueeze(-1)
    chosen = logits.log_softmax(-1).gather(-1, wanted)
    return -(chosen * (wanted != PAD)).sum() / (wanted != PAD).sum()


exercise = YourTurn(
    id="masked_loss",
    title="The loss of a batch",
    section="06.4",
    outputs=["loss"],
    cases=cases,
    mistakes={
        "no shift": WrongAnswer(
            _loss(wanted=lambda target: target[:, :-1]),
            "You compare the scores of each step with the word that the decoder has just read. It "
            "would learn to copy what it was told.",
            "After `<sos>` has been read, which word is wanted?",
            misconception="teacher-forcing",
        ),
        "padding counted": WrongAnswer(
            _loss(real=lambda wanted: torch.ones_like(wanted)),
            "Padding counts in your loss, so the model is praised for filler.",
            "Which entries of the wanted words are no words?",
            misconception="padding-in-loss",
        ),
        "end sign left out": WrongAnswer(
            _loss(real=lambda wanted: (wanted != PAD) & (wanted != EOS)),
            "Your loss leaves out `<eos>`, so the model would never learn to stop.",
            "What has to be written after the last word?",
            misconception="marks-are-words",
        ),
        "sentence by sentence": WrongAnswer(
            _loss(reduce=lambda each, real: ((each * real).sum(1) / real.sum(1)).mean()),
            "You take the mean of each sentence first, so a word of a short sentence counts more "
            "than one of a long sentence.",
            "Over what is the mean taken: over sentences, or over words?",
            misconception="averages-anywhere",
        ),
        "the sum": WrongAnswer(
            _loss(reduce=lambda each, real: (each * real).sum()),
            "You return the sum over all words. It grows with the batch.",
            "By which number has the sum to be divided?",
            misconception="sum-and-mean",
        ),
        "padding in the denominator": WrongAnswer(
            _loss(reduce=lambda each, real: (each * real).mean()),
            "The losses of padding are 0 in your sum, and yet you divide by all places, padding "
            "included: the more padding, the lower the loss.",
            "By how many should the sum be divided?",
            misconception="padding-in-loss",
        ),
        "padding in the sum": WrongAnswer(
            _loss(reduce=lambda each, real: each.sum() / real.sum()),
            "You divide by the number of words, and yet the losses of padding are in your sum.",
            "Which losses should the sum leave out?",
            misconception="padding-in-loss",
        ),
        "divided by the sentences": WrongAnswer(
            _loss(reduce=lambda each, real: (each * real).sum(1).mean()),
            "You divide the sum over all words by the number of sentences. Longer sentences make "
            "this loss larger. Asked was the mean over words.",
            "What has to be counted for the mean of a word's loss?",
            misconception="sum-and-mean",
        ),
    },
    variants=[with_ignore_index, by_hand],
)
