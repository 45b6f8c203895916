"""A learner's test in the grader: the notebook's score, whatever the test or its process tries."""

import io
import json
import linecache
import secrets
from textwrap import dedent

import numpy as np
import pytest
import torch

from grading.assignments import fresh_records
from grading.intake import notebook_parser
from grading.run import dialog, protocol, scoring
from grading.run.answers import Answered, answer_here
from grading.run.dialog import Dialog, RefereedTest
from grading.run.grading import Assignment, Grading
from grading.run.launcher import Launcher
from grading.run.scoring import Result
from grading.tests.made import PlayedLauncher, hurried, numbered
from solutions.build import SOURCE, code_of
from tests import needs
from utils import notebook_file
from utils.checks import bank
from utils.checks.feedback import in_words
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on

NAME, TASK, POINTS = "04_scaled_dot_product_attention", "test_attend", 2
SECONDS = 2.0
RIGHT = next(cell for cell in code_of(SOURCE / f"{NAME}.ipynb") if f"def {TASK}" in cell)
INPUTS = """
import gc, os, random, sys, torch
q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
"""


@pytest.fixture(scope="module")
def assignment():
    public = bank.load(TASK)
    records = fresh_records(NAME, secrets.randbits(40))
    fresh = [record for record in records if record.task.id == TASK]
    return Assignment(NAME, hurried([public], SECONDS), hurried(fresh, SECONDS))


@pytest.fixture(scope="module")
def launcher():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dialog, "SPARE", 2.0)
        with Launcher() as started:
            yield started


def graded(cells, assignment, launcher):
    result = Result("ada", "", "", "ada.ipynb")
    sent = notebook_parser.Notebook(NAME, numbered(map(dedent, cells)))
    scoring.score_tasks(result, sent, [TASK], Grading({NAME: assignment}, launcher))
    return result.tasks[TASK]


NOTEBOOK = {  # what a learner may write, and is graded alike in both places
    "right": RIGHT,
    "leaves where it finds a bug": RIGHT.replace("assert ", "if not ").replace(
        "atol=1e-6)", "atol=1e-6): sys.exit()"
    ),
    "always leaves": "def test_attend(attend):\n    attend(q, k, v)\n    sys.exit()",
    "swallows everything": """
    def test_attend(attend):
        try:
            assert attend(q, k, v) is None
        except:
            pass
    """,
    "a thousand calls": """
    def test_attend(attend):
        for _ in range(1000):
            attend(q, k, v)
    """,
    "a thousand calls, each swallowed": """
    def test_attend(attend):
        for _ in range(1000):
            try: attend(q, k, v)
            except BaseException: pass
    """,
    "gigantic": "def test_attend(attend):\n    attend(q.flatten()[:1].expand(10**9), k, v)",
    "empty": """
    def test_attend(attend):
        context, weights = attend(q[:, :0], k, v)
        assert context.shape == (2, 0, 6)
    """,
    "by name, in double, and views": """
    def test_attend(attend):
        _, weights = attend(values=v.double(), keys=k.mT.contiguous().mT.double(), query=q.double())
        expected = torch.einsum("btd,bsd->bts", q, k).div(2).softmax(-1)
        assert weights.dtype == torch.float64
        assert torch.allclose(weights.float(), expected, atol=1e-5)
    """,
    "expects an error": """
    def test_attend(attend):
        try:
            attend(q, k[:1], v, torch.zeros(3))
        except (TypeError, ValueError):
            return
        assert False, "it takes anything"
    """,
    "draws its inputs": """
    def test_attend(attend):
        q, k = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
        _, weights = attend(q, k, v)
        assert (weights - (q @ k.mT / 2).softmax(-1)).abs().max() < 1e-5
        print("fine")
    """,
    "the stub": "def test_attend(attend):\n    ...",
    "returns": "def test_attend(attend):\n    return attend(q, k, v)[1].shape == (2, 3, 5)",
    "no function": "test_attend = 4",
    "endless": "def test_attend(attend):\n    while True: attend",
}


@needs.sandbox
@pytest.mark.parametrize("name", NOTEBOOK)
def test_the_grader_says_what_the_notebook_says(name, assignment, launcher):
    cells = [INPUTS.replace("q,", "torch.manual_seed(1)\nq,", 1), NOTEBOOK[name]]
    outcome = graded(cells, assignment, launcher)
    names: dict = {}
    for number, cell in enumerate(cells, start=1):
        run(f"<cell {number}>", dedent(cell), names)
    printed = Printed()
    verdict = verdict_on(assignment.public[TASK], names, printed)
    note = in_words(verdict, printed.lines)
    assert (outcome.points, outcome.reason) == (verdict.points, verdict.reason)
    assert (outcome.heading, [*outcome.lines]) == (note.heading, note.lines)
    if name in ("right", "leaves where it finds a bug"):
        assert outcome.points == POINTS


def run(file, source, names):
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), names)


TO_THE_PARENT = """
import json, os, struct

def say(message):
    data = json.dumps(message).encode()
    os.write(3, struct.pack("!II", len(data), 0) + data)
"""
PATCHES = """
import utils.masks, utils.attention, utils.checks.implementations.buggy_attend as attend_
import utils.checks.kinds.values
utils.masks.masked_softmax = utils.attention.masked_softmax = None
attend_.IMPLEMENTATIONS = attend_.attend = None
utils.checks.kinds.values.Values.judge = None

"""
HOSTILE = {  # what it tries → cells, and the points that its honest part deserves
    "looks around": (
        """
        def test_attend(attend):
            attend(q, k, v)
            frame, seen = sys._getframe(), set()
            while frame:
                seen |= set(map(str, frame.f_locals)) | set(map(repr, frame.f_locals.values()))
                frame = frame.f_back
            seen |= {repr(it) for it in gc.get_objects() if isinstance(it, (str, dict, list))}
            known = " ".join(seen)
            assert "'order'" not in known and "right 1" not in known, "found"
            assert "no-scale" not in known and "mask-upside-down" not in known, "found"
        """,
        0,
    ),
    "patches utils and tests well": (
        PATCHES + RIGHT,
        POINTS,
    ),
    "patches utils and tests badly": (
        """
        import numpy as np
        from utils.checks.kinds import learners_test, referee
        referee.Referee.answer = property(lambda self: None)
        referee.refusal = lambda *_: ""
        referee.Decision.blames = True
        learners_test.Proxy.refused = ""

        def test_attend(attend):
            attend(q, k, v)
        """,
        0,
    ),
    "forges decisions before anybody asks": (
        TO_THE_PARENT
        + """
say({"at": "test_attend"})
for number in range(66):
    say({"task": "test_attend", "decision": [number % 11 < 8, "", ""]})
say({"task": "test_attend", "parts": [{"answers": [], "printed": 0, "doubts": []}] * 2})
say({"end": True})
os._exit(0)
""",
        0,
    ),
    "forges the end": (
        TO_THE_PARENT
        + """
part = {"answers": [{"outputs": {}}], "printed": 0, "doubts": []}
say({"task": "test_attend", "parts": [part] * 2})
os._exit(0)
""",
        0,
    ),
    "decides by chance": (
        """
        def test_attend(attend):
            attend(q, k, v)
            assert os.urandom(1)[0] < 70
        """,
        0,
    ),
    "lets the implementations vote": (
        """
        torch.manual_seed(1)
        q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
        mask = torch.arange(30).reshape(2, 3, 5) % 7 > 3
        mask[0, 1] = False
        known = [[], []]

        def test_attend(attend):
            for kept, masks in zip(known, [(), (mask,)]):
                result = torch.cat([each.flatten() for each in attend(q, k, v, *masks)])
                alike = [torch.allclose(result, each, atol=1e-5) for each in kept]
                most = max((sum(torch.allclose(one, each, atol=1e-5) for each in kept)
                            for one in kept), default=0)
                kept.append(result)
                assert most < 3 or sum(alike) == most, "most return something else"
        """,
        0,
    ),
    "takes the first for its measure": (
        """
        known = []

        def test_attend(attend):
            mask = torch.arange(30).reshape(2, 3, 5) % 7 > 3
            mask[0, 1] = False
            known.append(attend(q, k, v, mask))
            assert all(map(torch.allclose, known[0], known[-1]))
        """,
        0,
    ),
}
SENT = {  # to the parent, in place of a call
    "larger than a frame may be": [torch.zeros(2**23 + 1)],
    "large": [torch.zeros(3000)],
    "large but for an empty axis": [torch.zeros(3000, 0)],
    "a large whole number": [10**9],
    "no tensor": [np.array(["a"])],
    "nested": [[[[]]] * 3000],
    "a name": [{"task": 1}],
}


@needs.sandbox
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_test_earns_what_it_deserves(name, assignment, launcher):
    cell, points = HOSTILE[name]
    assert graded([INPUTS, cell], assignment, launcher).points == points


def played(assignment, *messages, answer=answer_here):
    """Return what a worker hears that sends these messages, and the dialog with it."""
    messages = {"at": TASK}, *messages
    launcher = PlayedLauncher(b"".join(map(protocol.pack, messages)))
    dialog_ = Dialog([notebook_file.Cell(1, "")], assignment, [TASK], answer)
    dialog_._ask_worker(launcher)
    launcher.thread.join()
    heard, stream = [], io.BytesIO(launcher.received)
    while stream.tell() < len(launcher.received):
        heard.append(protocol.unpack(stream, 2**20)[0])
    return heard, dialog_


@pytest.mark.parametrize("name", SENT)
def test_what_no_test_may_ask_is_not_computed(name, assignment):
    (_, *replies), after = played(assignment, {"task": TASK, "call": [SENT[name], []]})
    assert replies == []
    assert after.replies[TASK].public.error.reason == "wire"


@pytest.mark.parametrize(
    "message", [{"call": [[], []]}, {"task": [], "call": 1}, {"task": TASK, "call": None}]
)
def test_a_call_that_makes_no_sense_ends_the_worker(message, assignment):
    (_, *replies), after = played(assignment, message)
    assert replies == []
    assert after.replies[TASK].public.error.reason == "wire"


def test_more_calls_than_a_test_may_make_are_not_answered(assignment):
    (_, *replies), _ = played(assignment, *[{"task": TASK, "call": [[1, 2, 3], []]}] * 30)
    assert [reply["raised"][0] for reply in replies] == ["AttributeError"] * 20


def test_calls_that_take_too_long_in_all_are_answered_no_more(assignment):
    slow = Answered(protocol.pack({"result": 1.0}), 0.4 * dialog.ANSWERING)
    calls = [{"task": TASK, "call": [[1, 2, 3], []]}] * 4
    (_, *replies), _ = played(assignment, *calls, answer=lambda *_: slow)
    assert [[*reply] for reply in replies] == [["result"]] * 3 + [["raised"]]


def test_a_decision_too_many_ends_the_worker(assignment):
    turns = 2 * bank.load(TASK).expected[0].outputs["blames"].size
    decision = {"task": TASK, "decision": [True, "", ""]}
    end = {"task": TASK, "parts": [{"answers": [], "printed": 0, "doubts": []}] * 2}
    _, after = played(assignment, *[decision] * turns, end)
    assert after.replies[TASK].public.answers[0].outputs["blames"].all()
    for count in (turns - 1, turns + 1):
        _, after = played(assignment, *[decision] * count, end)
        assert after.replies[TASK].public.error.reason == "wire"


def test_a_worker_is_told_nothing_of_the_lineup(assignment):
    (request,), _ = played(assignment)
    text = json.dumps(request)
    case = assignment.fresh[TASK].cases[0]
    for secret in (*case.inputs["lineup"], "order", str(case.inputs["order"]), "lineup"):
        assert secret not in text
    (public,), (fresh,) = request["tasks"][0]["parts"]
    assert set(public["inputs"]) == set(fresh["inputs"]) == {"seeds", "apart"}
    assert set(fresh["inputs"]["seeds"]) == set(case.inputs["seeds"])


def test_the_order_is_drawn_anew_after_a_lost_worker(assignment):
    """The end of a worker may have told what a test had learnt of the order."""
    dialog_ = Dialog([notebook_file.Cell(1, "")], assignment, [TASK])
    orders = []
    for _ in range(3):
        dialog_._request()
        orders.append([referee._turns for referee in dialog_.tests[TASK].referees])
    assert orders[0] != orders[1] != orders[2] != orders[0]
    again = Dialog([notebook_file.Cell(1, "")], assignment, [TASK])
    again._request()
    assert [referee._turns for referee in again.tests[TASK].referees] == orders[0]


def test_the_order_comes_from_the_instructors_seed(assignment):
    records = assignment.public[TASK], assignment.fresh[TASK]
    first, same = (RefereedTest(*records).referees for _ in range(2))
    other = RefereedTest(records[0], bank.load(TASK)).referees
    for referee, again in zip(first, same, strict=True):
        assert referee._turns == again._turns
    assert first[0]._turns != first[1]._turns
    assert first[0]._turns != other[0]._turns
