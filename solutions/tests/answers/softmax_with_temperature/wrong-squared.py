# source: a language model that mixes this up with another scale
# mistake: divides by the root of the temperature
def softmax_with_temperature(scores, temperature):
    return (scores / temperature ** 0.5).softmax(-1)
