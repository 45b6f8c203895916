# source: a language model that writes the attention it has seen most often
# mistake: the scores are divided by the root of the width, but the task's look-up has no scale
import math
def soft_lookup(query, keys, values):
    d_k = query.size(-1)
    scores = torch.matmul(query, keys.transpose(-2, -1)) / math.sqrt(d_k)
    p_attn = torch.softmax(scores, dim=-1)
    return torch.matmul(p_attn, values), p_attn
