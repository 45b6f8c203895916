"""The task “Draw the next word”: right answers and known mistakes."""

import torch
from torch import Tensor

from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, words, temperature, k, uniform=None, level=0.0):
        ranks = torch.stack([draw.order(words) for _ in range(batch)])
        uniform = draw.whole(0, 98, batch) / 100 + 0.003 if uniform is None else uniform
        inputs = {"logits": 0.4 * ranks + draw.numbers(batch, words, reach=0.15)}
        inputs |= {"temperature": temperature, "k": k, "uniform": uniform}
        inputs["logits"] = inputs["logits"].double() + level * torch.arange(batch).unsqueeze(-1)
        return Case(label, inputs)

    nothing = case("a uniform number of 0", 4, 6, 1.2, 2, torch.zeros(4))
    nothing.inputs["logits"][0, 0] = -1.0  # so that the first word has no chance
    best = case("one row, the best of it 0", 1, 8, 0.7, 4)
    best.inputs["logits"] -= best.inputs["logits"].amax()
    return [
        case("two rows, five words, the three likeliest", 2, 5, 1.0, 3, torch.tensor([0.5, 0.9])),
        case("cold", 4, 6, 0.3, 4),
        case("hot", 6, 7, 2.5, 5),
        case("all words may come", 5, 6, 1.5, 6),
        case("only the likeliest may come", 3, 5, 2.0, 1),
        nothing,
        case("a uniform number close to 1", 6, 6, 3.0, 3, torch.full((6,), 0.999)),
        case("rows on levels far apart", 3, 6, 1.0, 3, level=-100_000.0),
        best,
    ]


def _draw(
    warm=lambda logits, temperature: logits / temperature,
    keep=lambda scores, k: scores >= scores.topk(k).values[:, -1:],
    share=lambda scores, kept: scores.masked_fill(~kept, -torch.inf).softmax(-1),
    pick=lambda chances, uniform: (chances.cumsum(-1) <= uniform[:, None]).sum(-1),
):
    """Return an answer with one part replaced."""

    def answer(logits, temperature, k, uniform):
        scores = warm(logits, temperature)
        chances = share(scores, keep(scores, k))
        return chances, pick(chances, uniform)

    return answer


def _smallest(scores: Tensor, count: int) -> Tensor:
    """Return the smallest of the `count` largest scores of each row."""
    return scores.topk(min(count, scores.shape[-1])).values[:, -1:]


def _but_the_last(scores: Tensor, k: int) -> Tensor:
    return (scores > _smallest(scores, k)) | (scores == scores.amax(-1, keepdim=True))


def _from_the_likeliest_on(chances: Tensor, uniform: Tensor) -> Tensor:
    ordered = chances.sort(-1, descending=True)
    place = (ordered.values.cumsum(-1) <= uniform[:, None]).sum(-1, keepdim=True)
    return ordered.indices.gather(1, place.clamp(max=chances.shape[1] - 1))[:, 0]


def with_searchsorted(logits, temperature, k, uniform):
    best = logits.topk(k, dim=-1)
    chances = torch.zeros_like(logits)
    chances.scatter_(1, best.indices, torch.softmax(best.values / temperature, dim=-1))
    word = torch.searchsorted(chances.cumsum(1), uniform[:, None].to(chances), right=True)
    return chances, word.squeeze(1)


def row_by_row(logits, temperature, k, uniform):
    chances = torch.zeros_like(logits)
    words = []
    for row, (numbers, point) in enumerate(zip(logits, uniform.tolist(), strict=True)):
        chosen = sorted(range(len(numbers)), key=lambda i, n=numbers: -n[i].item())[:k]
        powers = {i: torch.exp((numbers[i] - numbers.max()) / temperature) for i in chosen}
        so_far, word = 0.0, None
        for i in sorted(chosen):
            chances[row, i] = powers[i] / sum(powers.values())
            so_far += chances[row, i].item()
            if word is None and so_far > point:
                word = i
        words.append(max(chosen) if word is None else word)
    return chances, torch.tensor(words)


def filter_then_renormalise(logits, temperature, k, uniform):
    chances = torch.softmax(logits / temperature, dim=1)
    ranks = chances.argsort(1, descending=True).argsort(1)
    chances = torch.where(ranks < k, chances, 0.0)
    chances = chances / chances.sum(1, keepdim=True)
    word = (chances.cumsum(1) > uniform.unsqueeze(1)).int().argmax(1)
    return chances, word


exercise = Exercise(
    id="next_word",
    title="Draw the next word",
    points=3,
    difficulty=2,
    minutes=20,
    section="08.4",
    outputs=["chances", "word"],
    invariants={"chances": ["not negative", "rows sum to 1"]},
    cases=cases,
    equivalents={
        "chances = scores.masked_fill(scores < lowest, -torch.inf).softmax(1)": IN_A_MATRIX,
        "word = (chances.cumsum(1) <= uniform.unsqueeze(-1)).sum(-1)": IN_A_MATRIX,
        "word = (chances.cumsum(-1) <= uniform.unsqueeze(1)).sum(-1)": IN_A_MATRIX,
        "word = (chances.cumsum(-1) <= uniform.unsqueeze(-1)).sum(1)": IN_A_MATRIX,
    },
    hints=[
        "Lay the chances side by side on a line from 0 to 1, in the order of the ids. Where on it "
        "does the uniform number fall?",
        "First divide by the temperature, then set all but the k largest scores to minus "
        "infinity, then take the softmax. `topk(k).values[:, -1:]` is the smallest that stays. "
        "The ends of the pieces on the line are `cumsum` of the chances.",
        "The word is the number of pieces that end at or before the uniform number: "
        "`(chances.cumsum(-1) <= uniform.unsqueeze(-1)).sum(-1)`.",
    ],
    mistakes={
        "always the likeliest": WrongAnswer(
            _draw(pick=lambda chances, uniform: chances.argmax(-1)),
            "You take the likeliest word, whatever the uniform number says. That is greedy search.",
            "Which input decides between two words of equal chance?",
            misconception="hard-choice",
        ),
        "multiplied by the temperature": WrongAnswer(
            _draw(warm=lambda logits, temperature: logits * temperature),
            "You multiply by the temperature. Then heat sharpens, and cold flattens.",
            "What should happen to the differences between the scores at temperature 2?",
            misconception="temperature-upside-down",
        ),
        "no temperature": WrongAnswer(
            _draw(warm=lambda logits, temperature: logits),
            "The temperature makes no difference in your code.",
            "What has to be divided by the temperature?",
            misconception="input-unused",
        ),
        "all words": WrongAnswer(
            _draw(keep=lambda scores, k: torch.ones_like(scores).bool()),
            "Every word may come. Only the k likeliest should.",
            "How many of the chances of a row should be above 0?",
            misconception="input-unused",
        ),
        "cut after the softmax": WrongAnswer(
            _draw(share=lambda scores, kept: scores.softmax(-1) * kept),
            "You cut after the softmax. The chances of the words that stay need not sum to 1 "
            "then, and a large uniform number can fall off the end of the line.",
            "What must become of the share of the words that were cut?",
            misconception="mask-after-softmax",
        ),
        "scores of 0": WrongAnswer(
            _draw(share=lambda scores, kept: scores.masked_fill(~kept, 0).softmax(-1)),
            "You set the scores of the other words to 0, or close to it. That is a score like any "
            "other: they can still be drawn.",
            "Which score gives a chance of 0?",
            misconception="low-score-hides",
        ),
        "the least likely": WrongAnswer(
            _draw(keep=lambda scores, k: scores <= (-scores).topk(k).values[:, -1:].neg()),
            "You keep the k *least* likely words.",
            "What does `topk` return, of the scores as they are?",
            misconception="opposite",
        ),
        "one word too many": WrongAnswer(
            _draw(keep=lambda scores, k: scores >= _smallest(scores, k + 1)),
            "You keep one word too many.",
            "With k = 1, how many words may come?",
            misconception="off-by-one",
        ),
        "one word too few": WrongAnswer(
            _draw(keep=_but_the_last),
            "With a k above 1 you keep one word too few: the k-th belongs to those that stay.",
            "Is the smallest score that stays larger than itself?",
            misconception="off-by-one",
        ),
        "powers for chances": WrongAnswer(
            _draw(share=lambda scores, kept: scores.exp() * kept),
            "Your chances are powers that nobody has divided by their sum, so they need not sum "
            "to 1.",
            "What should the chances of a row sum to?",
            misconception="shares-need-not-sum-to-one",
        ),
        "a piece without its end": WrongAnswer(
            _draw(pick=lambda chances, uniform: (chances.cumsum(-1) < uniform[:, None]).sum(-1)),
            "A uniform number that falls exactly on the end of a piece belongs to the next one. "
            "With a number of 0 you draw the first word, even if it has no chance at all.",
            "Which word should a uniform number of 0 draw, if the first has a chance of 0?",
            misconception="off-by-one",
        ),
        "from the likeliest on": WrongAnswer(
            _draw(pick=_from_the_likeliest_on),
            "You lay the words on the line from the likeliest on. The task lays them in the order "
            "of their ids, so that everybody draws the same word from the same number.",
            "Which word lies at the beginning of the line?",
            misconception="parts-in-any-order",
        ),
        "a threshold for the chance itself": WrongAnswer(
            _draw(pick=lambda chances, uniform: (chances > uniform[:, None]).int().argmax(-1)),
            "You look for a single chance above the uniform number. With many words there may be "
            "none: what has to pass it is the *sum* of the chances so far.",
            "How far along the line from 0 to 1 does the third word begin?",
            misconception="largest-of-a-row",
        ),
        "the word before": WrongAnswer(
            _draw(
                pick=lambda chances, uniform: (
                    (chances.cumsum(-1) <= uniform[:, None]).sum(-1).sub(1).clamp(min=0)
                )
            ),
            "You name the word before the one that is hit, if there is one before it.",
            "If no piece ends before the uniform number, which word is it?",
            misconception="off-by-one",
        ),
    },
    variants=[with_searchsorted, row_by_row, filter_then_renormalise],
)
