# source: a NumPy learner
import numpy as np

def score_variance(queries, keys, widths):
    q, k = queries.detach().numpy(), keys.detach().numpy()
    plain = [np.var((q[:, :d] * k[:, :d]).sum(1)) for d in widths]
    scaled = [np.var((q[:, :d] * k[:, :d]).sum(1) / np.sqrt(d)) for d in widths]
    return torch.tensor(np.array(plain)), torch.tensor(np.array(scaled))
