# source: written from the task's text, 2026-11
# mistake: the state before and the fed vector change places in the update
import torch
from utils.masks import masked_softmax

def luong_step(word, state, fed, encoder_states, mask, W_update, W, W_c, W_out):
    s = torch.tanh(torch.cat([word, state, fed], dim=-1) @ W_update.T)
    e = torch.einsum("bi,ij,bsj->bs", s, W, encoder_states)
    a = masked_softmax(e, mask)
    c = torch.einsum("bs,bsd->bd", a, encoder_states)
    h = torch.tanh(torch.cat([c, s], dim=-1) @ W_c.T)
    return h @ W_out.T, s, h, a
