# source: a learner who takes query and key for symmetric in concat
# mistake: loud keys are said to give equal shares, as loud queries do; and a silent query too, though the keys still speak
scores_compared = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "equal shares",
    "silent_general": "equal shares",
    "silent_concat": "equal shares",
    "memory": "concat",
}
