# source: a Python person: a while loop for each sentence
def greedy_decoding(table, limit):
    ids = torch.full((len(table), limit), PAD)
    lengths = torch.zeros(len(table), dtype=torch.long)
    for b, scores in enumerate(table):
        word, written = SOS, []
        while len(written) < limit:
            word = int(scores[word].argmax())
            if word == EOS:
                break
            written.append(word)
        ids[b, : len(written)] = torch.tensor(written, dtype=torch.long)
        lengths[b] = len(written)
    return ids, lengths
