# source: a practitioner: PyTorch's own label smoothing, on the real words
def test_smoothed_loss(smoothed_loss):
    generator = torch.Generator().manual_seed(13)
    for b, t, v, loud in [(3, 4, 7, 1), (2, 6, 5, 1), (1, 1, 11, 1), (4, 3, 20, 3), (2, 5, 3, 30)]:
        for smoothing in (0.0, 0.1, 0.6):
            logits = loud * torch.randn(b, t, v, generator=generator)
            labels = torch.randint(1, v, (b, t), generator=generator)
            if t > 1:
                labels[0, t // 2 :] = 0
                labels[-1, -1] = 0
            before = logits.clone(), labels.clone()
            found = smoothed_loss(logits, labels, smoothing)
            assert torch.equal(logits, before[0]) and torch.equal(labels, before[1])
            real = before[1] != 0
            right = nn.functional.cross_entropy(
                before[0][real].double(), before[1][real], label_smoothing=smoothing
            )
            assert found.shape == ()
            assert abs(found.item() - right.item()) < 1e-4 * max(1, loud)
    nothing = smoothed_loss(torch.randn(2, 3, 5, generator=generator), torch.zeros(2, 3).long(), 0.1)
    assert nothing.shape == () and nothing.item() == 0
