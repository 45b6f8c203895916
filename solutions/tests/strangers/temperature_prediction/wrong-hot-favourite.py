# source: a user of chatbots: high temperature writes surprising words
# mistake: a high temperature is said to make another word the favourite; sampling may draw it, but the order of the weights stays
temperature_prediction = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "equal shares",
    "doubled": "the same",
    "favourite": "when hot",
}
