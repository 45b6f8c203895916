"""The task “A classifier that looks at patches”: right answers and known mistakes."""

import torch
import torch.nn.functional as F
from torch import nn

from solutions.cases import in_double
from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import changed
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, height, width, patch, dim, classes, reach=1.0):
        count, pixels = (height // patch) * (width // patch), patch * patch
        shapes = {
            "embed.weight": (dim, pixels),
            "embed.bias": (dim,),
            "places": (count, dim),
            "query": (dim,),
            "answer.weight": (classes, dim),
            "answer.bias": (classes,),
        }
        parameters = {name: draw.numbers(*shape, reach=reach) for name, shape in shapes.items()}
        images = draw.whole(0, 16, batch, height, width) / 16
        sizes = {"height": height, "width": width, "patch": patch}
        return Case(label, {"images": images}, sizes | {"dim": dim, "classes": classes}, parameters)

    turned = case("images that are a transposed view", 2, 6, 4, 2, 3, 5)
    views = {"images": draw.whole(0, 16, 2, 4, 6).div(16).mT}
    return [
        case("two images of 4 by 6 pixels, patches of 2 by 2", 2, 4, 6, 2, 5, 3),
        case("images higher than wide", 3, 6, 4, 2, 4, 3),
        case("one image", 1, 3, 9, 3, 4, 2),
        case("one patch only", 2, 2, 2, 2, 3, 4),
        case("patches of one pixel", 2, 2, 3, 1, 4, 2),
        in_double(case("large scores", 2, 4, 6, 2, 5, 3, 20)),
        in_double(case("float64", 1, 4, 4, 2, 6, 3)),
        Case(turned.label, views, turned.build, turned.parameters),
    ]


class _Patches(nn.Module):
    """A right module in steps that wrong answers replace."""

    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.patch = patch
        self.embed, self.answer = nn.Linear(patch * patch, dim), nn.Linear(dim, classes)
        count = (height // patch) * (width // patch)
        self.places = nn.Parameter(torch.randn(count, dim) / 2)
        self.query = nn.Parameter(torch.randn(dim))

    def cut(self, images):
        cut = images.unfold(1, self.patch, self.patch).unfold(2, self.patch, self.patch)
        return cut.flatten(3).flatten(1, 2)

    def see(self, pieces):
        return (self.embed(pieces) + self.places).relu()

    def score(self, states):
        return states @ self.query / states.shape[-1] ** 0.5

    def weigh(self, scores):
        return scores.softmax(-1)

    def mix(self, weights, states):
        return (weights[:, None] @ states)[:, 0]

    def forward(self, images):
        states = self.see(self.cut(images))
        weights = self.weigh(self.score(states))
        return self.answer(self.mix(weights, states)), weights


class _DownTheColumns(_Patches):
    def cut(self, images):
        cut = images.unfold(1, self.patch, self.patch).unfold(2, self.patch, self.patch)
        return cut.transpose(1, 2).flatten(3).flatten(1, 2)


class _PixelsTurned(_Patches):
    def cut(self, images):
        cut = images.unfold(1, self.patch, self.patch).unfold(2, self.patch, self.patch)
        return cut.mT.flatten(3).flatten(1, 2)


class _Parameters(nn.Module):
    def __init__(self, height, width, patch, dim, classes):
        super().__init__()
        self.shape = height // patch, width // patch
        self.patch = patch
        self.embed = nn.Linear(patch**2, dim)
        self.places = nn.Parameter(torch.zeros(self.shape[0] * self.shape[1], dim))
        self.query = nn.Parameter(torch.zeros(dim))
        self.answer = nn.Linear(dim, classes)


class ByReshaping(_Parameters):
    def forward(self, images):
        down, across = self.shape
        cells = images.reshape(len(images), down, self.patch, across, self.patch)
        pieces = cells.permute(0, 1, 3, 2, 4).reshape(len(images), down * across, -1)
        states = F.relu(self.embed(pieces) + self.places)
        weights = F.softmax(states @ self.query * len(self.query) ** -0.5, dim=1)
        return self.answer(torch.einsum("bp,bpd->bd", weights, states)), weights


class WithUnfold(_Parameters):
    def forward(self, pictures):
        pieces = F.unfold(pictures[:, None], self.patch, stride=self.patch).transpose(1, 2)
        states = torch.relu(self.embed(pieces) + self.places)
        query = self.query.expand(len(pictures), 1, -1)
        eye = torch.eye(states.shape[1], dtype=states.dtype).expand(len(pictures), -1, -1)
        weights = F.scaled_dot_product_attention(query, states, eye)
        return self.answer(weights @ states).squeeze(1), weights.squeeze(1)


class PatchByPatch(_Parameters):
    def forward(self, images):
        size, states = self.patch, []
        for top in range(0, images.shape[1], size):
            for left in range(0, images.shape[2], size):
                pixels = images[:, top : top + size, left : left + size].flatten(1)
                states.append((self.embed(pixels) + self.places[len(states)]).clamp(min=0))
        states = torch.stack(states, dim=1)
        scores = (states * self.query).sum(-1) / self.query.numel() ** 0.5
        weights = scores.softmax(-1)
        return self.answer((weights[..., None] * states).sum(1)), weights


class ImageByImage(_Parameters):
    def look(self, image):
        rows = image.split(self.patch, dim=0)
        pieces = torch.stack(
            [cell.flatten() for row in rows for cell in row.split(self.patch, dim=1)]
        )
        states = (self.embed(pieces) + self.places).relu()
        weights = (states @ self.query / states.shape[1] ** 0.5).softmax(0)
        return self.answer(weights @ states), weights

    def forward(self, images):
        logits, weights = zip(*map(self.look, images), strict=True)
        return torch.stack(logits), torch.stack(weights)


exercise = Exercise(
    id="PatchClassifier",
    title="A classifier that looks at patches",
    points=5,
    difficulty=3,
    minutes=25,
    section="07.5",
    learns=True,
    answer_type="module",
    outputs=["logits", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
    equivalents={
        "weights = scores.softmax(1)": IN_A_MATRIX,
        **{
            f"self.places = nn.Parameter({start})": "the check puts its own values in"
            for start in (
                "2 / torch.randn(count, dim)",
                "torch.randn(count, dim) * 2",
                "torch.randn(count, dim) - 2",
                "torch.randn(count, dim) / 1",
                "torch.randn(count, dim) / 3",
                "torch.randn(count, dim)",
            )
        },
    },
    hints=[
        "What are the keys here, what are the values, and who asks? How many queries are there "
        "for one image?",
        "`unfold(1, patch, patch)` cuts the rows into strips, and a second `unfold` along the "
        "next axis cuts the strips into patches: (batch, rows, columns, patch, patch). Two "
        "`flatten` make (batch, patches, pixels) of it. One query gives one row of weights, "
        "(batch, patches).",
        "States: the ReLU of `self.embed(pieces) + self.places`. Scores: the states times "
        "`self.query`, divided by the root of dim. Weights: their softmax along the patches. "
        "Context: `weights.unsqueeze(1) @ states` without the axis of length 1. The logits are "
        "`self.answer` of it.",
    ],
    mistakes={
        "rows of pixels for patches": WrongAnswer(
            changed(
                _Patches,
                cut=lambda self, images: images.reshape(len(images), -1, self.patch * self.patch),
            ),
            "Your patches are no patches: each piece is a run of pixels in the order of reading, "
            "as a plain `reshape` takes them, and not a square.",
            "Which pixels stand beside and below each other in a patch of 2 by 2?",
            misconception="shape-is-enough",
        ),
        "patches column by column": WrongAnswer(
            _DownTheColumns,
            "Your patches are counted down the columns. The task counts them as one "
            "reads: the first row of patches from left to right, then the next.",
            "Where in the image is your second patch?",
            misconception="shape-is-enough",
        ),
        "pixels of a patch turned": WrongAnswer(
            _PixelsTurned,
            "Inside each patch, rows and columns of pixels are exchanged: every patch is turned "
            "over its diagonal before it is embedded.",
            "In which order do the pixels of one patch reach `embed`?",
            misconception="shape-is-enough",
        ),
        "places left out": WrongAnswer(
            changed(_Patches, see=lambda self, pieces: self.embed(pieces).relu()),
            "The vectors of the places are not added. A stroke at the top and the same stroke at "
            "the bottom are then one and the same patch.",
            "Which parameter tells where in the image a patch lies?",
            misconception="attention-sees-order",
        ),
        "one place for all": WrongAnswer(
            changed(
                _Patches, see=lambda self, pieces: (self.embed(pieces) + self.places[0]).relu()
            ),
            "You add the same vector of a place to every patch. Then the weighted sum cannot tell "
            "one place from another, just as if none had been added.",
            "How many rows has `places`, and how many patches are there?",
            misconception="attention-sees-order",
        ),
        "places behind the ReLU": WrongAnswer(
            changed(_Patches, see=lambda self, pieces: self.embed(pieces).relu() + self.places),
            "You add the places after the ReLU. The task adds them before, so that what a patch "
            "holds and where it lies go through the same bend.",
            "What stands inside the ReLU in the task's formula?",
            misconception="steps-in-any-order",
        ),
        "no ReLU": WrongAnswer(
            changed(_Patches, see=lambda self, pieces: self.embed(pieces) + self.places),
            "The ReLU is missing. Without it the mixture knows what the patches hold in sum, and "
            "hardly what stood where.",
            "What becomes of negative numbers in the states?",
            misconception="nonlinearity-left-out",
        ),
        "no scale": WrongAnswer(
            changed(_Patches, score=lambda self, states: states @ self.query),
            "Your scores are not divided by the root of dim.",
            "How many products are added up in one score?",
            misconception="no-scale",
        ),
        "images compete": WrongAnswer(
            changed(_Patches, weigh=lambda self, scores: scores.softmax(0)),
            "Your softmax runs along the batch: the images compete with each other, and the "
            "weights of one image need not sum to 1.",
            "Which axis of (batch, patches) is shared out?",
            misconception="softmax-over-batch",
        ),
        "no softmax": WrongAnswer(
            changed(_Patches, weigh=lambda self, scores: scores),
            "You mix the states by the scores themselves, which are no shares.",
            "Which step of the three is missing?",
            misconception="scores-as-weights",
        ),
        "mean of the patches": WrongAnswer(
            changed(_Patches, mix=lambda self, weights, states: states.mean(1)),
            "Your logits come from the plain mean of all patches: the weights have no effect on "
            "them.",
            "What should change in the logits when the query changes?",
            misconception="stale-value",
        ),
        "the best patch only": WrongAnswer(
            changed(
                _Patches,
                mix=lambda self, weights, states: states[
                    torch.arange(len(states)), weights.argmax(-1)
                ],
            ),
            "You take the patch with the largest weight and nothing of the others. A hard choice "
            "passes no gradient to the query.",
            "How did the soft look-up of notebook 01 use all its weights?",
            misconception="hard-choice",
        ),
    },
    variants=[ByReshaping, WithUnfold, PatchByPatch, ImageByImage],
)
