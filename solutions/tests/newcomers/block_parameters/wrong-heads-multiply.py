# source: written from the task's text, 2026-11
# mistake: every head is given projections of the full width
def block_parameters(dim, heads, hidden, layers, words):
    attention = heads * 3 * (dim * dim + dim) + dim * dim + dim
    feed_forward = 2 * dim * hidden + hidden + dim
    norm = 2 * dim
    encoder_block = attention + feed_forward + 2 * norm
    decoder_block = 2 * attention + feed_forward + 3 * norm
    language_model = layers * encoder_block + words * dim + words + norm
    return encoder_block, decoder_block, language_model
