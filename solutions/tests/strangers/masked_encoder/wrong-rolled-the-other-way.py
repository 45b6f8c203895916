# source: a learner who gets the sign of roll wrong
# mistake: after the flip the padding is rolled by +pad instead of -pad, so it still stands before the words
def masked_encoder(embedded, lengths, w_forward, w_backward, bias):
    n = embedded.shape[1]
    mask = torch.arange(n) < lengths.unsqueeze(1)

    def turn(x, sign):
        return torch.stack([row.flip(0).roll(sign * (n - int(k)), 0) for row, k in zip(x, lengths)])

    forwards = read(embedded, w_forward, bias)
    backwards = turn(read(turn(embedded, 1), w_backward, bias), 1)
    return torch.cat([forwards, backwards], -1) * mask.unsqueeze(-1), mask.unsqueeze(1)
