"""The task “A language model of one's own”: right answers and known mistakes."""

import string

import numpy as np
import torch
from torch import nn

from solutions.build import notebooks, solutions_of
from solutions.specification import PUBLIC_SEED, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.corpora import translation_pairs

READ = 60_000  # characters of the text to learn from
LENGTH = 48  # characters of a beginning
_NEXT: dict[str, tuple[str, str]] = {}  # the two letters after each beginning that was drawn


def cases(draw: Draw) -> list[Case]:
    seed = int(draw.whole(0, 2**40))
    pairs = translation_pairs(2_600, phrases=(1, 2), seed=seed)
    order = draw.order(len(string.ascii_lowercase)).tolist()
    script = "".join(string.ascii_lowercase[place] for place in order)
    cipher = str.maketrans(string.ascii_lowercase, script)
    text = "\n".join(pair.source_text for pair in pairs).translate(cipher)
    unseen = text[READ:]
    places = draw.order(len(unseen) - LENGTH - 2)[:200].tolist()
    beginnings = [unseen[place : place + LENGTH] for place in places]
    for place, beginning in zip(places, beginnings, strict=True):
        _NEXT[beginning] = (unseen[place + LENGTH], unseen[place + LENGTH + 1])
    inputs = {"text": text[:READ], "beginnings": beginnings}
    return [Case("200 places in an unseen text", inputs)]


def _after(beginning: str, ahead: int = 0) -> str:
    if beginning not in _NEXT:  # a record was read from disk, and no case drawn yet
        cases(Draw(PUBLIC_SEED))
    return _NEXT[beginning][ahead]


def _each(guess):
    return lambda text, beginnings: [guess(beginning) for beginning in beginnings]


def _name(name: str):
    (path,) = (path for path in notebooks() if path.name.startswith("08"))
    return solutions_of(path)[name]


def by_the_last_letters(text, beginnings):
    """Train a network without attention, which sees six letters."""
    letters, reach = sorted(set(text)), 6
    ids = torch.tensor([letters.index(letter) for letter in text])
    model = nn.Sequential(
        nn.Embedding(len(letters), 16),
        nn.Flatten(),
        nn.Linear(16 * reach, 128),
        nn.ReLU(),
        nn.Linear(128, len(letters)),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(300):
        places = torch.randint(reach, len(ids), (512, 1))
        before = ids[places - torch.arange(reach, 0, -1)]  # (512, reach)
        loss = nn.functional.cross_entropy(model(before), ids[places[:, 0]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    last = [[letters.index(letter) for letter in one[-reach:]] for one in beginnings]
    return [letters[best] for best in model(torch.tensor(last)).argmax(-1)]


def as_an_array(text, beginnings):
    return np.array(by_the_last_letters(text, beginnings))


def the_solution(text, beginnings):
    return _name("next_letters")(text, tuple(beginnings))


exercise = Exercise(
    id="next_letters",
    title="A language model of your own",
    points=8,
    difficulty=3,
    minutes=75,
    section="08.4",
    outputs=["letters"],
    answer_type="trains network",
    returns="texts",
    full_marks_from=0.6,
    seconds=90,
    again=False,
    shortcuts=["grammar", "lexicon"],
    cases=cases,
    gold=_each(_after),
    hints=[
        "Which parts does the cell of `examine` complain about? Begin with the first of them: the "
        "later ones rest on it.",
        "The number to watch is the loss in bits for each character. If it stays where it began, "
        "look at what is compared with what; if it falls and stops near 4, the model sees one "
        "character and nothing before it.",
        "Make `Characters(text)`, a `LanguageModel` for as many tokens, 64 wide, and `learn` it "
        "for some 600 steps on windows of 64 characters, at a peak rate of 0.01. The answer is "
        "the token with the largest of the logits at the *last* position of each beginning.",
    ],
    mistakes={
        "says again what it read": WrongAnswer(
            _each(lambda beginning: beginning[-1]),
            "Your letters are the last ones of the beginnings. A model says again what it has "
            "just read if the targets of its training were not shifted.",
            "In `learn`, which column of the windows is the target of the first column?",
            misconception="off-by-one",
        ),
        "one letter too far": WrongAnswer(
            _each(lambda beginning: _after(beginning, 1)),
            "Your letters are those after the next ones: so a model answers whose targets are "
            "shifted by two.",
            "How many columns lie between a character and its target?",
            misconception="off-by-one",
        ),
        "always the same": WrongAnswer(
            _each(lambda beginning: " "),
            "Your answer is a space, everywhere: the commonest character of the text. So a model "
            "answers that has learned how often each character comes, and not when.",
            "How far has the loss fallen, and does `forward` run the blocks?",
            misconception="input-unused",
        ),
        "the first position read": WrongAnswer(
            _each(lambda beginning: beginning[1]),
            "Your letters are the second ones of the beginnings, of which the logits at the first "
            "position speak. What comes after the whole beginning is asked at the last.",
            "Which of the 48 positions has read all of the beginning?",
            misconception="wrong-end",
        ),
        "the whole text": WrongAnswer(
            _each(lambda beginning: beginning + _after(beginning)),
            "You return each beginning with the next letter behind it. One letter is asked for.",
            "How long should each text of your list be?",
            misconception="written-form",
        ),
        "sorted": WrongAnswer(
            lambda text, beginnings: [_after(one) for one in sorted(beginnings)],
            "Your letters belong to the beginnings in another order.",
            "To which beginning does the first of your letters belong?",
            misconception="row-is-word",
        ),
    },
    variants=[by_the_last_letters, as_an_array, the_solution],
)
