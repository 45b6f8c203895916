"""Mark answers in words on a page: `python -m grading mark CLASS.toml`.

The page shows a question, its rubric, and its answers one after the other, without names; answers
that say the same are shown once. Each mark stands in `marks.csv` as soon as it is given, so nothing
is lost by closing the page, and two people can mark at once: whoever is second is told of it.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from grading.intake.submissions import CannotGrade
from grading.report import pages, tables
from grading.report.local_server import LocalServer, secret_path
from grading.report.store import Store
from grading.report.tables import Learner, ManualMark
from grading.text import visible

SCRIPT = (Path(__file__).parents[1] / "templates" / "mark.js").read_text(encoding="utf-8")
MOST_OF_REMARK = 2_000  # letters


@dataclass(frozen=True)
class Answers:
    """Answers to a question that say the same.

    Args:
        id: what the page calls them by; it says nothing of who they are from.
        question: name of the question.
        text: the answer.
        learners: keys of the learners who gave it.
    """

    id: str
    question: str
    text: str
    learners: Sequence[str]


class Marking:
    """The answers in words of a class, and their marks as they stand in `marks.csv`.

    Args:
        out: folder of the grades.

    Raises:
        CannotGrade: there are no grades, or no answers in words.
    """

    def __init__(self, out: Path):
        self._out, self._store = out, Store(out)
        if not self._store.run:
            raise CannotGrade(f"There are no grades in {out}. Grade first: make grade")
        self._rubrics, self._answers = {}, {}
        for question, rubric, given, _ in pages.questions(self._class()):
            self._rubrics[question] = rubric
            together: dict[str, list[tuple[Learner, str]]] = {}
            for learner, text in given:
                together.setdefault(" ".join(text.split()).casefold(), []).append((learner, text))
            for same in together.values():
                keys = [learner.key for learner, _ in same]
                answers = Answers(secrets.token_hex(8), question, same[0][1], keys)
                self._answers[answers.id] = answers
        if not self._answers:
            raise CannotGrade(f"Nobody has answered in words, by what is graded in {out}.")

    def _class(self) -> list[Learner]:
        """Return the learners, with the marks as they are now."""
        class_ = tables.learners(self._store.all(), self._store.rules)
        tables.read_marks(self._out / "marks.csv", class_)
        return class_

    def page(self) -> str:
        """Render the page."""
        worth = tables.parts_of(self._class())
        asked = self._asked()
        return pages.templates.get_template("mark.html").render(
            safe=True,
            script=Markup(SCRIPT),
            questions=[
                (question, asked[question], rubric, worth[question])
                for question, rubric in self._rubrics.items()
            ],
        )

    def _asked(self) -> dict[str, str]:
        """Return question → its text."""
        return {
            question: text
            for name in self._store.rules.notebooks or tables.notebooks_of(self._class())
            for question, text in tables.asked(name).items()
        }

    def state(self) -> bytes:
        """Return, as JSON, all answers with the marks that they have."""
        return json.dumps({"answers": self._marked(self._class())}, ensure_ascii=False).encode()

    def _marked(self, class_: Sequence[Learner]) -> list[dict[str, Any]]:
        marks = {learner.key: learner.marks for learner in class_}
        return [
            {
                "id": each.id,
                "question": each.question,
                "text": visible(each.text),
                "count": len(each.learners),
                **_told(mark_of(each, marks)),
            }
            for each in self._answers.values()
        ]

    def take(self, content: bytes) -> bytes:
        """Enter a mark that the page sends; return, as JSON, all marks, or a complaint.

        The page sends `id`, `points`, `remark`, and `was`: the points that it shows. If others
        stand in the file by now, it is somebody else's mark, and stays.
        """
        try:
            sent = json.loads(content)
            answers, points, remark = self._answers[sent["id"]], sent["points"], sent["remark"]
            was = sent["was"]
            if not isinstance(remark, str) or type(points) not in (int, float):
                raise ValueError(points)
        except (KeyError, TypeError, ValueError, RecursionError):
            return _complaint("This page is of another run of `mark`. Load it again.")
        try:
            with self._store.alone():
                class_ = self._class()
                now = mark_of(answers, {learner.key: learner.marks for learner in class_})
                if (now.points if now else None) not in (was, points):
                    other = f"{now.points:g} points" if now else "no mark"
                    told = f"Meanwhile marks.csv says {other}: look, and decide once more."
                    return _complaint(told, self._marked(class_))
                worth = tables.parts_of(class_)[answers.question]
                if not 0 <= points <= worth:
                    return _complaint(f"This question is worth {worth:g}: 0 to {worth:g} points.")
                mark = ManualMark(points, " ".join(remark.split())[:MOST_OF_REMARK])
                tables.enter_marks(
                    class_, self._out / "marks.csv", answers.question, answers.learners, mark
                )
                return json.dumps({"answers": self._marked(self._class())}).encode()
        except CannotGrade as problem:
            return _complaint(str(problem))
        except (OSError, ValueError) as problem:
            return _complaint(f"marks.csv could not be written, and is as it was: {problem}")


def mark_of(answers: Answers, marks: dict[str, dict[str, ManualMark]]) -> ManualMark | None:
    """Return the mark that all who gave an answer have; None if one of them has none."""
    given = [marks.get(learner, {}).get(answers.question) for learner in answers.learners]
    return given[0] if all(given) else None


def _told(mark: ManualMark | None) -> dict[str, Any]:
    return {"points": mark.points if mark else None, "remark": mark.remark if mark else ""}


def _complaint(words: str, answers: Sequence[dict[str, Any]] | None = None) -> bytes:
    told = {"complaint": words} | ({"answers": answers} if answers else {})
    return json.dumps(told, ensure_ascii=False).encode()


class Server(LocalServer):
    """A server of the page on which a class is marked.

    Attributes:
        address: address of the page.
    """

    def __init__(self, marking: Marking, port: int = 0):
        super().__init__(port)
        page = secret_path()
        self.address = self.here + page
        self.contents[page] = lambda: marking.page().encode()
        self.contents[f"{page}state.json"] = marking.state
        self.posts[f"{page}mark.json"] = marking.take
