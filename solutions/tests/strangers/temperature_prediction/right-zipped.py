# source: a Python person
temperature_prediction = dict(
    zip(
        ["colder", "hotter", "limit", "doubled", "favourite"],
        ["rises", "rises", "equal shares", "the same", "never"],
    )
)
