# source: a learner whose decoder has two norms as well
# mistake: the third norm of the decoder block is forgotten, and the cross-attention has no biases
def block_parameters(dim, heads, hidden, layers, words):
    encoder = 4 * (dim * dim + dim) + 2 * dim * hidden + hidden + dim + 4 * dim
    decoder = encoder + 4 * dim * dim
    return encoder, decoder, words * dim + words + layers * encoder + 2 * dim
