"""Local attention with the score *general*, and a window that moves with the target.

`local_general(query, keys, W, lengths, half_width)` → context, weights.
"""

import torch

from utils.attention import LocalAttention
from utils.checks.implementations import Implementations, mask_after_softmax, over_queries
from utils.masks import masked_softmax, padding_mask


def local_general(query, keys, W, lengths, half_width):  # noqa: N803
    """Compute local attention with the course's own module."""
    attention = LocalAttention(W.shape[0], W.shape[1], half_width).to(W)
    attention.load_state_dict({"scorer.W.weight": W})
    with torch.no_grad():
        return attention(query, keys, mask=padding_mask(lengths, max_len=keys.shape[1]))


def last_word(targets, lengths, src_len):
    return targets.minimum(lengths[:, None] - 1)  # (batch, tgt_len)


def near(distances, half_width):
    return distances.abs() <= half_width


def one_too_many(distances, half_width):
    """Open one place too many on the left.

    It happened: a window of n words reached back n words besides the word itself,
    huggingface/transformers issue 39408 (2025).
    """
    return near(distances, half_width) | (distances == -half_width - 1)


def attention(
    project=lambda keys, matrix: keys @ matrix.mT,
    stop=last_word,
    close=near,
    hides_padding=True,
    weigh=masked_softmax,
    handed_out=lambda keys, projected: keys,
):
    """Return local attention written line by line, in which a bug can replace a part."""

    def local_general(query, keys, W, lengths, half_width):  # noqa: N803
        lengths, src_len = torch.as_tensor(lengths), keys.shape[1]
        projected = project(keys, W)  # (batch, src_len, query_dim)
        scores = query @ projected.mT  # (batch, tgt_len, src_len)
        sources, targets = torch.arange(src_len), torch.arange(query.shape[1])
        centres = stop(targets, lengths, src_len).expand(len(lengths), -1)  # (batch, tgt_len)
        window = close(sources - centres.unsqueeze(-1), half_width)  # (batch, tgt_len, src_len)
        if hides_padding:
            window = window & (sources < lengths[:, None, None])
        weights = weigh(scores, window)
        return weights @ handed_out(keys, projected), weights

    return local_general


IMPLEMENTATIONS = Implementations(
    right=[local_general, attention()],
    broken={
        "matrix-as-stored": attention(project=lambda keys, matrix: keys @ matrix),
        "softmax-over-queries": attention(weigh=over_queries),
        "mask-after-softmax": attention(weigh=mask_after_softmax),
        "local-attention-roughly": attention(
            close=lambda distances, half_width: (-(distances**2) / half_width**2).exp() != 0
        ),
        "off-by-one": attention(close=one_too_many),
        "row-is-sentence": attention(
            stop=lambda targets, lengths, src_len: targets.clamp(max=src_len - 1)
        ),
        "padding-is-harmless": attention(hides_padding=False),
        "keys-handed-out": attention(handed_out=lambda keys, projected: projected),
    },
)
