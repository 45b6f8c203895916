"""A loss with smoothed labels."""

import torch
import torch.nn.functional as F

from solutions.specification import WHOLE, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, lengths, tgt_len, words, smoothing=0.1, reach=3.0, double=False):
        logits = draw.numbers(len(lengths), tgt_len, words, reach=reach)
        labels = draw.whole(1, words - 1, len(lengths), tgt_len)
        labels[torch.arange(tgt_len) >= torch.tensor(lengths)[:, None]] = 0
        return Case(
            label,
            {
                "logits": logits.double() if double else logits,
                "labels": labels,
                "smoothing": smoothing,
            },
        )

    turned = case("logits that are a transposed view", [3, 2], 3, 4, 0.2)
    return [
        case("two sentences, of four words and of one", [4, 1], 4, 5),
        case("much smoothing", [2, 3, 1], 3, 4, 0.5),
        case("no smoothing", [1, 3], 3, 6, 0.0),
        case("no padding", [2, 2], 2, 5, 0.2),
        case("one word in all", [1], 1, 3, 0.3),
        case("three sentences of one word", [1, 1, 1], 1, 4, 0.2),
        case("nothing but padding", [0, 0], 2, 4),
        case("large logits, float64", [3, 1], 4, 5, 0.1, 900, double=True),
        Case(turned.label, {**turned.inputs, "logits": draw.numbers(2, 4, 3).mT}),
    ]


def _smoothed(
    chances=lambda logits: logits.log_softmax(-1),
    rest=lambda chances, right: chances.mean(-1),
    share=lambda smoothing: (1 - smoothing, smoothing),
    average=lambda losses, real: (losses * real).sum() / real.sum().clamp(min=1),
):
    """Return an answer with one part replaced."""

    def loss(logits, labels, smoothing):
        logs = chances(logits)
        right = logs.gather(-1, labels[..., None]).squeeze(-1)
        of_right, of_rest = share(smoothing)
        return average(-of_right * right - of_rest * rest(logs, right), labels != 0)

    return loss


def _each_sentence(losses, real):
    return ((losses * real).sum(-1) / real.sum(-1).clamp(min=1)).mean()


def from_torch(logits, labels, smoothing):
    losses = F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), label_smoothing=smoothing, reduction="none"
    )
    real = (labels != 0).flatten()
    return losses[real].sum() / max(1, int(real.sum()))


def with_a_target(logits, labels, eps):
    target = (1 - eps) * F.one_hot(labels, logits.shape[-1]).to(logits) + eps / logits.shape[-1]
    losses = -(target * F.log_softmax(logits, dim=-1)).sum(-1)
    mask = labels.ne(0).to(losses)
    return (losses * mask).sum() / mask.sum().clamp(min=1.0)


def in_loops(logits, labels, smoothing):
    total, count = 0 * logits.sum(), 0
    for row, wanted in zip(logits, labels, strict=True):
        for scores, label in zip(row, wanted, strict=True):
            if label != 0:
                logs = scores - scores.logsumexp(0)
                total = total - (1 - smoothing) * logs[label] - smoothing * logs.mean()
                count += 1
    return total / max(count, 1)


def padding_taken_out_first(logits, labels, smoothing):
    real = labels > 0
    logs, wanted = logits[real].log_softmax(-1), labels[real]
    if len(wanted) == 0:
        return logits.sum() * 0
    right = logs[torch.arange(len(wanted)), wanted]
    return -((1 - smoothing) * right + smoothing * logs.mean(-1)).mean()


def in_float64(logits, labels, smoothing):
    return with_a_target(logits.double(), labels, smoothing)


exercise = Exercise(
    id="smoothed_loss",
    title="A loss with smoothed labels",
    points=3,
    difficulty=2,
    minutes=15,
    section="06.4",
    learns=True,
    outputs=["loss"],
    shortcuts=["cross_entropy", "CrossEntropyLoss"],
    cases=cases,
    equivalents={
        "real = abs(labels) > 0.001": WHOLE,
    },
    hints=[
        "Without smoothing, which one of the log-chances of a position counts? With smoothing, "
        "how many of them count?",
        "Take `log_softmax` first. `gather` picks the log-chance of the right word, the mean over "
        "the vocabulary is the second term. Then leave out the padding: in the sum *and* in what "
        "you divide by.",
        "Losses (batch, tgt_len): minus (1 - smoothing) times the picked log-chance, minus "
        "smoothing times the mean of all log-chances. Multiply by `labels != 0`, add up, divide "
        "by how many labels are real; `.clamp(min=1)` saves a batch of padding alone.",
    ],
    mistakes={
        "padding in the count": WrongAnswer(
            _smoothed(average=lambda losses, real: (losses * real).mean()),
            "You leave the padding out of the sum and keep it in the count. The loss of a short "
            "sentence then looks smaller, for no other reason than its padding.",
            "By how many positions do you divide, and how many of them are words?",
            misconception="padding-in-loss",
        ),
        "padding in the loss": WrongAnswer(
            _smoothed(average=lambda losses, real: losses.mean()),
            "Positions of padding count in your loss as if word 0 were right there. The model "
            "would learn to write padding.",
            "At which positions has the model something to say?",
            misconception="padding-in-loss",
        ),
        "the right word keeps all": WrongAnswer(
            _smoothed(share=lambda smoothing: (1, smoothing)),
            "You add the share of all words and do not take it from the right one: together the "
            "chances that you ask for come to more than 1.",
            "What do the shares of all words sum to?",
            misconception="shares-need-not-sum-to-one",
        ),
        "sum for mean": WrongAnswer(
            _smoothed(average=lambda losses, real: (losses * real).sum()),
            "You return the sum over all words. A batch with long sentences would then pull "
            "harder than one with short ones.",
            "The loss of twice the same batch: twice as much, or the same?",
            misconception="sum-and-mean",
        ),
        "sentence by sentence": WrongAnswer(
            _smoothed(average=_each_sentence),
            "You take the mean of each sentence first, then the mean of the sentences. A word in "
            "a short sentence then counts more than one in a long sentence.",
            "How many words are real in the whole batch?",
            misconception="averages-anywhere",
        ),
        "smoothing left out": WrongAnswer(
            _smoothed(share=lambda smoothing: (1.0, 0 * smoothing)),
            "Your loss is the plain cross-entropy: the smoothing changes nothing in it.",
            "Call your function with smoothing 0 and 0.5. What should differ?",
            misconception="input-unused",
        ),
        "nothing for the others": WrongAnswer(
            _smoothed(share=lambda smoothing: (1 - smoothing, 0 * smoothing)),
            "You take a share away from the right word and give it to nobody. That makes the "
            "loss smaller, and changes nothing in what is learned.",
            "The target is a distribution over words. To what does yours sum?",
            misconception="shares-need-not-sum-to-one",
        ),
        "shared by the wrong words alone": WrongAnswer(
            _smoothed(
                rest=lambda chances, right: (chances.sum(-1) - right) / (chances.shape[-1] - 1)
            ),
            "You share the smoothing among the wrong words only. In the form asked for (and in "
            "PyTorch) it goes to all words alike, the right one included.",
            "Five words, smoothing 0.1: what does the right word get in all, 0.9 or 0.92?",
            misconception="another-task",
        ),
        "each word gets all of it": WrongAnswer(
            _smoothed(rest=lambda chances, right: chances.sum(-1)),
            "Every word of the vocabulary gets the whole smoothing. It is to be shared: each gets "
            "smoothing divided by the number of words.",
            "The target is a distribution over words. To what does yours sum?",
            misconception="shares-need-not-sum-to-one",
        ),
        "shares exchanged": WrongAnswer(
            _smoothed(share=lambda smoothing: (smoothing, 1 - smoothing)),
            "The right word gets `smoothing`, and the rest is shared among all. It is the other "
            "way round: with smoothing 0 the right word gets everything.",
            "What should your function give at smoothing 0?",
            misconception="opposite",
        ),
        "no logarithm": WrongAnswer(
            _smoothed(chances=lambda logits: logits.softmax(-1)),
            "You use the chances themselves, and cross-entropy their logarithm. Yours hardly "
            "punishes a word that was thought impossible.",
            "A chance of 0.001 instead of 0.1: how much worse is that in your loss?",
            misconception="logarithm",
        ),
        "logits for chances": WrongAnswer(
            _smoothed(chances=lambda logits: logits),
            "You use the logits as they come out of the model. They are no log-chances yet: "
            "adding 7 to all of them changes your loss, and should not.",
            "Which function turns logits into logarithms of chances?",
            misconception="logarithm",
        ),
        "padding alone gives NaN": WrongAnswer(
            _smoothed(average=lambda losses, real: (losses * real).sum() / real.sum()),
            "A batch of padding alone gives NaN: 0 divided by 0. The task asks for a loss of 0 "
            "there.",
            "By what could you divide when there is no real word at all?",
            misconception="formula-is-safe",
        ),
    },
    variants=[from_torch, with_a_target, in_loops, padding_taken_out_first, in_float64],
)
