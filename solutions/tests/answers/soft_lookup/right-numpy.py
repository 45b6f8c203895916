# source: a NumPy learner
import numpy as np

def soft_lookup(query, keys, values):
    q, k, v = query.detach().numpy(), keys.detach().numpy(), values.detach().numpy()
    scores = np.dot(q, k.T)
    e = np.exp(scores - scores.max(axis=1)[:, None])
    w = e / e.sum(axis=1)[:, None]
    return torch.tensor(w @ v), torch.tensor(w)
