"""Exercises that know what you got wrong.

    check("entropy")     is my answer right, and if not, what is wrong first?
    hint("entropy")      the next of three hints
    progress()           what is done and what is to do, in the whole course, and what keeps
                         going wrong

A wrong answer passes these, from the top to the bottom:

| module | what it does |
|---|---|
| `notebook` | `check` and `hint` |
| `bank` | reads a task's cases, expected outputs and known mistakes from `exercises/` |
| `runner` | runs the learner's code: the only place that does |
| `diagnosis` | says what is wrong; the module itself is its only door |
| `compare` | compares answers with what was expected: the verdict |
| `feedback` | writes a verdict as text and as HTML |

| Beside them | |
|---|---|
| `tasks` | what an exercise, a case, an answer and a reason are, as plain data |
| `catch_the_bug` | lets a learner's test call one implementation after another |
| `implementations` | those implementations: right ones, and some with a bug each |
| `code` | what a piece of code defines and mentions |
| `memory`, `progress` | what is kept of a learner, and how it is shown |
"""

from utils.checks.notebook import check, hint
from utils.checks.progress import progress

__all__ = ["check", "hint", "progress"]
