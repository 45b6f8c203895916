# source: two slips at once
# mistake: no scale, and total without the largest score taken out
def streaming_attention(query, keys, values, mask, block):
    scores = (query @ keys.mT).masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ values, torch.exp(scores).sum(-1)
