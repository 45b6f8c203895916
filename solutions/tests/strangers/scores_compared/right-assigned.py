# source: a learner who answers from the formulas, row by row
scores_compared = dict.fromkeys(["loud_concat", "silent_concat"], "one row for all")
scores_compared["loud_concat"] = "equal shares"
scores_compared |= {"loud_general": "one word takes all", "silent_general": "equal shares"}
scores_compared |= {"loud_keys": "one row for all", "memory": "concat"}
