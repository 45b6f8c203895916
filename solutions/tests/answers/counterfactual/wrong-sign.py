# source: a learner who takes after minus before
# mistake: rises in place of falls
def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    def chance(s, h, mask):
        a = masked_softmax(torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5, mask)
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[rows, word]
    everything = torch.ones(states.shape[:2], dtype=torch.bool)
    allowed = everything.clone()
    allowed[rows, place] = False
    swapped = states.clone()
    swapped[rows, place] = other_states[rows, place]
    before = chance(start, states, everything)
    return (chance(other_start, states, everything) - before, chance(start, swapped, everything) - before,
            chance(start, states, allowed) - before)
