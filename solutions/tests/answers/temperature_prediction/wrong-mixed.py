# source: a learner who thinks of heat as energy
# mistake: hotter is sharper
temperature_prediction = {
    "colder": "falls",
    "hotter": "falls",
    "limit": "one word takes all",
    "doubled": "the same",
    "favourite": "never",
}
