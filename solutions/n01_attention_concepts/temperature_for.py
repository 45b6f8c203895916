"""The task “The temperature for so many words”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case

CLOSED_IN = "after 60 halvings the bounds have long met"
FAR_OUT = "a bound need only lie far enough out"
NO_TIES = "a search meets no exact equality"
ONE_START = "one bound serves all rows until they part"


def cases(draw: Draw) -> list[Case]:
    # No two scores alike, and none far from the others: the answer is then well determined.
    steep, gentle = draw.order(5).float(), draw.order(5) / 4
    return [
        Case("a single row, 1.5 of 5 words", {"scores": steep, "words": 1.5}),
        Case(
            "two rows of one spread", {"scores": torch.stack([steep, steep.flip(0)]), "words": 3.0}
        ),
        Case(
            "a steep row and a gentle one", {"scores": torch.stack([steep, gentle]), "words": 3.0}
        ),
        Case("four and a half of 5 words", {"scores": torch.stack([gentle, steep]), "words": 4.5}),
        Case(
            "a batch of matrices",
            {
                # Two rows: which of many rows a search moves at its end hangs on the processor.
                "scores": torch.stack([draw.order(4).float() for _ in range(2)]).view(2, 1, 4),
                "words": 2.5,
            },
        ),
        Case("scores in the hundreds", {"scores": 100.0 * draw.order(4).float(), "words": 2.0}),
    ]


def _words(scores, temperature):
    """Return how many words each row looks at."""
    weights = (scores / temperature.unsqueeze(-1)).softmax(-1)
    return torch.special.entr(weights).sum(-1).exp()


def _search(scores, measure, goal):
    """Find for each row the temperature at which a measure that rises with it reaches a goal."""
    low = scores.new_full(scores.shape[:-1], 1e-3)
    high = scores.new_full(scores.shape[:-1], 1e5)
    for _ in range(80):
        middle = (low * high).sqrt()
        below = measure(scores, middle) < goal
        low, high = torch.where(below, middle, low), torch.where(below, high, middle)
    return middle


def _largest(scores, temperature):
    return -(scores / temperature.unsqueeze(-1)).softmax(-1).amax(-1)


def _shared(scores, words):
    """Find one temperature for all rows, at which they look at so many words on average."""

    def mean(of, temperature):
        return _words(of, temperature).mean().expand_as(temperature)

    return _search(scores, mean, words)


def _on_a_grid(scores, words):
    grid = torch.arange(1, 2001, dtype=scores.dtype) / 10  # (steps,)
    every = scores.unsqueeze(-2).expand(*scores.shape[:-1], len(grid), -1)  # (..., steps, src_len)
    too_cold = (_words(every, grid) < words).sum(-1)  # (...)
    return grid[too_cold.clamp(max=len(grid) - 1)]


def row_by_row(scores, words):
    temperatures = []
    for row in scores.reshape(-1, scores.shape[-1]):
        low, high = 1e-4, 1e6
        while high / low > 1 + 1e-7:
            middle = (low * high) ** 0.5
            weights = (row.double() / middle).softmax(-1)
            if -torch.xlogy(weights, weights).sum() < torch.tensor(words).log():
                low = middle
            else:
                high = middle
        temperatures.append(low)
    return torch.tensor(temperatures).reshape(scores.shape[:-1])


def by_bisecting_the_logarithm(scores, words):
    low, high = torch.full(scores.shape[:-1], -7.0), torch.full(scores.shape[:-1], 12.0)
    for _ in range(50):
        middle = (low + high) / 2
        weights = (scores / middle.exp().unsqueeze(-1)).softmax(-1)
        too_few = -torch.xlogy(weights, weights).sum(-1) < torch.tensor(words).log()
        low, high = torch.where(too_few, middle, low), torch.where(too_few, high, middle)
    return middle.exp()


def by_newton(scores, words):
    """Search for the logarithm of the temperature, in float64, from the spread of the scores."""
    scores = scores.double()
    log_t = scores.std(-1).log()
    for _ in range(60):
        t = log_t.exp().unsqueeze(-1)
        p = (scores / t).softmax(-1)
        entropy = torch.special.entr(p).sum(-1)
        mean = (p * scores).sum(-1, keepdim=True)
        slope = ((p * (scores - mean) ** 2).sum(-1, keepdim=True) / t**2).squeeze(-1)
        step = (torch.tensor(words, dtype=torch.float64).log() - entropy) / slope.clamp(min=1e-6)
        log_t = log_t + step.clamp(-0.5, 0.5)
    return log_t.exp()


exercise = Exercise(
    id="temperature_for",
    title="The temperature for so many words",
    points=4,
    difficulty=3,
    minutes=20,
    section="01.6",
    outputs=["temperatures"],
    cases=cases,
    tolerance=1e-3,
    equivalents={
        "high = scores.new_full(scores.shape[:-1], 100001.0)": FAR_OUT,
        "high = scores.new_full(scores.shape[:-1], 99999.0)": FAR_OUT,
        "high = scores.new_full(scores.shape[:-1], 150000.0)": FAR_OUT,
        "high = scores.new_full(scores.shape[:-1], 66666.66666666667)": FAR_OUT,
        "low = scores.new_full(scores.shape[:-1], 0.0015)": FAR_OUT,
        "low = scores.new_full(scores.shape[:-1], 0.0006666666666666666)": FAR_OUT,
        "high = scores.new_full(scores.shape[:-0], 100000.0)": ONE_START,
        "high = scores.new_full(scores.shape[1:-1], 100000.0)": ONE_START,
        "low = scores.new_full(scores.shape[1:-1], 0.001)": ONE_START,
        "low = scores.new_full(scores.shape[:-0], 0.001)": ONE_START,
        "for _ in torch.arange(59):": CLOSED_IN,
        "for _ in torch.arange(61):": CLOSED_IN,
        "for _ in torch.arange(0 + 1, 60):": CLOSED_IN,
        "for _ in torch.arange(0, 60 - 1):": CLOSED_IN,
        "too_few = torch.special.entr(weights).sum(-1).exp() <= words": NO_TIES,
    },
    hints=[
        "You know a temperature that is too cold and one that is too hot. What does a look "
        "half-way between them tell you?",
        "The number of words only rises with the temperature. So keep a `low` and a `high`, "
        "measure in between, and move whichever of the two is on the same side as what you found. "
        "Half-way between 0.001 and 100,000 is best taken as the root of their product.",
        "Give every row its own `low` and `high`, tensors of shape `scores.shape[:-1]`. In each of "
        "some sixty rounds, `middle = (low * high).sqrt()`; where `exp` of the entropy is below "
        "`words`, `low` becomes `middle`, elsewhere `high` does: `torch.where` decides row by row.",
    ],
    mistakes={
        "entropy for words": WrongAnswer(
            lambda scores, words: _search(scores, lambda s, t: _words(s, t).log(), words),
            "At your temperatures it is the *entropy* that equals `words`, or comes as near to it "
            "as it can. The number of words is `exp` of the entropy.",
            "Which entropy have two words that share equally?",
            misconception="logarithm",
        ),
        "multiplied": WrongAnswer(
            lambda scores, words: 1 / _search(scores, _words, words),
            "Your temperatures are the right ones turned upside down: 1 divided by them. The "
            "temperature asked for is what the scores are divided by.",
            "Should a hot row look at more words than a cold one, or at fewer?",
            misconception="temperature-upside-down",
        ),
        "one for all rows": WrongAnswer(
            _shared,
            "You found one temperature at which the rows look at `words` words *on average*. Each "
            "row has scores of its own and needs its own.",
            "Does a row with scores 0, 1, 2 need the same temperature as one with 0, 10, 20?",
            misconception="averages-anywhere",
        ),
        "from the largest weight": WrongAnswer(
            lambda scores, words: _search(scores, _largest, -1 / words),
            "At your temperatures the largest weight is 1 / `words`. That is so when exactly that "
            "many words share equally; here the others take part as well.",
            "Two words with 0.5 each, or 0.5 and five times 0.1: the same number of words?",
            misconception="largest-of-a-row",
        ),
        "the next on a grid": WrongAnswer(
            _on_a_grid,
            "You tried temperatures at fixed steps and took the first that is hot enough. It lies "
            "beside the one asked for, not on it.",
            "How could two temperatures, one too cold and one too hot, close in on the right one?",
            misconception="another-task",
        ),
    },
    variants=[row_by_row, by_bisecting_the_logarithm, by_newton],
)
