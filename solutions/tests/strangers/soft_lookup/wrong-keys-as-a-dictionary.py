# source: a Python person who thinks of dict look-up
# mistake: keys that are alike are made one, so their values are lost and the weights have fewer columns
def soft_lookup(query, keys, values):
    store = {tuple(k.tolist()): v for k, v in zip(keys, values)}
    k = torch.tensor(list(store))
    v = torch.stack(list(store.values()))
    weights = (query @ k.T).softmax(-1)
    return weights @ v, weights
