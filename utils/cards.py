"""Read the questions of `docs/interview.md` as cards, for the notebooks and for Anki."""

import html
import re
from dataclasses import dataclass
from pathlib import Path

SHEET = Path(__file__).parents[1] / "docs" / "interview.md"
PARTS = re.compile(
    r"^## (?P<section>.+)"
    r"|^### (?P<title>.+)\n\n\*\*(?P<question>.+)\*\*\n\n"
    r"<details><summary>Answer</summary>\n\n(?P<answer>(?s:.+?))\n\n</details>",
    flags=re.MULTILINE,
)
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
FENCE = re.compile(r"```\w*\n(.+)\n```", flags=re.DOTALL)


@dataclass(frozen=True)
class Card:
    """A question of the interview sheet. Question and answer are HTML.

    The first paragraph of the answer can be said aloud; a line parts it from what supports it.
    """

    section: str
    title: str
    question: str
    answer: str


def read_cards(sheet: Path = SHEET) -> list[Card]:
    """Return the questions of a sheet, in order."""
    cards, section = [], ""
    for part in PARTS.finditer(sheet.read_text(encoding="utf-8")):
        section = part["section"] or section
        if part["title"]:
            said, *support = map(_paragraph, part["answer"].split("\n\n"))
            answer = "".join([said, "<hr>", *support])
            cards.append(Card(section, part["title"], _words(part["question"]), answer))
    return cards


def _paragraph(text: str) -> str:
    if code := FENCE.fullmatch(text):
        lines = html.escape(code[1], quote=False).replace("\n", "<br>")
        return f"<pre><code>{lines}</code></pre>"
    return f"<p>{_words(text)}</p>"


def _words(text: str) -> str:
    """Return a paragraph as HTML; a link becomes its text alone."""
    text = html.escape(LINK.sub(r"\1", " ".join(text.split())), quote=False)
    pieces = text.split("`")  # every other one is code
    pieces[::2] = [re.sub(r"\*([^*]+)\*", r"<em>\1</em>", piece) for piece in pieces[::2]]
    pieces[1::2] = [f"<code>{piece}</code>" for piece in pieces[1::2]]
    return "".join(pieces)
