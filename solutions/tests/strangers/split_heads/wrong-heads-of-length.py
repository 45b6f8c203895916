# source: a learner who cuts the wrong axis
# mistake: the words are shared out among the heads, and the result is then forced into the shape
def split_heads(tensor, heads):
    b, n, d = tensor.shape
    return tensor.reshape(b, heads, n, d // heads)
