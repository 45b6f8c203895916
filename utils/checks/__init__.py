"""Exercises that know what you got wrong.

    check("entropy")     is my answer right, and if not, what is wrong first?
    hint("entropy")      the next of three hints
    progress()           what is done and what is to do, in the whole course, and what keeps
                         going wrong

| module | what it does |
|---|---|
| `tasks` | what an exercise is, as plain data |
| `calling` | runs the learner's code: the only place that does |
| `examining` | lets a learner's test call one implementation after another |
| `lineups` | those implementations: right ones, and some with a bug each |
| `judging` | compares answers with what was expected |
| `relations` | how the values of a wrong answer are related to the right ones |
| `behaviours` | what a wrong answer does when it is called with other inputs |
| `diagnosing` | the verdict, with what these two find |
| `bank` | records of cases, expected outputs and known mistakes, on disk |
| `feedback` | a verdict as text and as HTML |
| `code` | what a piece of code defines and mentions |
| `memory` | what is remembered of a learner, in `progress.json` |
| `notebook` | what a learner types |
"""

from utils.checks.notebook import check, hint, progress

__all__ = ["check", "hint", "progress"]
