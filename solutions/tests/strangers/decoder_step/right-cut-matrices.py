# source: a C programmer's economy: the matrices are cut, nothing is joined
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    e, m = embedded.shape[1], memory.shape[2]
    scores = torch.einsum("bs,sm,blm->bl", state, w_score, memory)
    weights = masked_softmax(scores, mask)
    context = torch.einsum("bl,blm->bm", weights, memory)
    new_state = torch.tanh(
        embedded @ w_state[:e] + context @ w_state[e : e + m] + state @ w_state[e + m :]
    )
    readout = torch.tanh(context @ w_readout[:m] + new_state @ w_readout[m:])
    return context, weights, new_state, readout
