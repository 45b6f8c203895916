"""Exercises that know what you got wrong.

    check("entropy")     is my answer right, and if not, what is wrong first?
    hint("entropy")      the next of three hints
    steps("entropy")     my code in one small case, line by line, with what each line sets
    progress()           exercises done and to do in the whole course, and misconceptions that
                         keep coming back

A wrong answer passes through these modules, from top to bottom:

| module | what it does |
|---|---|
| `notebook` | `check`, `hint` and `steps` |
| `bank` | reads a task's cases, expected outputs and known mistakes from `exercises/` |
| `kinds` | what a task asks for: each kind runs, judges and explains its answers |
| `runner` | calls the learner's code, safely: the only place that does |
| `compare` | compares returned values with the expected ones: the verdict |
| `diagnosis` | states how a wrong answer that nobody foresaw differs from the right one |
| `feedback` | writes a verdict as text and as HTML |

| Beside them | |
|---|---|
| `tasks` | defines the exercise, the case, the answer, the trial and the reason, as plain data |
| `implementations` | what a learner's test is tried on: right functions, and some with a bug |
| `line_by_line` | runs an answer line by line, for `steps` |
| `code` | finds the names that a piece of code defines and uses |
| `progress_file`, `progress` | store a learner's progress, and show it |
"""

from utils.at_work import watch
from utils.checks.notebook import check, hint, steps, warm
from utils.checks.progress import progress

__all__ = ["check", "hint", "progress", "steps"]

warm()
watch()
