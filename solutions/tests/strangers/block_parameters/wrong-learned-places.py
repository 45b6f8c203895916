# source: a GPT-2 person
# mistake: a table of learned places of 512 rows is counted; the notebook's places are sines and cosines
def block_parameters(dim, heads, hidden, layers, words):
    encoder = 4 * (dim * dim + dim) + 2 * dim * hidden + hidden + dim + 4 * dim
    decoder = encoder + 4 * (dim * dim + dim) + 2 * dim
    model = words * dim + 512 * dim + words + layers * encoder + 2 * dim
    return encoder, decoder, model
