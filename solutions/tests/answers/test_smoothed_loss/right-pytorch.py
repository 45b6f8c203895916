# source: a tester who takes PyTorch's word
def test_smoothed_loss(smoothed_loss):
    torch.manual_seed(0)
    for smoothing in (0.0, 0.1, 0.5):
        logits = (torch.randn(3, 5, 7) * 3).requires_grad_()
        labels = torch.tensor([[1, 2, 3, 4, 5], [6, 1, 0, 0, 0], [2, 0, 5, 0, 0]])
        loss = smoothed_loss(logits, labels, smoothing)
        right = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=0, label_smoothing=smoothing)
        assert loss.shape == ()
        assert abs(loss.item() - right.item()) < 1e-4
        mine, = torch.autograd.grad(loss, logits)
        theirs, = torch.autograd.grad(right, logits)
        assert torch.allclose(mine, theirs, atol=1e-4)
    empty = smoothed_loss(torch.randn(2, 3, 7), torch.zeros(2, 3, dtype=torch.long), 0.1)
    assert empty.item() == 0
    large = torch.tensor([[[0.0, 500.0, -500.0]]])
    loss = smoothed_loss(large, torch.tensor([[1]]), 0.0)
    assert abs(loss.item()) < 1e-4
