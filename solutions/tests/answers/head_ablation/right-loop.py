# source: a learner who sets one head to zero at a time
@torch.no_grad()
def head_ablation(contexts, w_o, b_o):
    def layer(c):
        return c.transpose(1, 2).flatten(2) @ w_o.T + b_o
    whole = layer(contexts)
    outputs, moved = [], []
    for h in range(contexts.shape[1]):
        without = contexts.clone()
        without[:, h] = 0
        outputs.append(layer(without))
        moved.append((outputs[-1] - whole).norm(dim=-1).mean())
    return torch.stack(outputs), torch.stack(moved)
