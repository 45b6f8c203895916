"""Exercises that know what you got wrong.

    check("entropy")     is my answer right, and if not, what is wrong first?
    hint("entropy")      the next of three hints
    progress()           what is done and what is to do, in the whole course, and what keeps
                         going wrong

| module | what it does |
|---|---|
| `notebook` | what a learner types |
| `tasks` | what an exercise is, as plain data |
| `bank` | records of cases, expected outputs and known mistakes, on disk |
| `runner` | runs the learner's code: the only place that does |
| `compare` | compares answers with what was expected: the verdict |
| `diagnosis` | what is wrong with a wrong answer, beyond the verdict |
| `feedback` | a verdict as text and as HTML |
| `catch_the_bug` | lets a learner's test call one implementation after another |
| `implementations` | those implementations: right ones, and some with a bug each |
| `code` | what a piece of code defines and mentions |
| `reasons` | why an answer earns what it earns, in one word |
| `memory` | what is kept of a learner, in `progress.json` |
"""

from utils.checks.notebook import check, hint, progress

__all__ = ["check", "hint", "progress"]
