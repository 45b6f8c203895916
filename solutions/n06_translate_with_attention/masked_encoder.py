"""The task “Padding in the encoder”: right answers and known mistakes."""

import torch

from solutions.cases import as_view, doubled, padded
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import joined_times
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def inputs(lengths, src_len, size=(3, 4)):
        embedding_dim, hidden_dim = size
        return {
            "embedded": draw.numbers(len(lengths), src_len, embedding_dim, reach=1.5),
            "lengths": torch.tensor(lengths),
            "w_forward": draw.numbers(embedding_dim + hidden_dim, hidden_dim, reach=0.7),
            "w_backward": draw.numbers(embedding_dim + hidden_dim, hidden_dim, reach=0.7),
            "bias": draw.numbers(hidden_dim, reach=0.5) + 0.6,
        }

    precise = inputs([1, 3], 3, (5, 2))
    view = inputs([2, 5], 5)
    return [
        Case("two sentences of four words and two", inputs([4, 2], 4)),
        Case("no padding", inputs([3, 3, 3], 3, (2, 5))),
        Case("one sentence, with padding all the same", inputs([3], 5)),
        Case("a sentence of one word", inputs([1, 6, 4], 6, (4, 2))),
        Case("sentences of one word each", inputs([1, 1], 1)),
        Case("float64", doubled(precise)),
        Case("vectors that are a transposed view", view | {"embedded": as_view(view["embedded"])}),
    ]


def _read(vectors, matrix, bias):
    state = vectors.new_zeros(len(vectors), len(bias))
    states = []
    for column in vectors.unbind(1):
        state = torch.tanh(joined_times((column, state), matrix) + bias)
        states.append(state)
    return torch.stack(states, 1)


def _own_turn(vectors, lengths):
    """Reverse each sentence within its own length."""
    rows = [
        torch.cat([row[:n].flip(0), row[n:]])
        for row, n in zip(vectors, lengths.tolist(), strict=True)
    ]
    return torch.stack(rows)


def _encoder(
    before=lambda vectors, mask: vectors,
    turn=_own_turn,
    back=_own_turn,
    after=lambda states, mask: states * mask.unsqueeze(2),
    mask_made=lambda mask: mask.unsqueeze(1),
):
    """Return a bidirectional encoder with some parts replaced."""

    def encoder(embedded, lengths, w_forward, w_backward, bias):
        mask = padded(lengths.tolist(), embedded.shape[1])
        vectors = before(embedded, mask)
        backwards = back(_read(turn(vectors, lengths), w_backward, bias), lengths)
        states = torch.cat([_read(vectors, w_forward, bias), backwards], 2)
        return after(states, mask), mask_made(mask)

    return encoder


def _whole_turn(vectors, lengths):
    return vectors.flip(1)


def _run(vectors, mask, matrix, bias):
    """Run a recurrent layer whose state stays what it was on padding."""
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


def half_by_half(embedded, lengths, w_forward, w_backward, bias):
    """Turn the backward states of each sentence by themselves, and empty both halves."""
    mask = padded(lengths.tolist(), embedded.shape[1])
    forwards = _read(embedded, w_forward, bias) * mask.unsqueeze(2)
    backwards = []
    for words, length in zip(embedded, lengths.tolist(), strict=True):
        read = _read(words[:length].flip(0).unsqueeze(0), w_backward, bias)[0].flip(0)
        backwards.append(torch.cat([read, bias.new_zeros(len(words) - length, len(bias))]))
    return torch.cat([forwards, torch.stack(backwards)], 2), mask.unsqueeze(1)


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


def by_places(embedded, lengths, w_forward, w_backward, bias):
    places = torch.arange(embedded.shape[1])
    mask = places < lengths[:, None]
    order = (lengths[:, None] - 1 - places).clamp(min=0)  # what stands at padding does not matter
    rows = torch.arange(len(lengths))[:, None]
    forwards = _read(embedded, w_forward, bias)
    backwards = _read(embedded[rows, order], w_backward, bias)[rows, order]
    return torch.cat([forwards, backwards], -1) * mask[..., None], mask.unsqueeze(1)


exercise = Exercise(
    id="masked_encoder",
    title="Padding in the encoder",
    points=4,
    difficulty=3,
    minutes=15,
    section="06.2",
    learns=True,
    outputs=["states", "mask"],
    shortcuts=["assembly", "Parts"],
    cases=cases,
    hints=[
        "A sentence alone, and the same sentence with two words of padding behind it. Which of the "
        "two directions notices, and at which word does it notice first?",
        "The backward direction has to begin at each sentence's own last word. So turn each "
        "sentence round within its own length, and leave the padding behind it.",
        "In a loop over the sentences: `row[:n].flip(0)` turns the words round, `torch.cat` puts "
        "the padding back behind them, `torch.stack` makes a batch of the rows. Read that, then "
        "turn the states back in the same way. At last, multiply the states by the mask, which "
        "needs an axis of length 1 at its end.",
    ],
    mistakes={
        "the bug as it was": WrongAnswer(
            _encoder(turn=_whole_turn, back=_whole_turn, after=lambda states, mask: states),
            "The bug is still there. The backward direction reads the padding first, so that a "
            "short sentence gets other states beside a long one than it gets alone; and the "
            "states at padding are not 0.",
            "What has the backward network read when it comes to a sentence's last word?",
            misconception="padding-is-harmless",
        ),
        "only set to 0 afterwards": WrongAnswer(
            _encoder(turn=_whole_turn, back=_whole_turn),
            "You set the states at padding to 0 after reading. By then the backward direction has "
            "carried what it read there into the states of the words.",
            "Encode a sentence alone, then with padding behind it. Are its states the same?",
            misconception="padding-is-harmless",
        ),
        "padding's vectors set to 0": WrongAnswer(
            _encoder(
                before=lambda vectors, mask: vectors * mask.unsqueeze(2),
                turn=_whole_turn,
                back=_whole_turn,
            ),
            "You set the vectors of padding to 0 before reading. The backward network still takes "
            "a step for each of them, and its bias moves the state.",
            "What is tanh of 0 times a matrix plus the bias?",
            misconception="padding-is-harmless",
        ),
        "states left at padding": WrongAnswer(
            _encoder(after=lambda states, mask: states),
            "At padding, states are left that should be 0.",
            "Which tensor tells where the words are?",
            misconception="padding-is-harmless",
        ),
        "not turned back": WrongAnswer(
            _encoder(back=lambda states, lengths: states),
            "Your backward states stand in the order in which they were made: that of the last "
            "word comes first. Beside a word's forward state lies, as a rule, another word's "
            "backward state.",
            "Which backward state has seen the whole sentence, and at which word does it belong?",
            misconception="row-is-word",
        ),
        "turned back as a whole": WrongAnswer(
            _encoder(back=_whole_turn),
            "The words were turned round within their sentences, the states along the whole "
            "padded length. So backward states of short sentences have slipped into the padding.",
            "What undoes a turn within the sentence's own length?",
            misconception="row-is-sentence",
        ),
        "forward twice": WrongAnswer(
            _encoder(turn=lambda vectors, lengths: vectors, back=lambda states, lengths: states),
            "Both of your networks read from left to right. No state knows what comes after it.",
            "What has to happen to the words before the second network reads them?",
            misconception="wrong-end",
        ),
        "mask the other way round": WrongAnswer(
            _encoder(mask_made=lambda mask: ~mask.unsqueeze(1)),
            "Your mask is `True` at the padding. In the course `True` means: may be attended to.",
            "At which places does the decoder have something to look at?",
            misconception="mask-upside-down",
        ),
        "mask without the middle axis": WrongAnswer(
            _encoder(mask_made=lambda mask: mask),
            "Your mask has the shape (batch, src_len). Beside weights of shape (batch, tgt_len, "
            "src_len) its first axis would be taken for the target words.",
            "Which axis of length 1 says: the same for every target word?",
            misconception="axes-anywhere",
        ),
        "every place a word": WrongAnswer(
            lambda embedded, lengths, *matrices: _encoder()(
                embedded, torch.full_like(lengths, embedded.shape[1]), *matrices
            ),
            "All places count as words in your states and in your mask. If you look for padding by "
            "vectors that are 0: those of padding are not 0, as soon as anything is added to them.",
            "Which input says where a sentence ends?",
            misconception="input-unused",
        ),
    },
    variants=[
        waiting_in_the_padding,
        sentence_by_sentence,
        half_by_half,
        packed_by_torch,
        step_by_step_from_behind,
        by_places,
    ],
)
