"""Pages show what strangers wrote, and none of it as HTML."""

import itertools
import re
from dataclasses import fields, replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from jinja2 import UndefinedError

from grading import hooks
from grading.intake.notebook_parser import Flag
from grading.report import class_statistics, pages, similarity, unrecognised
from grading.report.similarity import Pair
from grading.report.tables import Learner, ManualMark, learners
from grading.report.unrecognised import UnrecognisedAnswer
from grading.run.scoring import Outcome, Result
from grading.tests.made import FULL
from tests import needs
from tests.browser.lab import running_browser
from utils.checks import bank
from utils.checks.tasks import Misconception, Mistake, Reason, Task

NOTEBOOK = "01_attention_concepts"
ALL = [task for tasks in bank.tasks().values() for task in tasks]
COURSE = SimpleNamespace(tasks=lambda: ALL)  # in place of the names that a class has given
NOT_SHOWN = {"lms", "digest", "notebook", "returned"}  # the notebook is one of the course's


def hostile(field: str) -> str:
    """Return a text that becomes an element, an attribute or a script where it is not escaped."""
    template = "{{ 70 * 107 }}"
    return f"""{field}-text '"></style></title><x-live onclick="a">`<x-live>`*x*{template}"""


def strings_of(type_: type) -> dict[str, str]:
    texts = {field.name: hostile(field.name) for field in fields(type_) if field.type is str}
    return {name: text for name, text in texts.items() if name != "form"}  # any makes it a test


def outcome(**changes) -> Outcome:
    numbers = {"points": 0, "of": 2, "public_points": 1}
    known = {"reason": Reason.ERROR, "lines": [hostile("lines")]}
    matrix = {"expected": [[0.0, 1.0]], "found": [[1.0, 0.0]], "place": (0, 0)}
    return Outcome(**strings_of(Outcome) | numbers | known | matrix | changes)


@pytest.fixture
def class_(monkeypatch) -> list[Learner]:
    """Return learners whose every text is hostile, also the names of tasks and questions."""
    known = strings_of(Result) | {
        "tasks": {
            **{task.id: outcome() for task in bank.tasks()[NOTEBOOK]},
            hostile("tasks"): outcome(mistake=""),
        },
        "words": {hostile("question"): hostile("answer"), hostile("unmarked"): ""},
        "code": {"entropy": hostile("code")},
        "remarks": [hostile("remarks")],
        "flags": [Flag("entropy", hostile("flags"), 1)],
    }
    graded = Result(**known | {"problem": ""})
    second = Result(**known | {"problem": "", "file": "second", "learner": hostile("friend")})
    # As if the two were alike: of a notebook with such a name, nothing else is known.
    monkeypatch.setattr(similarity, "similar_pairs", lambda _: [Pair(graded, second, 0.9, 30)])
    real = Result(**known | {"problem": "", "file": "real", "notebook": NOTEBOOK})
    given = {hostile("item"): hostile("choice")}
    test = Result(**known | {"notebook": "", "problem": "", "form": "A", "answers": given})
    class_ = learners([graded, second, real, Result(**known | {"notebook": ""}), test])
    for learner in class_:
        learner.marks[hostile("question")] = ManualMark(1.5, hostile("mark"))
    return class_


class Elements(HTMLParser):
    """The elements of a page: their names, those of their attributes, and what they hold."""

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


def test_no_text_of_a_submission_becomes_html(class_, tmp_path, monkeypatch):
    words = [hostile(field) for field in ("entry", "unknown", "name")]
    answer = UnrecognisedAnswer(*words[:2], 3, words[2], class_, outcome(), hostile("code"))
    monkeypatch.setattr(unrecognised, "answers_of", lambda *_: [answer, answer])
    pages.write_pages(class_, COURSE, tmp_path, safe=True)
    seen = ""
    for path in [tmp_path / "overview.html", *(tmp_path / "learners").iterdir()]:
        page = Elements(path.read_text(encoding="utf-8"))
        assert not {name for name in page.names if name == "x-live" or name.startswith("on")}
        assert page.text.count("x-live") == 2 * page.text.count("-text")  # none is swallowed
        assert "7490" not in page.text  # nor read as a template
        seen += page.text + page.values
    texts = {*strings_of(Result), *strings_of(Outcome), "friend", "question", "answer", "unmarked"}
    texts |= {"lines", "tasks", "code", "remarks", "flags", "mark", "entry", "unknown", "name"}
    assert {name for name in texts if f"{name}-text" not in seen} == NOT_SHOWN


def test_what_hangs_on_the_grader_can_be_left_out(monkeypatch, tmp_path):
    texts = []
    for hooks_left in ([], hooks.HOOKS):
        monkeypatch.setattr(hooks, "HOOKS", hooks_left)
        monkeypatch.setattr(unrecognised, "answers_of", lambda *_: [])
        pages.write_pages([learner_of(entropy=RIGHT)], COURSE, tmp_path, safe=True)
        texts.append(Elements((tmp_path / "overview.html").read_text(encoding="utf-8")).text)
    extra = ("Nearly the same", "What the class believes", "Tasks, the hardest", "unknown answer")
    for words in extra:
        assert [words in text for text in texts] == [False, True]
    assert all("Ada" in text for text in texts)


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_have_colours():
    huge = outcome(expected=[[0.0, 1.0]], found=[[1.7e308, -1.7e308]])
    page = pages._feedback(huge)
    middle, same, high, low = re.findall(r"<td [^>]*background:(#\w+)", page)
    assert middle == same
    assert len({low, middle, high}) == 3


def test_the_overview_says_where_small_models_alone_decided(monkeypatch):
    monkeypatch.setattr(pages, "_distributions", lambda _: [])  # takes a second
    known = strings_of(Result) | {"problem": "", "notebook": NOTEBOOK, "learner": "a"}
    class_ = learners([Result(**known | {"tasks": {"MyBlock": outcome()}})])
    names = pages.page_names(class_)
    said = "small ones alone decided about MyBlock"
    assert said in Elements(pages.overview(class_, {}, names, True, real=False)).text
    assert said not in Elements(pages.overview(class_, {}, names, True, real=True)).text


def test_the_overview_says_what_the_class_believes(monkeypatch):
    late = Misconception("late", "a mask `may` come late", "It *may* not.")
    facts = {"points": 2, "difficulty": 1, "minutes": 5, "outputs": ["it"], "hints": []}
    mistakes = [Mistake("behind", "You mask late.", "When?", late.slug)]
    task = Task(id="one", title="One", mistakes=mistakes, **facts)
    monkeypatch.setattr(bank, "tasks", lambda: {NOTEBOOK: [task]})  # the course's order
    monkeypatch.setattr(bank, "misconceptions", lambda: {late.slug: late})
    monkeypatch.setattr(pages, "_distributions", lambda _: [])  # takes a second
    known = strings_of(Result) | {"problem": "", "notebook": NOTEBOOK}

    def page_of(*made):
        outcomes = [*(outcome(mistake=mistake) for mistake in made), STUB]  # one has not tried
        class_ = learners(
            Result(**known | {"learner": name, "tasks": {"one": each}})
            for name, each in zip("abcd", outcomes, strict=True)
        )
        told = class_statistics.after_grading(class_, SimpleNamespace(tasks=lambda: [task]))
        return Elements(pages.overview(class_, told, pages.page_names(class_), True)).text

    assert "2 of 3 believe that a mask may come late.\nIt may not." in page_of(
        "behind", "", "behind"
    )
    assert "1 of 3 believes that a mask may come late." in page_of("behind", "", "")
    assert "believe that" not in page_of("", "", "unknown")


def test_a_name_that_a_template_does_not_know_is_an_error():
    template = pages.templates.from_string("{{ leaner }}")
    with pytest.raises(UndefinedError, match="leaner"):
        template.render(learner=1)


def test_a_task_is_compared_with_the_others_and_not_with_itself():
    """Learners guess the first task, whatever they earn for the second."""
    results = [
        Result(f"{own} {other}", "", "", f"{own} {other}", notebook=NOTEBOOK, tasks=tasks)
        for own in (0, 3)
        for other in range(5)
        for tasks in [{"entropy": outcome(points=own), "soft_lookup": outcome(points=other)}]
    ]
    rows = class_statistics.task_rows(learners(results), results)
    (row,) = (row for row in rows if row.task == "entropy")
    assert row.statistics.discrimination == pytest.approx(0)


# --- What a learner is handed back ----------------------------------------------------------------


def learner_of(**outcomes) -> Learner:
    """Return a learner with one notebook."""
    known = {"notebook": NOTEBOOK, "tasks": outcomes, "words": {"dark_column": "So."}}
    (learner,) = learners([Result("Ada", "", "", "ada.ipynb", **known)])
    return learner


RIGHT = outcome(points=2, reason=Reason.PASSED, mistake="", title="One", expected=None)
WRONG = outcome(mistake="in bits", title="Two", lines=["What it does."], expected=None)


def test_a_learner_reads_first_what_is_right_and_then_what_to_learn_next():
    page = pages.learner_page(learner_of(entropy=WRONG, soft_lookup=RIGHT), ALL, True)
    text = Elements(page).text
    order = [
        f"2 of {FULL['01']} points",
        "✓ One",
        "What to learn next",
        "✗ Two",
        "Worth knowing",
        "Read again",
    ]
    assert [text.index(words) for words in order] == sorted(text.index(words) for words in order)
    (mistake,) = (each for each in bank.load("entropy").task.mistakes if each.name == "in bits")
    assert bank.misconceptions()[mistake.misconception].advice in text
    address = "01_attention_concepts.ipynb#6.-How-focused%3F-The-entropy"
    assert f'{address}">6. How focused? The entropy</a>' in page


STUB = outcome(reason=Reason.NOTHING, mistake="", title="Three", expected=None)


def test_what_is_as_it_was_given_out_is_not_written_yet():
    page = pages.learner_page(learner_of(entropy=RIGHT, four_patterns=STUB), ALL, True)
    text = " ".join(Elements(page).text.split())
    assert "Not written yet Three: not written yet, 0 of 2 points. Read again: notebook 01" in text
    assert "What to learn next" not in text
    assert "Everything that was asked is right." not in text


def test_whoever_has_not_tried_is_in_no_statistics():
    made = [outcome(points=2), outcome(points=1), STUB, replace(STUB, reason=Reason.NOT_DEFINED)]
    results = [
        Result(f"{number}", "", "", f"{number}", notebook=NOTEBOOK, tasks={"entropy": each})
        for number, each in enumerate(made)
    ]
    class_ = learners(results)
    (row,) = class_statistics.task_rows(class_, results)
    assert (row.share, row.tried, row.full_marks) == (0.5, 2, 1)  # of 3 points
    mistakes = [*class_statistics.mistake_rows(results, ALL)]
    assert [row[-2:] for row in mistakes] == [(2, 2)]
    told = class_statistics.after_grading(class_, COURSE)
    text = Elements(pages.overview(class_, told, pages.page_names(class_), True)).text
    assert "not written yet (1)" in text


def test_a_page_says_what_is_pending():
    learner = learner_of(entropy=RIGHT)
    text = " ".join(Elements(pages.learner_page(learner, ALL, True)).text.split())
    assert "Your grade is pending: your answer to dark_column (3 points) has to be marked." in text
    learner.marks["dark_column"] = ManualMark(2, "Good.")
    assert "pending" not in pages.learner_page(learner, ALL, True)
    (learner,) = learners([Result("Ada", "", "", "ada.ipynb", problem="an empty file")])
    text = " ".join(Elements(pages.learner_page(learner, ALL, True)).text.split())
    assert "Your grade is pending: ada.ipynb could not be graded." in text


def test_whoever_has_everything_reads_so():
    page = pages.learner_page(learner_of(entropy=RIGHT), ALL, True)
    assert "Everything that was asked is right." in page
    assert "What to learn next" not in page


def test_a_rubric_is_rendered_once_there_is_a_mark():
    learner = learner_of(entropy=RIGHT)
    assert "a reason to do with values" not in pages.learner_page(learner, ALL, True)
    learner.marks["dark_column"] = ManualMark(2, "Good.")
    page = pages.learner_page(learner, ALL, True)
    assert "<li>1 point: a reason to do with values" in page
    assert "changes the <em>input or the value</em> of the word" in page


def test_every_task_has_a_section_that_is_there():
    for task in ALL:
        assert pages.section_of(task.id).heading[0].isdigit(), task.id


# --- The overview in a browser --------------------------------------------------------------------

LONG = "Wolfeschlegelsteinhausenbergerdorff" * 6


def class_of(count: int) -> list[Learner]:
    """Return learners with different points, one of whom has a name of 210 letters."""
    return learners(
        Result(
            *(name, "", "", f"{name}.ipynb"),
            notebook=NOTEBOOK,
            tasks={"entropy": points},
            words={"dark_column": f"So says {name}."},
        )
        for name, points in [
            (LONG, outcome(of=100)),
            *((f"learner {i}", outcome(points=i, of=100)) for i in range(2, count + 1)),
        ]
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("pages")
    answer = UnrecognisedAnswer("entropy.1", "entropy", 12, "", class_of(4), outcome(), "x" * 300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unrecognised, "answers_of", lambda *_: [answer])
        pages.write_pages(class_of(FEW_MORE), COURSE, out, safe=True)
    return out


@pytest.fixture(scope="module")
def browser():
    with running_browser() as started:
        yield started


FEW_MORE = pages.FEW + 5
ROWS = "[aria-label=Learners] tbody tr"


def visible(page) -> list[str]:
    return page.locator(f"{ROWS}:visible td:first-child").all_inner_texts()


@pytest.mark.browser
@needs.chromium
def test_tables_sort_filter_and_fold_by_keyboard(folder, browser):
    page, errors = browser.new_page(), []
    page.on("pageerror", lambda error: errors.append(error))
    page.goto((folder / "overview.html").as_uri())
    assert len(visible(page)) == pages.FEW
    points = page.get_by_role("region", name="Learners").get_by_role("button", name="points")
    points.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # from many to few
    assert visible(page)[0] == f"learner {FEW_MORE}"  # by number, 9 comes after 10
    head = page.locator("[aria-label=Learners] th[aria-sort]")
    assert head.get_attribute("aria-sort") == "descending"
    page.get_by_label(f"Show all {FEW_MORE} rows").focus()
    page.keyboard.press("Space")
    assert len(visible(page)) == FEW_MORE
    page.keyboard.press("Space")
    page.get_by_label("Only rows with").fill("Learner 3")
    assert visible(page) == ["learner 3"]  # found in the folded tail, in any case
    answers = page.locator(".answer:visible")
    assert answers.all_inner_texts() == ["So says learner 3."]  # they stand in a fold
    page.get_by_label("Only rows with").fill("")
    assert (len(visible(page)), answers.count()) == (pages.FEW, 0)
    assert errors == []


@pytest.mark.browser
@needs.chromium
def test_the_overview_of_two_hundred_is_short(browser, tmp_path):
    """Every table is full: files that failed, answers, flags, pairs, beliefs."""
    class_ = learners(
        Result(
            *(f"Anna Magdalena {i}", "", ""),
            f"Anna Magdalena {i}_{7000 + i}_assignsubmission_file_/{NOTEBOOK}.ipynb",
            notebook=NOTEBOOK,
            tasks={
                task.id: outcome(
                    mistake=task.mistakes[i % len(task.mistakes)].name, public_points=0
                )
                for task in bank.tasks()[NOTEBOOK]
            },
            words={"dark_column": f"So says {i}."},
            flags=[Flag("entropy", "reads like a published solution", 15)],
            problem="the file is no notebook that can be read" * (i % 8 == 0),
        )
        for i in range(200)
    )
    results = [result for learner in class_ for result in learner.files]
    pairs = [Pair(*two, 0.9, 30) for two in itertools.pairwise(results)]
    links = pages.page_names(class_)
    shared = [UnrecognisedAnswer("entropy.1", "entropy", 12, "", class_[:12], outcome(), "x")] * 20
    path = tmp_path / "overview.html"
    told = class_statistics.after_grading(class_, COURSE)
    told |= {"pairs": pairs, "shared": shared, "alone": []}
    path.write_text(pages.overview(class_, told, links, True), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(path.as_uri())
    assert page.locator(".listing:visible").count() >= 5
    assert page.evaluate("document.documentElement.scrollHeight") < 2500


@pytest.mark.browser
@needs.chromium
def test_a_browser_runs_no_script_but_ours(folder, browser, tmp_path):
    attack = (
        "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'too'\">"
    )
    page = browser.new_page()
    for path in [folder / "overview.html", next((folder / "learners").iterdir())]:
        text = path.read_text(encoding="utf-8").replace("</body>", f"{attack}</body>")
        (tmp_path / path.name).write_text(text, encoding="utf-8")
        page.goto((tmp_path / path.name).as_uri())
        assert page.title() not in ("owned", "too")


@pytest.mark.browser
@needs.chromium
def test_without_scripts_everything_is_there(folder, browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto((folder / "overview.html").as_uri())
    assert len(visible(page)) == pages.FEW
    assert page.get_by_label("Only rows with").count() == 1
    assert not page.get_by_label("Only rows with").is_visible()
    page.locator(f"label:has-text('Show all {FEW_MORE} rows') input").check()
    assert len(visible(page)) == FEW_MORE


@pytest.mark.browser
@needs.chromium
@pytest.mark.parametrize("width", [390, 1100])
def test_a_name_of_two_hundred_letters_breaks_no_page(folder, browser, width):
    page = browser.new_page(viewport={"width": width, "height": 800})
    long_name = next((folder / "learners").glob("Wolfe*"))
    for path in [long_name, folder / "learners" / "learner_2.html", folder / "overview.html"]:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
    box = page.get_by_role("link", name=LONG, exact=True).first.bounding_box()
    assert box["width"] <= 490
