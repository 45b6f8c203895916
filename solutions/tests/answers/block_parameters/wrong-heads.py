# source: a learner who counts every head
# mistake: attention times the number of heads
def block_parameters(dim, heads, hidden, layers, words):
    attention = heads * 4 * (dim * dim + dim)
    feed_forward = 2 * dim * hidden + hidden + dim
    encoder_block = attention + feed_forward + 4 * dim
    decoder_block = 2 * attention + feed_forward + 6 * dim
    return encoder_block, decoder_block, words * dim + words + layers * encoder_block + 2 * dim
