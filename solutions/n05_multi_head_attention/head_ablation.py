"""The task “Take a head away”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import joined_heads, split_into_heads
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, heads, tgt_len, head_dim, dim, contexts=None):
        contexts = draw.numbers(batch, heads, tgt_len, head_dim) if contexts is None else contexts
        return Case(
            label,
            {
                "contexts": contexts,
                "w_o": draw.numbers(dim, heads * head_dim, reach=1).to(contexts),
                "b_o": draw.numbers(dim, reach=1).to(contexts),
            },
        )

    quiet = draw.numbers(2, 3, 4, 2)
    quiet[:, 1] = 0.0
    turned = draw.numbers(2, 4, 2, 5).mT  # (2, 4, 5, 2)
    return [
        case("two heads", 3, 2, 4, 3, 5),
        case("four heads", 2, 4, 3, 2, 6),
        case("a head that writes nothing", 2, 3, 4, 2, 7, quiet),
        case("one head", 2, 1, 3, 4, 5),
        case("one sentence, one word", 1, 3, 1, 2, 4),
        case("a transposed view", 2, 4, 5, 2, 3, turned),
        case("float64", 2, 3, 4, 2, 5, draw.numbers(2, 3, 4, 2).double()),
    ]


def _zeroed(contexts, head):
    return contexts * (torch.arange(contexts.shape[1]) != head)[:, None, None]


def _others_zeroed(contexts, head):
    return contexts * (torch.arange(contexts.shape[1]) == head)[:, None, None]


def _all_so_far_zeroed(contexts, head):
    return contexts * (torch.arange(contexts.shape[1]) > head)[:, None, None]


def _others_grown(contexts, head):
    heads = contexts.shape[1]
    return _zeroed(contexts, head) * heads / max(heads - 1, 1)


def _averaged(contexts, head):
    mean = contexts.mean(dim=(0, 2), keepdim=True)
    return _zeroed(contexts, head) + _others_zeroed(mean.expand_as(contexts), head)


def _every_nth_zeroed(contexts, head):
    heads = contexts.shape[1]
    joined = joined_heads(contexts) * (torch.arange(heads * contexts.shape[3]) % heads != head)
    return split_into_heads(joined, heads)


def _length(difference):
    return difference.norm(dim=-1).mean(dim=(1, 2))


def _ablation(cut=_zeroed, finish=F.linear, measure=lambda outputs, full: _length(outputs - full)):
    """Return an ablation that takes away something else, or finishes or measures otherwise."""

    def ablate(contexts, w_o, b_o):
        full = finish(joined_heads(contexts), w_o, b_o)
        without = [
            finish(joined_heads(cut(contexts, head)), w_o, b_o) for head in range(contexts.shape[1])
        ]
        return torch.stack(without), measure(torch.stack(without), full)

    return ablate


def term_by_term(contexts, w_o, b_o):
    columns = w_o.unflatten(1, (contexts.shape[1], -1))  # (dim, heads, head_dim)
    written = torch.einsum("bhtw,dhw->hbtd", contexts, columns)
    outputs = written.sum(0) + b_o - written
    return outputs, written.norm(dim=-1).flatten(1).mean(1)


def columns_cut_out(contexts, w_o, b_o):
    heads, width = contexts.shape[1], contexts.shape[3]
    joined = contexts.transpose(1, 2).flatten(2)
    outputs = []
    for head in range(heads):
        cut = w_o.clone()
        cut[:, head * width : (head + 1) * width] = 0
        outputs.append(F.linear(joined, cut, b_o))
    outputs = torch.stack(outputs)
    moved = torch.linalg.vector_norm(F.linear(joined, w_o, b_o) - outputs, dim=-1)
    return [outputs, moved.mean((1, 2))]


def all_at_once(contexts, w_o, b_o):
    others = 1 - torch.eye(contexts.shape[1]).to(contexts)  # (taken away, heads)
    cut = torch.einsum("bhtw,ah->abthw", contexts, others).flatten(3)
    difference = (contexts.transpose(1, 2).flatten(2) - cut) @ w_o.T
    return cut @ w_o.T + b_o, difference.pow(2).sum(-1).sqrt().mean(dim=(1, 2))


def in_float64(contexts, w_o, b_o):
    contexts, w_o, b_o = contexts.double(), w_o.double(), b_o.double()
    layer = torch.nn.functional.linear
    full = layer(torch.cat(contexts.unbind(1), -1), w_o, b_o)
    outputs = []
    for head in range(contexts.shape[1]):
        parts = [part * (n != head) for n, part in enumerate(contexts.unbind(1))]
        outputs.append(layer(torch.cat(parts, dim=-1), w_o, b_o))
    return torch.stack(outputs), torch.stack(
        [(output - full).norm(dim=2).mean() for output in outputs]
    )


exercise = Exercise(
    id="head_ablation",
    title="Take a head away",
    points=4,
    difficulty=2,
    minutes=15,
    section="05.7",
    outputs=["outputs", "moved"],
    cases=cases,
    equivalents={
        "moved = (full - without).norm(dim=-1).mean(dim=(1, 2))": "a length has no direction",
        "moved = (without - full).norm(dim=-1).mean(dim=(2, 1))": "a mean has no order",
    },
    hints=[
        "What does the output consist of, if every head writes its own contribution into it? And "
        "what is left when one of them writes nothing?",
        "For each head: copy the contexts, set that head's to 0, join, project. Compare with the "
        "output in which nothing was taken away.",
        "`cut = contexts.clone()`, then `cut[:, head] = 0`. Collect the outputs with "
        "`torch.stack`. Of the difference to the whole output take the length of each vector, "
        "`.norm(dim=-1)`, and its mean over sentences and words.",
    ],
    mistakes={
        "kept for taken away": WrongAnswer(
            _ablation(cut=_others_zeroed),
            "You keep the one head and take all others away. It is the other way round.",
            "How many heads still write into your output number 0?",
            misconception="opposite",
        ),
        "never put back": WrongAnswer(
            _ablation(cut=_all_so_far_zeroed),
            "Heads that you took away once stay away: the second output lacks two heads, the "
            "third three. Each time all others should be there.",
            "Which contexts does your output number 1 begin with: all of them, or what number 0 "
            "left?",
            misconception="stale-value",
        ),
        "the others made louder": WrongAnswer(
            _ablation(cut=_others_grown),
            "You make the remaining heads louder to fill the gap, as dropout does. An ablation "
            "takes one thing away and changes nothing else.",
            "If two things change at once, which of them moved the output?",
            misconception="constant-factor",
        ),
        "mean for nothing": WrongAnswer(
            _ablation(cut=_averaged),
            "You put the head's mean in its place. That is another kind of ablation, and a good "
            "one; asked was to set its context to 0.",
            "What does a head of zeros write into the output?",
            misconception="another-task",
        ),
        "every second number": WrongAnswer(
            _ablation(cut=_every_nth_zeroed),
            "In the joined contexts you set every so-many-th number to 0. A head's numbers lie "
            "side by side there.",
            "Where are the heads apart, before the join or after it?",
            misconception="shape-is-enough",
        ),
        "not projected": WrongAnswer(
            _ablation(finish=lambda joined, w_o, b_o: joined),
            "Your outputs are joined contexts. What the layer hands on comes after the output "
            "projection: a large context can write little, and a small one much.",
            "Which inputs have you not used?",
            misconception="projection-left-out",
        ),
        "bias forgotten": WrongAnswer(
            _ablation(finish=lambda joined, w_o, b_o: joined @ w_o.T),
            "Your outputs lack the bias `b_o`. It belongs to no head and stays when one goes.",
            "What is the output when *all* heads are taken away?",
            misconception="biases-by-the-way",
        ),
        "squared length": WrongAnswer(
            _ablation(
                measure=lambda outputs, full: (outputs - full).square().sum(-1).mean(dim=(1, 2))
            ),
            "`moved` holds squared lengths; the root is missing.",
            "How long is the vector (3, 4)?",
            misconception="length-of-a-vector",
        ),
        "root of the mean square": WrongAnswer(
            _ablation(
                measure=lambda outputs, full: (
                    (outputs - full).square().sum(-1).mean(dim=(1, 2)).sqrt()
                )
            ),
            "For `moved` you take the root of the words' mean square. Asked is the mean of their "
            "lengths: the root comes before the mean.",
            "One word moves by 0 and one by 2: what is the mean of the two lengths?",
            misconception="length-of-a-vector",
        ),
        "one length for all words": WrongAnswer(
            _ablation(measure=lambda outputs, full: (outputs - full).flatten(1).norm(dim=-1)),
            "For `moved` you took all words together as one long vector. "
            "Asked is the mean over the words of the length that each moved.",
            "What happens to your number if the batch is twice as large?",
            misconception="averages-anywhere",
        ),
        "sum for mean": WrongAnswer(
            _ablation(measure=lambda outputs, full: (outputs - full).norm(dim=-1).sum(dim=(1, 2))),
            "For `moved` you add up the lengths of all words; asked is their mean.",
            "What happens to your number if the batch is twice as large?",
            misconception="sum-and-mean",
        ),
        "a walk along the axes": WrongAnswer(
            _ablation(
                measure=lambda outputs, full: (outputs - full).abs().sum(-1).mean(dim=(1, 2))
            ),
            "For `moved` you add up the single numbers of a difference, as "
            "if one had to walk along the axes. The length is the straight way.",
            "How long is the vector (3, 4)?",
            misconception="length-of-a-vector",
        ),
        "change of length": WrongAnswer(
            _ablation(
                measure=lambda outputs, full: (
                    (outputs.norm(dim=-1) - full.norm(dim=-1)).abs().mean(dim=(1, 2))
                )
            ),
            "`moved` says how much *longer or shorter* each vector became. "
            "A vector that turns on the spot moves as well.",
            "How far is it from (1, 0) to (0, 1)?",
            misconception="length-of-a-vector",
        ),
        "number by number": WrongAnswer(
            _ablation(measure=lambda outputs, full: (outputs - full).abs().mean(dim=(1, 2, 3))),
            "For `moved` you average the single numbers. Asked is the "
            "length of the vector by which a word moves.",
            "How long is the vector (3, 4)?",
            misconception="length-of-a-vector",
        ),
    },
    variants=[term_by_term, columns_cut_out, all_at_once, in_float64],
)
