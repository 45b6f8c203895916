# source: a user of nn.MultiheadAttention
# mistake: the mask the other way round
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, float("-inf")).softmax(-1).nan_to_num(0.0)
