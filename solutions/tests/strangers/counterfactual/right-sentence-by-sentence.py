# source: a C programmer: one sentence at a time, the state really taken out of the list
import math
def counterfactual(start, states, other_start, other_states, out, place, word):
    """`spliced`, `replaced` and `forbidden`, each (batch,)."""

    def chance(s, h, w):
        c = torch.zeros_like(s)
        if len(h):
            c = torch.softmax(h @ s / math.sqrt(len(s)), 0) @ h
        return torch.softmax(out @ torch.cat([c, s]), 0)[w]

    falls = []
    for b in range(len(start)):
        s, h, j, w = start[b], states[b], int(place[b]), int(word[b])
        p = chance(s, h, w)
        swapped = h.clone()
        swapped[j] = other_states[b, j]
        without = torch.cat([h[:j], h[j + 1 :]])
        falls.append(
            torch.stack([p - chance(other_start[b], h, w), p - chance(s, swapped, w), p - chance(s, without, w)])
        )
    return tuple(torch.stack(falls).T)
