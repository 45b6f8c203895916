# source: a learner who forgets to swap back
# mistake: reshapes without swapping the axes
def join_heads(tensor):
    batch, heads, length, head_dim = tensor.shape
    return tensor.reshape(batch, length, heads * head_dim)
