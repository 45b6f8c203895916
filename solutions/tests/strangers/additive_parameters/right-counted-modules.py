# source: a practitioner who lets PyTorch count (meta tensors cost nothing)
def additive_parameters(query_dim, key_dim, attention_dim):
    def size(*layers, bias):
        return sum(i * o + (o if bias else 0) for i, o in layers)

    plain, split, joined = [], [], []
    for q, k, a in zip(query_dim.tolist(), key_dim.tolist(), attention_dim.tolist()):
        plain.append(size((q, a), (k, a), (a, 1), bias=False))
        split.append(size((q, a), (k, a), (a, 1), bias=True))
        joined.append(size((q + k, a), (a, 1), bias=True))
    return torch.tensor(plain), torch.tensor(split), torch.tensor(joined)
