"""What a worker may say. Whatever has none of these forms is refused before anybody looks at it."""

from types import UnionType
from typing import Any

import numpy as np

from grading.run.protocol import WireError

TEXT, WHOLE, ARRAY, TRUTH = str, int, np.ndarray, bool

TROUBLE = {"trouble": (TEXT, TEXT, TEXT)}  # the reason, a sentence or two, where
OUTPUTS = {TEXT: ARRAY}
ANSWER = {"outputs": OUTPUTS, "gradients": [(TEXT, TEXT, ARRAY)]}
ANSWERS = {"answers": [ANSWER], "printed": WHOLE}
MESSAGES = {
    "at": {"at": TEXT, "which": WHOLE | TEXT},
    "cell": {"cell": WHOLE, "error": TEXT, "late": TRUTH},
    "call": {"task": TEXT, "call": ([Any], [(TEXT, Any)])},
    "decision": {"task": TEXT, "decision": (TRUTH, TEXT, TEXT)},
    "parts": {"task": TEXT, "parts": [dict]},  # each is looked at later: it may cost its task alone
    "tried": {"tried": [Any]},  # outputs, or nothing, for each case
    "end": {"end": TRUTH},
}


def check(message: Any) -> None:
    """Check that a message is one of `MESSAGES`, known by the first of these keys that it has.

    Raises:
        WireError: it is none.
    """
    keys = message if isinstance(message, dict) else ()
    form = next((form for key, form in MESSAGES.items() if key in keys), None)
    if form is None or not fits(message, form):
        raise WireError("a message that makes no sense")


def fits(value: Any, form: Any) -> bool:
    """Whether a value that was received has a form.

    Args:
        value: JSON values, arrays and tensors.
        form: a type, exactly: True is no number; a list of any length, `[form]`; a list with its
            parts, `(form, form)`; a dictionary with at least these keys, `{"key": form}`, or with
            any, `{str: form}`; or `Any`.
    """
    if form is Any:
        return True
    if isinstance(form, UnionType):
        return any(fits(value, one) for one in form.__args__)
    if isinstance(form, list):
        return type(value) is list and all(fits(one, form[0]) for one in value)
    if isinstance(form, tuple):
        alike = type(value) is list and len(value) == len(form)
        return alike and all(map(fits, value, form))
    if isinstance(form, dict):
        if type(value) is not dict:
            return False
        if str in form:
            return all(fits(one, form[str]) for one in value.values())
        return all(key in value and fits(value[key], one) for key, one in form.items())
    return type(value) is form
