"""Read the questions of `docs/interview.md` as cards, and write them for Anki.

`python -m utils.cards FILE` writes a text file that Anki imports: on each line a question, its
answer and the section, with tabs between.
"""

import csv
import html
import re
import sys
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
HEADERS = "#separator:tab\n#html:true\n#deck:Attention\n#tags column:3\n"  # docs.ankiweb.net


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


def write_for_anki(cards: list[Card], path: Path) -> None:
    """Write cards into a text file for Anki's *File*, *Import*; the section becomes a tag."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADERS)
        rows = ([card.question, card.answer, card.section.replace(" ", "_")] for card in cards)
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Where should the cards go? python -m utils.cards build/cards.txt")
    questions = read_cards()
    write_for_anki(questions, Path(sys.argv[1]))
    print(f"{len(questions)} cards are in {sys.argv[1]}. In Anki: File, Import.")
