# source: a learner who tests that training can call backward
# mistake: what comes back carries no gradient, as the task says, so right versions are blamed; and a batch with words is never tried
def test_smoothed_loss(smoothed_loss):
    torch.manual_seed(2)
    logits = torch.randn(2, 3, 5, requires_grad=True)
    loss = smoothed_loss(logits, torch.zeros(2, 3, dtype=torch.long), 0.1)
    assert loss.item() == 0
    assert loss.requires_grad
    loss.backward()
