# source: a learner who looked at the formulas
scores_compared = dict(
    loud_general="one word takes all",
    loud_concat="equal shares",
    loud_keys="one row for all",
    silent_general="equal shares",
    silent_concat="one row for all",
    memory="concat",
)
