# source: a language model: the distribution class of PyTorch
from torch.distributions import Categorical

def entropy(weights):
    return Categorical(probs=weights).entropy()
