# source: written from the task's text, 2026-11
# mistake: the other start state only asks; the one behind the context in [c; s] stays the old one
import torch
from utils.masks import masked_softmax

def counterfactual(start, states, other_start, other_states, out, place, word):
    here = torch.nn.functional.one_hot(place, states.shape[1]).bool()

    def p(asks, h, allowed=None):
        scores = (h @ asks.unsqueeze(-1)).squeeze(-1) / asks.shape[-1] ** 0.5
        c = (masked_softmax(scores, allowed).unsqueeze(1) @ h).squeeze(1)
        logits = torch.cat([c, start], dim=-1) @ out.T
        return logits.softmax(-1).gather(1, word.unsqueeze(1)).squeeze(1)

    normal = p(start, states)
    spliced = normal - p(other_start, states)
    replaced = normal - p(start, torch.where(here.unsqueeze(-1), other_states, states))
    forbidden = normal - p(start, states, ~here)
    return spliced, replaced, forbidden
