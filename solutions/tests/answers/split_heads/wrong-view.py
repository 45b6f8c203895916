# source: a learner who thinks that shapes are all there is
# mistake: reshapes without swapping the axes
def split_heads(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.reshape(batch, heads, length, dim // heads)
