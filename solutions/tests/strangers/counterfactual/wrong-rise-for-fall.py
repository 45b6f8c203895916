# source: a learner who subtracts the old from the new
# mistake: the signs are turned: a fall comes out negative
def counterfactual(start, states, other_start, other_states, out, place, word):
    b = torch.arange(len(start))

    def chance(s, h, closed=False):
        e = torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5
        mask = torch.ones_like(e, dtype=torch.bool)
        if closed:
            mask[b, place] = False
        c = torch.einsum("bs,bsd->bd", masked_softmax(e, mask), h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[b, word]

    swapped = states.clone()
    swapped[b, place] = other_states[b, place]
    p = chance(start, states)
    return chance(other_start, states) - p, chance(start, swapped) - p, chance(start, states, True) - p
