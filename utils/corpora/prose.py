"""Plain text for a language model: a file of one's own, or the prose of this course."""

import json
import os
from pathlib import Path

SHORTEST = 200_000  # characters: with fewer, a model soon knows its text by heart
PIECE = 2_000  # characters of a piece, about a page
EVERY = 10  # each tenth piece is held out

_COURSE = Path(__file__).parents[2]


def read_text(file: str | os.PathLike | None = None) -> str:
    """Return the text of a file, or the prose of this course if no file is given.

    The course's prose is what stands between the code in its notebooks, and its documents.

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
    texts = []
    for path in sorted((_COURSE / "notebooks").glob("[0-9]*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    pages = sorted((_COURSE / "docs").glob("*.md"))
    texts += [path.read_text(encoding="utf-8") for path in pages]
    if not texts:
        raise FileNotFoundError(
            "the folders notebooks and docs of the course are not here: give a text file instead"
        )
    return "\n\n".join(texts)


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
