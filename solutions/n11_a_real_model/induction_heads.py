"""The task “Find the induction heads”: right answers and known mistakes."""

import torch

from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, texts, layers, heads, length, count):
        twice, fresh = (_looked(draw, texts, layers, heads, 2 * length) for _ in range(2))
        places = torch.arange(length, 2 * length)
        order = draw.order(layers * heads)
        for number in order[: count + 1].tolist():  # the last of them by its place alone
            layer, head = divmod(number, heads)
            strong = 2 + draw.whole(0, 8, texts, length) / 10
            twice[:, layer, head, places, places - length + 1] += strong
            if number == order[count]:
                twice[:, layer, head, places, places - length + 1] += 4
                fresh[:, layer, head, places, places - length + 1] += 2 * strong + 4
        layer, head = divmod(int(order[count + 1]), heads)  # a small control, by chance
        fresh[:, layer, head, places, places - length + 1] /= 100
        layer, head = divmod(int(order[count + 2]), heads)  # looks there if nothing is repeated
        fresh[:, layer, head, places, places - length + 1] += 100
        twice, fresh = (each / each.sum(-1, keepdim=True) for each in (twice, fresh))
        return Case(label, {"twice": twice, "fresh": fresh, "count": count})

    return [
        case("two layers of three heads", 1, 2, 3, 4, 2),
        case("three texts", 3, 2, 2, 3, 1),
        case("four layers", 2, 4, 2, 5, 3),
        case("as many layers as heads", 2, 3, 3, 4, 2),
        case("two tokens, said twice", 2, 2, 4, 2, 3),
        case("many heads", 1, 3, 5, 6, 4),
    ]


def _looked(draw: Draw, texts: int, layers: int, heads: int, length: int):
    """Draw what heads look at, as numbers above 0 on and below the diagonal."""
    return (draw.whole(1, 9, texts, layers, heads, length, length) / 10).tril()


def _at(weights, shift=lambda n: 1 - n, first=lambda n: n, end=lambda n: 2 * n):
    """Return the weights (texts, layers, heads, queries) from queries to places before them."""
    n = weights.shape[-1] // 2
    queries = torch.arange(first(n), end(n))
    return weights[..., queries, queries + shift(n)]


def _found(
    at=_at,
    average=lambda picked: picked.mean((0, -1)),
    compare=lambda score, control: score - control,
    places=lambda best, layers, heads: torch.stack([best // heads, best % heads], -1),
    largest=True,
    order=lambda best: best,
    finish=lambda score, control, found: (score, control, found),
    of_control=None,
):
    """Return an answer with one part replaced."""

    def answer(twice, fresh, count):
        score, control = average(at(twice)), average((of_control or at)(fresh))
        ranked = compare(score, control).flatten()
        best = order(ranked.sort(descending=largest).indices[:count])
        return finish(score, control, places(best, *score.shape))

    return answer


def head_by_head(twice, fresh, count):
    texts, layers, heads, length, _ = twice.shape
    n = length // 2
    score, control = torch.zeros(layers, heads), torch.zeros(layers, heads)
    for layer in range(layers):
        for head in range(heads):
            for weights, into in ((twice, score), (fresh, control)):
                total = 0.0
                for text in range(texts):
                    for query in range(n, 2 * n):
                        total += weights[text, layer, head, query, query - n + 1].item()
                into[layer, head] = total / (texts * n)
    order = sorted(
        ((layer, head) for layer in range(layers) for head in range(heads)),
        key=lambda place: -(score[place] - control[place]).item(),
    )
    return score, control, torch.tensor(order[:count])


def along_the_diagonal(twice, fresh, count):
    n = twice.size(-1) // 2
    score, control = (
        w.diagonal(offset=1 - n, dim1=-2, dim2=-1)[..., 1:].mean(-1).mean(0) for w in (twice, fresh)
    )
    best = torch.topk((score - control).view(-1), count).indices
    return score, control, torch.stack(torch.unravel_index(best, score.shape), dim=1)


def with_a_mask(twice, fresh, count):
    places = torch.arange(twice.shape[-1])
    n = len(places) // 2
    mask = (places == places[:, None] - n + 1) & (places[:, None] >= n)
    score = (twice * mask).sum((-1, -2)).mean(0) / n
    control = torch.einsum("tlhqk,qk->lh", fresh, mask.to(fresh.dtype)) / (n * len(fresh))
    order = (control - score).flatten().argsort()[:count]
    layer = torch.div(order, score.shape[1], rounding_mode="floor")
    return score, control, torch.column_stack([layer, order - layer * score.shape[1]])


exercise = Exercise(
    id="induction_heads",
    title="Find the induction heads",
    points=4,
    difficulty=2,
    minutes=20,
    section="11.5",
    outputs=["score", "control", "found"],
    cases=cases,
    equivalents={
        "control = fresh[..., queries, queries - n + 1].mean((-1, 0))": "axes in any order",
        "score = twice[..., queries, queries - n + 1].mean((-1, 0))": "axes in any order",
        "found = torch.stack([best // heads, best % heads], dim=1)": IN_A_MATRIX,
        "n, heads = (twice.shape[-2] // 2, twice.shape[2])": "as many queries as keys",
    },
    hints=[
        "Tokens a b c, said twice: a b c a b c. Which token stands *after* the first b? From which "
        "place should an induction head look at it?",
        "From place i of the second half, n to 2n − 1, the twin is i − n, and the token after it "
        "i − n + 1. `weights[..., queries, keys]` with two vectors of places takes these entries "
        "and no others.",
        "`queries = torch.arange(n, 2 * n)`, then "
        "`weights[..., queries, queries - n + 1].mean((0, -1))` for both. The best of "
        "`(score - control).flatten().topk(count).indices` are numbers: `// heads` is the layer, "
        "and `% heads` the head.",
    ],
    mistakes={
        "the twin itself": WrongAnswer(
            _found(at=lambda weights: _at(weights, shift=lambda n: -n)),
            "You take the weight on the twin itself. An induction head looks at what came *after* "
            "it: this is what it says next.",
            "Which token does a head need to see, to say what comes next?",
            misconception="off-by-one",
        ),
        "before the twin": WrongAnswer(
            _found(at=lambda weights: _at(weights, shift=lambda n: -n - 1)),
            "You take the weight on the token *before* the twin. It is the one after it that says "
            "what comes next.",
            "In which direction is the text read?",
            misconception="wrong-end",
            also={
                "where there is one": _found(
                    at=lambda weights: _at(weights, shift=lambda n: -n - 1, first=lambda n: n + 1)
                )
            },
        ),
        "two behind the twin": WrongAnswer(
            _found(at=lambda weights: _at(weights, shift=lambda n: 2 - n)),
            "You take the weight two places behind the twin. An induction head looks at the token "
            "right behind it.",
            "Which place is the first query, n, to look at?",
            misconception="off-by-one",
        ),
        "one query more": WrongAnswer(
            _found(at=lambda weights: _at(weights, first=lambda n: n - 1)),
            "Your mean has a query too many: place n − 1 is the last of the first half and has no "
            "twin before it. A whole diagonal has it.",
            "How many queries are in the second half?",
            misconception="off-by-one",
        ),
        "one query less": WrongAnswer(
            _found(at=lambda weights: _at(weights, end=lambda n: 2 * n - 1)),
            "You leave the last query out. The token after its twin is the first of the second "
            "half, which it may see.",
            "How many queries are in the second half?",
            misconception="off-by-one",
        ),
        "without the first": WrongAnswer(
            _found(at=lambda weights: _at(weights, first=lambda n: n + 1)),
            "You leave the first query of the second half out. It has a twin, at place 0.",
            "At which place does the second half begin?",
            misconception="off-by-one",
        ),
        "keys and queries exchanged": WrongAnswer(
            _found(at=lambda weights: _at(weights.mT)),
            "You take the columns for the words that look. Rows are queries: there the causal "
            "mask leaves something, and in your places nothing.",
            "Which axis of the weights sums to 1?",
            misconception="rows-are-keys",
        ),
        "divided by all queries": WrongAnswer(
            _found(average=lambda picked: picked.mean((0, -1)) / 2),
            "You divide by all 2n queries, though the sum has those of the second half alone.",
            "How many numbers are in your sum?",
            misconception="sum-and-mean",
        ),
        "sum for mean": WrongAnswer(
            _found(average=lambda picked: picked.sum(-1).mean(0)),
            "You add the weights of all queries. Asked is their mean, which stays between 0 and 1.",
            "Can a weight be larger than 1?",
            misconception="sum-and-mean",
            also={"of all texts": _found(average=lambda picked: picked.sum((0, -1)))},
        ),
        "the first text": WrongAnswer(
            _found(average=lambda picked: picked[0].mean(-1)),
            "You use the first text alone. The mean runs over all texts.",
            "What is the first axis of `twice`?",
            misconception="half-is-enough",
        ),
        "largest for mean": WrongAnswer(
            _found(average=lambda picked: picked.amax((0, -1))),
            "You take the largest weight of each head, where the mean is asked for. One lucky look "
            "makes no induction head.",
            "What does a head look at most of the time?",
            misconception="largest-of-a-row",
            also={"of each text's mean": _found(average=lambda picked: picked.mean(0).amax(-1))},
        ),
        "by the score alone": WrongAnswer(
            _found(compare=lambda score, control: score),
            "You rank by the score alone. A head that always looks n − 1 back has a high score "
            "without knowing any twin, and the control says so.",
            "What would a head get that goes by places and reads no word?",
            misconception="half-is-enough",
        ),
        "by the control": WrongAnswer(
            _found(compare=lambda score, control: control),
            "You rank by the control. Induction heads have a low one: where nothing is repeated, "
            "there is nothing for them to find.",
            "What does a high control say of a head?",
            misconception="opposite",
        ),
        "sum of both": WrongAnswer(
            _found(compare=lambda score, control: score + control),
            "You add the control to the score. What counts is by how much the score is above it.",
            "What does a high control say of a head?",
            misconception="opposite",
        ),
        "quotient": WrongAnswer(
            _found(compare=lambda score, control: score / control),
            "You divide the score by the control. The task takes the difference: a quotient is "
            "large wherever the control is small by chance.",
            "Which rank has a head with 0.02 and 0.0001?",
            misconception="another-task",
        ),
        "without its sign": WrongAnswer(
            _found(compare=lambda score, control: (score - control).abs()),
            "You rank by the size of the difference, whatever its sign. A head with a control far "
            "above its score is no induction head.",
            "What does a difference below 0 say of a head?",
            misconception="opposite",
        ),
        "the right ones, upside down": WrongAnswer(
            _found(order=lambda best: best.flip(0)),
            "You find the right heads, and name the one with the smallest difference first.",
            "In which direction does `argsort` go, unless it is told otherwise?",
            misconception="opposite",
        ),
        "the right ones, by their places": WrongAnswer(
            _found(order=lambda best: best.sort().values),
            "You find the right heads, and name them in the order of the model. The one with the "
            "largest difference comes first.",
            "Which of your heads has the largest difference?",
            misconception="parts-in-any-order",
        ),
        "worst first": WrongAnswer(
            _found(largest=False),
            "Your heads are those with the *smallest* difference.",
            "In which direction does `sort` go, unless it is told otherwise?",
            misconception="opposite",
        ),
        "head before layer": WrongAnswer(
            _found(
                places=lambda best, layers, heads: torch.stack([best % heads, best // heads], -1)
            ),
            "Your pairs have the head first. Asked is (layer, head).",
            "What does 18.6 mean in the notebook?",
            misconception="parts-in-any-order",
        ),
        "divided by the layers": WrongAnswer(
            _found(
                places=lambda best, layers, heads: torch.stack([best // layers, best % layers], -1)
            ),
            "You divide the number of a head by how many *layers* there are. In a flat row, a "
            "layer's heads are neighbours, so a layer is as long as it has heads.",
            "How many entries lie between head 0.0 and head 1.0?",
            misconception="sizes-always-equal",
        ),
        "axes changed places": WrongAnswer(
            _found(places=lambda best, layers, heads: torch.stack([best // heads, best % heads])),
            "Your table has layers in its first row and heads in its second. Asked is a row for "
            "each head, (count, 2).",
            "What shape has your table, for three heads?",
            misconception="axes-anywhere",
        ),
        "the same for both": WrongAnswer(
            _found(finish=lambda score, control, found: (score, score, found)),
            "Your control is the score once more. It comes from `fresh`.",
            "Which of the two texts says nothing twice?",
            misconception="input-unused",
        ),
    },
    variants=[head_by_head, along_the_diagonal, with_a_mask],
)
