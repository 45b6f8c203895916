# source: an algebra person: everything multiplied out
def block_parameters(dim, heads, hidden, layers, words):
    """The numbers of parameters `encoder_block`, `decoder_block` and `language_model`."""
    e = 4 * dim**2 + (2 * hidden + 9) * dim + hidden
    return e, e + 4 * dim**2 + 6 * dim, e * layers + (words + 2) * dim + words
