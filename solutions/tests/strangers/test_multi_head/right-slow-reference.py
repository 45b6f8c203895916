# source: a tester: head by head in double precision
def test_multi_head(multi_head):
    generator = torch.Generator().manual_seed(8)

    def slow(x, w_q, w_k, w_v, w_o, heads, mask):
        x, w_q, w_k, w_v, w_o = (m.double() for m in (x, w_q, w_k, w_v, w_o))
        width = x.shape[-1] // heads
        contexts, tables = [], []
        for h in range(heads):
            cut = slice(h * width, (h + 1) * width)
            q, k, v = x @ w_q[:, cut], x @ w_k[:, cut], x @ w_v[:, cut]
            tables.append(masked_softmax(q @ k.mT / math.sqrt(width), mask))
            contexts.append(tables[-1] @ v)
        return torch.cat(contexts, -1) @ w_o, torch.stack(tables, 1)

    for b, n, dim, heads, loud in [
        (2, 3, 8, 2, 1), (3, 5, 12, 4, 1), (2, 4, 12, 3, 1), (1, 6, 6, 1, 1), (2, 1, 4, 4, 1), (2, 5, 8, 2, 6),
    ]:
        x = loud * torch.randn(b, n, dim, generator=generator)
        w = torch.randn(4, dim, dim, generator=generator) / 2
        some = torch.rand(b, n, n, generator=generator) > 0.4
        some[0, 0] = False
        for mask in (None, some, some[:, -1:]):
            before = x.clone(), w.clone()
            output, weights = multi_head(x, *w, heads, mask)
            assert torch.equal(x, before[0]) and torch.equal(w, before[1])
            right_output, right_weights = slow(x, *w, heads, mask)
            assert output.shape == right_output.shape and weights.shape == right_weights.shape
            assert torch.allclose(weights.double(), right_weights, atol=2e-3)
            assert torch.allclose(output.double(), right_output, atol=2e-2)
            if loud == 1:
                assert torch.allclose(weights.double(), right_weights, atol=1e-5)
                assert torch.allclose(output.double(), right_output, atol=1e-4)
