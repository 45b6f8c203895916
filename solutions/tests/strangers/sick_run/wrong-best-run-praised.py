# source: a learner who looks at the loss alone
# mistake: run d, the lowest loss and 0 of the words right by itself, sees the answer; it does not overfit
sick_run = {
    "a": "padding counted",
    "b": "no clipping",
    "c": "not shuffled",
    "d": "overfits",
    "e": "rate too high",
}
