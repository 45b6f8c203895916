# source: a NumPy learner: computed in NumPy, handed back as a tensor
import numpy as np

def softmax_with_temperature(scores, temperature):
    e = scores.detach().numpy() / temperature
    e = e - e.max(axis=-1, keepdims=True)
    e = np.exp(e)
    return torch.from_numpy(e / e.sum(axis=-1, keepdims=True))
