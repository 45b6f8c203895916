"""SECRET: solutions, specifications and known mistakes, from which `exercises/` is built.

Without this folder and `grading/`, the course is what a learner of a graded class may have.
"""
