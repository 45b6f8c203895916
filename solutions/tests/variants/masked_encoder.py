"""Right answers, written in other ways."""

import torch


def _run(vectors, mask, matrix, bias):
    """Where there is padding, the state stays what it was."""
    state = vectors.new_zeros(len(vectors), matrix.shape[1])
    states = []
    for vector, real in zip(vectors.unbind(1), mask.unbind(1), strict=True):
        new = (torch.cat([vector, state], dim=1) @ matrix + bias).tanh()
        state = torch.where(real.unsqueeze(1), new, state)
        states.append(state * real.unsqueeze(1))
    return torch.stack(states, dim=1)


def waiting_in_the_padding(embedded, lengths, w_forward, w_backward, bias):
    mask = torch.arange(embedded.shape[1])[None] < lengths[:, None]
    forwards = _run(embedded, mask, w_forward, bias)
    backwards = _run(embedded.flip(1), mask.flip(1), w_backward, bias).flip(1)
    return torch.cat([forwards, backwards], 2), mask[:, None]


def sentence_by_sentence(embedded, lengths, w_forward, w_backward, bias):
    batch, longest, _ = embedded.shape
    states = embedded.new_zeros(batch, longest, 2 * len(bias))
    mask = torch.zeros(batch, 1, longest, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        words, real = embedded[row : row + 1, :length], torch.ones(1, length, dtype=torch.bool)
        forwards = _run(words, real, w_forward, bias)
        backwards = _run(words.flip(1), real, w_backward, bias).flip(1)
        states[row, :length] = torch.cat([forwards, backwards], dim=2)[0]
        mask[row, 0, :length] = True
    return states, mask


def packed_by_torch(embedded, lengths, w_forward, w_backward, bias):
    _, longest, width = embedded.shape
    run = torch.nn.RNN(width, len(bias), bidirectional=True, batch_first=True)
    pack, unpack = (
        torch.nn.utils.rnn.pack_padded_sequence,
        torch.nn.utils.rnn.pad_packed_sequence,
    )
    given = {"bias_ih_l0": bias, "bias_hh_l0": 0 * bias}
    given |= {"bias_ih_l0_reverse": bias, "bias_hh_l0_reverse": 0 * bias}
    for end, matrix in (("", w_forward), ("_reverse", w_backward)):
        given[f"weight_ih_l0{end}"] = matrix[:width].T
        given[f"weight_hh_l0{end}"] = matrix[width:].T
    packed = pack(embedded, lengths, batch_first=True, enforce_sorted=False)
    packed, _ = torch.func.functional_call(run, given, (packed,))
    states, _ = unpack(packed, batch_first=True, total_length=longest)
    return states, (torch.arange(longest) < lengths[:, None]).unsqueeze(1)


def step_by_step_from_behind(embedded, lengths, w_forward, w_backward, bias):
    longest = embedded.shape[1]
    mask = torch.stack([torch.arange(longest) < length for length in lengths])
    there = embedded.new_zeros(len(embedded), len(bias))
    back = there
    ahead, behind = [], []
    for place in range(longest):
        there = torch.tanh(torch.hstack([embedded[:, place], there]) @ w_forward + bias)
        ahead.append(there)
    for place in reversed(range(longest)):
        back = torch.tanh(torch.hstack([embedded[:, place], back]) @ w_backward + bias)
        back = back * mask[:, place, None]
        behind.insert(0, back)
    states = torch.cat([torch.stack(ahead, 1), torch.stack(behind, 1)], dim=-1)
    return states.masked_fill(~mask[:, :, None], 0.0), mask.reshape(-1, 1, longest)
