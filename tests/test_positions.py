import math

import pytest
import torch

from utils.positions import LearnedPositions, SinusoidalPositions, sinusoidal_positions


def test_columns_are_the_waves_of_the_paper():
    table = sinusoidal_positions(length=50, dim=6)
    for position, i in [(0, 0), (7, 0), (49, 1), (13, 2)]:
        angle = position / 10_000 ** (2 * i / 6)
        assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-5)
        assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-5)


def test_the_dot_product_of_two_positions_depends_on_their_distance_alone():
    table = sinusoidal_positions(40, 32)
    products = table @ table.T
    for distance in (0, 1, 5, 20):
        diagonal = products.diagonal(distance)
        assert torch.allclose(diagonal, diagonal[0].expand_as(diagonal), atol=1e-4)


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="dim must be even, got 5"):
        sinusoidal_positions(3, 5)


@pytest.mark.parametrize("layer", [SinusoidalPositions, LearnedPositions])
def test_each_position_gets_its_own_vector(layer):
    positions = layer(dim=8, max_len=10)
    added = positions(torch.zeros(2, 6, 8))
    assert added.shape == (2, 6, 8)
    assert torch.equal(added[0], added[1])
    assert len(torch.unique(added[0], dim=0)) == 6
    embeddings = torch.randn(2, 6, 8)
    assert torch.allclose(positions(embeddings) - embeddings, added, atol=1e-6)


@pytest.mark.parametrize("layer", [SinusoidalPositions, LearnedPositions])
@pytest.mark.parametrize("shape", [(2, 11, 8), (2, 6, 9)])
def test_embeddings_that_do_not_fit_are_refused(layer, shape):
    with pytest.raises(ValueError, match=r"must be \(batch, up to 10, 8\), got"):
        layer(dim=8, max_len=10)(torch.zeros(shape))


def test_only_the_learned_ones_are_parameters():
    assert not list(SinusoidalPositions(8).parameters())
    assert not SinusoidalPositions(8).state_dict()
    learned = LearnedPositions(8, max_len=10)
    learned(torch.zeros(1, 4, 8)).sum().backward()
    assert learned.table.grad[:4].abs().sum() > 0
    assert learned.table.grad[4:].abs().sum() == 0
