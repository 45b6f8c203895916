# source: a learner, sentence by sentence
def greedy_decoding(table, limit):
    ids = torch.full((len(table), limit), PAD)
    lengths = torch.zeros(len(table), dtype=torch.long)
    for b in range(len(table)):
        word = SOS
        for t in range(limit):
            word = int(table[b, word].argmax())
            if word == EOS:
                break
            ids[b, t] = word
            lengths[b] += 1
    return ids, lengths
