# source: a Transformer person: everything is a softmax under a mask
def four_patterns(length):
    row, column = torch.arange(length)[:, None], torch.arange(length)[None, :]

    def share(allowed):
        return torch.zeros(length, length).masked_fill(~allowed, float("-inf")).softmax(-1)

    return (
        share(row == column),
        share(column == torch.clamp(row - 1, min=0)),
        share(((column == 0) | (column == length - 1)).expand(length, length)),
        share(column <= row),
    )
