# source: a language model: F.linear and einsum
from torch.nn.functional import linear

def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = linear(torch.cat([word, fed, state], dim=-1), W_update).tanh()
    a = masked_softmax(torch.einsum("bd,dk,bsk->bs", s, W, encoder_states), mask)
    c = torch.einsum("bs,bsk->bk", a, encoder_states)
    h = linear(torch.cat([c, s], dim=-1), W_c).tanh()
    return linear(h, W_out), s, h, a
