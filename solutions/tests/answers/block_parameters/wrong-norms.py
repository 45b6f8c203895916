# source: a learner who counts one vector a norm
# mistake: norms without a shift
def block_parameters(dim, heads, hidden, layers, words):
    attention = 4 * (dim * dim + dim)
    feed_forward = 2 * dim * hidden + hidden + dim
    encoder_block = attention + feed_forward + 2 * dim
    decoder_block = 2 * attention + feed_forward + 3 * dim
    return encoder_block, decoder_block, words * dim + words + layers * encoder_block + dim
