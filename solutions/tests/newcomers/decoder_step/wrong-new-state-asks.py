# source: written from the task's text, 2026-11
# mistake: Luong's order: the new state, made with a context of the old weights, asks again
import torch
from utils.masks import masked_softmax

def decoder_step(embedded, state, memory, mask, w_score, w_state, w_readout):
    def look(s):
        scores = torch.einsum("bm,bsm->bs", s @ w_score, memory)
        weights = masked_softmax(scores, mask)
        return weights, torch.einsum("bs,bsm->bm", weights, memory)

    weights, context = look(state)
    new_state = torch.tanh(torch.cat([embedded, context, state], dim=1) @ w_state)
    weights, context = look(new_state)
    readout = torch.tanh(torch.cat([context, new_state], dim=1) @ w_readout)
    return context, weights, new_state, readout
