# source: a learner who zeroes a slice of the output
# mistake: a slice of the output's columns is set to zero, not the head's context before the projection
def head_ablation(contexts, w_o, b_o):
    heads, width = contexts.shape[1], contexts.shape[3]
    whole = contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o
    outputs = whole.repeat(heads, 1, 1, 1)
    for h in range(heads):
        outputs[h, ..., h * width : (h + 1) * width] = 0
    return outputs, (outputs - whole).norm(dim=-1).mean((1, 2))
