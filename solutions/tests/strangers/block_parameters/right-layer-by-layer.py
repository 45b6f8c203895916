# source: a bookkeeper: a function for a linear layer, one for a norm
def block_parameters(dim, heads, hidden, layers, words):
    linear = lambda inputs, outputs: inputs * outputs + outputs
    norm = 2 * dim
    attention = 4 * linear(dim, dim)
    encoder_block = attention + linear(dim, hidden) + linear(hidden, dim) + 2 * norm
    decoder_block = encoder_block + attention + norm
    language_model = words * dim + words + layers * encoder_block + norm
    return encoder_block, decoder_block, language_model
