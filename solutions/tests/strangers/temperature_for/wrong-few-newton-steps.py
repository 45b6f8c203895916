# source: a mathematician: Newton's method from a temperature of 1
# mistake: twenty undamped steps with a clamp diverge or stop short where the start is far from the answer
import math
def temperature_for(scores, words):
    e = scores.double()
    t = torch.ones(e.shape[:-1], dtype=torch.float64)
    for _ in range(20):
        p = (e / t[..., None]).softmax(-1)
        h = torch.special.entr(p).sum(-1)
        mean = (p * e).sum(-1)
        var = (p * e * e).sum(-1) - mean**2
        slope = var / t**3
        t = (t - (h - math.log(words)) / slope.clamp(min=1e-9)).clamp(1e-3, 1e3)
    return t.float()
