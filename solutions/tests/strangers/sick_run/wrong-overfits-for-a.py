# source: a learner for whom a validation loss above the training loss is overfitting
# mistake: in run a both losses fall to the end; the training loss is low from the first step, as padding is counted
sick_run = {
    "a": "overfits",
    "b": "no clipping",
    "c": "not shuffled",
    "d": "sees the answer",
    "e": "rate too high",
}
