# source: a learner who knows SciPy
import numpy as np
from scipy.optimize import brentq

def temperature_for(scores, words):
    rows = scores.reshape(-1, scores.shape[-1]).double().numpy()
    found = []
    for row in rows:
        row = row - row.max()
        def gap(log_t, row=row):
            p = np.exp(row / np.exp(log_t))
            p = p / p.sum()
            p = p[p > 0]
            return -(p * np.log(p)).sum() - np.log(words)
        found.append(np.exp(brentq(gap, -12, 16)))
    return torch.tensor(np.array(found), dtype=scores.dtype).reshape(scores.shape[:-1])
