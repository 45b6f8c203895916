# source: two slips at once, as a learner makes them
# mistake: multiplies by the temperature, and the softmax runs over the axis before the last
def softmax_with_temperature(scores, temperature):
    return torch.softmax(scores * temperature, dim=max(scores.dim() - 2, 0))
