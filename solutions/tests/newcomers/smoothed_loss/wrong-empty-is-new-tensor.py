# source: written from the task's text, 2026-11
# mistake: for a batch of padding a fresh zero is returned that does not hang together with the logits
import torch

def smoothed_loss(logits, labels, smoothing):
    real = labels != 0
    if not real.any():
        return torch.tensor(0.0, requires_grad=True)
    logp = torch.log_softmax(logits[real], dim=-1)
    nll = -logp[torch.arange(len(logp)), labels[real]]
    return ((1 - smoothing) * nll - smoothing * logp.mean(-1)).mean()
