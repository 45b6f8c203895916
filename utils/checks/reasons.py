"""Why an answer earns what it earns, in one word: the only list of them."""

from enum import StrEnum

_CALLING, _JUDGING, _GRADING = "calling", "judging", "grading"


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
    NOT_DEFINED = "not defined", "not there", _CALLING
    NOTHING = "nothing", "not written yet", _CALLING
    KIND = "kind", "not the kind of object that was asked for", _CALLING
    PARAMETERS = "parameters", "a parameter is missing or has the wrong shape", _CALLING
    ERROR = "error", "an exception", _CALLING
    TIME = "time", "does not end", _CALLING
    TYPE = "type", "the wrong type is returned", _CALLING
    DEVICE = "device", "on the wrong device", _CALLING
    CHOICE = "choice", "none of the choices", _CALLING
    IN_PLACE = "in-place", "an input is changed", _CALLING
    SEED = "seed", "the random seed is set", _CALLING
    CALLS = "calls", "a test calls what it tests too often, or with too much", _CALLING

    # The answer is not the expected one.
    SHAPE = "shape", "wrong shape", _JUDGING
    NUMBERS = "kind of numbers", "wrong kind of numbers", _JUDGING
    NOT_FINITE = "not finite", "NaN or infinity", _JUDGING
    INVARIANT = "invariant", "a rule is broken", _JUDGING
    GRADIENT = "gradient", "no gradient, or a wrong one", _JUDGING
    VALUES = "values", "wrong values", _JUDGING
    BLAMES = "blames", "a test blames the right implementation", _JUDGING
    SLIPS = "slips", "bugs slip through a test", _JUDGING
    PASSED = "passed", "passed", _JUDGING

    # The worker that was to answer is gone, or cannot be understood.
    DONE = "done", "ends the process", _GRADING
    MEMORY = "memory", "too much memory", _GRADING
    WIRE = "wire", "no readable answer", _GRADING

    @property
    def from_worker(self) -> bool:
        """Whether a worker may report it: the others are for its parent to find."""
        return self.found_by == _CALLING
