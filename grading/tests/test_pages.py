"""Pages show what strangers wrote, and none of it as HTML."""

from dataclasses import fields
from html.parser import HTMLParser

import pytest
from jinja2 import UndefinedError

from grading import likeness, pages
from grading.likeness import Pair
from grading.marking import Outcome, Result
from grading.signs import Sign
from grading.tables import Learner, Mark, learners
from utils.checks import bank
from utils.checks.reasons import Reason
from utils.checks.tasks import Kind, Mistake, Task

NOTEBOOK = "01_attention_concepts"
NOT_SHOWN = {"lms", "digest", "code"}


def hostile(field: str) -> str:
    """A text that would become an element, an attribute, a style or a script if it were let."""
    return f"""{field}-text '"></style></title><x-live onclick="a">`<x-live>`*x*{{{{ 7 * 7 }}}}"""


def strings_of(kind: type) -> dict[str, str]:
    return {field.name: hostile(field.name) for field in fields(kind) if field.type is str}


def outcome(**changes) -> Outcome:
    numbers = {"points": 0, "of": 2, "public_points": 1}
    known = {"reason": Reason.ERROR, "lines": [hostile("lines")]}
    matrix = {"expected": [[0.0, 1.0]], "found": [[1.0, 0.0]], "place": (0, 0)}
    return Outcome(**strings_of(Outcome) | numbers | known | matrix | changes)


@pytest.fixture
def class_(monkeypatch) -> list[Learner]:
    """Learners whose every text is hostile, also the names of tasks and questions."""
    known = strings_of(Result) | {
        "tasks": {
            **{task.id: outcome() for task in bank.tasks()[NOTEBOOK]},
            hostile("tasks"): outcome(mistake=""),
        },
        "words": {hostile("question"): hostile("answer"), hostile("unmarked"): ""},
        "code": {"entropy": hostile("code")},
        "remarks": [hostile("remarks")],
        "flags": [Sign("entropy", hostile("flags"), 1)],
    }
    graded = Result(**known | {"problem": ""})
    second = Result(**known | {"problem": "", "file": "second", "learner": hostile("friend")})
    # As if the two were alike: of a notebook with such a name, nothing else is known.
    monkeypatch.setattr(likeness, "alike", lambda _: [Pair(graded, second, 0.9, 30)])
    real = Result(**known | {"problem": "", "file": "real", "notebook": NOTEBOOK})
    class_ = learners([graded, second, real, Result(**known | {"notebook": ""})])
    for learner in class_:
        learner.marks[hostile("question")] = Mark(1.5, hostile("mark"))
    return class_


class Elements(HTMLParser):
    """What a page is made of: names of elements and attributes, and what they hold."""

    def __init__(self, page: str):
        super().__init__()
        self.names: set[str] = set()
        self.text, self.values = "", ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.names |= {tag, *(name for name, _ in attributes)}
        self.values += " ".join(value or "" for _, value in attributes)

    def handle_data(self, data):
        self.text += data


def test_no_text_of_a_submission_becomes_html(class_, tmp_path):
    pages.write_pages(class_, tmp_path, safe=True)
    seen = ""
    for path in [tmp_path / "overview.html", *(tmp_path / "learners").iterdir()]:
        found = Elements(path.read_text(encoding="utf-8"))
        assert not {name for name in found.names if name == "x-live" or name.startswith("on")}
        assert found.text.count("x-live") == 2 * found.text.count("-text")  # none is swallowed
        assert "49" not in found.text  # nor read as a template
        seen += found.text + found.values
    texts = {*strings_of(Result), *strings_of(Outcome), "friend", "question", "answer", "unmarked"}
    texts |= {"lines", "tasks", "code", "remarks", "flags", "mark"}
    assert {name for name in texts if f"{name}-text" not in seen} == NOT_SHOWN


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_have_colours():
    huge = outcome(expected=[[0.0, 1.0]], found=[[1.7e308, -1.7e308]])
    (_, expected), (_, found) = pages._matrices(huge)
    middle, same = (cell.background for cell in expected[0])
    low, high = (cell.background for cell in found[0][::-1])
    assert middle == same
    assert len({low, middle, high}) == 3


def test_the_overview_says_what_the_class_believes(monkeypatch):
    kind = Kind("late", "a mask `may` come late", "It *may* not.")
    facts = {"points": 2, "difficulty": 1, "minutes": 5, "outputs": ["it"], "hints": []}
    mistakes = [Mistake("behind", "You mask late.", "When?", kind.slug)]
    task = Task(id="one", title="One", mistakes=mistakes, **facts)
    monkeypatch.setattr(bank, "tasks", lambda: {NOTEBOOK: [task]})
    monkeypatch.setattr(bank, "kinds", lambda: {kind.slug: kind})
    monkeypatch.setattr(likeness, "alike", lambda _: [])  # it would remember the one task
    known = strings_of(Result) | {"problem": "", "notebook": NOTEBOOK}

    def page_of(*made):
        class_ = learners(
            Result(**known | {"learner": name, "tasks": {"one": outcome(mistake=mistake)}})
            for name, mistake in zip("abc", made, strict=True)
        )
        return Elements(pages.overview(class_, True, pages.page_names(class_))).text

    assert "2 of 3 believe that a mask may come late.\nIt may not." in page_of(
        "behind", "", "behind"
    )
    assert "1 of 3 believes that a mask may come late." in page_of("behind", "", "")
    assert "believe that" not in page_of("", "", "unknown")


def test_a_name_that_a_template_does_not_know_is_an_error(monkeypatch):
    template = pages._templates.from_string("{{ leaner }}")
    with pytest.raises(UndefinedError, match="leaner"):
        template.render(learner=1)
