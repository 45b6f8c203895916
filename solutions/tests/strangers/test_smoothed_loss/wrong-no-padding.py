# source: a learner who compares with PyTorch on a full batch
# mistake: there is no padding among the labels, so bugs in leaving it out are not seen
def test_smoothed_loss(smoothed_loss):
    torch.manual_seed(0)
    logits, labels = torch.randn(3, 4, 9), torch.randint(1, 9, (3, 4))
    for smoothing in (0.0, 0.2):
        right = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=smoothing)
        assert torch.allclose(smoothed_loss(logits, labels, smoothing), right, atol=1e-5)
