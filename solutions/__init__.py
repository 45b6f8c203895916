"""SECRET: solutions, specifications and known mistakes, from which `exercises/` is built.

A learner of a graded class may have the course without this folder and without `grading/`.
"""
