"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F


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
