# source: a learner with one place kept for <eos>
# mistake: the loop takes one step too few, so a sentence that never ends has limit - 1 words
def greedy_decoding(table, limit):
    b = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    ids = torch.full((len(table), limit), PAD)
    done = torch.zeros(len(table), dtype=torch.bool)
    for t in range(limit - 1):
        word = table[b, word].argmax(-1)
        done = done | (word == EOS)
        ids[:, t] = torch.where(done, PAD, word)
    return ids, (ids != PAD).sum(1)
