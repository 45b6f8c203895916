"""The sheet to print: its numbers against formulae written out here."""

import html
import math
import re

import pytest

from utils.sheet import sheet


@pytest.fixture(scope="module")
def rows():
    """Return the first cell of each row of the sheet's tables → its other cells, as text."""
    page = sheet()
    assert "$" not in page
    found = {}
    for row in re.findall("<tr>(.+?)</tr>", page):
        name, *cells = re.findall("<t[hd].*?>(.*?)</t[hd]>", row)
        found[name] = [html.unescape(re.sub("<.+?>", "", cell)) for cell in cells]
    return found


def test_the_weights_are_those_of_the_scores(rows):
    scores = [float(score.replace("−", "-")) for score in rows["score of (3, 1)"]]
    assert scores == [3 + 3, 9 + 1, 6 - 2, -6 - 2, -3 + 3, -9 + 1]
    total = sum(map(math.exp, scores))
    assert rows["weight"] == [f"{math.exp(score) / total:.2f}" for score in scores]


def test_what_a_score_learns_is_counted(rows):
    assert rows["dot"][-1] == rows["scaled"][-1] == "0"
    assert rows["general"][-1] == f"{64 * 64:,}"
    assert rows["additive"][-1] == f"{64 * 64 + 64 * 64 + 64:,}"


def test_shapes_are_those_of_two_sentences_and_eight_heads(rows):
    assert rows["scores, weights"][-1] == "2, 7, 6"
    assert rows["query, split"][-1] == "2, 8, 7, 8"
    assert rows["keys, split"][-1] == "2, 2, 6, 8"


def test_masks_are_open_where_their_rules_say():
    cells = re.findall(r'aria-label="(\d+) of 36 cells are open">(.+?)</div>', sheet())
    open_cells = [
        [(place // 6, place % 6) for place, cell in enumerate(grid.split("</i>")) if "open" in cell]
        for _, grid in cells
    ]
    pairs = [(query, key) for query in range(6) for key in range(6)]
    assert open_cells == [
        [(query, key) for query, key in pairs if key < 4],
        [(query, key) for query, key in pairs if key <= query],
        [(query, key) for query, key in pairs if key <= query and key < 4],
        [(query, key) for query, key in pairs if query - 2 <= key <= query],
    ]
    assert [int(count) for count, _ in cells] == [len(places) for places in open_cells]


def test_the_cache_is_two_times_layers_heads_width_and_bytes(rows):
    for name, heads in (("multi-head", 32), ("grouped", 8), ("multi-query", 1)):
        per_token = 2 * 32 * heads * 128 * 2
        assert rows[name] == [f"{per_token // 2**10} KiB", f"{per_token * 2**17 // 2**30} GiB"]
    assert rows["latent"][0] == f"{32 * (512 + 64) * 2 // 2**10} KiB"
    assert rows["window"][1] == f"{2 * 32 * 8 * 128 * 2 * 4096 // 2**20} MiB"
    assert rows["Llama 3.1 8B"] == rows["grouped"]
