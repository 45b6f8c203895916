# source: a C programmer: walk along the line until the number is passed
def next_word(logits, temperature, k, uniform):
    kept = torch.full_like(logits, -torch.inf)
    top = logits.topk(k, dim=-1)
    kept.scatter_(1, top.indices, top.values / temperature)
    chances = kept.softmax(-1)
    words = []
    for row, u in zip(chances.double().tolist(), uniform.tolist()):
        end, drawn = 0.0, 0
        for i, p in enumerate(row):
            if p == 0:
                continue
            drawn = i
            end += p
            if u < end:
                break
        words.append(drawn)
    return chances, torch.tensor(words)
