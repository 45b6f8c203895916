# source: a learner who answers the easy ones first
temperature_prediction = {"doubled": "the same"}
temperature_prediction["favourite"] = "never"
temperature_prediction["limit"] = "equal shares"
temperature_prediction["hotter"] = "rises"
temperature_prediction["colder"] = "rises"
