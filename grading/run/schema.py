"""List the forms of a worker's messages, and refuse every message that has none of these forms."""

from types import UnionType
from typing import Any

import numpy as np

from grading.run.protocol import WireError

TEXT, WHOLE, ARRAY, TRUTH = str, int, np.ndarray, bool

# Reason, message, place in the learner's code, class of the exception.
ERROR = {"error": (TEXT, TEXT, TEXT, TEXT)}
OUTPUTS = {TEXT: ARRAY}
ANSWER = {"outputs": OUTPUTS, "gradients": [(TEXT, TEXT, ARRAY)]}
LINES = {"numbers": ARRAY, "sources": ARRAY, "computes": ARRAY, "results": ARRAY}
LINES |= {"again": ARRAY, "rests": ARRAY}
LINES |= {"origins": [[WHOLE]]}  # for each output, lines that it rests on
ANSWERS = {"answers": [ANSWER], "printed": WHOLE, "doubts": [TEXT]}
MESSAGES = {
    "at": {"at": WHOLE | TEXT},  # the number of a cell, or the name of a task
    "cell": {"cell": WHOLE, "error": TEXT, "late": TRUTH},
    "call": {"task": TEXT, "call": ([Any], [(TEXT, Any)])},
    "decision": {"task": TEXT, "decision": (TRUTH, TEXT, TEXT)},
    "parts": {"task": TEXT, "parts": [dict]},  # each is checked later: it may spoil its task alone
    "tried": {"tried": [Any]},  # for each case, outputs or None
    "end": {"end": TRUTH},
}


def check(message: Any) -> str:
    """Return the form of a message: the first key of `MESSAGES` that the message has.

    Raises:
        WireError: the message has none of these forms.
    """
    keys = message if isinstance(message, dict) else ()
    name = next((name for name in MESSAGES if name in keys), "")
    if not name or not fits(message, MESSAGES[name]):
        raise WireError("a message that makes no sense")
    return name


def fits(value: Any, form: Any) -> bool:
    """Return whether a received value has a given form.

    Args:
        value: JSON values, arrays and tensors.
        form: a type, which must match exactly (True is not an int); types joined by `|`; `[form]`,
            a list of any length; `(form, form)`, a list of exactly these items; `{"key": form}`, a
            dictionary with at least these keys; `{str: form}`, one with any keys; or `Any`.
    """
    if form is Any:
        return True
    if isinstance(form, UnionType):
        return any(fits(value, alternative) for alternative in form.__args__)
    if isinstance(form, list):
        return type(value) is list and all(fits(item, form[0]) for item in value)
    if isinstance(form, tuple):
        same_length = type(value) is list and len(value) == len(form)
        return same_length and all(map(fits, value, form))
    if isinstance(form, dict):
        if type(value) is not dict:
            return False
        if str in form:
            return all(fits(item, form[str]) for item in value.values())
        return all(key in value and fits(value[key], part) for key, part in form.items())
    return type(value) is form
