# source: a learner who takes every jump for a high rate
# mistake: run c goes up and down with the epoch (not shuffled), and e, which never comes down, is the one whose rate is too high
sick_run = {
    "a": "padding counted",
    "b": "no clipping",
    "c": "rate too high",
    "d": "sees the answer",
    "e": "not shuffled",
}
