# source: two slips at once
# mistake: b and e change places, and d is taken for overfitting
sick_run = {
    "a": "padding counted", "b": "rate too high", "c": "not shuffled", "d": "overfits", "e": "no clipping",
}
