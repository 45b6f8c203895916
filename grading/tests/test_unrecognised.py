"""The same unrecognised answers are put together, named, and told to learners."""

import re

import numpy as np
import pytest
import torch

from grading.__main__ import main
from grading.intake.submissions import CannotGrade
from grading.names import Names
from grading.report.tables import Learner, learners
from grading.report.unrecognised import answers_of
from grading.run.dialog import Replies, Reply
from grading.run.scoring import Result, _outcome, pack_answers, unpack_answers
from grading.tests.made import NOTEBOOK, code, notebook, write_files
from utils.checks import bank
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed
from utils.checks.runner import AnswerError
from utils.checks.tasks import Record

RECORD = bank.load("entropy")
NAMED = """
[entropy.1]
name = "from 0 to 1"
explanation = "You divide by the largest entropy there is."
hint = "What is the entropy of four equal shares?"
kind = "constant-factor"
"""


def normalised(weights):
    return torch.special.entr(weights).sum(-1) / torch.tensor(float(weights.shape[-1])).log()


def normalised_in_another_way(p):
    return -(p * (p + 1e-9).log2()).sum(-1) / torch.log2(torch.ones_like(p).sum(-1))


def doubled(weights):
    return 2 * torch.special.entr(weights).sum(-1)


def in_bits(weights):  # a known mistake
    return torch.special.entr(weights).sum(-1) / torch.tensor(2.0).log()


def right(weights):
    return torch.special.entr(weights).sum(-1)


def detached(weights):  # the values are right
    return right(weights).detach()


def returned(answer) -> list:
    return kind_of(RECORD.task).run(answer, RECORD.cases, Printed())


def class_of(**given) -> list[Learner]:
    """Return learners by name, each with their answer to `entropy`."""
    results = []
    for name, answer in given.items():
        try:
            reply = Reply(returned(answer))
        except AnswerError as trouble:
            reply = Reply(trouble.earlier, trouble)
        tasks = {"entropy": _outcome(RECORD, RECORD, Replies(reply, reply))}
        source = {"entropy": f"def entropy(weights):\n    return {name}"}
        file = f"{name}.ipynb"
        results.append(Result(name, "", "", file, "", NOTEBOOK, tasks=tasks, code=source))
    return learners(results)


CLASS = class_of(
    ada=normalised, robert=normalised_in_another_way, eve=doubled, dan=in_bits, fay=right
)


def test_the_same_answers_are_together_however_they_are_written(tmp_path):
    first, second = returned(normalised), returned(normalised_in_another_way)
    assert any(
        (ours.outputs["entropies"] != theirs.outputs["entropies"]).any()
        for ours, theirs in zip(first, second, strict=True)
    )
    shared, alone = answers_of(CLASS, Names(tmp_path))
    assert (shared.entry, shared.task, shared.tried) == ("entropy.1", "entropy", 5)
    assert [learner.name for learner in shared.learners] == ["ada", "robert"]
    assert shared.code == "def entropy(weights):\n    return ada"  # the shorter one
    assert (alone.entry, [learner.name for learner in alone.learners]) == ("", ["eve"])


def test_what_is_right_or_known_is_not_unrecognised(tmp_path):
    class_ = class_of(a=right, b=right, c=in_bits, d=in_bits, e=detached, f=detached)
    assert answers_of(class_, Names(tmp_path)) == []
    assert not (tmp_path / "names.toml").exists()


def test_an_answer_that_stops_half_way_disturbs_nobody(tmp_path):
    asked = iter(range(len(RECORD.cases)))

    def stops(weights):
        if next(asked) == len(RECORD.cases) - 1:
            raise ValueError
        return doubled(weights)

    (zoe,) = class_of(zoe=stops)
    assert zoe.results[NOTEBOOK].tasks["entropy"].returned
    answers = answers_of([*CLASS, zoe], Names(tmp_path))
    assert sorted(len(answer.learners) for answer in answers) == [1, 2]


def test_an_entry_stays_when_the_class_grows(tmp_path):
    answers_of(CLASS, Names(tmp_path))
    path = tmp_path / "names.toml"
    edited = path.read_text(encoding="utf-8").replace('name = ""', 'name = ""  # to do', 1)
    path.write_text(edited, encoding="utf-8")
    larger = class_of(
        abe=doubled, ada=normalised_in_another_way, eve=doubled, robert=normalised, sue=doubled
    )
    most, other = answers_of(larger, Names(tmp_path))
    assert (most.entry, other.entry) == ("entropy.2", "entropy.1")
    assert path.read_text(encoding="utf-8").startswith(edited)
    assert re.findall(r"^\[(.*)\]", path.read_text(), re.MULTILINE) == ["entropy.1", "entropy.2"]


def named(tmp_path, text=NAMED) -> Names:
    answers_of(CLASS, Names(tmp_path))
    (tmp_path / "names.toml").write_text(text, encoding="utf-8")
    return Names(tmp_path)


def verdict(names, answers):
    record = names.taught(RECORD)
    return kind_of(record.task).judge(record, record.trials(answers))


def test_a_name_makes_it_a_known_mistake(tmp_path):
    names = named(tmp_path)
    mistake = verdict(names, returned(normalised_in_another_way)).mistake
    assert (mistake.name, mistake.misconception) == ("from 0 to 1", "constant-factor")
    for other, name in [(doubled, None), (in_bits, "in bits")]:
        mistake = verdict(names, returned(other)).mistake
        assert (mistake and mistake.name) == name
    assert verdict(names, returned(right)).passed
    (task,) = (task for task in names.tasks() if task.id == "entropy")
    assert task.mistakes[-1].name == "from 0 to 1"
    assert answers_of(CLASS, names)[0].name == "from 0 to 1"  # until they are marked again


def test_an_answer_to_other_inputs_is_not_used(tmp_path):
    """After an exercise was corrected, the same answer returns something else."""
    changed = Record(RECORD.task, RECORD.cases[1:], RECORD.expected[1:], RECORD.mistaken)
    assert named(tmp_path).taught(changed).task.mistakes == RECORD.task.mistakes


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[entropy.1", "cannot be read: Expected"),
        ("entropy = 1", r"cannot be read: an entry is \[entropy.1\]"),
        ("[entropy.1]\nname = 1", r"cannot be read: an entry is \[entropy.1\]"),
        ('[entropy.2]\nname = ""', r"\[entropy.2\]: no answer is kept under that number"),
        ('[entropy.1]\nname = "x"\nhint = "x"', "a name needs an explanation and a hint"),
        (NAMED.replace("from 0 to 1", "in bits"), "`entropy` has a mistake of that name already"),
        (NAMED.replace("constant-", ""), "there is no kind 'factor'. .*such as 'constant-factor'"),
        (NAMED.replace("constant-factor", ""), "there is no kind ''. Write the belief behind it"),
        ('[entrop.1]\nname = ""', r"\[entrop.1\]: the task is gone: delete the entry"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path, text, complaint):
    with pytest.raises(CannotGrade, match=complaint):
        named(tmp_path, text)


def test_what_the_catalogue_knows_by_now_is_no_conflict(tmp_path, monkeypatch):
    (known,) = (task for task in named(tmp_path).tasks() if task.id == "entropy")
    monkeypatch.setattr(bank, "tasks", lambda: {NOTEBOOK: [known]})
    (task,) = Names(tmp_path).tasks()
    assert [mistake.name for mistake in task.mistakes].count("from 0 to 1") == 1


# --- With the whole grader ------------------------------------------------------------------------

SPELLINGS = {
    "ada": "import math\n\n\ndef entropy(weights):\n"
    "    return torch.special.entr(weights).sum(-1) / math.log(weights.shape[-1])",
    "bo": "import math\n\n\ndef entropy(p):\n"
    "    return -(p * (p + 1e-9).log()).sum(-1) / math.log(p.shape[-1])  # from 0 to 1",
}


def test_an_answer_that_gets_a_name_is_told_to_learners(tmp_path, capsys):
    files = {f"{name}.ipynb": notebook(*code("01", entropy=SPELLINGS[name])) for name in SPELLINGS}
    out = tmp_path / "grades"
    handed_in = str(write_files(tmp_path / "class", files))
    assert main([handed_in, "--out", str(out), "--seed", "7", "--unsafe"]) == 0
    assert "2 of 2 learners gave the same unknown answer" in _text(out / "overview.html")
    before = (out / "grades.csv").read_bytes()
    (out / "names.toml").write_text(NAMED, encoding="utf-8")
    assert main(["regrade", "--out", str(out)]) == 0
    assert "No score moved.\n[entropy.1] from 0 to 1: told in 2 files" in capsys.readouterr().out
    assert (out / "grades.csv").read_bytes() == before  # a name changes no score
    for name in SPELLINGS:
        page = _text(out / "learners" / f"{name}.html")
        assert "You divide by the largest entropy there is." in page
        assert "To think about: What is the entropy of four equal shares?" in page
    overview = _text(out / "overview.html")
    assert "the same unknown answer to" not in overview
    assert "2 of 2 believe that a constant factor, a sign or a unit does not matter" in overview
    assert "from 0 to 1" in overview


def _text(path) -> str:
    return re.sub("<[^>]*>", "", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", bank.tasks())
def test_what_is_kept_of_an_answer_comes_back(name):
    for record in bank.load_all(bank.FOLDER / name).values():
        if not kind_of(record.task).is_refereed:
            kept = unpack_answers(pack_answers(record.expected))
            for expected, actual in zip(record.expected, kept, strict=True):
                for output, values in expected.outputs.items():
                    assert actual.outputs[output].dtype == values.dtype
                    np.testing.assert_array_equal(actual.outputs[output], values)


def test_nothing_large_is_kept():
    """A hostile answer of 30 MB is no group's, and costs no memory."""
    huge = lambda weights: torch.zeros(200_000) + 0 * weights.sum()  # noqa: E731
    assert class_of(eve=huge)[0].results[NOTEBOOK].tasks["entropy"].returned == ""
