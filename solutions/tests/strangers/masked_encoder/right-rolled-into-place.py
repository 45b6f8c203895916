# source: a thinker: flip everything, then roll the padding to the end, and back
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    n = embedded.shape[1]
    mask = torch.arange(n) < lengths.unsqueeze(1)

    def turn(x):
        return torch.stack([row.flip(0).roll(-(n - int(k)), 0) for row, k in zip(x, lengths)])

    forwards = read(embedded, w_forward, bias)
    backwards = turn(read(turn(embedded), w_backward, bias))
    return torch.cat([forwards, backwards], -1) * mask.unsqueeze(-1), mask.unsqueeze(1)
