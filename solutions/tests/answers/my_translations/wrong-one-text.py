# source: a learner who joins what should be a list
# mistake: one text in place of a list
def my_translations(sentences):
    return "\n".join("le chat" for _ in sentences)
