# source: a learner who takes the decoder for two encoders
# mistake: the decoder block as twice the encoder block, and no final norm in the language model
def block_parameters(dim, heads, hidden, layers, words):
    encoder_block = 4 * dim * (dim + 1) + 2 * dim * hidden + hidden + dim + 4 * dim
    return encoder_block, 2 * encoder_block, words * dim + words + layers * encoder_block
