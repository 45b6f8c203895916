"""The room shows who is where, writes nothing, and no file in it harms the page."""

import html
import json
import os
import re
import threading
import urllib.error
import urllib.request
from itertools import islice
from pathlib import Path

import pytest

from grading.__main__ import main
from grading.classroom import attempts
from grading.report import room as live
from grading.report.room import Room
from grading.tests.made import nested_folders
from grading.tests.test_pages import Elements, hostile
from tests import needs
from tests.browser.lab import running_browser

pytestmark = needs.unix
DONE = {"entropy": {"points": 3, "kinds": []}}
WRONG = {"entropy": {"points": 0, "kinds": ["softmax-twice"]}}
BELIEF = "believe that a softmax leaves shares as they are"


def home(folder: Path, learner: str, inside: str = "course") -> Path:
    """Return where a learner's progress lies; make its folders."""
    path = folder / learner / inside / "exercises" / "progress.json"
    path.parent.mkdir(parents=True)
    return path


def put(folder: Path, learner: str, entries: object, ago: float = 0.0, **where: str) -> Path:
    path = home(folder, learner, **where)
    path.write_text(json.dumps(entries), encoding="utf-8")
    os.utime(path, (path.stat().st_mtime - ago,) * 2)
    return path


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", Elements(page).text)


def rows_of(page: str) -> dict[str, str]:
    """Return learner → all that their row says."""
    rows = re.findall(r'<tr><th scope="row".*?</tr>', page, flags=re.DOTALL)
    names = [re.search(r'<bdi class="(?:name|label)">(.*?)</bdi>', row)[1] for row in rows]
    rows = [row.replace("</", " </") for row in rows]  # a space between two cells
    return {html.unescape(name): text_of(row) for name, row in zip(names, rows, strict=True)}


def test_it_shows_what_check_has_remembered(tmp_path):
    for _ in islice(attempts(tmp_path, 5), 60):
        pass
    page, notebooks = Room(tmp_path).page(), Room(tmp_path)._notebooks
    rows = rows_of(page)
    assert len(rows) == 5
    for file in tmp_path.rglob("progress.json"):
        kept = json.loads(file.read_text(encoding="utf-8"))
        tasks = {task.id: task for tasks in notebooks.values() for task in tasks}
        row = rows[file.parts[-4]]
        assert row.count("✓") == sum(kept[name]["points"] == tasks[name].points for name in kept)
        assert row.count("✗") == sum(kept[name]["points"] == 0 for name in kept)
        assert f" {sum(entry['points'] for entry in kept.values())} " in row
        assert tasks[[*kept][-1]].title in row
    assert "believe that" in text_of(page)


def test_a_home_on_a_hub_and_a_folder_of_exercises_are_found(tmp_path):
    put(tmp_path, "jupyter-ada", DONE, inside="work/lectures/attention-course")
    put(tmp_path, "bob", DONE, inside=".")
    (tmp_path / "carol").mkdir()
    rows = rows_of(Room(tmp_path).page())
    assert "✓" in rows["jupyter-ada"]
    assert "✓" in rows["bob"]
    assert "nothing yet" in rows["carol"]


def test_of_two_copies_the_one_that_changed_last_counts(tmp_path):
    put(tmp_path, "ada", DONE, ago=3600, inside="old")
    put(tmp_path, "ada", WRONG, ago=60, inside="work/new")
    home(tmp_path, "ada", "damaged").write_text("{", encoding="utf-8")
    assert "✗" in rows_of(Room(tmp_path).page())["ada"]


def test_misconceptions_come_with_the_newest_first_and_those_overcome_last(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "FRESH", 0.0)
    beliefs = {"softmax-twice": "shares as they are", "hard-choice": "a hard choice does as well"}
    beliefs["divide-again"] = "put right by dividing"
    first, second, third = beliefs
    put(tmp_path, "ada", {"entropy": {"points": 0, "kinds": [first]}}, ago=7200)
    put(tmp_path, "bob", {"entropy": {"points": 0, "kinds": [second]}}, ago=3700)
    put(tmp_path, "eve", {"entropy": {"points": 3, "kinds": [third]}}, ago=5)
    room = Room(tmp_path)

    def places() -> list[int]:
        text = text_of(room.page())
        return [text.index(words) for words in beliefs.values()]

    adas, bobs, past = places()
    assert bobs < adas < past
    assert "All are past it" in text_of(room.page())
    assert "the newest 1 h 01 min ago" in text_of(room.page())
    path = tmp_path / "bob/course/exercises/progress.json"
    path.write_text(json.dumps({"entropy": {"points": 0, "kinds": [second, first]}}))
    adas, bobs, past = places()  # what bob has shown before is as old as it was
    assert adas < bobs < past
    assert f"2 learners seem to {BELIEF}" in text_of(room.page())
    assert "the newest 1 h 01 min ago" in text_of(room.page())


def test_a_clock_says_how_long_nothing_has_changed(tmp_path):
    for learner, ago in (("ada", 0), ("bob", 12 * 60 + 30), ("eve", 3 * 86400), ("dan", -9999)):
        put(tmp_path, learner, DONE, ago=ago)
    rows = rows_of(page := Room(tmp_path).page())
    for learner, words in (("ada", "under 1"), ("bob", "12"), ("dan", "under 1")):
        assert f"{words} min" in rows[learner]
    assert "3 days" in rows["eve"]
    assert re.findall(r'class="long">(.*?)<', page) == ["12 min", "3 days"]


# --- Files that make no sense ---------------------------------------------------------------------


def _fill(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _talk(path: Path) -> None:
    """Make a pipe that says what the file would say, and stays open: its end never comes."""
    os.mkfifo(path)
    os.write(os.open(path, os.O_RDWR), json.dumps(DONE).encode())


DAMAGE = {
    "huge": lambda path: _fill(path, b'{"entropy": 3}' + b" " * live.LARGEST),
    "sparse": lambda path: (path.touch(), os.truncate(path, 2**40)),
    "not JSON": lambda path: _fill(path, b"{"),
    "not text": lambda path: _fill(path, b'\xff\xfe\x00"'),
    "empty": lambda path: path.touch(),
    "a list": lambda path: _fill(path, b"[1]"),
    "not a number": lambda path: _fill(path, b"NaN"),
    "deep": lambda path: _fill(path, b"[" * 200_000),
    "deep inside": lambda path: _fill(path, b'{"entropy":' * 20_000),
    "long number": lambda path: _fill(path, b'{"entropy": 1' + b"0" * 10_000 + b"}"),
    "a pipe": os.mkfifo,
    "a pipe that talks": _talk,
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path),
    "a link out": lambda path: path.symlink_to("/etc/passwd"),
    "a device": lambda path: path.symlink_to("/dev/zero"),
}


def test_a_damaged_file_costs_its_own_row_and_no_other(tmp_path):
    put(tmp_path, "ada", DONE)
    put(tmp_path, "zoë", DONE)
    for damage, make in DAMAGE.items():
        make(home(tmp_path, damage))
    page = Room(tmp_path).page()
    rows = rows_of(page)
    assert {name for name, row in rows.items() if "cannot be read: " in row} == {*DAMAGE}
    assert "✓" in rows["ada"]
    assert "✓" in rows["zoë"]
    count = len(DAMAGE)
    counts = f"2 of {count + 2} learners have tried a task, and {count} files cannot be read"
    assert counts in text_of(page)


@needs.ordinary_user
def test_a_file_without_permission_says_so(tmp_path):
    put(tmp_path, "ada", DONE).chmod(0)
    assert "cannot be read: permission denied" in rows_of(Room(tmp_path).page())["ada"]


@pytest.mark.parametrize(
    ("entry", "sign"),
    [
        ('{"points": NaN, "kinds": []}', "✗"),
        ('{"points": -Infinity, "kinds": [["softmax-twice"]]}', "✗"),
        ('{"points": "3", "kinds": {"softmax-twice": 1}}', "✗"),
        ('{"points": -7, "kinds": [null, {}, 3, "no such kind"]}', "✗"),
        ('{"points": 1' + "0" * 4000 + ', "kinds": null}', "✓"),
        ("true", "✓"),
        ("null", "✗"),
        ("[[]]", "✗"),
    ],
)
def test_an_entry_of_a_wrong_type_is_a_task_tried(tmp_path, entry, sign):
    path = home(tmp_path, "mallory")
    path.write_text(f'{{"no such task": [], "": {{}}, "entropy": {entry}}}', encoding="utf-8")
    page = Room(tmp_path).page()
    assert rows_of(page)["mallory"].count(sign) == 1
    assert "None so far" in text_of(page)


def test_nothing_is_followed_out_of_the_folder(tmp_path):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    put(outside, "secret", WRONG)
    inside.mkdir()
    (inside / "linked").symlink_to(outside / "secret")
    (inside / "course-linked").mkdir()
    (inside / "course-linked" / "course").symlink_to(outside / "secret" / "course")
    (inside / "exercises-linked" / "course").mkdir(parents=True)
    exercises = outside / "secret" / "course" / "exercises"
    (inside / "exercises-linked" / "course" / "exercises").symlink_to(exercises)
    home(inside, "file-linked").symlink_to(exercises / "progress.json")
    page = Room(inside).page()
    rows = rows_of(page)
    assert rows.keys() == {"course-linked", "exercises-linked", "file-linked"}
    assert "cannot be read" in rows["file-linked"]
    assert "None so far" in text_of(page)


def test_a_folder_that_became_a_link_since_is_not_followed(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "FRESH", 0.0)
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    put(outside, "secret", WRONG)
    path = put(inside, "mallory", DONE)
    room = Room(inside)
    assert "✓" in rows_of(room.page())["mallory"]
    path.parent.parent.rename(inside / "mallory" / "before")
    path.parent.parent.symlink_to(outside / "secret" / "course")
    assert "cannot be read" in rows_of(room.page())["mallory"]


def test_thousands_of_folders_cost_one_learner_and_a_line(tmp_path, monkeypatch):
    for number in range(3_000):
        (tmp_path / "mallory" / f"{number}" / "exercises").mkdir(parents=True)
    for number in range(1_000):
        (tmp_path / f"z{number}").mkdir()
    put(tmp_path, "ada", DONE)
    opened, real = [], os.open
    monkeypatch.setattr(os, "open", lambda *a, **k: (opened.append(a[0]), real(*a, **k))[1])
    page = Room(tmp_path).page()
    assert "✓" in rows_of(page)["ada"]
    assert len(rows_of(page)) == live.MOST_LEARNERS
    assert f"{1_002 - live.MOST_LEARNERS:,} more folders are not shown" in text_of(page)
    assert len([name for name in opened if name == "mallory"]) <= live.MOST_SEEN + 1


def test_folders_in_one_another_are_searched_in_linear_time(tmp_path, monkeypatch):
    put(tmp_path, "ada", DONE)
    opened, real = [], os.open
    with nested_folders(tmp_path / "mallory", 1_900), monkeypatch.context() as patch:
        patch.setattr(os, "open", lambda *a, **k: (opened.append(a[0]), real(*a, **k))[1])
        assert "✓" in rows_of(Room(tmp_path).page())["ada"]
    assert len(opened) < 200


def test_nobody_waits_for_a_search_that_another_request_has_begun(tmp_path, monkeypatch):
    put(tmp_path, "ada", DONE)
    room = Room(tmp_path)
    before = room.page()
    monkeypatch.setattr(live, "SEARCH", 0.0)
    searching, done = threading.Event(), threading.Event()

    def slow(*_):
        searching.set()
        done.wait(60)
        return []

    monkeypatch.setattr(live, "_search", slow)
    request = threading.Thread(target=room.page)
    request.start()
    assert searching.wait(60)
    assert rows_of(room.page()) == rows_of(before)
    done.set()
    request.join()


def test_nothing_is_written(tmp_path):
    for _ in islice(attempts(tmp_path, 5), 40):
        pass
    _fill(home(tmp_path, "mallory"), b"{")

    def state() -> dict[Path, object]:
        return {
            path: (
                path.stat().st_mtime_ns,
                path.stat().st_mode,
                path.is_file() and path.read_bytes(),
            )
            for path in [tmp_path, *sorted(tmp_path.rglob("*"))]
        }

    everything = [tmp_path, *tmp_path.rglob("*")]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        before = state()
        assert "cannot be read" in Room(tmp_path).page()
        assert state() == before
    finally:
        for path in everything:
            path.chmod(0o755)


@pytest.mark.parametrize("hidden", [False, True])
def test_no_name_becomes_html(tmp_path, hidden):
    name = hostile("name").replace("/", "\N{FRACTION SLASH}")
    put(tmp_path, name, {hostile("task"): {"points": 1, "kinds": [hostile("kind")]}} | DONE)
    put(tmp_path, "turned \u202e round", DONE)
    put(tmp_path, os.fsdecode(b"no text \xff"), DONE)
    page = Room(tmp_path, hidden).page()
    elements = Elements(page)
    assert not {name for name in elements.names if name == "x-live" or name.startswith("on")}
    assert ("name-text" in elements.text) is not hidden
    assert "\u202e" not in page
    assert "7490" not in elements.text
    assert len(rows_of(page)) == 3


def test_hidden_names_have_the_same_label_each_time_and_another_order(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "FRESH", 0.0)
    names = [f"learner called {letter}" for letter in "abcdefghijkl"]
    for name in names:
        put(tmp_path, name, DONE)
    room = Room(tmp_path, hidden=True)
    labels = [*rows_of(room.page())]
    put(tmp_path, "anna", DONE)
    room._searched = -live.SEARCH
    assert {*labels} < {*rows_of(room.page())}
    assert "called" not in room.page()
    assert labels == sorted(labels)  # whoever knows the class's order learns nothing
    assert labels != [*rows_of(Room(tmp_path, hidden=True).page())][: len(labels)]


# --- The server, and a browser --------------------------------------------------------------------


@pytest.fixture
def served(tmp_path):
    """Serve the room of a made-up class: its folder, address and server."""
    folder = tmp_path / "room"
    for _ in islice(attempts(folder, 40, seed=1), 300):
        pass
    server = live.Server(Room(folder))
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield folder, server.address, server
    server.shutdown()
    server.server_close()


def test_only_this_machine_and_who_knows_the_address_sees_it(served):
    _, address, server = served
    assert server.server_address[0] == "127.0.0.1"
    with urllib.request.urlopen(address) as answer:
        assert "The room" in answer.read().decode()
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert answer.headers["Cache-Control"] == "no-store"
    root = address[: address.index("/", 8)]
    for path in ("/", "/room", address.removeprefix(root)[:-2], "/../../etc/passwd", "/%c3%28"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(root + path)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(address, data=b"{}")


TOP = "region => region.getBoundingClientRect().top"


@pytest.mark.browser
@needs.chromium
def test_it_follows_the_room_and_keeps_the_place(served):
    folder, address, server = served
    with running_browser() as browser:
        page = browser.new_page(viewport={"width": 1100, "height": 500})
        errors, asked = [], set()
        page.on("pageerror", lambda error: errors.append(error))
        page.on("request", lambda request: asked.add(request.url))
        page.goto(address)
        page.get_by_text(re.compile(r"^\d+ more$")).click()
        table = page.get_by_role("region", name="Who is where")
        table.focus()
        table.evaluate("region => region.scrollTo(200, 150)")
        place = table.evaluate(TOP)
        put(folder, "Zz newcomer", WRONG)
        file = next(folder.glob("A*/*/exercises/progress.json"))
        file.write_text(json.dumps({"TransformerBlock": 0, "DecoderBlock": True}))
        row = page.get_by_role("row", name=file.parts[-4])
        row.get_by_text("A decoder block").wait_for(timeout=60_000)
        assert table.evaluate("region => [region.scrollLeft, region.scrollTop]") == [200, 150]
        assert page.evaluate("document.activeElement.className") == "scroll"
        assert table.evaluate(TOP) == pytest.approx(place, abs=1)  # whatever is above it has grown
        assert page.locator("details[open]").count() == 1

        page.get_by_role("button", name="Hide names").focus()
        page.keyboard.press("Enter")
        assert page.locator(".name:visible").count() == 0
        assert page.locator(".label:visible").count() == 40
        page.get_by_role("button", name="Pause").press("Space")
        assert page.get_by_role("button", pressed=True).count() == 2
        server.shutdown()
        server.server_close()
        page.get_by_role("alert").get_by_text("No answer").wait_for(timeout=60_000)
        assert errors == []
        assert asked == {address}


@pytest.mark.browser
@needs.chromium
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_axe_finds_nothing_to_mend_and_nothing_is_too_wide(served, theme):
    folder, address, _ = served
    put(folder, "Wolfeschlegelsteinhausenbergerdorff" * 6, DONE)
    _fill(home(folder, "mallory"), b"{")
    with running_browser() as browser:
        for width in (390, 1400):
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
            page.goto(address)
            axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
            assert axe.run(page).response["violations"] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_command_says_where_the_page_is_and_what_is_no_folder(tmp_path, capsys, monkeypatch):
    def stopped(server):
        raise KeyboardInterrupt

    monkeypatch.setattr(live.LocalServer, "serve_forever", stopped)
    assert main(["watch", str(tmp_path), "--hide-names"]) == 0
    assert re.match(r"The room: http://127\.0\.0\.1:\d+/[\w-]{43}/ ", capsys.readouterr().out)
    assert main(["watch", str(tmp_path), "--slides", str(tmp_path)]) == 2
    assert "`make slides` makes them" in capsys.readouterr().err
    (tmp_path / "index.html").touch()
    assert main(["watch", str(tmp_path), "--slides", str(tmp_path)]) == 0
    slides = r"The slides: http://127\.0\.0\.1:\d+/[\w-]{43}/index\.html"
    assert re.search(slides, capsys.readouterr().out)
    assert main(["watch", str(tmp_path / "nowhere")]) == 2
    assert "It should hold a folder for each learner" in capsys.readouterr().err
