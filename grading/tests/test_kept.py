"""A table that an answer keeps from call to call earns nothing in the grader either."""

from grading.intake import notebook_parser
from grading.run import scoring
from grading.run.grading import Assignment, Grading
from grading.run.launcher import Launcher
from grading.run.scoring import Result
from grading.tests.made import PATHS, code, numbered
from tests import needs
from utils.checks import bank
from utils.checks.code import defined
from utils.checks.tasks import Reason

TASK = "turn_from"
RIGHT = next(cell for cell in code("10") if TASK in defined(cell))
KEEPS = """
right, table = turn_from, {}

def turn_from(x, start, base):
    return right(x, table.setdefault((x.shape, base), start), base)
"""


@needs.sandbox
def test_what_is_kept_from_call_to_call_earns_nothing():
    record, name = bank.load(TASK), PATHS["10"].stem
    assignment = Assignment(name, {TASK: record}, {TASK: record})
    with Launcher() as launcher:
        for cells, reason in ([RIGHT], Reason.PASSED), ([RIGHT, KEEPS], Reason.KEPT):
            result = Result("ada", "", "", "ada.ipynb")
            sent = notebook_parser.Notebook(name, numbered(["import torch", *cells]))
            scoring.score_tasks(result, sent, [TASK], Grading({name: assignment}, launcher))
            outcome = result.tasks[TASK]
            assert outcome.reason == reason
            assert (outcome.points > 0) == (reason == Reason.PASSED)
