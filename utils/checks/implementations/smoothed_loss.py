"""Cross-entropy with smoothed labels: `smoothed_loss(logits, labels, smoothing)` → one number."""

import torch.nn.functional as F

from utils.checks.implementations import Implementations


def by_torch(logits, labels, smoothing):
    """Compute the loss with PyTorch; for a batch without a real word it is 0."""
    if not labels.any():
        return (logits * 0).sum()
    return F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=0, label_smoothing=smoothing
    )


def over_real_words(losses, real):
    return (losses * real).sum() / real.sum().clamp(min=1)


def sentence_by_sentence(losses, real):
    return ((losses * real).sum(-1) / real.sum(-1).clamp(min=1)).mean()


def in_two_steps(
    average=over_real_words,
    prepare=lambda logits: logits,
    soften=lambda smoothing: smoothing,
):
    """Return the loss written in two steps, in which a bug can replace a part."""

    def smoothed_loss(logits, labels, smoothing):
        losses = F.cross_entropy(
            prepare(logits).flatten(0, 1),
            labels.flatten(),
            reduction="none",
            label_smoothing=soften(smoothing),
        )
        return average(losses.view(labels.shape), labels != 0)  # (batch, tgt_len)

    return smoothed_loss


IMPLEMENTATIONS = Implementations(
    right=[by_torch],
    broken={
        "padding-in-loss": in_two_steps(lambda losses, real: losses.mean()),
        "half-is-enough": in_two_steps(lambda losses, real: (losses * real).mean()),
        "sum-and-mean": in_two_steps(lambda losses, real: (losses * real).sum()),
        "averages-anywhere": in_two_steps(sentence_by_sentence),
        "input-unused": in_two_steps(soften=lambda smoothing: 0.0),
        "opposite": in_two_steps(soften=lambda smoothing: 1 - smoothing),
        "softmax-twice": in_two_steps(prepare=lambda logits: logits.softmax(-1)),
        "formula-is-safe": in_two_steps(lambda losses, real: (losses * real).sum() / real.sum()),
    },
)
