# source: a learner who leaves out what the model cannot do
# mistake: fewer texts than sentences
def my_translations(sentences):
    return ["le chat était assis"] * (len(sentences) - 1)
