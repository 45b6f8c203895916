# source: a learner who forbids by wiping out
# mistake: to forbid a place its state is set to zero, which keeps a score of 0 and a share of the weights
def counterfactual(start, states, other_start, other_states, out, place, word):
    b = torch.arange(len(start))

    def chance(s, h):
        a = (torch.einsum("bd,bsd->bs", s, h) / s.shape[-1] ** 0.5).softmax(-1)
        c = torch.einsum("bs,bsd->bd", a, h)
        return (torch.cat([c, s], -1) @ out.T).softmax(-1)[b, word]

    swapped, wiped = states.clone(), states.clone()
    swapped[b, place] = other_states[b, place]
    wiped[b, place] = 0
    p = chance(start, states)
    return p - chance(other_start, states), p - chance(start, swapped), p - chance(start, wiped)
