# source: a numerical analyst: bisection of the logarithm, in double precision
import math
def temperature_for(scores, words):
    e = scores.double()
    e = e - e.amax(-1, keepdim=True)
    low = torch.full(e.shape[:-1], -30.0, dtype=torch.float64)
    high = torch.full(e.shape[:-1], 30.0, dtype=torch.float64)
    for _ in range(80):
        mid = (low + high) / 2
        log_p = (e / mid.exp().unsqueeze(-1)).log_softmax(-1)
        h = -(log_p.exp() * log_p.clamp(min=-1e300)).sum(-1)
        too_many = h > math.log(words)
        high = torch.where(too_many, mid, high)
        low = torch.where(too_many, low, mid)
    return ((low + high) / 2).exp().to(scores.dtype)
