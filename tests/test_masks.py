import pytest
import torch

from utils.masks import causal_mask, masked_softmax, padding_mask, window_mask

T, F = True, False


def test_padding_mask_allows_the_real_positions():
    expected = torch.tensor([[[T, T, F]], [[T, F, F]], [[F, F, F]]])
    assert torch.equal(padding_mask([2, 1, 0], max_len=3), expected)
    assert torch.equal(padding_mask(torch.tensor([2, 1, 0]), max_len=3), expected)
    assert padding_mask([2, 1]).shape == (2, 1, 2)  # the longest sets the length


@pytest.mark.parametrize("lengths", [[4, 1], [-1, 2]])
def test_padding_mask_refuses_impossible_lengths(lengths):
    with pytest.raises(ValueError, match="between 0 and max_len = 3"):
        padding_mask(lengths, max_len=3)


def test_causal_mask_allows_no_look_at_the_future():
    assert torch.equal(causal_mask(3), torch.tensor([[T, F, F], [T, T, F], [T, T, T]]))


def test_window_mask_is_cut_off_at_both_ends():
    mask = window_mask(torch.tensor([0, 2, 4]), src_len=5, half_width=1)
    expected = torch.tensor([[T, T, F, F, F], [F, T, T, T, F], [F, F, F, T, T]])
    assert torch.equal(mask, expected)
    assert torch.equal(window_mask(torch.arange(5), 5, 0), torch.eye(5).bool())
    assert window_mask(torch.arange(9), 9, 3).sum(-1).tolist() == [4, 5, 6, 7, 7, 7, 6, 5, 4]
    assert not window_mask(torch.tensor([8]), 5, 2).any()  # outside
    with pytest.raises(ValueError, match="half_width must be 0 or more"):
        window_mask(torch.tensor([0]), 5, -1)


def test_a_weight_under_the_mask_is_exactly_zero_and_rows_sum_to_one():
    scores = torch.tensor([[1e4, -1e4, 3.0], [0.0, 0.0, 0.0]])
    weights = masked_softmax(scores, torch.tensor([[F, T, T], [T, T, F]]))
    assert torch.equal(weights, torch.tensor([[0.0, 0.0, 1.0], [0.5, 0.5, 0.0]]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_a_row_masked_whole_gives_zeros_and_zero_gradients(dtype):
    scores = torch.randn(2, 4, dtype=dtype, requires_grad=True)
    mask = torch.tensor([[T, T, F, T], [F, F, F, F]])
    weights = masked_softmax(scores, mask)
    assert torch.equal(weights[1], torch.zeros(4, dtype=dtype))
    (weights * torch.arange(4)).sum().backward()
    assert torch.equal(scores.grad[1], torch.zeros(4, dtype=dtype))
    assert scores.grad[0].abs().sum() > 0
    assert scores.grad.isfinite().all()


def test_the_scores_are_left_alone_unless_they_may_be_written_to():
    scores, mask = torch.randn(2, 3, 4, 4), causal_mask(4)
    before, weights = scores.clone(), masked_softmax(scores, mask)
    assert torch.equal(scores, before)
    assert torch.equal(masked_softmax(scores, mask, inplace=True), weights)


# Made with a mask whose rows are all open, and called with one that has an empty row.
MADE_ONCE = {
    "traced": lambda scores, mask: torch.jit.trace(masked_softmax, (scores, mask)),
    "exported": lambda scores, mask: torch.export.export(
        MaskedSoftmax(), (scores, mask), strict=False
    ).module(),
    "mapped": lambda scores, mask: torch.vmap(masked_softmax),
}


class MaskedSoftmax(torch.nn.Module):
    def forward(self, scores, mask):
        return masked_softmax(scores, mask, inplace=True)


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("make", MADE_ONCE.values(), ids=MADE_ONCE)
def test_what_is_made_once_stands_an_empty_row_later(make):
    scores, mask = torch.randn(3, 4, 4), causal_mask(4).repeat(3, 1, 1)
    made = make(scores, mask)
    mask[1, 2] = False
    torch.testing.assert_close(made(scores.clone(), mask), masked_softmax(scores, mask))


def test_another_axis_can_hold_the_source():
    scores = torch.randn(3, 5)
    mask = torch.rand(3, 5) > 0.4
    turned = masked_softmax(scores.T, mask.T, dim=0).T
    assert torch.allclose(turned, masked_softmax(scores, mask))


@pytest.mark.parametrize(
    ("mask", "dtype"),
    [(torch.rand(3), "float32"), (torch.ones(3, dtype=torch.long), "int64"), ([T, F, T], "list")],
)
def test_a_mask_that_is_not_boolean_is_refused(mask, dtype):
    with pytest.raises(TypeError, match=f"must be a boolean tensor.*got .*{dtype}"):
        masked_softmax(torch.zeros(2, 3), mask)


@pytest.mark.parametrize("shape", [(4,), (3, 3), (5, 2, 3)])
def test_a_mask_that_does_not_broadcast_is_refused(shape):
    with pytest.raises(ValueError, match=r"must broadcast to the weights, \(2, 3\)"):
        masked_softmax(torch.zeros(2, 3), torch.ones(shape, dtype=torch.bool))


def test_the_lengths_of_a_batch_are_no_mask_of_targets():
    lengths = torch.tensor([[T, T, T, F], [T, T, F, F], [T, T, T, T]])
    with pytest.raises(ValueError, match=r"write mask\[:, None, :\]"):
        masked_softmax(torch.zeros(3, 3, 4), lengths)  # (batch, tgt_len, src_len)
    with pytest.raises(ValueError, match="lengths of a batch"):
        masked_softmax(torch.zeros(3, 2, 3, 4), lengths)  # with heads
    with pytest.raises(ValueError, match="lengths of a batch"):
        masked_softmax(torch.zeros(3, 3, 4), lengths.flip(-1))  # padded on the left
    assert masked_softmax(torch.zeros(3, 3, 4), lengths[:, None]).shape == (3, 3, 4)
    assert masked_softmax(torch.zeros(3, 4), lengths).shape == (3, 4)  # no batch: its own rows
    look_ahead = causal_mask(3)
    for mask in (look_ahead, look_ahead.mT):
        assert torch.equal(masked_softmax(torch.zeros(3, 3, 3), mask)[0] > 0, mask)


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 1), (3, 4), (2, 1, 4), (2, 3, 1)])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_a_mask_of_any_shape_gives_what_its_full_size_gives(shape, dim):
    scores, mask = torch.randn(2, 3, 4), torch.rand(shape) > 0.3
    weights = masked_softmax(scores, mask, dim)
    full = mask.expand(2, 3, 4)
    expected = scores.double().exp() * full
    expected = expected / expected.sum(dim, keepdim=True).clamp(min=1e-30)
    assert torch.allclose(weights, expected.float())
    assert not weights[~full].any()
