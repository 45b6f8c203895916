# source: a tester with a slow reference
def test_multi_head(multi_head):
    def reference(x, w_q, w_k, w_v, w_o, heads, mask):
        B, L, D = x.shape
        d = D // heads
        joined, tables = [], []
        for h in range(heads):
            part = slice(h * d, (h + 1) * d)
            q, k, v = (x @ w_q)[..., part], (x @ w_k)[..., part], (x @ w_v)[..., part]
            scores = q @ k.mT / d ** 0.5
            keep = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
            w = masked_softmax(scores, keep)
            tables.append(w)
            joined.append(w @ v)
        return torch.cat(joined, -1) @ w_o, torch.stack(tables, 1)

    torch.manual_seed(2)
    for heads in (1, 2, 3):
        x = torch.randn(2, 5, 6)
        matrices = [torch.randn(6, 6) for _ in range(4)]
        rows = torch.rand(2, 5, 5) < 0.6
        rows[0, 2] = False
        pad = torch.tensor([[[1, 1, 1, 1, 0]], [[1, 1, 0, 0, 0]]]).bool()
        for mask in (None, rows, pad, torch.ones(2, 5, 5).tril().bool()):
            out, weights = multi_head(x, *matrices, heads, mask)
            o, w = reference(x, *matrices, heads, mask)
            assert out.shape == o.shape and weights.shape == w.shape
            assert torch.allclose(weights, w, atol=1e-4)
            assert torch.allclose(out, o, atol=1e-3)
