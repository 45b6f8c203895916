"""Exercises that know what you got wrong.

    check("entropy")     is my answer right, and if not, what is wrong first?
    hint("entropy")      the next of three hints
    progress()           exercises done and to do in the whole course, and misconceptions that
                         keep coming back

A wrong answer passes through these modules, from top to bottom:

| module | what it does |
|---|---|
| `notebook` | `check` and `hint` |
| `bank` | reads a task's cases, expected outputs and known mistakes from `exercises/` |
| `runner` | runs the learner's code: the only place that does |
| `diagnosis` | finds what is wrong; import from the package, not from its modules |
| `compare` | compares returned values with the expected ones: the verdict |
| `feedback` | writes a verdict as text and as HTML |

| Beside them | |
|---|---|
| `tasks` | defines the exercise, the case, the answer and the reason, as plain data |
| `catch_the_bug` | lets a learner's test call one implementation after another |
| `implementations` | those implementations: right ones, and some with a bug each |
| `code` | finds the names that a piece of code defines and uses |
| `progress_file`, `progress` | store a learner's progress, and show it |
"""

from utils.at_work import watch
from utils.checks.notebook import check, hint, warm
from utils.checks.progress import progress

__all__ = ["check", "hint", "progress"]

warm()
watch()
