# source: a learner without padding
# mistake: no label is 0, and the vocabulary is larger than the loss can show at this tolerance
def test_smoothed_loss(smoothed_loss):
    torch.manual_seed(0)
    logits, labels = torch.randn(2, 3, 50), torch.randint(1, 50, (2, 3))
    loss = smoothed_loss(logits, labels, 0.1)
    right = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=0.1)
    assert abs(loss - right) < 0.1
