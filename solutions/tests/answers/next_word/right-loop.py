# source: a learner who walks along the line
def next_word(logits, temperature, k, uniform):
    chances, words = [], []
    for row, u in zip(logits / temperature, uniform.tolist()):
        keep = set(row.topk(k).indices.tolist())
        row = torch.stack([x if i in keep else x.new_tensor(-torch.inf) for i, x in enumerate(row)])
        p = row.softmax(-1)
        end, drawn = 0.0, None
        for i, share in enumerate(p.tolist()):
            end += share
            if share > 0:
                last = i
            if u < end:
                drawn = i
                break
        chances.append(p)
        words.append(last if drawn is None else drawn)
    return torch.stack(chances), torch.tensor(words)
