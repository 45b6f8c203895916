# source: a learner who forgets that a sentence has ended
# mistake: goes on after <eos>, where the table says something else
def greedy_decoding(table, limit):
    batch = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    ids = []
    for _ in range(limit):
        word = table[batch, word].argmax(-1)
        ids.append(torch.where(word == EOS, PAD, word))
    ids = torch.stack(ids, dim=1)
    return ids, (ids != PAD).sum(1)
