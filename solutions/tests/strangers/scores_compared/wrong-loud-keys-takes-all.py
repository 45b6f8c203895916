# source: a learner for whom loud always means sharp
# mistake: loud keys saturate the tanh for every query alike: one row for all, not one word takes all
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "one word takes all",
    "silent_general": "equal shares",
    "silent_concat": "one row for all",
    "memory": "concat",
}
