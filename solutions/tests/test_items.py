"""Test the item bank: what is stored, and that no item can be answered from its options alone."""

import re
from collections import Counter

import pytest
import torch

from solutions.item import Item, alike, grid, number, stands_out, text
from solutions.items import all_items
from solutions.misconceptions import MISCONCEPTIONS
from utils.course import chapters
from utils.items.item_bank import VERSIONS, items
from utils.items.rendering import as_words

CHOICES = [item for item in items().values() if not item.typed]
SPLITS = 20
# Hits of somebody who guesses, beyond chance, in standard errors over items: hardly ever by luck.
ERRORS = 2.5


def test_the_stored_bank_is_what_its_source_gives():
    assert [item.stored() for item in all_items()] == [*items().values()]


@pytest.mark.parametrize("item", items().values(), ids=lambda item: item.id)
def test_an_item_is_complete(item):
    notebooks = {chapter.number: chapter for chapter in chapters().values()}
    chapter, section = notebooks[item.notebook], item.section.partition(".")[2]
    headings = [cell.source for cell in chapter.read().cells if cell.cell_type == "markdown"]
    assert any(re.match(rf"## {section}\. ", heading) for heading in headings)
    assert item.beliefs <= MISCONCEPTIONS.keys()
    assert len({repr((each.text, each.shows, each.options)) for each in item.versions}) >= 4
    for version in item.versions:
        assert [*version.beliefs].count("") == 1
        assert 3 <= len(version.options) <= 5
        assert len(version.text.split()) <= 65
        assert not re.search(r"\{\w+\}|\$|\*\*", version.text)


@pytest.mark.parametrize("turn", range(VERSIONS))
def test_places_tell_nothing_in_the_first_numbers_either(turn):
    count = Counter(item.versions[turn].right for item in CHOICES)
    assert max(count.values()) < 0.45 * len(CHOICES)


def features(version):
    """Return what somebody sees of each option who sees nothing else: (options, features)."""
    words = [as_words(option) for option in version.options]
    numbers = [
        torch.tensor(
            [
                float(part)
                for part in re.findall(r"-?\d+\.?\d*", each.replace("−", "-").replace(",", ""))
            ]
        )
        for each in words
    ]
    if all(len(each) == len(numbers[0]) > 0 for each in numbers):
        table = torch.stack(numbers)  # (options, numbers)
    else:
        table = torch.zeros(len(words), 1)
    apart = (table[:, None] - table).abs().sum(-1)  # (options, options)
    size = table.abs().sum(-1)
    columns = [
        apart.mean(-1),  # far from the others
        size,
        table.amax(-1),
        (table == 0).float().mean(-1),
        ((table.sum(-1) - 1).abs() < 0.03).float(),
        torch.tensor([float(len(each)) for each in words]),
    ]
    ranked = [column.argsort().argsort().float() for column in columns]
    middle = [(rank - rank.mean()).abs() for rank in ranked]
    full = torch.stack([*ranked, *middle], -1)
    return (full - full.mean(0)) / (full.std(0) + 1e-3)


def hits(train, tried):
    """Fit a guesser to some items, and return its share of hits on each of the others."""
    weights = torch.zeros(12, requires_grad=True)
    seen = [(features(version), version.right) for item in train for version in item.versions]
    optimizer = torch.optim.LBFGS([weights], max_iter=50)

    def loss():
        optimizer.zero_grad()
        each = [-(options @ weights).log_softmax(0)[right] for options, right in seen]
        total = torch.stack(each).mean() + 0.01 * weights.square().sum()
        total.backward()
        return total

    optimizer.step(loss)
    with torch.no_grad():
        return [
            sum(int((features(v) @ weights).argmax()) == v.right for v in item.versions)
            / len(item.versions)
            - sum(1 / len(v.options) for v in item.versions) / len(item.versions)
            for item in tried
        ]


def test_whoever_sees_only_the_options_stays_at_chance():
    gains = {item.id: [] for item in CHOICES}
    for split in range(SPLITS):
        order = torch.randperm(len(CHOICES), generator=torch.Generator().manual_seed(split))
        halves = [[CHOICES[n] for n in half] for half in order.chunk(2)]
        for train, tried in (halves, halves[::-1]):
            for item, gain in zip(tried, hits(train, tried), strict=True):
                gains[item.id].append(gain)
    by_item = torch.tensor([sum(each) / len(each) for each in gains.values()])
    error = by_item.std() / len(by_item) ** 0.5
    print(f"hits beyond chance: {by_item.mean():.3f} ± {error:.3f}")
    assert by_item.mean() < ERRORS * error


def test_options_that_hardly_differ_or_stand_out_are_refused():
    assert all(map(alike, (["0.50", "0.52"], ["cat", "cat"])))
    assert not any(map(alike, (["0.50", "0.53"], ["2", "3"])))
    rows = [grid()(torch.tensor(row)) for row in ([0.5, 0.5], [0.6, 0.6], [0.9, 0.3])]
    assert stands_out(rows) == "the right option stands out by its rows that sum to 1"
    assert stands_out([text("a long way to say so"), text("short"), text("brief")])
    assert number(1)(-1234.56) == "−1,234.6"


def test_an_item_that_cannot_be_asked_is_told():
    wrong = {"no-scale": lambda x: x, "off-by-one": lambda x: x + 1}
    facts = {"section": "04.1", "text": "{x}?", "why": "", "result": number(0)}
    draw = {"draw": lambda draw: {"x": int(draw.whole(1, 50))}}
    with pytest.raises(ValueError, match="two options are the same"):
        Item("a", right=lambda x: x, wrong=wrong, **draw, **facts).stored()
    with pytest.raises(ValueError, match="there is no misconception `none`"):
        Item("a", right=lambda x: x, wrong={**wrong, "none": abs}, **draw, **facts)
    with pytest.raises(ValueError, match="two to four wrong answers"):
        Item("a", right=lambda x: x, wrong={"no-scale": abs}, **draw, **facts)
    with pytest.raises(ValueError, match="all draws are the same"):
        Item(
            "a", right=lambda: 3, wrong={"no-scale": lambda: 5, "logarithm": lambda: 9},
            draw=lambda draw: {"x": 1}, **facts,
        ).stored()  # fmt: skip
