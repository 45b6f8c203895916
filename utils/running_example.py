"""The sentence that the whole course follows, with vectors small enough to work out by hand.

"The cat sat on the mat" → "le chat était assis sur le tapis". Every vector has two whole numbers,
so each can be drawn as an arrow: one to the right stands for who acts, to the left for where;
upwards for articles and nouns, downwards for verbs and prepositions. These vectors are made up. A
trained model finds its own, with hundreds of numbers each.
"""

import torch

SOURCE = ["The", "cat", "sat", "on", "the", "mat"]
TARGET = ["le", "chat", "était", "assis", "sur", "le", "tapis"]

# A key for each source token: what the token offers. (src_len=6, 2)
KEYS = torch.tensor([[1, 3], [3, 1], [2, -2], [-2, -2], [-1, 3], [-3, 1]], dtype=torch.float32)

# A query for each target token: what the decoder looks for to write it. (tgt_len=7, 2)
QUERIES = torch.tensor(
    [[1, 3], [3, 1], [2, -1], [2, -2], [-2, -2], [-1, 3], [-3, 1]], dtype=torch.float32
)
