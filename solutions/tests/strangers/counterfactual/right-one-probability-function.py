# source: a scientist: one function, called four times
def counterfactual(start, states, other_start, other_states, out, place, word):
    here = nn.functional.one_hot(place, states.shape[1]).bool()

    def chance(s, h, hidden=None):
        e = (h @ s.unsqueeze(-1)).squeeze(-1) / s.shape[-1] ** 0.5
        if hidden is not None:
            e = e.masked_fill(hidden, -torch.inf)
        a = e.softmax(-1).nan_to_num(0.0)
        c = (a.unsqueeze(-1) * h).sum(1)
        p = (torch.cat([c, s], -1) @ out.T).softmax(-1)
        return p.gather(1, word[:, None])[:, 0]

    before = chance(start, states)
    replaced = torch.where(here[..., None], other_states, states)
    return (
        before - chance(other_start, states),
        before - chance(start, replaced),
        before - chance(start, states, hidden=here),
    )
