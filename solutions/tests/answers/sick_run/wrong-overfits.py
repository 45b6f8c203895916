# source: a learner who sees a gap and says overfits
# mistake: a is taken for overfitting
sick_run = {
    "a": "overfits", "b": "no clipping", "c": "not shuffled", "d": "sees the answer", "e": "rate too high",
}
