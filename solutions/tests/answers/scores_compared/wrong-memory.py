# source: a learner who counts the scores
# mistake: a score for every pair is taken for a vector for every pair
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "one row for all",
    "silent_general": "equal shares",
    "silent_concat": "equal shares",
    "memory": "neither",
}
