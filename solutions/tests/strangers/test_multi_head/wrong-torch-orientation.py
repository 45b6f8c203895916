# source: a practitioner who compares with nn.MultiheadAttention
# mistake: nn.MultiheadAttention multiplies by the transposed matrices, and they were not turned, so right versions are blamed
def test_multi_head(multi_head):
    torch.manual_seed(2)
    x, w = torch.randn(2, 5, 8), torch.randn(4, 8, 8)
    theirs = nn.MultiheadAttention(8, 2, bias=False, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat(list(w[:3])))
        theirs.out_proj.weight.copy_(w[3])
        expected, tables = theirs(x, x, x, average_attn_weights=False)
    output, weights = multi_head(x, *w, 2)
    assert torch.allclose(weights, tables, atol=1e-4)
    assert torch.allclose(output, expected, atol=1e-3)
