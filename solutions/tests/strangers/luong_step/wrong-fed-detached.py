# source: a language model that detaches what comes from the step before
# mistake: input feeding is cut off from the gradient, so nothing is learned through the attentional vector fed in
def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, fed.detach(), state], -1) @ W_update.T)
    weights = masked_softmax(torch.einsum("bn,nk,bsk->bs", s, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", weights, encoder_states)
    h = torch.tanh(torch.cat([c, s], -1) @ W_c.T)
    return h @ W_out.T, s, h, weights
