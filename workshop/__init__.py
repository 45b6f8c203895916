"""Teach a room: timed plans. For instructors, and without answers to graded tasks.

`plans/` says what is shown for how long; `python -m workshop.plan` writes the pages beside it.
"""
