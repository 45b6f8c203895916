"""Cross-entropy with smoothed labels: `smoothed_loss(logits, labels, smoothing)` → one number."""

import torch.nn.functional as F

from utils.checks.implementations import Implementations


def by_torch(logits, labels, smoothing):
    """Compute it with PyTorch; a batch without a real word costs nothing."""
    if not labels.any():
        return (logits * 0).sum()
    return F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=0, label_smoothing=smoothing
    )


def losses_of(logits, labels, smoothing):
    """Return the loss of every position, padding among them: (batch, tgt_len)."""
    flat = F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), reduction="none", label_smoothing=smoothing
    )
    return flat.view(labels.shape)


def averaged(logits, labels, smoothing):
    """Compute the same in two steps."""
    losses, real = losses_of(logits, labels, smoothing), labels != 0
    return (losses * real).sum() / real.sum().clamp(min=1)


def padding_counted(logits, labels, smoothing):
    return losses_of(logits, labels, smoothing).mean()


def padding_in_the_divisor(logits, labels, smoothing):
    return (losses_of(logits, labels, smoothing) * (labels != 0)).mean()


def added_up(logits, labels, smoothing):
    return (losses_of(logits, labels, smoothing) * (labels != 0)).sum()


def sentence_by_sentence(logits, labels, smoothing):
    losses, real = losses_of(logits, labels, smoothing), labels != 0
    return ((losses * real).sum(-1) / real.sum(-1).clamp(min=1)).mean()


def not_smoothed(logits, labels, smoothing):
    return averaged(logits, labels, 0.0)


def turned_round(logits, labels, smoothing):
    return averaged(logits, labels, 1 - smoothing)


def softmax_first(logits, labels, smoothing):
    return averaged(logits.softmax(-1), labels, smoothing)


def zero_by_zero(logits, labels, smoothing):
    losses, real = losses_of(logits, labels, smoothing), labels != 0
    return (losses * real).sum() / real.sum()


IMPLEMENTATIONS = Implementations(
    right=[by_torch],
    broken={
        "padding-in-loss": padding_counted,
        "half-is-enough": padding_in_the_divisor,
        "sum-and-mean": added_up,
        "averages-anywhere": sentence_by_sentence,
        "input-unused": not_smoothed,
        "opposite": turned_round,
        "softmax-twice": softmax_first,
        "formula-is-safe": zero_by_zero,
    },
)
