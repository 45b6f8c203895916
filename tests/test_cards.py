"""The interview sheet as cards: how they are read, and what each answer keeps to."""

import math
import re
from html.parser import HTMLParser

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from utils.cards import SHEET, read_cards

TWO_CARDS = """
# A sheet

## Many heads

### Two of them

**Why *two* `heads`?**

<details><summary>Answer</summary>

So that one
may fail & the other not.

```python
a < b
    c
```

Shown in [notebook 05](../notebooks/05.ipynb#Two-*heads*).

</details>

### View

**What is "`view(1, -1)`"?**

<details><summary>Answer</summary>

A *new-fangled* shape.

A*B, `2*3*4`.

</details>
"""


@pytest.fixture
def two_cards(tmp_path):
    (tmp_path / "sheet.md").write_text(TWO_CARDS, encoding="utf-8")
    return read_cards(tmp_path / "sheet.md")


def test_a_card_has_a_title_a_question_and_an_answer(two_cards):
    first, second = two_cards
    assert (first.section, first.title) == ("Many heads", "Two of them")
    assert first.question == "Why <em>two</em> <code>heads</code>?"
    assert first.answer == (
        "<p>So that one may fail &amp; the other not.</p><hr>"
        "<pre><code>a &lt; b<br>    c</code></pre><p>Shown in notebook 05.</p>"
    )
    assert (second.section, second.title) == ("Many heads", "View")
    assert second.answer == (
        "<p>A <em>new-fangled</em> shape.</p><hr><p>A*B, <code>2*3*4</code>.</p>"
    )


def test_every_question_of_the_sheet_becomes_a_card():
    text, cards = SHEET.read_text(encoding="utf-8"), read_cards()
    assert [card.title for card in cards] == re.findall(r"^### (.+)$", text, flags=re.MULTILINE)
    assert len(cards) == text.count("<details>") == text.count("</details>")


def test_titles_make_links_that_last():
    places = [card.title.lower().replace(" ", "-") for card in read_cards()]
    assert len(set(places)) == len(places)
    assert all(re.fullmatch(r"[a-z-]+", place) for place in places)  # the same on every site


every_card = pytest.mark.parametrize("card", read_cards(), ids=lambda card: card.title)


@every_card
def test_an_answer_begins_with_two_sentences_that_one_can_say(card):
    said, support = card.answer.split("<hr>")
    assert len(re.findall(r"[.?!](?=\s|<)", said)) == 2, said
    assert len(said.split()) <= 60, said
    assert not re.search(r"\d\.\d|10[⁻⁰¹²³⁴-⁹^]|\(|=|√", said), said
    assert re.search(r"notebook (?:0\d|10)", support), "where does the course show it?"


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.opened, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        assert not attrs
        self.seen.add(tag)
        if tag not in ("br", "hr"):
            self.opened.append(tag)

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag


@every_card
def test_its_html_is_simple_and_closed(card):
    tags = Tags()
    tags.feed(card.question + card.answer)
    assert not tags.opened
    assert tags.seen <= {"p", "em", "code", "pre", "br", "hr"}
    plain = re.sub(r"<code>.*?</code>", "", card.question + card.answer)
    assert not re.search(r"[`*]", plain)


def test_the_attention_on_the_whiteboard_is_attention():
    (code,) = re.findall(r"```python\n(.+?)```", SHEET.read_text(encoding="utf-8"), flags=re.DOTALL)
    board = {"math": math}
    exec(code, board)
    query, key, value = (torch.randn(2, 3, length, 8) for length in (4, 5, 5))
    mask = torch.ones(4, 5, dtype=torch.bool).tril(1)
    for may_see in (None, mask):
        expected = scaled_dot_product_attention(query, key, value, may_see)
        torch.testing.assert_close(board["attention"](query, key, value, may_see), expected)
