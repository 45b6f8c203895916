"""Plain text for a language model: a file of one's own, or the prose of this course."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

SHORTEST = 200_000  # characters: with fewer, a model soon knows its text by heart
PIECE = 2_000  # characters of a piece, about a page
EVERY = 10  # each tenth piece is held out

_COURSE = Path(__file__).parents[2]
_PAGES = "notebooks/[0-9]*.ipynb", "exercises/[0-9]*.ipynb", "docs/*.md", "README.md"
_REMOVED = re.compile(r"```.*?```|<!--.*?-->|!\[[^\]]*\]\([^)]*\)|<[^>]+>", flags=re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_|_(?!\w)")
_ITEM = r"\s*(?:[-*]|\d+\.)\s+"
_PARAGRAPH = re.compile(rf"\n\s*\n|\n(?={_ITEM})")
_NO_PROSE = re.compile(r"\s*(#|\||>|:::)")  # a heading, a table, a quotation, a block of MyST
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z“(])|(?<=[.!?][)”])\s+")
_END = re.compile(r"[.!?:;)”]$")
_SYMBOL = re.compile(r"[^\w\s.,:;!?'\"“”’()%−–-]|[_\d]{4}|[²³½α-ωΑ-Ω₀-₉⁰-⁹]")


def read_text(file: str | os.PathLike | None = None) -> str:
    """Return the text of a file, or the prose of this course if no file is given.

    The course's prose is what stands between the code in its notebooks and exercises, and its
    documents: whole sentences, without Markdown, code and formulae.

    Args:
        file: a text file in UTF-8.

    Raises:
        FileNotFoundError: there is no such file, or the course's folders are not there.
        ValueError: the text is too short, or the file is not text in UTF-8.
    """
    if file is None:
        return _course_prose()
    path = Path(file).expanduser()
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no file {str(file)!r} in {Path.cwd()}: give its whole path, or None for the "
            "prose of this course"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(
            f"{path.name} is not plain text in UTF-8: in an editor, save it as .txt with the "
            "encoding UTF-8"
        ) from None
    if len(text) < SHORTEST:
        raise ValueError(
            f"{path.name} has {len(text):,} characters; at least {SHORTEST:,} are needed, or the "
            "model soon knows them by heart and learns nothing else"
        )
    return text


def _course_prose() -> str:
    pages = [path for pattern in _PAGES for path in sorted(_COURSE.glob(pattern))]
    found = [paragraph for page in pages for paragraph in _paragraphs(_markdown(page))]
    if not found:
        raise FileNotFoundError(
            "the folders notebooks and docs of the course are not here: give a text file instead"
        )
    return "\n\n".join(dict.fromkeys(found))  # what is repeated, such as "Run the check.", once


def _markdown(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "markdown")


def _paragraphs(markdown: str) -> Iterator[str]:
    """Yield the paragraphs of a page; a sentence with code or a formula in it is left out."""
    text = _EMPHASIS.sub("", _LINK.sub(r"\1", _REMOVED.sub(" ", markdown)))
    for part in _PARAGRAPH.split(text):
        lines = (line for line in part.splitlines() if not _NO_PROSE.match(line))
        joined = re.sub(f"^{_ITEM}", "", " ".join(" ".join(lines).split()))
        sentences = (one for one in _SENTENCE.split(joined) if _END.search(one))
        if kept := " ".join(one for one in sentences if not _SYMBOL.search(one)):
            yield kept


def hold_out(text: str) -> tuple[str, str]:
    """Split a text into one to learn from and one that is held out, from all parts of it.

    The text is cut at blank lines (or at line ends, if it has no blank ones) into pieces of
    about a page, of which each tenth is held out.

    Returns:
        The text to learn from, and the text held out.
    """
    gap = "\n\n" if text.count("\n\n") * 2 * PIECE > len(text) else "\n"
    pieces, current = [], ""
    for part in text.split(gap):
        current += part + gap
        if len(current) >= PIECE:
            pieces.append(current)
            current = ""
    pieces.append(current)
    held_out = pieces[EVERY - 1 :: EVERY]
    del pieces[EVERY - 1 :: EVERY]
    return "".join(pieces), "".join(held_out)
