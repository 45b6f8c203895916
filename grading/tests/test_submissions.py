"""What was handed in: every file is read, or has one reason why not, and nothing else happens."""

import json
import os
import shutil
import struct
import unicodedata
import warnings
import zipfile
from pathlib import Path

import pytest

from grading.intake import notebook_parser, platforms, submissions
from grading.intake.submissions import CannotGrade, NoSubmissions, Unreadable, find, find_learner
from grading.tests.made import NOTEBOOK, PATHS, in_a_zip, nested_folders, notebook, stub
from tests import needs
from utils import notebook_file
from utils.checks import bank

EXERCISES = bank.FOLDER / f"{NOTEBOOK}.ipynb"
COURSE = sorted(
    {
        path.stem
        for folder in ("exercises", "notebooks")
        for path in (bank.FOLDER.parent / folder).glob("[0-9]*.ipynb")
    }
)
ANSWER = "def entropy(weights):\n    return weights"


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode(errors="surrogateescape"))


def zipped(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that is there twice
        for number, name in enumerate(names):
            archive.writestr(name, f"{number}")
    return path


def owners(source: Path) -> dict[str, tuple[str, str, str]]:
    return {
        submission.file: (submission.learner, submission.lms, submission.id)
        for submission in find(source)
    }


def problem(read) -> str:
    with pytest.raises(Unreadable) as caught:
        read()
    return str(caught.value)


# --- Whose file it is -----------------------------------------------------------------------------

NAMES = {
    # One notebook a learner, named by hand.
    "ada.ipynb": ("ada", "", ""),
    "Ada Lovelace_01_attention_concepts.ipynb": ("Ada Lovelace", "", ""),
    "ada-02_additive_attention (1).ipynb": ("ada", "", ""),
    "01_attention_concepts.ipynb": ("01_attention_concepts", "", ""),
    "Lin understanding_before (1).ipynb": ("Lin", "", ""),
    # A folder a learner, however deep.
    "Grace Hopper/01_attention_concepts.ipynb": ("Grace Hopper", "", ""),
    "Grace Hopper/week 2/again/notebook.ipynb": ("Grace Hopper", "", ""),
    # Names of all kinds.
    "Зоя Иванова.ipynb": ("Зоя Иванова", "", ""),
    "山田 太郎/宿題.ipynb": ("山田 太郎", "", ""),
    "نور.ipynb": ("نور", "", ""),
    'O\'Brien "Bob" & <b>.ipynb': ('O\'Brien "Bob" & <b>', "", ""),
    "=cmd|' !A0.ipynb": ("=cmd|' !A0", "", ""),
    "  spaces  .ipynb": ("spaces", "", ""),
    " .ipynb": ("?", "", ""),
    "x" * 249 + ".ipynb": ("x" * 249, "", ""),
}
CANVAS = {
    "lovelaceada_4021_77001_01_attention_concepts.ipynb": ("lovelaceada", "canvas", "4021"),
    "lovelaceada_4021_77003_picture.png": ("lovelaceada", "canvas", "4021"),
    "hoppergrace_LATE_4022_77002_my notebook-1.ipynb": ("hoppergrace", "canvas", "4022"),
    "van_rossumguido_4023_77004_1_2_3.ipynb": ("van_rossumguido", "canvas", "4023"),
    "müllerzoë_4024_77005_x.ipynb": ("müllerzoë", "canvas", "4024"),
    "العليفاطمة_4025_77006_x.ipynb": ("العليفاطمة", "canvas", "4025"),
    "lovelaceada_4026_77007_x.ipynb": ("lovelaceada", "canvas", "4026"),  # another of that name
    "typedin_4027_text.html": ("typedin", "canvas", "4027"),
    "linked_LATE_4028_link.html": ("linked", "canvas", "4028"),
    "anon_aB3dE_77008_01_x.ipynb": ("anon_aB3dE", "canvas", ""),
    "LATE_anon_12345_77009_x.ipynb": ("anon_12345", "canvas", ""),
    "lee_4029_77010_777_assignsubmission_file_.ipynb": ("lee", "canvas", "4029"),
}
MOODLE = {
    "Ada Lovelace_9001_assignsubmission_file_/01.ipynb": ("Ada Lovelace", "moodle", "9001"),
    "Ada Lovelace_9001_assignsubmission_onlinetext_/onlinetext.html": (
        *("Ada Lovelace", "moodle", "9001"),
    ),
    "Ada Lovelace_9002_assignsubmission_file/x/01.ipynb": ("Ada Lovelace", "moodle", "9002"),
    "Müller Zoë_9003_assignsubmission_file/1_777_888_x.ipynb": ("Müller Zoë", "moodle", "9003"),
    "فاطمة العلي_9004_assignsubmission_file_/x.ipynb": ("فاطمة العلي", "moodle", "9004"),
    "Participant_9005_assignsubmission_file/x.ipynb": ("Participant", "moodle", "9005"),
    "Lee_9006_assignsubmission_file_777_888_x.ipynb": ("Lee", "moodle", "9006"),
    "Ng_9007_assignsubmission_file_7_assignsubmission_file_x.ipynb": ("Ng", "moodle", "9007"),
}
HIDDEN = [
    *[".DS_Store", "ada/.ipynb_checkpoints/01-checkpoint.ipynb", "__MACOSX/._ada.ipynb"],
    *["Thumbs.db", "ada/desktop.ini", "ada/progress.json", ".git/config"],
]


@needs.unix
def test_a_folder_says_whose_file_each_is(tmp_path):
    put(tmp_path, *NAMES, *HIDDEN)
    assert owners(tmp_path) == NAMES
    assert all(submission.read() == submission.file.encode() for submission in find(tmp_path))


def test_a_zip_says_the_same_and_nothing_is_unpacked(tmp_path):
    source = zipped(tmp_path / "handed in.zip", *NAMES, *HIDDEN)
    assert owners(source) == NAMES
    assert all(submission.read() for submission in find(source))
    assert os.listdir(tmp_path) == ["handed in.zip"]


@pytest.mark.parametrize("names", [CANVAS, MOODLE])
@pytest.mark.parametrize("wrapped", ["", "submissions/", "week 1/section A/"])
def test_a_platforms_names_say_whose_file_each_is(tmp_path, names, wrapped):
    expected = {wrapped + name: owner for name, owner in names.items()}
    assert owners(zipped(tmp_path / "a.zip", *expected)) == expected
    put(tmp_path / "in", *expected)
    assert owners(tmp_path / "in") == expected


def test_what_is_late_and_what_came_later_is_known(tmp_path):
    handed_in = {
        submission.file: submission for submission in find(zipped(tmp_path / "a.zip", *CANVAS))
    }
    late = {name for name in CANVAS if handed_in[name].late}
    assert late == {name for name in CANVAS if "LATE" in name}
    assert handed_in["hoppergrace_LATE_4022_77002_my notebook-1.ipynb"].order == 77002
    put(tmp_path / "in", "ada/1.ipynb", "ada/2.ipynb")
    os.utime(tmp_path / "in/ada/1.ipynb", (2e9, 2e9))
    first, second = find(tmp_path / "in")
    assert first.order == 2e9 > second.order


def test_a_name_like_another_platforms_takes_nobodys_number(tmp_path):
    """The whole class comes from one platform, and numbers are read where it writes them."""
    canvas = ["victim_777_77001_x.ipynb", "eve_778_77002_777_assignsubmission_x.ipynb"]
    assert owners(zipped(tmp_path / "canvas.zip", *canvas)) == {
        canvas[0]: ("victim", "canvas", "777"),
        canvas[1]: ("eve", "canvas", "778"),
    }
    moodle = [f"{name}_assignsubmission_file_{file}" for name, file in MOODLE_PAIRS]
    numbers = [owner[2] for owner in owners(zipped(tmp_path / "moodle.zip", *moodle)).values()]
    assert numbers == ["778", "778", "777"]
    strangers = ["Ada_9_assignsubmission_file_/x.ipynb", "eve_777_1_x.ipynb"]
    moodle = [strangers[0], "Bob_8_assignsubmission_file_/x.ipynb", strangers[1]]
    assert owners(zipped(tmp_path / "b.zip", *moodle))[strangers[1]] == ("eve_777_1_x", "", "")
    canvas = [strangers[1], "bob_8_2_x.ipynb", strangers[0]]
    assert owners(zipped(tmp_path / "c.zip", *canvas))[strangers[0]][2] == ""
    assert platforms.owner("moodle", "eve_778_77002_777_assignsubmission_file_x.ipynb") is None


MOODLE_PAIRS = [("Eve_778", "777_1_x.ipynb"), ("Eve_778", "V_777_2_x.ipynb"), ("V_777", "x.ipynb")]


@pytest.mark.parametrize(
    "names",
    [
        # Canvas keeps an underscore that a learner has written into their own name.
        ["victim_777_77001_x.ipynb", "eve_777_778_77002_x.ipynb"],
        ["victim_777_77001_x.ipynb", "other_5_6_x.ipynb", "victim (777).ipynb"],
        ["V_777_assignsubmission_file_/x.ipynb", "E_777_assignsubmission_file_/x.ipynb"],
    ],
)
def test_two_learners_with_one_number_are_refused(tmp_path, names):
    with pytest.raises(CannotGrade, match=r"Two learners share .*777.*rename or remove"):
        find(zipped(tmp_path / "a.zip", *names))


def log_of(source: Path) -> str:
    lines: list[str] = []
    find(source, lines.append)
    return "\n".join(lines)


def test_files_that_the_platform_has_not_named_are_listed(tmp_path):
    names = ["ada_1_2_x.ipynb", "bob_2_3_x.ipynb", "by mail.ipynb"]
    source = zipped(tmp_path / "a.zip", *names)
    assert owners(source)["by mail.ipynb"] == ("by mail", "", "")
    expected = "Not named as Canvas names files, and so without a number: by mail.ipynb"
    assert log_of(source) == expected


@pytest.mark.parametrize("wrapped", ["", "week1/"])
def test_folders_that_begin_with_a_dot_are_counted_but_not_those_of_programs(tmp_path, wrapped):
    own = [".bob/01.ipynb", ".ångström/01.ipynb", ".ångström/week 2/02.ipynb"]
    programs = [".git/config", ".venv/x.py", ".ipynb_checkpoints/a.ipynb", ".ruff_cache/x"]
    files = ["ada/01.ipynb", "eve/01.ipynb", "eve/.mine/x.ipynb", *own, *HIDDEN, *programs]
    files = [wrapped + name for name in files]
    put(tmp_path / "in", *files)
    line = "begin with a dot are not opened, 2 here: .bob, .ångström. If one is a learner's, rename"
    for source in (tmp_path / "in", zipped(tmp_path / "a.zip", *files)):
        assert {owner[0] for owner in owners(source).values()} == {"ada", "eve"}
        assert log_of(source).count(line) == log_of(source).count("dot") == 1


@pytest.mark.parametrize(
    ("files", "learners", "line"),
    [
        (["week1/Ada/01.ipynb", "week1/Bob/01.ipynb"], ["Ada", "Bob"], "for the class"),
        (["a/b/Ada/x.ipynb", "a/b/Bob/y/x.ipynb"], ["Ada", "Bob"], "the folder a/b, taken for the"),
        (["week1/Ada.ipynb", "week1/Bob.ipynb"], ["Ada", "Bob"], "for the class"),
        (["w/Ada_01_attention_concepts.ipynb", "w/Bob.ipynb"], ["Ada", "Bob"], "for the class"),
        (["w/Ada/01.ipynb", "w/Bob.ipynb"], ["Ada", "Bob"], "for the class"),
        (["Ada/01.ipynb", "Ada/02.ipynb"], ["Ada"], "for one learner"),
        (["Ada/x.ipynb", "Ada/picture.png"], ["Ada"], "for one learner"),
        (["Ada/week 2/01.ipynb"], ["Ada"], "for one learner"),
        (["Ada/x.ipynb", "Bob/x.ipynb"], ["Ada", "Bob"], ""),
        (["Ada.ipynb"], ["Ada"], ""),
    ],
)
def test_a_folder_around_the_class_is_nobody_and_logged(tmp_path, files, learners, line):
    put(tmp_path / "in", *files)
    for source in (tmp_path / "in", zipped(tmp_path / "a.zip", *files)):
        assert sorted({owner[0] for owner in owners(source).values()}) == learners
        assert line in log_of(source)
        assert bool(line) == bool(log_of(source))


def test_the_folder_that_was_compressed_is_nobody(tmp_path):
    source = zipped(tmp_path / "class.zip", "class/ada/01.ipynb", "class/bob.ipynb")
    assert [owner[0] for owner in owners(source).values()] == ["ada", "bob"]
    alone = zipped(tmp_path / "week 1.zip", "week 1/ada/01.ipynb", "week 1/ada/02.ipynb")
    assert [owner[0] for owner in owners(alone).values()] == ["ada", "ada"]


@pytest.mark.parametrize("name", COURSE)
def test_every_notebook_of_the_course_is_known_by_its_name(name, tmp_path):
    """Those of tomorrow too: it takes the names that are there."""
    forms = [name, f"{name} (1)", f"{name}-1", f"{name} - Copy", f"{name}-Copy1"]
    own = [f"Ada Lovelace{between}{form}.ipynb" for between in " _-" for form in forms]
    put(tmp_path / "one", *own)
    assert {submission.learner for submission in find(tmp_path / "one")} == {"Ada Lovelace"}
    put(tmp_path / "two", *(f"Ada/{form}.ipynb" for form in forms))
    assert {submission.learner for submission in find(tmp_path / "two")} == {"Ada"}
    assert "taken for one learner" in log_of(tmp_path / "two")


def test_letters_that_nobody_sees_make_no_other_learner(tmp_path):
    hidden = ["\u202ecba", "a\u200bda", "a\xadda", "\U000e0061ada", "ada\ufe0f", "\u3164ada"]
    put(tmp_path, *(f"{name}/x.ipynb" for name in [*hidden, "ad\u2028a"]))
    submissions = find(tmp_path)
    assert {submission.learner for submission in submissions} == {"cba", "ada", "ad\ufffda"}
    assert len({submission.file for submission in submissions}) == len(hidden) + 1
    persian = "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627"  # written with a joiner
    put(tmp_path / "other", f"{persian}.ipynb")
    assert find(tmp_path / "other")[0].learner == persian.replace("\u200c", "")


PEOPLE = {("Ada Lovelace", "1"), ("Ada Lovelace", "2"), ("Bob", ""), ("Zoë", "33")}


@pytest.mark.parametrize(
    ("wanted", "key"),
    [("bob", "Bob"), ("33", "Zoë (33)"), ("ZOË", "Zoë (33)"), ("Ada Lovelace (2)",) * 2],
)
def test_a_learner_is_found_by_name_or_number(wanted, key):
    lines = []
    assert find_learner(wanted, PEOPLE, lines.append) == key
    assert lines == []


def test_a_learner_is_found_by_the_beginning_of_a_name_and_named():
    lines = []
    assert find_learner("zo", PEOPLE, lines.append) == "Zoë (33)"
    assert lines == ["'zo' is taken for Zoë (33)."]
    for wanted, hint in (("ada", "may be Ada Lovelace"), ("3", "Nobody is called '3'")):
        with pytest.raises(CannotGrade, match=hint):
            find_learner(wanted, PEOPLE, lines.append)
    assert len(lines) == 1
    assert find_learner("ZOE", PEOPLE) == "Zoë (33)"


def test_a_learner_is_found_by_what_the_roster_calls_them():
    people = {("lovelaceada", "1", "Lovelace, Ada", "Ada Lovelace"), ("bob", "2")}
    for wanted in ("Ada Lovelace", "lovelace, ada", "Ada", "lovelacea", "1"):
        assert find_learner(wanted, people) == "lovelaceada (1)"


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        ("Ada Lovelace", "may be Ada Lovelace \\(1\\), Ada Lovelace \\(2\\)"),
        ("Bobb", "Nobody is called 'Bobb'. Did you mean Bob"),
        ("", "Nobody is called ''.$"),
    ],
)
def test_a_name_that_is_nobodys_or_of_several_is_one_line(wanted, hint):
    with pytest.raises(CannotGrade, match=hint):
        find_learner(wanted, PEOPLE)


@needs.unix
def test_names_that_read_the_same_are_two_files(tmp_path):
    composed, decomposed = (unicodedata.normalize(form, "Zoë.ipynb") for form in ("NFC", "NFD"))
    broken = [os.fsdecode(b"\xff.ipynb"), os.fsdecode(b"\xfe.ipynb")]
    put(tmp_path, composed, decomposed, *broken, "two\nlines\x1b[2J.ipynb")
    handed_in = find(tmp_path)
    files = [submission.file for submission in handed_in]
    assert len(set(files)) == 5
    assert {composed, f"{composed} (2)", "�.ipynb", "�.ipynb (2)"} < set(files)
    assert {submission.learner for submission in handed_in} == {"Zoë", "�", "two�lines�[2J"}
    assert len({submission.read() for submission in handed_in}) == 5
    assert [submission.file for submission in find(tmp_path)] == files


@needs.unix
def test_a_learner_who_takes_anothers_name_in_unseen_letters_is_told(tmp_path):
    hidden, decomposed = "Zo\u200bë", unicodedata.normalize("NFD", "Zoë")
    put(tmp_path, "Zoë/01.ipynb", f"{hidden}/02.ipynb", f"{decomposed}/03.ipynb", "Ada/01.ipynb")
    line = "Spelled in several ways that look the same, and taken for one learner each: Zoë."
    assert line in log_of(tmp_path)
    shutil.rmtree(tmp_path / hidden)
    shutil.rmtree(tmp_path / decomposed)
    assert log_of(tmp_path) == ""


def test_a_zip_that_holds_a_name_twice_has_two_rows(tmp_path):
    source = zipped(tmp_path / "a.zip", "ada.ipynb", "ada.ipynb", "ada.ipynb", "ada.ipynb (2)")
    contents = {submission.file: submission.read() for submission in find(source)}
    assert len(contents) == 4
    assert sorted(contents.values()) == [b"0", b"1", b"2", b"3"]


def test_a_zip_without_dates_is_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("ada.ipynb", (1980, 0, 0, 0, 0, 0)), "0")
    assert [submission.read() for submission in find(tmp_path / "a.zip")] == [b"0"]


def test_names_that_would_leave_the_zip_are_only_names(tmp_path):
    names = ["../../ada.ipynb", "/etc/passwd", "bob/../../x.ipynb", "C:\\carl\\01.ipynb", ".."]
    handed_in = find(zipped(tmp_path / "slip.zip", *names))
    learners = sorted(submission.learner for submission in handed_in)
    assert learners == ["?", "C:", "ada", "bob", "etc"]
    assert all(submission.read() for submission in handed_in)
    assert os.listdir(tmp_path) == ["slip.zip"]


def test_nothing_to_grade_is_said_at_once(tmp_path):
    (tmp_path / "class of nobody").mkdir()
    put(tmp_path / "class of hidden files", *HIDDEN)
    (tmp_path / "class, no zip.zip").write_bytes(b"PK no zip")
    (tmp_path / "class as text").write_text("ada.ipynb")
    for source in [*tmp_path.iterdir(), tmp_path / "class that is not there"]:
        with pytest.raises(NoSubmissions, match="class"):
            find(source)


def test_a_folder_of_everything_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "MOST_FILES", 2)
    put(tmp_path, "in/a.ipynb", "in/b.ipynb", "in/c/c.ipynb")
    for source in (tmp_path / "in", zipped(tmp_path / "a.zip", "a", "b", "c")):
        with pytest.raises(NoSubmissions, match="More than 2 files"):
            find(source)


def test_too_many_files_of_one_learner_do_not_stop_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "MOST_OF_ONE", 2)
    monkeypatch.setattr(submissions, "MOST_FILES", 10)
    put(tmp_path / "in", "bob.ipynb", *(f"ada/{number}.ipynb" for number in range(7)))
    names = [path.relative_to(tmp_path / "in").as_posix() for path in tmp_path.rglob("*.ipynb")]
    for source in (tmp_path / "in", zipped(tmp_path / "a.zip", *names)):
        first, second, many, bob = find(source)
        assert (first.file, second.file) == ("ada/0.ipynb", "ada/1.ipynb")
        assert (many.file, many.learner) == ("ada/2.ipynb, and 4 more", "ada")
        assert "more than 2 files of one learner" in problem(many.read)
        assert bob.read()
    monkeypatch.setattr(submissions, "MOST_SEEN_OF_ONE", 5)
    put(tmp_path / "in", *(f"eve/{number}/{number}.ipynb" for number in range(7)))
    names += [f"eve/5/{number}.ipynb" for number in range(7)]
    for source in (tmp_path / "in", zipped(tmp_path / "b.zip", *names)):
        files = {submission.file: submission for submission in find(source)}
        assert files["bob.ipynb"].read()
        (rest,) = [each for file, each in files.items() if file in ("eve", "eve/5")]
        assert problem(rest.read) == submissions.TOO_MANY
        assert sum(each.learner == "eve" for each in files.values()) <= 3


@needs.unix
def test_folders_in_one_another_are_not_followed_for_ever(tmp_path):
    put(tmp_path, "ada.ipynb", "eve/01.ipynb")
    with nested_folders(tmp_path / "eve", 1_000):
        ada, first, deep = find(tmp_path)
        assert ada.read() == b"ada.ipynb"
        assert first.read() == b"eve/01.ipynb"
        assert problem(deep.read) == "folders nested more than 20 deep"


# --- What cannot be read --------------------------------------------------------------------------


@needs.unix
def test_what_is_no_file_has_a_reason_and_nothing_hangs(tmp_path):
    source = tmp_path / "class"
    put(source, "ada.ipynb", "folder.ipynb/inside.ipynb")
    put(tmp_path, "secret.ipynb", "elsewhere/x.ipynb")
    (source / "broken.ipynb").symlink_to("nowhere")
    (source / "circle.ipynb").symlink_to("circle.ipynb")
    (source / "out.ipynb").symlink_to(tmp_path / "secret.ipynb")
    (source / "climbs.ipynb").symlink_to("../elsewhere")
    (source / "friend.ipynb").symlink_to("ada.ipynb")
    put(source, "eve/01.ipynb")
    (source / "eve" / "own.ipynb").symlink_to("../eve/01.ipynb")
    (source / "eve" / "02.ipynb").symlink_to("../ada.ipynb")
    (source / "eve" / "folder").symlink_to("..")
    (source / "round").symlink_to(source)
    os.mkfifo(source / "pipe.ipynb")
    handed_in = {submission.file: submission.read for submission in find(source)}
    assert handed_in.pop("ada.ipynb")() == b"ada.ipynb"
    for name in ("eve/01.ipynb", "eve/own.ipynb"):  # a link that stays with its learner
        assert handed_in.pop(name)() == b"eve/01.ipynb"
    assert {file: problem(read) for file, read in handed_in.items()} == {
        "broken.ipynb": "a broken link",
        "circle.ipynb": "a broken link",
        **dict.fromkeys(["out.ipynb", "climbs.ipynb", "friend.ipynb", "round"], submissions.LINK),
        **dict.fromkeys(["eve/02.ipynb", "eve/folder"], submissions.LINK),
        "folder.ipynb": "a folder with the name of a notebook",
        "pipe.ipynb": "not an ordinary file",
    }


@needs.unix
@pytest.mark.parametrize("swap", ["the file", "its folder"])
def test_a_link_that_comes_between_the_look_and_the_opening_is_not_read(
    swap, tmp_path, monkeypatch
):
    put(tmp_path, "Ada/01.ipynb", "Eve/01.ipynb")
    _, eve = find(tmp_path)
    real = os.open

    def late(path, *arguments, **options):
        if str(path).endswith("Eve/01.ipynb"):
            shutil.rmtree(tmp_path / "Eve")
            if swap == "its folder":
                (tmp_path / "Eve").symlink_to("Ada")
            else:
                (tmp_path / "Eve").mkdir()
                (tmp_path / "Eve" / "01.ipynb").symlink_to("../Ada/01.ipynb")
        return real(path, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", late)
        assert problem(eve.read) == submissions.LINK


@needs.ordinary_user
def test_what_may_not_be_read_has_a_reason(tmp_path):
    put(tmp_path, "ada.ipynb", "bob/01.ipynb")
    for name in ("ada.ipynb", "bob"):
        (tmp_path / name).chmod(0)
    first, second = find(tmp_path)
    (tmp_path / "bob").chmod(0o700)
    assert problem(first.read) == "not readable: no permission"
    assert second.file == "bob"


def test_a_file_that_went_away_has_a_reason(tmp_path):
    put(tmp_path, "ada.ipynb")
    (submission,) = find(tmp_path)
    (tmp_path / "ada.ipynb").unlink()
    assert problem(submission.read) == "not an ordinary file"


def test_a_hundred_megabytes_are_not_read(tmp_path):
    with (tmp_path / "ada.ipynb").open("wb") as file:
        file.truncate(100 * 2**20)
    (submission,) = find(tmp_path)
    assert "too large: 100 MB" in problem(submission.read)


def test_a_zip_bomb_does_not_go_off(tmp_path):
    path, size = tmp_path / "bomb.zip", submissions.LARGEST + 2**20
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada.ipynb", bytes(size))
    (honest,) = find(path)
    assert "too large" in problem(honest.read)
    true, false = struct.pack("<I", size), struct.pack("<I", 1000)
    data = path.read_bytes()
    assert data.count(true) == 2  # the places where the zip says what the file unpacks to
    path.write_bytes(data.replace(true, false))
    (lying,) = find(path)
    assert "damaged in the zip file" in problem(lying.read)


def test_a_damaged_or_locked_file_spares_the_others(tmp_path):
    path = zipped(tmp_path / "a.zip", "ada.ipynb", "bob.ipynb", "carl.ipynb")
    data = bytearray(path.read_bytes())
    data[data.index(b"ada.ipynb") + len("ada.ipynb")] ^= 1  # its content is not its checksum's
    second = data.rindex(b"PK\x01\x02", 0, data.rindex(b"PK\x01\x02"))
    data[second + 8] |= 1  # it says that there is a password
    path.write_bytes(data)
    ada, bob, carl = find(path)
    assert "damaged in the zip file: Bad CRC" in problem(ada.read)
    assert problem(bob.read) == "locked with a password"
    assert carl.read() == b"2"


# --- A notebook as data ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "an empty file"),
        (bytes(1000), "an empty file"),
        (b'{"cells": [', "it is not JSON"),
        (b"\xff\xfe\x00", "it is not JSON"),
        (b"\x89PNG\r\n\x1a\n", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b'{"cells": ' + b"9" * 5000 + b"}", "it is not JSON"),
        (("ada.txt",), "a zip file that holds 0 notebooks"),
        (("01.ipynb", "02.ipynb"), "a zip file that holds 2 notebooks"),
        (b"PK\x03\x04", "a damaged zip file"),
        (b"[1, 2]", "JSON of another kind"),
        (b'{"a": 1}', "JSON of another kind"),
        (b'{"cells": []}', "no code in it"),
        (b'{"cells": {"0": {}}}', "no code in it"),
        (b'{"cells": 1e999, "worksheets": [3, {"cells": 4}]}', "no code in it"),
        (notebook("", " \n"), "no code in it"),
        (notebook("%%bash\nls"), "no code in it"),
        (notebook("import torch\nx = 1"), "another assignment"),
        (notebook("library(ggplot2)\nx <- 3"), "another assignment"),
        (notebook("x = 1\n" * 50_000), "more code than anybody can write"),
    ],
)
def test_what_is_no_submission_says_why(data, reason, tmp_path):
    if isinstance(data, tuple):
        data = zipped(tmp_path / "a.zip", *data).read_bytes()
    assert reason in problem(lambda: notebook_parser.read(data))


def test_a_zip_of_one_notebook_is_opened_one_level_deep():
    own = notebook(ANSWER)
    more = ["picture.png", "__MACOSX/week 1/._01.ipynb", "week 1/.ipynb_checkpoints/01.ipynb"]
    data = in_a_zip(own, *more)
    assert notebook_parser.read(data) == notebook_parser.read(own)
    nested = in_a_zip(data)
    assert "a zip file in a zip file" in problem(lambda: notebook_parser.read(nested))
    bomb = in_a_zip(bytes(submissions.LARGEST + 1))
    assert "too large" in problem(lambda: notebook_parser.read(bomb))


@pytest.mark.parametrize("number", ["01", "07"])  # each has a bug that is to be found
def test_a_cell_is_untouched_whatever_its_layout(number):
    name = PATHS[number].stem
    given = notebook_file.stubs(name)
    assert sorted(notebook_parser.read(stub(number)).untouched) == sorted(given)
    task, source = next(item for item in given.items() if "..." not in item[1])
    laid_out = notebook(*[f"# mine\n{cell}\n\n" for cell in given.values()])
    assert sorted(notebook_parser.read(laid_out, name).untouched) == sorted(given)
    mended = {**given, task: source.replace("return", "x = 1\n    return", 1)}
    assert task not in notebook_parser.read(notebook(*mended.values()), name).untouched


HEADING = {"cell_type": "heading", "level": 1, "source": ["Title"]}
CODE = {"cell_type": "code", "input": ["def entropy(weights):\n", "    return weights"]}
OLD = {"nbformat": 3, "worksheets": [{"cells": [HEADING, CODE]}]}
DRAWN = {  # twice the same id; a picture and what editors add
    "cell_type": "code",
    "id": "same",
    "metadata": {"vscode": {"languageId": "python"}, "colab": {}, "tags": ["a"]},
    "execution_count": 17,
    "outputs": [{"output_type": "display_data", "data": {"image/png": "iVBO" * 9_000}}],
    "source": ANSWER,
}
NO_CELLS = [None, 3, [], "cell", {}]


@pytest.mark.parametrize(
    "data",
    [
        notebook(ANSWER),
        notebook(ANSWER).decode().encode("utf-8-sig"),
        notebook(ANSWER).decode().encode("utf-16"),
        notebook(ANSWER.replace("\n", "\r\n")),
        notebook(ANSWER.replace("\n", "\r")),
        notebook(ANSWER.splitlines(keepends=True)),
        notebook(ANSWER, nbformat_minor=0, cells=[DRAWN, DRAWN]),
        notebook(ANSWER, nbformat=99, nbformat_minor=3, more=[1]),
        notebook(ANSWER, nbformat="four", metadata=[]),
        notebook(ANSWER, metadata={"kernelspec": {"name": "julia-9"}, "colab": {}}),
        notebook(None, 7, {"a": 1}, [1, "x"], "\ud800 = 1", "\0", ANSWER),
        json.dumps({"cells": [*NO_CELLS, *json.loads(notebook(ANSWER))["cells"]]}).encode(),
        json.dumps(OLD).encode(),
    ],
)
def test_every_format_is_read(data):
    read = notebook_parser.read(data)
    assert read.name == "01_attention_concepts"
    assert ANSWER in [cell.source for cell in read.cells]


def test_code_that_is_no_python_or_too_deep_does_not_stop_the_reading():
    deep = "x = " + "-" * 5000 + "1"
    chain = "x = 1" + ".real" * 900
    ladder = "if a:\n    pass\n" + "elif b:\n    pass\n" * 400
    odd = [deep, chain, "(" * 5000, ladder, "def (:", "9" * 5000, "x = \\"]
    read = notebook_parser.read(notebook(*odd, ANSWER))
    assert [cell.source for cell in read.cells] == [*odd, ANSWER]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!pip install torch\nx = 1", "pass\nx = 1"),
        ("!pip install \\\n  torch \\\n  numpy\nx = 1", "pass\n\n\nx = 1"),
        ("%time x = f(1)", "x = f(1)"),
        ("%timeit -n 10 -r 3 f(1)", "f(1)"),
        ("files = !ls\nx = 1", "files = None\nx = 1"),
        ("here = %pwd", "here = None"),
        ("if a:\n    !ls\n    x = 1", "if a:\n    pass\n    x = 1"),
        ("torch.softmax?\nx = 1", "pass\nx = 1"),
        ("?torch\n??f", "pass\npass"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%capture out\nx = 1", "\n\nx = 1"),
        ("%%bash\nls", ""),
        ("%%writefile x.py\nx = 1", ""),
        ("%%", ""),
        # What only looks like it stays, also beside a magic.
        ("x = (7\n%3)", "x = (7\n%3)"),
        ("!ls\nx = (7\n%3)", "pass\nx = (7\n%3)"),
        ("!ls\nx = 1  # really?", "pass\nx = 1  # really?"),
        ("!ls\ny = '''\n% no magic\nWhy?\n'''", "pass\ny = '''\n% no magic\nWhy?\n'''"),
        ("x != 1", "x != 1"),
        ("def f(:", "def f(:"),
    ],
)
def test_what_only_ipython_understands_is_left_out_and_nothing_else(source, code):
    actual, left_out = notebook_file.python(source)
    assert actual == code
    assert bool(left_out) == (code.strip() != source.strip())


def test_a_cell_of_nothing_but_magics_takes_no_time():
    code, left_out = notebook_file.python("!ls\n" * 30_000)
    assert len(left_out) == notebook_file.MOST_MAGICS
    assert code.count("!ls") == 30_000 - notebook_file.MOST_MAGICS


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(a): b = 1", {"f"}),
        ("class A:\n    c = 1", {"A"}),
        ("x = y = 1", {"x", "y"}),
        ("(x, [y, *z]) = a", {"x", "y", "z"}),
        ("x: int = 1\ny += 1", {"x", "y"}),
        ("x['a'] = 1\nx.b = y[z] = 2", set()),
        ("del x", set()),
        ("if a:\n    x = 1\nelif b:\n    y = 1\nelse:\n    z = 1", {"x", "y", "z"}),
        ("try:\n    x = 1\nexcept E:\n    y = 1\nfinally:\n    z = 1", {"x", "y", "z"}),
        ("for x in a:\n    y = 1\nwith f() as g:\n    z = 1", {"x", "y", "z"}),
        ("match a:\n    case 1:\n        x = 1", {"x"}),
        ("no python", set()),
    ],
)
def test_cells_are_known_by_the_names_that_they_define(source, names):
    assert notebook_file.defined(source) == names


def test_the_notebook_is_the_one_with_most_answers_then_the_one_in_the_name():
    first, third = "01_attention_concepts", "03_multiplicative_attention"
    scores = "def compare_scores(query, keys):\n    return 1"
    more = "def luong_step(word, state):\n    return 1"
    for cells, file, expected in [
        ([ANSWER, scores], third, third),
        ([ANSWER, scores], first, first),
        ([ANSWER, scores], "mine", first),
        ([ANSWER, scores, more], first, third),
    ]:
        assert notebook_parser.read(notebook(*cells), f"x_{file}.ipynb").name == expected


def test_an_untouched_cell_below_the_answer_is_left_out():
    stubs = notebook_file.stubs("01_attention_concepts")
    stub, choices = stubs["entropy"], stubs["four_patterns"]
    commented = f"{stub}  # a comment changes nothing"
    choice = "four_patterns['a'] = 'diagonal'"  # choices may be filled in one by one
    for cells, left in [
        ([ANSWER, stub, commented], [ANSWER]),
        ([stub, ANSWER], [stub, ANSWER]),
        ([stub], [stub]),
        ([choices, choice], [choices, choice]),
    ]:
        assert [cell.source for cell in notebook_parser.read(notebook(*cells)).cells] == left


def test_answers_in_words_are_read_where_they_were_asked():
    given = json.loads(EXERCISES.read_bytes())
    (question,) = notebook_file.questions("01_attention_concepts")
    assert notebook_parser.read(EXERCISES.read_bytes()).words == {question: ""}
    for cell in given["cells"]:
        if question in "".join(cell["source"]) and cell["cell_type"] == "markdown":
            cell["source"] = "".join(cell["source"]).replace(
                "*Write your answer here.*", "Because <b>it</b>\n\nis `so`. " + "é" * 30_000
            )
    invented = "**Your answer** · `mine`\n\nA question of my own."
    given["cells"].append({"cell_type": "markdown", "source": invented})
    words = notebook_parser.read(json.dumps(given).encode()).words
    assert list(words) == [question]
    assert words[question].startswith("Because <b>it</b>\n\nis `so`. éé")
    assert len(words[question]) == notebook_file.LONGEST_ANSWER


PROSE = "Because the values of *cat* are long, and the context follows them."


MARKED = f"**Your answer** · `dark_column`\n\n{PROSE}"


@pytest.mark.parametrize(
    ("marker", "question", "below", "above", "elsewhere"),
    [  # what stands in the cell for the answer, is added to the question, below it, far above it
        ("", "", None, None, False),
        (MARKED, "", None, None, False),
        (MARKED, "", None, ("markdown", PROSE), False),
        ("", "", ("code", "x = 'a long line of code'"), None, False),
        (MARKED, "", ("markdown", PROSE), None, True),
        (PROSE, "", None, None, True),
        ("", PROSE, None, None, True),
        ("", "", ("markdown", PROSE), None, True),
        ("", "", None, ("markdown", PROSE), True),
        ("", "", ("raw", PROSE), None, True),
        ("", "", ("code", f"# {PROSE}"), None, True),
        ("", "", ("code", f'"""{PROSE}"""'), None, True),
    ],
)
def test_words_in_the_wrong_place_are_kept_apart(marker, question, below, above, elsewhere):
    given = json.loads(EXERCISES.read_bytes())
    cells = given["cells"]
    at = next(i for i, cell in enumerate(cells) if "**Your answer**" in "".join(cell["source"]))
    cells[at]["source"] = marker or cells[at]["source"]
    cells[at - 1]["source"] = ["".join(cells[at - 1]["source"]), "\n\n", question]
    for place, cell in ((at + 1, below), (1, above)):
        if cell:
            cells.insert(place, {"cell_type": cell[0], "source": cell[1]})
    actual = notebook_parser.read(json.dumps(given).encode()).elsewhere
    assert [PROSE in text for text in actual] == [True] * elsewhere


@pytest.mark.parametrize("own", ["", PROSE])
def test_a_text_of_ours_that_has_grown_since_is_not_taken_for_words(own):
    before = json.loads(EXERCISES.read_bytes())
    prose = [cell for cell in before["cells"] if cell["cell_type"] == "markdown"]
    long = [cell for cell in prose if len("".join(cell["source"]).split(". ")) > 3]
    for cell in long:
        cell["source"] = "".join(cell["source"]).rpartition(". ")[0] + f". {own}"
    elsewhere = notebook_parser.read(json.dumps(before).encode()).elsewhere
    assert len(long) > 3
    assert [PROSE in text for text in elsewhere] == [True] * (len(long) if own else 0)


def test_no_flood_of_words_is_kept():
    given = json.loads(EXERCISES.read_bytes())
    flood = "x" * 50_000
    given["cells"] += [{"cell_type": "markdown", "source": f"{i} {flood}"} for i in range(50)]
    elsewhere = notebook_parser.read(json.dumps(given).encode()).elsewhere
    assert len(elsewhere) == notebook_file.MOST_ELSEWHERE
    assert max(map(len, elsewhere)) < notebook_file.LONGEST_ANSWER + 20


def test_a_cell_as_learners_find_it_is_compared_with_no_other(monkeypatch):
    monkeypatch.setattr(notebook_file, "SequenceMatcher", None)  # takes long
    assert notebook_file.read(EXERCISES.read_bytes(), EXERCISES.name).elsewhere == []
