# source: written from the task's text, 2026-11
import torch
from utils.masks import masked_softmax

def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    n_word, n_mem, n_state = embedded.shape[-1], memory.shape[-1], state.shape[-1]
    weights = masked_softmax(torch.einsum("bi,ij,bsj->bs", state, w_score, memory), mask)
    context = (weights[:, None] @ memory)[:, 0]
    a, b, c = w_state.split([n_word, n_mem, n_state])
    new_state = (embedded @ a + context @ b + state @ c).tanh()
    r1, r2 = w_readout.split([n_mem, n_state])
    readout = (context @ r1 + new_state @ r2).tanh()
    return context, weights, new_state, readout
