"""Test that a block of the real model decides as well, where it is here, and only for graders."""

from torch import nn

from solutions import build
from solutions.specification import PUBLIC_SEED
from tests import needs
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed

(PATH,) = (path for path in build.notebooks() if path.name.startswith("11"))
OTHERS = [each.task.id for each in build.exercises_of(PATH) if each.task.id != "MyBlock"]
LABEL = "a block of the real model"


def last_label(seed: int, real: bool) -> str:
    (record,) = build.records_of(PATH, seed, without=OTHERS, real=real)
    return record.cases[-1].label


@needs.real_model
def test_an_answer_that_is_right_on_small_models_alone_is_refused():
    (record,) = build.records_of(PATH, 1, without=OTHERS, real=True)
    right = build.solutions_of(PATH, train=False)["MyBlock"]

    class OnSmallOnesAlone(right):
        def forward(self, x, past_keys, past_values):
            states, keys, values = super().forward(x, past_keys, past_values)
            return states + (x.shape[-1] > 100), keys, values

    def verdict(answer: type[nn.Module]):
        kind = kind_of(record.task)
        return kind.judge(record, record.trials(kind.run(answer, record.cases, Printed())))

    assert record.cases[-1].label == LABEL
    assert verdict(right).passed
    assert not verdict(OnSmallOnesAlone).passed


def test_learners_are_not_given_it():
    assert last_label(PUBLIC_SEED, real=False) != LABEL


def test_without_the_model_the_small_ones_decide(monkeypatch):
    module = "solutions.n11_a_real_model.MyBlock"
    monkeypatch.setattr(f"{module}.is_here", lambda: False)
    assert last_label(1, real=True) != LABEL
