# source: a tester: sentence by sentence in double precision
def test_luong_step(step):
    generator = torch.Generator().manual_seed(21)

    def slow(word, state, memory, mask, embedding, w_state, w_output):
        rows = []
        for b in range(len(word)):
            new = torch.tanh(torch.cat([embedding[word[b]], state[b]]).double() @ w_state.double())
            own = memory[b][mask[b]].double()
            some = (own @ new).softmax(0)
            weights = torch.zeros(memory.shape[1], dtype=torch.float64)
            weights[mask[b]] = some
            rows.append((torch.cat([some @ own, new]) @ w_output.double(), weights, new))
        return [torch.stack(column) for column in zip(*rows)]

    for b, s, dim, e, vocab, loud in [(3, 5, 4, 3, 7, 1), (1, 4, 6, 2, 5, 1), (4, 6, 4, 4, 6, 1), (2, 1, 3, 5, 4, 1), (3, 5, 4, 6, 8, 20)]:
        word = torch.randint(vocab, (b,), generator=generator)
        state = torch.randn(b, dim, generator=generator)
        memory = loud * torch.randn(b, s, dim, generator=generator)
        embedding = torch.randn(vocab, e, generator=generator)
        w_state = torch.randn(e + dim, dim, generator=generator)
        w_output = torch.randn(2 * dim, vocab, generator=generator)
        ragged = torch.arange(s) < torch.randint(1, s + 1, (b, 1), generator=generator)
        holes = torch.rand(b, s, generator=generator) > 0.5
        holes[:, s // 2] = True
        for mask in (ragged, holes, torch.ones(b, s, dtype=torch.bool)):
            inputs = word, state, memory, mask, embedding, w_state, w_output
            before = [x.clone() for x in inputs]
            found = step(*inputs)
            for x, y in zip(inputs, before):
                assert torch.equal(x, y)
            for one, right in zip(found, slow(*before)):
                assert one.shape == right.shape
                assert (one.double() - right).abs().max() < 1e-4 * loud
            assert (found[1][~mask] == 0).all()
