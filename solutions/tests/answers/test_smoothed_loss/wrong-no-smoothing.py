# source: a learner who sets the smoothing to 0
# mistake: without smoothing no fault of the smoothing shows
def test_smoothed_loss(smoothed_loss):
    torch.manual_seed(0)
    logits, labels = torch.randn(2, 3, 5), torch.tensor([[1, 2, 0], [3, 4, 1]])
    loss = smoothed_loss(logits, labels, 0.0)
    right = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=0)
    assert abs(loss - right) < 1e-5
