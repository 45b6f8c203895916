"""The stub “A graph as a mask” of a notebook: right answers and known mistakes."""

import torch

from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def graph(nodes, count):
        order = draw.order(nodes)
        pairs = torch.combinations(order)  # one direction of each edge, at random
        return {"nodes": nodes, "edges": pairs[draw.order(len(pairs))[:count]]}

    return [
        Case("five nodes and four edges", graph(5, 4)),
        Case("a node that nobody is connected with", graph(4, 1)),
        Case("six nodes and nine edges", graph(6, 9)),
    ]


def _mask(there=True, back=True, itself=True, first=0):
    def mask(nodes, edges):
        found = torch.zeros(nodes, nodes, dtype=torch.bool)
        for one, other in (edges - first).tolist():
            found[one, other] |= there
            found[other, one] |= back
        return found | torch.eye(nodes, dtype=torch.bool) if itself else found

    return mask


def with_a_set(nodes, edges):
    pairs = {tuple(pair) for pair in edges.tolist()}
    rows = [
        [a == b or (a, b) in pairs or (b, a) in pairs for b in range(nodes)] for a in range(nodes)
    ]
    return torch.tensor(rows)


def with_numbers(nodes, edges):
    adjacency = torch.zeros(nodes, nodes)
    adjacency[edges[:, 0], edges[:, 1]] = 1
    return (adjacency + adjacency.T + torch.eye(nodes)) > 0


exercise = YourTurn(
    id="neighbour_mask",
    title="A graph as a mask",
    section="07.5",
    outputs=["mask"],
    cases=cases,
    mistakes={
        "one way only": WrongAnswer(
            _mask(back=False),
            "Your edges lead one way only: the second node of a pair does not hear the first.",
            "If 2 is connected with 5, which two cells of the mask are `True`?",
            misconception="half-is-enough",
        ),
        "nobody hears itself": WrongAnswer(
            _mask(itself=False),
            "Your nodes do not hear themselves, and one without a neighbour may look at nothing.",
            "What has to stand on the diagonal?",
            misconception="no-empty-rows",
        ),
        "counted from 1": WrongAnswer(
            _mask(first=1),
            "Your edges join the nodes one before those that are meant, as if they were counted "
            "from 1. Node 0 has become the last one then.",
            "Which is the smallest number of a node here?",
            misconception="off-by-one",
        ),
        "upside down": WrongAnswer(
            lambda nodes, edges: ~_mask()(nodes, edges),
            "Your mask is `True` where nobody may listen.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
        ),
    },
    variants=[with_a_set, with_numbers, _mask()],
)
