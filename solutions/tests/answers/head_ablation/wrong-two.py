# source: two slips at once
# mistake: the heads are joined without swapping the axes, and moved is the mean of absolute differences
def head_ablation(contexts, w_o, b_o):
    b, h, t, d = contexts.shape
    def layer(c):
        return c.reshape(b, t, h * d) @ w_o.T + b_o
    outputs = []
    for i in range(h):
        without = contexts.clone()
        without[:, i] = 0
        outputs.append(layer(without))
    outputs = torch.stack(outputs)
    return outputs, (outputs - layer(contexts)).abs().mean(dim=(1, 2, 3))
