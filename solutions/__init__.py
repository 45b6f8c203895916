"""SECRET: solutions, specifications and known mistakes, from which `exercises/` is built.

Learners of a graded class get the course without this folder and without `grading/`.
"""
