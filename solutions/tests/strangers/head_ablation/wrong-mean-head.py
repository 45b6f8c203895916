# source: an interpretability person: mean ablation
# mistake: the head is replaced by the mean of the other heads, not by zero
def head_ablation(contexts, w_o, b_o):
    heads = contexts.shape[1]
    whole = contexts.transpose(1, 2).flatten(2) @ w_o.T + b_o
    outputs = []
    for h in range(heads):
        c = contexts.clone()
        c[:, h] = (contexts.sum(1) - contexts[:, h]) / max(heads - 1, 1)
        outputs.append(c.transpose(1, 2).flatten(2) @ w_o.T + b_o)
    outputs = torch.stack(outputs)
    return outputs, (outputs - whole).norm(dim=-1).mean((1, 2))
