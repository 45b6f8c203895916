# source: somebody who knows the split form and concludes that it needs no pairs
# mistake: even split, the tanh needs a vector for every pair; the answer is concat
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "one row for all",
    "silent_general": "equal shares",
    "silent_concat": "one row for all",
    "memory": "neither",
}
