# source: a learner, sentence by sentence
def counterfactual(start, states, other_start, other_states, out, place, word):
    def chance(s, h, w):
        if len(h):
            a = torch.softmax(h @ s / len(s) ** 0.5, 0)
            c = a @ h
        else:
            c = torch.zeros_like(s)
        return torch.softmax(out @ torch.cat([c, s]), 0)[w]
    falls = []
    for b in range(len(start)):
        s, h, p, w = start[b], states[b], int(place[b]), int(word[b])
        before = chance(s, h, w)
        mixed = torch.cat([h[:p], other_states[b, p : p + 1], h[p + 1 :]])
        without = torch.cat([h[:p], h[p + 1 :]])
        falls.append(torch.stack([before - chance(other_start[b], h, w), before - chance(s, mixed, w), before - chance(s, without, w)]))
    return torch.stack(falls).unbind(1)
