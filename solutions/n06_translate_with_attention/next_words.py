"""The stub “One step of a greedy search” of a notebook: right answers and known mistakes."""

import torch

from solutions.specification import IN_A_MATRIX, Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case
from utils.corpora import EOS, PAD


def cases(draw: Draw) -> list[Case]:
    def inputs(best, finished, vocab_size=9):
        order = torch.stack([draw.order(vocab_size) for _ in best]).float() / 10
        for row, word in zip(order, best, strict=True):
            row[word] = row.max() + 0.5  # nothing for chance to decide
        return {"logits": order, "finished": torch.tensor(finished)}

    return [
        Case("nobody has finished", inputs([4, 7, 5], [False, False, False])),
        Case("one has finished, one finishes now", inputs([6, EOS, 8], [True, False, False])),
        Case("one finished long ago and says so again", inputs([EOS, 5], [True, False])),
        Case("all finish at once", inputs([EOS, EOS], [False, False])),
    ]


def in_a_loop(logits, finished):
    words, done = [], []
    for row, over in zip(logits.tolist(), finished.tolist(), strict=True):
        word = 0 if over else max(range(len(row)), key=row.__getitem__)
        words.append(word)
        done.append(over or word == 3)
    return torch.tensor(words), torch.tensor(done)


def with_where(logits, finished):
    best = logits.max(dim=1).indices
    return torch.where(finished, PAD, best), torch.logical_or(finished, best == EOS)


exercise = YourTurn(
    id="next_words",
    title="One step of a greedy search",
    section="06.7",
    outputs=["words", "finished_now"],
    cases=cases,
    equivalents={
        "words = logits.argmax(1).masked_fill(finished, PAD)": IN_A_MATRIX,
        "words = (logits + torch.rand(logits.shape) / 10).argmax(-1).masked_fill(finished, PAD)": (
            "the best word leads by 0.5, so that chance decides nothing"
        ),
    },
    mistakes={
        "finished sentences go on": WrongAnswer(
            lambda logits, finished: (logits.argmax(-1), finished | (logits.argmax(-1) == EOS)),
            "Sentences that have finished go on writing.",
            "Which word should stand in a row whose `finished` was `True` already?",
            misconception="finished-goes-on",
        ),
        "forgets who has finished": WrongAnswer(
            lambda logits, finished: (
                logits.argmax(-1).masked_fill(finished, PAD),
                logits.argmax(-1).masked_fill(finished, PAD) == EOS,
            ),
            "You return who finishes *in this step*, and forget those who had finished before.",
            "How do the old `finished` and the new `<eos>` signs come together?",
            misconception="half-is-enough",
        ),
        "the end sign swallowed": WrongAnswer(
            lambda logits, finished: (
                logits.argmax(-1).masked_fill(finished | (logits.argmax(-1) == EOS), PAD),
                finished | (logits.argmax(-1) == EOS),
            ),
            "You write `PAD` where a sentence ends in this very step. Its word is `<eos>`; only "
            "those that had finished *before* are filled up.",
            "Is `finished` updated before or after the words are masked?",
            misconception="stale-value",
        ),
        "the end sign again": WrongAnswer(
            lambda logits, finished: (
                logits.argmax(-1).masked_fill(finished, EOS),
                finished | (logits.argmax(-1) == EOS),
            ),
            "A sentence that had finished gets `<eos>` again. Behind its end stands `PAD`.",
            "How many end signs has a sentence?",
            misconception="marks-are-words",
        ),
    },
    variants=[in_a_loop, with_where],
)
