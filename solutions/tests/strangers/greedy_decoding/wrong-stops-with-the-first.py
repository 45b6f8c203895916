# source: a learner whose loop breaks at the first <eos> of the batch
# mistake: as soon as one sentence ends, all others are cut off
def greedy_decoding(table, limit):
    b = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    ids = torch.full((len(table), limit), PAD)
    for t in range(limit):
        word = table[b, word].argmax(-1)
        if (word == EOS).any():
            break
        ids[:, t] = word
    return ids, (ids != PAD).sum(1)
