# source: a learner who forgets ignore_index
# mistake: the reference counts the padding as words, so right versions are blamed
def test_smoothed_loss(smoothed_loss):
    torch.manual_seed(1)
    logits, labels = torch.randn(3, 4, 9), torch.randint(1, 9, (3, 4))
    labels[0, 2:] = 0
    right = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=0.1)
    assert torch.allclose(smoothed_loss(logits, labels, 0.1), right, atol=1e-5)
