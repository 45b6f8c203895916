# source: two slips at once
# mistake: [s; c] in place of [c; s], and spliced takes the other states as well
def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    def chance(s, h, mask):
        a = masked_softmax(torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5, mask)
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([s, c], -1) @ out.T).softmax(-1)[rows, word]
    everything = torch.ones(states.shape[:2], dtype=torch.bool)
    allowed = everything.clone()
    allowed[rows, place] = False
    swapped = states.clone()
    swapped[rows, place] = other_states[rows, place]
    before = chance(start, states, everything)
    return (before - chance(other_start, other_states, everything), before - chance(start, swapped, everything),
            before - chance(start, states, allowed))
