# source: a language model: the matrices cut instead of the vectors joined
def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    scores = torch.einsum("bd,dm,bsm->bs", state, w_score, memory)
    weights = masked_softmax(scores, mask)
    context = torch.einsum("bs,bsm->bm", weights, memory)
    e, m = embedded.shape[1], memory.shape[2]
    w_e, w_c, w_s = w_state[:e], w_state[e : e + m], w_state[e + m :]
    new_state = (embedded @ w_e + context @ w_c + state @ w_s).tanh()
    readout = (context @ w_readout[:m] + new_state @ w_readout[m:]).tanh()
    return context, weights, new_state, readout
