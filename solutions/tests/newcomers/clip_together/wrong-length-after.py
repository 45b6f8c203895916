# source: written from the task's text, 2026-11
# mistake: the length returned for the log is the one after clipping
import torch

@torch.no_grad()
def clip_together(of_keys, of_queries, limit):
    length = torch.cat([of_keys.flatten(), of_queries.flatten()]).norm()
    if length > limit:
        of_keys = of_keys * (limit / length)
        of_queries = of_queries * (limit / length)
        length = torch.as_tensor(float(limit))
    return of_keys, of_queries, length
