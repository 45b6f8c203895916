# source: a learner who forgets that both double
# mistake: doubled scores make the row sharper
temperature_prediction = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "equal shares",
    "doubled": "sharper",
    "favourite": "when hot",
}
