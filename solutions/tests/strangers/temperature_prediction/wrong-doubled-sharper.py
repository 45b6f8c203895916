# source: a learner who sees 'doubled' and stops reading
# mistake: scores and temperature are both doubled, which cancels out
temperature_prediction = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "equal shares",
    "doubled": "sharper",
    "favourite": "never",
}
