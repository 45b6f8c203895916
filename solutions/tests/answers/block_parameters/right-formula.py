# source: a learner who counts part by part
def block_parameters(dim, heads, hidden, layers, words):
    attention = 4 * (dim * dim + dim)
    feed_forward = dim * hidden + hidden + hidden * dim + dim
    norm = 2 * dim
    encoder_block = attention + feed_forward + 2 * norm
    decoder_block = 2 * attention + feed_forward + 3 * norm
    language_model = words * dim + words + layers * encoder_block + norm
    return encoder_block, decoder_block, language_model
