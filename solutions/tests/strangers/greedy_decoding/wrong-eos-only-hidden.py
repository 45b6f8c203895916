# source: a learner who replaces <eos> by padding and goes on
# mistake: only the <eos> itself becomes padding; the noise behind it is written on
def greedy_decoding(table, limit):
    b = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    steps = []
    for _ in range(limit):
        word = table[b, word].argmax(-1)
        steps.append(word)
    ids = torch.stack(steps, 1)
    ids = ids.masked_fill(ids == EOS, PAD)
    return ids, (ids != PAD).sum(1)
