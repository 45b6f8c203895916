"""Why an answer earns what it earns, in one word: the only list of them."""

from enum import StrEnum

_RUNNER, _COMPARE, _GRADER = "runner", "compare", "grader"


class Reason(StrEnum):
    """The first thing that is wrong with an answer, or `PASSED`.

    Its value is what tables and files hold. Each member also has `words`, for people, and
    `found_by`: the module of the checks that finds it, or the grader.
    """

    words: str
    found_by: str

    def __new__(cls, value: str, words: str, found_by: str) -> "Reason":
        reason = str.__new__(cls, value)
        reason._value_, reason.words, reason.found_by = value, words, found_by
        return reason

    # There is no answer to compare.
    NOT_DEFINED = "not defined", "not there", _RUNNER
    NOTHING = "nothing", "not written yet", _RUNNER
    WRONG_TYPE = "wrong-type", "not the kind of object that was asked for", _RUNNER
    PARAMETERS = "parameters", "a parameter is missing or has the wrong shape", _RUNNER
    ERROR = "error", "an exception", _RUNNER
    TIME = "time", "does not end", _RUNNER
    TYPE = "type", "the wrong type is returned", _RUNNER
    DEVICE = "device", "on the wrong device", _RUNNER
    CHOICE = "choice", "none of the choices", _RUNNER
    IN_PLACE = "in-place", "an input is changed", _RUNNER
    SEED = "seed", "the random seed is set", _RUNNER
    CALLS = "calls", "a test calls what it tests too often, or with too much", _RUNNER

    # The answer is not the expected one.
    SHAPE = "shape", "wrong shape", _COMPARE
    NUMBERS = "kind of numbers", "wrong kind of numbers", _COMPARE
    NOT_FINITE = "not finite", "NaN or infinity", _COMPARE
    INVARIANT = "invariant", "a rule is broken", _COMPARE
    GRADIENT = "gradient", "no gradient, or a wrong one", _COMPARE
    VALUES = "values", "wrong values", _COMPARE
    BLAMES = "blames", "a test blames the right implementation", _COMPARE
    SLIPS = "slips", "bugs slip through a test", _COMPARE
    PASSED = "passed", "passed", _COMPARE

    # The worker that was to answer is gone, or cannot be understood.
    DONE = "done", "ends the process", _GRADER
    MEMORY = "memory", "too much memory", _GRADER
    WIRE = "wire", "no readable answer", _GRADER

    @property
    def from_worker(self) -> bool:
        """Whether a worker may report it: the others are for its parent to find."""
        return self.found_by == _RUNNER
