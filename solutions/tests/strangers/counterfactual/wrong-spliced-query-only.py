# source: a learner for whom the start state only asks
# mistake: the spliced start state asks, but the old one still stands behind the context in [c; s]
def counterfactual(start, states, other_start, other_states, out, place, word):
    b = torch.arange(len(start))

    def chance(asks, h, closed=False):
        e = torch.einsum("bd,bsd->bs", asks, h) / asks.shape[-1] ** 0.5
        mask = torch.ones_like(e, dtype=torch.bool)
        if closed:
            mask[b, place] = False
        c = torch.einsum("bs,bsd->bd", masked_softmax(e, mask), h)
        return (torch.cat([c, start], -1) @ out.T).softmax(-1)[b, word]

    swapped = states.clone()
    swapped[b, place] = other_states[b, place]
    p = chance(start, states)
    return p - chance(other_start, states), p - chance(start, swapped), p - chance(start, states, True)
