import math

import pytest
import torch

from utils.metrics import attention_entropy, largest_weight


def test_entropy_lies_between_a_hard_choice_and_an_equal_share():
    weights = torch.tensor([[1.0, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0], [0.0] * 4])
    expected = torch.tensor([0.0, math.log(4), math.log(2), 0.0])
    assert torch.allclose(attention_entropy(weights), expected)


def test_entropy_keeps_the_leading_axes_and_passes_finite_gradients():
    weights = torch.tensor([[[1.0, 0.0], [0.5, 0.5]]]).expand(3, 2, 2)
    assert attention_entropy(weights).shape == (3, 2)
    scores = torch.tensor([50.0, 0.0, -50.0], requires_grad=True)
    attention_entropy(scores.softmax(-1)).backward()
    assert scores.grad.isfinite().all()


def test_scores_are_not_weights():
    with pytest.raises(ValueError, match="apply softmax first"):
        attention_entropy(torch.tensor([1.0, -1.0]))


def test_the_largest_weight_is_the_row_s_maximum():
    assert torch.equal(largest_weight(torch.tensor([[0.1, 0.7, 0.2]])), torch.tensor([0.7]))
