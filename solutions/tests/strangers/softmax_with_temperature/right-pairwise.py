# source: a physicist, who knows the Boltzmann factor of a difference of energies
def softmax_with_temperature(scores, temperature):
    """Weights (..., src_len) from scores (..., src_len) and a number above 0."""
    # 1 / sum_k exp((e_k - e_j) / tau): an infinite sum gives a weight of 0, as it should
    differences = (scores.unsqueeze(-2) - scores.unsqueeze(-1)) / temperature
    return 1 / differences.exp().sum(-1)
