# source: a learner who reads each sentence alone
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    batch, src_len, _ = embedded.shape
    hidden = len(bias)
    states = torch.zeros(batch, src_len, 2 * hidden)
    mask = torch.zeros(batch, 1, src_len, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        if n == 0:
            continue
        words = embedded[b : b + 1, :n]
        states[b, :n, :hidden] = read(words, w_forward, bias)[0]
        states[b, :n, hidden:] = read(words.flip(1), w_backward, bias).flip(1)[0]
        mask[b, 0, :n] = True
    return states, mask
