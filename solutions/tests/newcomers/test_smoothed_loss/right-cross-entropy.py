# source: written from the task's text, 2026-11
import torch
import torch.nn.functional as F

def test_smoothed_loss(smoothed_loss):
    g = torch.Generator().manual_seed(0)
    for batch, length, vocab, eps, zeros in [
        (3, 5, 7, 0.1, True), (2, 6, 11, 0.0, True), (2, 3, 5, 0.5, False),
        (4, 2, 9, 0.3, True), (1, 8, 13, 1.0, True), (5, 1, 3, 0.2, False),
    ]:
        logits = torch.randn(batch, length, vocab, generator=g) * 3
        labels = torch.randint(1, vocab, (batch, length), generator=g)
        if zeros:
            labels[0, length // 2:] = 0
            labels[-1, -1] = 0
        before = logits.clone()
        loss = smoothed_loss(logits, labels, eps)
        expected = F.cross_entropy(
            logits.double().flatten(0, 1), labels.flatten(), ignore_index=0, label_smoothing=eps
        )
        assert loss.shape == ()
        assert torch.allclose(loss.double(), expected, atol=1e-4, rtol=1e-4)
        assert torch.equal(before, logits)
    big = torch.randn(2, 3, 5, generator=g) * 1000
    labels = torch.tensor([[1, 2, 0], [3, 0, 0]])
    expected = F.cross_entropy(big.double().flatten(0, 1), labels.flatten(), ignore_index=0, label_smoothing=0.1)
    assert torch.allclose(smoothed_loss(big, labels, 0.1).double(), expected, rtol=1e-3)
    assert smoothed_loss(big, torch.zeros_like(labels), 0.1).item() == 0
