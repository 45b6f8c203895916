# source: a language model, all sentences at once
def greedy_decoding(table, limit):
    batch = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    done = torch.zeros(len(table), dtype=torch.bool)
    ids = []
    for _ in range(limit):
        word = table[batch, word].argmax(-1)
        done = done | (word == EOS)
        ids.append(torch.where(done, PAD, word))
    ids = torch.stack(ids, dim=1)
    return ids, (ids != PAD).sum(1)
