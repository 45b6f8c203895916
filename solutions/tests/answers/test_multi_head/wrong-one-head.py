# source: a learner who tries one head
# mistake: with one head no bug of the heads shows
def test_multi_head(multi_head):
    torch.manual_seed(0)
    x = torch.randn(2, 4, 6)
    w_q, w_k, w_v, w_o = (torch.randn(6, 6) for _ in range(4))
    out, weights = multi_head(x, w_q, w_k, w_v, w_o, 1)
    w = ((x @ w_q) @ (x @ w_k).mT / 6 ** 0.5).softmax(-1)
    assert torch.allclose(weights[:, 0], w, atol=1e-5)
    assert torch.allclose(out, w @ (x @ w_v) @ w_o, atol=1e-4)
