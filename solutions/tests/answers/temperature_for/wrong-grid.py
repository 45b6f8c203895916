# source: a learner who tries a thousand temperatures
# mistake: a grid that is too coarse, and ends at 100
def temperature_for(scores, words):
    grid = torch.linspace(0.01, 100, 1000)
    p = (scores[..., None, :] / grid[:, None]).softmax(-1)
    h = torch.special.entr(p).sum(-1).exp()
    return grid[(h - words).abs().argmin(-1)]
