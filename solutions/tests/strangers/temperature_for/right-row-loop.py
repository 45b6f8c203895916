# source: a C programmer: one row at a time in plain Python floats
import math
def temperature_for(scores, words):
    def looked_at(row, t):
        top = max(row)
        e = [math.exp((s - top) / t) for s in row]
        z = sum(e)
        return math.exp(-sum(x / z * math.log(x / z) for x in e if x > 0))

    answers = []
    for row in scores.double().reshape(-1, scores.shape[-1]).tolist():
        low, high = 1.0, 1.0
        while looked_at(row, low) > words:
            low /= 2
        while looked_at(row, high) < words:
            high *= 2
        for _ in range(60):
            mid = 0.5 * (low + high)
            if looked_at(row, mid) < words:
                low = mid
            else:
                high = mid
        answers.append(0.5 * (low + high))
    return torch.tensor(answers, dtype=scores.dtype).reshape(scores.shape[:-1])
