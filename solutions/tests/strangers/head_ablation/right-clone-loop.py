# source: an experimenter: clone, zero, run again
import torch.nn.functional as F
def head_ablation(contexts, w_o, b_o):
    """Outputs without each head, and how far each absence moves the output."""

    def layer(c):
        return F.linear(torch.cat(c.unbind(1), -1), w_o, b_o)

    whole, outputs = layer(contexts), []
    for h in range(contexts.size(1)):
        without = contexts.clone()
        without[:, h] = 0
        outputs.append(layer(without))
    outputs = torch.stack(outputs)
    moved = torch.stack([torch.linalg.vector_norm(o - whole, dim=-1).mean() for o in outputs])
    return outputs, moved
