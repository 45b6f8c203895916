"""Copy the results of a class without saying whose they are, to show or to study them.

Names, numbers of learners, paths, addresses and the name of this computer are gone from tables and
pages, also where learners have written them into answers, comments or code. In their place stands a
pseudonym, the same whenever the same grades are copied; its key stays in DIR/private. What a text
tells in other words, a nickname say, only a reader can find.
"""

import base64
import hashlib
import hmac
import re
import secrets
import socket
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from grading.intake.submissions import CannotGrade
from grading.report import pages, tables
from grading.report.store import Store, restored, write
from grading.report.tables import Lateness, Learner, ManualMark
from grading.report.unrecognised import Names
from utils.checks import bank

WORD = re.compile(r"[^\W_]+")
ELSEWHERE = re.compile(
    r"\b\w+://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # addresses
    r"|(?<![\w/.])(?:~|[A-Za-z]:)?(?:/[\w.@+~-]+){2,}|\b[A-Za-z]:(?:\\[\w.@+~ -]+)+"  # paths
)
SHORTEST = 3  # letters of a part of a name that is looked for by itself
SHORTEST_NUMBER = 4  # digits of a learner's number that is looked for in texts
OURS = ("notebook", "reason", "mistake", "heading", "digest", "returned")  # no learner wrote these


def write_copy(out: Path, copy: Path) -> int:
    """Write the tables and pages of a class without anything that says whose they are.

    Args:
        out: the folder of the grades.
        copy: a new folder.

    Returns:
        The number of learners.

    Raises:
        CannotGrade: there are no grades, or the folder for the copy holds something.
    """
    store = Store(out)
    if not store.run:
        raise CannotGrade(f"There are no grades in {out}.")
    if copy.exists() and (not copy.is_dir() or any(copy.iterdir())):
        raise CannotGrade(f"{copy} holds something already. Name a new folder.")
    class_ = tables.learners(store.all(), Lateness.of(store.run["late"]))
    tables.read_marks(out / "marks.csv", class_)
    key = out / "private" / "pseudonyms.key"  # made on first use: without it, they tell nothing
    if not key.exists():
        write(key, secrets.token_hex())
    hidden = Pseudonyms(class_, key.read_bytes()).of_class(class_)
    copy.mkdir(parents=True, exist_ok=True)
    tables.write_grades(hidden, copy / "grades.csv")
    tables.write_tasks(hidden, copy / "tasks.csv")
    tables.write_files(hidden, copy / "files.csv")
    pages.write_pages(hidden, Names(out), copy, store.run["safe"])
    return len(hidden)


class Pseudonyms:
    """The pseudonyms of a class, and the texts that they stand for.

    Args:
        class_: all learners.
        key: of the pseudonyms.
    """

    def __init__(self, class_: Sequence[Learner], key: bytes):
        self._of = {learner.key: pseudonym(learner.key, key) for learner in class_}
        self._words: dict[str, str] = {}  # single words, as they are spelt
        whole = {} if (host := socket.gethostname()) in _course_words() else {host: "(computer)"}
        for learner in class_:
            words, own = WORD.findall(learner.name), self._of[learner.key]
            if len(words) != 1 or not _has_spaces(learner.name):
                orders = [
                    glue.join(order) for glue in ("", "_", " ") for order in (words, words[::-1])
                ]
                whole |= dict.fromkeys(filter(None, [learner.name, *orders]), own)
            if len(learner.id) >= SHORTEST_NUMBER:
                whole[learner.id] = own
            for word in words:
                if len(word) >= SHORTEST or not word.isascii():
                    self._words |= dict.fromkeys(_spellings(word), own)
        self._whole = {text.casefold(): own for text, own in whole.items()}
        longest_first = sorted(whole, key=len, reverse=True)
        words = "|".join(re.escape(name) for name in longest_first if _has_spaces(name))
        others = "|".join(re.escape(name) for name in longest_first if not _has_spaces(name))
        self._names = re.compile(
            rf"(?<![^\W_])(?<!\d\.)(?:{words or '(?!)'})(?![^\W_])|{others or '(?!)'}",
            re.IGNORECASE,
        )

    def text(self, text: str) -> str:
        """Replace names, numbers, paths and addresses in a text."""
        text = ELSEWHERE.sub("(elsewhere)", unicodedata.normalize("NFC", text))
        text = self._names.sub(lambda match: self._whole.get(match[0].casefold(), "(name)"), text)
        return WORD.sub(lambda match: self._words.get(match[0], match[0]), text)

    def of_class(self, class_: Sequence[Learner]) -> list[Learner]:
        """Return the class, each learner under their pseudonym, sorted by it."""
        return sorted(map(self._hidden, class_), key=lambda learner: learner.name)

    def _hidden(self, learner: Learner) -> Learner:
        own, files = self._of[learner.key], {}
        for number, result in enumerate(learner.files, start=1):
            who = {"learner": own, "lms": "", "id": "", "file": f"{own}/{number}.ipynb"}
            files[result.file] = replace(restored(self._cleaned(asdict(result))), **who)
        return replace(
            learner,
            name=own,
            lms="",
            id="",
            files=[*files.values()],
            results={name: files[result.file] for name, result in learner.results.items()},
            marks=self._marks(learner.marks),
            overrides=self._marks(learner.overrides),
        )

    def _marks(self, marks: Mapping[str, ManualMark]) -> dict[str, ManualMark]:
        return {part: mark._replace(remark=self.text(mark.remark)) for part, mark in marks.items()}

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                key: item if key in OURS else self._cleaned(item) for key, item in value.items()
            }
        return [*map(self._cleaned, value)] if isinstance(value, list | tuple) else value


def pseudonym(name: str, key: bytes) -> str:
    """Return a label for a name: the same for the same key, which nobody can guess from it."""
    digest = hmac.digest(key, name.encode(errors="surrogateescape"), hashlib.sha256)
    return f"learner-{base64.b32encode(digest)[:8].decode().lower()}"


def _spellings(word: str) -> set[str]:
    """Return the spellings of a part of a name; of a word of the course, only the one given.

    Not every `max` means a learner called Max.
    """
    if word.lower() in _course_words():
        return {word}
    return {word, word.lower(), word.upper(), word.capitalize()}


def _has_spaces(text: str) -> bool:
    """Whether a text is in a script that parts words by spaces: Chinese and Japanese do not."""
    return max(text) < "\u2e80" or "\uac00" <= max(text) <= "\ud7ff"


@cache
def _course_words() -> frozenset[str]:
    texts = (path.read_text(encoding="utf-8") for path in sorted(bank.FOLDER.glob("0*.ipynb")))
    return frozenset(word.lower() for text in texts for word in WORD.findall(text))
