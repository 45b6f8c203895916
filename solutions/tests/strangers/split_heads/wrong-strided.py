# source: a C programmer with as_strided
# mistake: the strides are made up for a tensor that lies in memory row by row, so a transposed view is read wrongly
def split_heads(tensor, heads):
    b, n, d = tensor.shape
    h = d // heads
    return torch.as_strided(tensor, (b, heads, n, h), (n * d, h, d, 1))
