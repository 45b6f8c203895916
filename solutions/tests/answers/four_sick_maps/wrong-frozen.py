# source: a learner who looked at the picture
# mistake: sharp rows that differ, all words looked at, are taken for frozen
four_sick_maps = dict(a="one token", b="future", c="frozen", d="padding", numbers="frozen")
