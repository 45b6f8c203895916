# source: a learner who sees that it is the same thing twice
import math
def both_ways(left, right, left_mask, right_mask):
    """`left_reads`, `right_reads`, `forth` and `back`: see the table."""

    def look(asks, answers, real):
        scores = torch.bmm(asks / math.sqrt(asks.size(-1)), answers.transpose(1, 2))
        weights = masked_softmax(scores, real.unsqueeze(1))
        return torch.bmm(weights, answers), weights

    left_reads, forth = look(left, right, right_mask)
    right_reads, back = look(right, left, left_mask)
    return left_reads, right_reads, forth, back
