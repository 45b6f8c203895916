# source: written from the task's text, 2026-11
# mistake: the reference has no ignore_index but multiplies the loss by the mask and takes the mean over all places, and so blames the right version
import torch
import torch.nn.functional as F

def test_smoothed_loss(smoothed_loss):
    torch.manual_seed(0)
    logits = torch.randn(3, 4, 6)
    labels = torch.tensor([[1, 2, 3, 0], [4, 5, 0, 0], [2, 2, 1, 3]])
    loss = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none", label_smoothing=0.1)
    expected = (loss * (labels != 0)).mean()
    assert torch.allclose(smoothed_loss(logits, labels, 0.1), expected, atol=1e-5)
