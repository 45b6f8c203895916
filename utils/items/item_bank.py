"""Read and write the item bank, `exercises/items.json`: questions in several sets of numbers."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from utils.checks.bank import FOLDER
from utils.course import chapters

FILE = FOLDER / "items.json"
# the notebook in which each of the two tests is taken: before the course, and after it
FORMS = {"A": "understanding_before", "B": "understanding_after"}
VERSIONS = 8  # sets of numbers of an item: a multiple of the number of options


@dataclass(frozen=True)
class Version:
    """An item in one set of numbers.

    Args:
        text: the question, in Markdown.
        shows: what stands below it: tables, code or curves (see `utils.items.rendering`).
        options: what may be answered, shown likewise, or as text. Where a number is asked for, they
            are not shown, and say what is believed by whoever types them.
        beliefs: for each option the slug of the misconception behind it; "" of the right one.
    """

    text: str
    shows: Sequence[Any]
    options: Sequence[Any]
    beliefs: Sequence[str]

    @property
    def right(self) -> int:
        """The place of the right option."""
        return [*self.beliefs].index("")


@dataclass(frozen=True)
class StoredItem:
    """An item of the bank.

    Args:
        id: its name.
        section: section of the course that explains it, as in "04.3".
        form: "A" or "B" of an item that is kept for a test, otherwise "".
        why: why the right answer is right.
        typed: whether a number is asked for in place of a choice.
        versions: the same question in other numbers.
    """

    id: str
    section: str
    form: str
    why: str
    typed: bool
    versions: Sequence[Version]

    @property
    def notebook(self) -> str:
        """The number of the notebook that it belongs to, "04"."""
        return self.section[:2]

    @property
    def beliefs(self) -> set[str]:
        """The slugs of all misconceptions that an answer to it can show."""
        return {slug for version in self.versions for slug in version.beliefs} - {""}


@cache
def items() -> dict[str, StoredItem]:
    """Return the items of the bank by name, in the order of the course."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        entry["id"]: StoredItem(
            **entry | {"versions": [Version(**version) for version in entry["versions"]]}
        )
        for entry in stored
    }


def form(name: str) -> list[StoredItem]:
    """Return the items of a test, "A" or "B", in their order."""
    return [item for item in items().values() if item.form == name]


def place(item: StoredItem) -> str:
    """Return where the course explains an item: number and title of a notebook, and the section."""
    labels = {chapter.number: chapter.label for chapter in chapters().values()}
    return f"{labels[item.notebook]}, section {item.section.partition('.')[2]}"


def save(bank: Sequence[StoredItem], file: Path = FILE) -> None:
    """Write a bank, with an item on each line."""
    lines = [json.dumps(asdict(item), ensure_ascii=False) for item in bank]
    file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8", newline="\n")
