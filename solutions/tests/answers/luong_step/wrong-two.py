# source: two slips at once
# mistake: no tanh around the attentional vector, and the mask is not used
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, fed, state], -1) @ W_update.T)
    a = torch.softmax(torch.einsum("bd,dk,bsk->bs", s, W, encoder_states), -1)
    c = torch.einsum("bs,bsk->bk", a, encoder_states)
    h = torch.cat([c, s], -1) @ W_c.T
    return h @ W_out.T, s, h, a
