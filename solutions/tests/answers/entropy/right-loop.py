# source: a learner who writes loops
import math

def entropy(weights):
    rows = weights.reshape(-1, weights.shape[-1])
    result = []
    for row in rows.tolist():
        h = 0.0
        for p in row:
            if p > 0:
                h -= p * math.log(p)
        result.append(h)
    return torch.tensor(result, dtype=weights.dtype).reshape(weights.shape[:-1])
