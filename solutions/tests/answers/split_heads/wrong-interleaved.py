# source: a learner: the axes of heads and numbers the other way round
# mistake: every heads-th number goes to a head
def split_heads(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.reshape(batch, length, dim // heads, heads).permute(0, 3, 1, 2)
