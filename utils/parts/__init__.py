"""The course's own parts of the two models that learners put together in exercises 06 and 08.

A part that a learner has not written can be replaced by the course's, and where the whole does not
work, these modules say which part is at fault.
"""
