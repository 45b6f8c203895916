# source: a learner who puts heads last in the reshape
# mistake: head h gets every heads-th number (h, h + heads, …) instead of a block of neighbours
def split_heads(tensor, heads):
    b, n, d = tensor.shape
    return tensor.reshape(b, n, d // heads, heads).permute(0, 3, 1, 2)
