"""Right answers, written in other ways."""

import torch


def entry_by_entry(n):
    itself, before, ends, so_far = (torch.zeros(n, n) for _ in range(4))
    for row in range(n):
        itself[row, row] = 1
        before[row, max(0, row - 1)] = 1
        ends[row, 0] += 0.5
        ends[row, n - 1] += 0.5
        so_far[row, : row + 1] = 1 / (row + 1)
    return itself, before, ends, so_far


def by_positions(length):
    place = torch.arange(length)
    rows, columns = place[:, None], place[None, :]
    ends = ((columns == 0) | (columns == length - 1)).double().expand(length, length)
    so_far = (columns <= rows).double()
    return (
        (rows == columns).double(),
        (columns == (rows - 1).clamp(min=0)).double(),
        ends / ends.sum(1, keepdim=True),
        so_far / so_far.sum(1, keepdim=True),
    )


def by_softmax(length):
    never = float("-inf")
    place = torch.arange(length)
    allowed = [
        place[:, None] == place,
        (place[:, None] - 1).clamp(min=0) == place,
        ((place == 0) | (place == length - 1)).expand(length, length),
        torch.ones(length, length, dtype=torch.bool).tril(),
    ]
    return [torch.zeros(length, length).masked_fill(~one, never).softmax(-1) for one in allowed]


def by_rolling(length):
    eye = torch.diag(torch.ones(length))
    before = eye.roll(1, 0)
    before[0] = eye[0]
    ends = torch.ones(length, 1) * (eye[:1] + eye[-1:]) / 2
    return (
        eye,
        before,
        ends,
        torch.ones(length, length).tril() / torch.arange(1, length + 1)[:, None],
    )
