# source: a learner who sees 1.1 and thinks of collapse
# mistake: rows that choose by chance would not reach nearly all of the 12 together; a clean alignment does, so it is healthy
four_sick_maps = {
    "a": "one token",
    "b": "future",
    "c": "frozen",
    "d": "padding",
    "numbers": "frozen",
}
