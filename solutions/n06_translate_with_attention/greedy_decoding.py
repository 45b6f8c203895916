"""The task “Greedy decoding of a batch”: right answers and known mistakes."""

from itertools import pairwise

import torch

from solutions.cases import as_view
from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.corpora import EOS, PAD, SOS


def cases(draw: Draw) -> list[Case]:
    def table(lengths, vocab=11):
        """Return tables that write so many words, then `<eos>`, and words again after that."""
        order = torch.stack([draw.order(vocab * vocab) for _ in lengths]).float()
        scores = order.reshape(len(lengths), vocab, vocab) / 100  # no two alike
        scores[:, :, [PAD, SOS]] -= 9  # never written
        for own, length in zip(scores, lengths, strict=True):
            words = (4 + draw.order(vocab - 4)).tolist()
            path = [SOS, *words[:length], EOS, words[0]]
            if length >= len(words):  # a circle that never ends
                path = [SOS, *words, words[0]]
            elif length == 0:
                path = [SOS, EOS, words[0], words[1], EOS]
            for before, after in pairwise(path):
                own[before, after] = own[before].max() + 0.02  # nothing for chance to decide
        return scores

    return [
        Case("three sentences of four words, one and two", {"table": table([4, 1, 2]), "limit": 6}),
        Case("one sentence", {"table": table([3]), "limit": 5}),
        Case("an empty translation beside others", {"table": table([2, 0, 3], 8), "limit": 4}),
        Case("one that never ends", {"table": table([9, 3], 9), "limit": 8}),
        Case("a limit that cuts in the middle", {"table": table([5, 2, 4, 1], 10), "limit": 3}),
        Case("a limit of one word", {"table": table([2, 1]), "limit": 1}),
        Case("float64", {"table": table([1, 4], 9).double(), "limit": 6}),
        Case("a table that is a transposed view", {"table": as_view(table([3, 2])), "limit": 5}),
    ]


def _written(table, limit, first=SOS):
    """Return what would be written if nothing ended, (batch, limit)."""
    rows = torch.arange(len(table))
    words = [torch.full((len(table),), first)]
    for _ in range(limit):
        words.append(table[rows, words[-1]].argmax(1))
    return torch.stack(words[1:], 1)


def _until(words, ended):
    """Return the words before the first mark, filled up with padding, and their number."""
    kept = ended.cumsum(1) == 0
    return words.masked_fill(~kept, PAD), kept.sum(1)


def _greedy(write):
    def greedy(table, limit):
        words = write(table, limit)
        return _until(words, words == EOS)

    return greedy


def _end_kept(table, limit):
    words = _written(table, limit)
    ended = words == EOS
    return _until(words, (ended.cumsum(1) - ended.long()) > 0)


def _never_stops(table, limit):
    words = _written(table, limit)
    return words, torch.full((len(table),), limit)


def _filled(table, limit):
    words = _written(table, limit)
    kept = (words == EOS).cumsum(1) == 0
    return words.masked_fill(~kept, EOS), kept.sum(1)


def _waits(table, limit):
    words = _written(table, limit)
    done = (words == EOS).cumsum(1).bool().all(0)  # (limit,)
    words = words.masked_fill(done.roll(1) & (torch.arange(limit) > 0), PAD)
    return words, (words != PAD).sum(1)


def _at_once(table, limit):
    words = _written(table, limit)
    over = (words == EOS).all(0).cumsum(0) > 0  # (limit,)
    words = words.masked_fill(over, PAD)
    return words, (words != PAD).sum(1)


def _holes(table, limit):
    words = _written(table, limit)
    return words.masked_fill(words == EOS, PAD), (words != EOS).sum(1)


def _all_stop(table, limit):
    words = _written(table, limit)
    return _until(words, (words == EOS).any(0).expand(words.shape))


def _sos_kept(table, limit):
    words = _written(table, limit)
    words = torch.cat([torch.full((len(table), 1), SOS), words], 1)[:, :limit]
    return _until(words, words == EOS)


def _end_counted(table, limit):
    words = _written(table, limit)
    ids, lengths = _until(words, words == EOS)
    return ids, lengths + (words == EOS).any(1)


def in_loops(table, limit):
    rows = [_one(own, limit) for own in table.tolist()]
    ids = torch.tensor([row + [0] * (limit - len(row)) for row in rows])
    return ids, torch.tensor([len(row) for row in rows])


def _one(own, limit):
    words, last = [], 2
    while len(words) < limit:
        last = max(range(len(own)), key=own[last].__getitem__)
        if last == 3:
            break
        words.append(last)
    return words


def all_first_then_cut(table, limit):
    word = torch.full((len(table),), 2)
    columns = []
    for _ in range(limit):
        rows = table.gather(1, word[:, None, None].expand(-1, 1, table.shape[2]))
        word = rows.squeeze(1).argmax(dim=1)
        columns.append(word)
    ids = torch.stack(columns, dim=1)
    before_the_end = (ids == 3).cumsum(1) == 0
    return ids * before_the_end, before_the_end.sum(dim=1)


def with_a_break(scores, most):
    batch = len(scores)
    best = scores.argmax(-1)  # all at once: the table does not change
    ids = torch.zeros(batch, most, dtype=torch.long)
    lengths = torch.zeros(batch, dtype=torch.long)
    word, done = torch.full((batch,), 2), torch.zeros(batch, dtype=torch.bool)
    for step in range(most):
        word = best[torch.arange(batch), word]
        done |= word == 3
        if done.all():
            break
        ids[:, step] = torch.where(done, 0, word)
        lengths += ~done
    return ids, lengths


def leaving_the_batch(table, limit):
    ids = torch.zeros(len(table), limit, dtype=torch.int64)
    left, words = torch.arange(len(table)), torch.full((len(table),), 2)
    for step in range(limit):
        words = table[left, words].max(-1).indices
        left, words = left[words != 3], words[words != 3]
        ids[left, step] = words
    return ids, ids.ne(0).sum(1)


exercise = Exercise(
    id="greedy_decoding",
    title="Greedy decoding of a batch",
    points=4,
    difficulty=2,
    minutes=15,
    section="06.7",
    outputs=["ids", "lengths"],
    cases=cases,
    shortcuts=["assembly", "Parts"],
    equivalents={
        "lengths = (ids != PAD).sum(1)": IN_A_MATRIX,
        "words = scores.argmax(1)": IN_A_MATRIX,
    },
    hints=[
        "Sentence 0 has written `<eos>`, sentence 1 has not. What must still happen in the next "
        "step, and what must not?",
        "Keep a boolean for each sentence: is it still being written? Once it is `False` it stays "
        "so. Which entries of `ids` may a step fill in?",
        "In a loop: `scores, state = step(words, state)`, and `scores.argmax(-1)` are the next "
        "words. Then `going &= words != EOS`; then fill the column of this step of `ids` in the "
        "rows that are going, and nowhere else. The lengths are the number of entries that are "
        "not padding.",
    ],
    mistakes={
        "end sign counted": WrongAnswer(
            _end_counted,
            "Your lengths count `<eos>` as a word.",
            "How many words does an empty translation have?",
            misconception="marks-are-words",
        ),
        "end sign left in": WrongAnswer(
            _end_kept,
            "Your sentences end with `<eos>`. It says that the translation is over, and is no "
            "part of it.",
            "Does `<eos>` belong before or after the moment in which you ask whether to go on?",
            misconception="marks-are-words",
        ),
        "never stops": WrongAnswer(
            _never_stops,
            "All of your sentences go on up to the limit. `<eos>` is written like any other word, "
            "and what the model says after it is noise.",
            "What should a sentence do from its `<eos>` on?",
            misconception="finished-goes-on",
        ),
        "filled with end signs": WrongAnswer(
            _filled,
            "Your sentences stop in the right place, and the rest of the row is filled with "
            "`<eos>`. Asked was padding.",
            "Which special word says that there is nothing?",
            misconception="marks-are-words",
        ),
        "waits for the last": WrongAnswer(
            _waits,
            "Your loop ends when all sentences have ended, and until then it goes on writing in "
            "those that were done before. The shorter translations have a tail of noise.",
            "Which rows of `ids` may a step fill in?",
            misconception="finished-goes-on",
        ),
        "wakes up again": WrongAnswer(
            _holes,
            "You leave `<eos>` itself out, and go on with what follows it. Whether a sentence goes "
            "on has to be remembered; to look at the newest word alone is not enough.",
            "Once `going` is `False`, can it become `True` again?",
            misconception="finished-goes-on",
        ),
        "all stop with the first": WrongAnswer(
            _all_stop,
            "All of your sentences stop as soon as one of them is done. Each has its own end.",
            "`any` or `all`: when may the loop as a whole be left?",
            misconception="one-for-all",
        ),
        "begins with padding": WrongAnswer(
            _greedy(lambda table, limit: _written(table, limit, first=PAD)),
            "Your sentences begin after `<pad>`, word 0. A translation begins after `<sos>`.",
            "Which word has the decoder read when it writes its first one?",
            misconception="marks-are-words",
        ),
        "start sign left in": WrongAnswer(
            _sos_kept,
            "Your sentences begin with `<sos>`. It was never written: the decoder was given it.",
            "Which of the words did the model choose?",
            misconception="marks-are-words",
        ),
        "ends when all end at once": WrongAnswer(
            _at_once,
            "Your loop ends only at a step in which all sentences write `<eos>` together. Until "
            "then a sentence that is done goes on, and its `<eos>` stands in the middle of its "
            "row.",
            "One sentence ends at step 2, another at step 4. At which step do all of them write "
            "`<eos>`?",
            misconception="finished-goes-on",
        ),
    },
    variants=[in_loops, all_first_then_cut, with_a_break, leaving_the_batch],
)
