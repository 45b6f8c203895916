# source: a learner who indexes [:, place]
# mistake: states[:, place] replaces the places of ALL sentences in every sentence
def counterfactual(start, states, other_start, other_states, out, place, word):
    b = torch.arange(len(start))

    def chance(s, h, mask):
        e = torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5
        c = torch.einsum("bs,bsd->bd", masked_softmax(e, mask), h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[b, word]

    everything = torch.ones(states.shape[:2], dtype=torch.bool)
    swapped, closed = states.clone(), everything.clone()
    swapped[:, place] = other_states[:, place]
    closed[:, place] = False
    p = chance(start, states, everything)
    return (
        p - chance(other_start, states, everything),
        p - chance(start, swapped, everything),
        p - chance(start, states, closed),
    )
