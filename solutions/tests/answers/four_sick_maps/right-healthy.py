# source: a learner who takes two good numbers for good health
four_sick_maps = {"a": "one token", "b": "future", "c": "frozen", "d": "padding", "numbers": "healthy"}
