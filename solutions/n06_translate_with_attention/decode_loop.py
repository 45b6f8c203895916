"""The task “The loop, with teacher forcing”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import joined_times
from utils.checks.tasks import Case
from utils.corpora import EOS, PAD, SOS

EVERY_ROW = "every row has two parts"


def cases(draw: Draw) -> list[Case]:
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
        Case("two sentences of three words and one", inputs([3, 1], 6)),
        Case("two sentences of one length", inputs([2, 2], 5, (8, 2, 3))),
        Case("one sentence", inputs([4], 3, (7, 4, 2))),
        Case("an empty sentence beside one of five words", inputs([0, 5, 3], 2)),
        Case("one source word", inputs([2, 3], 1)),
        Case("float64", double | {n: double[n].double() for n in [*double][1:]}),
        Case("a target that is a transposed view", view | {"target": as_view(view["target"])}),
    ]


def _one_word(word, state, memory, embedding, w_state, w_output):
    state = joined_times((embedding[word], state), w_state).tanh()
    weights = torch.einsum("bd,bsd->bs", state, memory).softmax(1)
    context = torch.einsum("bs,bsd->bd", weights, memory)
    return joined_times((context, state), w_output), weights, state


def _mean_loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=PAD)


def _loop(fed=lambda target: target[:, :-1], loss=None, carried=True, own=False, axis=1):
    """Return teacher forcing with some parts replaced."""

    def loop(target, state, memory, *matrices):
        rows, written = [], None
        for word in fed(target).unbind(1):
            word = written if own and rows else word
            logits, weights, new = _one_word(word, state, memory, *matrices)
            state = new if carried else state
            written = logits.argmax(-1)
            rows.append((logits, weights))
        logits, weights = (torch.stack(steps, dim=1) for steps in zip(*rows, strict=True))
        total = (loss or _mean_loss)(logits[:, : target.shape[1] - 1], target[:, 1:])
        return (*(x.transpose(0, 1) if axis == 0 else x for x in (logits, weights)), total)

    return loop


def _loss_by(losses_to_one):
    """Return an answer that reduces the losses (batch, tgt_len) of single words otherwise."""

    def loss(logits, labels):
        each = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
        return losses_to_one(each, labels != PAD)

    return loss


def _unshifted(target, state, memory, *matrices):
    logits, weights, _ = _loop()(target, state, memory, *matrices)
    return logits, weights, _mean_loss(logits, target[:, :-1])


def _step(word, state, memory, embedding, w_state, w_output):
    state = (torch.cat([embedding[word], state], dim=-1) @ w_state).tanh()
    weights = (memory @ state.unsqueeze(-1)).squeeze(-1).softmax(-1)
    context = (weights.unsqueeze(1) @ memory).squeeze(1)
    return torch.cat([context, state], dim=-1) @ w_output, weights, state


def by_place(target, state, memory, *matrices):
    logits, weights = [], []
    for place in range(target.shape[1] - 1):
        row, alpha, state = _step(target[:, place], state, memory, *matrices)
        logits.append(row.unsqueeze(1))
        weights.append(alpha.unsqueeze(1))
    logits, weights = torch.cat(logits, 1), torch.cat(weights, 1)
    loss = F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=0)
    return logits, weights, loss


def loss_step_by_step(target, state, memory, *matrices):
    all_logits, all_weights, total, count = [], [], 0.0, 0
    for read, wanted in zip(target.T[:-1], target.T[1:], strict=True):
        logits, weights, state = _step(read, state, memory, *matrices)
        total = total + F.cross_entropy(logits, wanted, ignore_index=0, reduction="sum")
        count = count + (wanted != 0).sum()
        all_logits.append(logits)
        all_weights.append(weights)
    return torch.stack(all_logits, 1), torch.stack(all_weights, 1), total / count


def states_first(target, state, memory, embedding, w_state, w_output):
    """Compute all states first, as Luong's need no context, then look once for all."""
    states = []
    for vector in embedding[target[:, :-1]].unbind(1):
        state = torch.tanh(torch.hstack([vector, state]) @ w_state)
        states.append(state)
    states = torch.stack(states, dim=1)
    weights = torch.einsum("btd,bsd->bts", states, memory).softmax(-1)
    logits = torch.cat([weights @ memory, states], dim=-1) @ w_output
    real = target[:, 1:] != 0
    losses = -logits.log_softmax(-1)[real].gather(1, target[:, 1:][real].unsqueeze(1))
    return logits, weights, losses.mean()


def sentence_by_sentence(target, state, memory, *matrices):
    parts = [
        by_place(target[[row]], state[[row]], memory[[row]], *matrices)
        for row in range(len(target))
    ]
    logits, weights, losses = (list(column) for column in zip(*parts, strict=True))
    counts = (target[:, 1:] != 0).sum(1)
    loss = (torch.stack(losses) * counts).sum() / counts.sum()
    return torch.cat(logits), torch.cat(weights), loss


exercise = Exercise(
    id="decode_loop",
    title="The loop, with teacher forcing",
    points=4,
    difficulty=2,
    minutes=15,
    section="06.4",
    learns=True,
    outputs=["logits", "weights", "loss"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
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
    mistakes={
        "state not carried on": WrongAnswer(
            _loop(carried=False),
            "Every step of yours begins with the start state. So the decoder knows the last word "
            "only, and nothing of those before it.",
            "Which of the three results of `luong_step` does the next step need?",
            misconception="stale-value",
        ),
        "reads its own words": WrongAnswer(
            _loop(own=True),
            "From the second step on your decoder reads the words that it would have written "
            "itself. That is free running. Teacher forcing tells it the right ones.",
            "Where does the word that each step reads come from?",
            misconception="teacher-forcing",
        ),
        "reads the answers": WrongAnswer(
            _loop(fed=lambda target: target[:, 1:]),
            "Each step reads the very word that it is to guess: you feed the target without its "
            "`<sos>`. So the loss can fall to nearly nothing, and nothing is learnt of writing "
            "alone.",
            "What has the decoder read when it writes the first word?",
            misconception="future-open",
        ),
        "a step after the end": WrongAnswer(
            _loop(fed=lambda target: target),
            "You feed the whole target, the last column as well. There is nothing left to guess "
            "after that, and so there is one step too many.",
            "How many words and `<eos>` does the longest row ask for?",
            misconception="off-by-one",
        ),
        "time in front": WrongAnswer(
            _loop(axis=0),
            "Your steps lie along axis 0 and the sentences along axis 1. Everywhere in the course "
            "the batch comes first.",
            "Along which axis does `torch.stack` put a list together, if it is not told?",
            misconception="axes-anywhere",
        ),
        "labels not shifted": WrongAnswer(
            _unshifted,
            "Your loss compares each step with the word that it has just *read*. A model trained "
            "so learns to repeat.",
            "After `<sos>` has been read, what is the right answer?",
            misconception="future-open",
        ),
        "padding counted": WrongAnswer(
            _loop(loss=_loss_by(lambda each, real: each.mean())),
            "Padding counts in your loss. The model would be trained to write `<pad>`, and the "
            "more so the more uneven a batch is.",
            "How does `F.cross_entropy` learn which labels to leave out?",
            misconception="padding-in-loss",
        ),
        "end sign left out": WrongAnswer(
            _loop(
                loss=lambda logits, labels: _mean_loss(
                    logits, labels.masked_fill(labels == EOS, PAD)
                )
            ),
            "`<eos>` does not count in your loss, so the model never learns to stop. It is a word "
            "like the others, and only padding is left out.",
            "Which of the labels should the model learn to write last?",
            misconception="marks-are-words",
        ),
        "padding in the denominator": WrongAnswer(
            _loop(loss=_loss_by(lambda each, real: (each * real).mean())),
            "The losses of padding are 0 in your sum, and yet you divide by all places, padding "
            "included. The same sentence has a smaller loss beside a longer one.",
            "By how many should the sum be divided?",
            misconception="padding-in-loss",
        ),
        "sum for mean": WrongAnswer(
            _loop(loss=_loss_by(lambda each, real: (each * real).sum())),
            "Your loss is the sum over all words. Asked was the mean.",
            "Which of the two grows with the size of the batch?",
            misconception="sum-and-mean",
        ),
        "softmax before the loss": WrongAnswer(
            _loop(loss=lambda logits, labels: _mean_loss(logits.softmax(-1), labels)),
            "The softmax is taken twice in your loss: `F.cross_entropy` takes one itself. Of two, "
            "the second sees numbers between 0 and 1 only, and can hardly tell them apart.",
            "Does `F.cross_entropy` expect logits or probabilities?",
            misconception="softmax-twice",
        ),
        "sentence by sentence": WrongAnswer(
            _loop(loss=_loss_by(lambda each, real: ((each * real).sum(1) / real.sum(1)).mean())),
            "Your loss is a mean of the sentences' means: a word of a short sentence counts more "
            "than one of a long sentence.",
            "Over what is the mean taken: over sentences, or over words?",
            misconception="averages-anywhere",
        ),
        "divided by the sentences": WrongAnswer(
            _loop(loss=_loss_by(lambda each, real: (each * real).sum(1).mean())),
            "Your loss is the sum over all words, divided by the number of sentences. Longer "
            "sentences make it larger. Asked was the mean over words.",
            "What has to be counted for the mean of a word's loss?",
            misconception="sum-and-mean",
        ),
    },
    variants=[by_place, loss_step_by_step, states_first, sentence_by_sentence],
)
