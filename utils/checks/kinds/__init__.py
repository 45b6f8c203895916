"""The kinds of answers. Each is an object that runs, judges and explains them.

| module | answers of this kind |
|---|---|
| `values` | functions and modules: the values, or texts, that they return |
| `choices` | dictionaries of choices |
| `networks` | trained networks, of whose values only a share can be right |
| `learners_test` | tests that learners write, on implementations for which a `referee` answers |

All have the verbs of `Values`. To run an answer takes no expected value.
"""

from collections.abc import Callable

from utils.checks.kinds.choices import Choices
from utils.checks.kinds.learners_test import LearnersTest
from utils.checks.kinds.networks import AsksNetwork, Model, TrainsNetwork
from utils.checks.kinds.referee import Referee
from utils.checks.kinds.values import Modules, Texts, Values
from utils.checks.tasks import CallSpec, Case, Task

__all__ = ["kind_of"]

KINDS: dict[str, type[Values]] = {
    "function": Values,
    "module": Modules,
    "choices": Choices,
    "asks network": AsksNetwork,
    "trains network": TrainsNetwork,
}


def kind_of(spec: CallSpec, referee: Callable[[Case], Referee] | None = None) -> Values:
    """Return the kind of a task's answers.

    Args:
        spec: the task; to run answers, the specification of the calls is enough.
        referee: function that returns the referee of a test's case; by default, one in this
            process.
    """
    if spec.answer_type == "test":
        return LearnersTest(spec, referee)
    if spec.answer_type == "function" and isinstance(spec, Task) and spec.full_marks_from:
        return Model(spec)
    if spec.answer_type == "function" and spec.returns == "texts":
        return Texts(spec)
    return KINDS[spec.answer_type](spec)
