"""Material to teach the course in a room: timed plans, slides, and a JupyterHub.

It is for instructors, and has no answers to graded tasks. `plans/` lists what is shown and for how
long; from it `python -m workshop.plan` writes pages, and `python -m workshop.slides` slides.
"""
