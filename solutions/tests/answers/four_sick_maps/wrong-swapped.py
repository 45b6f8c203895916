# source: a learner who mixes up two maps
# mistake: b and d change places, and a is taken for frozen
four_sick_maps = {"a": "frozen", "b": "padding", "c": "one token", "d": "future", "numbers": "one token"}
