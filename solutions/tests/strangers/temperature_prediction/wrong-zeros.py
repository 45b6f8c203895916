# source: a learner who thinks that dividing by infinity leaves nothing
# mistake: the limit is said to be all zeros; the scores go to 0, and the weights to equal shares
temperature_prediction = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "all zeros",
    "doubled": "the same",
    "favourite": "never",
}
