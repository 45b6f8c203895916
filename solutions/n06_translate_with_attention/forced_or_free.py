"""Told or alone."""

import numpy as np

from solutions.specification import Exercise, Misconception
from utils.checks.tasks import Case

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


# --- Right answers in other styles ----------------------------------------------------------------


def in_capitals():
    return {
        "reads": "The right word",
        "first": "The same",
        "slip": "ALONE",
        "at_once": "Told",
        "perplexity": "Alone",
        "from_the_start": "Slower",
    }


def with_spaces_and_a_note():
    return dict(
        from_the_start=" slower",
        perplexity="alone ",
        at_once="told",
        slip="alone",
        first="the same",
        reads="the right word",
        note="task 2",
    )


def strings_of_numpy():
    words = np.array(["the right word", "the same", "alone", "told", "alone", "slower"])
    keys = ["reads", "first", "slip", "at_once", "perplexity", "from_the_start"]
    return dict(zip(keys, words, strict=True))


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
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
            kind="teacher-forcing",
        ),
        Misconception(
            "forced to the source",
            _FORCED_OR_FREE | {"reads": "a source word"},
            "You say that the decoder reads a source word. The source comes in through the "
            "attention, with teacher forcing or without. What is told is the target so far.",
            "What stands in `target[:, :-1]`?",
            kind="teacher-forcing",
        ),
        Misconception(
            "told before the first word",
            _FORCED_OR_FREE | {"first": "told"},
            "You say that the first word is better when the decoder is told. Told what? Before "
            "the first word there is only `<sos>`, in either case.",
            "In section 9, where do the two lines of one model begin?",
            kind="teacher-forcing",
        ),
        Misconception(
            "first word alone",
            _FORCED_OR_FREE | {"first": "alone"},
            "You say that the first word is better when the decoder is alone. Both have read the "
            "same: `<sos>`.",
            "What has each of the two read before the first word?",
            kind="free-running",
        ),
        Misconception(
            "the told one trips",
            _FORCED_OR_FREE | {"slip": "told"},
            "You say that a wrong word disturbs the decoder that is told. It never reads that "
            "word: the right one is put in its place.",
            "After the slip, what stands in front of each of the two?",
            kind="teacher-forcing",
        ),
        Misconception(
            "both trip",
            _FORCED_OR_FREE | {"slip": "both"},
            "You say that a wrong word disturbs both. The state does not know what was written, "
            "only what was read, and the one that is told has read the right word.",
            "Which of the decoder's inputs holds the word that it wrote?",
            kind="teacher-forcing",
        ),
        Misconception(
            "alone in one call",
            _FORCED_OR_FREE | {"at_once": "alone"},
            "You say that the decoder that is alone can take all steps in one call. It has to "
            "wait for each word before it can read it.",
            "When is the input of step 5 known?",
            kind="free-running",
        ),
        Misconception(
            "both in one call",
            _FORCED_OR_FREE | {"at_once": "both"},
            "You say that both can take all steps in one call. The one that is told can, since "
            "all its inputs are known. The other one's are not there yet.",
            "When is the input of step 5 known, in each of the two?",
            kind="free-running",
        ),
        Misconception(
            "told is harder",
            _FORCED_OR_FREE | {"perplexity": "told"},
            "You say that the teacher-forced perplexity is the larger one. Right words before make "
            "the next word easier to guess, not harder.",
            "Would you rather continue a right sentence, or a wrong one?",
            kind="free-running",
        ),
        Misconception(
            "one perplexity",
            _FORCED_OR_FREE | {"perplexity": "the same"},
            "You say that the two perplexities are the same. That holds for a model that is "
            "always right, and a weak one reads many wrong words when it is alone.",
            "What did section 9 measure for the model without attention?",
            kind="free-running",
        ),
        Misconception(
            "practice makes perfect",
            _FORCED_OR_FREE | {"from_the_start": "faster"},
            "You say that a model learns faster if it reads its own words from the first step of "
            "training on. Those words are noise then, and what follows from noise teaches little. "
            "It also has to go word by word.",
            "Which words does an untrained decoder write?",
            kind="free-running",
        ),
        Misconception(
            "teacher makes no difference",
            _FORCED_OR_FREE | {"from_the_start": "the same"},
            "You say that it makes no difference. The loss asks for the right fifth word; after "
            "four words of noise that is another question than after four right ones.",
            "Which words does an untrained decoder write?",
            kind="free-running",
        ),
    ],
    variants=[in_capitals, with_spaces_and_a_note, strings_of_numpy],
)
