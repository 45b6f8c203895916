# source: a learner who thinks that loud is loud
# mistake: concat grows sharp as well
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "one word takes all",
    "loud_keys": "one word takes all",
    "silent_general": "equal shares",
    "silent_concat": "equal shares",
    "memory": "concat",
}
