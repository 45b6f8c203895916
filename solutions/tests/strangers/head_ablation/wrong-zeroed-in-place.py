# source: a learner who forgets clone
# mistake: the heads are zeroed in place one after the other, so each output lacks all heads before, too
def head_ablation(contexts, w_o, b_o):
    whole = contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o
    outputs = []
    for h in range(contexts.shape[1]):
        contexts[:, h] = 0
        outputs.append(contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o)
    outputs = torch.stack(outputs)
    return outputs, (outputs - whole).norm(dim=-1).mean((1, 2))
