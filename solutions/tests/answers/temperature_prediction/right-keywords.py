# source: a learner who writes dict(…)
temperature_prediction = dict(
    colder="rises", hotter="rises", limit="equal shares", doubled="the same", favourite="never"
)
