"""SECRET: solutions, specifications and known mistakes, from which `exercises/` is built.

Delete this folder, and what is left of the course is what a learner of a graded class may have.
"""
