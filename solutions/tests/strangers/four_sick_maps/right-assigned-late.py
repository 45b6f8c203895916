# source: a learner who starts with the clearest map
four_sick_maps = dict(zip("abcd", ("one token", "future", "frozen", "padding")))
four_sick_maps.update(numbers="healthy")
