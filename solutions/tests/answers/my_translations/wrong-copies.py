# source: a learner who has no model yet
# mistake: gives back the English
def my_translations(sentences):
    return [sentence for sentence in sentences]
