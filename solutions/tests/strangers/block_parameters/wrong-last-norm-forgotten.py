# source: a learner who counts embedding, blocks and output
# mistake: pre-norm has one more norm behind the last block
def block_parameters(dim, heads, hidden, layers, words):
    encoder = 4 * (dim * dim + dim) + 2 * dim * hidden + hidden + dim + 4 * dim
    decoder = encoder + 4 * (dim * dim + dim) + 2 * dim
    return encoder, decoder, words * dim + words + layers * encoder
