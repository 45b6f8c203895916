# source: a language model under no_grad: all widths from one running sum
@torch.no_grad()
def score_variance(queries, keys, widths):
    running = (queries * keys).cumsum(1)[:, torch.tensor(widths) - 1]
    plain = running.var(0, correction=0)
    return plain, plain / torch.tensor(widths)
