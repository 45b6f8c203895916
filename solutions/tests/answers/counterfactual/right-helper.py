# source: a learner with a helper
def counterfactual(start, states, other_start, other_states, out, place, word):
    rows = torch.arange(len(start))
    def chance(s, h, mask=None):
        e = (h @ s.unsqueeze(-1)).squeeze(-1) / s.shape[-1] ** 0.5
        a = e.softmax(-1) if mask is None else masked_softmax(e, mask)
        c = (a.unsqueeze(-1) * h).sum(1)
        p = (torch.cat([c, s], -1) @ out.T).softmax(-1)
        return p[rows, word]
    before = chance(start, states)
    swapped = states.clone()
    swapped[rows, place] = other_states[rows, place]
    allowed = torch.ones(states.shape[:2], dtype=torch.bool)
    allowed[rows, place] = False
    return (
        before - chance(other_start, states),
        before - chance(start, swapped),
        before - chance(start, states, allowed),
    )
