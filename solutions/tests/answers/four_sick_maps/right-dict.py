# source: a learner who looked at the picture
four_sick_maps = dict(a="one token", b="future", c="frozen", d="padding", numbers="frozen")
