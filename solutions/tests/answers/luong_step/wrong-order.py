# source: a learner who joins state and fed the other way round
# mistake: [y; s; h~] in the update
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, state, fed], -1) @ W_update.T)
    a = masked_softmax(torch.einsum("bd,dk,bsk->bs", s, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", a, encoder_states)
    h = torch.tanh(torch.cat([c, s], -1) @ W_c.T)
    return h @ W_out.T, s, h, a
