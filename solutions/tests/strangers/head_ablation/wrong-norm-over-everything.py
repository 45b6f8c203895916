# source: a learner with a bare .norm()
# mistake: one length is taken of the whole batch's difference, not the mean of each word's length
def head_ablation(contexts, w_o, b_o):
    whole = contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o
    outputs = []
    for h in range(contexts.shape[1]):
        keep = torch.ones(contexts.shape[1])
        keep[h] = 0
        c = contexts * keep[:, None, None]
        outputs.append(c.transpose(1, 2).flatten(2) @ w_o.T + b_o)
    moved = torch.stack([(o - whole).norm() for o in outputs]) / len(contexts)
    return torch.stack(outputs), moved
