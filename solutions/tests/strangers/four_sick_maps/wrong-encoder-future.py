# source: a learner who looks for upper triangles everywhere
# mistake: map d is an encoder's, which may see words that come later; what is wrong there is the padding
four_sick_maps = {
    "a": "one token",
    "b": "uniform",
    "c": "frozen",
    "d": "future",
    "numbers": "healthy",
}
