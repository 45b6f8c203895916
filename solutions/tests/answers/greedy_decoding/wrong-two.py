# source: two slips at once
# mistake: <eos> is written and counted
def greedy_decoding(table, limit):
    ids = torch.full((len(table), limit), PAD)
    lengths = torch.zeros(len(table), dtype=torch.long)
    for b in range(len(table)):
        word = SOS
        for t in range(limit):
            word = int(table[b, word].argmax())
            ids[b, t] = word
            lengths[b] += 1
            if word == EOS:
                break
    return ids, lengths
