# source: a learner whose length includes the end mark
# mistake: the lengths count <eos> as a word
def greedy_decoding(table, limit):
    b = torch.arange(len(table))
    word = torch.full((len(table),), SOS)
    ids = torch.full((len(table), limit), PAD)
    lengths = torch.full((len(table),), limit)
    done = torch.zeros(len(table), dtype=torch.bool)
    for t in range(limit):
        word = table[b, word].argmax(-1)
        ended = (word == EOS) & ~done
        lengths[ended] = t + 1
        done |= ended
        ids[~done, t] = word[~done]
    return ids, lengths
