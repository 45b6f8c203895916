# source: a language model that samples
# mistake: draws the next word by chance, from a very cold softmax
def greedy_decoding(table, limit):
    batch = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    done = torch.zeros(len(table), dtype=torch.bool)
    ids = []
    for _ in range(limit):
        chances = torch.softmax(table[batch, word] * 2, dim=-1)
        word = torch.multinomial(chances, 1).squeeze(1)
        done = done | (word == EOS)
        ids.append(torch.where(done, PAD, word))
    ids = torch.stack(ids, dim=1)
    return ids, (ids != PAD).sum(1)
