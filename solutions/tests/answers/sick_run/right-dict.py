# source: a learner who compared the curves
sick_run = dict(
    a="padding counted", b="no clipping", c="not shuffled", d="sees the answer", e="rate too high"
)
