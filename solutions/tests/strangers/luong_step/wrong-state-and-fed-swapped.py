# source: a learner used to [y; s; h]
# mistake: the old state stands before the attentional vector in the update
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, state, fed], -1) @ W_update.T)
    weights = masked_softmax(torch.einsum("bn,nk,bsk->bs", s, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", weights, encoder_states)
    h = torch.tanh(torch.cat([c, s], -1) @ W_c.T)
    return h @ W_out.T, s, h, weights
