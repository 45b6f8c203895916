# source: a learner who ticks off a list
sick_run = {
    "e": "rate too high",
    "d": "sees the answer",
    "c": "not shuffled",
    "b": "no clipping",
    "a": "padding counted",
}
