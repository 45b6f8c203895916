# source: a scientist who asks for 1e-9
# mistake: single precision differs in the seventh digit, so right versions are blamed for their rounding
def test_local_general(local_general):
    torch.manual_seed(2)
    query, keys, W = torch.randn(2, 7, 16), torch.randn(2, 5, 16), torch.randn(16, 16)
    lengths = torch.tensor([5, 3])
    context, found = local_general(query, keys, W, lengths, 1)
    for b in range(2):
        for t in range(7):
            c = min(t, int(lengths[b]) - 1)
            low, high = max(c - 1, 0), min(c + 2, int(lengths[b]))
            w = (keys[b, low:high].double() @ (query[b, t].double() @ W.double())).softmax(0)
            assert (found[b, t, low:high] - w).abs().max() < 1e-9
            assert (context[b, t] - w @ keys[b, low:high].double()).abs().max() < 1e-9
