# source: somebody from information theory, bits first, and the conversion the wrong way
# mistake: bits are divided by ln 2 again instead of multiplied by it
import math
def entropy(weights):
    bits = -torch.where(weights > 0, weights * torch.log2(weights), 0.0).sum(-1)
    return bits / math.log(2)
