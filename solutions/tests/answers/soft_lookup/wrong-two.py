# source: two slips at once
# mistake: softmax over the queries, and the results in the wrong order
def soft_lookup(query, keys, values):
    weights = torch.softmax(query @ keys.T, dim=0)
    return weights, weights @ values
