"""Notebook 06: translate with attention."""

from collections.abc import Sequence
from itertools import pairwise
from zlib import crc32

import torch
import torch.nn.functional as F
from torch import Tensor

from solutions.specification import PUBLIC_SEED, Draw, Exercise, Misconception
from utils.checks.tasks import Case
from utils.corpora import EOS, PAD, SOS, detokenise, tokenise, translation_pairs
from utils.masks import masked_softmax

IN_A_MATRIX = "in a matrix axis 1 is the last"
EVERY_ROW = "every row has two parts"


def _padded(lengths: Sequence[int], longest: int) -> Tensor:
    """A padding mask (batch, longest)."""
    return torch.arange(longest) < torch.tensor(lengths).unsqueeze(1)


# --- 1. One step of the decoder -------------------------------------------------------------------


def step_cases(draw: Draw) -> list[Case]:
    def inputs(lengths, src_len, size=(3, 5, 6, 7)):
        embedding_dim, state_dim, memory_dim, readout_dim = size
        return {
            "embedded": draw.numbers(len(lengths), embedding_dim, reach=1),
            "state": draw.numbers(len(lengths), state_dim, reach=1),
            "memory": draw.numbers(len(lengths), src_len, memory_dim, reach=2),
            "mask": _padded(lengths, src_len),
            "w_score": draw.numbers(state_dim, memory_dim, reach=1),
            "w_state": draw.numbers(embedding_dim + memory_dim + state_dim, state_dim, reach=0.4),
            "w_readout": draw.numbers(memory_dim + state_dim, readout_dim, reach=0.4),
        }

    def doubled(tensors):
        return {
            name: one.double() if one.is_floating_point() else one for name, one in tensors.items()
        }

    view = inputs([4, 3], 4)
    turned = view["memory"].mT.contiguous().mT
    sharp = doubled(inputs([3, 4], 4))
    return [
        Case("two sentences of four words and two", inputs([4, 2], 4)),
        Case("no padding", inputs([5, 5, 5], 5, (4, 3, 2, 6))),
        Case("one sentence", inputs([3], 4, (2, 4, 3, 5))),
        Case("one source word", inputs([1, 1], 1)),
        Case("a sentence without a word", inputs([0, 3], 3, (3, 2, 4, 5))),
        Case("large scores, in float64", sharp | {"w_score": 1000 * sharp["w_score"]}),
        Case("a memory that is a transposed view", view | {"memory": turned}),
    ]


def _look(state, memory, mask, w_score):
    weights = masked_softmax(torch.einsum("bd,dm,bsm->bs", state, w_score, memory), mask)
    return torch.einsum("bs,bsm->bm", weights, memory), weights


def _joined(parts, matrix):
    return torch.cat(parts, dim=1).matmul(matrix)


def _step(
    look=_look,
    update=lambda y, c, s, w: _joined((y, c, s), w).tanh(),
    read=lambda c, new, old, w: _joined((c, new), w).tanh(),
    look_again=False,
    keep_old=False,
):
    """A step, some part of which is done otherwise."""

    def step(embedded, state, memory, mask, w_score, w_state, w_readout):
        context, weights = look(state, memory, mask, w_score)
        new = update(embedded, context, state, w_state)
        if look_again:
            context, weights = look(new, memory, mask, w_score)
        readout = read(context, new, state, w_readout)
        return context, weights, state if keep_old else new, readout

    return step


def _look_by(weigh, scale=lambda memory: 1.0):
    def look(state, memory, mask, w_score):
        scores = torch.einsum("bd,dm,bsm->bs", state, w_score, memory) * scale(memory)
        weights = weigh(scores, mask)
        return torch.einsum("bs,bsm->bm", weights, memory), weights

    return look


decoder_step = Exercise(
    id="decoder_step",
    title="One step of a decoder",
    points=4,
    difficulty=3,
    minutes=15,
    outputs=["context", "weights", "new_state", "readout"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=step_cases,
    equivalents={
        "new_state = (torch.cat([embedded, context, state], dim=1) @ w_state).tanh()": IN_A_MATRIX,
        "readout = (torch.cat([context, new_state], dim=1) @ w_readout).tanh()": IN_A_MATRIX,
    },
    hints=[
        "In this order, which state can the decoder look with: the one that it has, or the one "
        "that it is about to make?",
        "For the scores, project the state with `w_score`, then take the dot product with every "
        "vector of the memory. `masked_softmax` makes the weights. A batch of dot products is a "
        "matrix product with an axis of length 1 put in: `unsqueeze` before, `squeeze` after.",
        "Four lines are left once you have the weights: the context is the weighted sum of the "
        "memory; `torch.cat` of word, context and old state, times `w_state`, through tanh, is the "
        "new state; `torch.cat` of context and *new* state, times `w_readout`, through tanh, is "
        "the readout; return all four.",
    ],
    misconceptions=[
        Misconception(
            "padding looked at",
            _step(_look_by(lambda scores, mask: scores.softmax(1))),
            "Your weights give padding a share: the mask is not used. So a sentence is translated "
            "otherwise when it stands beside a longer one.",
            "Which entries of `weights` should be exactly 0?",
        ),
        Misconception(
            "mask after the softmax",
            _step(_look_by(lambda scores, mask: scores.softmax(1) * mask)),
            "You take the softmax first and set the weights of padding to 0 afterwards. What "
            "padding had been given is lost, and the rows no longer sum to 1.",
            "Before or after which step must padding be out of the race?",
        ),
        Misconception(
            "NaN where nothing is to see",
            _step(_look_by(lambda scores, mask: scores.masked_fill(~mask, -torch.inf).softmax(1))),
            "Right, but for a sentence without a word: all of its scores are minus infinity then, "
            "and the softmax of those is NaN. It should get zero weights and a zero context.",
            "What does `masked_softmax` do that `masked_fill` and `softmax` do not?",
        ),
        Misconception(
            "shares where nothing is to see",
            _step(_look_by(lambda scores, mask: scores.masked_fill(~mask, -1e9).softmax(1))),
            "Right, but for a sentence without a word: where every score is -1e9, "
            "the softmax shares out alike, and padding gets it all. Such a row should "
            "have zero weights and a zero context.",
            "What does `masked_softmax` do that `masked_fill` and `softmax` do not?",
        ),
        Misconception(
            "scaled",
            _step(
                _look_by(
                    masked_softmax,
                    scale=lambda memory: memory.shape[2] ** -0.5,
                )
            ),
            "You divide the scores by the root of a width. That is the scaled dot product of "
            "notebook 04. Here `w_score` can learn any scale itself.",
            "What does the formula do with the scores before the softmax?",
        ),
        Misconception(
            "softmax over the batch",
            _step(_look_by(lambda scores, mask: masked_softmax(scores.T, mask.T).T)),
            "Your weights sum to 1 over the sentences of the batch: the softmax ran along axis 0. "
            "Sentences have nothing to do with one another.",
            "Which axis of the scores holds the source words?",
        ),
        Misconception(
            "looked again",
            _step(look_again=True),
            "Your context and weights come from the *new* state: after the update the decoder "
            "looked a second time. That is Luong's order, put behind Bahdanau's. Asked was one "
            "look, with the state that was there before.",
            "How many lines of your step compute weights, and with which state?",
        ),
        Misconception(
            "context before the word",
            _step(update=lambda y, c, s, w: _joined((c, y, s), w).tanh()),
            "Context and word stand the wrong way round in front of `w_state`. The shapes fit "
            "all the same, so nothing complains, but each row of the matrix meets a wrong number.",
            "What does $[y; c; s]$ say about the order?",
        ),
        Misconception(
            "state before the word",
            _step(update=lambda y, c, s, w: _joined((s, y, c), w).tanh()),
            "The old state stands in front of word and context where `w_state` is applied. The "
            "shapes fit all the same, so nothing complains.",
            "What does $[y; c; s]$ say about the order?",
        ),
        Misconception(
            "state without tanh",
            _step(update=lambda y, c, s, w: _joined((y, c, s), w)),
            "Your new state did not go through tanh. Over many steps such a state can grow without "
            "end.",
            "Between which two numbers does every entry of $s_t$ lie?",
        ),
        Misconception(
            "old state kept",
            _step(keep_old=True),
            "You return the old state. The next step would begin where this one began, as if no "
            "word had been written.",
            "What does the step after this one need?",
        ),
        Misconception(
            "readout of the old state",
            _step(read=lambda c, new, old, w: _joined((c, old), w).tanh()),
            "Your readout is made from the old state, which has not read the word yet.",
            "Which of the two states carries the index $t$?",
        ),
        Misconception(
            "state before the context",
            _step(read=lambda c, new, old, w: _joined((new, c), w).tanh()),
            "State and context stand the wrong way round in front of `w_readout`. The shapes fit "
            "all the same, so nothing complains.",
            "What does $[c_t; s_t]$ say about the order?",
        ),
        Misconception(
            "readout without tanh",
            _step(read=lambda c, new, old, w: _joined((c, new), w)),
            "Your readout did not go through tanh.",
            "Between which two numbers does every entry of $r_t$ lie?",
        ),
    ],
)


# --- 2. The loop ----------------------------------------------------------------------------------


def loop_cases(draw: Draw) -> list[Case]:
    def inputs(lengths, src_len=4, size=(9, 3, 5)):
        vocab, embedding_dim, state_dim = size
        target = torch.full((len(lengths), max(lengths) + 2), PAD)
        for row, length in zip(target, lengths, strict=True):
            row[0], row[length + 1] = SOS, EOS
            row[1 : length + 1] = draw.whole(4, vocab - 1, length)
        return {
            "target": target,
            "state": draw.numbers(len(lengths), state_dim, reach=1),
            "memory": draw.numbers(len(lengths), src_len, state_dim, reach=1.5),
            "embedding": draw.numbers(vocab, embedding_dim, reach=1.5),
            "w_state": draw.numbers(embedding_dim + state_dim, state_dim, reach=0.7),
            "w_output": draw.numbers(2 * state_dim, vocab, reach=1),
        }

    double = inputs([1, 3], 3)
    view = inputs([4, 2], 6)
    return [
        Case("two sentences of three words and one", inputs([3, 1])),
        Case("two sentences of one length", inputs([2, 2], 5, (8, 2, 3))),
        Case("one sentence", inputs([4], 3, (7, 4, 2))),
        Case("an empty sentence beside one of five words", inputs([0, 5, 3], 2)),
        Case("one source word", inputs([2, 3], 1)),
        Case("float64", double | {n: double[n].double() for n in [*double][1:]}),
        Case("a target that is a transposed view", view | {"target": _turned(view["target"])}),
    ]


def _turned(matrix: Tensor) -> Tensor:
    """The same numbers, laid out in memory by columns."""
    return matrix.mT.contiguous().mT


def _one_word(word, state, memory, embedding, w_state, w_output):
    state = _joined((embedding[word], state), w_state).tanh()
    weights = torch.einsum("bd,bsd->bs", state, memory).softmax(1)
    context = torch.einsum("bs,bsd->bd", weights, memory)
    return _joined((context, state), w_output), weights, state


def _mean_loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=PAD)


def _loop(fed=lambda target: target[:, :-1], loss=None, carried=True, own=False, axis=1):
    """Teacher forcing, some part of which is done otherwise."""

    def loop(target, state, memory, *matrices):
        rows, written = [], None
        for word in fed(target).unbind(1):
            word = written if own and rows else word
            logits, weights, new = _one_word(word, state, memory, *matrices)
            state = new if carried else state
            written = logits.argmax(-1)
            rows.append((logits, weights))
        logits, weights = (torch.stack(one, dim=1) for one in zip(*rows, strict=True))
        total = (loss or _mean_loss)(logits[:, : target.shape[1] - 1], target[:, 1:])
        return (*(one.transpose(0, 1) if axis == 0 else one for one in (logits, weights)), total)

    return loop


def _loss_by(losses_to_one):
    """The loss made otherwise from the losses (batch, tgt_len) of single words."""

    def loss(logits, labels):
        each = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
        return losses_to_one(each, labels != PAD)

    return loss


def _unshifted(target, state, memory, *matrices):
    logits, weights, _ = _loop()(target, state, memory, *matrices)
    return logits, weights, _mean_loss(logits, target[:, :-1])


decode_loop = Exercise(
    id="decode_loop",
    title="The loop, with teacher forcing",
    points=4,
    difficulty=2,
    minutes=15,
    outputs=["logits", "weights", "loss"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=loop_cases,
    equivalents={
        f"logits, weights = (torch.stack(parts, dim=1) for parts in zip(*rows{strict}))": EVERY_ROW
        for strict in ("", ", strict=False")
    },
    hints=[
        "A target of five words has seven entries. Which of them does the decoder read, and which "
        "does it have to guess?",
        "It reads all but the last column, and has to guess all but the first. What does each step "
        "hand on to the next?",
        "Collect logits and weights in lists while you go through the columns, replace the state "
        "in every step, and put the lists together with `torch.stack(…, dim=1)`. "
        "`F.cross_entropy` wants a row for each word, so flatten the first two axes; and it has "
        "an argument for labels that do not count.",
    ],
    misconceptions=[
        Misconception(
            "state not carried on",
            _loop(carried=False),
            "Every step of yours begins with the start state. So the decoder knows the last word "
            "only, and nothing of those before it.",
            "Which of the three results of `luong_step` do you throw away?",
        ),
        Misconception(
            "reads its own words",
            _loop(own=True),
            "From the second step on your decoder reads the words that it would have written "
            "itself. That is free running. Teacher forcing tells it the right ones.",
            "Where does the word that each step reads come from?",
        ),
        Misconception(
            "reads the answers",
            _loop(fed=lambda target: target[:, 1:]),
            "Each step reads the very word that it is to guess: you feed the target without its "
            "`<sos>`. The loss would fall to nothing, and the model could not write a word alone.",
            "What has the decoder read when it writes the first word?",
        ),
        Misconception(
            "a step after the end",
            _loop(fed=lambda target: target),
            "You feed the whole target, the last column as well. There is nothing left to guess "
            "after that, and so there is one step too many.",
            "How many words and `<eos>` does the longest row ask for?",
        ),
        Misconception(
            "time in front",
            _loop(axis=0),
            "Your steps lie along axis 0 and the sentences along axis 1. Everywhere in the course "
            "the batch comes first.",
            "Along which axis does `torch.stack` put a list together, if it is not told?",
        ),
        Misconception(
            "labels not shifted",
            _unshifted,
            "Your loss compares each step with the word that it has just *read*. A model trained "
            "so learns to repeat.",
            "After `<sos>` has been read, what is the right answer?",
        ),
        Misconception(
            "padding counted",
            _loop(loss=_loss_by(lambda each, real: each.mean())),
            "Padding counts in your loss. The model would be trained to write `<pad>`, and the "
            "more so the more uneven a batch is.",
            "How does `F.cross_entropy` learn which labels to leave out?",
        ),
        Misconception(
            "padding in the denominator",
            _loop(loss=_loss_by(lambda each, real: (each * real).mean())),
            "The losses of padding are 0 in your sum, and yet you divide by all places, padding "
            "included. The same sentence has a smaller loss beside a longer one.",
            "By how many should the sum be divided?",
        ),
        Misconception(
            "sum for mean",
            _loop(loss=_loss_by(lambda each, real: (each * real).sum())),
            "Your loss is the sum over all words. Asked was the mean.",
            "Which of the two depends on the size of the batch?",
        ),
        Misconception(
            "softmax before the loss",
            _loop(loss=lambda logits, labels: _mean_loss(logits.softmax(-1), labels)),
            "You took a softmax before `F.cross_entropy`, which takes one itself. Of two, the "
            "second sees numbers between 0 and 1 only, and can hardly tell them apart.",
            "Does `F.cross_entropy` expect logits or probabilities?",
        ),
    ],
)


# --- 3. The padding mask in the encoder -----------------------------------------------------------


def encoder_cases(draw: Draw) -> list[Case]:
    def inputs(lengths, src_len, size=(3, 4)):
        embedding_dim, hidden_dim = size
        return {
            "embedded": draw.numbers(len(lengths), src_len, embedding_dim, reach=1.5),
            "lengths": torch.tensor(lengths),
            "w_forward": draw.numbers(embedding_dim + hidden_dim, hidden_dim, reach=0.7),
            "w_backward": draw.numbers(embedding_dim + hidden_dim, hidden_dim, reach=0.7),
            "bias": draw.numbers(hidden_dim, reach=0.5) + 0.6,
        }

    double = inputs([1, 3], 3, (5, 2))
    view = inputs([2, 5], 5)
    return [
        Case("two sentences of four words and two", inputs([4, 2], 4)),
        Case("no padding", inputs([3, 3, 3], 3, (2, 5))),
        Case("one sentence, with padding all the same", inputs([3], 5)),
        Case("a sentence of one word", inputs([1, 6, 4], 6, (4, 2))),
        Case("sentences of one word each", inputs([1, 1], 1)),
        Case(
            "float64",
            {n: one.double() if one.is_floating_point() else one for n, one in double.items()},
        ),
        Case("vectors that are a transposed view", view | {"embedded": _turned(view["embedded"])}),
    ]


def _read(vectors, matrix, bias):
    state = vectors.new_zeros(len(vectors), len(bias))
    states = []
    for column in vectors.unbind(1):
        state = torch.tanh(_joined((column, state), matrix) + bias)
        states.append(state)
    return torch.stack(states, 1)


def _own_turn(vectors, lengths):
    """Each sentence turned round within its own length."""
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
    """A bidirectional encoder, some part of which is done otherwise."""

    def encoder(embedded, lengths, w_forward, w_backward, bias):
        mask = _padded(lengths.tolist(), embedded.shape[1])
        vectors = before(embedded, mask)
        backwards = back(_read(turn(vectors, lengths), w_backward, bias), lengths)
        states = torch.cat([_read(vectors, w_forward, bias), backwards], 2)
        return after(states, mask), mask_made(mask)

    return encoder


def _whole_turn(vectors, lengths):
    return vectors.flip(1)


masked_encoder = Exercise(
    id="masked_encoder",
    title="Padding in the encoder",
    points=4,
    difficulty=3,
    minutes=15,
    outputs=["states", "mask"],
    cases=encoder_cases,
    equivalents={"states = mask.unsqueeze(-1) * states": "a product has no order"},
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
    misconceptions=[
        Misconception(
            "the bug as it was",
            _encoder(turn=_whole_turn, back=_whole_turn, after=lambda states, mask: states),
            "The bug is still there. The backward direction reads the padding first, so that a "
            "short sentence gets other states beside a long one than it gets alone; and the "
            "states at padding are not 0.",
            "What has the backward network read when it comes to a sentence's last word?",
        ),
        Misconception(
            "only set to 0 afterwards",
            _encoder(turn=_whole_turn, back=_whole_turn),
            "You set the states at padding to 0 after reading. By then the backward direction has "
            "carried what it read there into the states of the words.",
            "Encode a sentence alone, then with padding behind it. Are its states the same?",
        ),
        Misconception(
            "padding's vectors set to 0",
            _encoder(
                before=lambda vectors, mask: vectors * mask.unsqueeze(2),
                turn=_whole_turn,
                back=_whole_turn,
            ),
            "You set the vectors of padding to 0 before reading. The backward network still takes "
            "a step for each of them, and its bias moves the state.",
            "What is tanh of 0 times a matrix plus the bias?",
        ),
        Misconception(
            "states left at padding",
            _encoder(after=lambda states, mask: states),
            "Both directions are right where there are words. At padding, states are left that "
            "should be 0.",
            "Which tensor tells where the words are?",
        ),
        Misconception(
            "not turned back",
            _encoder(back=lambda states, lengths: states),
            "Your backward states stand in the order in which they were made: that of the last "
            "word comes first. Beside each word's forward state lies another word's backward "
            "state.",
            "Which backward state has seen the whole sentence, and at which word does it belong?",
        ),
        Misconception(
            "turned back as a whole",
            _encoder(back=_whole_turn),
            "The words were turned round within their sentences, the states along the whole "
            "padded length. So short sentences' backward states have slipped into the padding.",
            "What undoes a turn within the sentence's own length?",
        ),
        Misconception(
            "forward twice",
            _encoder(turn=lambda vectors, lengths: vectors, back=lambda states, lengths: states),
            "Both of your networks read from left to right. No state knows what comes after it.",
            "What has to happen to the words before the second network reads them?",
        ),
        Misconception(
            "mask the other way round",
            _encoder(mask_made=lambda mask: ~mask.unsqueeze(1)),
            "Your mask is `True` at the padding. In the course `True` means: may be attended to.",
            "At which places does the decoder have something to look at?",
        ),
        Misconception(
            "mask without the middle axis",
            _encoder(mask_made=lambda mask: mask),
            "Your mask has the shape (batch, src_len). Beside weights of shape (batch, tgt_len, "
            "src_len) its first axis would be taken for the target words.",
            "Which axis of length 1 says: the same for every target word?",
        ),
    ],
)


# --- 4. Greedy decoding ---------------------------------------------------------------------------


def greedy_cases(draw: Draw) -> list[Case]:
    def table(lengths, vocab=11):
        """Tables that write so many words, then `<eos>`, and words again after that."""
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
                own[before, after] += 5
        return scores

    return [
        Case("three sentences of four words, one and two", {"table": table([4, 1, 2]), "limit": 6}),
        Case("one sentence", {"table": table([3]), "limit": 5}),
        Case("an empty translation beside others", {"table": table([2, 0, 3], 8), "limit": 4}),
        Case("one that never ends", {"table": table([9, 3], 9), "limit": 8}),
        Case("a limit that cuts in the middle", {"table": table([5, 2, 4, 1], 10), "limit": 3}),
        Case("a limit of one word", {"table": table([2, 1]), "limit": 1}),
        Case("float64", {"table": table([1, 4], 9).double(), "limit": 6}),
        Case("a table that is a transposed view", {"table": _turned(table([3, 2])), "limit": 5}),
    ]


def _written(table, limit, first=SOS):
    """What would be written if nothing ended: (batch, limit)."""
    rows = torch.arange(len(table))
    words = [torch.full((len(table),), first)]
    for _ in range(limit):
        words.append(table[rows, words[-1]].argmax(1))
    return torch.stack(words[1:], 1)


def _until(words, ended):
    """Words before the first mark, padding from there on, and their number."""
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


greedy_decoding = Exercise(
    id="greedy_decoding",
    title="Greedy decoding of a batch",
    points=4,
    difficulty=2,
    minutes=15,
    outputs=["ids", "lengths"],
    cases=greedy_cases,
    equivalents={
        "going = (words != EOS) & going": "an intersection has no order",
        "return (ids, (ids != PAD).sum(1))": IN_A_MATRIX,
        "words = table[rows, words].argmax(1)": IN_A_MATRIX,
    },
    hints=[
        "Sentence 0 has written `<eos>`, sentence 1 has not. What must still happen in the next "
        "step, and what must not?",
        "Keep a boolean for each sentence: is it still being written? Once it is `False` it stays "
        "so. Which entries of `ids` may a step fill in?",
        "`table[torch.arange(batch), words]` picks one row of scores for each sentence, "
        "and `argmax(-1)` its best word. Then `going &= words != EOS`; then fill column "
        "`step` of `ids` in the rows that are going, and nowhere else. The lengths are the number "
        "of entries that are not padding.",
    ],
    misconceptions=[
        Misconception(
            "end sign counted",
            _end_counted,
            "Your ids are right, and your lengths count `<eos>` as a word.",
            "How many words does an empty translation have?",
        ),
        Misconception(
            "end sign left in",
            _end_kept,
            "Your sentences end with `<eos>`. It says that the translation is over, and is no "
            "part of it.",
            "Does `<eos>` belong before or after the moment in which you ask whether to go on?",
        ),
        Misconception(
            "never stops",
            _never_stops,
            "All of your sentences go on up to the limit. `<eos>` is written like any other word, "
            "and what the model says after it is noise.",
            "What should a sentence do from its `<eos>` on?",
        ),
        Misconception(
            "filled with end signs",
            _filled,
            "Your sentences stop in the right place, and the rest of the row is filled with "
            "`<eos>`. Asked was padding.",
            "Which special word says that there is nothing?",
        ),
        Misconception(
            "waits for the last",
            _waits,
            "Your loop ends when all sentences have ended, and until then it goes on writing in "
            "those that were done before. The shorter translations have a tail of noise.",
            "Which rows of `ids` may a step fill in?",
        ),
        Misconception(
            "wakes up again",
            _holes,
            "You leave `<eos>` itself out, and go on with what follows it. Whether a sentence goes "
            "on has to be remembered; to look at the newest word alone is not enough.",
            "Once `going` is `False`, can it become `True` again?",
        ),
        Misconception(
            "all stop with the first",
            _all_stop,
            "All of your sentences stop as soon as one of them is done. Each has its own end.",
            "`any` or `all`: when may the loop as a whole be left?",
        ),
        Misconception(
            "one table for all",
            _greedy(lambda table, limit: _written(table[:1].expand_as(table), limit)),
            "All of your sentences use the first sentence's table. It is as if all were "
            "translations of one source.",
            "Which index picks a row of scores for *each* sentence?",
        ),
        Misconception(
            "columns for rows",
            _greedy(lambda table, limit: _written(table.mT, limit)),
            "You read the tables by columns: the best word *before* the last one. The row is the "
            "word that was written, the column the word that could come next.",
            "Which axis of `table` does the last word pick from?",
        ),
        Misconception(
            "begins with padding",
            _greedy(lambda table, limit: _written(table, limit, first=PAD)),
            "Your sentences begin after `<pad>`, word 0. A translation begins after `<sos>`.",
            "Which word has the decoder read when it writes its first one?",
        ),
        Misconception(
            "start sign left in",
            _sos_kept,
            "Your sentences begin with `<sos>`. It was never written: the decoder was given it.",
            "Which of the words did the model choose?",
        ),
    ],
)


# --- 5. One step of a beam search -----------------------------------------------------------------


def beam_cases(draw: Draw) -> list[Case]:
    def inputs(beam, vocab, finished=()):
        """No two sums alike, and a live hypothesis always has the best of them.

        Where some have ended, they come next, and would rather go on than end again.
        """
        order = draw.order(beam * vocab).reshape(beam, vocab)
        scores = -draw.whole(5, 15, beam) / 10 - torch.arange(beam) / 1000
        ended = torch.zeros(beam, dtype=torch.bool)
        ended[list(finished)] = True
        log_probs = -(order + 1) / 10
        best = (~ended).nonzero()[0, 0]
        scores[best] = -0.1 - int(best) / 1000
        rows = torch.arange(beam)[ended]
        scores[rows] = -draw.whole(3, 6, len(rows)) / 10 - rows / 1000
        log_probs[rows, EOS] = -0.15
        log_probs[rows, 4] = -0.12
        if finished:
            log_probs[best] -= 1
        log_probs[best, 4 + int(draw.whole(0, vocab - 5))] = -0.05
        return {"scores": scores, "log_probs": log_probs, "finished": ended}

    def doubled(tensors):
        return {n: one if n == "finished" else one.double() for n, one in tensors.items()}

    first = inputs(3, 7)
    first["scores"] = torch.tensor([0.0, -torch.inf, -torch.inf])
    view = inputs(4, 6, [2])
    return [
        Case("a beam of three, seven words", inputs(3, 7)),
        Case("one of three has ended", inputs(3, 8, [1])),
        Case("all but one have ended", inputs(4, 6, [0, 1, 3])),
        Case("a beam of one", inputs(1, 6)),
        Case("the first step, when there is one beginning only", first),
        Case("a beam of five, in float64", doubled(inputs(5, 9, [0, 4]))),
        Case("a transposed view", view | {"log_probs": _turned(view["log_probs"])}),
    ]


def _continuations(scores, log_probs, finished, pay=0.0):
    """Scores of all continuations; a finished hypothesis has one."""
    once = torch.full_like(log_probs, -torch.inf)
    once[:, EOS] = pay
    return scores[:, None] + torch.where(finished[:, None], once, log_probs)


def _best(totals, beam, divide_by=None):
    best, places = totals.flatten().topk(beam)
    divide_by = divide_by or totals.shape[1]
    return best, places // divide_by, places % divide_by


def _each_its_own(scores, log_probs, finished):
    best, words = _continuations(scores, log_probs, finished).max(1)
    best, parents = best.sort(descending=True)
    return best, parents, words[parents]


def _ended_dropped(scores, log_probs, finished):
    totals = scores[:, None] + log_probs.masked_fill(finished[:, None], -torch.inf)
    return _best(totals, len(scores))


def _ended_pay(scores, log_probs, finished):
    totals = _continuations(scores, log_probs, finished, pay=log_probs[:, EOS])
    return _best(totals, len(scores))


def _news_only(scores, log_probs, finished):
    _, parents, words = _best(_continuations(scores, log_probs, finished), len(scores))
    news = torch.where(finished[parents], 0.0, log_probs[parents, words])
    return news, parents, words


def _swapped(scores, log_probs, finished):
    best, parents, words = _best(_continuations(scores, log_probs, finished), len(scores))
    return best, words, parents


beam_step = Exercise(
    id="beam_step",
    title="One step of a beam search",
    points=4,
    difficulty=3,
    minutes=15,
    outputs=["best", "parents", "words"],
    cases=beam_cases,
    equivalents={"totals = log_probs + scores.unsqueeze(1)": "a sum has no order"},
    hints=[
        "How many candidates are there for a beam of 3 and a vocabulary of 7? Which of them may a "
        "finished hypothesis put forward?",
        "Make one table of all candidates: the score so far plus the log-probability of the word. "
        "In the row of a finished hypothesis everything is -inf but one entry. Then look for the "
        "best of the *whole* table.",
        "`torch.where(finished.unsqueeze(1), …, log_probs)` exchanges the rows of the finished for "
        "a row that is 0 at `EOS` and -inf elsewhere. Add `scores.unsqueeze(1)`, flatten, "
        "`topk`. A place in the flattened table tells the row by `//` and the column by `%`: of "
        "what number?",
    ],
    misconceptions=[
        Misconception(
            "each continues itself",
            _each_its_own,
            "You take the best word of each hypothesis. So every hypothesis survives, the worst as "
            "well, and nothing is ever dropped: that is several greedy searches side by side. The "
            "candidates of all hypotheses compete in one table.",
            "Can two of the new hypotheses have the same parent?",
        ),
        Misconception(
            "old scores forgotten",
            lambda scores, log_probs, finished: _best(
                _continuations(0 * scores.clamp(min=-1), log_probs, finished), len(scores)
            ),
            "You compare the new words alone and forget the scores so far. A bad beginning with "
            "one good word wins over a good beginning.",
            "What is the log-probability of a whole beginning, word for word?",
        ),
        Misconception(
            "finished ones go on",
            lambda scores, log_probs, finished: _best(scores[:, None] + log_probs, len(scores)),
            "Your finished hypotheses are continued with further words. After `<eos>` there is "
            "nothing to be said.",
            "What is `finished` for?",
        ),
        Misconception(
            "finished ones dropped",
            _ended_dropped,
            "Your finished hypotheses have disappeared. A translation that has ended stays in the "
            "race, with its score, until better ones push it out.",
            "Which single candidate should a finished hypothesis put forward?",
        ),
        Misconception(
            "finished ones pay again",
            _ended_pay,
            "Your finished hypotheses pay for `<eos>` a second time, in every step. Their score "
            "should stay what it was.",
            "How likely is it that nothing follows after `<eos>`, and what is the logarithm of "
            "that?",
        ),
        Misconception(
            "finished ones multiply",
            lambda scores, log_probs, finished: _best(
                scores[:, None] + log_probs.masked_fill(finished[:, None], 0.0), len(scores)
            ),
            "Your finished hypotheses have as many continuations as there are words, all at no "
            "cost. One of them can fill the whole beam with copies of itself.",
            "Which entries of a finished hypothesis' row must not be chosen?",
        ),
        Misconception(
            "divided by the beam",
            lambda scores, log_probs, finished: _best(
                _continuations(scores, log_probs, finished), len(scores), divide_by=len(scores)
            ),
            "The scores are right. To find row and column of a place you divided by the size of "
            "the beam, and a row of the table is as long as the vocabulary.",
            "At which place of the flattened table does its second row begin?",
        ),
        Misconception(
            "words before parents",
            _swapped,
            "Parents and words are right, and the wrong way round. Asked is: score, which "
            "hypothesis, which word.",
            "Which of the two is always smaller than the beam?",
        ),
        Misconception(
            "probabilities added",
            lambda scores, log_probs, finished: _best(
                _continuations(scores, log_probs.exp(), finished), len(scores)
            ),
            "You add probabilities to log-probabilities. Scores would rise with each word, and "
            "long translations would win for being long.",
            "What does a product become under the logarithm?",
        ),
        Misconception(
            "news without history",
            _news_only,
            "The choice is right, but the scores that you return are those of the new words "
            "alone. The next step would begin as if nothing had been written before.",
            "Which numbers did you compare, and which do you return?",
        ),
    ],
)


# --- 6. The alignment error rate ------------------------------------------------------------------


def error_cases(draw: Draw) -> list[Case]:
    def inputs(batch, tgt_len, src_len):
        """A link in each row, most of them right; some possible links, the sure ones not named."""
        true = torch.stack([draw.whole(0, src_len - 1, tgt_len) for _ in range(batch)])
        other = torch.stack([draw.whole(0, src_len - 1, tgt_len) for _ in range(batch)])
        kept = draw.whole(0, 2, batch, tgt_len) > 0  # (batch, tgt_len)
        predicted = F.one_hot(torch.where(kept, true, other), src_len).bool()
        kind = draw.whole(0, 3, batch, tgt_len)
        kind[:, 0] = 3  # a sure link in each sentence
        sure = F.one_hot(true, src_len).bool() & (kind >= 2).unsqueeze(2)
        maybe = F.one_hot(true, src_len).bool() & (kind < 2).unsqueeze(2)
        maybe = (maybe | (draw.whole(0, 4, batch, tgt_len, src_len) == 0)) & ~sure
        sure[0, -1] = False  # one word at least has possible links only
        return {"predicted": predicted, "sure": sure, "possible": maybe}

    all_named = inputs(2, 6, 4)
    many = inputs(2, 5, 6)
    view = inputs(3, 4, 6)
    right = inputs(1, 4, 5)
    return [
        Case("a batch of three sentences", inputs(3, 6, 7)),
        Case("one sentence", inputs(1, 5, 7)),
        Case("sure links named as possible too", all_named | {"possible": _either(all_named)}),
        Case("no possible link but the sure ones", many | {"possible": many["sure"]}),
        Case("a perfect alignment", right | {"predicted": right["sure"]}),
        Case("nothing right", right | {"predicted": ~_either(right)}),
        Case("several links in a row", many | {"predicted": many["predicted"] | many["possible"]}),
        Case("transposed views", {name: _turned(one) for name, one in view.items()}),
    ]


def _either(links):
    return links["sure"] | links["possible"]


def _count(links):
    return links.sum().float()


def _error(rate):
    """An error rate from A, S and P, the sure links being possible."""
    return lambda predicted, sure, possible: rate(predicted, sure, possible | sure)


def _och_and_ney(a, s, p):
    return 1 - (_count(a & s) + _count(a & p)) / (_count(a) + _count(s))


def _per_sentence(predicted, sure, possible):
    triples = zip(predicted, sure, possible | sure, strict=True)
    return torch.stack([_och_and_ney(*one) for one in triples])


alignment_error = Exercise(
    id="alignment_error",
    title="The alignment error rate of a batch",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["error"],
    cases=error_cases,
    equivalents={
        "possible = sure | possible": "a union has no order",
        "right = (sure & predicted).sum() + (predicted & possible).sum()": "nor an intersection",
        "right = (predicted & sure).sum() + (possible & predicted).sum()": "nor an intersection",
        "right = (predicted & possible).sum() + (predicted & sure).sum()": "nor has a sum",
        "return 1 - right / (sure.sum() + predicted.sum())": "nor has a sum",
    },
    hints=[
        "A model links *pas* to *not*, which is possible and not sure. Should that raise the "
        "error rate, lower it, or leave it?",
        "With booleans, `&` is the intersection, `|` the union, and `.sum()` counts. Which set has "
        "to be made larger before you begin?",
        "First `possible = possible | sure`. Then count the predicted links that are sure, add "
        "those that are possible, divide by the number of predicted links plus the number of sure "
        "ones, and take that from 1. All counts run over the whole batch.",
    ],
    misconceptions=[
        Misconception(
            "sure is not possible",
            _och_and_ney,
            "You count the possible links as they are given. The sure ones count as possible too: "
            "$S$ is part of $P$. So a sure link that was found should count twice.",
            "What is the error rate of a perfect alignment, by your formula?",
        ),
        Misconception(
            "mean over sentences",
            lambda predicted, sure, possible: _per_sentence(predicted, sure, possible).mean(),
            "You take each sentence's rate, then their mean. So a link in a short sentence counts "
            "for more than one in a long sentence. The rate of a corpus is made of counts over the "
            "whole corpus.",
            "First add up, then divide; or first divide, then add up?",
        ),
        Misconception(
            "one for each sentence",
            _per_sentence,
            "You return one rate for each sentence. Asked is one number for all.",
            "Over which axes do the counts run?",
        ),
        Misconception(
            "right for wrong",
            _error(lambda a, s, p: 1 - _och_and_ney(a, s, p)),
            "You return the share that is right. It is an *error* rate: 0 is perfect.",
            "What does your function return for a perfect alignment?",
        ),
        Misconception(
            "precision only",
            _error(lambda a, s, p: 1 - _count(a & p) / _count(a)),
            "You count wrong links among those that the model made. A sure link that is missing "
            "costs nothing then, and a model that makes one safe link is perfect.",
            "Where does the number of sure links enter?",
        ),
        Misconception(
            "recall only",
            _error(lambda a, s, p: 1 - _count(a & s) / _count(s)),
            "You count the sure links that are missing. A wrong link costs nothing then, and a "
            "model that links everything with everything is perfect.",
            "Where does the number of predicted links enter?",
        ),
        Misconception(
            "sure links alone",
            _error(lambda a, s, p: 1 - 2 * _count(a & s) / (_count(a) + _count(s))),
            "You count the sure links twice, and the possible ones never. So a link that is "
            "possible and not sure is an error for you.",
            "Which of the three sets does your formula not use?",
        ),
        Misconception(
            "possible links as gold",
            _error(lambda a, s, p: 1 - 2 * _count(a & p) / (_count(a) + _count(p))),
            "You treat every possible link as one that must be there. A possible link may be left "
            "out at no cost.",
            "Which set stands in the denominator beside $A$?",
        ),
        Misconception(
            "possible links below",
            _error(lambda a, s, p: 1 - (_count(a & s) + _count(a & p)) / (_count(a) + _count(p))),
            "Your denominator counts all possible links. Below the line stand the predicted and "
            "the *sure* ones: only those have to be found.",
            "Must a possible link be there?",
        ),
        Misconception(
            "union below",
            _error(lambda a, s, p: 1 - (_count(a & s) + _count(a & p)) / _count(a | s)),
            "Your denominator counts the links that are predicted *or* sure, each once. In the "
            "formula a link that is both counts twice, as it does above the line.",
            "For a perfect alignment, what is your quotient?",
        ),
    ],
)


# --- 7. The picture of an alignment ---------------------------------------------------------------

_ENGLISH = "the cat dog bird sat slept on under mat bed black green not in front of"
_FRENCH = "le chat chien oiseau était assis dormi sur sous tapis lit noir vert pas devant"
_MARKS = ("<pad>", "<sos>", "<eos>")


def picture_cases(draw: Draw) -> list[Case]:
    def words(choice, length):
        choice = choice.split()
        return [choice[place] for place in draw.order(len(choice))[:length].tolist()]

    def inputs(src_len, tgt_len, pads=(0, 0), before=(), after=(), unknown=()):
        source = words(_ENGLISH, src_len)
        target = words(_FRENCH, tgt_len)
        for place in unknown:
            source[place] = target[-1 - place] = "<unk>"
        source = [*before, *source, *after]
        steps = tgt_len + 1 + pads[1]
        weights = torch.cat([draw.shares(steps, len(source)), torch.zeros(steps, pads[0])], 1)
        if after:  # the end of the source is some word's favourite, as it often is
            row = int(draw.whole(0, tgt_len - 1))
            best = weights[row].argmax()
            last = len(source) - 1
            order = torch.arange(weights.shape[1])
            order[best], order[last] = last, int(best)
            weights[row] = weights[row, order]
        source += ["<pad>"] * pads[0]
        target = ["<sos>", *target, "<eos>", *["<pad>"] * pads[1]]
        return {"weights": weights, "source": source, "target": target}

    double = inputs(3, 6, (0, 2))
    view = inputs(6, 4, (2, 1))
    return [
        Case("padding on both sides", inputs(4, 5, (2, 3))),
        Case("no padding", inputs(5, 3)),
        Case("a source with marks at both ends", inputs(4, 6, (3, 1), ["<sos>"], ["<eos>"])),
        Case("unknown words", inputs(5, 4, (1, 2), unknown=[0, 2])),
        Case("one word each", inputs(1, 1, (2, 1))),
        Case("a source that ends with a mark", inputs(3, 4, (1, 0), after=["<eos>"])),
        Case("float64", double | {"weights": double["weights"].double()}),
        Case("weights that are a transposed view", view | {"weights": _turned(view["weights"])}),
    ]


def _places(words, left_out=_MARKS):
    return torch.tensor([place for place, word in enumerate(words) if word not in left_out])


def _hard(trimmed):
    return trimmed >= trimmed.max(1, keepdim=True).values


def _picture(
    rows=lambda target: _places(target) - 1,
    columns=_places,
    change=lambda trimmed: trimmed,
    link=lambda trimmed, whole: _hard(trimmed),
):
    """Trimmed weights and links, some part of which is done otherwise."""

    def picture(weights, source, target):
        whole = weights.index_select(0, rows(target))
        trimmed = change(whole.index_select(1, columns(source)))
        return trimmed, link(trimmed, _hard(whole).index_select(1, columns(source)))

    return picture


alignment_picture = Exercise(
    id="alignment_picture",
    title="The picture of an alignment",
    points=4,
    difficulty=2,
    minutes=15,
    outputs=["trimmed", "links"],
    cases=picture_cases,
    equivalents={"links = trimmed == trimmed.amax(1, keepdim=True)": IN_A_MATRIX},
    hints=[
        "The decoder has read `<sos>` when it writes its first word. Which row of the weights "
        "belongs to the first word, and at which place does that word stand in `target`?",
        "Make two lists of places: those of the source words, and those of the target words, "
        "moved by one. Which of the four special words is a word of the sentence all the same?",
        "`[place for place, word in enumerate(source) if word not in marks]` gives the columns, "
        "with `marks` a set of three. The same with `place - 1` gives the rows. "
        "`weights[rows]`, then `[:, columns]`. A link stands where an entry equals its row's "
        "`amax(-1, keepdim=True)`.",
    ],
    misconceptions=[
        Misconception(
            "rows moved by one",
            _picture(rows=_places),
            "Your rows are one too low: each target word got the row of the word after it. Row 0 "
            "was made when the decoder had read `<sos>`, and belongs to the first word.",
            "How many rows do the weights have, and how many entries has `target`?",
        ),
        Misconception(
            "the row of the end",
            _picture(rows=lambda target: _places(target, ("<pad>", "<sos>")) - 1),
            "Your picture has a row for `<eos>`. It was written, but it is no word.",
            "How many words has the translation?",
        ),
        Misconception(
            "marks of the source left in",
            _picture(columns=lambda source: _places(source, ("<pad>",))),
            "Your picture has columns for `<sos>` and `<eos>`, where the source holds them. They "
            "are no words.",
            "Is padding the only thing in `source` that is no word?",
        ),
        Misconception(
            "cut from the end only",
            _picture(columns=lambda source: torch.arange(len(_places(source)))),
            "You count the source words and keep as many columns from the left. Where the source "
            "begins with `<sos>`, its column stays, and the last word's is lost.",
            "At which places do the words stand, when something stands before them?",
        ),
        Misconception(
            "unknown words thrown out",
            _picture(
                rows=lambda target: _places(target, (*_MARKS, "<unk>")) - 1,
                columns=lambda source: _places(source, (*_MARKS, "<unk>")),
            ),
            "You left out `<unk>`. It stands for a word of the sentence, and where it looks is "
            "what one wants to see: that is how names are copied.",
            "Which of the four special words did a person write?",
        ),
        Misconception(
            "rows normalised again",
            _picture(change=lambda trimmed: trimmed / trimmed.sum(1, keepdim=True)),
            "You divided the rows by their sums after trimming. What went to `<eos>` has been "
            "handed to the words, and the picture no longer shows what the model did.",
            "If a row is dark in the picture, should one be able to see that?",
        ),
        Misconception(
            "links by columns",
            _picture(link=lambda trimmed, whole: trimmed >= trimmed.max(0, keepdim=True).values),
            "You linked each *source* word with the target word that looks at it most. Asked was "
            "a link for each target word.",
            "How many links has each row, and how many has each column?",
        ),
        Misconception(
            "links over a half",
            _picture(link=lambda trimmed, whole: trimmed > 0.5),
            "You set a link where a weight is more than a half. The largest weight of a row need "
            "not be: where many words share, 0.3 can be the most.",
            "How many links should each row have?",
        ),
        Misconception(
            "links before trimming",
            _picture(link=lambda trimmed, whole: whole),
            "You looked for the largest weight before you cut off the marks. Where `<eos>` had "
            "the most, the row has no link left.",
            "How many links should each row have?",
        ),
        Misconception(
            "places for marks",
            _picture(link=lambda trimmed, whole: trimmed.argmax(1)),
            "`links` holds the place of each row's largest weight. Asked is a table of booleans, "
            "as large as the picture, `True` at those places.",
            "What has `links` to look like, so that it can be laid over the picture?",
        ),
        Misconception(
            "turned on its side",
            _picture(change=lambda trimmed: trimmed.T, link=lambda trimmed, whole: _hard(trimmed)),
            "Your picture has the source words as rows. In the course rows are target words, "
            "columns source words.",
            "Who looks, and who is looked at?",
        ),
    ],
)


# --- 8. Forced or free ----------------------------------------------------------------------------

FORCED_OR_FREE = {
    "reads": ["the right word", "its own word", "a source word"],
    "first": ["told", "alone", "the same"],
    "slip": ["told", "alone", "both"],
    "at_once": ["told", "alone", "both"],
    "perplexity": ["told", "alone", "the same"],
    "from_the_start": ["faster", "slower", "the same"],
}
_FORCED_OR_FREE = {
    "reads": "the right word",
    "first": "the same",
    "slip": "alone",
    "at_once": "told",
    "perplexity": "alone",
    "from_the_start": "slower",
}

forced_or_free = Exercise(
    id="forced_or_free",
    title="Told or alone",
    points=3,
    difficulty=2,
    minutes=5,
    kind="choices",
    outputs=list(FORCED_OR_FREE),
    choices=FORCED_OR_FREE,
    cases=lambda draw: [Case("your prediction")],
    hints=[
        "Take one step of the loop of task 2. What changes in it, and what stays, when the decoder "
        "is alone?",
        "Only the word that is read changes. For each question ask: is that word another one, and "
        "when is it known?",
        "At the first step both read `<sos>`. From the second on, a decoder that is alone has to "
        "wait for its own word, and reads it whether it is right or wrong. What does an untrained "
        "decoder read, then?",
    ],
    misconceptions=[
        Misconception(
            "forced to its own",
            _FORCED_OR_FREE | {"reads": "its own word"},
            "You say that under teacher forcing the decoder reads its own word. That is free "
            "running. The teacher puts the right word in its place, whatever was written.",
            "Who is the teacher, and what is forced upon the decoder?",
        ),
        Misconception(
            "forced to the source",
            _FORCED_OR_FREE | {"reads": "a source word"},
            "You say that the decoder reads a source word. The source comes in through the "
            "attention, with teacher forcing or without. What is told is the target so far.",
            "What stands in `target[:, :-1]`?",
        ),
        Misconception(
            "told before the first word",
            _FORCED_OR_FREE | {"first": "told"},
            "You say that the first word is better when the decoder is told. Told what? Before "
            "the first word there is only `<sos>`, in either case.",
            "In section 9, where do the two lines of one model begin?",
        ),
        Misconception(
            "first word alone",
            _FORCED_OR_FREE | {"first": "alone"},
            "You say that the first word is better when the decoder is alone. Both have read the "
            "same: `<sos>`.",
            "What has each of the two read before the first word?",
        ),
        Misconception(
            "the told one trips",
            _FORCED_OR_FREE | {"slip": "told"},
            "You say that a wrong word disturbs the decoder that is told. It never reads that "
            "word: the right one is put in its place.",
            "After the slip, what stands in front of each of the two?",
        ),
        Misconception(
            "both trip",
            _FORCED_OR_FREE | {"slip": "both"},
            "You say that a wrong word disturbs both. The state does not know what was written, "
            "only what was read, and the one that is told has read the right word.",
            "Which of the decoder's inputs holds the word that it wrote?",
        ),
        Misconception(
            "alone in one call",
            _FORCED_OR_FREE | {"at_once": "alone"},
            "You say that the decoder that is alone can take all steps in one call. It has to "
            "wait for each word before it can read it.",
            "When is the input of step 5 known?",
        ),
        Misconception(
            "both in one call",
            _FORCED_OR_FREE | {"at_once": "both"},
            "You say that both can take all steps in one call. The one that is told can, since "
            "all its inputs are known. The other one's are not there yet.",
            "When is the input of step 5 known, in each of the two?",
        ),
        Misconception(
            "told is harder",
            _FORCED_OR_FREE | {"perplexity": "told"},
            "You say that the teacher-forced perplexity is the larger one. Right words before make "
            "the next word easier to guess, not harder.",
            "Would you rather continue a right sentence, or a wrong one?",
        ),
        Misconception(
            "one perplexity",
            _FORCED_OR_FREE | {"perplexity": "the same"},
            "You say that the two perplexities are the same. That holds for a model that is "
            "always right, and a weak one reads many wrong words when it is alone.",
            "What did section 9 measure for the model without attention?",
        ),
        Misconception(
            "practice makes perfect",
            _FORCED_OR_FREE | {"from_the_start": "faster"},
            "You say that a model learns faster if it reads its own words from the first step of "
            "training on. Those words are noise then, and what follows from noise teaches little. "
            "It also has to go word by word.",
            "Which words does an untrained decoder write?",
        ),
        Misconception(
            "teacher makes no difference",
            _FORCED_OR_FREE | {"from_the_start": "the same"},
            "You say that it makes no difference. The loss asks for the right fifth word; after "
            "four words of noise that is another question than after four right ones.",
            "Which words does an untrained decoder write?",
        ),
    ],
)


# --- 9. Train it ----------------------------------------------------------------------------------

_GOLD: dict[str, str] = {}  # translations of the sentences that were drawn


def held_back(sentence: str) -> bool:
    """As in the notebook: no learner trains on these."""
    return crc32(sentence.encode()) % 10 == 0


def sentence_cases(draw: Draw) -> list[Case]:
    def case(label, phrases, count):
        seed = int(draw.whole(0, 2**40))
        pairs = translation_pairs(15 * count + 150, phrases=phrases, seed=seed)
        pairs = [pair for pair in pairs if held_back(pair.source_text)][:count]
        _GOLD.update((pair.source_text, pair.target_text) for pair in pairs)
        return Case(label, {"sentences": [pair.source_text for pair in pairs]})

    return [
        case("80 sentences of one phrase", 1, 80),
        case("119 sentences of two phrases", 2, 119),
        case("one sentence alone", 2, 1),
    ]


def _translation(sentence):
    if sentence not in _GOLD:  # a record was read from disk, and no case drawn yet
        sentence_cases(Draw(PUBLIC_SEED))
    return _GOLD[sentence]


def _gold_words(sentence):
    return list(tokenise(_translation(sentence)))


def _each(write):
    return lambda sentences: [write(sentence) for sentence in sentences]


my_translations = Exercise(
    id="my_translations",
    title="Train it",
    points=6,
    difficulty=3,
    minutes=30,
    outputs=["translations"],
    returns="texts",
    full_marks_from=0.98,
    seconds=120,
    shortcuts=["grammar", "lexicon"],
    cases=sentence_cases,
    gold=_each(_translation),
    hints=[
        "Translate ten sentences of `validation` and read them. Are they nearly right, or "
        "nonsense? Nearly right: more training. Nonsense: look at what goes in and out.",
        "What notebook 06 did for four phrases is more than enough for two. If your model stays "
        "below 98 %: more steps, more pairs, a wider state; and let the learning rate end at 0, "
        "as `Trainer` does. A slower start is often cured by a lower peak.",
        "An `Encoder` and a `LuongDecoder` with `DotProductAttention`, all 64 wide in each "
        "direction, make a `Seq2Seq`. `Batches` of 64 pairs, and a `Trainer` with a "
        "learning rate near 0.01 and some 1,000 steps. Then `model.translate_all(sentences)` gives "
        "words, and `detokenise` makes a text of them.",
    ],
    misconceptions=[
        Misconception(
            "end sign left in",
            _each(lambda sentence: _translation(sentence) + " <eos>"),
            "Your translations end with `<eos>`. Readers of French do not expect it.",
            "Where does your function stop to collect words?",
        ),
        Misconception(
            "start sign left in",
            _each(lambda sentence: "<sos> " + _translation(sentence)),
            "Your translations begin with `<sos>`. The decoder was given it; it is no word of the "
            "sentence.",
            "With which word does your list of written words begin?",
        ),
        Misconception(
            "source returned",
            _each(lambda sentence: sentence),
            "You return the English sentences.",
            "Which field of a `Translation` holds what the model has written?",
        ),
        Misconception(
            "cut at the length of the source",
            _each(lambda sentence: detokenise(_gold_words(sentence)[: len(tokenise(sentence))])),
            "Your translations are cut off after as many words as the source has. French often "
            "needs more: *sat* is *était assis*.",
            "How many steps does your loop take at most?",
        ),
        Misconception(
            "last word lost",
            _each(lambda sentence: detokenise(_gold_words(sentence)[:-1])),
            "Your translations lack their last word. Perhaps `<eos>` had been taken away already "
            "when `[:-1]` took it away once more.",
            "Does the list of words that you cut still end with `<eos>`?",
        ),
        Misconception(
            "joined without spaces",
            _each(lambda sentence: "".join(_gold_words(sentence))),
            "You join the words without spaces.",
            "What stands between the quotes in front of your `join`?",
        ),
        Misconception(
            "a space after every word",
            _each(lambda sentence: " ".join(_gold_words(sentence))),
            "You put a space after every word, and so after apostrophes: *n' était*. The words are "
            "right; as a text it is *n'était*.",
            "Which function of `utils.corpora` makes a text of words?",
        ),
        Misconception(
            "from right to left",
            _each(lambda sentence: detokenise(_gold_words(sentence)[::-1])),
            "Your translations run from the last word to the first.",
            "In which order does the decoder write?",
        ),
        Misconception(
            "sorted by length",
            lambda sentences: [_translation(one) for one in sorted(sentences, key=len)],
            "Your translations are right, and stand in another order than the sentences: sorted "
            "by length. That helps to batch them, and has to be undone at the end.",
            "To which sentence does the first of your translations belong?",
        ),
        Misconception(
            "as in print",
            _each(lambda sentence: _translation(sentence).capitalize() + "."),
            "Your translations begin with a capital and end with a full stop. The corpus has "
            "neither, and the check compares letter by letter.",
            "What does `pair.target_text` look like?",
        ),
    ],
)

EXERCISES = [
    decoder_step,
    decode_loop,
    masked_encoder,
    greedy_decoding,
    beam_step,
    alignment_error,
    alignment_picture,
    forced_or_free,
    my_translations,
]
