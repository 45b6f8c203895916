# source: written from the task's text, 2026-11
# mistake: each head takes every heads-th number of the vector instead of a run of neighbours
def split_heads(tensor, heads):
    b, n, d = tensor.shape
    return tensor.reshape(b, n, d // heads, heads).permute(0, 3, 1, 2)
