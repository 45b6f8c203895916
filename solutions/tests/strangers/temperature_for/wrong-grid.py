# source: a learner with a grid of temperatures
# mistake: the nearest of 2,000 temperatures between 0.01 and 20 is not right to a thousandth, and rows of scores in the hundreds need hotter ones
def temperature_for(scores, words):
    grid = torch.linspace(0.01, 20, 2000)
    w = (scores.unsqueeze(-1) / grid).softmax(-2)
    h = torch.special.entr(w).sum(-2)
    return grid[(h.exp() - words).abs().argmin(-1)]
