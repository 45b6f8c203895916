# source: written from the task's text, 2026-11
import torch

def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))

    def chance(s, h, mask=None):
        e = torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5
        if mask is not None:
            e = e.masked_fill(~mask, torch.finfo(e.dtype).min)
        a = e.softmax(-1)
        if mask is not None:
            a = a * mask
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[rows, word]

    states = states.clone()
    normal = chance(start, states)
    spliced = normal - chance(other_start, states)
    states[rows, place] = other_states[rows, place]
    replaced = normal - chance(start, states)
    mask = torch.ones(states.shape[:2], dtype=torch.bool)
    mask[rows, place] = False
    forbidden = normal - chance(start, states, mask)
    return spliced, replaced, forbidden
