"""The task “Two bugs in the clipping”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, keys, queries, limit):
        return Case(label, {"of_keys": keys, "of_queries": queries, "limit": limit})

    def numbers(*shape, reach=3.0):
        drawn = draw.numbers(*shape, reach=reach)
        drawn.view(-1)[0] = reach  # so that no draw is short by chance
        return drawn

    return [
        case("a long gradient", numbers(2, 3), numbers(3, 2), 1.0),
        case("a short gradient", numbers(2, 3, reach=0.2), numbers(4, reach=0.1), 2.0),
        case("one part long, one part short", numbers(3, 2), numbers(3, reach=0.1), 0.5),
        case("one part is 0", numbers(2, 4), torch.zeros(3), 1.5),
        case("nothing but 0", torch.zeros(2, 3), torch.zeros(2), 1.0),
        case("single numbers", numbers(1, 1), numbers(1), 0.25),
        case("huge, float64", 1000 * numbers(2, 2).double(), numbers(5).double(), 3.0),
        case("transposed views", numbers(4, 3).T, numbers(2, 5).T, 2.0),
    ]


def _norm(of_keys, of_queries):
    return (of_keys.square().sum() + of_queries.square().sum()).sqrt()


def _clip(length=_norm, shrink=lambda limit, length: (limit / length).clamp(max=1)):
    """Return an answer with one part replaced."""

    def clip(of_keys, of_queries, limit):
        norm = length(of_keys, of_queries)
        factor = shrink(limit, norm)
        return of_keys * factor, of_queries * factor, norm

    return clip


def _clip_apart(of_keys, of_queries, limit):
    first, second = (
        gradient * (limit / gradient.norm()).clamp(max=1) for gradient in (of_keys, of_queries)
    )
    return first, second, _norm(of_keys, of_queries)


def _clip_values(of_keys, of_queries, limit):
    first, second = (gradient.clamp(-limit, limit) for gradient in (of_keys, of_queries))
    return first, second, _norm(of_keys, of_queries)


def _length_after(of_keys, of_queries, limit):
    first, second, _ = _clip()(of_keys, of_queries, limit)
    return first, second, _norm(first, second)


def one_long_vector(of_keys, of_queries, limit):
    length = torch.cat([of_keys.flatten(), of_queries.flatten()]).norm()
    if length <= limit:
        return of_keys.clone(), of_queries.clone(), length
    return of_keys * (limit / length), of_queries * (limit / length), length


def norm_of_norms(first, second, limit):
    length = torch.stack([first.norm(), second.norm()]).norm()
    factor = limit / torch.clamp(length, min=limit)
    return [first * factor, second * factor, length]


def by_hypot(a, b, most):
    length = torch.hypot(torch.linalg.vector_norm(a), torch.linalg.vector_norm(b))
    shrink = torch.where(length > most, most / length.clamp(min=1e-12), torch.ones_like(length))
    return a * shrink, b * shrink, length


def in_float64(of_keys, of_queries, limit):
    return norm_of_norms(of_keys.double(), of_queries.double(), limit)


exercise = Exercise(
    id="clip_together",
    title="Two bugs in the clipping",
    points=3,
    difficulty=2,
    minutes=10,
    section="07.2",
    outputs=["keys", "queries", "length"],
    shortcuts=["clip_grad_norm_", "clip_grads_with_norm_", "get_total_norm"],
    cases=cases,
    hints=[
        "The gradient of one parameter is (3), that of another (4): how long are both "
        "together? And what becomes of it under a limit of 10?",
        "One bug is in the length: the sides of a right-angled triangle do not add up to its "
        "longest side. The other shows when the gradient is shorter than the limit.",
        "The length is the root of the sum of *all* squares, of both parts. The factor is the "
        "limit divided by that, but never more than 1: `.clamp(max=1)`.",
    ],
    mistakes={
        "both bugs still there": WrongAnswer(
            _clip(
                lambda of_keys, of_queries: of_keys.norm() + of_queries.norm(),
                lambda limit, length: limit / length,
            ),
            "Both bugs are still there. You add up the lengths of the parts: parts of 3 and 4 are "
            "5 long together, not 7. And a short gradient is made longer.",
            "What comes out for a gradient of length 0.1 under a limit of 1? What should?",
            misconception="clipping-reshapes",
        ),
        "short ones stretched": WrongAnswer(
            _clip(shrink=lambda limit, length: limit / length),
            "A gradient that is shorter than the limit is stretched to it: even a small step "
            "becomes as long as the longest allowed.",
            "Which factor leaves a short gradient as it is?",
            misconception="clipping-reshapes",
        ),
        "lengths added up": WrongAnswer(
            _clip(length=lambda of_keys, of_queries: of_keys.norm() + of_queries.norm()),
            "You add up the lengths of the parts. But the parts stand at a right angle to each "
            "other: 3 and 4 make 5, not 7.",
            "What is a norm, written as a sum over all numbers?",
            misconception="length-of-a-vector",
        ),
        "each part by itself": WrongAnswer(
            _clip_apart,
            "You clip each part by its own length. Where only one is too long, only that one is "
            "shortened, and the direction of the step is another one.",
            "How many factors are there, if the direction is to stay?",
            misconception="clipping-reshapes",
        ),
        "values cut off": WrongAnswer(
            _clip_values,
            "You cut off single numbers at the limit. That can bend the direction of the "
            "gradient; clipping by norm only shortens it.",
            "Is your result a multiple of what came in?",
            misconception="clipping-reshapes",
        ),
        "shortened to 1": WrongAnswer(
            _clip(shrink=lambda limit, length: (1 / length).clamp(max=1)),
            "You shorten to a length of 1, whatever the limit is.",
            "Where does the limit come in?",
            misconception="clipping-reshapes",
        ),
        "root forgotten": WrongAnswer(
            _clip(length=lambda of_keys, of_queries: _norm(of_keys, of_queries).square()),
            "Your length is the sum of the squares. Its root is missing.",
            "How long is a gradient of one number, 3?",
            misconception="length-of-a-vector",
        ),
        "length afterwards": WrongAnswer(
            _length_after,
            "You report the length *after* clipping, where a tower no longer shows. Asked is that "
            "of the gradient as it came in.",
            "Section 2 drew a curve of lengths. Which of the two lengths was it?",
            misconception="stale-value",
        ),
        "0 divided by 0": WrongAnswer(
            _clip(shrink=lambda limit, length: torch.minimum(length, length * 0 + limit) / length),
            "A gradient of 0 gives NaN: somewhere you divide by its length, which is 0.",
            "What if the limit is divided by the length, and the quotient is held below 1?",
            misconception="formula-is-safe",
        ),
    },
    variants=[one_long_vector, norm_of_norms, by_hypot, in_float64],
)
