# source: a learner who permutes until the shape fits
# mistake: the numbers of the heads are interleaved, head_dim outside and heads inside
def join_heads(tensor):
    return tensor.permute(0, 2, 3, 1).flatten(2)
